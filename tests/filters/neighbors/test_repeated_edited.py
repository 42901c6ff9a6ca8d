import numpy as np
import pytest
from sklearn.datasets import make_blobs

from errata.exceptions import ClassRetentionWarning
from errata.filters import Cleaner, EditedNeighborsFilter, RepeatedEditedFilter
from errata.noise import flip_labels
from filters.neighbor_cases import PLANTED, TINY_X, TINY_Y


def noisy_blobs(seed, rate=0.35):
    X, y = make_blobs(200, centers=3, cluster_std=2, random_state=seed)
    return X, flip_labels(y, rate, random_state=seed)[0]


def test_planted_errors_on_a_line_go_in_one_round():
    editor = RepeatedEditedFilter(n_neighbors=3).fit(TINY_X, TINY_Y)
    assert editor.history_ == [2, 0]
    assert editor.n_iter_ == 2
    assert np.flatnonzero(editor.flagged_).tolist() == PLANTED
    np.testing.assert_array_equal(editor.suspicion_, np.isin(np.arange(10), PLANTED))
    assert editor.suggested_[PLANTED].tolist() == [0, 1]


@pytest.mark.parametrize("seed", range(5))
def test_once_edited_nothing_is_left_to_edit(seed):
    X, y = noisy_blobs(seed)
    editor = RepeatedEditedFilter()
    X_left, y_left = editor.fit_resample(X, y)
    assert editor.n_iter_ > 2
    assert editor.history_[-1] == 0
    assert not EditedNeighborsFilter().fit(X_left, y_left).flagged_.any()
    np.testing.assert_array_equal(editor.flagged_, editor.suspicion_ > 0.5)
    assert len(X) - len(X_left) == sum(editor.history_) == editor.flagged_.sum()


@pytest.mark.parametrize("seed", range(3))
def test_a_cleaner_that_repeats_editing_says_the_same(seed):
    X, y = noisy_blobs(seed)
    editor = RepeatedEditedFilter(n_neighbors=5).fit(X, y)
    cleaner = Cleaner(EditedNeighborsFilter(n_neighbors=5), max_iter=100).fit(X, y)
    for name in ("suspicion_", "flagged_", "suggested_", "sample_indices_", "history_"):
        np.testing.assert_array_equal(getattr(editor, name), getattr(cleaner, name))


def test_rounds_can_be_limited():
    X, y = noisy_blobs(0)
    editor, once = RepeatedEditedFilter(max_iter=1).fit(X, y), EditedNeighborsFilter().fit(X, y)
    np.testing.assert_array_equal(editor.suspicion_, once.suspicion_)
    np.testing.assert_array_equal(editor.sample_indices_, once.sample_indices_)
    with pytest.raises(ValueError, match="max_iter=0 must be a whole number at least 1"):
        RepeatedEditedFilter(max_iter=0).fit(X, y)


def test_a_threshold_holds_in_every_round_and_a_fraction_at_the_end():
    X, y = noisy_blobs(1)
    strict = RepeatedEditedFilter(threshold=0.9).fit(X, y)
    np.testing.assert_array_equal(strict.flagged_, strict.suspicion_ > 0.9)
    assert strict.history_ != RepeatedEditedFilter().fit(X, y).history_
    part = RepeatedEditedFilter(contamination=0.1).fit(X, y)
    np.testing.assert_array_equal(part.suspicion_, RepeatedEditedFilter().fit(X, y).suspicion_)
    assert part.flagged_.sum() == 20


def test_classes_do_not_die_out():
    # Three scattered rows of class 1 among many of class 0.
    X = np.random.RandomState(0).normal(size=(50, 2))
    y = np.isin(np.arange(50), [0, 1, 2]).astype(int)
    editor = RepeatedEditedFilter()
    with pytest.warns(ClassRetentionWarning, match="fewer than 2 rows"):
        _, y_left = editor.fit_resample(X, y)
    assert np.bincount(y_left).tolist() == [47, 2]
    assert editor.flagged_[:3].all()
    assert editor.history_ == [1, 0]


def test_it_ends_when_too_few_rows_are_left_to_vote():
    X, y = np.arange(8.0)[:, None], np.array([0, 1, 0, 1, 0, 1, 0, 1])
    with pytest.warns(ClassRetentionWarning, match="fewer than 2 rows"):
        editor = RepeatedEditedFilter(n_neighbors=4, threshold=0.4).fit(X, y)
    assert editor.n_iter_ == 1
    assert len(editor.sample_indices_) == 4
