import numpy as np
import pytest
from hypothesis import given
from sklearn.calibration import calibration_curve

from errata.metrics import expected_calibration_error
from strategies import detections


@given(detections())
def test_calibration_error_is_zero_for_the_truth_and_bounded(detection):
    p, _, flipped = detection
    assert expected_calibration_error(flipped, flipped.astype(float)) == 0
    assert 0 <= expected_calibration_error(flipped, p) <= 1
    in_the_large = abs(p.mean() - flipped.mean())
    assert expected_calibration_error(flipped, p, n_bins=1) == pytest.approx(in_the_large)


def test_it_is_the_mean_distance_from_the_diagonal_of_scikit_learns_curve():
    rng = np.random.RandomState(0)
    p = rng.uniform(size=500)
    flipped = rng.uniform(size=500) < p**2
    observed, predicted = calibration_curve(flipped, p, n_bins=7)
    counts = np.histogram(p, bins=7, range=(0, 1))[0]
    expected = np.average(np.abs(observed - predicted), weights=counts)
    assert expected_calibration_error(flipped, p, n_bins=7) == pytest.approx(expected, abs=1e-12)


def test_one_belongs_to_the_last_bin_and_a_border_to_the_bin_above():
    # 0.5 and 1 share a bin: predicted 0.75, observed 0.5. With one more bin they do not.
    assert expected_calibration_error([1, 0], [0.5, 1.0], n_bins=2) == pytest.approx(0.25)
    assert expected_calibration_error([1, 0], [0.5, 1.0], n_bins=3) == pytest.approx(0.75)


@pytest.mark.parametrize("seed", range(3))
def test_calibrated_probabilities_have_a_small_error(seed):
    rng = np.random.RandomState(seed)
    p = rng.uniform(size=20_000)
    flipped = rng.uniform(size=len(p)) < p
    assert expected_calibration_error(flipped, p) < 0.02
    assert expected_calibration_error(flipped, p**3) > 0.1


def test_bad_input_gets_a_sentence():
    with pytest.raises(ValueError, match="probabilities lie between 0 and 1"):
        expected_calibration_error([True], [1.5])
    with pytest.raises(ValueError, match="n_bins=0 must be a whole number at least 1"):
        expected_calibration_error([True], [0.5], n_bins=0)
    with pytest.raises(ValueError, match="p_wrong has 1 rows, the other argument 2"):
        expected_calibration_error([True, False], [0.5])
