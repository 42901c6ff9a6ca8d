"""One fit: sums over the rows, alpha, the output weights, out-of-sample predictions."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from .._warn import warn_user
from ._alpha import GRID, gcv, kfold_error, last_minimum, press, search_alphas
from ._gram import GramRecord, merged, record_of
from ._out_of_sample import leave_one_out, predict_folds, predict_small_folds
from ._ridge import RidgeModel, RidgeSystem
from ._rows import HiddenRows

CONSTANT = 1e-28  # variance below which hidden units are constant but for rounding


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
    return Sums(merged(records).system(fit_intercept=fit_intercept), records, large, small)


def choose_alpha(
    rule: str, alphas: np.ndarray | None, sums: Sums, rows: HiddenRows | None
) -> tuple[float, dict[str, np.ndarray]]:
    """The best alpha by a rule, and what was tried: the alphas and their errors.

    Without the rows, only the sums are left to go by: "gcv" then stands in for the other rules.
    """
    system = sums.system
    scale = system.mean_eigenvalue
    grid = GRID * (scale if scale > CONSTANT * system.weight else 1) if alphas is None else alphas
    rule, error = _criterion(rule, sums, rows)
    grid, errors = search_alphas(error, grid, extend=alphas is None)
    if not np.isfinite(errors).any():
        _warn_of_no_comparison(rule, system.weight)
    tried = {"alphas": grid, rule: errors}
    if rule == "press":  # costs no pass over the rows, and shows how far the two agree
        tried["gcv"] = gcv(system, grid)
    return float(grid[last_minimum(errors)]), tried


def _warn_of_no_comparison(rule: str, weight: float) -> None:
    warn_user(
        f"{rule} cannot compare the alphas: all leave as many parameters free as there are rows, "
        f"of which the weights make {weight:.3g}. The largest was taken; pass larger alphas, or "
        "weights with a mean of one."
    )


def _criterion(
    rule: str, sums: Sums, rows: HiddenRows | None
) -> tuple[str, Callable[[np.ndarray], np.ndarray]]:
    system = sums.system
    if rule == "gcv" or rows is None:
        return "gcv", partial(gcv, system)
    if rule == "press":
        return rule, partial(press, system, rows)
    return rule, partial(kfold_error, sums.records, fit_intercept=system.fit_intercept)


class Outside(NamedTuple):
    """Each row as predicted without it, or without its fold, and what came of it on the way."""

    predictions: np.ndarray
    leverage: np.ndarray | None = None  # of rows that were left out one by one
    folds: Sequence[tuple[np.ndarray, np.ndarray]] = ()  # outputs of the models without large folds


def predict_outside(model: RidgeModel, sums: Sums, rows: HiddenRows) -> Outside:
    """Predict every row by a model that did not see it."""
    if not sums.large and not sums.small:
        return Outside(*leave_one_out(model, rows))
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
    return Outside(predictions, folds=solved)
