import json

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

import errata
from auditing.target_cases import straight
from decision_cases import said
from errata.review import Decisions, as_text, read_audited

pytest.importorskip("pyarrow", reason="pyarrow is not installed")
WRONG = 7


def data():
    X, y = straight(120)
    y = (y + 20).round(2)
    y[WRONG] = (10 * y[WRONG]).round(2)
    y[3] = np.nan
    return X, y


def audited(X, y, **how):
    return errata.audit_targets(
        X, y, estimators=[LinearRegression()], self_check=False, random_state=0, **how
    )


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("homes") / "homes.audit"
    audit = audited(*data())
    audit.save(path)
    return audit, path


def cards(path):
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(path / "cards.parquet")
    return {row: json.loads(card) for row, card in zip(*table.to_pydict().values(), strict=True)}


def test_cards_show_numbers_intervals_and_rows_like_it(saved):
    audit, path = saved
    found = cards(path)
    card = found[WRONG]
    assert 3 not in found  # it has no number to decide on
    assert card["label"] == audit.targets[WRONG]
    assert card["suggested"] == audit.suggested[WRONG]
    assert (card["hint"], card["classes"]) == ("x10", [])
    assert float(card["low"]) < card["suggested"] < float(card["high"])
    near = card["similar"]
    assert [row["label"] for row in near] == [audit.targets[row["row"]] for row in near]
    assert any("a factor of ten" in reason for reason in card["reasons"])
    numbers = json.loads((path / "audit.json").read_text())
    assert numbers["components"]["kinds"] == ["all", "blunt", "anywhere", "missed"]


def test_rows_without_a_flag_show_what_is_expected_of_them(saved):
    audit, path = saved
    row = next(row for row in cards(path) if not audit.flagged[row])
    assert cards(path)[row]["suggested"] == audit.digits.write(audit.predicted[row])


def test_an_audit_that_was_loaded_is_saved_with_its_cards(saved, tmp_path):
    errata.TargetAudit.load(saved[1]).save(tmp_path / "copy.audit")
    assert cards(tmp_path / "copy.audit") == cards(saved[1])


def test_a_second_audit_begins_with_what_people_decided(tmp_path):
    X, y = data()
    recorded = as_text(y[WRONG])
    with Decisions(tmp_path / "homes.decisions") as decisions:
        decisions.record(said("other", WRONG, class_text="20.125", label=recorded))
        decisions.record(said("label", 5, class_text=as_text(y[5])))
        decisions.record(said("unusable", 9))
        second = audited(X, y, decisions=decisions)
    assert second.targets[WRONG] == 20.125
    assert np.flatnonzero(second._known).tolist() == [5, WRONG]
    assert not second.flagged[[5, WRONG]].any()
    assert second.p_wrong[[5, WRONG]].tolist() == [0, 0]
    assert np.isnan(second.targets[9])
    assert "2 targets decided by people: taken as known." in second.notes
    second.save(tmp_path / "second.audit")
    again = errata.TargetAudit.load(tmp_path / "second.audit")
    assert again._known.tolist() == second._known.tolist()
    assert read_audited(tmp_path / "second.audit").known.tolist() == second._known.tolist()
    assert not {5, 9, WRONG} & cards(tmp_path / "second.audit").keys()


def test_too_few_undecided_targets_are_told(tmp_path):
    X, y = data()
    with Decisions(tmp_path / "homes.decisions") as decisions:
        decisions.record_all(
            [said("label", row, class_text=as_text(y[row])) for row in range(10, 110)]
        )
        with pytest.raises(ValueError, match="decided all but 19 targets; 30 that nobody"):
            audited(X, y, decisions=decisions)
