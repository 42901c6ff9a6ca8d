"""Weighted logistic regression for two classes or more: the fit that is reinforced.

Classes are scored by ``X @ coef.T + intercept``, one row of coefficients per class; two classes
need one row only, the score of the second. The parameters travel as one array of shape (rows,
1 + d), intercepts first.
"""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, lstsq
from scipy.optimize import minimize
from scipy.special import expit, log_softmax, softmax

from .._blocks import blocks, reduce_blocks
from .._canonical import measure_spread

# Rows of which the curvature is summed at a time.
BLOCK_ROWS = 8_192
# exp(-30) = 1e-13: beyond such a margin a probability is 1 for all that fitting can tell.
_CERTAIN = 30.0
# Newton's method holds the square of this many parameters; beyond, L-BFGS does without.
MAX_NEWTON_PARAMS = 2000
MAX_STEPS = 100  # of Newton


def compute_scores(X: np.ndarray, beta: np.ndarray) -> np.ndarray:
    """Score of each class, or of the second of two classes, for each row."""
    return X @ beta[:, 1:].T + beta[:, 0]


def compute_log_proba(eta: np.ndarray) -> np.ndarray:
    """Log-probability of every class for each row of scores."""
    if eta.shape[1] == 1:
        return -np.logaddexp(0, np.hstack([eta, -eta]))
    return log_softmax(eta, axis=1)


