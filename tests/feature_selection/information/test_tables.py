import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from errata.feature_selection.information import (
    compute_gaussian_uncertainty,
    discrete_information,
    failure_statistics,
    fano_lower,
    sample_discrete_features,
    sample_gaussian_features,
    sample_random_problems,
)
from strategies import seeds

MODULE = "errata.feature_selection.information"

HALF = [0.5, 0.5]

ESANN_PRIOR = [0.316, 0.684]


@pytest.mark.parametrize(
    ("prior", "conditional", "error", "information"),
    [
        (HALF, [[0.287, 0.758], [0.713, 0.242]], 0.26450, 0.16696),
        # The paper prints 0.217, which takes 5e-5 where it prints 0.001: the next line.
        (HALF, [[0.627, 0.999], [0.373, 0.001]], 0.31400, 0.21298),
        (HALF, [[0.627, 1 - 5e-5], [0.373, 5e-5]], 0.31352, 0.21728),
        (ESANN_PRIOR, [[0.417, 0.104], [0.583, 0.896]], 0.25536, 0.08864),
        (ESANN_PRIOR, [[0.991, 0.479], [0.009, 0.521]], 0.31600, 0.23548),
    ],
)
def test_the_examples_of_the_papers(prior, conditional, error, information):
    found = discrete_information(prior, conditional)
    assert found.error == pytest.approx(error, abs=1e-4)
    assert found.mutual_information == pytest.approx(information, abs=1e-4)


def test_the_posteriors_of_the_papers_follow_from_the_same_tables():
    # Printed (.275 .725), (.746 .254) and (.385 .615), (.999 .001).
    for conditional, posteriors in [
        ([[0.287, 0.758], [0.713, 0.242]], [[0.2746, 0.7254], [0.7466, 0.2534]]),
        ([[0.627, 0.999], [0.373, 0.001]], [[0.3856, 0.6144], [0.9973, 0.0027]]),
    ]:
        of_value = np.mean(conditional, axis=1)
        expected = of_value @ (1 - np.max(posteriors, axis=1))
        assert discrete_information(HALF, conditional).error == pytest.approx(expected, abs=1e-4)
        logs = -(posteriors * np.log2(posteriors)).sum(axis=1)
        found = discrete_information(HALF, conditional).conditional_entropy
        assert found == pytest.approx(of_value @ logs, abs=5e-4)


def test_a_feature_that_tells_all_and_one_that_tells_nothing():
    prior = [0.2, 0.3, 0.5]
    all_, nothing = discrete_information(prior, np.stack([np.eye(3), np.full((3, 3), 1 / 3)])), 0
    h = -np.sum(prior * np.log2(prior))
    np.testing.assert_allclose(all_.mutual_information, [h, nothing], rtol=0, atol=1e-12)
    np.testing.assert_allclose(all_.error, [0, 0.5], rtol=0, atol=1e-12)
    assert np.all(all_.conditional_entropy >= 0)


@given(seeds, st.integers(2, 5), st.integers(2, 6))
def test_many_features_are_each_as_if_alone_and_names_do_not_matter(seed, n_classes, n_values):
    random = np.random.default_rng(seed)
    prior = random.dirichlet(np.ones(n_classes))
    tables = random.dirichlet(np.ones(n_values), size=(3, n_classes)).swapaxes(1, 2)
    together = discrete_information(prior, tables)
    classes, values = random.permutation(n_classes), random.permutation(n_values)
    for i, table in enumerate(tables):
        renamed = discrete_information(prior[classes], table[values][:, classes])
        np.testing.assert_allclose(renamed, [each[i] for each in together], rtol=0, atol=1e-12)


