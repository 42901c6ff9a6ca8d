"""RBF features: units centred on rows of the table instead of weighted sums."""

import time
import tracemalloc

import numpy as np
import pytest
from scipy.special import erf, expit
from sklearn.metrics.pairwise import rbf_kernel
from threadpoolctl import threadpool_limits

from elm import naive_ridge
from errata.elm import ELMClassifier, ELMFeatures, ELMRegressor, _hidden_layer
from errata.elm import _hidden_layer as module
from errata.elm._hidden_layer import HiddenLayer, HiddenRows
from errata.exceptions import SuspicionWarning

around_rows = HiddenLayer.draw_around_rows

X = np.random.RandomState(0).normal(size=(40, 3))

FORMULAS = {"erf": erf, "tanh": np.tanh, "logistic": expit}


@pytest.mark.parametrize("activation", FORMULAS)
def test_features_are_activations_divided_by_the_root_of_their_number(activation):
    features = ELMFeatures(n_hidden=7, activation=activation, random_state=0).fit(X)
    expected = FORMULAS[activation](X @ features.hidden_weights_ + features.hidden_bias_)
    np.testing.assert_allclose(features.transform(X), expected / np.sqrt(7), rtol=0, atol=1e-15)


def test_weights_are_drawn_before_biases_from_numpys_default_generator():
    features = ELMFeatures(n_hidden=5, random_state=3).fit(X)
    random = np.random.Generator(np.random.PCG64(3))
    np.testing.assert_array_equal(features.hidden_weights_, random.normal(size=(3, 5)))
    np.testing.assert_array_equal(features.hidden_bias_, random.normal(size=5))


def test_uniform_weights_fill_the_published_interval():
    layer = HiddenLayer.draw(
        50,
        n_hidden=2000,
        activation="logistic",
        weight_distribution="uniform",
        weight_scale=1.0,
        random_state=0,
    )
    assert -3 <= layer.weights.min() < -2.999
    assert 2.999 < layer.weights.max() <= 3


@pytest.mark.parametrize(("weight_scale", "expected"), [(1.0, 1.0), (0.1, 0.1), ("auto", 0.1)])
def test_weight_scale_is_the_spread_of_the_weights(weight_scale, expected):
    wide = np.zeros((2, 99))  # 1 / sqrt(1 + 99) = 0.1
    features = ELMFeatures(n_hidden=1000, weight_scale=weight_scale, random_state=0).fit(wide)
    assert features.hidden_weights_.std() == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize(
    "random_state", [0, np.random.RandomState(0), np.random.default_rng(0), None]
)
def test_every_kind_of_random_state_draws_a_layer(random_state):
    assert ELMFeatures(n_hidden=4, random_state=random_state).fit_transform(X).shape == (40, 4)


def test_output_features_are_named():
    names = ELMFeatures(n_hidden=2, random_state=0).fit(X).get_feature_names_out()
    assert names.tolist() == ["elmfeatures0", "elmfeatures1"]


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_and_chunks_change_nothing(monkeypatch, threads):
    layer = HiddenLayer(X[:3, :3], X[3], "erf", shift=X[4])
    expected = erf(X @ X[:3, :3] + X[3]) - X[4]
    monkeypatch.setattr(module, "LARGE", 1)
    monkeypatch.setattr(module, "CHUNK_ENTRIES", 7)
    with threadpool_limits(threads, user_api="blas"):
        np.testing.assert_allclose(layer(X), expected, rtol=0, atol=1e-15)


def test_single_precision_inputs_give_double_precision_sums_of_nearly_the_same_numbers():
    layer = HiddenLayer(X[:3, :3], X[3], "tanh")
    out = np.empty((40, 3))
    assert layer(X.astype(np.float32)).dtype == np.float64
    assert layer(X.astype(np.float32), out=out) is out
    np.testing.assert_allclose(out, layer(X), rtol=0, atol=1e-5)


