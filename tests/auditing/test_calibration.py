import numpy as np
import pytest
from scipy.special import log_softmax

from auditing_cases import draw_codes, draw_truth, nearly_clean, symmetric
from errata.auditing.models._pooling import UNIFORM_LABELS, Calibration, calibrate


def log_loss(logs, codes):
    """Of labels some of which are drawn uniformly at random."""
    shares = np.exp(logs[codes, np.arange(len(codes))])
    return -np.log((1 - UNIFORM_LABELS) * shares + UNIFORM_LABELS / len(logs)).mean()


def draw_probabilities(n_classes, n, random_state=0):
    """Probabilities that are right, and labels that follow them or are uniformly at random."""
    random = np.random.default_rng(random_state)
    p = random.dirichlet(np.full(n_classes, 0.3), n).clip(1e-4)
    p /= p.sum(axis=1, keepdims=True)
    return np.log(p.T), draw_codes((1 - UNIFORM_LABELS) * p + UNIFORM_LABELS / n_classes, random)


def test_the_identity_changes_nothing():
    truth = draw_truth(symmetric(3, 0.1), 100)
    same = Calibration(np.eye(3), np.zeros(3)).apply(truth.logs)
    np.testing.assert_allclose(same, truth.logs, rtol=0, atol=1e-12)


def test_probabilities_that_are_right_stay_as_they_are():
    logs, codes = draw_probabilities(3, 20_000)
    found = calibrate(logs, codes)
    np.testing.assert_allclose(found.matrix, np.eye(3), rtol=0, atol=0.1)
    after = found.apply(logs)
    assert log_loss(logs, codes) - 0.001 < log_loss(after, codes)
    np.testing.assert_allclose(np.exp(after).sum(axis=0), 1, rtol=0, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_probabilities_too_sure_of_two_classes_are_calibrated(dtype):
    random = np.random.default_rng(0)
    scores = random.normal(size=(4, 20_000))
    true = log_softmax(scores, axis=0)
    scores[:2] = scores[:2].mean(axis=0) + 3 * (scores[:2] - scores[:2].mean(axis=0))
    sure = log_softmax(scores, axis=0).astype(dtype)
    codes = draw_codes((1 - UNIFORM_LABELS) * np.exp(true).T + UNIFORM_LABELS / 4, random)
    after = calibrate(sure, codes).apply(sure)
    assert after.dtype == dtype
    assert log_loss(sure, codes) > log_loss(true, codes) + 0.1
    assert log_loss(after, codes) < log_loss(true, codes) + 0.01


def test_of_many_classes_nothing_is_fitted():
    truth = draw_truth(symmetric(60, 0.1), 200)
    assert calibrate(truth.logs, truth.labels).apply(truth.logs) is truth.logs


@pytest.mark.parametrize("n_classes", [2, 5, 10])
def test_rows_that_it_did_not_see_lose_little(n_classes):
    logs, codes = draw_probabilities(n_classes, 8000)
    seen, fresh = slice(0, 5000), slice(5000, None)
    after = calibrate(logs[:, seen], codes[seen]).apply(logs[:, fresh])
    assert log_loss(after, codes[fresh]) < log_loss(logs[:, fresh], codes[fresh]) + 0.01


def test_a_few_wrong_labels_are_not_explained_away():
    logs, labels = nearly_clean(10, 1000, 2, 0.95)
    right = labels.copy()
    right[:2] = (labels[:2] - 1) % 10
    wrong = (labels[:2], np.arange(2))
    after, without = (calibrate(logs, codes).apply(logs)[wrong] for codes in (labels, right))
    assert (after - without).max() < 1
