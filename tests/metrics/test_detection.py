import numpy as np
import pytest
from hypothesis import assume, given

from errata.metrics import filter_report, precision_at_k
from strategies import detections


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
