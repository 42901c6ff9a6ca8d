"""Targets that are rounded: a scale below the rounding step would make errors of right ones."""

import numpy as np
import pytest
from sklearn.datasets import make_friedman1

import errata
from auditing.target_cases import straight
from errata.auditing.numbers import TargetRows, find_wrong_targets


def few_levels(divisor, errors=20, seed=0):
    """Friedman's targets in whole numbers, some of them off by three standard deviations."""
    X, y = make_friedman1(400, n_features=7, noise=3, random_state=0)
    y = np.round(y / divisor)
    random = np.random.default_rng(seed)
    wrong = np.isin(np.arange(400), random.choice(400, errors, replace=False))
    y[wrong] += np.round(3 * y.std() * random.choice([-1, 1], errors))
    return X, y, wrong


@pytest.mark.parametrize("divisor", [7, 8, 10])
def test_few_levels_do_not_collapse(divisor):
    X, y, wrong = few_levels(divisor)
    audit = errata.audit_targets(X, y, self_check=False, random_state=0)
    assert 0.03 < audit.flagged.mean() < 0.1
    assert wrong[audit.flagged].mean() > 0.6
    assert audit.expected_precision < wrong[audit.flagged].mean() + 0.25
    assert audit.local_scale.min() > 0.28  # the deviation of rounding alone


def steps(seed=0, n=360):
    """Five levels that trees predict exactly; noise moves one target in ten by a rounding step."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 5))
    y = 2.0 * (X[:, 0] > 0) + (X[:, 1] > 0.5) + (X[:, 0] * X[:, 1] > 0)
    return X, np.round((y + 0.07 * random.standard_t(3, size=n)) / 0.24) * 0.24


@pytest.mark.parametrize("seed", [0, 1])
def test_a_step_off_an_exact_prediction_is_no_error(seed):
    X, y = steps(seed)
    audit = errata.audit_targets(X, y, self_check=False, random_state=0)
    assert audit.flagged.mean() < 0.03


@pytest.mark.parametrize(("fraction", "is_understood"), [(0.2, True), (0.45, False)])
def test_a_target_of_which_too_much_looks_wrong_is_not_understood(fraction, is_understood):
    X, y = straight(400, noise=0.0)
    random = np.random.default_rng(0)
    predictions = y + 0.1 * random.normal(size=400)
    wrong = random.random(400) < fraction
    y = np.where(wrong, y + random.choice([-1, 1], size=400) * random.uniform(5, 20, size=400), y)
    found = find_wrong_targets(TargetRows(X, y, predictions=predictions, estimators=[]))
    assert found.has_skill == is_understood
    assert (found.p_wrong.max() > 0.9) == is_understood
    assert any("does not understand the target" in note for note in found.notes) != is_understood
    audit = errata.audit_targets(None, y, predictions=predictions, self_check=False)
    assert audit.flagged.any() == is_understood
    if not is_understood:
        assert (audit.noise_rate.low, audit.noise_rate.high) == (0, 1)
        assert "of the targets are far from what is predicted" in audit.notes[1]
