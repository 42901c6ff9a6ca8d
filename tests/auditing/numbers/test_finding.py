import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from auditing.target_cases import QUICK, friedman, straight, swapped
from errata.auditing.numbers import BroughtPredictions, find_wrong_targets
from errata.auditing.numbers._finding import error_kinds
from errata.auditing.results._flags import draw_flags
from strategies import ONE_SEED


@pytest.mark.parametrize("seed", ONE_SEED[:3])
def test_nothing_is_wrong_with_clean_targets(seed):
    X, y = friedman(seed=seed)
    found = find_wrong_targets(X, y, seed=seed)
    assert found.has_skill
    assert found.noise_rate.estimate < 0.01
    assert not draw_flags(found.p_wrong, found.suspicion).flagged.any()


@pytest.mark.parametrize("seed", ONE_SEED[:3])
def test_noise_that_is_uneven_is_no_error(seed):
    X, y = friedman(seed=seed)
    wide = X[:, 7] > 0
    y = y + np.where(wide, 2.83, 0) * np.random.default_rng(seed).normal(size=len(y))
    found = find_wrong_targets(X, y, seed=seed)
    assert found.noise_rate.estimate < 0.02
    assert not draw_flags(found.p_wrong, found.suspicion).flagged.any()
    assert np.median(found.local_scale[wide]) > 1.2 * np.median(found.local_scale[~wide])


def test_swapped_targets_are_found_and_predicted():
    X, y = friedman(400)
    noisy, wrong = swapped(y, 40)
    found = find_wrong_targets(X, noisy)
    assert average_precision_score(wrong, found.suspicion) > 0.6
    low, estimate, high = found.noise_rate.low, found.noise_rate.estimate, found.noise_rate.high
    assert low < wrong.mean() < high
    assert abs(estimate - wrong.mean()) < 0.05
    assert np.median(np.abs(found.predicted - y)[wrong]) < 1.5
    inside = (found.low <= y) & (y <= found.high)
    assert 0.85 < inside[~wrong].mean() < 0.97


def test_shifting_and_stretching_targets_changes_nothing_else():
    X, y = straight()
    y, _ = swapped(y, 20)
    one, other = (find_wrong_targets(X, t, brought=QUICK) for t in (y, 1000 * y - 7))
    np.testing.assert_allclose(other.p_wrong, one.p_wrong, rtol=0, atol=1e-6)
    np.testing.assert_allclose(other.predicted, 1000 * one.predicted - 7, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(other.high, 1000 * one.high - 7, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(other.score, one.score, rtol=0, atol=1e-6)


def test_rows_without_a_target_are_predicted_and_never_suspected():
    X, y = straight(200)
    holes = np.arange(200) % 4 == 1
    found = find_wrong_targets(X, np.where(holes, np.nan, y), brought=QUICK)
    assert np.corrcoef(found.predicted[holes], y[holes])[0, 1] > 0.99
    assert (found.p_wrong[holes] == 0).all()
    assert (found.suspicion[holes] == 0).all()
    assert (found.low < found.high).all()
    whole = find_wrong_targets(X[~holes], y[~holes], brought=QUICK)
    np.testing.assert_allclose(found.p_wrong[~holes], whole.p_wrong, rtol=0, atol=0.05)


def test_targets_that_are_certain_are_believed():
    X, y = straight(200)
    y[5] += 40
    known = np.arange(200) == 5
    assert find_wrong_targets(X, y, brought=QUICK).p_wrong[5] > 0.9
    found = find_wrong_targets(X, y, brought=QUICK, known=known)
    assert found.p_wrong[5] == 0
    assert found.suspicion[5] == found.suspicion.min()


def test_predictions_alone_are_enough():
    X, y = straight(200)
    y[3] -= 30
    told = np.column_stack([X.sum(axis=1), np.zeros(200)])
    found = find_wrong_targets(None, y, brought=BroughtPredictions(predictions=told))
    assert [model["name"] for model in found.models] == ["your predictions 1", "your predictions 2"]
    assert found.models[0]["r2"] > 0.9
    assert found.suspicion.argmax() == 3
    np.testing.assert_allclose(found.predicted[3], X[3].sum(), rtol=0, atol=0.5)


@pytest.mark.parametrize("seed", ONE_SEED)
def test_columns_that_tell_nothing_accuse_nobody(seed):
    random = np.random.default_rng(seed)
    X, y = random.normal(size=(200, 5)), random.normal(size=200)
    y[:3] = 50
    found = find_wrong_targets(X, y, seed=seed)
    assert not found.has_skill
    assert found.p_wrong.max() <= 0.05
    assert (found.noise_rate.low, found.noise_rate.high) == (0, 1)
    assert set(np.argsort(found.suspicion)[-3:]) == {0, 1, 2}  # still ranked first


def test_a_rare_regime_far_from_the_rest_is_not_taken_for_errors():
    # A twentieth of the rows, told by a column, is at 0 and all others near 90.
    random = np.random.default_rng(0)
    X = random.normal(size=(500, 4))
    rare = np.arange(500) < 25
    X[:, 0] = np.where(rare, 4, -0.2)
    y = np.where(rare, 0, 90) + random.normal(size=500)
    found = find_wrong_targets(X, y)
    assert found.noise_rate.estimate < 0.02
    assert found.p_wrong[rare].max() < 0.5


def test_kinds_are_named_where_one_has_two_thirds():
    kinds = error_kinds(np.array([0.9, 0.5, 0.1]))
    assert kinds.tolist() == ["swap", "unclear", "gross"]


def test_a_constant_target_is_refused():
    with pytest.raises(ValueError, match="all targets are 3, so that none can be wrong"):
        find_wrong_targets(np.zeros((50, 2)), np.full(50, 3.0))


def test_progress_is_told():
    X, y = straight(60)
    told = []
    find_wrong_targets(X, y, brought=QUICK, progress=told.append)
    assert list(map(str, told)) == ["fitting line: 0 of 1 models", "computing the posterior"] * 2
