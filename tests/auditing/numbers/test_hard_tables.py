"""Tables that could deceive an audit of numeric targets."""

import numpy as np
import pytest
from sklearn.datasets import make_friedman1

from auditing.target_cases import QUICK, straight, swapped
from errata.auditing.numbers import TargetRows, find_wrong_targets


def test_a_column_that_holds_the_target_accuses_nobody():
    X, y = straight(150, noise=1.0)
    y, _ = swapped(y, 10)
    found = find_wrong_targets(TargetRows(np.column_stack([X, y]), y))
    assert np.isfinite(found.suspicion).all()
    assert found.noise_rate.estimate < 0.05  # what the column says cannot be contradicted


def test_heavy_tails_are_not_errors():
    X, y = straight(400, noise=0.0)
    y = y + 0.3 * np.random.default_rng(0).standard_t(3, size=400)
    found = find_wrong_targets(TargetRows(X, y, **QUICK))
    assert found.noise_rate.estimate < 0.03
    assert (found.p_wrong > 0.5).mean() < 0.01


@pytest.mark.parametrize("side", [1, -1])
def test_skewed_noise_is_hardly_flagged(side):
    X, y = straight(350, noise=0.0)
    y = y + side * np.random.default_rng(0).exponential(size=350)
    found = find_wrong_targets(TargetRows(X, y, **QUICK))
    assert found.noise_rate.low == 0
    assert (found.p_wrong > 0.5).mean() < 0.02


def test_errors_on_one_side_are_found_and_first():
    X, y = straight(300, noise=0.3)
    y[:30] += 3
    found = find_wrong_targets(TargetRows(X, y, **QUICK))
    assert found.p_wrong[:30].min() > 0.9
    assert set(np.argsort(-found.suspicion)[:30]) == set(range(30))


def test_whole_numbers_are_judged():
    X, y = straight(200)
    y = np.round(3 * y)
    y[4] += 30
    found = find_wrong_targets(TargetRows(X, y, **QUICK))
    assert found.suspicion.argmax() == 4
    assert found.p_wrong[4] > 0.9


def test_half_of_the_targets_may_be_equal():
    X, y = straight(200)
    y = np.maximum(y, 0)
    found = find_wrong_targets(TargetRows(X, y, **QUICK))
    assert np.isfinite(found.p_wrong).all()
    assert found.has_skill


def test_sorted_rows_are_judged_as_shuffled_ones():
    X, y = straight(200)
    y, _ = swapped(y, 20)
    order = np.argsort(y)
    one = find_wrong_targets(TargetRows(X, y, **QUICK))
    other = find_wrong_targets(TargetRows(X[order], y[order], **QUICK))
    # Folds and trees of the local scale are drawn anew.
    assert np.corrcoef(one.suspicion[order], other.suspicion)[0, 1] > 0.98


def test_a_constant_column_says_nothing():
    X, y = straight(60)
    with_constant = np.column_stack([X, np.zeros(60)])
    found = find_wrong_targets(TargetRows(with_constant, y))
    assert np.isfinite(found.predicted).all()


@pytest.mark.parametrize("value", [1e12, -1e12])
def test_one_huge_value_does_not_hide_the_others(value):
    X, y = straight(200)
    y[3], y[9] = value, y[9] + 10
    found = find_wrong_targets(TargetRows(X, y, **QUICK))
    assert np.argsort(-found.suspicion)[:2].tolist() == [3, 9]
    assert np.abs(np.delete(found.predicted, 3)).max() < 20
    assert found.p_wrong[9] > 0.9


def test_few_rows_are_enough():
    X, y = straight(30)
    y[0] += 15
    found = find_wrong_targets(TargetRows(X, y))
    assert found.suspicion.argmax() == 0


def test_large_targets_keep_their_digits():
    X, y = straight(100)
    found = find_wrong_targets(TargetRows(X, 1e9 + y, **QUICK))
    np.testing.assert_allclose(found.predicted - 1e9, y, rtol=0, atol=0.6)


def test_one_feature_is_enough():
    X, y = straight(80, d=1)
    y[7] -= 10
    assert find_wrong_targets(TargetRows(X, y)).suspicion.argmax() == 7


def stairs(n, random):
    """Targets in steps, which trees learn exactly but for the rows beside an edge."""
    X = random.normal(size=(n, 4))
    y = 2.0 * (X[:, 0] > 0) + (X[:, 1] > 0.5) + (X[:, 0] * X[:, 1] > 0)
    return X, y + 0.05 * random.normal(size=n)


def test_rows_between_two_regimes_are_not_errors():
    precision = []
    for seed in range(3):
        random = np.random.default_rng(seed)
        X, y = stairs(250, random)
        y[:12] *= 10
        found = find_wrong_targets(TargetRows(X, y))
        flagged = found.p_wrong > 0.5
        assert flagged[:12].sum() >= 9
        precision.append(flagged[:12].sum() / flagged.sum())
    assert np.mean(precision) > 0.8


@pytest.mark.parametrize("seed", [0, 2, 4])
def test_a_meter_that_ends_makes_no_errors_of_what_it_shows_below(seed):
    X, y = make_friedman1(400, n_features=5, noise=5.0, random_state=seed)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    found = find_wrong_targets(TargetRows(X, np.minimum(y, np.quantile(y, 0.65))))
    assert found.noise_rate.estimate < 0.03
    assert np.mean(found.p_wrong > 0.2) < 0.02


@pytest.mark.parametrize("seed", [0, 2])
def test_few_rows_beside_zeros_are_judged_among_themselves(seed):
    random = np.random.default_rng(seed)
    X = random.normal(size=(69, 6))
    wide = 0.2 + 2 * (np.argsort(np.argsort(X[:, 2])) / 69) ** 2
    amounts = 20 + 3 * X[:, 1] + wide * random.normal(size=69)
    y = np.where(X[:, 0] < np.quantile(X[:, 0], 0.6), 0.0, amounts)
    found = find_wrong_targets(TargetRows(X, y))
    assert found.noise_rate.estimate < 0.1
    assert np.sum(found.p_wrong > 0.2) <= 4
