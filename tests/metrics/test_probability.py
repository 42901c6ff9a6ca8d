import numpy as np
import pytest
from hypothesis import given
from sklearn.metrics import brier_score_loss

from errata.metrics import brier_score, expected_calibration_error, reliability_curve
from strategies import detections


@given(detections())
def test_brier_score_is_scikit_learns(detection):
    p, _, flipped = detection
    expected = brier_score_loss(flipped, p, pos_label=True)
    assert brier_score(p, flipped) == pytest.approx(expected, abs=1e-12)


@given(detections())
def test_every_row_is_in_one_bin(detection):
    p, _, flipped = detection
    curve = reliability_curve(p, flipped, n_bins=7)
    assert curve.counts.sum() == len(p)
    assert np.average(curve.predicted, weights=curve.counts) == pytest.approx(p.mean())
    assert np.average(curve.observed, weights=curve.counts) == pytest.approx(flipped.mean())


@given(detections())
def test_calibration_error_is_zero_for_the_truth_and_bounded(detection):
    p, _, flipped = detection
    assert expected_calibration_error(flipped.astype(float), flipped) == 0
    assert 0 <= expected_calibration_error(p, flipped) <= 1
    in_the_large = abs(p.mean() - flipped.mean())
    assert expected_calibration_error(p, flipped, n_bins=1) == pytest.approx(in_the_large)


@pytest.mark.parametrize("seed", range(3))
def test_calibrated_probabilities_have_a_small_error(seed):
    rng = np.random.RandomState(seed)
    p = rng.uniform(size=20_000)
    flipped = rng.uniform(size=len(p)) < p
    assert expected_calibration_error(p, flipped) < 0.02
    assert expected_calibration_error(p**3, flipped) > 0.1


def test_bad_input_gets_a_sentence():
    with pytest.raises(ValueError, match="probabilities lie between 0 and 1"):
        brier_score([1.5], [True])
    with pytest.raises(ValueError, match="n_bins=0 must be a whole number at least 1"):
        reliability_curve([0.5], [True], n_bins=0)
