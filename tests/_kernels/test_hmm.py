import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal

from errata._kernels import _hmm, kernels
from sequence.hidden_chains import by_all_paths, cycling, random_problem
from strategies import seeds

TWINS = [_hmm, kernels("hmm")]

twins = pytest.mark.parametrize("twin", TWINS, ids=["plain", "fastest"])

scalings = pytest.mark.parametrize("scaled", [False, True], ids=["log", "scaling"])


@twins
@scalings
@pytest.mark.parametrize("seed", range(5))
def test_posteriors_are_those_of_all_paths(twin, scaled, seed):
    problem = random_problem(seed)
    total, gamma, xi, _, _ = by_all_paths(*problem)
    found, pairs, log_likelihoods, stuck = twin.compute_posteriors(*problem, scaled)
    np.testing.assert_allclose(log_likelihoods, [total], rtol=1e-12)
    np.testing.assert_allclose(found, gamma, rtol=0, atol=1e-12)
    np.testing.assert_allclose(pairs, xi, rtol=0, atol=1e-12)
    assert stuck == -1


@twins
@pytest.mark.parametrize("seed", range(5))
def test_the_best_path_is_the_best_of_all(twin, seed):
    problem = random_problem(seed)
    *_, path, log_density = by_all_paths(*problem)
    states, found = twin.find_best_paths(*problem)
    np.testing.assert_array_equal(states, path)
    np.testing.assert_allclose(found, [log_density], rtol=1e-12)


@twins
def test_of_equal_paths_the_first_states_are_taken(twin):
    log_emissions, labels, ends, log_labels, _, _ = random_problem(0)
    start, transitions = np.full(3, 1 / 3), np.full((3, 3), 1 / 3)
    states, _ = twin.find_best_paths(
        0 * log_emissions, labels * 0 - 1, ends, log_labels, start, transitions
    )
    np.testing.assert_array_equal(states, np.zeros(6))


@st.composite
def chains(draw):
    """Several sequences, with states that no label or path allows."""
    n, k = draw(st.integers(1, 30)), draw(st.integers(2, 5))
    problem = list(random_problem(draw(seeds), n, k, draw(st.sampled_from([1.0, 30.0, 3000.0]))))
    problem[2] = np.array(sorted({*draw(st.lists(st.integers(1, n), max_size=3)), n}))
    if draw(st.booleans()):
        problem[5] = cycling(k, 0.7)
    if draw(st.booleans()):
        problem[3][0, 1] = -np.inf
    return tuple(problem)


@given(chains(), st.booleans())
@settings(max_examples=80, deadline=None)
def test_the_compiled_twin_equals_the_plain_one(problem, scaled):
    fast = pytest.importorskip("errata._kernels._hmm_numba", reason="numba is not installed")
    plain, ours = _hmm.compute_posteriors(*problem), fast.compute_posteriors(*problem, scaled)
    assert ours[3] == plain[3]
    np.testing.assert_allclose(ours[2], plain[2], rtol=1e-11, atol=1e-11)
    if plain[3] < 0:
        np.testing.assert_allclose(ours[0], plain[0], rtol=0, atol=1e-8)
        np.testing.assert_allclose(ours[1], plain[1], rtol=0, atol=1e-8)
    ours, plain = fast.find_best_paths(*problem), _hmm.find_best_paths(*problem)
    np.testing.assert_array_equal(ours[0], plain[0])
    np.testing.assert_allclose(ours[1], plain[1], rtol=1e-12)


def log_beta_twin(log_emissions, labels, ends, log_labels, start, transitions):
    """Forward and backward as in textbooks, in logarithms: other sums than the smoother's."""
    with np.errstate(divide="ignore"):
        log_a, log_q = np.log(transitions), np.log(start)
    b = log_emissions + log_labels.T[labels]
    alpha, beta = np.empty_like(b), np.zeros_like(b)
    alpha[0] = log_q + b[0]
    for t in range(1, len(b)):
        alpha[t] = np.logaddexp.reduce(alpha[t - 1][:, None] + log_a, axis=0) + b[t]
    for t in range(len(b) - 2, -1, -1):
        beta[t] = np.logaddexp.reduce(log_a + b[t + 1] + beta[t + 1], axis=1)
    total = np.logaddexp.reduce(alpha[-1])
    return total, np.exp(alpha + beta - total)


@twins
@scalings
def test_narrow_emissions_in_a_cycle_lose_no_path(twin, scaled):
    # A sample may tell states apart by more nats than a float has: the path that the cycle allows
    # must survive. Probabilities alone lose it without a word.
    problem = list(random_problem(1, n=60, n_classes=4, scale=1e4, missing=False))
    problem[5] = cycling(4, 0.9)
    total, gamma = log_beta_twin(*problem)
    found, _, log_likelihoods, _ = twin.compute_posteriors(*problem, scaled)
    np.testing.assert_allclose(log_likelihoods, [total], rtol=1e-7)
    np.testing.assert_allclose(found, gamma, rtol=0, atol=1e-7)


@scalings
def test_log_and_scaled_forms_agree_on_moderate_emissions(scaled):
    problem = random_problem(2, n=2000, n_classes=4, scale=5.0)
    total, gamma = log_beta_twin(*problem)
    found, _, log_likelihoods, _ = kernels("hmm").compute_posteriors(*problem, scaled)
    np.testing.assert_allclose(log_likelihoods, [total], rtol=1e-10)
    np.testing.assert_allclose(found, gamma, rtol=0, atol=1e-10)
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=0, atol=1e-12)


@twins
@scalings
def test_the_row_that_no_path_reaches_is_named(twin, scaled):
    problem = list(random_problem(0, n=8, missing=False))
    problem[1] = np.array([0, 1, 2, 0, 0, 2, 1, 0], np.int16)
    problem[2], problem[5] = np.array([4, 8]), cycling(3, 0.5)
    with np.errstate(divide="ignore"):
        problem[3] = np.column_stack([np.log(np.eye(3)), np.zeros(3)])  # no label is ever wrong
    *_, log_likelihoods, stuck = twin.compute_posteriors(*problem, scaled)
    assert stuck == 5  # a 2 after a 0, in the second sequence
    assert np.isfinite(log_likelihoods[0])


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
def test_emissions_of_the_compiled_twin_equal_those_of_the_plain_one(
    seed, n, n_classes, n_components, d
):
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
