import numpy as np
import pytest
from scipy.optimize import nnls
from sklearn.metrics import average_precision_score

import errata
from auditing.target_cases import QUICK, friedman, straight, swapped
from errata.auditing.numbers import TargetRows, check_targets, find_wrong_targets
from errata.auditing.numbers._finding import (
    HUBER_RIDGE,
    error_kinds,
    estimate_rate,
    huber_weights,
    measure_skill,
    plant_swaps,
    pool_predictions,
    rate_notes,
)
from errata.auditing.numbers._noise_model import TARGET_RATES
from errata.auditing.results._flags import draw_flags
from strategies import ONE_SEED, SEEDS


@pytest.mark.parametrize("seed", ONE_SEED[:3])
def test_nothing_is_wrong_with_clean_targets(seed):
    X, y = friedman(seed=seed)
    found = find_wrong_targets(TargetRows(X, y, seed=seed))
    assert found.has_skill
    assert found.noise_rate.estimate < 0.01
    assert not draw_flags(found.p_wrong, found.suspicion)[0].any()


@pytest.mark.parametrize("seed", ONE_SEED[:3])
def test_noise_that_is_uneven_is_no_error(seed):
    X, y = friedman(seed=seed)
    wide = X[:, 7] > 0
    y = y + np.where(wide, 2.83, 0) * np.random.default_rng(seed).normal(size=len(y))
    found = find_wrong_targets(TargetRows(X, y, seed=seed))
    assert found.noise_rate.estimate < 0.02
    assert not draw_flags(found.p_wrong, found.suspicion)[0].any()
    assert np.median(found.local_scale[wide]) > 1.2 * np.median(found.local_scale[~wide])


