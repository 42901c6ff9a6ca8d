"""Objectives for boosters: their derivatives, and what the boosters make of them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_classification
from sklearn.metrics import log_loss

from errata.noise import flip_labels
from errata.tolerant.objectives import LEAST_CURVATURE, ForwardCorrection

TWO = np.array([[0.6, 0.4], [0.05, 0.95]])
THREE = np.array([[0.6, 0.4, 0.0], [0.0, 0.95, 0.05], [0.3, 0.0, 0.7]])
STEP = 1e-5


def drawn(transition, n=50):
    rng = np.random.default_rng(0)
    k = len(transition)
    scores = rng.normal(scale=2, size=n if k == 2 else (n, k))
    return ForwardCorrection(transition), rng.integers(0, k, n), scores


def differences(function, scores):
    """Central differences of a function of each row by each of its scores."""
    out = np.empty(scores.shape)
    columns = [...] if scores.ndim == 1 else [(slice(None), j) for j in range(scores.shape[1])]
    for column in columns:
        up = scores.copy()
        up[column] += STEP
        down = scores.copy()
        down[column] -= STEP
        moved = (function(up) - function(down)) / (2 * STEP)
        out[column] = moved if moved.ndim == 1 else moved[column]
    return out


@pytest.mark.parametrize("transition", [TWO, THREE], ids=["two", "three"])
def test_the_derivatives_are_those_of_the_loss(transition):
    objective, y, scores = drawn(transition)
    gradient = objective.gradient(y, scores)
    assert gradient.shape == scores.shape
    expected = differences(lambda s: objective.value(y, s), scores)
    assert_allclose(gradient, expected, rtol=0, atol=1e-8)
    hessian = objective.hessian(y, scores)
    expected = differences(lambda s: objective.gradient(y, s), scores)
    assert_allclose(hessian, expected, rtol=0, atol=1e-8)
    assert hessian.min() < 0  # which is why boosters get another


@pytest.mark.parametrize("transition", [TWO, THREE], ids=["two", "three"])
def test_boosters_get_the_gradient_and_a_curvature_that_is_not_less(transition):
    objective, y, scores = drawn(transition)
    gradient, curvature = objective(y, scores)
    assert_allclose(gradient, objective.gradient(y, scores))
    assert (curvature >= objective.hessian(y, scores)).all()
    assert curvature.min() >= LEAST_CURVATURE
    sure = objective(y, 1000 * scores)
    assert np.isfinite(sure).all()
    weights = np.linspace(0, 2, len(y))
    shaped = weights if scores.ndim == 1 else weights[:, None]
    assert_allclose(objective(y, scores, weights), (gradient * shaped, curvature * shaped))


def test_without_noise_it_is_the_log_loss():
    _, y, scores = drawn(THREE)
    objective = ForwardCorrection(np.eye(3))
    expected = log_loss(y, objective.proba(scores))
    assert_allclose(objective.value(y, scores).mean(), expected, rtol=1e-12)
    assert_allclose(objective(y, scores)[1], objective.hessian(y, scores), atol=LEAST_CURVATURE)


def test_catboost_gets_the_derivatives_of_minus_the_loss():
    objective, y, scores = drawn(TWO)
    gradient, curvature = objective(y, scores)
    pairs = np.array(objective.calc_ders_range(list(scores), list(y), None))
    assert_allclose(pairs, -np.column_stack([gradient, curvature]))
    objective, y, scores = drawn(THREE)
    first, second = objective.calc_ders_multi(list(scores[0]), y[0], 2.0)
    assert_allclose(first, -2 * objective.gradient(y, scores)[0])
    assert_allclose(np.diag(second), -2 * objective(y, scores)[1][0])
    assert_allclose(np.sum(second, axis=1), 0, atol=1e-12)


@pytest.mark.parametrize(
    ("y", "scores", "message"),
    [
        ([0], [[0.0, 0.0]], "the transition matrix has 3 classes, but the booster learns 2"),
        ([3], [[0.0, 0.0, 0.0]], "labels must be integers from 0 to 2"),
        ([1], [[0.0, 0.0, 0.0]], "some rows have the label 1, which no class can get"),
    ],
)
def test_what_does_not_fit_is_said(y, scores, message):
    with pytest.raises(ValueError, match=message):
        ForwardCorrection([[1, 0, 0], [1, 0, 0], [0, 0, 1]])(y, scores)


def problem(transition):
    k = len(transition)
    X, y = make_classification(
        2000, 8, n_informative=5, n_redundant=0, n_classes=k, class_sep=1.2, random_state=0
    )
    labels, _ = flip_labels(y[:1000], transition=transition, random_state=0)
    return X[:1000], labels, X[1000:], y[1000:]


def check_gain(transition, plain, corrected, score):
    X, labels, X_test, y_test = problem(transition)
    before = np.mean(np.ravel(plain.fit(X, labels).predict(X_test)) == y_test)
    corrected.fit(X, labels, sample_weight=np.linspace(0.9, 1.1, len(X)))
    proba = ForwardCorrection(transition).proba(score(corrected, X_test))
    assert np.mean(proba.argmax(axis=1) == y_test) > before + 0.02


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("transition", [TWO, THREE], ids=["two", "three"])
def test_lightgbm_learns_the_class(transition):
    lightgbm = pytest.importorskip("lightgbm", reason="LightGBM is not installed")
    settings = {"n_estimators": 40, "n_jobs": 1, "verbose": -1}
    check_gain(
        transition,
        lightgbm.LGBMClassifier(**settings),
        lightgbm.LGBMClassifier(objective=ForwardCorrection(transition), **settings),
        lambda model, X: model.predict(X, raw_score=True),
    )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("transition", [TWO, THREE], ids=["two", "three"])
def test_xgboost_learns_the_class(transition):
    xgboost = pytest.importorskip("xgboost", reason="XGBoost is not installed")
    settings = {"n_estimators": 40, "n_jobs": 1}
    check_gain(
        transition,
        xgboost.XGBClassifier(**settings),
        xgboost.XGBClassifier(objective=ForwardCorrection(transition), **settings),
        lambda model, X: model.predict(X, output_margin=True),
    )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("transition", [TWO, THREE], ids=["two", "three"])
def test_catboost_learns_the_class(transition):
    catboost = pytest.importorskip("catboost", reason="CatBoost is not installed")
    k = len(transition)
    settings = {
        "iterations": 40,
        "thread_count": 1,
        "verbose": False,
        "allow_writing_files": False,
    }
    corrected = catboost.CatBoostClassifier(
        loss_function=ForwardCorrection(transition),
        eval_metric="Logloss" if k == 2 else "MultiClass",
        **settings,
        **({} if k == 2 else {"classes_count": k}),
    )
    check_gain(
        transition,
        catboost.CatBoostClassifier(**settings),
        corrected,
        lambda model, X: model.predict(X, prediction_type="RawFormulaVal"),
    )
