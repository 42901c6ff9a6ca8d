import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor

import errata
from auditing.target_cases import friedman
from errata.auditing import load_audit

pd = pytest.importorskip("pandas", reason="the tables extra is not installed")

FOREST = [("forest", RandomForestRegressor(40, min_samples_leaf=2))]
WRONG = [7, 60, 141]


@pytest.fixture(scope="module")
def homes():
    """Prices in hundreds, of which three are ten times too large."""
    X, y = friedman(200)
    table = pd.DataFrame(X, columns=[f"c{i}" for i in range(X.shape[1])])
    table["price"] = (1000 * y + 20_000).round(-2)
    table.loc[WRONG, "price"] *= 10
    return table.set_axis([f"home {i}" for i in range(len(table))], axis=0)


@pytest.fixture(scope="module")
def found(homes):
    return errata.audit_targets(homes, "price", estimators=FOREST, random_state=0)


def test_wrong_numbers_are_flagged_named_and_corrected(found, homes):
    assert set(WRONG) <= set(np.flatnonzero(found.flagged))
    assert found.hint[WRONG].tolist() == ["x10"] * 3
    np.testing.assert_allclose(found.suggested[WRONG], homes["price"].iloc[WRONG] / 10, rtol=1e-12)
    assert set(found.suspicion.argsort()[::-1][:3]) == set(WRONG)
    assert found.self_check.found > found.self_check.by_value


def test_what_is_not_flagged_keeps_its_target_and_has_no_hint(found, homes):
    kept = ~found.flagged
    np.testing.assert_array_equal(found.suggested[kept], homes["price"][kept])
    assert set(found.hint[kept]) == {""}


def test_the_ranked_table_has_the_index_of_the_dataframe(found):
    table = found.table()
    assert table.index[0] in {f"home {row}" for row in WRONG}
    listed = ["target", "suggested", "low", "high", "p_wrong", "hint", "flagged"]
    assert set(listed) <= set(table.columns)
    assert (table["low"] == table["low"].round(-1)).all()  # a digit more than the column has
    assert len(found.table(flagged=True)) == found.flagged.sum()


def test_what_was_saved_comes_back(found, tmp_path):
    pytest.importorskip("pyarrow", reason="the tables extra is not installed")
    found.save(tmp_path / "homes.audit")
    again = load_audit(tmp_path / "homes.audit")
    assert isinstance(again, errata.TargetAudit)
    assert again.summary() == found.summary()
    assert again.self_check == found.self_check
    for name in found._row_columns:
        np.testing.assert_array_equal(getattr(again, name), getattr(found, name))
    np.testing.assert_array_equal(again._index, found._index)
    with pytest.raises(ValueError, match=r"audit of numeric targets; load it with errata\.Target"):
        errata.Audit.load(tmp_path / "homes.audit")


def test_cleaning_changes_what_is_probably_wrong(found, homes):
    X, y = found.clean().apply(homes)
    assert len(X) == len(y) == len(homes) - (found.p_wrong > 0.5).sum()
    replaced = found.clean("replace").labels
    np.testing.assert_allclose(replaced[WRONG], homes["price"].iloc[WRONG] / 10, rtol=1e-12)
    assert np.isnan(found.clean("unlabel").labels[WRONG]).all()


def test_examples_show_the_nearest_rows_and_why(found):
    first = next(e for e in found.examples if e["row"] == WRONG[0])
    assert first["id"] == f"home {WRONG[0]}"
    assert "It looks like a factor of ten" in first["reasons"][0]
    assert "more than expected" in first["reasons"][1]
    assert len(first["similar"]) == len(first["compared"]) == 3
    assert WRONG[0] not in [near["row"] for near in first["similar"]]
    assert len(first["values"]) == 10
    assert str(found).startswith("<TargetAudit: ")
    assert "x10" in found._repr_html_()


def test_rows_without_a_target_get_what_is_predicted(homes):
    y = homes["price"].to_numpy(copy=True)
    blank = [row for row in range(3, 25) if row not in WRONG]
    truth = y[blank].copy()
    y[blank] = np.nan
    X = homes.drop(columns="price")
    found = errata.audit_targets(X, y, estimators=FOREST, self_check=False, random_state=0)
    assert not found.flagged[blank].any()
    np.testing.assert_array_equal(found.p_wrong[blank], 0)
    assert np.median(np.abs(found.suggested[blank] / truth - 1)) < 0.15
    assert found._findings()["rows"] == len(homes) - len(blank)
    assert found._findings()["noun"] is None
    assert not set(blank) & {example["row"] for example in found.examples}


def test_predictions_are_enough(homes):
    y = homes["price"].to_numpy()
    random = np.random.default_rng(0)
    right = np.where(np.isin(np.arange(len(y)), WRONG), y / 10, y)
    told = right + 500 * random.normal(size=len(y))
    found = errata.audit_targets(None, y, predictions=told, self_check=False, random_state=0)
    assert set(WRONG) <= set(np.flatnonzero(found.flagged))
    assert found.examples[0]["values"] == {}
    assert found.examples[0]["similar"] == []


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"predictions": [1.0, 2.0]}, r"must have the shape \(200,\) or \(200, m\)"),
        ({"predictions": np.full(200, np.nan)}, "predictions hold numbers that are missing"),
        ({"precision": 1.5}, "precision"),
        ({"groups": [1, 2]}, "groups has 2 rows"),
        ({"ids": [1, 2]}, "ids has 2 rows"),
        ({"drop": ["c99"]}, "no column 'c99' to drop; did you mean"),
    ],
)
def test_what_cannot_be_is_told(homes, given, sentence):
    with pytest.raises(ValueError, match=sentence):
        errata.audit_targets(homes, "price", estimators=FOREST, self_check=False, **given)


def test_a_table_of_another_length_or_on_disk_is_told(homes):
    with pytest.raises(ValueError, match="the table has 200 rows, but there are 150 targets"):
        errata.audit_targets(homes, np.arange(150.0))
    with pytest.raises(ValueError, match="needs its table in memory"):
        errata.audit_targets("homes.parquet", "price")


def test_without_skill_nothing_is_flagged_and_nothing_changes():
    random = np.random.default_rng(1)
    X, y = random.normal(size=(200, 3)), random.normal(size=200)
    found = errata.audit_targets(X, y, estimators=FOREST, random_state=0)
    assert not found.has_skill
    assert not found.flagged.any()
    assert found.self_check is None
    assert found.clean().kept.all()
    assert "do not predict the target" in repr(found)
    assert "do not predict the target" in found._rule
    assert found.notes[0].startswith("Nothing here predicts the target")


def test_labels_that_are_numbers_are_sent_here():
    X, y = friedman(100)
    with pytest.raises(ValueError, match=r"use errata\.audit_targets"):
        errata.audit(X, y)
