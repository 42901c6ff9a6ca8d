import pickle

import numpy as np
import pytest

import errata
from auditing_cases import QUICK, blobs
from errata.auditing.classes import _problem
from errata.auditing.examples._examples import example_rows
from errata.auditing.results._flags import FlagLine, Rows
from errata.auditing.stored._problem import finish_part
from errata.noise import flip_labels
from errata.tables import read_table
from stored_cases import PETS, finished, judged_rows, parts_of, stored_audit

pytest.importorskip("pyarrow", reason="the tables extra is not installed")


@pytest.fixture(scope="module")
def in_memory():
    """An audit with rows of all kinds, and the same rows as they would be judged part by part."""
    X, codes = blobs(300)
    labels = flip_labels(codes, n_flips=30, random_state=0)[0].astype(float)
    labels[::17] = np.nan
    labels[5] = 9  # a class of one row
    known = (np.arange(300) % 13 == 0) & ~np.isnan(labels)
    flag = Rows.flag
    seen = []

    def spy(rows, flagged, rate):
        seen.append((rows, rate))
        return flag(rows, flagged, rate)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Rows, "flag", spy)
        patch.setattr(_problem, "EXACT_ROWS", 100)
        audit = errata.audit(X, labels, known=known, estimators=QUICK, random_state=0)
    return audit, seen[0]


@pytest.mark.parametrize("cuts", [(), (1, 100, 299)])
def test_rows_finished_part_by_part_are_those_of_an_audit_in_memory(
    in_memory, cuts, tmp_path, monkeypatch
):
    audit, (judged, rate) = in_memory
    monkeypatch.setattr("stored_cases.RATE", rate)
    again = stored_audit(tmp_path, judged, cuts, classes=audit.classes)
    assert audit.flagged.sum() >= 20
    assert (audit.known.sum(), (~audit.labelled).sum(), (audit.codes == 3).sum()) == (22, 18, 1)
    for name in ("labels", "suggested", "flagged", "known", "codes", "labelled"):
        assert getattr(again, name).dtype == getattr(audit, name).dtype
        np.testing.assert_array_equal(getattr(again, name), getattr(audit, name), err_msg=name)
    for name in ("p_wrong", "suspicion"):
        np.testing.assert_array_equal(getattr(again, name), getattr(audit, name), err_msg=name)
    np.testing.assert_allclose(again.p_suggested, audit.p_suggested, rtol=0, atol=1e-7)
    for name in ("expected_precision", "expected_recall"):
        np.testing.assert_allclose(getattr(again, name), getattr(audit, name), rtol=1e-9)
    told, expected = again._totals.as_dict(), audit._totals.as_dict()
    assert told.pop("near_borders") == np.sum(judged.p_elsewhere[audit.flagged] < 0.2)
    expected.pop("near_borders")
    np.testing.assert_allclose(told.pop("wrong"), expected.pop("wrong"), rtol=1e-9, atol=0)
    assert sorted(told.pop("confusion")) == sorted(expected.pop("confusion"))
    assert told == expected


def test_the_worst_rows_are_those_that_are_shown(tmp_path):
    judged = judged_rows(3_000)
    done, line = finished(tmp_path, judged, (700, 1_400, 2_999))
    flagged = judged.may_be_flagged & line.flags(judged.p_wrong, judged.suspicion)
    shown = example_rows(judged.suspicion, flagged, judged.may_be_flagged)
    assert len(done.worst.row) == 200
    np.testing.assert_array_equal(done.worst.row[: len(shown)], shown[:200])
    np.testing.assert_array_equal(done.worst.other, judged.other[done.worst.row])
    np.testing.assert_array_equal(done.worst.code, judged.code[done.worst.row])
    np.testing.assert_array_equal(done.worst.flagged, flagged[done.worst.row])


def test_what_is_finished_can_travel_and_parts_stay_in_order(tmp_path):
    done, _ = finished(tmp_path, judged_rows(), (200, 450))
    again = pickle.loads(pickle.dumps(done))
    assert again.parts == done.parts
    assert [(p.start, p.stop) for p in done.parts] == [
        (p.start, p.stop) for p in parts_of(600, (200, 450))
    ]
    names = sorted(path.name for path in (tmp_path / "rows").iterdir())
    assert names == [f"part-{start:012d}.parquet" for start in (0, 200, 450)]


def test_a_part_may_be_finished_twice(tmp_path):
    first, _ = finished(tmp_path, judged_rows(), (200,))
    second, _ = finished(tmp_path, judged_rows(), (200,))
    assert first.parts == second.parts


def test_without_skill_nothing_is_flagged(tmp_path):
    audit = stored_audit(tmp_path, has_skill=False)
    assert not audit.flagged.any()
    assert audit.summary()["flagged"]["cleaned"]["rows"] == 0
    np.testing.assert_array_equal(audit.suggested[audit.labelled], audit.labels[audit.labelled])
    assert set(audit.suggested[~audit.labelled]) <= set(PETS)


def test_a_label_that_is_certain_is_not_flagged_even_if_all_others_are(tmp_path):
    judged, everything = judged_rows(), FlagLine(0.0, 0.0, 0.5, 1.0, "all")
    finished(tmp_path, judged)
    shared = (tmp_path / "judged", tmp_path / "rows", PETS, everything, 0.1)
    done = finish_part(parts_of(600)[0], shared)
    flagged = read_table(tmp_path / "rows" / "part-000000000000.parquet")["flagged"].to_numpy()
    expected = (judged.code >= 0) & ~judged.known & judged.audited
    np.testing.assert_array_equal(flagged, expected)
    assert done.totals.n_flagged == expected.sum()
    assert judged.ranking().count.sum() == expected.sum()
    assert not judged.known[done.worst.row].any()
