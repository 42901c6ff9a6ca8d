import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris
from sklearn.preprocessing import scale

from errata.projections import HiddenLayerProjection


def test_the_last_layer_on_top_of_it_is_the_network():
    X, y = load_iris(return_X_y=True)
    X = scale(X)
    model = HiddenLayerProjection(n_components=3, random_state=0).fit(X, y)
    network = model.network_
    scores = model.transform(X) @ network.coefs_[1] + network.intercepts_[1]
    np.testing.assert_array_equal(scores.argmax(axis=1), network.predict(X))
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    assert_allclose(p / p.sum(axis=1, keepdims=True), network.predict_proba(X), atol=1e-9)


def test_as_many_units_as_features_and_a_seed_repeats():
    X, y = load_iris(return_X_y=True)
    Z = HiddenLayerProjection(random_state=1, max_iter=5).fit_transform(X, y)
    assert Z.shape == X.shape
    assert Z.min() >= 0
    assert Z.max() <= 1
    again = HiddenLayerProjection(random_state=1, max_iter=5).fit_transform(X, y)
    np.testing.assert_array_equal(Z, again)


def test_units_are_counted():
    with pytest.raises(ValueError, match="n_components=0 must be a whole number"):
        HiddenLayerProjection(0).fit([[0.0], [1.0]], [0, 1])
