import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    PredefinedSplit,
    ShuffleSplit,
    TimeSeriesSplit,
)

from elm import naive_ridge
from errata.elm import _hidden_layer
from errata.elm._fit import gather, predict_outside
from errata.elm._hidden_layer import HiddenRows, draw_layer
from errata.elm._out_of_sample import make_held_out_folds, predict_left_out
from strategies import seeds

N = 24


def make_rows(m, *, q=2, weighted=False, n=N, block_size=7, seed=0):
    """Rows of a real hidden layer, whose units are nearly collinear."""
    random = np.random.RandomState(seed)
    X = random.normal(size=(n, 3))
    T = np.column_stack([np.sin(X @ random.normal(size=3)) for _ in range(q)])
    T += 0.3 * random.normal(size=T.shape)
    layer = draw_layer(
        3,
        n_hidden=m,
        activation="erf",
        weight_distribution="normal",
        weight_scale=1.0,
        random_state=seed,
    )
    weight = random.uniform(0.2, 2, size=n) if weighted else None
    return HiddenRows(layer, X, T, weight, block_size=block_size)


def predicted(rows, folds, alpha, *, fit_intercept=True, record_all=False):
    sums = gather(rows, folds, fit_intercept=fit_intercept, record_all=record_all)
    return predict_outside(sums.system.solved(alpha), sums, rows)[:2]


@pytest.mark.parametrize("m", [6, 40], ids=["n > m", "n < m"])
@pytest.mark.parametrize("q", [1, 3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("alpha", [1e-2, 1.0])
def test_leave_one_out_equals_refitting(m, q, weighted, fit_intercept, alpha):  # C4
    rows = make_rows(m, q=q, weighted=weighted)
    found, _ = predicted(rows, [], alpha, fit_intercept=fit_intercept)
    expected = naive_ridge.leave_one_out(
        rows.take().hidden, rows.target, alpha, weight=rows.weight, fit_intercept=fit_intercept
    )
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)


@given(
    seed=seeds,
    n_folds=st.integers(2, N),
    m=st.sampled_from([3, 6, 40]),
    weighted=st.booleans(),
    fit_intercept=st.booleans(),
)
def test_folds_of_any_number_and_size_equal_refitting(
    seed, n_folds, m, weighted, fit_intercept
):  # C5: the route by sums, the route by one factor, both in one, and refitting
    rows = make_rows(m, weighted=weighted)
    cuts = np.random.RandomState(seed).permutation(np.arange(1, N))[: n_folds - 1]
    folds = np.split(np.random.RandomState(seed).permutation(N), np.sort(cuts))
    expected = naive_ridge.held_out(
        rows.take().hidden, rows.target, 0.1, folds, weight=rows.weight, fit_intercept=fit_intercept
    )
    for record_all in (False, True):
        found, _ = predicted(rows, folds, 0.1, fit_intercept=fit_intercept, record_all=record_all)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("kept", [0, 2**28], ids=["computed anew", "kept"])
@pytest.mark.parametrize("block_size", [1, 5, 24, 1000])
def test_blocks_do_not_matter(monkeypatch, kept, block_size):  # C7
    monkeypatch.setattr(_hidden_layer, "KEPT_BYTES", kept)
    folds = np.array_split(np.arange(N), 3)
    whole, some = make_rows(6, block_size=N), make_rows(6, block_size=block_size)
    for chosen in ([], folds):
        expected, found = predicted(whole, chosen, 0.1)[0], predicted(some, chosen, 0.1)[0]
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_folds_without_a_ridge_equal_refitting():
    rows = make_rows(5)
    folds = np.array_split(np.arange(N), 4)
    found, _ = predicted(rows, folds, 0.0, record_all=True)
    expected = naive_ridge.held_out(rows.take().hidden, rows.target, 0.0, folds)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-7)


@pytest.mark.parametrize("alpha", [1e-6, 1e-9, 1e-12])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_folds", [2, 5])
def test_folds_under_a_vanishing_ridge_equal_refitting(alpha, weighted, n_folds):
    rows = make_rows(40, weighted=weighted)  # all rows are met exactly, so that I - S vanishes
    folds = np.array_split(np.arange(N), n_folds)
    found, _ = predicted(rows, folds, alpha)
    expected = naive_ridge.held_out(
        rows.take().hidden, rows.target, alpha, folds, weight=rows.weight
    )
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8)


@pytest.mark.parametrize("n_folds", [2, 5])
def test_folds_approach_least_squares_of_smallest_norm_as_the_ridge_vanishes(n_folds):
    rows = make_rows(40)
    folds = np.array_split(np.arange(N), n_folds)
    limit, _ = predicted(rows, folds, 0.0, record_all=True)
    for alpha in (1e-12, 1e-30):
        found, _ = predicted(rows, folds, alpha)
        np.testing.assert_allclose(found, limit, rtol=0, atol=1e-8)


@pytest.mark.parametrize("alpha", [1e-3, 1e-6, 1e-9, 1e-12])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_leave_one_out_under_a_vanishing_ridge_equals_refitting(alpha, weighted, fit_intercept):
    rows = make_rows(40, weighted=weighted)  # leverages approach one, and 1 - s zero
    options = {"weight": rows.weight, "fit_intercept": fit_intercept}
    found, leverage = predicted(rows, [], alpha, fit_intercept=fit_intercept)
    expected = naive_ridge.leave_one_out(rows.take().hidden, rows.target, alpha, **options)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8)
    assert np.all(leverage <= 1)


