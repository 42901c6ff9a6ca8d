import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal

from errata._kernels import _hmm, kernels
from strategies import seeds

TWINS = [_hmm, kernels("hmm")]
twins = pytest.mark.parametrize("twin", TWINS, ids=["plain", "fastest"])


def mixtures(random, n_classes, n_components, d):
    """Weights, means, covariances, and what the loops are given of them."""
    weights = random.dirichlet(np.ones(n_components), n_classes)
    means = random.normal(size=(n_classes, n_components, d))
    roots = np.tril(0.3 * random.normal(size=(n_classes, n_components, d, d)), -1) + np.eye(d)
    offsets = np.log(weights) - d / 2 * np.log(2 * np.pi)  # the roots have determinant one
    covariances = roots @ roots.swapaxes(2, 3)
    return weights, means, covariances, (offsets, means, np.linalg.inv(roots))


@twins
def test_densities_are_those_of_scipy(twin):
    random = np.random.default_rng(0)
    weights, means, covariances, arguments = mixtures(random, 2, 3, 4)
    X = random.normal(size=(150, 4))
    expected = [
        sum(
            weights[c, m] * multivariate_normal(means[c, m], covariances[c, m]).pdf(X)
            for m in range(3)
        )
        for c in range(2)
    ]
    found = twin.log_densities(X, *arguments)
    np.testing.assert_allclose(found, np.log(expected).T, rtol=1e-11)


@twins
def test_moments_of_one_component_by_hand(twin):
    X = np.array([[1.0, 0.0], [3.0, 2.0]])
    gamma = np.array([[0.25], [0.5]])
    arguments = np.zeros((1, 1)), np.array([[[1.0, 1.0]]]), np.eye(2)[None, None]
    counts, sums, squares, log_density = twin.sum_mixture_moments(X, gamma, *arguments)
    np.testing.assert_allclose(counts, [[0.75]], rtol=1e-15)
    np.testing.assert_allclose(sums, [[[1.0, 0.25]]], rtol=1e-15)
    np.testing.assert_allclose(squares, [[[[2.0, 0.0], [1.0, 0.75]]]], rtol=1e-15)
    np.testing.assert_allclose(log_density, [0.25 * -0.5 + 0.5 * -2.5], rtol=1e-15)


@twins
def test_a_component_without_weight_counts_nothing(twin):
    random = np.random.default_rng(1)
    *_, (offsets, means, whitening) = mixtures(random, 1, 2, 3)
    X = random.normal(size=(20, 3))
    offsets[0, 1] = -np.inf
    alone = offsets[:, :1], means[:, :1], whitening[:, :1]
    np.testing.assert_allclose(
        twin.log_densities(X, offsets, means, whitening), twin.log_densities(X, *alone), rtol=1e-13
    )
    counts, *_ = twin.sum_mixture_moments(X, np.ones((20, 1)), offsets, means, whitening)
    np.testing.assert_allclose(counts, [[20, 0]], rtol=1e-13)


@given(seeds, st.integers(1, 140), st.integers(1, 3), st.integers(1, 3), st.integers(1, 5))
@settings(max_examples=40, deadline=None)
def test_the_compiled_twin_equals_the_plain_one(seed, n, n_classes, n_components, d):
    name = "errata._kernels._hmm_numba"
    fast = pytest.importorskip(name, reason="numba is not installed")
    random = np.random.default_rng(seed)
    *_, arguments = mixtures(random, n_classes, n_components, d)
    X, gamma = 3 * random.normal(size=(n, d)), random.dirichlet(np.full(n_classes, 0.3), n)
    np.testing.assert_allclose(
        fast.log_densities(X, *arguments), _hmm.log_densities(X, *arguments), rtol=1e-11
    )
    ours = fast.sum_mixture_moments(X, gamma, *arguments)
    plain = _hmm.sum_mixture_moments(X, gamma, *arguments)
    for mine, simple in zip(ours, plain, strict=True):
        np.testing.assert_allclose(mine, simple, rtol=1e-9, atol=1e-8)
