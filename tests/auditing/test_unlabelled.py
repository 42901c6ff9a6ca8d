import numpy as np
import pandas
import pytest

import errata
from auditing.recordings_cases import steady
from auditing_cases import QUICK, blobs
from cli.command_line import invoke
from errata.noise import flip_labels

X, CODES = blobs(210)
NAMES = np.array(["ant", "bee", "cat"], dtype=object)
LABELS, FLIPPED = flip_labels(NAMES[CODES], n_flips=12, random_state=0)
BLANK = np.arange(210) % 6 == 1


def blanked(labels=LABELS, blank=BLANK, nothing=None):
    labels = labels.copy()
    labels[blank] = nothing
    return labels


def audited(labels, X=X, **options):
    options = {"estimators": QUICK, "self_check": False, "random_state": 0} | options
    return errata.audit(X, labels, **options)


@pytest.fixture(scope="module")
def audit():
    return audited(blanked())


def test_the_most_probable_class_is_suggested_with_its_probability(audit):
    assert (audit.suggested[BLANK] == NAMES[CODES][BLANK]).mean() > 0.9
    assert ((audit.p_suggested[BLANK] > 1 / 3) & (audit.p_suggested[BLANK] <= 1)).all()
    assert audit.p_suggested[BLANK].mean() > 0.8


def test_a_row_without_a_label_has_none_that_could_be_wrong(audit):
    np.testing.assert_array_equal(audit.p_wrong[BLANK], 0)
    np.testing.assert_array_equal(audit.suspicion[BLANK], 0)
    assert not audit.flagged[BLANK].any()
    assert (audit._codes[BLANK] == -1).all()
    assert not audit._labelled[BLANK].any()
    assert not {e["row"] for e in audit.examples} & set(np.flatnonzero(BLANK).tolist())


def test_a_note_counts_them_and_the_summary_counts_labels(audit):
    assert any(note.startswith("35 rows have no label: they teach nothing") for note in audit.notes)
    summary = audit.summary()
    assert summary["rows"] == 175
    assert sum(c["rows"] for c in summary["per_class"]) == 175
    assert sum(summary["histogram"]["counts"]) == 175
    assert summary["noise_rate"]["count"] == round(175 * audit.noise_rate.estimate)


def test_they_teach_nothing(audit):
    kept = audited(LABELS[~BLANK], X[~BLANK])
    np.testing.assert_allclose(audit.p_wrong[~BLANK], kept.p_wrong, rtol=0, atol=0.05)
    assert audit.noise_rate.estimate == pytest.approx(kept.noise_rate.estimate, abs=0.01)


def test_the_probabilities_are_calibrated_where_classes_overlap():
    random = np.random.default_rng(0)
    codes = random.integers(2, size=1_500)
    table = codes[:, None] + random.normal(size=(1_500, 2))
    labels, _ = flip_labels(codes.astype(float), 0.2, random_state=0)
    blank = np.arange(1_500) % 3 == 0
    found = audited(blanked(labels, blank, np.nan), table)
    right = found.suggested[blank] == codes[blank]
    assert found.p_suggested[blank].mean() == pytest.approx(right.mean(), abs=0.1)


@pytest.mark.parametrize("nothing", [np.nan, None])
def test_missing_numbers_are_missing_labels(nothing):
    labels = np.array(CODES, dtype=float if nothing is not None else object)
    found = audited(blanked(labels, BLANK, nothing))
    assert found.classes.tolist() == [0, 1, 2]
    assert (found._codes[BLANK] == -1).all()


def test_probabilities_of_the_user_stand_for_a_table():
    proba = 0.7 * np.eye(3)[CODES] + 0.1
    found = audited(blanked(), None, pred_proba=proba, estimators=[])
    assert (found.suggested[BLANK] == NAMES[CODES][BLANK]).all()
    assert (found.p_suggested[BLANK] > 0.5).all()


