import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

from errata.filters import WeightPeeler
from errata.filters.peeling._peeling import compute_mean_weight
from filters.peeling_cases import noisy_twonorm, peel_line
from strategies import seeds


@given(seeds, st.integers(2, 20), st.integers(1, 10))
def test_the_line_for_mean_weights_is_its_formula(seed, n, n_rounds):
    D = np.random.RandomState(seed).dirichlet(np.ones(n), size=n_rounds)
    mean, pooled = compute_mean_weight(iter(D), significance=0.02, scale="pooled")
    np.testing.assert_allclose(mean, D.mean(axis=0), rtol=0, atol=1e-15)
    freedom = n * n_rounds - 1
    spread = np.sqrt(((D - 1 / n) ** 2).sum() / freedom)
    quantile = student.ppf(0.98, freedom)
    assert pooled == pytest.approx(1 / n + quantile * spread, abs=1e-12)
    _, paper = compute_mean_weight(iter(D), significance=0.02, scale="paper")
    assert paper == pytest.approx(1 / n + quantile * spread / np.sqrt(n_rounds), abs=1e-12)
    _, between = compute_mean_weight(iter(D), significance=0.02, scale="between")
    spread = D.mean(axis=0).std(ddof=1)
    assert between == pytest.approx(1 / n + student.ppf(0.98, n - 1) * spread, abs=1e-12)


def test_a_stricter_level_draws_a_higher_line():
    D = np.random.RandomState(0).dirichlet(np.ones(20), size=10)
    lines = [
        compute_mean_weight(iter(D), significance=s, scale="pooled")[1] for s in (0.1, 0.02, 0.001)
    ]
    assert lines[0] < lines[1] < lines[2]


@pytest.mark.parametrize(
    ("scale", "line", "flagged"),
    [("paper", 0.137423, [1, 2]), ("pooled", 0.218343, []), ("between", 0.206845, [])],
)
def test_mean_weights_of_the_worked_example(scale, line, flagged):
    peeler = peel_line("weight", 10, scale=scale)
    expected = np.repeat([0.193527, 0.145965, 0.121978, 0.077847, 0.061004], [1, 1, 2, 3, 3])
    rows = [1, 2, 0, 9, 6, 7, 8, 3, 4, 5]
    np.testing.assert_allclose(peeler.suspicion_[rows], expected, rtol=0, atol=1e-6)
    np.testing.assert_array_equal(np.flatnonzero(peeler.flagged_), flagged)
    np.testing.assert_array_equal(peeler.flagged_, peeler.suspicion_ > line)


def test_mean_weights_start_from_those_of_the_user():
    X, y, _ = noisy_twonorm(0, n=60)
    counts = np.random.RandomState(0).randint(1, 5, size=60)
    peeler = WeightPeeler(n_estimators=5).fit(X, y, counts)
    rounds = list(peeler.booster_.staged_data_weights(X, y, counts))
    np.testing.assert_allclose(rounds[0], counts / counts.sum(), rtol=0, atol=1e-15)
    np.testing.assert_allclose(peeler.suspicion_, np.mean(rounds, axis=0), rtol=0, atol=1e-15)
