import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata._kernels import _probabilities, kernels
from strategies import seeds

FASTEST = kernels("probabilities")
twins = pytest.mark.parametrize("twin", [_probabilities, FASTEST], ids=["plain", "fastest"])


@twins
def test_the_pool_is_a_geometric_mean(twin):
    probas = [np.array([[0.9, 0.1], [0.5, 0.5]]), np.array([[0.4, 0.6], [1.0, 0.0]])]
    logs, predictions = twin.pool_logs(probas, np.array([0.5, 2.0]), 0.01)
    means = np.array([[0.9**0.5 * 0.4**2, 0.1**0.5 * 0.6**2], [0.5**0.5, 0.5**0.5 * 0.01**2]])
    expected = (means / means.sum(axis=1, keepdims=True)).T
    np.testing.assert_allclose(np.exp(logs), expected, rtol=1e-7)  # 0.01 in single precision
    np.testing.assert_array_equal(predictions, [[0, 0], [1, 0]])


@settings(max_examples=30)
@given(seeds, st.integers(2, 40), st.integers(1, 300), st.integers(1, 3), st.booleans())
def test_the_twins_agree(seed, n_classes, n, n_models, in_double):
    random = np.random.default_rng(seed)
    dtype, atol = (np.float64, 1e-12) if in_double else (np.float32, 1e-5)
    probas = [random.dirichlet(np.full(n_classes, 0.2), n).astype(dtype) for _ in range(n_models)]
    weights = random.uniform(0, 2, n_models)
    (plain, told), (fast, also) = (
        t.pool_logs(probas, weights, 1e-4) for t in (_probabilities, FASTEST)
    )
    assert fast.dtype == dtype
    np.testing.assert_allclose(fast, plain, rtol=0, atol=atol)
    np.testing.assert_array_equal(also, told)


@twins
def test_probabilities_may_lie_any_way_in_memory(twin):
    random = np.random.default_rng(0)
    proba = random.dirichlet(np.ones(3), 20)
    straight, _ = twin.pool_logs([proba], np.ones(1), 1e-4)
    turned, _ = twin.pool_logs([np.asfortranarray(proba)], np.ones(1), 1e-4)
    np.testing.assert_array_equal(turned, straight)
