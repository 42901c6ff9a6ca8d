import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    PredefinedSplit,
    ShuffleSplit,
    TimeSeriesSplit,
)

from elm import naive_ridge
from elm.naive_ridge import ridge, smoother
from errata.elm import _hidden_layer
from errata.elm._elm import make_held_out_folds
from errata.elm._hidden_layer import HiddenLayer, HiddenRows
from errata.elm._ridge import (
    GRID,
    CholeskyFactor,
    GramRecord,
    RidgeSystem,
    SpectralFactor,
    choose_alpha,
    compute_gcv,
    compute_kfold_error,
    compute_press,
    find_last_minimum,
    merge_records,
    predict_left_out,
    predict_outside,
    search_alphas,
    split_folds,
    sum_all_others,
    sum_up,
)
from errata.exceptions import SuspicionWarning
from strategies import seeds

OPTIONS = [
    {"fit_intercept": intercept, "weight": weight}
    for intercept in (True, False)
    for weight in (None, np.random.RandomState(1).random_sample(40))
]


def some_rows(m, n=40, q=2):
    random = np.random.RandomState(0)
    return random.normal(1, 1, size=(n, m)), random.normal(size=(n, q))


def make_system(H, T, *, weight, fit_intercept):
    if len(H) < H.shape[1]:
        return RidgeSystem.from_rows(H, T, weight, fit_intercept=fit_intercept)
    return GramRecord.from_block(H, T, weight).system(fit_intercept=fit_intercept)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("m", [5, 40, 60], ids=["tall", "square", "wide"])
@pytest.mark.parametrize("alpha", [0.01, 1.0, 30.0])
def test_models_equal_least_squares_on_the_rows(m, alpha, options):
    H, T = some_rows(m)
    model = make_system(H, T, **options).solved(alpha)
    coef, intercept = ridge(H, T, alpha, **options)
    np.testing.assert_allclose(model.coef, coef, rtol=0, atol=1e-11)
    np.testing.assert_allclose(model.intercept, intercept, rtol=0, atol=1e-11)
    np.testing.assert_allclose(model.predict(H), H @ coef + intercept, rtol=0, atol=1e-11)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("m", [5, 60], ids=["tall", "wide"])
def test_the_smoother_and_its_trace_are_those_of_the_rows(m, options):  # C6: trace(S) = df
    H, T = some_rows(m)
    model = make_system(H, T, **options).solved(0.5)
    Z = model.whiten(H.copy())
    weight = 1 if options["weight"] is None else options["weight"]
    expected = smoother(H, 0.5, **options)
    np.testing.assert_allclose((model.system.base + Z @ Z.T) * weight, expected, rtol=0, atol=1e-12)
    assert model.degrees_of_freedom == pytest.approx(np.trace(expected), rel=1e-12)


@pytest.mark.parametrize("alpha", [1e-4, 1e-2, 1.0, 10.0, 1e3])
def test_the_eigenvalues_and_cholesky_agree(alpha):  # C6
    H, T = some_rows(6)
    system = GramRecord.from_block(H, T).system()
    model = system.solved(alpha)
    spectral = SpectralFactor(*system.spectrum, alpha)
    assert isinstance(model.factor, CholeskyFactor)
    np.testing.assert_allclose(spectral.solve(system.cross), model.coef, rtol=1e-10, atol=1e-13)
    assert spectral.effective_units == pytest.approx(model.factor.effective_units, rel=1e-12)
    row = H - system.hidden_mean
    np.testing.assert_allclose(
        (spectral.whiten(row) ** 2).sum(axis=1),
        (model.factor.whiten(row.copy()) ** 2).sum(axis=1),
        rtol=1e-11,
        atol=0,
    )


