"""One fit: sums over the rows, alpha in closed form, weights, out-of-sample predictions."""

from collections.abc import Callable, Sequence
from functools import partial
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_solve, cholesky

from .._crossfit import make_folds
from .._random import LARGEST_SEED
from .._validation import check_count
from .._warn import warn_user
from ._hidden_layer import HiddenRows
from ._ridge import (
    GramRecord,
    RidgeModel,
    RidgeSystem,
    SpectralFactor,
    build_system,
    merge_records,
    record_of,
    sum_all_others,
)

CONSTANT = 1e-28  # variance below which hidden units are constant but for rounding

GRID = np.logspace(-8, 4, 49)  # times the mean eigenvalue of the Gram matrix
EQUAL_ERRORS = 1e-7  # relative difference
SMALLEST_COMPARED_GAP = 1e-7  # 1 - leverage that has digits enough to tell alphas apart by
EXTENSION = np.logspace(0.25, 4, 16)  # how far a grid is extended beyond its end
SMALLEST_GAP = 1e-12  # 1 - leverage below which, the row left out, nothing is left to predict it by
SMALLEST_FOLD_GAP = 1e-5  # the same for a fold, which is fitted without it before digits are lost


class Sums(NamedTuple):
    """The first pass over the rows: their system, and a record for each fold larger than m."""

    system: RidgeSystem
    records: list[GramRecord]
    large: list[np.ndarray]
    small: list[np.ndarray]


def gather(
    rows: HiddenRows,
    folds: Sequence[np.ndarray] = (),
    *,
    fit_intercept: bool,
    record_all: bool = False,
) -> Sums:
    """Sum up the rows, fold by fold where a fold will be taken out of the sums again."""
    large = [fold for fold in folds if record_all or len(fold) > rows.m]
    small = [fold for fold in folds if not record_all and len(fold) <= rows.m]
    records = [record_of(rows, fold) for fold in large]
    if rows.n < rows.m:  # the rows are smaller than their Gram matrix, and keep more digits
        _, H, T, weight = rows.take()
        system = RidgeSystem.from_rows(H, T, weight, fit_intercept=fit_intercept)
        return Sums(system, records, large, small)
    if small or not folds:
        records.append(record_of(rows, np.concatenate(small) if large else None))
    return Sums(merge_records(records).system(fit_intercept=fit_intercept), records, large, small)


def choose_alpha(
    rule: str, alphas: np.ndarray | None, sums: Sums, rows: HiddenRows | None
) -> tuple[float, dict[str, np.ndarray]]:
    """The best alpha by a rule, and what was tried: the alphas and their errors.

    Without the rows, only the sums are left to go by: "gcv" then stands in for the other rules.
    """
    system = sums.system
    scale = system.mean_eigenvalue
    grid = GRID * (scale if scale > CONSTANT * system.weight else 1) if alphas is None else alphas
    rule, error = _choose_criterion(rule, sums, rows)
    grid, errors = search_alphas(error, grid, extend=alphas is None)
    if not np.isfinite(errors).any():
        _warn_of_no_comparison(rule, system.weight)
    tried = {"alphas": grid, rule: errors}
    if rule == "press":  # costs no pass over the rows, and shows how far the two agree
        tried["gcv"] = compute_gcv(system, grid)
    return float(grid[find_last_minimum(errors)]), tried


def _warn_of_no_comparison(rule: str, weight: float) -> None:
    warn_user(
        f"{rule} cannot compare the alphas: all leave as many parameters free as there are rows, "
        f"of which the weights make {weight:.3g}. The largest was taken; pass larger alphas, or "
        "weights with a mean of one."
    )


def _choose_criterion(
    rule: str, sums: Sums, rows: HiddenRows | None
) -> tuple[str, Callable[[np.ndarray], np.ndarray]]:
    system = sums.system
    if rule == "gcv" or rows is None:
        return "gcv", partial(compute_gcv, system)
    if rule == "press":
        return rule, partial(compute_press, system, rows)
    return rule, partial(compute_kfold_error, sums.records, fit_intercept=system.fit_intercept)


