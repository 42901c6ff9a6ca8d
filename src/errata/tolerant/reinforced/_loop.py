"""The one loop: reinforce the probabilities, fit the model with the weights left, and again.

The formulas have the letters of the paper: ``alpha`` is the constant that the estimators call
``reinforcement``, ``r`` what is added to the probability ``p`` of a row, and ``w = p / (p + r)``
its weight. What is paid for a reinforcement is ``alpha Omega(r) = c (1 - w)`` under all penalties,
with ``c`` = 1 for L1, 1/2 for L2 and 2 for L1/2. Everything is computed from logarithms, so that a
density of 1e-400 is not a special case.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.linalg import qr
from scipy.optimize import brentq
from scipy.special import expit, ndtri
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from ..._blocks import blocks, reduce_blocks
from ..._canonical import measure_spread
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

PENALTIES = ("l1", "l2", "l1/2")
_PRICE = {"l1": 1.0, "l2": 0.5, "l1/2": 2.0}
_LOG_2 = np.log(2.0)
# Where L1/2 pays for its reinforcement: 4 alpha² p = 1 - s², s solving log(2 / (1 - s)) = 1 + s.
_LAST_ROOT = brentq(lambda s: np.log(2 / (1 - s)) - 1 - s, 0.1, 0.99, xtol=1e-15)
_LOG_JUMP = np.log1p(-(_LAST_ROOT**2)) - 2 * _LOG_2  # of alpha² p, there
_TIE_BREAK = 1e-6  # of the abnormality; the rest of it is one minus the weight
_LOG_NEXT_TO_NOTHING = -1e300  # stands for the logarithm of 0, so that inf - inf never occurs

# Fractions that differ by less than this are equal: sums of weights carry rounding errors.
_ROUNDING = 1e-9
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


def weigh(log_p: np.ndarray, log_alpha: float, penalty: str) -> np.ndarray:
    """Weight of each row (34): ``min(1, alpha p)`` or ``2z / (z + √(z² + 4))``, z = p √alpha.

    L1/2 with ``q = 4 alpha² p``: ``(1 - √(1 - q)) / 2`` as long as a reinforcement pays, then 1.
    """
    log_p = np.maximum(log_p, _LOG_NEXT_TO_NOTHING)
    with np.errstate(over="ignore"):
        if penalty == "l1":
            return np.exp(np.minimum(0.0, log_alpha + log_p))
        if penalty == "l1/2":
            log_place = log_p + 2 * log_alpha
            q = 4 * np.exp(np.minimum(log_place, _LOG_JUMP))
            return np.where(log_place < _LOG_JUMP, q / (2 * (1 + np.sqrt(1 - q))), 1.0)
        # Divided through by z: z² would overflow for large z, and inf / inf is nan.
        return 2 / (1 + np.hypot(1.0, np.exp(_LOG_2 - log_p - log_alpha / 2)))


def log_reinforced(log_p: np.ndarray, log_alpha: float, penalty: str) -> np.ndarray:
    """Logarithm of the reinforced probability ``p + r`` (equations 13 and 18).

    L1/2: ``(1 - w) / alpha²`` where there is a reinforcement, which falls as ``p`` grows.
    """
    if penalty == "l1":
        return np.maximum(log_p, -log_alpha)
    if penalty == "l1/2":
        weights = weigh(log_p, log_alpha, penalty)
        with np.errstate(divide="ignore"):
            return np.where(weights < 1, np.log1p(-weights) - 2 * log_alpha, log_p)
    log_root = np.logaddexp(2 * log_p, 2 * _LOG_2 - log_alpha) / 2  # of sqrt(p² + 4 / alpha)
    return np.logaddexp(log_p, log_root) - _LOG_2


def compute_reinforcements(log_p: np.ndarray, log_alpha: float, penalty: str) -> np.ndarray:
    """The reinforcements ``r`` (equations 12 and 17); inf where they exceed the largest float.

    From ``r = (1 - w) / alpha`` for L1, ``r = 1 / (alpha (p + r))`` for L2 and
    ``r = ((1 - w) / alpha)²`` for L1/2, none of which subtracts two numbers that may be nearly
    equal.
    """
    with np.errstate(over="ignore", divide="ignore"):
        if penalty == "l1/2":
            return np.exp(2 * (np.log1p(-weigh(log_p, log_alpha, penalty)) - log_alpha))
        if penalty == "l1":
            log_p = np.maximum(log_p, _LOG_NEXT_TO_NOTHING)
            return np.exp(np.log(-np.expm1(np.minimum(0.0, log_alpha + log_p))) - log_alpha)
        return np.exp(-log_alpha - log_reinforced(log_p, log_alpha, penalty))


def compute_abnormality(log_p: np.ndarray, log_alpha: float, penalty: str) -> np.ndarray:
    """One minus the weight (section 3.5), to the sixth digit; the rest keeps the order of ``p``.

    L1 and L1/2 give a weight of one to all the likely rows. Where more rows are wrong than the mean
    weight leaves room for, some of the wrong are among them, and a list sorted by abnormality
    should still have these next.
    """
    degree = 1 - weigh(log_p, log_alpha, penalty)
    if penalty == "l2":
        return degree
    log_threshold = -log_alpha if penalty == "l1" else _LOG_JUMP - 2 * log_alpha
    log_odds = log_threshold - np.maximum(log_p, _LOG_NEXT_TO_NOTHING)
    return (1 - _TIE_BREAK) * degree + _TIE_BREAK * expit(log_odds)


def compute_reinforced_log_likelihood(
    log_p: np.ndarray, log_alpha: float, penalty: str
) -> np.ndarray:
    """Each row's term of the objective (5), its reinforcement being the best one.

    That is ``log(p + r) - alpha Omega(r)``: what the loop raises from step to step.
    """
    degree = 1 - weigh(log_p, log_alpha, penalty)
    return log_reinforced(log_p, log_alpha, penalty) - _PRICE[penalty] * degree


def choose_log_alpha(
    log_p: np.ndarray, counts: np.ndarray, mean_weight: float, penalty: str
) -> float:
    """Logarithm of the alpha for which the mean weight of the rows is ``mean_weight``.

    The logarithm, as alpha itself may exceed the largest float. Rows with ``log_p`` of -inf have
    weight 0; ``counts`` says how many rows each row stands for.

    L1 is solved exactly by sorting, equations 72 and 73, with two repairs: all the rows may have to
    be below weight one, and the k rows below it must outnumber the rows to give up (else the
    logarithm of zero turns up whenever the worst rows underflow). L2 is a search for the root of an
    increasing function, in a bracket that holds for densities of any unit: at its left end every
    weight is at most ``mean_weight``, at its right end at least. Weights of L1/2 jump, so that a
    mean weight may be out of reach: the least alpha is taken with which it is no smaller.
    """
    log_p = log_p[counts > 0]
    counts = counts[counts > 0]
    needed = _find_mean_of_possible(log_p, counts, mean_weight, penalty)
    possible = log_p > -np.inf
    search = {"l1": _solve_by_sorting, "l2": _solve_by_root, "l1/2": _solve_by_halving}
    return search[penalty](log_p[possible], counts[possible], needed)


def _find_mean_of_possible(
    log_p: np.ndarray, counts: np.ndarray, mean_weight: float, penalty: str
) -> float:
    """The mean weight that the rows of non-zero probability need, the others having weight zero."""
    impossible = log_p == -np.inf
    left = 1 - counts[impossible].sum() / counts.sum()
    # Others than L2 give all possible rows a weight of one at a finite alpha.
    margin = _ROUNDING if penalty == "l2" else -_ROUNDING
    if not left > mean_weight + margin:
        raise ValueError(
            f"{impossible.sum()} of {len(log_p)} rows have probability zero, so that no "
            f"reinforcement gives a mean weight of {mean_weight:g}; pass a mean_weight below "
            f"{left:.3g}, or use a model that finds every row possible."
        )
    return min(1.0, mean_weight / left)


def _solve_by_sorting(log_p: np.ndarray, counts: np.ndarray, mean_weight: float) -> float:
    """L1: find how many rows fall below weight one (72), then alpha from their sum (73)."""
    order = np.argsort(log_p, kind="stable")
    log_p = log_p[order]
    counts = counts[order]
    log_sum = np.logaddexp.accumulate(log_p + np.log(counts))
    below = np.cumsum(counts)
    total = counts.sum()
    give_up = (1 - mean_weight) * total
    # Mean weight when alpha = 1 / p of the next row: the first k rows below one, the others at one.
    at_next = (np.exp(log_sum[:-1] - log_p[1:]) + total - below[:-1]) / total
    enough = (at_next <= mean_weight) & (below[:-1] > give_up + _ROUNDING * total)
    k = int(enough.argmax()) if enough.any() else len(log_p) - 1
    return float(np.log(below[k] - give_up) - log_sum[k])


def _solve_by_root(log_p: np.ndarray, counts: np.ndarray, mean_weight: float) -> float:
    """L2: the root of the mean weight minus the one to reach."""

    def excess(log_alpha: float) -> float:
        return float(np.average(weigh(log_p, log_alpha, "l2"), weights=counts)) - mean_weight

    low, high = compute_l2_bracket(log_p, mean_weight)
    margin = 1e-9 * (1 + abs(low) + abs(high))  # for equal log_p, where the bracket is one point
    return float(brentq(excess, low - margin, high + margin, xtol=1e-12, maxiter=1000))


def _solve_by_halving(log_p: np.ndarray, counts: np.ndarray, mean_weight: float) -> float:
    """L1/2: the least log alpha, to the last digit, with which the mean weight is no smaller."""
    # A weight below the jump, and no more than the mean: 4 alpha² p = 4 w (1 - w).
    least = min(mean_weight, 0.2)
    low = (np.log(least) + np.log1p(-least) - log_p.max()) / 2
    high = (_LOG_JUMP - log_p.min()) / 2
    high += 1e-9 * (1 + abs(high))
    while True:
        middle = (low + high) / 2
        if not low < middle < high:
            return float(high)
        enough = np.average(weigh(log_p, middle, "l1/2"), weights=counts) >= mean_weight
        low, high = (low, middle) if enough else (middle, high)


def compute_l2_bracket(log_p: np.ndarray, mean_weight: float) -> tuple[float, float]:
    """Values of log alpha at which no L2 weight is above, and none below, ``mean_weight``."""
    # The weight of a row is mean_weight where p sqrt(alpha) = z.
    log_z = np.log(mean_weight) - np.log1p(-mean_weight) / 2
    return 2 * (log_z - log_p.max()), 2 * (log_z - log_p.min())


def reinforcement_weights(
    log_p: Any,
    *,
    reinforcement: float | str = "auto",
    reinforcement_penalty: str = "l1",
    mean_weight: float = 0.95,
    sample_weight: Any = None,
) -> np.ndarray:
    """Weight of each row, ``w = p / (p + r)``, once its probability has been reinforced.

    Reach for it to reinforce a model of your own: maximise the weighted likelihood, compute these
    weights, and repeat. A row that the model finds likely keeps a weight near one; the weight of an
    unlikely row falls in proportion to its probability. The order of the rows never changes. Costs
    O(n log n) for "l1" and some twenty sums for "l2".

    Parameters
    ----------
    log_p : array-like of shape (n,)
        Log-probability or log-density of each row under the model; -inf is accepted (weight 0
        for any finite ``reinforcement``).
    reinforcement : float or "auto", default="auto"
        The constant alpha of [1]_: the larger, the fewer rows lose weight; infinity leaves every
        row a weight of one. "auto" chooses the constant for which the mean weight is
        ``mean_weight``. (Cross-validation cannot choose it: validation rows hold the same errors as
        training rows, and keeping errors pays off on them.)
    reinforcement_penalty : {"l1", "l2", "l1/2"}, default="l1"
        With "l1" only the rows below the threshold 1/alpha lose weight; "l2" is smooth, with its
        threshold at 1/sqrt(alpha). "l1/2" is the counter-example of [1]_: weights jump from 0.2 to
        1 at 0.16/alpha², and the mean weight is the least within reach.
    mean_weight : float in (0, 1), default=0.95
        The mean weight to reach with "auto": the fraction of the rows that should be fitted. Too
        low costs little, too high keeps errors in: with 10 % wrong rows take 0.9 or less.
    sample_weight : array-like of shape (n,), optional
        How many rows each row stands for in the mean.

    Returns
    -------
    array of shape (n,), with values in [0, 1]

    Notes
    -----
    The reinforcement ``r >= 0`` maximises ``log(p + r) - alpha Omega(r)`` with ``Omega(r) = r``
    (L1, equation 12 of [1]_) or ``r²/2`` (L2, equation 17), so that ``w = min(1, alpha p)`` or
    ``w = 2z / (z + sqrt(z² + 4))`` with ``z = p sqrt(alpha)``. L1/2 has ``Omega(r) = 2 sqrt(r)``,
    which is not convex: ``p + r`` may be smaller for the larger ``p``, though ``w`` never is.

    References
    ----------
    .. [1] Frénay and Verleysen. Pointwise probability reinforcements for robust statistical
       inference. Neural Networks 50, 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from errata.tolerant import reinforcement_weights
    >>> log_p = np.log([0.01, 0.1, 0.5, 0.8, 1.0])
    >>> reinforcement_weights(log_p).round(3)
    array([0.75, 1.  , 1.  , 1.  , 1.  ])
    >>> reinforcement_weights(log_p, reinforcement=412.6, reinforcement_penalty="l2").round(3)
    array([0.184, 0.832, 0.99 , 0.996, 0.998])
    """
    penalty = check_choice("reinforcement_penalty", reinforcement_penalty, PENALTIES)
    log_alpha = check_log_reinforcement(reinforcement)
    mean_weight = check_mean_weight(mean_weight)
    log_p = check_log_probabilities("log_p", log_p)
    counts = check_row_weights("sample_weight", sample_weight, len(log_p))
    if log_alpha is None:
        log_alpha = choose_log_alpha(log_p, counts, mean_weight, penalty)
    return weigh(log_p, log_alpha, penalty)


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
    log_alpha_now = np.nan if log_alpha is None else log_alpha
    for n_iter in range(1, max_iter + 1):
        log_p = check_log_probabilities("log_p", log_p)
        # Half of the iterations without rest may mean that rows hop in and out of an L1 threshold
        # that moves with them: from then on it is held still.
        if log_alpha is None and n_iter <= max(1, max_iter // 2):
            log_alpha_now = choose_log_alpha(log_p, sample_weight, mean_weight, penalty)
        before = weights
        weights = weigh(log_p, log_alpha_now, penalty)
        gains = compute_reinforced_log_likelihood(log_p, log_alpha_now, penalty)
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
    return params, log_p, weights, log_alpha_now, np.array(objective), bool(moved <= tol)


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
    mean, spread = measure_spread(y, weights)
    # A constant y has a size still, unless it is 0.
    return 1e-8 * (float(spread) or float(np.abs(mean)) or 1.0)


@lru_cache(maxsize=64)
def clean_scale(mean_weight: float, penalty: str) -> float:
    """How much narrower than the truth the noise looks on clean Gaussian data.

    Taking weight off the tails of a Gaussian narrows it even when no row is wrong. The factor is
    found by reinforcing a Gaussian on the quantiles of a standard normal sample.
    """
    n = 20_001  # points of the sample
    x = ndtri((np.arange(n) + 0.5) / n)

    def maximise(weights: np.ndarray, _: float | None) -> Fit:
        scale = estimate_scale(x, weights, floor=1e-8)
        return scale, compute_gaussian_log_density(x, scale), 0.0

    ones = np.ones(n)
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