def take_label_log_proba(eta: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Log-probability of each row's own label."""
    return np.take_along_axis(compute_log_proba(eta), codes[:, None], axis=1)[:, 0]


def _compute_probabilities(eta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities P of the scored classes and P(1 - P), without the rounding of 1 - P."""
    if eta.shape[1] == 1:
        return expit(eta), expit(eta) * expit(-eta)
    P = softmax(eta, axis=1)
    return P, P * (P @ (1 - np.eye(P.shape[1])))


def _pin_down(H: np.ndarray) -> None:
    """Curve the direction in which scores do not matter, that of all classes alike.

    The slope has no part in that direction, so the step has none either, whatever the curvature.
    """
    rows, width = H.shape[:2]
    if rows > 1:
        index = np.arange(width)
        H[:, index, :, index] += np.trace(H.reshape(rows * width, -1)) / (rows * width)


def _solve(H: np.ndarray, slope: np.ndarray) -> np.ndarray:
    try:
        return cho_solve(cho_factor(H), slope)
    except LinAlgError:  # flat in some direction: dependent columns and no penalty
        return lstsq(H, slope)[0]


class WeightedSoftmax:
    """Logistic regression of weighted rows: the objective, its derivatives, and its maximum.

    Parameters are a row of coefficients for each class, or for the second of two; the first column
    holds intercepts. The objective is the weighted log-likelihood less ``l2 / 2`` times the squared
    coefficients.
    """

    def __init__(
        self, X: np.ndarray, codes: np.ndarray, weights: np.ndarray, n_classes: int, l2: float
    ) -> None:
        self.X = X
        self.codes = codes
        self.weights = weights
        self.n_classes = n_classes
        self.l2 = l2

    def fit(self, start: np.ndarray | None = None) -> np.ndarray:
        """The parameters that maximise the objective, looked for from ``start``."""
        rows = 1 if self.n_classes == 2 else self.n_classes
        beta = np.zeros((rows, self.X.shape[1] + 1)) if start is None else start
        if beta.size <= MAX_NEWTON_PARAMS:
            return self.fit_by_newton(beta)
        return self.fit_by_quasi_newton(beta)

    def is_separated(self, beta: np.ndarray, *, margin: float = 0.0) -> bool:
        """Whether an unpenalised fit grows for ever, as every row with a weight is on its own side.

        ``margin`` is how far the farthest of them must be, for those who want to stop the growth.
        """
        if self.l2 > 0:
            return False
        log_p = compute_log_proba(compute_scores(self.X, beta))[self.weights > 0]
        own = np.eye(self.n_classes, dtype=bool)[self.codes[self.weights > 0]]
        margins = log_p[own] - np.where(own, -np.inf, log_p).max(axis=1)
        return bool(margins.min() > 0 and margins.max() > margin)

    def compute_value_and_slope(self, beta: np.ndarray) -> tuple[float, np.ndarray]:
        """Penalised weighted log-likelihood, and its gradient."""
        log_proba = compute_log_proba(compute_scores(self.X, beta))
        log_p = np.take_along_axis(log_proba, self.codes[:, None], axis=1)[:, 0]
        value = self.weights @ log_p - self.l2 / 2 * (beta[:, 1:] ** 2).sum()
        wanted = np.eye(self.n_classes)[self.codes]
        # Of two classes only the second has parameters.
        surprise = (self.weights[:, None] * (wanted - np.exp(log_proba)))[:, -len(beta) :]
        slope = np.column_stack([surprise.sum(axis=0), surprise.T @ self.X - self.l2 * beta[:, 1:]])
        return float(value), slope

    def compute_curvature(self, beta: np.ndarray) -> np.ndarray:
        """Minus the Hessian of the objective, summed over blocks of rows."""
        rows, width = beta.shape
        H = reduce_blocks(self._sum_curvature, blocks(len(self.X), BLOCK_ROWS), beta)
        _pin_down(H)
        index = np.arange(1, width)
        for a in range(rows):
            H[a, index, a, index] += self.l2
        return H.reshape(rows * width, rows * width)

    def _sum_curvature(self, block: slice, beta: np.ndarray) -> np.ndarray:
        """The curvature that some rows add, without the penalty."""
        rows, width = beta.shape
        H = np.empty((rows, width, rows, width))
        Z = np.hstack([np.ones((len(self.X[block]), 1)), self.X[block]])
        P, spread = _compute_probabilities(compute_scores(self.X[block], beta))
        for a in range(rows):
            for b in range(a + 1):
                pair = spread[:, a] if a == b else -P[:, a] * P[:, b]
                H[a, :, b] = (Z * (self.weights[block] * pair)[:, None]).T @ Z
                H[b, :, a] = H[a, :, b]
        return H

    def fit_by_newton(self, beta: np.ndarray) -> np.ndarray:
        """Newton's method, each step halved until the objective rises.

        For two classes these are the iterates of the reweighted least squares (62), without its
        division by probabilities that underflow.
        """
        value, slope = self.compute_value_and_slope(beta)
        for _ in range(MAX_STEPS):
            if self.is_separated(beta, margin=_CERTAIN):
                break
            step = _solve(self.compute_curvature(beta), slope.ravel()).reshape(beta.shape)
            # So near the top the value cannot tell one point from the next, but the slope can.
            if (slope * step).sum() <= 1e-12 * abs(value):
                return beta + step
            before = value
            beta, value, slope = self._search_line(beta, step, value, slope)
            if value == before:
                break
        return beta

    def _search_line(
        self, beta: np.ndarray, step: np.ndarray, value: float, slope: np.ndarray
    ) -> tuple[np.ndarray, float, np.ndarray]:
        for halvings in range(30):
            new = beta + step / 2**halvings
            new_value, new_slope = self.compute_value_and_slope(new)
            if new_value > value:
                return new, new_value, new_slope
        return beta, value, slope

    def fit_by_quasi_newton(self, beta: np.ndarray) -> np.ndarray:
        """L-BFGS over coefficients scaled to one curvature, as units that differ slow it down."""
        total = self.weights.sum()
        mean, spread = measure_spread(self.X, self.weights)
        # The likelihood bends by at most variance / 4.
        unit = np.sqrt(spread**2 + 4 * self.l2 / total)
        unit[unit == 0] = 1

        def beta_of(theta: np.ndarray) -> np.ndarray:
            free = theta.reshape(beta.shape)
            coef = free[:, 1:] / unit
            return np.column_stack([free[:, 0] - coef @ mean, coef])

        def loss(theta: np.ndarray) -> tuple[float, np.ndarray]:
            value, slope = self.compute_value_and_slope(beta_of(theta))
            slope[:, 1:] = (slope[:, 1:] - np.outer(slope[:, 0], mean)) / unit
            return -value / total, -slope.ravel() / total

        start = np.column_stack([beta[:, 0] + beta[:, 1:] @ mean, beta[:, 1:] * unit])
        options = {"maxiter": 2000, "maxfun": 10_000, "maxcor": 20, "gtol": 1e-8, "ftol": 1e-15}
        found = minimize(loss, start.ravel(), jac=True, method="L-BFGS-B", options=options)
        return beta_of(found.x)