def test_a_centred_layer_vanishes_at_the_mean_row():
    layer = HiddenLayer(X[:3, :3], X[3], "logistic").centered_on(X)
    np.testing.assert_allclose(layer(X.mean(axis=0)[None]), 0, rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_hidden": 0}, "n_hidden=0 must be a whole number at least 1"),
        ({"activation": "relu"}, "activation='relu' is not known; choose from erf, tanh, logistic"),
        (
            {"weight_distribution": "cauchy"},
            "weight_distribution='cauchy' is not known; choose from normal, uniform",
        ),
        ({"weight_scale": 0}, 'weight_scale=0 must be a finite number above 0 or "auto"'),
        ({"weight_scale": np.inf}, 'weight_scale=inf must be a finite number above 0 or "auto"'),
        ({"weight_scale": "scale"}, "weight_scale='scale' must be a finite number above 0"),
        ({"weight_scale": True}, "weight_scale=True must be a finite number above 0"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        ELMFeatures(**parameters).fit(X)


random = np.random.RandomState(0)

X_ROWS, T, W = random.normal(size=(23, 3)), random.normal(size=(23, 2)), random.random_sample(23)

LAYER = HiddenLayer(random.normal(size=(3, 5)), random.normal(size=5), "tanh")


@pytest.fixture(params=[True, False], ids=["kept", "computed anew"])
def rows(request, monkeypatch):
    if not request.param:
        monkeypatch.setattr(module, "KEPT_BYTES", 0)
    return HiddenRows(LAYER, X_ROWS, T, W, block_size=4)


def gathered(blocks):
    """All blocks in one; copied one by one, since a block lives until the next one."""
    copies = [(np.arange(len(X_ROWS))[places], hidden.copy()) for places, hidden in blocks]
    return [np.concatenate(parts) for parts in zip(*copies, strict=True)]


def test_blocks_together_are_the_table(rows):
    for _ in range(2):  # a second pass is the same as the first
        places, hidden = gathered(rows.blocks())
        np.testing.assert_allclose(hidden, LAYER(X_ROWS), rtol=0, atol=1e-15)
        np.testing.assert_array_equal(places, np.arange(len(X_ROWS)))


def test_blocks_of_some_rows_come_in_their_order(rows):
    some = np.array([20, 3, 4, 11, 0, 22])
    places, hidden = gathered(rows.blocks(some))
    np.testing.assert_allclose(hidden, LAYER(X_ROWS)[some], rtol=0, atol=1e-15)
    np.testing.assert_array_equal(places, some)


def test_rows_can_be_taken_at_once(rows):
    np.testing.assert_allclose(rows.take(), LAYER(X_ROWS), rtol=0, atol=1e-15)
    some = np.array([5, 1])
    np.testing.assert_allclose(rows.take(some), LAYER(X_ROWS)[some], rtol=0, atol=1e-15)
    np.testing.assert_array_equal(rows.get_weight(some), W[some])


def test_blocks_are_of_about_the_same_size_and_none_is_larger_than_asked_for(rows):
    sizes = [len(hidden) for _, hidden in rows.blocks()]
    assert len(sizes) == 6
    assert set(sizes) == {3, 4}


def test_large_activations_are_not_kept(monkeypatch):
    assert HiddenRows(LAYER, X_ROWS, T)._kept is not None
    monkeypatch.setattr(module, "KEPT_BYTES", 8 * 23 * 5 - 1)
    assert HiddenRows(LAYER, X_ROWS, T)._kept is None


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
    layer = around_rows(X, n_hidden=n_hidden, weight_scale=1.5, gamma=None, random_state=0)
    centers = centers_of(layer)
    assert len(centers) == min(n_hidden, len(X))
    distances = np.linalg.norm(centers[:, None] - X[None], axis=2)
    np.testing.assert_allclose(distances.min(axis=1), 0, rtol=0, atol=1e-9)
    assert len(set(distances.argmin(axis=1))) == len(centers)  # no row twice
    np.testing.assert_allclose(layer(X), naive_rbf(X, centers, layer.gamma), rtol=0, atol=1e-12)


def test_width_is_the_median_distance_over_weight_scale():
    wide, narrow = (
        around_rows(X, n_hidden=40, weight_scale=scale, gamma=None, random_state=0).gamma
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
    layer = around_rows(same, n_hidden=5, weight_scale=1.0, gamma=None, random_state=0)
    np.testing.assert_allclose(layer(same), 1, rtol=0, atol=1e-12)
    with pytest.warns(SuspicionWarning, match="hidden units do not vary"):
        ELMRegressor(activation="rbf", n_hidden=5, alpha=1.0, random_state=0).fit(same, Y[:10])


def test_single_precision_gives_nearly_the_same_units_in_double_precision():
    layer = around_rows(X, n_hidden=12, weight_scale=1.0, gamma=None, random_state=0)
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


def two_classes(n, d):
    X = np.random.default_rng(0).normal(size=(n, d))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


def peak_bytes(model, X, y):
    tracemalloc.start()
    try:
        model.fit(X, y)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("cv", [None, 5])
def test_hidden_activations_are_never_held_for_all_rows(monkeypatch, cv):
    monkeypatch.setattr(_hidden_layer, "KEPT_BYTES", 0)
    X, y = two_classes(20_000, 3)
    model = ELMClassifier(n_hidden=200, cv=cv, block_size=500, random_state=0)
    assert peak_bytes(model, X, y) < 8 * 20_000 * 200 / 2


@pytest.mark.slow
def test_all_alphas_and_all_rows_left_out_take_little_memory():
    X, y = two_classes(100_000, 30)
    assert peak_bytes(ELMClassifier(n_hidden=500, random_state=0), X, y) < 2**30


@pytest.mark.slow
@pytest.mark.parametrize(("m", "cv", "limit"), [(500, 10, 2.0), (1000, 10, 1.7), (1000, None, 2.5)])
def test_out_of_sample_predictions_cost_little_more_than_a_plain_fit(m, cv, limit):
    X, y = two_classes(100_000, 30)

    def seconds(cv):
        start = time.process_time()
        ELMClassifier(n_hidden=m, alpha=1.0, cv=cv, random_state=0).fit(X, y)
        return time.process_time() - start

    with threadpool_limits(1):
        seconds(False)  # what is compiled is compiled now
        times = [(seconds(False), seconds(cv)) for _ in range(3)]
    plain, outside = np.min(times, axis=0)
    assert outside / plain < limit
