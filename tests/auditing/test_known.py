import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import errata
from auditing_cases import QUICK, blobs
from errata.noise import flip_labels

X, CODES = blobs(150)
LABELS, FLIPPED = flip_labels(CODES, n_flips=15, random_state=0)
PROBA = np.full((16, 2), 0.5)


def audited(known=None, labels=LABELS, X=X, **options):
    options = {"estimators": QUICK, "self_check": False, "random_state": 0} | options
    return errata.audit(X, labels, known=known, **options)


def given_proba(known, n=16):
    """An audit of labels beside probabilities that tell nothing."""
    return audited(known, np.arange(n) % 2, None, pred_proba=PROBA[:n], estimators=None)


@pytest.mark.parametrize(
    "cells",
    [
        [True, False] * 4,
        [1, 0] * 4,
        [1.0, 0.0] * 4,
        ["yes", "no"] * 4,
        [" True ", "FALSE"] * 4,
        ["1", "0"] * 4,
    ],
)
def test_yes_and_no_are_read_in_all_their_forms(cells):
    audit = given_proba(cells * 2)
    assert (audit.suspicion == 0).tolist() == [True, False] * 8


def test_none_known_is_as_good_as_nothing_said():
    np.testing.assert_array_equal(given_proba([0] * 16).suspicion, given_proba(None).suspicion)


@pytest.mark.parametrize(
    ("cells", "sentence"),
    [
        (["yes", "maybe"] + ["no"] * 6, "known holds 'maybe' in row 1; say 1 or 0, true or false"),
        ([2] + [0] * 7, "known holds .*2.* in row 0"),
        ([None] + [0] * 7, "known holds None in row 0"),
        ([1, 0], "known has 2 rows, but there are 8 labels"),
        ([1] * 8, "all but 0 of the labels are known; 6"),
    ],
)
def test_what_cannot_be_meant_gets_a_sentence(cells, sentence):
    with pytest.raises(ValueError, match=sentence):
        given_proba(cells, n=8)


def test_a_row_without_a_label_cannot_be_known():
    labels = ["a", "b", "a", None, "a", "b", "a", "b"]
    with pytest.raises(ValueError, match="row 3 has no label, but known says that it is certain"):
        audited([0, 0, 0, 1, 0, 0, 0, 0], labels, None, pred_proba=PROBA[:8])


def test_known_labels_are_never_flagged_whatever_they_look_like():
    known = FLIPPED & (np.arange(150) % 2 == 0)  # some of the worst there are
    audit = audited(known, precision=0.01)
    assert not audit.flagged[known].any()
    assert audit.flagged.any()
    np.testing.assert_array_equal(audit.p_wrong[known], 0)
    np.testing.assert_array_equal(audit.suspicion[known], 0)
    np.testing.assert_array_equal(audit.suggested[known], LABELS[known])
    np.testing.assert_array_equal(audit.p_suggested[known], 1)
    assert not {e["row"] for e in audit.examples} & set(np.flatnonzero(known).tolist())


def test_a_known_label_that_no_other_row_has_is_right_as_well():
    labels = LABELS.astype(object)
    labels[7] = "new"
    known = np.arange(150) == 7
    audit = audited(known, np.array([str(label) for label in labels]))
    assert (audit.p_wrong[7], audit.p_suggested[7], audit.suggested[7]) == (0, 1, "new")
    told = {part["class"]: part["rate"] for part in audit.summary()["per_class"]}
    assert told["new"] == 0


def test_known_labels_count_as_right_in_rate_interval_and_transition():
    known = np.zeros(150, dtype=bool)
    known[np.flatnonzero(~FLIPPED)[:60]] = True
    audit, plain = audited(known), audited()
    assert audit.noise_rate.estimate == pytest.approx(audit.p_wrong.mean(), rel=1e-9)
    assert audit.noise_rate.estimate == pytest.approx(plain.noise_rate.estimate, abs=0.03)
    assert audit.noise_rate.high <= 0.6 + 1e-9  # of 150 labels 90 could be wrong
    implied = audit.prior @ (1 - np.diag(audit.transition))
    assert implied == pytest.approx(audit.noise_rate.estimate, rel=1e-6)


def test_nothing_is_learnt_about_the_noise_from_known_labels():
    # A third of the labels is wrong, and half of the rows are known: among the others it is two
    # thirds less certain than it would be were all of them taken for draws from the noise.
    labels, flipped = flip_labels(CODES, 0.3, random_state=1)
    right = np.flatnonzero(~flipped)[::2]
    known = np.zeros(150, dtype=bool)
    known[right] = True
    among_others = audited(known, labels).p_wrong[~known].mean()
    assert among_others == pytest.approx(flipped[~known].mean(), abs=0.15)
    assert among_others > audited(None, labels).p_wrong.mean()


def test_a_column_says_which_are_known_and_models_do_not_see_it():
    known = np.zeros(150, dtype=bool)
    known[np.flatnonzero(~FLIPPED)[::3]] = True
    table = {f"x{j}": X[:, j] for j in range(4)} | {"sure": np.where(known, "yes", "no")}
    named, masked = (
        audited("sure", X=table),
        audited(known, X={k: table[k] for k in list(table)[:4]}),
    )
    np.testing.assert_array_equal(named.p_wrong, masked.p_wrong)
    with pytest.raises(ValueError, match="no column 'sur' that says which labels are known; "):
        audited("sur", X=table)


def test_errors_are_planted_among_other_rows_only():
    seen = []

    class Watching(LogisticRegression):
        def fit(self, X, y):
            seen.append((X[:, 0].copy(), y))
            return super().fit(X, y)

    x = np.sort(X[:, 0])[:, None]  # the only column, scaled but in the same order
    known = np.arange(150) % 2 == 0
    labels = LABELS[np.argsort(X[:, 0])]
    audited(known, labels, x, estimators=[("seen", Watching())], self_check=True)
    order = np.unique(np.concatenate([x for x, _ in seen]))
    assert len(order) == 150
    places = [np.searchsorted(order, x) for x, _ in seen]
    names = dict(zip(seen[0][1].tolist(), labels[places[0]].tolist(), strict=True))  # of codes
    changed = np.zeros(150, dtype=bool)
    for at, (_, y) in zip(places, seen, strict=True):
        changed[at] |= np.array([names[code] for code in y.tolist()]) != labels[at]
    assert changed.sum() >= 20
    assert not changed[known].any()


def test_known_labels_come_back_from_disk(tmp_path):
    pytest.importorskip("pyarrow", reason="the tables extra is not installed")
    known = np.arange(150) % 3 == 0
    audit = audited(known)
    audit.save(tmp_path / "a.audit")
    again = errata.Audit.load(tmp_path / "a.audit")
    np.testing.assert_array_equal(again._known, known)
    assert again.summary() == audit.summary()


def test_known_labels_of_recordings_are_not_flagged(walks):
    from auditing.recordings_cases import steady, with_wrong_stretches

    X, labels, names = steady()
    noisy, wrong = with_wrong_stretches(labels, [25, 165, 245, 405, 665])
    audit = errata.audit(*(X, noisy), sequence=names, known=wrong, self_check=False, random_state=0)
    assert not audit.flagged[wrong].any()