def test_no_ridge_is_least_squares_of_smallest_norm():  # C8: lambda -> 0, m < n equals lstsq
    H, T = some_rows(6)
    Hc, Tc = H - H.mean(axis=0), T - T.mean(axis=0)
    expected = np.linalg.lstsq(Hc, Tc, rcond=None)[0]
    system = GramRecord.from_block(H, T).system()
    np.testing.assert_allclose(system.solved(0).coef, expected, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(system.solved(1e-12).coef, expected, rtol=1e-9, atol=1e-11)


def test_no_ridge_on_a_singular_gram_matrix_is_the_pseudo_inverse():
    H, T = some_rows(4)
    H = np.column_stack([H, H[:, :2]])  # rank four, six units
    found = GramRecord.from_block(H, T).solve(0)[0]
    expected = np.linalg.lstsq(H - H.mean(axis=0), T - T.mean(axis=0), rcond=None)[0]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-11)


def test_a_ridge_below_the_rounding_of_a_singular_gram_matrix_falls_back_on_eigenvalues():
    H, T = some_rows(4)
    H = 1e4 * np.column_stack([H, H, H])
    model = GramRecord.from_block(H, T).system().solved(1e-9)
    assert isinstance(model.factor, SpectralFactor)
    fitted = ridge(H, T, 0.0)
    np.testing.assert_allclose(model.predict(H), H @ fitted[0] + fitted[1], rtol=0, atol=1e-6)


def test_a_ridge_that_rounding_swallows_is_none():
    H, T = some_rows(4)
    record = GramRecord.from_block(np.column_stack([H, H[:, :2] - H[:, 2:]]), T)
    np.testing.assert_allclose(record.solve(1e-18)[0], record.solve(0)[0], rtol=0, atol=1e-12)


def test_a_vanishing_ridge_on_few_rows_approaches_the_solution_of_smallest_norm():
    H, T = some_rows(60)
    expected = np.linalg.lstsq(H - H.mean(axis=0), T - T.mean(axis=0), rcond=None)[0]
    for alpha in (0, 1e-12, 1e-30):
        model = make_system(H, T, weight=None, fit_intercept=True).solved(alpha)
        np.testing.assert_allclose(model.coef, expected, rtol=0, atol=1e-11)


def test_mean_eigenvalue_is_the_mean_variance_times_the_number_of_rows():
    for m in (5, 60):
        H, T = some_rows(m)
        system = make_system(H, T, weight=None, fit_intercept=True)
        assert system.mean_eigenvalue == pytest.approx(40 * H.var(axis=0).mean(), rel=1e-12)


FIELDS = GramRecord._fields


def rows_of_a_record(n=30, m=4, q=2, seed=0):
    random = np.random.RandomState(seed)
    H, T = random.normal(size=(n, m)), random.normal(size=(n, q))
    return H, T, random.random_sample(n)


def assert_equal_records(found, expected, *, rtol):
    for name in FIELDS:
        ours, theirs = getattr(found, name), getattr(expected, name)
        if name == "gram":
            ours, theirs = np.tril(ours), np.tril(theirs)
        np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_record_holds_the_sums_it_says(weighted):
    H, T, w = rows_of_a_record()
    record = GramRecord.from_block(H, T, w if weighted else None)
    w = w if weighted else np.ones(30)
    expected = GramRecord(
        w.sum(), w @ H, w @ T, H.T @ (w[:, None] * H), H.T @ (w[:, None] * T), w @ T**2
    )
    assert_equal_records(record, expected, rtol=1e-12)


def test_one_target_may_come_as_a_vector():
    H, T, _ = rows_of_a_record(q=1)
    assert_equal_records(GramRecord.from_block(H, T[:, 0]), GramRecord.from_block(H, T), rtol=1e-15)


@given(seeds, st.lists(st.integers(0, 30), max_size=6), st.randoms(use_true_random=False))
def test_any_blocks_merged_in_any_order_are_one_block(seed, cuts, shuffler):  # C7
    H, T, w = rows_of_a_record(seed=seed)
    parts = [p for p in np.split(np.arange(30), sorted(cuts)) if len(p)]
    shuffler.shuffle(parts)
    records = [GramRecord.from_block(H[p], T[p], w[p]) for p in parts]
    assert_equal_records(merge_records(records), GramRecord.from_block(H, T, w), rtol=1e-12)


