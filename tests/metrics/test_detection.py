import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve

from errata.exceptions import NoiseWarning
from errata.metrics import (
    correct_error_rate,
    error_rate_bounds,
    expected_calibration_error,
    filter_report,
    precision_at_k,
    reduction_by_chance,
    transition_error,
)
from errata.noise import NoiseModel
from strategies import detections, transitions


def test_filter_report_worked_example():
    # 20 rows, 5 wrong, 6 flagged, 4 of them rightly: 2/15, 1/5, 4/6, 1/14, 8/11.
    flipped = np.arange(20) < 5
    flagged = np.isin(np.arange(20), [0, 1, 2, 3, 10, 11])
    report = filter_report(flipped, flagged)
    expected = {
        "er1": 0.133333,
        "er2": 0.2,
        "nep": 0.666667,
        "recall": 0.8,
        "f1": 0.727273,
        "residual_noise": 0.071429,
        "removed": 0.3,
        "removed_right": 0.1,
    }
    assert report == pytest.approx(expected, abs=1e-6)


def test_rates_with_nothing_to_refer_to_are_nan_not_zero():
    clean = filter_report([False, False], [False, False])
    assert np.isnan([clean["er2"], clean["nep"], clean["f1"], clean["recall"]]).all()
    assert clean["er1"] == 0
    assert np.isnan(filter_report([True], [True])["residual_noise"])
    assert np.isnan(precision_at_k([False, False], [0.1, 0.2]))


def test_report_by_class_shows_what_the_average_hides():
    y = ["common"] * 8 + ["rare"] * 2
    flagged = [False] * 8 + [True, True]
    flipped = [False] * 9 + [True]
    per_class = filter_report(flipped, flagged, y)["per_class"]
    assert per_class["common"]["er1"] == 0
    assert per_class["rare"]["er1"] == 1


def test_martinez_and_gray_count_false_positives_over_all_rows():
    flipped = np.arange(100) < 20
    flagged = (np.arange(100) >= 10) & (np.arange(100) < 24)
    report = filter_report(flipped, flagged)
    assert report["recall"] == 0.5
    assert report["removed_right"] == 0.04
    assert report["er1"] == 0.05


@given(detections())
def test_peeling_as_many_as_were_flipped_ties_both_rates_together(detection):
    # The identity by which the published false positive rate was understood.
    suspicion, _, flipped = detection
    assume(flipped.any())
    flagged = np.zeros(len(flipped), dtype=bool)
    flagged[np.argsort(-suspicion)[: flipped.sum()]] = True
    report = filter_report(flipped, flagged)
    assert report["removed_right"] == pytest.approx(flipped.mean() * report["er2"], abs=1e-12)


@given(detections())
def test_reports_agree_with_each_other_and_stay_in_range(detection):
    _, flagged, flipped = detection
    report = filter_report(flipped, flagged)
    numbers = np.array([v for v in report.values() if not np.isnan(v)])
    assert np.all((numbers >= 0) & (numbers <= 1))
    if flipped.any():
        assert report["er2"] + report["recall"] == pytest.approx(1)
        if report["nep"] > 0:
            harmonic = 2 * report["nep"] * report["recall"] / (report["nep"] + report["recall"])
            assert report["f1"] == pytest.approx(harmonic)


@given(detections())
def test_precision_does_not_depend_on_the_scale_of_suspicion(detection):
    suspicion, _, flipped = detection
    assume(flipped.any())
    plain = precision_at_k(flipped, suspicion)
    assert precision_at_k(flipped, 4 * suspicion - 3) == pytest.approx(plain)


@given(detections())
def test_precision_at_n_is_the_fraction_of_wrong_labels(detection):
    suspicion, _, flipped = detection
    assert precision_at_k(flipped, suspicion, k=len(flipped)) == pytest.approx(flipped.mean())


def test_precision_at_k_shares_out_ties():
    # One certain hit; two rows tie for the second place, one of them wrong: (1 + 1/2) / 2.
    assert precision_at_k([1, 1, 0, 0], [0.9, 0.5, 0.5, 0.1], k=2) == 0.75


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: filter_report([1, 0], [1]), "flagged has 1 rows, the other argument 2"),
        (lambda: filter_report([0, 1], [0, 2]), "flagged must hold True and False"),
        (lambda: filter_report([], []), "one yes or no per row"),
        (lambda: filter_report([0], [0], ["a", "b"]), r"y has shape \(2,\)"),
        (lambda: precision_at_k([0, 1], [0.1, np.nan]), r"suspicion\[1\] = nan is not finite"),
        (lambda: precision_at_k([0, 1], [0.1]), "suspicion has 1 rows, the other argument 2"),
        (lambda: precision_at_k([1], [0.1], k=2), "k=2 must be a whole number between 1 and 1"),
    ],
)
def test_bad_input_gets_a_sentence(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()


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


def test_bad_input_gets_a_sentence_in_calibration():
    with pytest.raises(ValueError, match="probabilities lie between 0 and 1"):
        expected_calibration_error([True], [1.5])
    with pytest.raises(ValueError, match="n_bins=0 must be a whole number at least 1"):
        expected_calibration_error([True], [0.5], n_bins=0)
    with pytest.raises(ValueError, match="p_wrong has 1 rows, the other argument 2"):
        expected_calibration_error([True, False], [0.5])


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


def test_bad_input_gets_a_sentence_in_noise():
    with pytest.raises(ValueError, match="leaves no information in the labels of 2 classes"):
        correct_error_rate(0.5, 0.5)
    with pytest.raises(ValueError, match=r"shapes \(2, 2\) and \(3, 3\)"):
        transition_error(np.eye(2), np.eye(3))


def test_rounding_alone_is_no_reason_to_warn():
    noise = 0.12917971562658098  # the corrected rate is 1.0000000000000002
    measured = 1 + noise - 2 * noise
    assert correct_error_rate(measured, noise) == 1


def test_a_filter_that_does_what_chance_does_explains_nothing_of_the_smaller_model():
    X, y = np.arange(40.0)[:, None], np.arange(40) % 2

    def rows(X, y):
        return len(y)

    kept = np.arange(40) < 30
    # Any thirty rows make a model of thirty.
    assert reduction_by_chance(rows, X, y, kept, random_state=0) == 100


def test_what_is_beyond_chance_is_the_doing_of_the_filter():
    X = np.arange(40.0)[:, None]
    wrong = np.arange(40) < 10

    def size(X, y):
        return 5 + 2 * int((X[:, 0] < 10).sum())  # two leaves for each wrong row

    found = reduction_by_chance(size, X, wrong, ~wrong, n_repeats=400, random_state=0)
    # Thirty drawn of forty rows hold 7.5 of the ten wrong ones: (25 - 20) / (25 - 5).
    assert found == pytest.approx(25, abs=1.5)
    assert np.isnan(reduction_by_chance(lambda X, y: 3, X, wrong, ~wrong))
    with pytest.raises(ValueError, match="n_repeats"):
        reduction_by_chance(size, X, wrong, ~wrong, n_repeats=0)