def test_sparse_tables_and_groups_are_understood():
    from scipy import sparse

    labels = blanked()
    found = audited(labels, sparse.csr_array(np.abs(X)), groups=np.arange(210) % 50)
    assert (found._codes[BLANK] == -1).all()
    assert np.isfinite(found.p_suggested).all()


@pytest.mark.parametrize("action", ["drop", "relabel", "weight", "unlabel"])
def test_cleaning_fills_in_labels_that_are_sure_and_leaves_the_others_blank(audit, action):
    sure = float(np.median(audit.p_suggested[BLANK]))
    cleaned = audit.clean(action, sure=sure)
    assert cleaned.kept[BLANK].all()
    filled = BLANK & (audit.p_suggested > sure) & (action == "relabel")
    assert cleaned.labels[filled].tolist() == audit.suggested[filled].tolist()
    assert set(cleaned.did[filled]) <= {"relabelled"}
    assert all(label is None for label in cleaned.labels[BLANK & ~filled])
    assert set(cleaned.did[BLANK & ~filled]) == {"kept"}
    assert action != "relabel" or 0 < filled.sum() < BLANK.sum()
    assert action == "relabel" or (cleaned.did[~BLANK] != "kept").sum() >= 8


def test_labels_that_are_missing_come_back_from_disk(audit, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="the tables extra is not installed")
    audit.save(tmp_path / "a.audit")
    again = errata.Audit.load(tmp_path / "a.audit")
    assert again.summary() == audit.summary()
    assert again.labels.tolist() == audit.labels.tolist()
    rows = parquet.read_table(tmp_path / "a.audit" / "cards.parquet")["row"].to_pylist()
    assert not set(rows) & set(np.flatnonzero(BLANK).tolist())


def test_recordings_need_a_label_for_each_row():
    X, labels, names = steady()
    labels = labels.astype(object)
    labels[3] = None
    with pytest.raises(ValueError, match=r"1 row without a label .*row 3"):
        errata.audit(X, labels, sequence=names)


def test_equal_rows_without_a_label_are_no_conflict():
    twice = np.concatenate([X, X[BLANK]])
    labels = np.concatenate([blanked(), LABELS[BLANK]])
    assert audited(labels, twice).duplicates == []


@pytest.mark.parametrize("classes", [[2, 7, 11], [False, True, True]], ids=["whole", "yes or no"])
def test_gaps_leave_whole_numbers_and_truth_values_what_they_are(classes, tmp_path):
    codes = np.searchsorted(NAMES, LABELS).tolist()
    audit = audited([None if b else classes[c] for b, c in zip(BLANK, codes, strict=True)])
    audit.save(tmp_path / "a.audit")
    for found in (audit, errata.Audit.load(tmp_path / "a.audit")):
        assert found.classes.tolist() == sorted(set(classes))
        for labels in (found.classes, found.suggested, found.table()["suggested"].to_numpy()):
            assert labels.dtype == np.array(classes).dtype
        assert found.summary()["classes"] == [str(name) for name in sorted(set(classes))]
        cleaned = found.clean("relabel", threshold=0.5, sure=0.5)
        assert {type(label) for label in cleaned.labels[~BLANK]} == {type(classes[0])}


def test_whole_numbers_with_gaps_are_listed_without_a_fraction(tmp_path):
    labels = np.where(BLANK, np.nan, CODES)
    pandas.DataFrame(X).add_prefix("x").assign(class_=labels).to_parquet(tmp_path / "a.parquet")
    result = invoke("audit", tmp_path / "a.parquet", "--label", "class_", "--no-self-check")
    assert result.exit_code == 0, result.stderr
    listed = pandas.read_csv(tmp_path / "a.audit" / "ranked.csv", dtype=str)
    assert set(listed["label"].dropna()) == set(listed["suggested"]) == {"0", "1", "2"}
    assert "1.0" not in result.stdout
