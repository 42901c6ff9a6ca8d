from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.optimize import brentq

from auditing_cases import blobs, draw_truth, symmetric
from errata._kernels import _probabilities
from errata._kernels._probabilities import find_largest
from errata.auditing import CrossFit, NewRows, TrainingData
from errata.auditing.models._default import (
    AsGiven,
    Forest,
    GivenProbabilities,
    NearestRows,
    RBFRidge,
)
from errata.auditing.models._pooling import (
    compute_logs,
    pool_models,
    pool_new_rows,
    pool_probabilities,
    pool_weights,
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
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=0)


def test_weights_do_not_hang_on_where_the_search_stops():
    # In single precision a search stops where rounding lets it, another one on each processor.
    blurred = GOOD * np.exp(np.random.default_rng(1).normal(size=GOOD.shape))
    probas = [GOOD, blurred / blurred.sum(axis=1, keepdims=True), IDLE, GOOD**2]
    shifted = [proba * (1 + 1e-13 * np.random.default_rng(2).normal()) for proba in probas]
    assert (weights_of(*probas) == 0).any()  # some are held there
    np.testing.assert_allclose(weights_of(*shifted), weights_of(*probas), rtol=0, atol=1e-8)
    np.testing.assert_allclose(
        weights_of(*probas[::-1])[::-1], weights_of(*probas), rtol=0, atol=1e-8
    )


def test_the_pool_loses_no_more_than_its_best_member():
    blurred = GOOD * np.exp(np.random.default_rng(1).normal(size=GOOD.shape))
    blurred /= blurred.sum(axis=1, keepdims=True)
    probas = [GOOD, blurred]
    pooled, predicted = pool_probabilities(probas, weights_of(*probas))
    assert log_loss(pooled) < log_loss(TRUTH.logs) + 1e-3
    np.testing.assert_allclose(np.exp(pooled).sum(axis=0), 1, rtol=0, atol=1e-6)
    np.testing.assert_array_equal(predicted, [o.argmax(axis=1) for o in probas])


def test_a_class_ruled_out_stays_possible():
    assert np.isfinite(compute_logs(np.array([[0.0, 1.0]]))).all()


@given(
    hnp.arrays(float, st.tuples(st.integers(1, 5), st.integers(1, 9)), elements=st.floats(-2, 2))
)
def test_the_largest_is_the_first_of_equals(values):
    place, top = find_largest(values.round())
    np.testing.assert_array_equal(place, values.round().argmax(axis=0))
    np.testing.assert_array_equal(top, values.round().max(axis=0))


def test_of_very_many_classes_the_last_may_be_the_largest():
    place, _ = find_largest(np.eye(1000)[:, ::-7])
    np.testing.assert_array_equal(place, np.arange(999, -1, -7))


def test_blocks_change_nothing(monkeypatch):
    probas, weights = [GOOD, IDLE], np.array([0.5, 0.25])
    whole, predicted = pool_probabilities(probas, weights)
    monkeypatch.setattr(_probabilities, "NUMBERS", 21)
    parts = pool_probabilities(probas, weights)
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
    assert [(stage.name, stage.done, stage.total, stage.unit) for stage in told] == [
        ("fitting near", 0, 2, "models"),
        ("fitting fixed", 1, 2, "models"),
    ]
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
    np.testing.assert_allclose(np.exp(compute_logs(certain)), [[1, 1e-4], [0.5, 0.5]], rtol=1e-5)
    pooled, _ = pool_probabilities([certain], np.array([1.0]))
    np.testing.assert_allclose(np.exp(pooled[1, 0]), 1e-4 / (1 + 1e-4), rtol=1e-5)


@dataclass
class Counted:
    """A model that predicts other rows by a column of theirs."""

    name: str = "counted"

    def out_of_fold_proba(self, data):
        raise AssertionError("cross_fit gives what is wanted")

    def cross_fit(self, data):
        return CrossFit(GOOD[: len(data.codes)], self)

    def predict_proba(self, rows):
        return np.eye(3)[rows.X[:, 0].astype(int)]


def test_other_rows_are_pooled_with_the_same_weights():
    data = TrainingData(X, CODES, 3, more_rows=True)
    given = GivenProbabilities(np.eye(3)[CODES])
    pool = pool_models(data, [Counted(), given])
    assert pool.weights.tolist() == [model.weight for model in pool.models]
    random = np.random.default_rng(0)
    rows = NewRows(np.arange(8)[:, None] % 3, pred_proba=random.dirichlet(np.ones(3), 8))
    logs, predictions = pool_new_rows(pool.fitted, pool.weights, rows)
    probas = [np.maximum(np.eye(3)[np.arange(8) % 3], 1e-4), np.maximum(rows.pred_proba, 1e-4)]
    powers = np.prod([p**w for p, w in zip(probas, pool.weights, strict=True)], axis=0)
    expected = np.log(powers / powers.sum(axis=1, keepdims=True)).T
    assert logs.dtype == np.float64
    np.testing.assert_allclose(logs, expected, rtol=0, atol=1e-6)
    np.testing.assert_array_equal(predictions, [p.argmax(axis=1) for p in probas])


def test_predictors_are_kept_only_where_rows_follow():
    assert pool_models(DATA, [NearestRows("near")]).fitted == []


def test_a_model_that_cannot_predict_other_rows_is_named_before_any_is_fitted():
    told = []
    models = [Counted(), Fixed(GOOD[:60])]
    with pytest.raises(ValueError, match=r"'fixed' has no method cross_fit.* beyond the 60 that"):
        pool_models(TrainingData(X, CODES, 3, more_rows=True), models, progress=told.append)
    assert told == []


def test_a_predictor_that_gives_nonsense_is_named():
    with pytest.raises(ValueError, match=r"'AsGiven' must give .* shape \(60, 3\), but gave the"):
        pool_new_rows(
            [Counted(), AsGiven()], np.ones(2), NewRows(0 * X, pred_proba=np.ones((60, 2)))
        )


def test_what_is_told_of_a_row_does_not_depend_on_the_rows_beside_it():
    many, codes = blobs(300)
    data = TrainingData(many, codes, 3, more_rows=True)
    models = [RBFRidge("wide", 0.5, 50), RBFRidge("narrow", 2.0, 50), Forest("trees", True, 9, 1)]
    pool = pool_models(data, models)
    new = many + 0.2
    whole, _ = pool_new_rows(pool.fitted, pool.weights, NewRows(new))
    one_by_one = [
        pool_new_rows(pool.fitted, pool.weights, NewRows(row[None]))[0] for row in new[:50]
    ]
    np.testing.assert_allclose(np.hstack(one_by_one), whole[:, :50], rtol=0, atol=1e-8)
