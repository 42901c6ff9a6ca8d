"""Predictions by models that never saw the row, without fitting those models one by one."""

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_solve, cholesky

from .._crossfit import make_folds
from .._random import LARGEST_SEED
from .._validation import check_count
from ._hidden_layer import HiddenRows
from ._ridge import (
    GramRecord,
    RidgeModel,
    RidgeSystem,
    SpectralFactor,
    build_system,
    sum_all_others,
)

SMALLEST_GAP = 1e-12  # 1 - leverage below which, the row left out, nothing is left to predict it by
SMALLEST_FOLD_GAP = 1e-5  # the same for a fold, which is fitted without it before digits are lost


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
