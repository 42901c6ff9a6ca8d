"""RBF features: units centred on rows of the table instead of weighted sums."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from elm import naive_ridge
from errata.elm import ELMClassifier, ELMRegressor
from errata.elm._hidden_layer import HiddenLayer, draw_centers
from errata.exceptions import SuspicionWarning

X = np.random.RandomState(0).normal(size=(40, 3))
Y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]
LABELS = (X[:, 0] * X[:, 1] > 0).astype(int)
MODELS = {ELMClassifier: LABELS, ELMRegressor: Y}


def naive_rbf(rows, centers, gamma):
    return np.array([[np.exp(-gamma * np.sum((x - z) ** 2)) for z in centers] for x in rows])


def centers_of(layer):
    return layer.weights.T / (2 * layer.gamma)


def layer_of(model):
    return HiddenLayer(model.hidden_weights_, model.hidden_bias_, "rbf", gamma=model.gamma_)


@pytest.mark.parametrize("n_hidden", [1, 12, 100])
def test_units_fall_with_the_squared_distance_from_rows_of_the_table(n_hidden):
    layer = draw_centers(X, n_hidden=n_hidden, weight_scale=1.5, gamma=None, random_state=0)
    centers = centers_of(layer)
    assert len(centers) == min(n_hidden, len(X))
    distances = np.linalg.norm(centers[:, None] - X[None], axis=2)
    np.testing.assert_allclose(distances.min(axis=1), 0, rtol=0, atol=1e-9)
    assert len(set(distances.argmin(axis=1))) == len(centers)  # no row twice
    np.testing.assert_allclose(layer(X), naive_rbf(X, centers, layer.gamma), rtol=0, atol=1e-12)


def test_width_is_the_median_distance_over_weight_scale():
    wide, narrow = (
        draw_centers(X, n_hidden=40, weight_scale=scale, gamma=None, random_state=0).gamma
        for scale in (1.0, 2.0)
    )
    assert narrow == pytest.approx(4 * wide, rel=1e-12)
    squares = np.sum((X[:, None] - X[None]) ** 2, axis=2)[np.triu_indices(40, 1)]
    assert 1 / wide == pytest.approx(np.median(squares), rel=0.1)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_a_given_gamma_is_that_of_the_rbf_kernel(model):
    fitted = model(
        activation="rbf", n_hidden=5, gamma=0.3, weight_scale=9, alpha=1.0, random_state=0
    )
    fitted.fit(X, MODELS[model])
    assert fitted.gamma_ == 0.3
    layer = layer_of(fitted)
    np.testing.assert_allclose(
        layer(X), rbf_kernel(X, centers_of(layer), gamma=0.3), rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("gamma", [0, -1.0, np.inf, "scale", True])
def test_a_bad_gamma_is_named(gamma):
    with pytest.raises(ValueError, match=f"gamma={gamma!r} must be a finite .*, or None"):
        ELMRegressor(activation="rbf", gamma=gamma).fit(X, Y)


def test_equal_rows_give_units_that_do_not_vary():
    same = np.ones((10, 2))
    layer = draw_centers(same, n_hidden=5, weight_scale=1.0, gamma=None, random_state=0)
    np.testing.assert_allclose(layer(same), 1, rtol=0, atol=1e-12)
    with pytest.warns(SuspicionWarning, match="hidden units do not vary"):
        ELMRegressor(activation="rbf", n_hidden=5, alpha=1.0, random_state=0).fit(same, Y[:10])


def test_single_precision_gives_nearly_the_same_units_in_double_precision():
    layer = draw_centers(X, n_hidden=12, weight_scale=1.0, gamma=None, random_state=0)
    single = layer(X.astype(np.float32))
    assert single.dtype == np.float64
    np.testing.assert_allclose(single, layer(X), rtol=0, atol=1e-5)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
@pytest.mark.parametrize("n_hidden", [15, 200], ids=["fewer units", "as many units as rows"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_leave_one_out_equals_refitting_with_the_same_units(model, n_hidden, fit_intercept):
    target = MODELS[model]
    fitted = model(
        activation="rbf",
        n_hidden=n_hidden,
        alpha=0.1,
        fit_intercept=fit_intercept,
        random_state=0,
    ).fit(X, target)
    T = np.eye(2)[target] if model is ELMClassifier else target[:, None]
    expected = naive_ridge.held_out(
        layer_of(fitted)(X), T, 0.1, [[i] for i in range(40)], fit_intercept=fit_intercept
    )
    found = fitted.loo_predictions_.reshape(40, -1)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_predictions_are_rbf_features_times_the_output_layer(model):
    fitted = model(activation="rbf", n_hidden=15, random_state=0).fit(X, MODELS[model])
    new = X + 0.1
    layer = layer_of(fitted)
    scores = naive_rbf(new, centers_of(layer), layer.gamma) @ fitted.coef_ + fitted.intercept_
    if model is ELMClassifier:
        np.testing.assert_allclose(
            fitted.decision_function(new), scores[:, 1] - scores[:, 0], rtol=0, atol=1e-9
        )
    else:
        np.testing.assert_allclose(fitted.predict(new), scores.ravel(), rtol=0, atol=1e-9)


def test_rows_added_later_meet_the_rbf_features_of_the_first():
    model = ELMRegressor(activation="rbf", n_hidden=30, alpha=0.1, random_state=0)
    model.partial_fit(X[:20], Y[:20]).partial_fit(X[20:], Y[20:])
    assert model.predict(X).shape == (40,)
    assert model.hidden_weights_.shape == (3, 20)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_an_unknown_activation_is_told_all_four(model):
    message = "activation='relu' is not known; choose from erf, tanh, logistic, rbf"
    with pytest.raises(ValueError, match=message):
        model(activation="relu").fit(X, MODELS[model])
