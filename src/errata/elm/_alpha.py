"""Choosing alpha in closed form: no model is fitted twice."""

from collections.abc import Callable, Sequence

import numpy as np

from .._warn import warn_user
from ._gram import GramRecord, left_out
from ._out_of_sample import SMALLEST_GAP
from ._ridge import RidgeModel, RidgeSystem, SpectralFactor
from ._rows import HiddenRows

GRID = np.logspace(-8, 4, 49)  # times the mean eigenvalue of the Gram matrix
EXTENSION = np.logspace(0.25, 4, 16)  # how far a grid is extended beyond its end


def gcv(system: RidgeSystem, alphas: np.ndarray) -> np.ndarray:
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


def press(system: RidgeSystem, rows: HiddenRows, alphas: np.ndarray) -> np.ndarray:
    """Sum of squared leave-one-out errors of each alpha, exactly, in one pass over the rows."""
    g, Q = system.spectrum
    # In the basis of Q every alpha is a division: one product per block serves the whole grid.
    inverse = 1 / (g[:, None] + alphas)
    d = Q.T @ system.cross
    total = np.zeros(len(alphas))
    for block in rows.blocks():
        w = np.ones(len(block.hidden)) if block.weight is None else block.weight
        U = (block.hidden - system.hidden_mean) @ Q
        gap = 1 - w[:, None] * (system.base + U**2 @ inverse)
        defined = gap >= SMALLEST_GAP  # elsewhere the row alone decides its fitted value
        for t, mean, d_t in zip(block.target.T, system.target_mean, d.T, strict=True):
            residual = (t - mean)[:, None] - U @ (d_t[:, None] * inverse)
            outside = np.divide(residual, gap, out=np.full_like(gap, np.inf), where=defined)
            total += w @ outside**2
    return total


def kfold_error(
    records: Sequence[GramRecord], alphas: np.ndarray, *, fit_intercept: bool
) -> np.ndarray:
    """Sum of squared out-of-fold errors of each alpha, from one record per fold."""
    total = np.zeros(len(alphas))
    for held_out, training in zip(records, left_out(records), strict=True):
        system = training.system(fit_intercept=fit_intercept)
        for i, alpha in enumerate(alphas):
            model = RidgeModel(system, SpectralFactor(*system.spectrum, alpha))
            total[i] += held_out.squared_error(model.coef, model.intercept).sum()
    return total


def search_alphas(
    error: Callable[[np.ndarray], np.ndarray], alphas: np.ndarray, *, extend: bool
) -> tuple[np.ndarray, np.ndarray]:
    """The errors of all alphas of a grid, which grows by four decades where the best is its end."""
    errors = error(alphas)
    best = last_minimum(errors)
    if not extend or best not in (0, len(alphas) - 1) or not np.isfinite(errors[best]):
        return alphas, errors
    beyond = alphas[best] * (EXTENSION if best else 1 / EXTENSION)
    alphas, errors = np.append(alphas, beyond), np.append(errors, error(beyond))
    order = np.argsort(alphas)
    alphas, errors = alphas[order], errors[order]
    best = last_minimum(errors)
    if best in (0, len(alphas) - 1):
        _warn_of_the_end(alphas[best], "largest" if best else "smallest")
    return alphas, errors


def last_minimum(errors: np.ndarray) -> int:
    """Where the error is smallest; of equals, where alpha is largest."""
    return len(errors) - 1 - int(np.argmin(errors[::-1]))


def _warn_of_the_end(alpha: float, end: str) -> None:
    meaning = {
        "largest": "the hidden units hardly explain the target",
        "smallest": "the target is all but free of noise",
    }[end]
    warn_user(
        f"the {end} value tried, alpha={alpha:.3g}, has the smallest error: {meaning}. "
        "Pass alphas to look further."
    )
