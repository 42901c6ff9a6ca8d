import numpy as np
import pytest
from scipy.special import log_softmax

from auditing_cases import draw_codes, draw_truth, symmetric
from errata.auditing._calibrate import Calibration, calibrate


def log_loss(logs, codes):
    return -logs[codes, np.arange(len(codes))].mean()


def test_the_identity_changes_nothing():
    truth = draw_truth(symmetric(3, 0.1), 100)
    same = Calibration(np.eye(3), np.zeros(3)).apply(truth.logs)
    np.testing.assert_allclose(same, truth.logs, rtol=0, atol=1e-12)


def test_evidence_that_is_right_stays_what_it_is():
    truth = draw_truth(symmetric(3, 0.1), 20_000, overlap=0.5)
    found = calibrate(truth.logs, truth.labels)
    np.testing.assert_allclose(found.matrix, np.eye(3), rtol=0, atol=0.1)
    after = found.apply(truth.logs)
    assert log_loss(truth.logs, truth.labels) - 0.001 < log_loss(after, truth.labels)
    np.testing.assert_allclose(np.exp(after).sum(axis=0), 1, rtol=0, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_evidence_too_sure_of_two_classes_is_put_right(dtype):
    random = np.random.default_rng(0)
    scores = random.normal(size=(4, 20_000))
    true = log_softmax(scores, axis=0)
    scores[:2] = scores[:2].mean(axis=0) + 3 * (scores[:2] - scores[:2].mean(axis=0))
    sure = log_softmax(scores, axis=0).astype(dtype)
    codes = draw_codes(np.exp(true).T, random)
    after = calibrate(sure, codes).apply(sure)
    assert after.dtype == dtype
    assert log_loss(sure, codes) > log_loss(true, codes) + 0.1
    assert log_loss(after, codes) < log_loss(true, codes) + 0.01


def test_of_many_classes_nothing_is_fitted():
    truth = draw_truth(symmetric(60, 0.1), 200)
    np.testing.assert_array_equal(calibrate(truth.logs, truth.labels).matrix, np.eye(60))
