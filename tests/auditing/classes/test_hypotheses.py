import numpy as np
import pytest

from auditing_cases import draw_truth, symmetric
from errata.auditing.classes._noise_model import (
    UNIFORM,
    Hypothesis,
    ambiguity,
    boundary_noise,
    unmixed,
)

ASYMMETRIC = np.array([[0.7, 0.3], [0.05, 0.95]])


def hypothesis(transition, slope=1.0):
    return Hypothesis(UNIFORM, 0.2, transition, slope, np.zeros(2), grid_rate=0.2)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_without_noise_and_without_a_chance_for_the_label_no_number_is_lost(dtype):
    logs = np.array([[0.0, -4000.0], [-4000.0, 0.0]], dtype=dtype)  # exp(-4000) is zero
    given = hypothesis(np.eye(2), slope=3.0).classes_given_labels(logs, np.array([1, 1]))
    np.testing.assert_array_equal(given, [[0, 0], [1, 1]])


def test_undoing_noise_gives_the_classes_back():
    truth = draw_truth(ASYMMETRIC, 500, overlap=0.01)
    p = np.exp(unmixed(truth.logs, np.linalg.inv(ASYMMETRIC)))
    sure = truth.logs.max(axis=0) > np.log(0.69)
    assert (p.max(axis=0)[sure] > 0.95).mean() > 0.9
    assert (p > 0).all()


def test_undoing_noise_leaves_a_twentieth_of_the_probability():
    # q T⁻¹ is negative for the first class where its label is rarer than noise alone makes it.
    logs = np.log([[0.01], [0.99]])
    assert (np.exp(logs).T @ np.linalg.inv(ASYMMETRIC))[0, 0] < 0
    p = np.exp(unmixed(logs, np.linalg.inv(ASYMMETRIC)))
    np.testing.assert_allclose(p[0, 0], 0.05 * 0.01)


@pytest.mark.parametrize(
    ("p", "expected"),
    [
        (np.eye(3)[:, [0, 1, 2, 2]], 0.0),
        (np.full((2, 10), 0.5), 0.5),  # of equals the first is the largest
        (np.array([[0.9, 0.6], [0.1, 0.4]]), 0.5),  # the second is never the largest
    ],
)
def test_ambiguity_is_what_cannot_be_recognised(p, expected):
    np.testing.assert_allclose(ambiguity(p), expected)


def test_boundary_noise_sharpens_the_classes_and_ignores_the_label():
    truth = draw_truth(symmetric(2, 0.0), 500, overlap=0.5)
    boundary = boundary_noise(truth.logs, truth.labels)
    given = boundary.classes_given_labels(truth.logs, truth.labels)
    np.testing.assert_allclose(given, boundary.classes_given_labels(truth.logs, 1 - truth.labels))
    assert given.max(axis=0).mean() > np.exp(truth.logs).max(axis=0).mean()
    np.testing.assert_allclose(boundary.rate, 1 - given[truth.labels, np.arange(500)].mean())


def test_boundary_noise_is_three_times_as_sharp():
    logs = np.log([[0.7, 0.4], [0.3, 0.6]])
    boundary = boundary_noise(logs, np.array([0, 0]))
    right = 0.7**3 / (0.7**3 + 0.3**3), 0.4**3 / (0.4**3 + 0.6**3)
    np.testing.assert_allclose(boundary.classes(logs)[0], right)
    np.testing.assert_allclose(boundary.rate, 1 - np.mean(right))
    np.testing.assert_allclose(boundary.variance, (0.2 * boundary.rate) ** 2)
