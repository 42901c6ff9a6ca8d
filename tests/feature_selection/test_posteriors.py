import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from errata.exceptions import SuspicionWarning
from errata.feature_selection import bayes_risk, knn_posteriors, posterior_information
from feature_selection.naive_information import naive_posteriors
from strategies import seeds

SIX, HALVES = [0, 1, 3, 7, 8, 10], ["a", "a", "a", "b", "b", "b"]


def test_six_numbers_by_hand():
    posteriors = knn_posteriors(SIX, HALVES, n_neighbors=2)
    np.testing.assert_allclose(
        posteriors[:, 0],
        [0.788209, 0.830066, 0.699340, 0.263767, 0.169934, 0.192796],
        rtol=0,
        atol=1e-6,
    )
    assert bayes_risk(SIX, HALVES, n_neighbors=2) == 0
    np.testing.assert_allclose(
        bayes_risk(SIX, HALVES, n_neighbors=2, method="soft"), 0.218146846844, rtol=0, atol=1e-11
    )


@given(seeds, st.integers(1, 4), st.integers(1, 5))
def test_it_is_what_a_reader_computes_by_hand(seed, d, k):
    rng = np.random.RandomState(seed)
    y = np.concatenate([np.repeat([0, 1, 2], 6), rng.randint(3, size=15)])
    X = rng.normal(size=(len(y), d)) + y[:, None]
    expected = naive_posteriors(X, y, k)
    np.testing.assert_allclose(knn_posteriors(X, y, n_neighbors=k), expected, rtol=0, atol=1e-10)
    assert bayes_risk(X, y, n_neighbors=k) == np.mean(expected.argmax(axis=1) != y)
    np.testing.assert_allclose(
        bayes_risk(X, y, n_neighbors=k, method="soft"),
        np.mean(1 - expected.max(axis=1)),
        rtol=0,
        atol=1e-10,
    )


def random_problem(seed):
    rng = np.random.RandomState(seed)
    y = np.arange(40) % rng.randint(2, 5)
    return rng.normal(size=(40, rng.randint(1, 5))) + rng.uniform(0, 2) * y[:, None], y


@given(seeds)
def test_rows_are_probabilities_in_many_dimensions_too(seed):
    X, y = random_problem(seed)
    X = np.hstack([X, np.random.RandomState(seed).normal(size=(40, 60))])
    posteriors = knn_posteriors(X, y, n_neighbors=3)
    np.testing.assert_allclose(posteriors.sum(axis=1), 1, rtol=0, atol=1e-12)
    assert posteriors.min() >= 0


@given(seeds)
def test_entropy_and_risk_keep_what_is_proved_about_them(seed):
    # Fano: H <= h(risk) + risk log(K - 1); Hellman and Raviv: risk <= H / 2; both in bits.
    X, y = random_problem(seed)
    n_classes, prior = len(np.unique(y)), np.bincount(y) / len(y)
    risk = bayes_risk(X, y, method="soft")
    left = -(prior * np.log2(prior)).sum() - posterior_information(X, y, base=2)
    binary = -sum(p * np.log2(p) for p in (risk, 1 - risk) if p > 0)
    assert risk <= left / 2 + 1e-12
    assert left <= binary + risk * np.log2(max(n_classes - 1, 1)) + 1e-12


@pytest.mark.parametrize(
    ("separation", "low", "high"), [(1, -0.05, 0.09), (2, -0.05, 0.05), (3, -0.035, 0.035)]
)
@pytest.mark.parametrize("d", [1, 5])
def test_two_gaussians(separation, low, high, d):
    y = np.repeat([0, 1], 1000)
    X = np.random.RandomState(0).normal(size=(2000, d))
    X[:, 0] += separation * y
    assert low < bayes_risk(X, y) - norm.cdf(-separation / 2) < high


def test_a_class_of_one_row_has_no_probability():
    with pytest.warns(SuspicionWarning, match="1 row alone in a class"):
        posteriors = knn_posteriors([*SIX, 5], [*HALVES, "c"], n_neighbors=2)
    assert np.isnan(posteriors[6]).all()
    np.testing.assert_array_equal(posteriors[:6, 2], 0)
    np.testing.assert_array_equal(posteriors[:6, :2], knn_posteriors(SIX, HALVES, n_neighbors=2))


def test_methods_are_two():
    with pytest.raises(ValueError, match="method='votes' is not known; choose from count, soft"):
        bayes_risk(SIX, HALVES, method="votes")
