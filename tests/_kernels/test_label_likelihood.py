import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime

from errata._kernels import _probabilities, kernels
from strategies import seeds

FASTEST = kernels("probabilities")
twins = pytest.mark.parametrize("twin", [_probabilities, FASTEST], ids=["plain", "fastest"])


def case(random, n_classes, n):
    logs = np.log(random.dirichlet(np.ones(n_classes), n)).T.copy()
    flips = 0.3 * random.dirichlet(np.ones(n_classes), n_classes) + 0.7 * np.eye(n_classes)
    return logs, flips[:, random.integers(n_classes, size=n)]


@twins
def test_one_row_by_hand(twin):
    logs, to_label = np.log([[0.8], [0.2]]), np.array([[0.1], [0.7]])
    p = np.array([0.8**2 * np.e, 0.2**2])
    p /= p.sum()
    label = p @ to_label[:, 0]
    pull = p * to_label[:, 0] / label - p
    found = twin.label_likelihood(logs, to_label, 2.0, np.array([1.0, 0.0]))
    np.testing.assert_allclose(found[0], np.log(label), rtol=1e-12)
    np.testing.assert_allclose(found[1], 2 * pull @ logs[:, 0], rtol=1e-12)
    np.testing.assert_allclose(found[2], pull, rtol=1e-12)


@twins
def test_derivatives_are_those_of_the_likelihood(twin):
    random = np.random.default_rng(0)
    logs, to_label = case(random, 4, 200)
    x = np.r_[0.3, random.normal(size=4)]
    numbers = approx_fprime(
        x, lambda x: twin.label_likelihood(logs, to_label, np.exp(x[0]), x[1:])[0], 1e-7
    )
    _, by_slope, by_offsets = twin.label_likelihood(logs, to_label, np.exp(x[0]), x[1:])
    np.testing.assert_allclose(np.r_[by_slope, by_offsets], numbers, rtol=1e-3, atol=1e-3)


@settings(max_examples=30)
@given(seeds, st.integers(2, 20), st.integers(1, 300))
def test_the_twins_agree(seed, n_classes, n):
    random = np.random.default_rng(seed)
    logs, to_label = case(random, n_classes, n)
    arguments = logs, to_label, random.uniform(0.2, 4), random.normal(size=n_classes)
    plain, fast = (t.label_likelihood(*arguments) for t in (_probabilities, FASTEST))
    for here, there in zip(fast, plain, strict=True):
        np.testing.assert_allclose(here, there, rtol=1e-10, atol=1e-10)
