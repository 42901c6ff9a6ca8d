import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from errata.exceptions import SuspicionWarning
from errata.tolerant.reinforced._loop import (
    Degenerate,
    Fit,
    Rule,
    compute_gaussian_log_density,
    reinforce,
)
from errata.tolerant.reinforced._weights import choose_log_alpha, weigh

X = np.append(np.random.RandomState(0).standard_normal(40), [9.0, 11.0])
ONES = np.ones(len(X))


def rule(**changes):
    fields = {"penalty": "l1", "log_alpha": None, "mean_weight": 0.95, "max_iter": 100, "tol": 1e-6}
    return Rule(**(fields | changes))


def gaussian(x):
    """A Gaussian with its mean and width, the example of section 3.4, as the loop wants it."""

    def maximise(weights, _):
        mean = np.average(x, weights=weights)
        scale = np.sqrt(np.average((x - mean) ** 2, weights=weights))
        return Fit((mean, scale), compute_gaussian_log_density(x - mean, scale))

    return maximise


fit_gaussian = gaussian(X)


@pytest.mark.parametrize("penalty", ["l1", "l2"])
def test_weights_and_parameters_belong_to_each_other(penalty):
    found = reinforce(fit_gaussian, rule(penalty=penalty), sample_weight=ONES, w_init=ONES)
    assert found.converged
    mean, scale = found.fit.params
    log_p = compute_gaussian_log_density(X - mean, scale)
    np.testing.assert_array_equal(found.fit.log_p, log_p)
    weights = weigh(log_p, found.log_alpha, penalty)
    np.testing.assert_array_equal(found.weights, weights)
    assert found.weights.mean() == pytest.approx(0.95, abs=1e-9)
    # A fixed point: fitting with these weights gives these parameters again.
    np.testing.assert_allclose(fit_gaussian(found.weights, None).params, (mean, scale), rtol=1e-5)


@pytest.mark.parametrize("penalty", ["l1", "l2"])
@pytest.mark.parametrize("log_alpha", [-1.0, 1.0, 3.0, 6.0])
def test_b6_the_objective_never_falls(penalty, log_alpha):
    found = reinforce(
        fit_gaussian, rule(penalty=penalty, log_alpha=log_alpha), sample_weight=ONES, w_init=ONES
    )
    assert len(found.objective) == found.n_iter
    assert np.all(np.diff(found.objective) >= -1e-10)


def test_a_fit_that_may_start_from_the_last_one_is_given_it():
    starts = []

    def maximise(weights, start):
        starts.append(start)
        return Fit(len(starts), fit_gaussian(weights, None).log_p)

    reinforce(maximise, rule(), sample_weight=ONES, w_init=ONES)
    assert starts == [None, *range(1, len(starts))]


def test_the_reinforcement_is_kept_half_way():
    plain = fit_gaussian(ONES, None).log_p

    def maximise(weights, count):
        """A model that never comes to rest: its densities swing from fit to fit."""
        count = (count or 0) + 1
        return Fit(count, plain * (1 if count % 2 else 1.5))

    with pytest.warns(ConvergenceWarning, match="after 6 iterations the weights still move by"):
        found = reinforce(maximise, rule(max_iter=6), sample_weight=ONES, w_init=ONES)
    assert (found.fit.params, found.n_iter, found.converged) == (6, 6, False)
    assert found.log_alpha == choose_log_alpha(plain, ONES, 0.95, "l1")  # of the third fit
    weights = weigh(plain * 1.5, found.log_alpha, "l1")  # of the sixth
    np.testing.assert_array_equal(found.weights, weights)


def test_a_degenerate_fit_keeps_the_one_before():
    def maximise(weights, count):
        if count == 2:
            raise Degenerate("nobody is left")
        return Fit((count or 0) + 1, fit_gaussian(weights, None).log_p)

    with pytest.warns(SuspicionWarning, match="nobody is left; keeping the fit before that"):
        found = reinforce(maximise, rule(), sample_weight=ONES, w_init=ONES)
    assert found.fit.params == 2
    assert not found.converged


def test_a_reinforcement_that_leaves_no_weight_keeps_the_plain_fit():
    with pytest.warns(SuspicionWarning, match="reinforcement is so small that no row keeps any"):
        found = reinforce(fit_gaussian, rule(log_alpha=-2000.0), sample_weight=ONES, w_init=ONES)
    assert found.fit.params == fit_gaussian(ONES, None).params
    assert found.n_iter == 1


@pytest.mark.parametrize("penalty", ["l1", "l2"])
def test_sample_weights_count_rows(penalty):
    counts = np.random.RandomState(3).randint(0, 4, len(X))
    repeated = np.repeat(X, counts)
    ones = np.ones(len(repeated))
    alike = reinforce(gaussian(repeated), rule(penalty=penalty), sample_weight=ones, w_init=ones)
    found = reinforce(fit_gaussian, rule(penalty=penalty), sample_weight=1.0 * counts, w_init=ONES)
    np.testing.assert_allclose(found.fit.params, alike.fit.params, rtol=1e-9)
    np.testing.assert_allclose(np.repeat(found.weights, counts), alike.weights, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.objective, alike.objective, rtol=1e-9)
    assert found.n_iter == alike.n_iter  # rows that count for nothing do not delay the end
