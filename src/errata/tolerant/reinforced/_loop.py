"""The one loop: reinforce the probabilities, fit the model with the weights left, and again."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.linalg import qr
from scipy.special import ndtri
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from ..._blocks import blocks, reduce_blocks
from ..._detector import DetectorMixin
from ..._validation import (
    check_choice,
    check_count,
    check_fraction,
    check_log_probabilities,
    check_log_reinforcement,
    check_mean_weight,
    check_row_weights,
)
from ..._warn import warn_user
from ._weights import (
    PENALTIES,
    choose_log_alpha,
    compute_abnormality,
    compute_reinforced_log_likelihood,
    compute_reinforcements,
    weigh,
)

SCALE_UPDATES = ("paper", "joint")

_LOG_2_PI = np.log(2 * np.pi)

# Rows at a time: the weighted copies stay small however long the table is.
BLOCK_ROWS = 8_192


# Parameters, log-probability of each training row under them, and minus the model's own penalty
Fit = tuple[Any, np.ndarray, float]
# Given the weight of each row and the parameters before (None at first), fit the model.
Maximise = Callable[[np.ndarray, Any], Fit]


class Degenerate(ValueError):
    """The weights given to a model leave it nothing to fit; the message says what is gone."""


def reinforce(
    maximise: Maximise,
    *,
    penalty: str,
    log_alpha: float | None,
    mean_weight: float,
    max_iter: int,
    tol: float,
    sample_weight: np.ndarray,
    w_init: np.ndarray,
) -> tuple[Any, np.ndarray, np.ndarray, float, np.ndarray, bool]:
    """Maximise the reinforced likelihood (5) by weighted fits, as section 3.2 of the paper does.

    The weighted likelihood is a lower bound of the reinforced one that touches it at the present
    parameters (theorem 3). So with alpha, the reinforcement, fixed the objective never falls,
    provided that ``maximise`` raises the weighted log-likelihood plus its log-prior.

    ``log_alpha`` None is chosen anew at each iteration, to reach the mean weight. Returns the
    parameters, the log-probabilities and weights of the rows, log alpha, the objective at each
    iteration under the alpha of that iteration, and whether the weights settled.
    """
    # With w_init at its default, ones, this is the plain fit, that of an infinite alpha.
    weights = w_init
    params, log_p, log_prior = maximise(sample_weight * w_init, None)
    objective = []
    automatic = log_alpha is None
    for n_iter in range(1, max_iter + 1):
        log_p = check_log_probabilities("log_p", log_p)
        # Half of the iterations without rest may mean that rows hop in and out of an L1 threshold
        # that moves with them: from then on it is held still.
        if automatic and n_iter <= max(1, max_iter // 2):
            log_alpha = choose_log_alpha(log_p, sample_weight, mean_weight, penalty)
        before = weights
        weights = weigh(log_p, log_alpha, penalty)
        gains = compute_reinforced_log_likelihood(log_p, log_alpha, penalty)
        objective.append(float(sample_weight @ gains) + log_prior)
        # A row that stands for no row has a weight too, but no say in when to stop.
        moved = np.abs(weights - before)[sample_weight > 0].max()
        if moved <= tol:
            break
        if n_iter == max_iter:
            warn_user(
                f"after {n_iter} iterations the weights still move by {moved:.2g}; "
                "raise max_iter or tol, or pass a number for reinforcement.",
                ConvergenceWarning,
            )
            break
        try:
            if not (sample_weight * weights).any():
                raise Degenerate("the reinforcement is so small that no row keeps any weight")
            params, log_p, log_prior = maximise(sample_weight * weights, params)
        except Degenerate as reason:
            warn_user(f"{reason}; keeping the fit before that.")
            break
    return params, log_p, weights, log_alpha, np.array(objective), bool(moved <= tol)


class ReinforcedEstimator(DetectorMixin, BaseEstimator):
    """Runs the loop with a model plugged in, and keeps what it says about the rows."""

    reinforcement: float | str
    reinforcement_penalty: str
    mean_weight: float
    max_iter: int
    tol: float

    def _reinforce(
        self, maximise: Maximise, *, sample_weight: np.ndarray, w_init: Any = None
    ) -> Any:
        """Run the loop, set the fitted attributes common to all, return the model's parameters."""
        penalty = check_choice("reinforcement_penalty", self.reinforcement_penalty, PENALTIES)
        params, log_p, weights, log_alpha, objective, converged = reinforce(
            maximise,
            penalty=penalty,
            log_alpha=check_log_reinforcement(self.reinforcement),
            mean_weight=check_mean_weight(self.mean_weight),
            max_iter=check_count("max_iter", self.max_iter),
            tol=check_fraction("tol", self.tol),
            sample_weight=sample_weight,
            w_init=check_row_weights("w_init", w_init, len(sample_weight), high=1),
        )
        self.weights_ = weights
        self.log_likelihood_ = log_p
        self.added_probabilities_ = compute_reinforcements(log_p, log_alpha, penalty)
        self.log_reinforcement_ = log_alpha
        with np.errstate(over="ignore"):  # inf, where alpha exceeds the largest float
            self.reinforcement_ = float(np.exp(log_alpha))
        self.mean_weight_ = float(np.average(weights, weights=sample_weight))
        self.objective_ = objective
        self.n_iter_ = len(objective)
        self.converged_ = converged
        # Classifiers call it once more, with the predicted classes, for suggested_.
        self._conclude(compute_abnormality(log_p, log_alpha, penalty))
        return params


