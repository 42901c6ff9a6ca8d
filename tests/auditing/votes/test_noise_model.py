"""How workers vote: likelihoods against SciPy, and the matrices between one coin and a full one."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import gammaln
from scipy.stats import betabinom, dirichlet_multinomial

from auditing.crowd_cases import make_crowd
from errata.auditing.votes import _noise_model as noise_model
from errata.auditing.votes._finding import start
from errata.auditing.votes._noise_model import Incidence


def log_binomial(n, k):
    return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)


@pytest.mark.parametrize("kappa", [1.0, 8.0, 512.0])
def test_beta_binomial_is_that_of_scipy(kappa):
    right, votes, mean = np.array([3.0, 0, 7]), np.array([5.0, 2, 7]), 0.7
    expected = betabinom.logpmf(right, votes, kappa * mean, kappa * (1 - mean)).sum()
    found = noise_model.beta_binomial(right, votes, mean, kappa)
    assert_allclose(found + log_binomial(votes, right).sum(), expected, rtol=1e-10, atol=0)


@pytest.mark.parametrize("kappa", [1.0, 8.0, 512.0])
def test_dirichlet_multinomial_is_that_of_scipy(kappa):
    counts, prior = np.array([[3, 1, 0], [0, 4, 2]]), np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3]])
    totals = counts.sum(axis=1)
    expected = sum(
        dirichlet_multinomial.logpmf(row, kappa * p, n)
        for row, p, n in zip(counts, prior, totals, strict=True)
    )
    ways = (gammaln(totals + 1) - gammaln(counts + 1).sum(axis=1)).sum()
    seen = counts > 0  # what never occurs adds nothing, and is not kept
    found = noise_model.dirichlet_multinomial(counts[seen], totals, prior[seen], kappa)
    assert_allclose(found + ways, expected, rtol=1e-10, atol=0)


def test_the_shared_matrix_lies_between_one_coin_and_what_was_counted():
    summed = np.array([[80.0, 15, 5], [10, 60, 30], [0, 20, 80]])
    coin, half, full = (noise_model.shared_matrix(summed, 0.7, shape) for shape in (0, 0.5, 1))
    assert_allclose(coin, np.full((3, 3), 0.15) + np.diag([0.55] * 3), rtol=1e-12, atol=0)
    assert_allclose(half.sum(axis=1), 1, rtol=1e-12, atol=0)
    assert full[2, 0] < half[2, 0] < coin[2, 0]
    smoothed = (80 + 0.8 + 0.2 / 3) / 101
    assert_allclose(full[0, 0], 0.98 * smoothed + 0.02 / 3, rtol=1e-12, atol=0)


def test_better_workers_have_better_matrices_and_keep_the_shape_of_mistakes():
    shared = np.array([[0.8, 0.15, 0.05], [0.2, 0.7, 0.1], [0.1, 0.3, 0.6]])
    theta = noise_model.bent(shared, np.array([0.7, 0.9]), 0.7)
    assert_allclose(theta[0], np.diag(shared), rtol=1e-12, atol=0)
    assert (theta[1] > theta[0]).all()
    assert_allclose(noise_model.mistakes_of(shared)[0], [0, 0.75, 0.25], rtol=1e-12, atol=0)


def test_priors_of_a_worker_sum_to_one_over_labels():
    votes = make_crowd(0, n=300).votes
    incidence = Incidence.of(votes)
    fitted = noise_model.fit_annotators(incidence, start(votes.counts), noise_model.Kappas())
    assert len(incidence.worker) == 90  # every worker gave every label
    assert_allclose(incidence.of_workers @ fitted.prior, 1, rtol=1e-12, atol=0)
    assert_allclose(incidence.of_workers @ fitted.counts, fitted.totals, rtol=1e-12, atol=0)
    assert_allclose(fitted.totals.sum(), len(votes), rtol=1e-12, atol=0)


def test_kappas_are_searched_for_beside_the_last_ones():
    votes = make_crowd(0, n=300).votes
    incidence, q = Incidence.of(votes), start(votes.counts)
    anywhere = noise_model.fit_annotators(incidence, q, noise_model.Kappas())
    near = noise_model.fit_annotators(
        incidence, q, noise_model.Kappas(anywhere.kappa_coin, 2 * anywhere.kappa_matrix)
    )
    assert near.kappa_matrix == anywhere.kappa_matrix
    fixed = noise_model.fit_annotators(incidence, q, noise_model.Kappas(3.0, 5.0, fixed=True))
    assert (fixed.kappa_coin, fixed.kappa_matrix) == (3.0, 5.0)
