import numpy as np
import pytest
from sklearn.linear_model import RidgeCV

from elm import naive_ridge
from errata.elm._fit import (
    GRID,
    choose_alpha,
    compute_gcv,
    compute_kfold_error,
    compute_press,
    find_last_minimum,
    gather,
    search_alphas,
)
from errata.elm._hidden_layer import HiddenRows, draw_layer
from errata.elm._ridge import GramRecord
from errata.exceptions import SuspicionWarning

ALPHAS = np.logspace(-3, 3, 13)


def make_rows(n=50, m=20, *, weighted=False, noise=0.3):
    random = np.random.RandomState(0)
    X = random.normal(size=(n, 3))
    T = np.column_stack([np.sin(X[:, 0] * X[:, 1]), X[:, 2] ** 2])
    T += noise * random.normal(size=T.shape)
    layer = draw_layer(
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
    return gather(rows, fit_intercept=fit_intercept).system


@pytest.mark.parametrize("m", [20, 80], ids=["n > m", "n < m"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_press_is_the_sum_of_squared_leave_one_out_errors(m, weighted, fit_intercept):
    rows = make_rows(m=m, weighted=weighted)
    found = compute_press(system_of(rows, fit_intercept), rows, ALPHAS)
    weight = np.ones(50) if rows.weight is None else rows.weight
    for error, alpha in zip(found, ALPHAS, strict=True):
        predictions = naive_ridge.leave_one_out(
            rows.take().hidden, rows.target, alpha, weight=weight, fit_intercept=fit_intercept
        )
        expected = (weight @ (rows.target - predictions) ** 2).sum()
        assert error == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("m", [20, 80], ids=["n > m", "n < m"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_gcv_from_sums_equals_gcv_from_residuals(m, fit_intercept):  # C6
    rows = make_rows(m=m)
    found = compute_gcv(system_of(rows, fit_intercept), ALPHAS)
    H = rows.take().hidden
    for error, alpha in zip(found, ALPHAS, strict=True):
        S = naive_ridge.smoother(H, alpha, fit_intercept=fit_intercept)
        residual = rows.target - S @ rows.target
        expected = (residual**2).mean(axis=0).sum() / (1 - np.trace(S) / 50) ** 2
        assert error == pytest.approx(expected, rel=1e-8)


def test_kfold_error_equals_refitting():
    rows = make_rows()
    folds = np.array_split(np.random.RandomState(1).permutation(50), 4)
    H, T = rows.take().hidden, rows.target
    records = [GramRecord.from_block(H[f], T[f]) for f in folds]
    found = compute_kfold_error(records, ALPHAS, fit_intercept=True)
    for error, alpha in zip(found, ALPHAS, strict=True):
        expected = ((T - naive_ridge.held_out(H, T, alpha, folds)) ** 2).sum()
        assert error == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("m", [20, 80])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_scikit_learns_ridge_cv_picks_the_same_ridge_and_weights(m, fit_intercept):  # C6
    rows = make_rows(m=m)
    H, t = rows.take().hidden, rows.target[:, :1]
    theirs = RidgeCV(alphas=ALPHAS, gcv_mode="eigen", fit_intercept=fit_intercept).fit(H, t[:, 0])
    one = HiddenRows(rows.layer, rows.X, t)
    sums = gather(one, fit_intercept=fit_intercept)
    alpha, tried = choose_alpha("press", ALPHAS, sums, one)
    assert alpha == theirs.alpha_
    assert -theirs.best_score_ == pytest.approx(tried["press"].min() / 50, rel=1e-9)
    np.testing.assert_allclose(
        sums.system.solved(alpha).coef[:, 0], theirs.coef_, rtol=1e-7, atol=1e-9
    )


def test_the_grid_is_relative_to_the_mean_eigenvalue_of_the_gram_matrix():
    rows = make_rows()
    sums = gather(rows, fit_intercept=True)
    _, tried = choose_alpha("gcv", None, sums, rows)
    np.testing.assert_allclose(tried["alphas"], GRID * sums.system.mean_eigenvalue, rtol=1e-12)


def test_equal_errors_leave_the_choice_to_the_larger_alpha():
    _, tried = search_alphas(lambda a: np.minimum(a, 1.0), np.array([1.0, 2.0, 3.0]), extend=False)
    rows = make_rows()
    rows.target[:] = 0  # every alpha predicts zero exactly
    sums = gather(rows, fit_intercept=False)
    assert choose_alpha("press", ALPHAS, sums, rows)[0] == ALPHAS[-1]
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
