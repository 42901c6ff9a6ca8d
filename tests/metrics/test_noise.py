import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.exceptions import NoiseWarning
from errata.metrics import correct_error_rate, error_rate_bounds, transition_error
from errata.noise import NoiseModel
from strategies import transitions


@pytest.mark.parametrize(
    ("measured", "noise", "k", "true"),
    [(0.0644, 0.06, 2, 0.005), (0.144444, 0.1, 10, 0.05)],  # e = t + n - t n K / (K - 1)
)
def test_error_rate_behind_wrong_labels(measured, noise, k, true):
    assert correct_error_rate(measured, noise, n_classes=k) == pytest.approx(true, abs=1e-6)


def test_bounds_on_the_error_rate_by_lam_and_stork():
    # Lam and Stork 2003: a classifier with 0.5 % error on labels with 6 % shows 5.5 to 6.5 %.
    assert error_rate_bounds(0.005, 0.06) == pytest.approx((0.055, 0.065))


@given(st.floats(0, 1), st.floats(0, 0.45))
def test_correction_undoes_independent_noise_and_respects_the_bounds(true, noise):
    measured = true + noise - 2 * true * noise
    assert correct_error_rate(measured, noise) == pytest.approx(true, abs=1e-9)
    low, high = error_rate_bounds(measured, noise)
    assert low - 1e-12 <= true <= high + 1e-12


def test_an_error_below_the_noise_is_clipped_with_a_warning():
    with pytest.warns(NoiseWarning, match="does not fit labels with 0.2 noise"):
        assert correct_error_rate(0.1, 0.2) == 0


@given(transitions(n_classes=3), transitions(n_classes=3))
def test_transition_error_is_a_distance(one, other):
    assert transition_error(one, one) == 0
    assert transition_error(one, other) == pytest.approx(transition_error(other, one))
    assert 0 <= transition_error(one, other) <= 1


def test_transition_error_weighs_classes_by_their_frequency():
    true = NoiseModel(np.eye(2), prior=[0.9, 0.1])
    estimated = [[1, 0], [0.5, 0.5]]
    assert transition_error(true, estimated) == pytest.approx(0.05)
    assert transition_error(true, estimated, prior=[0.5, 0.5]) == pytest.approx(0.25)
    assert transition_error(np.eye(2), estimated) == pytest.approx(0.25)


def test_classes_are_matched_by_name():
    one = NoiseModel([[0.9, 0.1], [0, 1]], classes=["a", "b"])
    same = NoiseModel([[1, 0], [0.1, 0.9]], classes=["b", "a"])
    assert transition_error(one, same) == pytest.approx(0)
    with pytest.raises(ValueError, match=r"different classes: \['a', 'b'\] and \['a', 'c'\]"):
        transition_error(one, NoiseModel(np.eye(2), classes=["a", "c"]))


def test_bad_input_gets_a_sentence():
    with pytest.raises(ValueError, match="leaves no information in the labels of 2 classes"):
        correct_error_rate(0.5, 0.5)
    with pytest.raises(ValueError, match=r"shapes \(2, 2\) and \(3, 3\)"):
        transition_error(np.eye(2), np.eye(3))


def test_rounding_alone_is_no_reason_to_warn():
    noise = 0.12917971562658098  # the corrected rate is 1.0000000000000002
    measured = 1 + noise - 2 * noise
    assert correct_error_rate(measured, noise) == 1
