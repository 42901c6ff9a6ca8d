import numpy as np
import pytest

from auditing_cases import blobs
from errata.auditing import NewRows, TrainingData
from errata.auditing.models._base import split_of_fold

X, CODES = blobs(60)


def test_no_more_folds_than_rows_of_the_largest_class():
    assert len(TrainingData(X[:6], np.array([0, 0, 0, 1, 1, 1]), 2).splits(5)) == 3


def test_folds_of_groups_decide_about_splits():
    folds = np.array([3, 3, 7, 8, 9, 0, 0, 1, 2, 3])
    data = TrainingData(np.zeros((10, 1)), np.arange(10) % 2, 2, folds=folds)
    splits = data.splits(5)
    np.testing.assert_array_equal(np.sort(np.concatenate([s[1] for s in splits])), np.arange(10))
    for train, test in splits:
        assert not set(folds[train]) & set(folds[test])
    assert [len(test) for _, test in data.splits(10)] == [2, 1, 1, 3, 1, 1, 1]  # none is empty


def test_two_folds_are_two_splits_wherever_they_lie():
    # Modulo five, folds 1 and 6 would be one.
    data = TrainingData(np.zeros((4, 1)), np.arange(4) % 2, 2, folds=np.array([1, 6, 6, 1]))
    assert [test.tolist() for _, test in data.splits(5)] == [[0, 3], [1, 2]]


def test_a_fold_that_was_not_learnt_from_may_be_asked_of_any_split():
    np.testing.assert_array_equal(
        split_of_fold(np.array([1, 6, 9]), 2), [0, 0, 0, 0, 0, 0, 1, 0, 0, 0]
    )


def test_groups_that_fall_into_one_fold_are_too_few():
    with pytest.raises(ValueError, match="all rows fall into one fold"):
        TrainingData(X, CODES, 3, folds=np.full(60, 4)).splits()


def test_some_rows_keep_their_folds_and_nothing_follows_them():
    data = TrainingData(X, CODES, 3, folds=np.arange(60) % 10, more_rows=True)
    some = data.for_rows(np.array([3, 14]))
    np.testing.assert_array_equal(some.folds, [3, 4])
    assert not some.more_rows
    assert some.is_grouped


def test_some_of_the_new_rows():
    rows = NewRows(X, list(range(60)), np.eye(3)[CODES], CODES).take(np.array([5, 2]))
    assert len(rows) == 2
    assert rows.table == [5, 2]
    np.testing.assert_array_equal(rows.X, X[[5, 2]])
    np.testing.assert_array_equal(rows.pred_proba.argmax(axis=1), CODES[[5, 2]])
    np.testing.assert_array_equal(rows.folds, CODES[[5, 2]])
    assert NewRows(X).take(np.arange(3)).table is None
