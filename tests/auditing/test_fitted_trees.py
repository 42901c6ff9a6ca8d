import pickle

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from auditing_cases import blobs
from errata.auditing import NewRows
from errata.auditing.models._fitted import FittedTrees

X, CODES = blobs(90)
CODES = np.random.default_rng(0).permutation(CODES)  # trees of many nodes


def grown(rows, codes, seed):
    tree = DecisionTreeClassifier(max_features=1, random_state=seed).fit(rows, codes)
    return tree, (tree.tree_, tree.classes_)


def test_trees_answer_as_scikit_learn_s():
    trees, parts = zip(*(grown(X, CODES, seed) for seed in range(5)), strict=True)
    found = FittedTrees.of(parts, 3, None).predict_proba(NewRows(X + 0.2))
    expected = np.mean([tree.predict_proba(X + 0.2) for tree in trees], axis=0)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)


def test_a_row_on_a_threshold_goes_where_scikit_learn_sends_it():
    # Neighbouring numbers in single precision: thresholds between them are not of that precision.
    steps = np.float32(1) + np.arange(64, dtype=np.float32) * np.finfo(np.float32).eps
    table = steps[:, None].astype(float)
    tree, part = grown(table, np.arange(64) % 2, 0)
    asked = np.r_[table, np.asarray(tree.tree_.threshold)[:, None]]
    found = FittedTrees.of([part], 2, None).predict_proba(NewRows(asked))
    np.testing.assert_array_equal(found, tree.predict_proba(asked))


def test_trees_that_know_other_classes_and_a_mere_root_vote_together():
    one = grown(X, np.ones(90, dtype=int), 0)[1]
    two = grown(X[CODES != 1], CODES[CODES != 1], 0)[1]
    found = FittedTrees.of([one, two], 3, None).predict_proba(NewRows(X[CODES != 1]))
    expected = (np.eye(3)[[1]] + np.eye(3)[CODES[CODES != 1]]) / 2
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)


def test_only_trees_that_have_not_seen_a_fold_are_asked():
    parts = [grown(X, np.full(90, code), 0)[1] for code in range(3)]
    seen = np.zeros((3, 10), dtype=bool)
    seen[0, :5] = seen[1, 5:] = seen[:, 9] = True
    rows = NewRows(X[:3], folds=np.array([2, 7, 9]))
    found = FittedTrees.of(parts, 3, seen).predict_proba(rows)
    expected = [[0, 0.5, 0.5], [0.5, 0, 0.5], [1 / 3, 1 / 3, 1 / 3]]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)


def test_numbers_too_large_for_single_precision_are_no_trouble():
    part = grown(X, CODES, 0)[1]
    far = FittedTrees.of([part], 3, None).predict_proba(NewRows(np.full((1, 4), 1e300)))
    np.testing.assert_allclose(far.sum(), 1, rtol=0, atol=1e-6)


def test_what_is_kept_holds_no_rows():
    many, codes = blobs(20_000)
    part = grown(many, codes, 0)[1]
    assert len(pickle.dumps(FittedTrees.of([part], 3, None))) < many.nbytes / 10