def require_every_class(row_weights: np.ndarray, codes: np.ndarray, classes: np.ndarray) -> None:
    """Raise when the rows of a class have lost their weight, so that a fit would forget it."""
    heaviest = np.zeros(len(classes))
    np.maximum.at(heaviest, codes, row_weights)
    gone = heaviest <= 1e-12 * row_weights.max()  # relative: sample weights have any unit
    if gone.any():
        raise Degenerate(
            f"no row of the class {classes[gone][0]} keeps any weight, and a fit would forget it"
        )


def compute_gaussian_log_density(residuals: np.ndarray, scale: float) -> np.ndarray:
    """Log-density of each residual under N(0, scale²)."""
    return -_LOG_2_PI / 2 - np.log(scale) - (residuals / scale) ** 2 / 2


def estimate_scale(
    residuals: np.ndarray, weights: np.ndarray, *, floor: float, shrinkage: float = 0.0
) -> float:
    """Standard deviation of the noise (52), not below ``floor``.

    ``shrinkage`` is the penalty on the model, in the unit of a squared error, when the noise and
    the prior of the model share one width and the maximum is over both.
    """
    return max(floor, float(np.sqrt((weights @ residuals**2 + shrinkage) / weights.sum())))


def compute_scale_floor(y: np.ndarray, weights: np.ndarray) -> float:
    """The narrowest noise to believe in: a fit closer than this has collapsed on a few rows."""
    mean = float(np.average(y, weights=weights))
    spread = float(np.sqrt(np.average((y - mean) ** 2, weights=weights)))
    return 1e-8 * (spread or abs(mean) or 1.0)  # a constant y has a size still, unless it is 0


@lru_cache(maxsize=64)
def clean_scale(mean_weight: float, penalty: str, n_points: int = 20_001) -> float:
    """How much narrower than the truth the noise looks on clean Gaussian data.

    Taking weight off the tails of a Gaussian narrows it even when no row is wrong. The factor is
    found by reinforcing a Gaussian on the quantiles of a standard normal sample.
    """
    x = ndtri((np.arange(n_points) + 0.5) / n_points)

    def maximise(weights: np.ndarray, _: float | None) -> Fit:
        scale = estimate_scale(x, weights, floor=1e-8)
        return scale, compute_gaussian_log_density(x, scale), 0.0

    ones = np.ones(n_points)
    scale, *_ = reinforce(
        maximise,
        penalty=penalty,
        log_alpha=None,
        mean_weight=mean_weight,
        max_iter=1000,
        tol=1e-7,
        sample_weight=ones,
        w_init=ones,
    )
    return scale


def report_scale(estimator: Any, scale: float, *, floor: float) -> None:
    """Set ``scale_`` and ``collapsed_`` of a fitted regression, and say so if it collapsed."""
    factor = 1.0
    if estimator.consistent_scale and estimator.mean_weight_ < 1:
        # Rounded for the cache: the loop reaches the mean weight asked for to rounding error only.
        factor = clean_scale(round(estimator.mean_weight_, 6), estimator.reinforcement_penalty)
    estimator.scale_ = scale / factor
    # Judged before the correction: it is the fit that meets the floor.
    estimator.collapsed_ = bool(scale <= floor)
    if estimator.collapsed_:
        warn_user(
            "the noise has shrunk to nothing: the rows that kept a weight are fitted exactly, and "
            "their weights say little. Raise reinforcement or the penalty on the model, or check "
            "that y is not constant.",
        )


def find_centre(X: np.ndarray) -> np.ndarray:
    """The median of each column, to be taken off before anything is squared or factorised.

    Columns far from zero keep their digits that way, and as the median of a constant column is
    that constant, such a column becomes zero instead of rounding errors to fit.
    """
    return np.median(X, axis=0)


def compute_triangle(
    columns: list[np.ndarray], weights: np.ndarray, *, ones: bool = True
) -> np.ndarray:
    """Upper-triangular R with ``R'R = Z'WZ``, where Z holds a column of ones and the ``columns``.

    It is the triangular factor of the weighted table, found from those of its blocks: the factor of
    two blocks together is the factor of their two factors on top of each other. Never squares the
    table, so that half of the digits are not lost as they are in ``Z'WZ``. As ones come first, the
    corner below them, ``R[1:, 1:]``, belongs to the columns less their weighted means, and the
    means are ``R[0, 1:] / R[0, 0]``.
    """
    parts = blocks(len(weights), BLOCK_ROWS)
    return reduce_blocks(_factorise_rows, parts, columns, weights, ones, merge=_merge_factors)


def _factorise_rows(
    rows: slice, columns: list[np.ndarray], weights: np.ndarray, ones: bool
) -> np.ndarray:
    root = np.sqrt(weights[rows])[:, None]
    block = [c[rows].reshape(len(root), -1) for c in columns]
    return _factorise(np.hstack([np.ones((len(root), int(ones))), *block]) * root)


def _merge_factors(upper: np.ndarray, lower: np.ndarray) -> np.ndarray:
    return _factorise(np.vstack([upper, lower]))


def _factorise(table: np.ndarray) -> np.ndarray:
    return qr(table, mode="r", overwrite_a=True, check_finite=False)[0][: table.shape[1]]
