import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.metrics import log_loss

from auditing_cases import blobs
from errata.auditing import NewRows, TrainingData
from errata.auditing.models._default import Forest

X, CODES = blobs(90)
FOLDS = np.random.default_rng(1).integers(10, size=90)
each = pytest.mark.parametrize("extra", [True, False], ids=["extra trees", "random forest"])


@each
def test_other_rows_are_predicted_by_all_trees(extra):
    model, data = Forest("trees", extra, 10, 2), TrainingData(X, CODES, 3, more_rows=True)
    fit = model.cross_fit(data)
    np.testing.assert_array_equal(fit.out_of_fold, model.out_of_fold_proba(data))
    found = fit.predictor.predict_proba(NewRows(X + 0.3))
    assert len(fit.predictor.roots) == 10
    assert np.mean(found.argmax(axis=1) == CODES) > 0.9


@each
@pytest.mark.parametrize("n_classes", [2, 5])
def test_forests_are_as_good_as_scikit_learn_s(extra, n_classes):
    X, codes = make_classification(
        300, 8, n_informative=6, n_redundant=0, n_classes=n_classes, random_state=0
    )
    theirs = (ExtraTreesClassifier if extra else RandomForestClassifier)(
        200, min_samples_leaf=3, bootstrap=True, oob_score=True, random_state=0
    ).fit(X, codes)
    found = Forest("trees", extra, 200, 3).out_of_fold_proba(TrainingData(X, codes, n_classes))
    expected = log_loss(codes, theirs.oob_decision_function_)
    assert log_loss(codes, found) == pytest.approx(expected, abs=0.04)
    alike = np.corrcoef(found[:, 0], theirs.oob_decision_function_[:, 0])[0, 1]
    assert alike > 0.93  # as of two seeds


def test_groups_without_folds_leave_other_rows_to_all_trees():
    data = TrainingData(X, CODES, 3, np.arange(90) // 2, more_rows=True)
    fit = Forest("trees", True, 10, 2).cross_fit(data)
    assert len(fit.predictor.roots) == 10
    assert np.mean(fit.predictor.predict_proba(NewRows(X)).argmax(axis=1) == CODES) > 0.9


@each
def test_with_folds_a_row_is_asked_of_trees_that_have_not_seen_its_fold(extra):
    # Labels at random: who has seen a row knows it, who has not cannot.
    random = np.random.default_rng(0)
    labels = random.integers(2, size=400)
    rows, folds = random.normal(size=(400, 3)), random.integers(10, size=400)
    data = TrainingData(rows, labels, 2, folds=folds, more_rows=True)
    fit = Forest("trees", extra, 40, 1).cross_fit(data)
    assert np.mean(fit.out_of_fold.argmax(axis=1) == labels) < 0.6
    again = fit.predictor.predict_proba(NewRows(rows, folds=folds))
    np.testing.assert_array_equal(again, fit.out_of_fold)
    other = fit.predictor.predict_proba(NewRows(rows, folds=(folds + 1) % 10))
    assert np.mean(other.argmax(axis=1) == labels) > 0.75