def test_tables_that_are_no_distributions_are_refused():
    with pytest.raises(ValueError, match="each column of conditional must hold probabilities"):
        discrete_information(HALF, [[0.3, 0.7], [0.4, 0.6]])
    with pytest.raises(ValueError, match="prior must hold probabilities that sum to 1"):
        discrete_information([0.5, np.nan], np.eye(2))
    with pytest.raises(ValueError, match=r"its shape is \(3, 3\) and prior has shape \(2,\)"):
        discrete_information(HALF, np.eye(3))


# Means over two million features (computed for this test, with another program).
@pytest.mark.parametrize(
    ("n_values", "alpha", "information", "error"),
    [(2, 4, 0.0434, 0.4048), (8, 1, 0.2479, 0.2666), (128, 0.06, 0.8691, 0.0393)],
)
def test_features_are_as_hard_as_those_of_the_paper(n_values, alpha, information, error):
    found = sample_discrete_features(10_000, n_values=n_values, alpha=alpha, random_state=0)
    assert found.mutual_information.mean() == pytest.approx(information, abs=0.003)
    assert found.error.mean() == pytest.approx(error, abs=0.003)
    assert found.error.shape == (10_000, 2)


@pytest.mark.parametrize("sample", [sample_discrete_features, sample_random_problems])
def test_draws_repeat_and_do_not_depend_on_the_blocks(sample, monkeypatch):
    whole = sample(500, random_state=3)
    assert not np.array_equal(sample(500, random_state=4).error, whole.error)
    monkeypatch.setattr(f"{MODULE}._BLOCK", 1000)
    np.testing.assert_allclose(sample(500, random_state=3), whole, rtol=0, atol=1e-12)


def test_a_tiny_alpha_underflows_and_still_gives_distributions():
    found = sample_discrete_features(2000, n_values=2, alpha=1e-3, random_state=0)
    assert np.isfinite(found.mutual_information).all()
    # In the limit a class has one value: each of both with equal chance, so half are all telling.
    assert found.mutual_information.mean() == pytest.approx(0.5, abs=0.04)


def by_one_loop(n_pairs, n_values, seed):
    """Failures and ties of random problems with a shared prior, as slowly as can be."""
    random = np.random.default_rng(seed)
    failures = ties = 0
    for _ in range(n_pairs):
        prior = random.random(2)
        prior /= prior.sum()
        (h1, e1), (h2, e2) = (entropy_and_error(prior, n_values, random) for _ in range(2))
        ties += abs(e1 - e2) < 1e-12
        failures += abs(e1 - e2) >= 1e-12 and (h1 < h2) == (e1 > e2)
    return failures / n_pairs, ties / n_pairs


def entropy_and_error(prior, n_values, random):
    joint = random.random((n_values, 2))
    joint = joint / joint.sum(axis=0) * prior
    posterior = joint / joint.sum(axis=1, keepdims=True)
    return -(joint * np.log2(posterior)).sum(), 1 - joint.max(axis=1).sum()


@pytest.mark.parametrize("n_values", [2, 4])
def test_random_problems_fail_as_often_as_in_a_plain_loop(n_values):
    problems = sample_random_problems(100_000, n_values=n_values, random_state=0)
    found = failure_statistics(problems.mutual_information, problems.error)
    failures, ties = by_one_loop(5000, n_values, seed=1)
    # Four standard errors of the loop.
    assert found.failure_rate == pytest.approx(failures, abs=4 * np.sqrt(failures / 5000))
    assert found.tie_rate == pytest.approx(ties, abs=4 * np.sqrt(ties / 5000))


def test_with_priors_of_their_own_nearly_half_of_the_pairs_fail():
    problems = sample_random_problems(100_000, shared_prior=False, random_state=0)
    found = failure_statistics(problems.mutual_information, problems.error)
    assert found.failure_rate == pytest.approx(0.425, abs=0.006)


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(ValueError, match="n_pairs=0 must be a whole number at least 1"):
        sample_discrete_features(0)
    with pytest.raises(ValueError, match="alpha=0 must be a finite number above 0"):
        sample_discrete_features(10, alpha=0)
    with pytest.raises(ValueError, match="n_values=1 must be a whole number at least 2"):
        sample_random_problems(10, n_values=1)


