from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.optimize import brentq

from auditing_cases import blobs, draw_truth, symmetric
from errata.auditing import TrainingData, _pooling
from errata.auditing._default_models import NearestRows
from errata.auditing._pooling import (
    floored_logs,
    largest,
    pool_models,
    pool_weights,
    pooled_logs,
    some_rows,
)

X, CODES = blobs(60)
DATA = TrainingData(X, CODES, 3)
TRUTH = draw_truth(symmetric(3, 0.1), 1000, overlap=0.3)
GOOD = np.exp(TRUTH.logs.T)
IDLE = np.random.default_rng(0).dirichlet(np.ones(3), 1000)


def log_loss(logs):
    return -logs[TRUTH.labels, np.arange(len(TRUTH.labels))].mean()


def weights_of(*probas):
    return pool_weights(probas, TRUTH.labels, np.random.default_rng(0))


def test_who_knows_weighs_more_than_who_guesses():
    good, idle = weights_of(GOOD, IDLE)
    assert good > 0.9
    assert 0 <= idle < 0.1


def test_a_model_that_is_never_wrong_is_not_believed_without_end():
    # Two classes: with log-odds L of the label and the ridge r, log(1 + exp(-a L)) + r a² is least
    # where L / (1 + exp(a L)) = 2 r a. Without the ridge no weight a would be enough.
    certain = np.eye(2, dtype=np.float32)[np.arange(100) % 2]
    (found,) = pool_weights([certain], np.arange(100) % 2, np.random.default_rng(0))
    L, r = np.log(1e4), 1e-3
    expected = brentq(lambda a: L / (1 + np.exp(a * L)) - 2 * r * a, 0, 2)
    np.testing.assert_allclose(found, expected, rtol=0.02, atol=0)


def test_the_pool_loses_no_more_than_its_best_member():
    blurred = GOOD * np.exp(np.random.default_rng(1).normal(size=GOOD.shape))
    blurred /= blurred.sum(axis=1, keepdims=True)
    probas = [GOOD, blurred]
    pooled, predicted = pooled_logs(probas, weights_of(*probas))
    assert log_loss(pooled) < log_loss(TRUTH.logs) + 1e-3
    np.testing.assert_allclose(np.exp(pooled).sum(axis=0), 1, rtol=0, atol=1e-6)
    np.testing.assert_array_equal(predicted, [o.argmax(axis=1) for o in probas])


def test_a_class_ruled_out_stays_possible():
    assert np.isfinite(floored_logs(np.array([[0.0, 1.0]]))).all()


@given(
    hnp.arrays(float, st.tuples(st.integers(1, 5), st.integers(1, 9)), elements=st.floats(-2, 2))
)
def test_the_largest_is_the_first_of_equals(values):
    place, top = largest(values.round())
    np.testing.assert_array_equal(place, values.round().argmax(axis=0))
    np.testing.assert_array_equal(top, values.round().max(axis=0))


def test_of_very_many_classes_the_last_may_be_the_largest():
    place, _ = largest(np.eye(1000)[:, ::-7])
    np.testing.assert_array_equal(place, np.arange(999, -1, -7))


def test_blocks_change_nothing(monkeypatch):
    probas, weights = [GOOD, IDLE], np.array([0.5, 0.25])
    whole, predicted = pooled_logs(probas, weights)
    monkeypatch.setattr(_pooling, "CACHED", 21)
    parts = pooled_logs(probas, weights)
    np.testing.assert_allclose(parts[0], whole, rtol=0, atol=1e-6)
    np.testing.assert_array_equal(parts[1], predicted)


def test_many_rows_are_sampled_without_repeats_and_few_are_all_taken():
    random = np.random.default_rng(0)
    np.testing.assert_array_equal(some_rows(50, 3, random), np.arange(50))
    drawn = some_rows(10**6, 1000, random)
    assert len(np.unique(drawn)) == len(drawn) < 10**5


@dataclass
class Fixed:
    says: np.ndarray
    name: str = "fixed"

    def out_of_fold_proba(self, data):
        return self.says


def test_models_are_fitted_in_order_and_named():
    told = []
    models = [NearestRows("near"), Fixed(np.full((60, 3), 1 / 3))]
    pool = pool_models(DATA, models, progress=told.append)
    assert told == ["fitting near", "fitting fixed"]
    near, fixed = pool.models
    assert near.weight > fixed.weight
    assert near.agreement == np.mean(near.predicted == CODES)
    np.testing.assert_allclose(np.exp(pool.logs).sum(axis=0), 1, rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    ("says", "message"),
    [
        (np.full((60, 2), 0.5), r"must give .* shape \(60, 3\), but gave the shape \(60, 2"),
        (np.full((60, 3), np.nan), "'fixed' must give probabilities .* but gave other numbers"),
        (np.full((60, 3), -1.0), "'fixed' must give probabilities .* but gave other numbers"),
    ],
)
def test_a_model_that_gives_nonsense_is_named(says, message):
    with pytest.raises(ValueError, match=message):
        pool_models(DATA, [Fixed(says)])


def test_no_probability_counts_as_less_than_one_in_ten_thousand():
    certain = np.array([[1.0, 0.0], [0.5, 0.5]], dtype=np.float32)
    np.testing.assert_allclose(np.exp(floored_logs(certain)), [[1, 1e-4], [0.5, 0.5]], rtol=1e-5)
    pooled, _ = pooled_logs([certain], np.array([1.0]))
    np.testing.assert_allclose(np.exp(pooled[1, 0]), 1e-4 / (1 + 1e-4), rtol=1e-5)
