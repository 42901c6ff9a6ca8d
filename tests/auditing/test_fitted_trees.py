import pickle

import numpy as np

from auditing_cases import blobs
from errata._kernels import kernels
from errata.auditing import NewRows
from errata.auditing.models._base import single_precision
from errata.auditing.models._fitted import FittedTrees

X, CODES = blobs(90)


def grown(rows, codes, seen=None):
    """A tree for each column of codes, grown on all rows."""
    columns = np.ascontiguousarray(single_precision(rows).T)
    grow, times = kernels("forest").grow_forest, np.ones((1, len(rows)), np.uint8)
    trees = [
        grow(columns, own[:, None], 3, times, np.array([7], np.uint64), 4, 1, False, True)[1]
        for own in codes.T
    ]
    return FittedTrees.of(kernels("forest", compiled=False).put_behind_each_other(trees), seen)


def test_rows_that_a_tree_was_grown_on_come_back_to_their_leaf():
    labels = np.random.default_rng(0).permutation(CODES)  # a tree of many nodes
    found = grown(X, labels[:, None]).predict_proba(NewRows(X))
    np.testing.assert_array_equal(found, np.eye(3)[labels])


def test_trees_vote_together():
    labels = np.column_stack([CODES, np.ones(90, dtype=int)])
    found = grown(X, labels).predict_proba(NewRows(X))
    np.testing.assert_allclose(found, (np.eye(3)[CODES] + np.eye(3)[1]) / 2, rtol=0, atol=1e-6)


def test_only_trees_that_have_not_seen_a_fold_are_asked():
    seen = np.zeros((3, 10), dtype=bool)
    seen[0, :5] = seen[1, 5:] = seen[:, 9] = True
    trees = grown(X, np.tile(np.arange(3), (90, 1)), seen)
    rows = NewRows(X[:3], folds=np.array([2, 7, 9]))
    expected = [[0, 0.5, 0.5], [0.5, 0, 0.5], [1 / 3, 1 / 3, 1 / 3]]
    np.testing.assert_allclose(trees.predict_proba(rows), expected, rtol=0, atol=1e-6)


def test_numbers_too_large_for_single_precision_are_no_trouble():
    far = grown(X, CODES[:, None]).predict_proba(NewRows(np.full((1, 4), 1e300)))
    np.testing.assert_allclose(far.sum(), 1, rtol=0, atol=1e-6)


def test_what_is_kept_holds_no_rows():
    many, codes = blobs(20_000)
    assert len(pickle.dumps(grown(many, codes[:, None]))) < many.nbytes / 10
