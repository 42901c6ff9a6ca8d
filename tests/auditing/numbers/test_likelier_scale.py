import numpy as np
import pytest

from auditing.target_cases import QUICK, straight
from errata.auditing.numbers import TargetRows, check_targets, find_wrong_targets


def multiplied(n=300):
    """Targets whose logarithms lie on a plane, but for noise."""
    X, y = straight(n, noise=0.3)
    return X, np.exp(y)


def test_targets_with_noise_in_proportion_are_judged_by_their_logarithms():
    X, y = multiplied()
    found = find_wrong_targets(TargetRows(X, y, **QUICK))
    assert found.on_log_scale
    assert found.noise_rate.estimate < 0.02
    assert (found.low > 0).all()
    inside = (found.low < y) & (y < found.high)
    assert inside.mean() == pytest.approx(0.9, abs=0.04)
    assert found.local_scale == pytest.approx(0.31 * found.predicted, rel=0.4)


def test_a_factor_of_ten_shows_on_that_scale_only():
    X, y = multiplied()
    small = np.argsort(y)[20]
    y[small] /= 10
    found = find_wrong_targets(TargetRows(X, y, **QUICK))
    assert found.suspicion.argmax() == small
    assert found.p_wrong[small] > 0.6  # one of 300 rows may be right and far off


def test_a_wrong_sign_does_not_forbid_logarithms():
    X, y = multiplied()
    y[5] = -y[5]
    found = find_wrong_targets(TargetRows(X, y, **QUICK))
    assert found.on_log_scale
    assert found.suspicion.argmax() == 5


def test_skewed_targets_with_even_noise_stay_as_they_are():
    X, y = straight(300, noise=0.0)
    y = np.exp(y / 2) + 3 + 0.5 * np.random.default_rng(0).normal(size=300)
    rich = np.column_stack([X, np.exp(X.sum(axis=1) / 2)])
    assert not find_wrong_targets(TargetRows(rich, y, **QUICK)).on_log_scale


def test_the_self_check_stays_on_the_scale():
    X, y = multiplied()
    found = find_wrong_targets(TargetRows(X, y, **QUICK))
    check = check_targets(TargetRows(X, y, **QUICK), found)
    assert check.found > 0.7 * check.injected
    assert check.median_error < check.planted_error
