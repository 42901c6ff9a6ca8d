import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditing_cases import draw_truth, symmetric
from errata.auditing._calibrate import Calibration
from errata.auditing._noise_model import RATES, REACH, profile, read_noise
from errata.auditing._patterns import (
    anchor_pattern,
    expected_pattern,
    transition_of,
    uniform_pattern,
)
from errata.auditing._readings import NoiseReadings, Reading, hidden_noise
from errata.metrics import expected_calibration_error

ASYMMETRIC = np.array([[0.7, 0.3], [0.05, 0.95]])


def expected_wrong(truth):
    logs = truth.logs
    readings = read_noise(logs, truth.labels)
    logs = readings.calibration.apply(logs)
    given = readings.classes_given_labels(logs, truth.labels, hidden_noise(logs))
    return 1 - given[truth.labels, np.arange(len(truth.labels))]


@pytest.mark.parametrize(
    "transition", [symmetric(2, 0.2), symmetric(3, 0.2), ASYMMETRIC], ids=["two", "three", "skew"]
)
def test_evidence_with_errors_of_its_own_shows_the_noise(transition):
    draws = [draw_truth(transition, 4000, error=0.3, random_state=seed) for seed in range(1, 4)]
    read = [read_noise(truth.logs, truth.labels).transition for truth in draws]
    np.testing.assert_allclose(np.mean(read, axis=0), transition, rtol=0, atol=0.04)
    truth = draws[0]
    p_wrong = expected_wrong(truth)
    assert abs(p_wrong.mean() - truth.wrong.mean()) < 0.02
    assert expected_calibration_error(p_wrong, truth.wrong) < 0.03


def test_perfect_evidence_is_as_well_explained_by_overlap_and_the_interval_says_so():
    # q = p T forecasts the labels perfectly without any noise: only the interval can be right.
    truth = draw_truth(symmetric(3, 0.2), 4000)
    low, high = read_noise(truth.logs, truth.labels).interval(0.3)
    assert low < truth.wrong.mean() < high
    assert high - low > 0.1


@given(st.integers(2, 6), st.floats(0, 0.45), st.integers(0, 10))
def test_transitions_are_distributions_that_mostly_keep_the_class(n_classes, rate, seed):
    random = np.random.default_rng(seed)
    q = random.dirichlet(np.full(n_classes, 0.5), 30)
    pattern = anchor_pattern(q.T, random.integers(n_classes, size=30))
    for made in (pattern, uniform_pattern(n_classes)):
        T = transition_of(made, rate)
        assert (T >= 0).all()
        np.testing.assert_allclose(T.sum(axis=1), 1, rtol=0, atol=1e-12)
        assert (np.diag(T) >= 0.5 - 1e-12).all()


def test_expected_errors_keep_their_direction():
    truth = draw_truth(ASYMMETRIC, 4000)
    reading = Reading(1.0, 0.2, ASYMMETRIC, 1.0, np.zeros(2))
    pattern = expected_pattern(reading, truth.logs, truth.labels)
    assert pattern[0, 1] > 2 * pattern[1, 0]
    np.testing.assert_array_equal(np.diag(pattern), 0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_without_noise_and_without_a_chance_for_the_label_no_number_is_lost(dtype):
    logs = np.array([[0.0, -4000.0], [-4000.0, 0.0]], dtype=dtype)  # exp(-4000) is zero
    identity = Reading(1.0, 0.0, np.eye(2), 3.0, np.zeros(2))
    given = identity.classes_given_labels(logs, np.array([1, 1]))
    np.testing.assert_array_equal(given, [[0, 0], [1, 1]])


def test_interval_holds_nine_tenths_of_the_weight():
    readings = [Reading(w, r, np.eye(2), 1.0, np.zeros(2)) for w, r in [(0.5, 0.1), (0.5, 0.2)]]
    low, high = NoiseReadings(readings, Calibration()).interval(0.4)
    assert (low, high) == (0.1, 0.4)


@pytest.mark.parametrize("start", [0, 10, 19])
@pytest.mark.parametrize("n", [100, 3000])
def test_the_way_to_the_best_rate_misses_no_reading_of_weight(n, start):
    truth = draw_truth(symmetric(3, 0.2), n, error=0.3)
    pattern = uniform_pattern(3)
    tried = profile(truth.logs, truth.labels, pattern, RATES, start, reach=REACH)
    every = profile(truth.logs, truth.labels, pattern, RATES, 0, reach=np.inf)
    assert list(every) == list(range(len(RATES)))
    weighty = every[max(every, key=lambda place: every[place].weight)].weight - 4.6
    for place, reading in every.items():
        if reading.weight > weighty:
            np.testing.assert_allclose(tried[place].weight, reading.weight, rtol=0, atol=0.05)