def predict_outside(
    model: RidgeModel, sums: Sums, rows: HiddenRows
) -> tuple[np.ndarray, np.ndarray | None, Sequence[tuple[np.ndarray, np.ndarray]]]:
    """Predict every row by a model that did not see it, or its fold.

    Returns the predictions, the leverage of rows that were left out one by one, and the outputs of
    the models without large folds.
    """
    if not sums.large and not sums.small:
        return *predict_left_out(model, rows), ()
    predictions = np.empty_like(rows.target)
    solved = predict_folds(
        sums.records,
        sums.large,
        rows,
        alpha=model.factor.alpha,
        fit_intercept=model.system.fit_intercept,
        out=predictions,
    )
    predict_small_folds(model, sums.small, rows, out=predictions)
    return predictions, None, solved


def predict_left_out(model: RidgeModel, rows: HiddenRows) -> tuple[np.ndarray, np.ndarray]:
    """Leave-one-out predictions, shape (n, q), and leverages, shape (n,), in one pass.

    With s the leverage of a row and t^ its fitted value, the model without the row predicts
    (t^ - s t) / (1 - s). That is NaN where the row alone decides its fitted value (s = 1).
    """
    few = model.system.left is not None and model.factor.alpha > 0
    if few and isinstance(model.factor, SpectralFactor):
        return _predict_left_out_of_few(model.system, model.factor, rows)
    predictions = np.empty_like(rows.target)
    leverage = np.empty(rows.n)
    scratch = np.empty((min(rows.block_size, rows.n), rows.m))
    for block in rows.blocks():
        Z = model.whiten(block.hidden, out=scratch[: len(block.hidden)])
        s = model.system.base + np.einsum("ij,ij->i", Z, Z)
        if block.weight is not None:
            s *= block.weight
        gap = np.where(1 - s >= SMALLEST_GAP, 1 - s, np.nan)[:, None]
        fitted = model.predict(block.hidden)
        predictions[block.rows] = (fitted - s[:, None] * block.target) / gap
        leverage[block.rows] = s
    return predictions, leverage


def _predict_left_out_of_few(
    system: RidgeSystem, factor: SpectralFactor, rows: HiddenRows
) -> tuple[np.ndarray, np.ndarray]:
    """The same for independent rows, fewer than hidden units, without the rounding of 1 - s.

    With U the left singular vectors, I - S = U diag(alpha / (g + alpha)) U'. Of two such numbers
    the ratio is taken, so that alpha, however small, drops out.
    """
    U = np.asarray(system.left)
    root = np.ones((rows.n, 1)) if rows.weight is None else np.sqrt(rows.weight)[:, None]
    centred = root * (rows.target - system.target_mean)
    residual = U @ (factor.inverse[:, None] * (U.T @ centred))
    gap = U**2 @ factor.inverse
    return rows.target - residual / (gap[:, None] * root), 1 - factor.alpha * gap


