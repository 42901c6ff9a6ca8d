import numpy as np
import pytest
from scipy.stats import norm

from errata.tolerant.reinforced._loop import (
    clean_scale,
    compute_gaussian_log_density,
    compute_scale_floor,
    estimate_scale,
)

# Reinforcing a Gaussian on clean normal data, by an independent prototype on 200 001 quantiles.
CLEAN = [
    ("l1", 0.90, 0.8055),
    ("l1", 0.95, 0.8799),
    ("l1", 0.99, 0.9635),
    ("l2", 0.90, 0.8503),
    ("l2", 0.95, 0.9062),
    ("l2", 0.99, 0.9701),
]


@pytest.mark.parametrize(("penalty", "mean_weight", "expected"), CLEAN)
def test_b10_what_clean_data_lose(penalty, mean_weight, expected):
    assert clean_scale(mean_weight, penalty) == pytest.approx(expected, abs=1e-3)


def test_density_is_the_normal_one():
    residuals = np.array([-3.0, 0.0, 0.1, 40.0])
    expected = norm.logpdf(residuals, scale=0.2)
    np.testing.assert_allclose(compute_gaussian_log_density(residuals, 0.2), expected, rtol=1e-13)


def test_the_scale_is_weighted_and_has_a_floor():
    residuals, weights = np.array([1.0, -2.0, 3.0]), np.array([1.0, 0.5, 0.0])
    assert estimate_scale(residuals, weights, floor=0.1) == pytest.approx(np.sqrt(3 / 1.5))
    assert estimate_scale(residuals, weights, floor=7.0) == 7
    assert estimate_scale(residuals, weights, floor=0, shrinkage=3.0) == 2


@pytest.mark.parametrize(
    ("y", "expected"), [([0.0, 2.0], 1e-8), ([5.0, 5.0], 5e-8), ([0.0, 0.0], 1e-8)]
)
def test_the_floor_follows_the_unit_of_the_response(y, expected):
    assert compute_scale_floor(np.array(y), np.ones(2)) == pytest.approx(expected)
