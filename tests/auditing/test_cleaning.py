import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.auditing.results._cleaning import Scores, clean_labels

LABELS = np.array(["a", "a", "a", "a", "b", "b", "b", "b"])
CODES = np.repeat([0, 1], 4)
SUGGESTED = np.array(["b", "a", "a", "a", "a", "a", "b", "b"])
P_WRONG = np.array([0.9, 0.1, 0.1, 0.1, 0.95, 0.6, 0.1, 0.1])
P_SUGGESTED = np.array([0.9, 0.9, 0.9, 0.9, 0.95, 0.6, 0.9, 0.9])


SCORES = Scores(LABELS, CODES, SUGGESTED, P_WRONG, P_SUGGESTED)


def acted(action, scores=SCORES, **options):
    options = {"threshold": 0.5, "sure": 0.8, "unsure": "keep"} | options
    return clean_labels(scores, action, **options)


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(0, 1)), min_size=1, max_size=40))
def test_never_more_than_half_of_a_class_is_dropped_nor_its_last_two_rows(rows):
    codes, p_wrong = (np.array(column) for column in zip(*rows, strict=True))
    wrong = p_wrong > 0.5
    dropped = ~acted("drop", Scores(codes, codes, codes, p_wrong, p_wrong)).kept
    assert not (dropped & ~wrong).any()
    for code in np.unique(codes):
        own = codes == code
        assert dropped[own].sum() <= own.sum() / 2
        if dropped[own].any():
            assert (own & ~dropped).sum() >= 2
            spared = own & wrong & ~dropped
            assert p_wrong[own & dropped].min() >= p_wrong[spared].max(initial=0)


def test_drop_leaves_out_what_is_probably_wrong():
    cleaned = acted("drop")
    assert cleaned.kept.tolist() == [False, True, True, True, False, False, True, True]
    assert cleaned.weight.tolist() == cleaned.kept.astype(float).tolist()
    assert cleaned.did[0] == "dropped"
    X, y = cleaned.apply(np.arange(16).reshape(8, 2))
    assert X[:, 0].tolist() == [2, 4, 6, 12, 14]
    assert y.tolist() == ["a", "a", "a", "b", "b"]


def test_relabel_changes_sure_rows_and_keeps_the_others():
    cleaned = acted("relabel")
    assert cleaned.labels.tolist() == ["b", "a", "a", "a", "a", "b", "b", "b"]
    assert cleaned.did.tolist() == ["relabelled"] + 3 * ["kept"] + ["relabelled"] + 3 * ["kept"]
    assert cleaned.kept.all()


def test_relabel_drops_unsure_rows_when_asked_to():
    assert acted("relabel", unsure="drop").did[5] == "dropped"


def test_what_relabelling_leaves_of_a_class_is_spared():
    p_wrong, sure = np.array([0.9] * 4 + [0.1] * 4), np.array([0.9, 0.9, 0.6, 0.6] + [0.9] * 4)
    scores = Scores(LABELS, CODES, np.repeat("b", 8), p_wrong, sure)
    cleaned = acted("relabel", scores, unsure="drop")
    assert cleaned.labels[cleaned.kept].tolist().count("a") == 2


def test_a_row_whose_own_label_is_suggested_is_not_said_to_be_relabelled():
    assert acted("relabel", threshold=0.05).did[1] == "kept"


def test_weights_are_the_probabilities_of_right_labels():
    cleaned = acted("weight")
    np.testing.assert_allclose(cleaned.weight, 1 - P_WRONG, rtol=0, atol=0)
    assert cleaned.kept.all()
    assert set(cleaned.did) == {"weighted"}


def test_unlabel_takes_labels_away():
    cleaned = acted("unlabel")
    assert cleaned.labels.tolist() == [None, "a", "a", "a", None, None, "b", "b"]
    assert LABELS[0] == "a"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"action": "burn"}, "action='burn' is not known; choose from drop, relabel, weight"),
        ({"action": "drop", "threshold": 2}, "threshold=2 must be a number between 0 and 1"),
        ({"action": "drop", "sure": -1}, "sure=-1 must be a number between 0 and 1"),
        ({"action": "drop", "unsure": "ask"}, "unsure='ask' is not known; choose from keep, drop"),
    ],
)
def test_bad_wishes_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        acted(**options)


@pytest.mark.parametrize("kind", [np.asarray, list], ids=["array", "list"])
def test_a_mapping_of_columns_stays_one(kind):
    cleaned = acted("drop")
    table, labels = cleaned.apply({"a": kind(range(8)), "b": kind(list("abcdefgh"))})
    rows = np.flatnonzero(cleaned.kept).tolist()
    assert len(rows) < 8
    assert list(table["a"]) == rows
    assert list(table["b"]) == ["abcdefgh"[row] for row in rows]
    assert len(labels) == len(rows)


@pytest.mark.parametrize("rows", [7, 9])
@pytest.mark.parametrize("kind", [np.asarray, np.ndarray.tolist], ids=["array", "list"])
def test_a_table_of_other_length_is_refused(rows, kind):
    sentence = f"X has {rows} rows, but 8 were audited; pass the same rows in the same order"
    with pytest.raises(ValueError, match=sentence):
        acted("drop").apply(kind(np.zeros((rows, 2))))