@given(st.integers(2, 9), seeds)
def test_left_out_is_the_record_of_all_other_rows(n_folds, seed):
    H, T, _ = rows_of_a_record(seed=seed)
    folds = [np.arange(k, 30, n_folds) for k in range(n_folds)]
    records = [GramRecord.from_block(H[f], T[f]) for f in folds]
    before = [np.copy(r.gram) for r in records]
    for fold, others in zip(folds, sum_all_others(records), strict=True):
        rest = np.setdiff1d(np.arange(30), fold)
        assert_equal_records(others, GramRecord.from_block(H[rest], T[rest]), rtol=1e-12)
    for record, gram in zip(records, before, strict=True):
        np.testing.assert_array_equal(record.gram, gram)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("alpha", [1e-3, 1.0, 100.0])
def test_solve_equals_least_squares_on_the_rows(alpha, fit_intercept):
    H, T, w = rows_of_a_record()
    found = GramRecord.from_block(H, T, w).solve(alpha, fit_intercept=fit_intercept)
    expected = ridge(H, T, alpha, weight=w, fit_intercept=fit_intercept)
    np.testing.assert_allclose(found[0], expected[0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found[1], expected[1], rtol=0, atol=1e-12)


@given(seeds)
def test_squared_error_from_sums_equals_summed_residuals(seed):  # C5
    H, T, w = rows_of_a_record(seed=seed)
    random = np.random.RandomState(seed)
    coef, intercept = random.normal(size=(4, 2)), random.normal(size=2)
    residuals = T - H @ coef - intercept
    np.testing.assert_allclose(
        GramRecord.from_block(H, T, w).squared_error(coef, intercept),
        w @ residuals**2,
        rtol=1e-9,
        atol=0,
    )


def test_a_record_of_no_rows_cannot_be_solved():
    with pytest.raises(ValueError, match="weights sum to zero leaves nothing to solve"):
        GramRecord.empty(3, 1).solve(1.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"H": [[np.nan], [1.0]]}, "Input H contains NaN"),
        ({"T": [np.inf, 1.0]}, "Input T contains infinity"),
        ({"T": [1.0]}, "inconsistent numbers of samples"),
        ({"sample_weight": [1, -1]}, r"sample_weight\[1\] = -1.0 is not a weight"),
        ({"sample_weight": [1]}, "one number for each of the 2 rows"),
    ],
)
def test_bad_rows_are_named(change, message):
    rows = {"H": [[0.0], [1.0]], "T": [0.0, 1.0]}
    assert GramRecord.from_block(**rows).weight == 2
    with pytest.raises(ValueError, match=message):
        GramRecord.from_block(**(rows | change))


@pytest.mark.parametrize("alpha", [-1.0, np.nan, np.inf, "press", None])
def test_bad_alphas_are_named(alpha):
    H, T, _ = rows_of_a_record()
    with pytest.raises(ValueError, match="must be a number of at least 0"):
        GramRecord.from_block(H, T).solve(alpha)


ALPHAS = np.logspace(-3, 3, 13)


def make_rows(n=50, m=20, *, weighted=False, noise=0.3):
    random = np.random.RandomState(0)
    X = random.normal(size=(n, 3))
    T = np.column_stack([np.sin(X[:, 0] * X[:, 1]), X[:, 2] ** 2])
    T += noise * random.normal(size=T.shape)
    layer = HiddenLayer.draw(
        3,
        n_hidden=m,
        activation="erf",
        weight_distribution="normal",
        weight_scale=1.0,
        random_state=0,
    )
    weight = random.uniform(0.2, 2, size=n) if weighted else None
    return HiddenRows(layer, X, T, weight, block_size=16)


def system_of(rows, fit_intercept=True):
    return sum_up(rows, fit_intercept=fit_intercept)[0]


