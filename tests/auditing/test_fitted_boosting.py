import pickle

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

from auditing_cases import blobs
from errata.auditing import NewRows, TrainingData
from errata.auditing.models._default import GradientBoosting
from errata.auditing.models._fitted import BoostedTrees


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
    found = BoostedTrees.of(model).predict_proba(rows)
    np.testing.assert_allclose(found, model.predict_proba(rows), rtol=0, atol=1e-12)


def test_rows_on_a_threshold_go_where_scikit_learn_sends_them():
    steps = np.float32(1) + np.arange(64, dtype=np.float32) * np.finfo(np.float32).eps
    model = HistGradientBoostingClassifier(min_samples_leaf=1, max_iter=3)
    model.fit(steps[:, None], np.arange(64) % 2)
    found = BoostedTrees.of(model).predict_proba(steps[:, None])
    np.testing.assert_allclose(found, model.predict_proba(steps[:, None]), rtol=0, atol=1e-12)


def test_trees_of_a_mere_root_say_the_same_of_all_rows():
    X, codes = overlapping(3)
    model = HistGradientBoostingClassifier(min_samples_leaf=300, max_iter=2).fit(X, codes)
    found = BoostedTrees.of(model).predict_proba(X[:2])
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


def test_what_is_kept_holds_no_rows():
    X, codes = overlapping(2, 20_000)
    model = HistGradientBoostingClassifier(max_leaf_nodes=15, max_iter=20).fit(X, codes)
    assert len(pickle.dumps(BoostedTrees.of(model))) < 20_000 < X.nbytes