def by_quad(means, widths):
    """Entropy in bits and error by adaptive quadrature, cut at every class."""

    def densities(x):
        return norm.pdf(x, means, widths) / 3

    def entropy(x):
        joint = densities(x)
        kept = joint[joint > 0]
        return -(kept * np.log2(kept / joint.sum())).sum()

    ends = np.sort(np.concatenate([means + z * widths for z in (-9, -3, -1, 0, 1, 3, 9)]))
    parts = list(itertools.pairwise(ends))
    return (
        sum(quad(entropy, a, b)[0] for a, b in parts),
        1 - sum(quad(lambda x: densities(x).max(), a, b)[0] for a, b in parts),
    )


@pytest.mark.parametrize("separation", [0.5, 2.0, 4.0])
@pytest.mark.parametrize("widths", [(1, 1, 1), (0.3, 1.2, 2.5), (2, 0.02, 0.8), (0.05, 3, 0.4)])
def test_entropy_and_error_are_those_of_adaptive_quadrature(separation, widths):
    means, widths = separation * np.array([-1, 0, 1.0]), np.array(widths, dtype=float)
    found = np.ravel(compute_gaussian_uncertainty(means, widths[None], 100))
    np.testing.assert_allclose(found, by_quad(means, widths), rtol=0, atol=5e-4)
    finer = np.ravel(compute_gaussian_uncertainty(means, widths[None], 1000))
    np.testing.assert_allclose(finer, by_quad(means, widths), rtol=0, atol=2e-5)


def test_one_distribution_for_all_classes_tells_nothing():
    entropy, error = compute_gaussian_uncertainty(np.zeros(3), np.ones((1, 3)), 10)
    assert entropy[0] == pytest.approx(np.log2(3), abs=1e-12)
    assert error[0] == pytest.approx(2 / 3, abs=1e-12)


# Means over 240 000 features (computed for this test, with another rule of integration).
@pytest.mark.parametrize(
    ("separation", "information", "error"),
    [(0.5, 0.4231, 0.3874), (2, 1.0429, 0.1587), (4, 1.4179, 0.0440)],
)
def test_gaussian_features_are_as_hard_as_those_of_the_paper(separation, information, error):
    found = sample_gaussian_features(20_000, separation=separation, n_nodes=40, random_state=0)
    # Four standard errors of the mean of 40 000 features, whose spread is below 0.35 and 0.15.
    assert found.mutual_information.mean() == pytest.approx(information, abs=0.007)
    assert found.error.mean() == pytest.approx(error, abs=0.003)


@pytest.mark.parametrize("n_nodes", [2, 5, 100])
def test_bounds_hold_exactly_however_few_the_points_are(n_nodes):
    found = sample_gaussian_features(1000, n_nodes=n_nodes, random_state=0)
    assert np.all(fano_lower(found.conditional_entropy, 3) <= found.error + 1e-12)
    assert np.all(found.error <= found.conditional_entropy / 2 + 1e-12)


def test_gaussian_draws_repeat_and_do_not_depend_on_the_blocks(monkeypatch):
    whole = sample_gaussian_features(100, n_nodes=20, random_state=3)
    monkeypatch.setattr(f"{MODULE}._QUADRATURE_BLOCK", 700)
    again = sample_gaussian_features(100, n_nodes=20, random_state=3)
    np.testing.assert_allclose(again, whole, rtol=0, atol=1e-12)


def test_gaussian_what_cannot_be_drawn_is_refused():
    with pytest.raises(ValueError, match="separation=0 must be a finite number above 0"):
        sample_gaussian_features(10, separation=0)
    with pytest.raises(ValueError, match="n_nodes=1 must be a whole number at least 2"):
        sample_gaussian_features(10, n_nodes=1)
