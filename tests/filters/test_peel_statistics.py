import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

from errata.filters._peel_statistics import (
    keep_safe,
    mean_vote,
    mean_weight,
    misclassification_rate,
)
from strategies import seeds


@st.composite
def agreements(draw):
    random = np.random.RandomState(draw(seeds))
    n, n_rounds = draw(st.integers(1, 15)), draw(st.integers(1, 12))
    return random.choice([-1, 1], size=(n, n_rounds)).astype(np.int8)


def test_accurate_rounds_count_more():
    # Two rounds are right on 3/4 of the rows, one on 1/4 only.
    agreement = np.array([[1, 1, 1], [1, -1, -1], [1, 1, -1], [-1, 1, -1]])
    expected = [0, 4 / 7, 1 / 7, 4 / 7]
    np.testing.assert_allclose(misclassification_rate(agreement), expected, rtol=0, atol=1e-15)


def test_rounds_that_are_always_wrong_count_alike():
    np.testing.assert_array_equal(misclassification_rate(-np.ones((4, 3))), 1)


@given(agreements())
def test_rates_and_votes_keep_their_range(agreement):
    rate, vote = misclassification_rate(agreement), mean_vote(agreement)
    assert rate.min() >= 0
    assert rate.max() <= 1 + 1e-12
    np.testing.assert_allclose(vote, 1 - 2 * (agreement < 0).mean(axis=1), rtol=0, atol=1e-15)


@given(seeds, st.integers(1, 12), st.integers(1, 12))
def test_with_rounds_of_equal_accuracy_a_vote_is_a_rate(seed, n, n_rounds):
    random = np.random.RandomState(seed)
    column = random.choice([-1, 1], n)
    agreement = np.stack([random.permutation(column) for _ in range(n_rounds)], axis=1)
    by_vote = mean_vote(agreement) < 0
    np.testing.assert_array_equal(misclassification_rate(agreement) > 0.5, by_vote)


@given(seeds, st.integers(2, 20), st.integers(1, 10))
def test_the_line_for_mean_weights_is_its_formula(seed, n, n_rounds):
    D = np.random.RandomState(seed).dirichlet(np.ones(n), size=n_rounds)
    mean, pooled = mean_weight(iter(D), gamma=0.02, scale="pooled")
    np.testing.assert_allclose(mean, D.mean(axis=0), rtol=0, atol=1e-15)
    freedom = n * n_rounds - 1
    spread = np.sqrt(((D - 1 / n) ** 2).sum() / freedom)
    quantile = student.ppf(0.98, freedom)
    assert pooled == pytest.approx(1 / n + quantile * spread, abs=1e-12)
    _, paper = mean_weight(iter(D), gamma=0.02, scale="paper")
    assert paper == pytest.approx(1 / n + quantile * spread / np.sqrt(n_rounds), abs=1e-12)
    _, between = mean_weight(iter(D), gamma=0.02, scale="between")
    spread = D.mean(axis=0).std(ddof=1)
    assert between == pytest.approx(1 / n + student.ppf(0.98, n - 1) * spread, abs=1e-12)


def test_a_stricter_level_draws_a_higher_line():
    D = np.random.RandomState(0).dirichlet(np.ones(20), size=10)
    lines = [mean_weight(iter(D), gamma=g, scale="pooled")[1] for g in (0.1, 0.02, 0.001)]
    assert lines[0] < lines[1] < lines[2]


@given(seeds, st.integers(1, 30), st.integers(0, 30), st.integers(1, 4))
def test_enough_rows_of_each_class_are_left(seed, n, max_peel, min_per_class):
    random = np.random.RandomState(seed)
    flagged, codes = random.randint(2, size=n).astype(bool), random.randint(3, size=n)
    suspicion = random.randint(5, size=n) / 4
    peeled, rescued = keep_safe(
        flagged, suspicion, codes, max_peel=max_peel, min_per_class=min_per_class
    )
    assert not (peeled & ~flagged).any()
    assert peeled.sum() <= max_peel
    for code in np.unique(codes):
        assert (~peeled[codes == code]).sum() >= min(min_per_class, (codes == code).sum())
    if not rescued:
        assert peeled.sum() == min(max_peel, flagged.sum())
    for code in np.unique(codes):  # within a class, who is spared looks no worse
        spared, gone = flagged & ~peeled & (codes == code), peeled & (codes == code)
        if spared.any() and gone.any():
            assert suspicion[spared].max() <= suspicion[gone].min()


def test_the_least_suspicious_of_a_class_are_rescued():
    flagged = np.array([True, True, True, False, False, True])
    suspicion = np.array([0.9, 0.7, 0.8, 0.1, 0.2, 0.6])
    codes = np.array([0, 0, 0, 1, 1, 1])
    peeled, rescued = keep_safe(flagged, suspicion, codes, max_peel=6, min_per_class=2)
    assert rescued
    np.testing.assert_array_equal(np.flatnonzero(peeled), [0, 5])