def predict_folds(
    records: Sequence[GramRecord],
    folds: Sequence[np.ndarray],
    rows: HiddenRows,
    *,
    alpha: float,
    fit_intercept: bool,
    out: np.ndarray,
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Fill ``out`` for the rows of ``folds``: the model of each is the sum of the other records.

    ``records`` may end with one more, that of the rows which are in none of the folds. Returns the
    coefficients and intercepts of these models.
    """
    solved = []
    for fold, training in zip(folds, sum_all_others(records), strict=False):
        coef, intercept = training.solve(alpha, fit_intercept=fit_intercept)
        solved.append((coef, intercept))
        for block in rows.blocks(fold):
            out[block.rows] = block.hidden @ coef + intercept
    return solved


def predict_small_folds(
    model: RidgeModel, folds: Sequence[np.ndarray], rows: HiddenRows, *, out: np.ndarray
) -> None:
    """Fill ``out`` for the rows of folds smaller than the hidden layer, with the model of all rows.

    Without the fold, its residuals are (I - S)⁻¹ times those with it, S being the square that the
    fold cuts from the smoother. Nothing is factorised but that square, unless the fold all but
    decides its own fitted values: then I - S is singular, and the other rows are fitted anew.
    """
    for fold in folds:
        block = rows.take(fold)
        Z = model.whiten(block.hidden)
        G = model.system.base + Z @ Z.T  # S = G W for weights W, and (I - G W)⁻¹ is written as
        root = np.ones((len(fold), 1)) if block.weight is None else np.sqrt(block.weight)[:, None]
        lower = _factorise(np.eye(len(fold)) - root * G * root.T)  # I + G W½ (I - W½ G W½)⁻¹ W½
        if lower is None:
            others = np.setdiff1d(np.arange(rows.n), fold)
            system = build_system(rows, others, fit_intercept=model.system.fit_intercept)
            out[fold] = system.solved(model.factor.alpha).predict(block.hidden)
            continue
        fitted = model.predict(block.hidden)
        push = cho_solve((lower, True), root * (block.target - fitted))
        out[fold] = fitted - G @ (root * push)


def _factorise(gap: np.ndarray) -> np.ndarray | None:
    """The Cholesky factor of I - S, or None where it is singular but for rounding."""
    try:
        lower = cholesky(gap, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return None
    return lower if np.all(np.diag(lower) ** 2 >= SMALLEST_FOLD_GAP) else None


def make_held_out_folds(
    cv: Any, X: np.ndarray, codes: np.ndarray, groups: Any, random: np.random.Generator
) -> list[np.ndarray] | None:
    """The rows of each fold, or None where rows are left out one by one or not at all.

    With ``groups`` and no ``cv`` each group is a fold.
    """
    if cv is False or (cv is None and groups is None):
        return None
    if groups is not None:
        groups = _check_groups(groups, len(codes))
    if cv is None:
        return [np.flatnonzero(groups == k) for k in range(groups.max() + 1)]
    seed = None
    if isinstance(cv, Integral):
        check_count("cv", cv, low=2, high=len(codes))
        seed = int(random.integers(LARGEST_SEED))
    folds = make_folds(cv, codes, X=X, groups=groups, random_state=seed)
    # The closed forms take a fold out of the sums over all rows, so nothing else may be left out.
    if any(len(train) == 0 or len(train) + len(test) < len(codes) for train, test in folds):
        raise ValueError(
            "cv must train on all the rows that a fold does not hold out; pass a number of folds "
            "or a splitter such as KFold, StratifiedKFold or GroupKFold."
        )
    return [np.sort(test) for _, test in folds]


def _check_groups(groups: Any, n: int) -> np.ndarray:
    """Number the groups from 0."""
    names, numbers = np.unique(np.asarray(groups), return_inverse=True)
    if numbers.shape != (n,):
        raise ValueError(
            f"groups must name the group of each of the {n} rows; its shape is {numbers.shape}."
        )
    if len(names) < 2:
        raise ValueError("all rows are of one group; at least two are needed to leave one out.")
    return numbers


def compute_gcv(system: RidgeSystem, alphas: np.ndarray) -> np.ndarray:
    """Generalised cross-validation error of each alpha, summed over outputs, from the sums alone.

    GCV = (RSS / n) / (1 - df / n)², with RSS = vc - sum_j d_j² (g_j + 2 alpha) / (g_j + alpha)².
    """
    g, Q = system.spectrum
    d = Q.T @ system.cross
    n = system.weight
    explained = (g + 2 * alphas[:, None]) / (g + alphas[:, None]) ** 2 @ d**2
    # A nearly perfect fit cancels the sum of squares; the floor keeps its sign.
    rss = np.maximum(system.squares - explained, 1e-12 * system.squares).sum(axis=1)
    df = (g / (g + alphas[:, None])).sum(axis=1) + system.fit_intercept
    return np.divide(rss / n, (1 - df / n) ** 2, out=np.full(len(alphas), np.inf), where=df < n)


def compute_press(system: RidgeSystem, rows: HiddenRows, alphas: np.ndarray) -> np.ndarray:
    """Sum of squared leave-one-out errors of each alpha, exactly, in one pass over the rows."""
    if system.left is not None and np.all(alphas > 0):
        return _compute_press_of_few(system, rows, alphas)
    g, Q = system.spectrum
    # In the basis of Q every alpha is a division: one product per block serves the whole grid.
    inverse = 1 / (g[:, None] + alphas)
    d = Q.T @ system.cross
    total = np.zeros(len(alphas))
    for block in rows.blocks():
        w = np.ones(len(block.hidden)) if block.weight is None else block.weight
        U = (block.hidden - system.hidden_mean) @ Q
        gap = 1 - w[:, None] * (system.base + U**2 @ inverse)
        defined = gap >= SMALLEST_COMPARED_GAP  # elsewhere rounding would be compared
        for t, mean, d_t in zip(block.target.T, system.target_mean, d.T, strict=True):
            residual = (t - mean)[:, None] - U @ (d_t[:, None] * inverse)
            outside = np.divide(residual, gap, out=np.full_like(gap, np.inf), where=defined)
            total += w @ outside**2
    return total


def _compute_press_of_few(system: RidgeSystem, rows: HiddenRows, alphas: np.ndarray) -> np.ndarray:
    """The same for fewer rows than hidden units, without the rounding of 1 - leverage.

    As small alphas fit such rows all but perfectly, that rounding would choose among them. See
    :func:`predict_left_out`, whose predictions these are the errors of.
    """
    U = np.asarray(system.left)
    inverse = 1 / (system.spectrum[0][:, None] + alphas)
    w = np.ones(rows.n) if rows.weight is None else rows.weight
    gap = U**2 @ inverse
    total = np.zeros(len(alphas))
    for t, mean in zip(rows.target.T, system.target_mean, strict=True):
        residual = U @ (inverse * (U.T @ (np.sqrt(w) * (t - mean)))[:, None])
        total += ((residual / gap) ** 2).sum(axis=0)
    return total


def compute_kfold_error(
    records: Sequence[GramRecord], alphas: np.ndarray, *, fit_intercept: bool
) -> np.ndarray:
    """Sum of squared out-of-fold errors of each alpha, from one record per fold."""
    total = np.zeros(len(alphas))
    for held_out, training in zip(records, sum_all_others(records), strict=True):
        system = training.system(fit_intercept=fit_intercept)
        g, Q = system.spectrum
        # Weights of all alphas side by side, in the basis of Q: one product serves the whole grid.
        inverse = np.column_stack([SpectralFactor(g, Q, alpha).inverse for alpha in alphas])
        weights = (Q.T @ system.cross)[:, None, :] * inverse[:, :, None]
        coef = Q @ weights.reshape(len(g), -1)
        intercept = np.tile(system.target_mean, len(alphas)) - system.hidden_mean @ coef
        repeated = held_out._replace(
            target=np.tile(held_out.target, len(alphas)),
            cross=np.tile(held_out.cross, len(alphas)),
            squares=np.tile(held_out.squares, len(alphas)),
        )
        total += repeated.squared_error(coef, intercept).reshape(len(alphas), -1).sum(axis=1)
    return total


def search_alphas(
    error: Callable[[np.ndarray], np.ndarray], alphas: np.ndarray, *, extend: bool
) -> tuple[np.ndarray, np.ndarray]:
    """The errors of all alphas of a grid, which grows by four decades where the best is its end."""
    errors = error(alphas)
    best = find_last_minimum(errors)
    if not extend or best not in (0, len(alphas) - 1) or not np.isfinite(errors[best]):
        return alphas, errors
    beyond = alphas[best] * (EXTENSION if best else 1 / EXTENSION)
    alphas = np.append(alphas, beyond)
    errors = np.append(errors, error(beyond))
    order = np.argsort(alphas)
    alphas = alphas[order]
    errors = errors[order]
    best = find_last_minimum(errors)
    if best in (0, len(alphas) - 1):
        _warn_of_the_end(alphas[best], "largest" if best else "smallest")
    return alphas, errors


def find_last_minimum(errors: np.ndarray) -> int:
    """Where the error is smallest; of what is equal but for rounding, where alpha is largest."""
    return int(np.flatnonzero(errors <= (1 + EQUAL_ERRORS) * errors.min())[-1])


def _warn_of_the_end(alpha: float, end: str) -> None:
    meaning = {
        "largest": "the hidden units hardly explain the target",
        "smallest": "the target is all but free of noise",
    }[end]
    warn_user(
        f"the {end} value tried, alpha={alpha:.3g}, has the smallest error: {meaning}. "
        "Pass alphas to look further."
    )