@pytest.mark.parametrize("m", [20, 80], ids=["n > m", "n < m"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_press_is_the_sum_of_squared_leave_one_out_errors(m, weighted, fit_intercept):
    rows = make_rows(m=m, weighted=weighted)
    found = compute_press(system_of(rows, fit_intercept), rows, ALPHAS)
    weight = np.ones(50) if rows.weight is None else rows.weight
    for error, alpha in zip(found, ALPHAS, strict=True):
        predictions = naive_ridge.leave_one_out(
            rows.take(), rows.target, alpha, weight=weight, fit_intercept=fit_intercept
        )
        expected = (weight @ (rows.target - predictions) ** 2).sum()
        assert error == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("m", [20, 80], ids=["n > m", "n < m"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_gcv_from_sums_equals_gcv_from_residuals(m, fit_intercept):  # C6
    rows = make_rows(m=m)
    found = compute_gcv(system_of(rows, fit_intercept), ALPHAS)
    H = rows.take()
    for error, alpha in zip(found, ALPHAS, strict=True):
        S = naive_ridge.smoother(H, alpha, fit_intercept=fit_intercept)
        residual = rows.target - S @ rows.target
        expected = (residual**2).mean(axis=0).sum() / (1 - np.trace(S) / 50) ** 2
        assert error == pytest.approx(expected, rel=1e-8)


def test_kfold_error_equals_refitting():
    rows = make_rows()
    folds = np.array_split(np.random.RandomState(1).permutation(50), 4)
    H, T = rows.take(), rows.target
    records = [GramRecord.from_block(H[f], T[f]) for f in folds]
    found = compute_kfold_error(records, ALPHAS, fit_intercept=True)
    for error, alpha in zip(found, ALPHAS, strict=True):
        expected = ((T - naive_ridge.held_out(H, T, alpha, folds)) ** 2).sum()
        assert error == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("m", [20, 80])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_scikit_learns_ridge_cv_picks_the_same_ridge_and_weights(m, fit_intercept):  # C6
    rows = make_rows(m=m)
    H, t = rows.take(), rows.target[:, :1]
    theirs = RidgeCV(alphas=ALPHAS, gcv_mode="eigen", fit_intercept=fit_intercept).fit(H, t[:, 0])
    one = HiddenRows(rows.layer, rows.X, t)
    system, records = sum_up(one, fit_intercept=fit_intercept)
    alpha, tried = choose_alpha("press", ALPHAS, system, records, one)
    assert alpha == theirs.alpha_
    assert -theirs.best_score_ == pytest.approx(tried["press"].min() / 50, rel=1e-9)
    np.testing.assert_allclose(system.solved(alpha).coef[:, 0], theirs.coef_, rtol=1e-7, atol=1e-9)


def test_the_grid_is_relative_to_the_mean_eigenvalue_of_the_gram_matrix():
    rows = make_rows()
    system, records = sum_up(rows, fit_intercept=True)
    _, tried = choose_alpha("gcv", None, system, records, rows)
    np.testing.assert_allclose(tried["alphas"], GRID * system.mean_eigenvalue, rtol=1e-12)


def test_equal_errors_leave_the_choice_to_the_larger_alpha():
    _, tried = search_alphas(lambda a: np.minimum(a, 1.0), np.array([1.0, 2.0, 3.0]), extend=False)
    rows = make_rows()
    rows.target[:] = 0  # every alpha predicts zero exactly
    system, records = sum_up(rows, fit_intercept=False)
    assert choose_alpha("press", ALPHAS, system, records, rows)[0] == ALPHAS[-1]
    assert tried.tolist() == [1, 1, 1]


@pytest.mark.parametrize(("best", "new_end"), [(1e-10, 1e-12), (1e6, 1e8)])
def test_a_grid_is_extended_once_where_the_best_ridge_is_at_its_end(best, new_end):
    alphas, errors = search_alphas(lambda a: np.log(a / best) ** 2, GRID, extend=True)
    assert alphas[errors.argmin()] == pytest.approx(best, rel=0.8)
    assert new_end == pytest.approx(alphas[0] if best < 1 else alphas[-1])
    assert np.all(np.diff(alphas) > 0)
    same, _ = search_alphas(lambda a: np.log(a / best) ** 2, GRID, extend=False)
    np.testing.assert_array_equal(same, GRID)


@pytest.mark.parametrize(
    ("best", "message"), [(1e-30, "smallest value tried, alpha=1e-12"), (1e30, "largest value")]
)
def test_a_minimum_beyond_the_extended_grid_is_told(best, message):
    with pytest.warns(SuspicionWarning, match=message):
        search_alphas(lambda a: np.log(a / best) ** 2, GRID, extend=True)


def test_however_small_a_ridge_is_its_error_is_no_rounding():
    rows = make_rows(m=80)
    errors = compute_press(system_of(rows), rows, np.array([1e-30, 1e-14, 1.0]))
    assert errors[0] == pytest.approx(errors[1], rel=1e-5)
    assert errors[0] > errors[2]
    generalised = compute_gcv(system_of(rows), np.array([1e-30, 1.0]))
    assert generalised[0] > generalised[1]


def test_errors_that_are_equal_but_for_rounding_leave_the_choice_to_the_larger_alpha():
    assert find_last_minimum(np.array([3.0, 2.0, 2.0 * (1 + 1e-12), 2.1])) == 2


N = 24


def make_held_out_rows(m, *, q=2, weighted=False, n=N, block_size=7, seed=0):
    """Rows of a real hidden layer, whose units are nearly collinear."""
    random = np.random.RandomState(seed)
    X = random.normal(size=(n, 3))
    T = np.column_stack([np.sin(X @ random.normal(size=3)) for _ in range(q)])
    T += 0.3 * random.normal(size=T.shape)
    layer = HiddenLayer.draw(
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
    large, small = split_folds(folds, rows.m, all_large=record_all)
    system, records = sum_up(rows, large, small, fit_intercept=fit_intercept)
    return predict_outside(system.solved(alpha), rows, records, large, small)[:2]


@pytest.mark.parametrize("m", [6, 40], ids=["n > m", "n < m"])
@pytest.mark.parametrize("q", [1, 3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("alpha", [1e-2, 1.0])
def test_leave_one_out_equals_refitting(m, q, weighted, fit_intercept, alpha):  # C4
    rows = make_held_out_rows(m, q=q, weighted=weighted)
    found, _ = predicted(rows, [], alpha, fit_intercept=fit_intercept)
    expected = naive_ridge.leave_one_out(
        rows.take(), rows.target, alpha, weight=rows.weight, fit_intercept=fit_intercept
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
    rows = make_held_out_rows(m, weighted=weighted)
    cuts = np.random.RandomState(seed).permutation(np.arange(1, N))[: n_folds - 1]
    folds = np.split(np.random.RandomState(seed).permutation(N), np.sort(cuts))
    expected = naive_ridge.held_out(
        rows.take(), rows.target, 0.1, folds, weight=rows.weight, fit_intercept=fit_intercept
    )
    for record_all in (False, True):
        found, _ = predicted(rows, folds, 0.1, fit_intercept=fit_intercept, record_all=record_all)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("kept", [0, 2**28], ids=["computed anew", "kept"])
@pytest.mark.parametrize("block_size", [1, 5, 24, 1000])
def test_blocks_do_not_matter(monkeypatch, kept, block_size):  # C7
    monkeypatch.setattr(_hidden_layer, "KEPT_BYTES", kept)
    folds = np.array_split(np.arange(N), 3)
    whole, some = (
        make_held_out_rows(6, block_size=N),
        make_held_out_rows(6, block_size=block_size),
    )
    for chosen in ([], folds):
        expected, found = predicted(whole, chosen, 0.1)[0], predicted(some, chosen, 0.1)[0]
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_folds_without_a_ridge_equal_refitting():
    rows = make_held_out_rows(5)
    folds = np.array_split(np.arange(N), 4)
    found, _ = predicted(rows, folds, 0.0, record_all=True)
    expected = naive_ridge.held_out(rows.take(), rows.target, 0.0, folds)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-7)


@pytest.mark.parametrize("alpha", [1e-6, 1e-9, 1e-12])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_folds", [2, 5])
def test_folds_under_a_vanishing_ridge_equal_refitting(alpha, weighted, n_folds):
    rows = make_held_out_rows(
        40, weighted=weighted
    )  # all rows are met exactly, so that I - S vanishes
    folds = np.array_split(np.arange(N), n_folds)
    found, _ = predicted(rows, folds, alpha)
    expected = naive_ridge.held_out(rows.take(), rows.target, alpha, folds, weight=rows.weight)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8)


@pytest.mark.parametrize("n_folds", [2, 5])
def test_folds_approach_least_squares_of_smallest_norm_as_the_ridge_vanishes(n_folds):
    rows = make_held_out_rows(40)
    folds = np.array_split(np.arange(N), n_folds)
    limit, _ = predicted(rows, folds, 0.0, record_all=True)
    for alpha in (1e-12, 1e-30):
        found, _ = predicted(rows, folds, alpha)
        np.testing.assert_allclose(found, limit, rtol=0, atol=1e-8)


@pytest.mark.parametrize("alpha", [1e-3, 1e-6, 1e-9, 1e-12])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_leave_one_out_under_a_vanishing_ridge_equals_refitting(alpha, weighted, fit_intercept):
    rows = make_held_out_rows(40, weighted=weighted)  # leverages approach one, and 1 - s zero
    options = {"weight": rows.weight, "fit_intercept": fit_intercept}
    found, leverage = predicted(rows, [], alpha, fit_intercept=fit_intercept)
    expected = naive_ridge.leave_one_out(rows.take(), rows.target, alpha, **options)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8)
    assert np.all(leverage <= 1)


def test_leave_one_out_of_dependent_rows_equals_refitting():
    rows = make_held_out_rows(60)
    weight = np.where(np.arange(N) < 3, 0.0, 1.0)  # rows that do not count, and copies
    X, T = np.vstack([rows.X, rows.X[:5]]), np.vstack([rows.target, rows.target[:5]])
    both = HiddenRows(rows.layer, X, T, np.append(weight, np.ones(5)))
    found, _ = predicted(both, [], 1e-2)
    expected = naive_ridge.leave_one_out(both.take(), T, 1e-2, weight=both.weight)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)


def test_leave_one_out_without_a_ridge_is_undefined_where_a_row_decides_for_itself():
    rows = make_held_out_rows(40)  # more units than rows: every row is met exactly
    found, leverage = predicted(rows, [], 0.0)
    assert np.isnan(found).all()
    np.testing.assert_allclose(leverage, 1, rtol=0, atol=1e-9)


@pytest.mark.parametrize("m", [6, 40])
def test_leverage_lies_between_one_over_n_and_one_and_sums_to_the_degrees_of_freedom(m):  # C10
    rows = make_held_out_rows(m)
    system, _ = sum_up(rows, fit_intercept=True)
    before = np.ones(N)
    for alpha in np.logspace(-6, 6, 7):
        model = system.solved(alpha)
        _, leverage = predict_left_out(model, rows)
        assert np.all((leverage >= 1 / N) & (leverage < 1))
        assert np.all(leverage < before)  # it falls as alpha grows
        assert leverage.sum() == pytest.approx(model.degrees_of_freedom, rel=1e-9)
        before = leverage


def test_duplicate_rows_are_fine():  # C10
    rows = make_held_out_rows(6)
    doubled = HiddenRows(
        rows.layer, np.repeat(rows.X, 2, axis=0), np.repeat(rows.target, 2, axis=0)
    )
    found, _ = predicted(doubled, [], 0.1)
    expected = naive_ridge.leave_one_out(doubled.take(), doubled.target, 0.1)
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
