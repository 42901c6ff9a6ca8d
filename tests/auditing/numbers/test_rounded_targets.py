"""Targets that are rounded: a scale below the rounding step would make errors of right ones."""

import numpy as np
import pytest
from sklearn.datasets import make_friedman1

import errata
from auditing.target_cases import straight
from errata.auditing.numbers import BroughtPredictions, find_wrong_targets
from errata.auditing.numbers._models import TargetData
from errata.auditing.numbers._noise_model import LocalScales, fit_local_scales
from errata.auditing.numbers._task import rounding_step


@pytest.mark.parametrize("step", [0.25, 1.0, 8.0])
def test_the_step_is_found_among_errors_that_are_not_rounded(step):
    random = np.random.default_rng(0)
    targets = step * np.round(random.normal(size=300) * 3)
    targets[:30] = random.uniform(-20, 20, size=30)
    assert rounding_step(targets) == pytest.approx(step, rel=1e-6)
    shifted = targets * (1 + 1e-13 * random.uniform(-1, 1, size=300))
    assert rounding_step(shifted) == pytest.approx(step, rel=1e-6)


def test_measured_targets_have_no_step_and_doubled_ones_a_small_one():
    targets = np.random.default_rng(0).normal(size=300)
    assert rounding_step(targets) == 0
    assert rounding_step(np.r_[targets, targets[:90]]) == 0
    assert rounding_step(np.repeat(targets, 2)) < 0.02
    assert rounding_step(np.where(targets > 0, 0, targets)) == 0  # one value that many rows share


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


def test_skew_below_the_rounding_step_is_none():
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 2))
    waiting = -np.log(1 - (np.arange(300) + 0.5) / 300)
    residuals = 0.01 * random.permutation(waiting - np.log(2))
    found = {}
    for smallest in (0.001, 1.0):
        data = TargetData(X, residuals, smallest_scale=smallest)
        found[smallest] = fit_local_scales(data, X.T, X[:, 0], residuals, np.ones(300))
    assert found[0.001].skew > 0
    assert found[1.0].skew == 0
    assert found[1.0].whole.min() == found[1.0].half.min() == 1.0


def test_the_narrow_side_of_skewed_noise_is_no_narrower_than_rounding():
    scales = LocalScales(np.full(2, 2.0), np.full(2, 2.0), 0.0, 1.0, smallest=1.5)
    sided = scales.skewed(np.array([1.0, -1.0]))
    np.testing.assert_allclose(sided.whole, [2 * np.e, 1.5], rtol=1e-12)
    np.testing.assert_allclose(sided.half, [2 * np.e, 1.5], rtol=1e-12)


@pytest.mark.parametrize(("fraction", "is_understood"), [(0.2, True), (0.45, False)])
def test_a_target_of_which_too_much_looks_wrong_is_not_understood(fraction, is_understood):
    X, y = straight(400, noise=0.0)
    random = np.random.default_rng(0)
    predictions = y + 0.1 * random.normal(size=400)
    wrong = random.random(400) < fraction
    y = np.where(wrong, y + random.choice([-1, 1], size=400) * random.uniform(5, 20, size=400), y)
    brought = BroughtPredictions(predictions=predictions, estimators=[])
    found = find_wrong_targets(X, y, brought=brought)
    assert found.has_skill == is_understood
    assert (found.p_wrong.max() > 0.9) == is_understood
    assert any("does not understand the target" in note for note in found.notes) != is_understood
    audit = errata.audit_targets(None, y, predictions=predictions, self_check=False)
    assert audit.flagged.any() == is_understood
    if not is_understood:
        assert (audit.noise_rate.low, audit.noise_rate.high) == (0, 1)
        assert "of the targets are far from what is predicted" in audit.notes[1]
