import numpy as np
import pytest
from scipy.special import erf, expit
from threadpoolctl import threadpool_limits

from errata.elm import ELMFeatures
from errata.elm import _hidden_layer as module
from errata.elm._hidden_layer import HiddenLayer, draw_layer

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
    layer = draw_layer(
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
