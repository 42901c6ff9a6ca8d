import numpy as np
import pytest

from auditing.target_cases import QUICK, straight
from errata.auditing.numbers import TargetRows, find_wrong_targets
from errata.auditing.numbers._finding import estimate_membership, may_be_logs
from errata.auditing.numbers._task import (
    TargetScale,
    clip_far_targets,
    find_copies,
    find_repeated_values,
    join_copies,
    rounding_step,
)


def test_an_atom_is_frequent_and_stands_out():
    random = np.random.default_rng(0)
    amounts = random.exponential(size=200)
    assert find_repeated_values(amounts).tolist() == []
    assert find_repeated_values(np.where(np.arange(200) < 9, 0, amounts)).tolist() == []  # too few
    assert find_repeated_values(np.where(np.arange(200) < 11, 0, amounts)).tolist() == [0]
    assert find_repeated_values(np.r_[amounts, np.full(90, np.nan), np.zeros(20)]).tolist() == [0]
    assert find_repeated_values(np.minimum(amounts, 1)).tolist() == [1]
    both = np.where(np.arange(200) < 60, 0, np.minimum(amounts, 2))
    assert find_repeated_values(both).tolist() == [0, 2]


@pytest.mark.parametrize("targets", [np.arange(300) % 10, np.arange(300) % 3 // 2, np.ones(300)])
def test_ratings_classes_and_constants_hold_none(targets):
    assert find_repeated_values(targets.astype(float)).tolist() == []


def test_so_many_rows_are_left_that_they_can_be_judged():
    rest = np.arange(1.0, 15.0)
    assert find_repeated_values(np.r_[np.zeros(50), rest]).tolist() == []
    assert find_repeated_values(np.r_[np.zeros(50), rest, 15.0]).tolist() == [0]


def test_the_most_frequent_of_few_levels_is_none_unless_it_is_the_last():
    levels = np.repeat([-2.0, -1, 0, 1, 2], [10, 20, 90, 20, 10])
    assert find_repeated_values(levels).tolist() == []
    assert find_repeated_values(0.1 * levels).tolist() == []
    assert find_repeated_values(np.where(levels == 0, 9, levels)).tolist() == [9]
    counts = np.where(levels < 0, 0, levels)
    assert find_repeated_values(counts).tolist() == [0]
    assert find_repeated_values(np.r_[counts, -1, -2]).tolist() == [0]  # whose sign is wrong


def told_by_a_column(n=400, noise=0.0):
    random = np.random.default_rng(0)
    X = random.normal(size=(n, 4))
    at_zero = X[:, 1] + noise * random.normal(size=n) > 0.3
    return X, np.where(at_zero, 0.0, 20 + X[:, 0] + random.normal(size=n))


def test_trees_are_believed_where_they_know():
    X, y = told_by_a_column()
    kinds, p, share = estimate_membership(TargetRows(X, y), np.array([0.0]))
    assert kinds.tolist() == (y != 0).astype(int).tolist()
    np.testing.assert_allclose(share, [np.mean(y == 0), np.mean(y != 0)], rtol=1e-12)
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-12)
    assert np.mean(p.argmax(axis=1) == kinds) > 0.95
    assert p[X[:, 1] > 1, 0].min() > 0.9


def test_and_not_where_nothing_tells():
    X, y = told_by_a_column()
    other = np.random.default_rng(1).normal(size=X.shape)
    kinds, p, share = estimate_membership(TargetRows(other, y), [0.0])
    assert np.abs(p - share).max() < 0.35
    assert np.abs(np.log(share[kinds] / p[np.arange(len(y)), kinds])).mean() < 0.3


def test_a_row_has_no_say_in_what_it_should_hold():
    X, y = told_by_a_column()
    row = int(X[:, 1].argmin())
    other = y.copy()
    other[row] = 0.0
    _, p, _ = estimate_membership(TargetRows(X, y), np.array([0.0]))
    assert p[row, 0] < 0.05
    _, changed, _ = estimate_membership(TargetRows(X, other), np.array([0.0]))
    assert changed[row, 0] < 0.1


def test_rows_without_a_target_and_predictions_alone():
    X, y = told_by_a_column()
    y[:20] = np.nan
    _, p, _ = estimate_membership(TargetRows(None, y, predictions=X[:, 1]), np.array([0.0]))
    assert p.shape == (400, 2)
    assert np.mean((p[:20, 0] > 0.5) == (X[:20, 1] > 0.3)) > 0.8


def test_without_any_column_every_row_is_like_all_others():
    _, y = told_by_a_column()
    _, p, share = estimate_membership(TargetRows(np.empty((400, 0)), y), np.array([0.0]))
    assert np.abs(p - share).max() < 0.1


def doubled(n=100):
    X, y = straight(n)
    return np.vstack([X, X]), np.r_[y, y]


def test_doubled_rows_are_copies():
    X, y = doubled()
    np.testing.assert_array_equal(find_copies(X, y), np.tile(np.arange(100), 2))


def test_rows_that_differ_are_not():
    assert find_copies(*straight(100)) is None


def test_equal_features_with_targets_of_their_own_are_not():
    X, y = doubled()
    assert find_copies(X, y + np.random.default_rng(0).normal(size=200)) is None
    coarse = np.random.default_rng(0).integers(0, 2, size=200).astype(float)
    assert find_copies(X, coarse) is None  # two of three such pairs are equal by chance, too


def test_copies_are_joined_with_the_groups_of_the_user():
    X, y = doubled(3)
    groups, copies = join_copies(X, y, np.array([0, 1, 1, 2, 3, 4]))
    np.testing.assert_array_equal(copies, [0, 1, 2, 0, 1, 2])
    np.testing.assert_array_equal(groups, [0, 1, 1, 0, 1, 1])
    groups, copies = join_copies(X, y, np.array([0, 0, 0, 0, 0, 1]))
    assert copies is None  # one group would be left, and nothing to learn from
    np.testing.assert_array_equal(groups, [0, 0, 0, 0, 0, 1])


def test_an_error_is_not_confirmed_by_its_copy():
    X, y = doubled()
    y[[7, 107]] += 20
    found = find_wrong_targets(TargetRows(X, y, **QUICK))
    assert found.p_wrong[[7, 107]].min() > 0.9
    assert set(np.argsort(found.suspicion)[-2:]) == {7, 107}
    assert found.notes[0].startswith("200 rows are equal to another row, or nearly (100 groups).")
    assert found.notes[0].endswith("confirm each other's target.")


@pytest.mark.parametrize("logs", [False, True])
def test_undoing_gives_the_targets_back(logs):
    y = np.random.default_rng(0).lognormal(size=100)
    scale = TargetScale(y, logs=logs)
    np.testing.assert_allclose(scale.undo(scale.apply(y)), y, rtol=1e-12)
    assert np.median(scale.apply(y)) == pytest.approx(0, abs=1e-12)


def test_normal_targets_keep_their_deviation():
    y = 5 + 3 * np.random.default_rng(0).normal(size=20_000)
    assert TargetScale(y).spread == pytest.approx(3, rel=0.03)


def test_of_many_equal_targets_the_deviation_is_the_scale():
    y = np.r_[np.zeros(90), np.arange(10.0)]
    assert TargetScale(y).spread == pytest.approx(y.std())


def test_far_values_start_from_ten_scales_beyond_the_quartiles():
    values = np.r_[np.linspace(-1, 1, 101), 1e6]
    clipped = clip_far_targets(values)
    np.testing.assert_allclose(clipped[:-1], values[:-1], rtol=0, atol=0)
    assert clipped[-1] == pytest.approx(np.quantile(values, 0.75) + 10)


def test_slopes_are_derivatives():
    y = np.random.default_rng(0).lognormal(size=50)
    for logs in (False, True):
        scale = TargetScale(y, logs=logs)
        slope = (scale.apply(y * (1 + 1e-6)) - scale.apply(y)) / (1e-6 * y)
        np.testing.assert_allclose(np.exp(scale.log_slope(y)), slope, rtol=1e-4)


def test_targets_that_are_not_positive_count_as_a_small_one():
    y = np.r_[np.random.default_rng(0).lognormal(size=99), -5.0]
    scale = TargetScale(y, logs=True)
    assert np.isfinite(scale.apply(y)).all()
    assert scale.apply(y).argmin() == 99


def test_logarithms_are_tried_where_targets_are_positive_and_skewed():
    random = np.random.default_rng(0)
    skewed = random.lognormal(size=200)
    assert may_be_logs(skewed)
    assert may_be_logs(np.r_[skewed, -1.0])  # a sign may be wrong
    assert not may_be_logs(np.r_[skewed, np.zeros(50)])
    assert not may_be_logs(10 + random.normal(size=5000))
    assert not may_be_logs(100 - skewed)


@pytest.mark.parametrize("step", [0.25, 1.0, 8.0])
def test_the_step_is_found_among_errors_that_are_not_rounded(step):
    random = np.random.default_rng(0)
    targets = step * np.round(random.normal(size=300) * 3)
    targets[:30] = random.uniform(-20, 20, size=30)
    assert rounding_step(targets) == pytest.approx(step, rel=1e-6)
    shifted = targets * (1 + 1e-13 * random.uniform(-1, 1, size=300))
    assert rounding_step(shifted) == pytest.approx(step, rel=1e-6)


def test_measured_targets_have_no_step_and_doubled_ones_a_small_one():
    targets = np.random.default_rng(0).normal(size=300)
    assert rounding_step(targets) == 0
    assert rounding_step(np.r_[targets, targets[:90]]) == 0
    assert rounding_step(np.repeat(targets, 2)) < 0.02
    assert rounding_step(np.where(targets > 0, 0, targets)) == 0  # one value that many rows share
