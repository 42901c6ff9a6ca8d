from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.optimize import brentq
from scipy.special import log_softmax

from auditing_cases import blobs, draw_codes, draw_truth, nearly_clean, symmetric
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
    UNIFORM_LABELS,
    Calibration,
    Skill,
    calibrate,
    compute_logs,
    pool_models,
    pool_new_rows,
    pool_probabilities,
    pool_weights,
    skill_of,
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


def test_weights_of_many_rows_are_fitted_to_all_of_them():
    blurred = GOOD * np.exp(np.random.default_rng(1).normal(size=GOOD.shape))
    probas = [GOOD, blurred / blurred.sum(axis=1, keepdims=True), IDLE]
    several = [np.repeat(proba, 3, axis=0)[1:-1] for proba in probas]
    labels = np.repeat(TRUTH.labels, 3)[1:-1]
    found = pool_weights(several, labels, np.random.default_rng(0))
    again = pool_weights([p[::-1] for p in several], labels[::-1], np.random.default_rng(0))
    np.testing.assert_allclose(found, again, rtol=0, atol=1e-8)


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
    assert pool.names == ["near", "fixed"]
    assert pool.weights[0] > pool.weights[1]
    assert pool.agreement[0] == np.mean(pool.predicted[0] == CODES)
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


def mean_loss(logs, codes):
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
    assert mean_loss(logs, codes) - 0.001 < mean_loss(after, codes)
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
    assert mean_loss(sure, codes) > mean_loss(true, codes) + 0.1
    assert mean_loss(after, codes) < mean_loss(true, codes) + 0.01


def test_of_many_classes_nothing_is_fitted():
    truth = draw_truth(symmetric(60, 0.1), 200)
    assert calibrate(truth.logs, truth.labels).apply(truth.logs) is truth.logs


@pytest.mark.parametrize("n_classes", [2, 5, 10])
def test_rows_that_it_did_not_see_lose_little(n_classes):
    logs, codes = draw_probabilities(n_classes, 8000)
    seen, fresh = slice(0, 5000), slice(5000, None)
    after = calibrate(logs[:, seen], codes[seen]).apply(logs[:, fresh])
    assert mean_loss(after, codes[fresh]) < mean_loss(logs[:, fresh], codes[fresh]) + 0.01


def test_a_few_wrong_labels_are_not_explained_away():
    logs, labels = nearly_clean(10, 1000, 2, 0.95)
    right = labels.copy()
    right[:2] = (labels[:2] - 1) % 10
    wrong = (labels[:2], np.arange(2))
    after, without = (calibrate(logs, codes).apply(logs)[wrong] for codes in (labels, right))
    assert (after - without).max() < 1


def no_signal(seed, shares=(0.8, 0.15, 0.05), n=400):
    random = np.random.default_rng(seed)
    codes = random.choice(len(shares), n, p=shares)
    q = random.dirichlet(20 * np.array(shares), n)
    return np.log(q.T), codes


def test_probabilities_that_know_only_how_frequent_labels_are_have_no_skill():
    passed = sum(skill_of(*no_signal(seed)).enough for seed in range(60))
    assert passed <= 1


def test_the_same_probability_for_all_rows_has_no_skill():
    skill = skill_of(np.log(np.full((2, 50), 0.5)), np.arange(50) % 2)
    assert skill.z == 0
    assert skill.largest_frequency == 0.5


@pytest.mark.parametrize("sure", [0.7, 0.99])
def test_probabilities_that_know_the_label_have_skill(sure):
    codes = np.arange(60) % 3
    q = np.full((3, 60), (1 - sure) / 2)
    q[codes, np.arange(60)] = sure
    assert skill_of(np.log(q), codes).z == pytest.approx(np.sqrt(60 * (3 - 1)))  # the most there is
    q[:, 0] = 1 / 3
    assert 10 < skill_of(np.log(q), codes).z < np.sqrt(60 * (3 - 1))


def test_a_few_rows_it_is_too_sure_of_do_not_hide_skill():
    # Plain gain in log loss is negative here: 5 % of the rows are contradicted with certainty.
    codes = np.arange(1000) % 2
    q = np.full((2, 1000), 1e-9)
    q[np.where(np.arange(1000) < 50, 1 - codes, codes), np.arange(1000)] = 1 - 1e-9
    assert np.mean(np.log(q[codes, np.arange(1000)] / 0.5)) < 0
    assert skill_of(np.log(q), codes).enough


def test_skill_is_measured_against_permuted_labels():
    logs, codes = no_signal(1, shares=(0.5, 0.3, 0.2), n=40)
    frequencies = np.bincount(codes) / len(codes)
    told = np.log((np.exp(logs) / frequencies[:, None] + 1) / 2)
    random = np.random.default_rng(0)
    dealt = np.array([random.permutation(codes) for _ in range(20_000)])
    sums = told[dealt, np.arange(40)].sum(axis=1)
    own = told[codes, np.arange(40)].sum()
    assert skill_of(logs, codes).z == pytest.approx((own - sums.mean()) / sums.std(), abs=0.05)


def test_probabilities_that_rank_well_have_skill_however_they_are_calibrated():
    logs, codes = no_signal(2, shares=(0.5, 0.5), n=400)
    logs[codes, np.arange(400)] += 0.15
    plain = skill_of(log_softmax(logs, axis=0), codes)
    shifted = skill_of(log_softmax(logs + np.array([[0.0], [1.0]]), axis=0), codes)
    assert plain.enough
    assert shifted.enough


def test_forecasts_that_are_far_worse_than_frequencies_have_no_skill():
    logs, codes = no_signal(2, shares=(0.5, 0.5), n=400)
    logs[codes, np.arange(400)] += 0.15
    wild = skill_of(log_softmax(logs + np.array([[0.0], [4.0]]), axis=0), codes)
    assert wild.z > 3
    assert not wild.enough


def test_skill_begins_at_3_standard_errors():
    assert not Skill(2.99, 0.5).enough
    assert Skill(3.01, 0.5).enough


def test_rows_of_one_unit_count_once():
    # Labels that last do not make chance more than chance: 20 runs of 50 rows are 20 rows.
    def z(seed, with_units):
        logs, codes = no_signal(seed, shares=(0.5, 0.5), n=20)
        units = np.repeat(np.arange(20), 50)
        return skill_of(logs[:, units], codes[units], units if with_units else None).z

    assert sum(z(seed, with_units=False) >= 3 for seed in range(60)) > 10
    assert sum(z(seed, with_units=True) >= 3 for seed in range(60)) <= 2


def test_units_of_one_row_change_nothing():
    logs, codes = no_signal(0)
    by_units = skill_of(logs, codes, np.arange(len(codes)))
    assert by_units.z == pytest.approx(skill_of(logs, codes).z, rel=1e-12)


def test_a_row_told_fifty_times_has_the_skill_of_one():
    logs, codes = no_signal(3, shares=(0.5, 0.5), n=40)
    units = np.repeat(np.arange(40), 50)
    alone = skill_of(logs, codes).z
    assert abs(alone) > 0.1
    assert skill_of(logs[:, units], codes[units], units).z == pytest.approx(alone, rel=1e-9)
