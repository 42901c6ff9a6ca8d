"""Which hidden units to keep: the first, drawn or ranked, that predict left-out rows best.

Ranked by least-angle regression and solved by least squares this is OP-ELM, with ridge regression
TROP-ELM (Miche and others, 2010 and 2011); in the order drawn, a network grown unit by unit.
"""

import numpy as np

from ._hidden_layer import HiddenLayer, HiddenRows
from ._ridge import GRID, compute_press, predict_left_out, sum_up

SELECTIONS = ("first", "lars")
DEPENDENT = 1e-10  # what is left of a unit, of length one, that others can replace
EVERY_SIZE = 50  # sizes up to here are all compared, larger ones in steps of a twentieth


def rank_units(H: np.ndarray, T: np.ndarray) -> np.ndarray:
    """Units in the order in which least-angle regression takes them up; dependent ones are left.

    The fit moves towards the least-squares fit on the units taken up so far, until another unit is
    as much correlated with the residuals as these, which all are alike. With several targets the
    correlation is the length of the vector of correlations (Similä and Tikka, 2007).
    """
    H = H - H.mean(axis=0)
    lengths = np.linalg.norm(H, axis=0)
    varying = np.flatnonzero(lengths > DEPENDENT * lengths.max(initial=0))
    H = H[:, varying] / lengths[varying]
    left = np.ones(len(varying), dtype=bool)
    basis = np.empty((len(H), min(len(H) - 1, len(varying))))
    residual = T - T.mean(axis=0)
    ahead = np.zeros_like(residual)  # from the fit to the least-squares fit
    order = list[int]()
    a = H.T @ residual
    entering = int((a**2).sum(axis=1).argmax()) if len(varying) else 0
    while left.any() and len(order) < basis.shape[1]:
        left[entering] = False
        taken = basis[:, : len(order)]
        q = H[:, entering]
        for _ in range(2):  # once more, for the digits that were lost
            q = q - taken @ (taken.T @ q)
        if np.linalg.norm(q) > DEPENDENT:
            q = q / np.linalg.norm(q)
            basis[:, len(order)] = q
            order.append(int(varying[entering]))
            ahead = ahead + np.outer(q, q @ residual)
        if left.any():
            step, entering = _find_next(H.T @ residual, H.T @ ahead, left)
            residual = residual - step * ahead
            ahead = (1 - step) * ahead
    return np.array(order, dtype=int)


def _find_next(a: np.ndarray, b: np.ndarray, left: np.ndarray) -> tuple[float, int]:
    """How far to go until another unit has as large a correlation, and which.

    Correlations with the residuals are ``a - step b``, and ``(1 - step) a`` of units taken up,
    whose length is ``c``: the first root of ``|a - step b|² = (1 - step)² c²``.
    """
    c_squared = (a[~left] ** 2).sum(axis=1).max()
    square = (b**2).sum(axis=1) - c_squared
    half = (a * b).sum(axis=1) - c_squared
    constant = np.minimum((a**2).sum(axis=1) - c_squared, 0.0)
    root = np.sqrt(np.maximum(half**2 - square * constant, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        # Of two ways to write the root, the one that adds numbers of equal sign.
        steps = np.where(half > 0, (half + root) / square, constant / (half - root))
    steps = np.where(left, np.nan_to_num(steps, nan=1.0), np.inf)
    return float(np.clip(steps.min(), 0.0, 1.0)), int(steps.argmin())


def compare_sizes(
    layer: HiddenLayer,
    order: np.ndarray,
    rows: HiddenRows,
    alpha: float | str,
    alphas: np.ndarray | None,
    *,
    fit_intercept: bool,
) -> tuple[np.ndarray, np.ndarray]:
    """Sizes of networks of the first units, and the squared leave-one-out error of each.

    Where a rule is to choose alpha, each size has its own, by the least error.
    """
    sizes = list(range(1, min(EVERY_SIZE, len(order)) + 1))
    while sizes and sizes[-1] < len(order):
        sizes.append(min(len(order), sizes[-1] + max(1, sizes[-1] // 20)))
    errors = []
    for size in sizes:
        some = HiddenRows(
            take_units(layer, order[:size]),
            rows.X,
            rows.target,
            rows.weight,
            block_size=rows.block_size,
        )
        system, _ = sum_up(some, fit_intercept=fit_intercept)
        if isinstance(alpha, str):
            grid = GRID * (system.mean_eigenvalue or 1.0) if alphas is None else alphas
            errors.append(float(compute_press(system, some, grid).min()))
        else:
            outside, _ = predict_left_out(system.solved(alpha), some)
            squares = ((rows.target - outside) ** 2).sum(axis=1)
            error = squares.sum() if rows.weight is None else rows.weight @ squares
            errors.append(float(np.nan_to_num(error, nan=np.inf)))
    return np.array(sizes), np.array(errors)


def take_units(layer: HiddenLayer, units: np.ndarray) -> HiddenLayer:
    """The layer with these units only."""
    shift = None if layer.shift is None else layer.shift[units]
    return layer._replace(
        weights=np.ascontiguousarray(layer.weights[:, units]), bias=layer.bias[units], shift=shift
    )