def test_leave_one_out_of_dependent_rows_equals_refitting():
    rows = make_rows(60)
    weight = np.where(np.arange(N) < 3, 0.0, 1.0)  # rows that do not count, and copies
    X, T = np.vstack([rows.X, rows.X[:5]]), np.vstack([rows.target, rows.target[:5]])
    both = HiddenRows(rows.layer, X, T, np.append(weight, np.ones(5)))
    found, _ = predicted(both, [], 1e-2)
    expected = naive_ridge.leave_one_out(both.take().hidden, T, 1e-2, weight=both.weight)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)


def test_leave_one_out_without_a_ridge_is_undefined_where_a_row_decides_for_itself():
    rows = make_rows(40)  # more units than rows: every row is met exactly
    found, leverage = predicted(rows, [], 0.0)
    assert np.isnan(found).all()
    np.testing.assert_allclose(leverage, 1, rtol=0, atol=1e-9)


@pytest.mark.parametrize("m", [6, 40])
def test_leverage_lies_between_one_over_n_and_one_and_sums_to_the_degrees_of_freedom(m):  # C10
    rows = make_rows(m)
    system = gather(rows, fit_intercept=True).system
    before = np.ones(N)
    for alpha in np.logspace(-6, 6, 7):
        model = system.solved(alpha)
        _, leverage = predict_left_out(model, rows)
        assert np.all((leverage >= 1 / N) & (leverage < 1))
        assert np.all(leverage < before)  # it falls as alpha grows
        assert leverage.sum() == pytest.approx(model.degrees_of_freedom, rel=1e-9)
        before = leverage


def test_duplicate_rows_are_fine():  # C10
    rows = make_rows(6)
    doubled = HiddenRows(
        rows.layer, np.repeat(rows.X, 2, axis=0), np.repeat(rows.target, 2, axis=0)
    )
    found, _ = predicted(doubled, [], 0.1)
    expected = naive_ridge.leave_one_out(doubled.take().hidden, doubled.target, 0.1)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)


def test_folds_are_dealt_evenly_over_classes():
    codes = np.repeat([0, 1, 2], [50, 20, 7])
    folds = make_held_out_folds(5, np.zeros((77, 1)), codes, None, np.random.default_rng(0))
    np.testing.assert_array_equal(np.sort(np.concatenate(folds)), np.arange(77))
    for c in range(3):
        held = [np.sum(codes[fold] == c) for fold in folds]
        assert max(held) - min(held) <= 1


def test_splitters_and_lists_of_splits_make_folds():
    X, codes = np.zeros((12, 1)), np.zeros(12, dtype=int)
    expected = [test.tolist() for _, test in KFold(3).split(X)]
    for cv in (KFold(3), list(KFold(3).split(X)), PredefinedSplit(np.repeat([0, 1, 2], 4))):
        found = make_held_out_folds(cv, X, codes, None, np.random.default_rng(0))
        assert [fold.tolist() for fold in found] == expected
    grouped = GroupKFold(3).split(X, codes, groups=np.arange(12) % 4)
    found = make_held_out_folds(grouped, X, codes, None, np.random.default_rng(0))
    assert sum(map(len, found)) == 12


@pytest.mark.parametrize(
    ("cv", "message"),
    [
        (ShuffleSplit(3, random_state=0), "cv must test each row once"),
        (TimeSeriesSplit(3), "cv must test each row once"),
        (PredefinedSplit(np.zeros(12, dtype=int)), "cv must train on all the rows that a fold"),
        ([([6], range(6)), (range(6), range(6, 12))], "cv must train on all the rows that a fold"),
    ],
)
def test_splits_that_do_not_hold_out_each_row_once_are_refused(cv, message):
    with pytest.raises(ValueError, match=message):
        make_held_out_folds(
            cv, np.zeros((12, 1)), np.zeros(12, dtype=int), None, np.random.default_rng(0)
        )


@pytest.mark.parametrize("cv", [0, 1, 13, True])
def test_impossible_numbers_of_folds_are_refused(cv):
    with pytest.raises(ValueError, match=f"cv={cv} must be a whole number between 2 and 12"):
        make_held_out_folds(
            cv, np.zeros((12, 1)), np.zeros(12, dtype=int), None, np.random.default_rng(0)
        )


def test_rows_of_a_group_are_held_out_together():
    X, codes = np.zeros((30, 1)), np.arange(30) % 2
    groups = np.random.RandomState(0).choice(["a", "b", "c", "d", "e"], 30)
    random = np.random.default_rng(0)
    each = make_held_out_folds(None, X, codes, groups, random)
    assert [set(groups[fold]) for fold in each] == [{"a"}, {"b"}, {"c"}, {"d"}, {"e"}]
    for cv in (2, GroupKFold(2)):
        one, other = make_held_out_folds(cv, X, codes, groups, random)
        assert not set(groups[one]) & set(groups[other])
        np.testing.assert_array_equal(np.sort(np.concatenate([one, other])), np.arange(30))


def test_groups_do_not_matter_where_nothing_is_held_out():
    assert (
        make_held_out_folds(False, np.zeros((4, 1)), np.zeros(4, dtype=int), [0, 0, 1, 1], None)
        is None
    )


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([1, 2], "groups must name the group of each of the 4 rows; its shape is"),
        ([7, 7, 7, 7], "all rows are of one group; at least two are needed"),
    ],
)
def test_bad_groups_are_refused(groups, message):
    with pytest.raises(ValueError, match=message):
        make_held_out_folds(None, np.zeros((4, 1)), np.zeros(4, dtype=int), groups, None)
