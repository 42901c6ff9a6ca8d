import numpy as np
from scipy.special import softmax

from auditing_cases import blobs
from errata.auditing import NewRows, TrainingData
from errata.auditing.models._default import RBFRidge

X, CODES = blobs(90)
MODEL = RBFRidge("RBF features", 1.0, n_hidden=20)
FOLDS = np.random.default_rng(1).integers(10, size=90)


def test_out_of_fold_probabilities_are_the_same_either_way():
    data = TrainingData(X, CODES, 3, more_rows=True)
    fit = MODEL.cross_fit(data)
    np.testing.assert_array_equal(fit.out_of_fold, MODEL.out_of_fold_proba(data))


def test_other_rows_are_predicted_by_the_ridge_of_all_rows():
    data = TrainingData(X, CODES, 3, more_rows=True)
    model = MODEL._fitted(data)
    found = MODEL.cross_fit(data).predictor.predict_proba(NewRows(X + 0.1))
    np.testing.assert_allclose(found, model.predict_proba(X + 0.1), rtol=0, atol=1e-9)


def test_with_folds_a_row_is_predicted_as_if_it_had_been_left_out():
    # What is told of a row in the data is what is told of one beside it in the same fold.
    fit = MODEL.cross_fit(TrainingData(X, CODES, 3, folds=FOLDS, more_rows=True))
    again = fit.predictor.predict_proba(NewRows(X, folds=FOLDS))
    np.testing.assert_allclose(again, fit.out_of_fold, rtol=0, atol=1e-5)  # that is float32
    elsewhere = fit.predictor.predict_proba(NewRows(X, folds=(FOLDS + 1) % 10))
    assert np.abs(elsewhere - again).max() > 1e-3


def test_the_ridge_without_a_fold_equals_one_fitted_without_it():
    data = TrainingData(X, CODES, 3, folds=FOLDS, more_rows=True)
    model, fold = MODEL._fitted(data), 4
    hidden = np.exp(
        -model.gamma_
        * ((X[:, None] - model.hidden_weights_.T / (2 * model.gamma_)) ** 2).sum(axis=2)
    )
    others = fold != FOLDS
    centred = hidden[others] - hidden[others].mean(axis=0)
    target = np.eye(3)[CODES[others]]
    A = centred.T @ centred + model.alpha_ * np.eye(20)
    coef = np.linalg.solve(A, centred.T @ (target - target.mean(axis=0)))
    scores = target.mean(axis=0) + (hidden - hidden[others].mean(axis=0)) @ coef
    expected = softmax(scores / model.temperature_, axis=1)
    predictor = MODEL.cross_fit(data).predictor
    found = predictor.predict_proba(NewRows(X, folds=np.full(90, fold)))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-7)