def test_swapped_targets_are_found_and_predicted():
    X, y = friedman(400)
    noisy, wrong = swapped(y, 40)
    found = find_wrong_targets(TargetRows(X, noisy))
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
    one, other = (find_wrong_targets(TargetRows(X, t, **QUICK)) for t in (y, 1000 * y - 7))
    np.testing.assert_allclose(other.p_wrong, one.p_wrong, rtol=0, atol=1e-6)
    np.testing.assert_allclose(other.predicted, 1000 * one.predicted - 7, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(other.high, 1000 * one.high - 7, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(other.score, one.score, rtol=0, atol=1e-6)


def test_rows_without_a_target_are_predicted_and_never_suspected():
    X, y = straight(200)
    holes = np.arange(200) % 4 == 1
    found = find_wrong_targets(TargetRows(X, np.where(holes, np.nan, y), **QUICK))
    assert np.corrcoef(found.predicted[holes], y[holes])[0, 1] > 0.99
    assert (found.p_wrong[holes] == 0).all()
    assert (found.suspicion[holes] == 0).all()
    assert (found.low < found.high).all()
    whole = find_wrong_targets(TargetRows(X[~holes], y[~holes], **QUICK))
    np.testing.assert_allclose(found.p_wrong[~holes], whole.p_wrong, rtol=0, atol=0.05)


def test_targets_that_are_certain_are_believed():
    X, y = straight(200)
    y[5] += 40
    known = np.arange(200) == 5
    assert find_wrong_targets(TargetRows(X, y, **QUICK)).p_wrong[5] > 0.9
    found = find_wrong_targets(TargetRows(X, y, **QUICK, known=known))
    assert found.p_wrong[5] == 0
    assert found.suspicion[5] == found.suspicion.min()


def test_predictions_alone_are_enough():
    X, y = straight(200)
    y[3] -= 30
    told = np.column_stack([X.sum(axis=1), np.zeros(200)])
    found = find_wrong_targets(TargetRows(None, y, predictions=told))
    assert [model["name"] for model in found.models] == ["your predictions 1", "your predictions 2"]
    assert found.models[0]["r2"] > 0.9
    assert found.suspicion.argmax() == 3
    np.testing.assert_allclose(found.predicted[3], X[3].sum(), rtol=0, atol=0.5)


@pytest.mark.parametrize("seed", ONE_SEED)
def test_columns_that_tell_nothing_accuse_nobody(seed):
    random = np.random.default_rng(seed)
    X, y = random.normal(size=(200, 5)), random.normal(size=200)
    y[:3] = 50
    found = find_wrong_targets(TargetRows(X, y, seed=seed))
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
    found = find_wrong_targets(TargetRows(X, y))
    assert found.noise_rate.estimate < 0.02
    assert found.p_wrong[rare].max() < 0.5


def test_kinds_are_named_where_one_has_two_thirds():
    kinds = error_kinds(np.array([0.9, 0.5, 0.1]))
    assert kinds.tolist() == ["swap", "unclear", "gross"]


def test_a_constant_target_is_refused():
    with pytest.raises(ValueError, match="all targets are 3, so that none can be wrong"):
        find_wrong_targets(TargetRows(np.zeros((50, 2)), np.full(50, 3.0)))


def test_progress_is_told():
    X, y = straight(60)
    told = []
    find_wrong_targets(TargetRows(X, y, **QUICK), told.append)
    assert list(map(str, told)) == ["fitting line: 0 of 1 models", "computing the posterior"] * 2


def predictions(n=300, seed=0):
    random = np.random.default_rng(seed)
    truth = random.normal(size=n)
    return np.stack([truth + s * random.normal(size=n) for s in (0.3, 0.6, 2.0)]), truth


def test_without_a_bend_weights_are_those_of_ridge_regression():
    told, truth = predictions()
    weight = np.random.default_rng(1).uniform(0.1, 1, len(truth))
    delta = 10.0  # no residual is as large
    found = huber_weights(told.T, truth, weight, delta=delta)
    penalty = 2 * HUBER_RIDGE * weight.sum() * delta**2
    F = np.vstack([np.sqrt(weight)[:, None] * told.T, np.sqrt(penalty) * np.eye(3)])
    expected = nnls(F, np.r_[np.sqrt(weight) * truth, np.zeros(3)])[0]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8)


def test_wrong_targets_hardly_move_the_weights():
    told, truth = predictions(2000)
    noisy = truth.copy()
    noisy[:200] = 50
    random = np.random.default_rng(0)
    _, clean = pool_predictions(told, truth, np.ones(2000), random)
    _, moved = pool_predictions(told, noisy, np.ones(2000), random)
    # Least squares gives the best model a weight off by more than one.
    np.testing.assert_allclose(moved, clean, rtol=0, atol=0.25)


def test_no_weight_is_negative_and_rows_without_targets_are_pooled():
    told, truth = predictions()
    told[2] = -truth
    predicted, weights = pool_predictions(told, truth[:200], np.ones(200), np.random.default_rng(0))
    assert (weights >= 0).all()
    assert weights[2] == 0
    assert predicted.shape == (300,)
    center = truth[:200].mean()
    expected = center + weights @ (told - center)
    np.testing.assert_allclose(predicted, expected, rtol=1e-12)


def test_a_model_without_any_error_gets_all_the_weight():
    told, truth = predictions()
    told[1] = truth
    predicted, _ = pool_predictions(told, truth, np.ones(300), np.random.default_rng(0))
    np.testing.assert_allclose(predicted, truth, rtol=0, atol=1e-2)


@pytest.mark.parametrize("seed", range(5))
def test_beside_a_perfect_model_the_search_does_not_stop_at_others_that_come_near(seed):
    random = np.random.default_rng(seed)
    truth = random.normal(size=150)
    off = np.array([4e-4, 2e-3, 1.5e-2, 1.7e-2, 1.2e-2, 5e-13, 0.1])
    told = truth[:, None] + off * random.standard_t(2, size=(150, 7))
    found = huber_weights(told, truth, np.ones(150), delta=1e-3)
    assert np.abs(told @ found - truth).max() < 1e-4


def certain(place):
    return np.eye(len(TARGET_RATES) + 1)[1:][place]


def test_the_interval_is_wider_than_both_posteriors():
    low, high = TARGET_RATES[20], TARGET_RATES[40]  # below a quarter both
    rate = estimate_rate(np.array([certain(20), certain(40)]), 1.0)
    assert rate.estimate == pytest.approx((low + high) / 2)
    assert rate.low == pytest.approx(max(0, low / 1.5 - 0.02))
    assert rate.high == pytest.approx(high * 1.5 + 0.02)


def test_a_rate_that_cannot_be_told_may_be_none_and_a_note_says_so():
    many = estimate_rate(certain(-1)[None], 1.0)
    assert (many.estimate, many.low) == (pytest.approx(0.5), 0)
    (note,) = rate_notes(many)
    assert note.startswith("50% of the targets look wrong.")
    few = estimate_rate(certain(40)[None], 1.0)
    assert few.low > 0
    assert rate_notes(few) == []


def test_more_may_hide_where_less_is_explained():
    explained, half = (estimate_rate(certain(10)[None], r2) for r2 in (1.0, 0.5))
    assert half.high == pytest.approx(explained.high + 0.05)
    assert half.low == explained.low


def test_that_nothing_is_wrong_counts():
    none = np.eye(len(TARGET_RATES) + 1)[0]
    doubtful = 0.5 * none + 0.5 * certain(30)
    rate = estimate_rate(np.array([doubtful, doubtful]), 1.0)
    assert rate.estimate == pytest.approx(TARGET_RATES[30] / 2)
    assert rate.low == 0
    assert rate.high == pytest.approx(TARGET_RATES[30] * 1.5 + 0.02)
    nothing = 0.99 * none + 0.01 * certain(30)
    assert estimate_rate(nothing[None], 1.0).high == pytest.approx(0.02)


def test_the_interval_stays_between_none_and_all():
    rate = estimate_rate(np.array([certain(0), certain(-1)]), -3.0)
    assert rate.low == 0
    assert rate.high <= 1


def first_round(targets, predicted):
    """Residuals, and what is predicted of one row more."""
    return targets - predicted, np.r_[predicted, 0.0]


@pytest.mark.parametrize("seed", SEEDS)
def test_medians_of_skewed_targets_are_no_skill(seed):
    targets = np.random.default_rng(seed).exponential(size=2000)
    assert targets.mean() - np.median(targets) > 0.2
    assert measure_skill(*first_round(targets, np.full(2000, np.median(targets)))) < 2


def test_predictions_are():
    random = np.random.default_rng(0)
    truth = random.normal(size=200)
    assert measure_skill(*first_round(truth + random.normal(size=200), truth)) > 4


def test_rows_of_one_unit_count_once():
    random = np.random.default_rng(0)
    truth = random.normal(size=50)
    noisy = truth + 2 * random.normal(size=50)
    once = measure_skill(*first_round(noisy, truth))
    tenfold = first_round(np.repeat(noisy, 10), np.repeat(truth, 10))
    assert measure_skill(*tenfold) > 2 * once
    assert measure_skill(*tenfold, np.repeat(np.arange(50), 10)) == pytest.approx(once, rel=0.05)


def test_the_mean_itself_has_none():
    assert measure_skill(*first_round(np.zeros(10), np.zeros(10))) == 0


def spoilt(n=350, seed=0):
    """Amounts that are 0 in a third of the rows, told by one column but for some."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 6))
    none = random.random(n) < 1 / (1 + np.exp(1.5 - 3 * X[:, 5]))
    return X, np.where(none, 0, 20 + 4 * X[:, :3].sum(axis=1) + random.normal(size=n))


def flagged(found):
    return draw_flags(found.p_wrong, found.suspicion)[0]


AWKWARD = {
    "zeros": lambda f, r: np.where(r.random(len(f)) < 0.3 * (f > 0), 0, np.exp(f / 2)),
    "cut at zero": lambda f, r: np.maximum(0, f + r.normal(size=len(f))),
    "capped": lambda f, r: np.minimum(f + r.normal(size=len(f)), 2),
    "rounded": lambda f, r: 4 * np.round((f + r.normal(size=len(f))) / 4),
    "ratings": lambda f, r: np.clip(np.round(5 + f + r.normal(size=len(f))), 1, 10),
    "long tails": lambda f, r: f + r.standard_t(3, size=len(f)),
    "counts": lambda f, r: r.poisson(np.exp(0.5 + f / 4)).astype(float),
}


@pytest.mark.parametrize("shape", AWKWARD)
def test_right_targets_of_any_shape_are_hardly_flagged(shape):
    fractions = []
    for seed in range(4):
        random = np.random.default_rng(seed)
        X = random.normal(size=(350, 5))
        y = AWKWARD[shape](2 * X[:, 0] + X[:, 1] - X[:, 2], random)
        found = find_wrong_targets(TargetRows(X, y, **QUICK, seed=seed))
        fractions.append(flagged(found).mean())
        assert found.noise_rate.low == 0
    assert np.mean(fractions) <= 0.01  # half of what a single table was allowed


def test_errors_are_found_among_zeros_and_among_the_others():
    X, y = spoilt()
    zero = y == 0
    wrong = np.zeros(350, dtype=bool)
    sure = 3 * X[:, 5] - 1.5
    wrong[np.argsort(sure)[:4]] = True  # amounts beyond doubt, recorded as 0
    noisy = np.where(wrong, 0.0, y)
    gross = np.flatnonzero(~zero & ~wrong)[:10]
    noisy[gross] *= 4
    wrong[gross] = True
    found = find_wrong_targets(TargetRows(X, noisy, **QUICK))
    assert average_precision_score(wrong, found.suspicion) > 0.8
    assert flagged(found)[gross].all()
    lost = np.flatnonzero(wrong & (noisy == 0))
    assert (found.predicted[lost] > 10).all()
    assert (found.error_kind[lost] == "swap").all()
    assert found.noise_rate.low < wrong.mean() < found.noise_rate.high


def test_what_is_expected_is_an_atom_where_that_is_likeliest():
    X, y = spoilt()
    y[:2] = np.nan
    found = find_wrong_targets(TargetRows(X, y, **QUICK))
    at_zero = found.predicted == 0
    assert np.mean(at_zero[2:] == (y[2:] == 0)) > 0.8
    assert (found.low <= found.predicted).all()
    assert (found.predicted <= found.high).all()
    told = np.isfinite(y)
    assert np.mean((found.low <= y)[told] & (y <= found.high)[told]) > 0.85
    assert (found.p_wrong[:2] == 0).all()
    assert (found.score[:2] == 0).all()
    assert (found.score[at_zero & (y == 0)] == 0).all()
    (note,) = [note for note in found.notes if note.startswith("Many rows share 0 (3")]
    assert "judged on its own" in note


def test_certain_targets_are_believed_whatever_they_hold():
    X, y = spoilt()
    row = int(X[:, 5].argmin())
    y[row] = 0
    found = find_wrong_targets(TargetRows(X, y, **QUICK, known=np.arange(350) == row))
    assert found.p_wrong[row] == 0
    assert found.suspicion[row] == found.suspicion.min()


def test_planted_errors_are_looked_for_among_repeated_values_too():
    X, y = spoilt()
    found = find_wrong_targets(TargetRows(X, y, **QUICK))
    check = check_targets(TargetRows(X, y, **QUICK), found)
    assert check.lift
    assert check.found > check.by_value + 3


def test_an_audit_notes_repeated_values():
    X, y = spoilt()
    audit = errata.audit_targets(
        X,
        y.round(1),
        self_check=False,
        estimators=[],
        random_state=0,
        predictions=20 + 4 * X[:, :3].sum(axis=1),
    )
    assert any(note.startswith("Many rows share 0") for note in audit.notes)
    assert audit.flagged.mean() < 0.02


def test_swaps_come_from_trusted_rows_and_move_the_target():
    targets = np.r_[np.zeros(50), np.ones(50)]
    p_wrong = np.r_[np.zeros(50), np.ones(50)]  # ones are not believed
    known = np.arange(100) % 10 == 0
    changed, planted = plant_swaps(targets, p_wrong, known, 40, np.random.default_rng(0))
    assert not planted[known].any()
    assert (changed[planted] == 0).all()
    assert (targets[planted] == 1).all()  # a zero in place of a zero is no error
    np.testing.assert_allclose(changed[~planted], targets[~planted], rtol=0, atol=0)


def test_planted_errors_are_found_where_the_columns_tell():
    X, y = straight(300)
    found = find_wrong_targets(TargetRows(X, y, **QUICK))
    check = check_targets(TargetRows(X, y, **QUICK, seed=1), found)
    assert (check.injected, check.repeats) == (30, 2)
    assert check.found >= 25 > check.by_value
    assert check.lift
    assert check.average_precision > 0.9
    assert check.median_error < 0.2 < 1 < check.planted_error
    assert "of 30 planted errors are among the" in repr(check)


def test_the_list_is_a_tenth_longer_than_the_errors_it_should_hold():
    X, y = straight(300)
    y[:20] += 5
    audit = errata.audit_targets(X, y, **QUICK, random_state=0)
    check = audit.self_check
    assert audit.p_wrong.sum() > 15
    assert check.top == np.ceil(1.1 * (check.injected + audit.p_wrong.sum()))


def test_the_list_is_no_longer_than_the_table():
    X, y = straight(30)
    half = np.arange(30) % 2.0  # as many are expected to be wrong as are planted: all
    found = find_wrong_targets(TargetRows(X, y, **QUICK))._replace(p_wrong=half)
    assert check_targets(TargetRows(X, y, **QUICK), found).top == 30


def test_there_is_no_lift_where_they_do_not():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(300, 3)), random.normal(size=300)
    found = find_wrong_targets(TargetRows(X, y, **QUICK))
    check = check_targets(TargetRows(X, y, **QUICK), found)
    assert not check.lift
    assert check.average_precision is None


def test_rows_without_a_target_are_left_alone():
    X, y = straight(200)
    y[::4] = np.nan
    found = find_wrong_targets(TargetRows(X, y, **QUICK))
    assert check_targets(TargetRows(X, y, **QUICK), found).injected == 20


def test_large_tables_are_checked_by_some_of_their_rows(monkeypatch):
    monkeypatch.setattr("errata.auditing.numbers._finding.CHECKED_ROWS", 300)
    monkeypatch.setattr("errata.auditing.numbers._finding.CHECK_SAMPLE", 250)
    X, y = straight(400)
    found = find_wrong_targets(TargetRows(X, y, **QUICK))
    assert check_targets(TargetRows(X, y, **QUICK), found).injected == 25


def test_too_few_rows_are_not_checked():
    X, y = straight(40)
    found = find_wrong_targets(TargetRows(X, y, **QUICK))
    known = np.ones(40, dtype=bool)
    known[:3] = False
    assert check_targets(TargetRows(X, y, **QUICK, known=known), found) is None


@pytest.mark.parametrize("seed", [0, 1])
def test_the_same_seed_plants_the_same_errors(seed):
    X, y = straight(100)
    found = find_wrong_targets(TargetRows(X, y, **QUICK))
    one, other = (check_targets(TargetRows(X, y, **QUICK, seed=seed), found) for _ in range(2))
    assert one == other
