import numpy as np
import pytest

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
    expected = model.grown(data).predict_proba(X + 0.3)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)


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
