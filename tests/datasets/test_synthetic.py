import numpy as np
import pytest
from scipy.stats import norm
from sklearn.linear_model import Perceptron

from errata.datasets import (
    make_ringnorm,
    make_squares,
    make_threenorm,
    make_twonorm,
    make_xor,
)

N = 100_000


def log_density(X, mean, deviation=1.0):
    return norm.logpdf(X, mean, deviation).sum(axis=1)


def bayes_error(X, y, log_p0, log_p1):
    return np.mean((log_p1 > log_p0) != y)


def within_four_deviations(found, expected, n=N):
    return abs(found - expected) < 4 * np.sqrt(expected * (1 - expected) / n) + 5e-4


def test_twonorm_has_its_bayes_error():
    X, y = make_twonorm(N, random_state=0)
    error = np.mean((X.sum(axis=1) > 0) != y)
    assert within_four_deviations(error, norm.cdf(-2))  # Breiman 1996: 2.3 %


def test_threenorm_has_its_bayes_error():
    X, y = make_threenorm(N, random_state=0)
    a = 2 / np.sqrt(20)
    log_p1 = np.logaddexp(log_density(X, a), log_density(X, -a)) - np.log(2)
    log_p0 = log_density(X, np.resize([a, -a], 20))
    # Breiman 1996 gives 10.5 %; Monte Carlo with a million rows 10.4 %.
    assert within_four_deviations(bayes_error(X, y, log_p0, log_p1), 0.104)


@pytest.mark.parametrize(("shift", "expected"), [(1, 0.0150), (2, 0.0123)])
def test_ringnorm_has_its_bayes_error(shift, expected):
    X, y = make_ringnorm(N, shift=shift, random_state=0)
    log_p0 = log_density(X, shift / np.sqrt(20))
    log_p1 = log_density(X, 0, 2)
    assert within_four_deviations(bayes_error(X, y, log_p0, log_p1), expected)


@pytest.mark.parametrize("make", [make_twonorm, make_threenorm, make_ringnorm])
def test_norms_keep_their_promises(make):
    X, y = make(301, 7, random_state=3)
    assert X.shape == (301, 7)
    assert sorted(np.bincount(y)) == [150, 151]
    np.testing.assert_array_equal(make(301, 7, random_state=3)[0], X)
    assert not np.array_equal(make(301, 7, random_state=4)[0], X)
    _, drawn = make(1000, balanced=False, random_state=0)
    assert 400 < drawn.sum() < 600
    assert drawn.sum() != 500


def test_xor_is_right_but_for_the_noise_asked_for():
    X, y = make_xor(500, noise=0.1, random_state=0)
    assert np.mean((X[:, 0] * X[:, 1] < 0) != y) == 0.1
    assert np.all(np.abs(X) <= 1)


def test_squares_are_separable_but_for_the_noise():
    X, y, flipped = make_squares(400, random_state=0)
    assert flipped.mean() == 0.2
    true = np.where(flipped, 1 - y, y)
    assert Perceptron(max_iter=5000, tol=None).fit(X, true).score(X, true) == 1
    inside = np.all((X >= [1.5, -0.5]) & (X <= [2.5, 0.5]), axis=1)
    np.testing.assert_array_equal(inside, true == 1)
    assert np.sum(X[:, 1] > 1.4) == 20  # the outliers


def test_bad_sizes_get_a_sentence():
    with pytest.raises(ValueError, match="n_samples=0 must be a whole number at least 1"):
        make_twonorm(0)
    with pytest.raises(ValueError, match=r"outliers=0.9 must be a number between 0 and 0.5"):
        make_squares(outliers=0.9)
