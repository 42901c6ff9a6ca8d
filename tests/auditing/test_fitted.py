import pickle

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

from auditing_cases import blobs
from errata._kernels import kernels
from errata.auditing import NewRows, TrainingData
from errata.auditing.models import _fitted as module
from errata.auditing.models._base import single_precision
from errata.auditing.models._default import GradientBoosting, RBFRidge
from errata.auditing.models._fitted import BoostedTrees, FittedRidge, FittedTrees, predict_together

X, CODES = blobs(90)


def grown(rows, codes, seen=None):
    """A tree for each column of codes, grown on all rows."""
    columns = np.ascontiguousarray(single_precision(rows).T)
    grow, times = kernels("forest").grow_forest, np.ones((1, len(rows)), np.uint8)
    trees = [
        grow(columns, own[:, None], 3, times, np.array([7], np.uint64), 4, 1, False, True)[1]
        for own in codes.T
    ]
    return FittedTrees(kernels("forest", compiled=False).put_behind_each_other(trees), seen)


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


MODEL = RBFRidge("RBF features", 1.0, n_hidden=20)
FOLDS = np.random.default_rng(1).integers(10, size=90)


def fitted(sharpness, n_hidden=20, *, folds=None, dtype=np.float64):
    data = TrainingData(X.astype(dtype), CODES, 3, folds=folds, more_rows=True)
    return RBFRidge("RBF features", sharpness, n_hidden).cross_fit(data).predictor


@pytest.mark.parametrize("folds", [None, FOLDS], ids=["alone", "in folds"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_ridges_say_the_same_together(monkeypatch, folds, dtype):
    ridges = [fitted(sharpness, folds=folds, dtype=dtype) for sharpness in (1.0, 2.0, 0.5)]
    rows, times = NewRows(X + 0.1, folds=folds), []
    expected = [ridge.predict_proba(rows) for ridge in ridges]
    plain = FittedRidge.features
    monkeypatch.setattr(FittedRidge, "features", lambda *a: times.append(1) or plain(*a))
    found = predict_together(ridges, rows)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
    splits = 1 if folds is None else len(np.unique(folds))
    assert len(times) == splits  # one exponential serves three


def test_what_does_not_come_of_squaring_is_asked_one_by_one():
    ridges = [fitted(1.0), fitted(1.0, n_hidden=30), fitted(3.0)]
    found = predict_together(ridges, NewRows(X))
    for ridge, proba in zip(ridges, found, strict=True):
        np.testing.assert_array_equal(proba, ridge.predict_proba(NewRows(X)))


@pytest.mark.parametrize("folds", [None, FOLDS], ids=["alone", "in folds"])
def test_blocks_change_nothing(monkeypatch, folds):
    predictor = MODEL.cross_fit(TrainingData(X, CODES, 3, folds=folds, more_rows=True)).predictor
    whole = predictor.predict_proba(NewRows(X, folds=folds))
    monkeypatch.setattr(module, "CACHED", 140)
    parts = predictor.predict_proba(NewRows(X, folds=folds))
    np.testing.assert_allclose(parts, whole, rtol=0, atol=1e-9)


def test_rows_far_out_get_the_probabilities_of_no_row_in_particular():
    predictor = MODEL.cross_fit(TrainingData(X, CODES, 3, more_rows=True)).predictor
    far = predictor.predict_proba(NewRows(np.array([[1e200, 0, 0, -1e200], [1e9, 0, 0, 0]])))
    np.testing.assert_allclose(far[0], far[1], rtol=0, atol=1e-12)


def test_what_is_kept_of_ridges_holds_no_rows():
    many, codes = blobs(3_000)
    predictor = MODEL.cross_fit(TrainingData(many, codes, 3, more_rows=True)).predictor
    assert len(pickle.dumps(predictor)) < 10_000 < many.nbytes


def overlapping(n_classes, n=400):
    X, codes = blobs(n, n_classes)
    wrong = np.random.default_rng(1).random(n) < 0.3
    return X.astype(np.float32), np.where(wrong, np.roll(codes, 1), codes)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_trees_answer_as_scikit_learn_s(n_classes):
    X, codes = overlapping(n_classes)
    model = HistGradientBoostingClassifier(max_leaf_nodes=32, max_iter=20, min_samples_leaf=2)
    model.fit(X, codes)
    rows = np.r_[X, X + np.float32(0.2)]
    found = BoostedTrees(model).predict_proba(rows)
    np.testing.assert_allclose(found, model.predict_proba(rows), rtol=0, atol=1e-12)


def test_rows_on_a_threshold_go_where_scikit_learn_sends_them():
    steps = np.float32(1) + np.arange(64, dtype=np.float32) * np.finfo(np.float32).eps
    model = HistGradientBoostingClassifier(min_samples_leaf=1, max_iter=3)
    model.fit(steps[:, None], np.arange(64) % 2)
    found = BoostedTrees(model).predict_proba(steps[:, None])
    np.testing.assert_allclose(found, model.predict_proba(steps[:, None]), rtol=0, atol=1e-12)


def test_trees_of_a_mere_root_say_the_same_of_all_rows():
    X, codes = overlapping(3)
    model = HistGradientBoostingClassifier(min_samples_leaf=300, max_iter=2).fit(X, codes)
    found = BoostedTrees(model).predict_proba(X[:2])
    np.testing.assert_allclose(found, model.predict_proba(X[:2]), rtol=0, atol=1e-12)


def test_other_rows_are_predicted_by_one_more_fit():
    X, codes = overlapping(3)
    data = TrainingData(X, codes, 4, random_state=2, more_rows=True)  # one class has lost its rows
    boosting = GradientBoosting("boosting")
    fit = boosting.cross_fit(data)
    np.testing.assert_array_equal(fit.out_of_fold, boosting.out_of_fold_proba(data))
    model = boosting._classifier(data).fit(X, codes)
    found = fit.predictor.predict_proba(NewRows(X + np.float32(0.1)))
    expected = np.c_[model.predict_proba(X + np.float32(0.1)), np.zeros(400)]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_with_folds_rows_are_asked_of_the_fit_without_theirs():
    X, codes = overlapping(2)
    folds = np.random.default_rng(0).integers(10, size=400)
    data = TrainingData(X, codes, 2, folds=folds, more_rows=True)
    boosting = GradientBoosting("boosting")
    fit = boosting.cross_fit(data)
    np.testing.assert_allclose(
        fit.out_of_fold, boosting.out_of_fold_proba(data), rtol=0, atol=1e-12
    )
    again = fit.predictor.predict_proba(NewRows(X, folds=folds))
    np.testing.assert_array_equal(again, fit.out_of_fold)


def test_what_is_kept_of_boosting_holds_no_rows():
    X, codes = overlapping(2, 20_000)
    model = HistGradientBoostingClassifier(max_leaf_nodes=15, max_iter=20).fit(X, codes)
    assert len(pickle.dumps(BoostedTrees(model))) < 20_000 < X.nbytes
