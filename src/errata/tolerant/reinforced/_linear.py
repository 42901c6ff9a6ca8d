"""Linear regression, reinforced."""

from typing import Any

import numpy as np
from scipy.linalg import lstsq
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from ..._validation import check_choice, check_data, check_fraction, check_row_weights
from ..._warn import warn_user
from ._loop import (
    SCALE_UPDATES,
    Fit,
    ReinforcedEstimator,
    compute_gaussian_log_density,
    compute_scale_floor,
    compute_triangle,
    estimate_scale,
    find_centre,
    report_scale,
)


class ReinforcedLinearRegression(RegressorMixin, ReinforcedEstimator):
    """Least squares that gives little weight to the rows that fit worst.

    Reach for it when a few responses may be wrong by far more than the noise: one such row can turn
    an ordinary line, and hide in the residuals it has spoilt. The reinforced fit keeps the rows
    that agree and says which do not. It assumes Gaussian noise of one width, and that the good rows
    outvote the bad in the first, ordinary fit; rows far out in ``X`` may mask themselves. Costs one
    QR factorisation, O(n d²), for each of some ten iterations; memory for one copy of ``X``.

    Parameters
    ----------
    reinforcement : float or "auto", default="auto"
        The constant alpha of [1]_, in the unit of ``y`` ("l1") or its square ("l2"). The smaller,
        the more rows lose weight; infinity is ordinary least squares. "auto" chooses it anew at
        each iteration, so that the mean weight is ``mean_weight``.
    reinforcement_penalty : {"l1", "l2", "l1/2"}, default="l1"
        What a reinforcement costs. "l1" suits a few gross errors (most weights are exactly 1), "l2"
        many mild ones; "l1/2" gives a row up at once: its weight jumps from 1 to 0.2.
    mean_weight : float in (0, 1), default=0.95
        Fraction of the data that should support the model. Too high keeps errors in; too low costs
        little. Not used when ``reinforcement`` is a number.
    alpha : float, default=0
        L2 penalty on the coefficients, as in :class:`sklearn.linear_model.Ridge`; the intercept is
        not penalised. Shrinks the coefficients as it grows.
    scale_update : {"paper", "joint"}, default="paper"
        Width of the noise when ``alpha`` is above 0: "paper" is equation 52, the weighted mean of
        the squared residuals, with which no objective rises at every step; "joint" adds the penalty
        to the numerator, and then one does.
    consistent_scale : bool, default=False
        Divide ``scale_`` by the factor (0.88 at a mean weight of 0.95 with "l1") by which taking
        weight off the tails narrows the noise of clean data. Too wide when those rows are errors.
    fit_intercept : bool, default=True
        Whether the line may miss the origin.
    max_iter : int, default=100
        Maximum number of weighted fits. Half-way, "auto" stops choosing the reinforcement anew.
    tol : float, default=1e-4
        Stop when no weight moves by more.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it; 0.5 unless ``contamination`` is given.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.

    Attributes
    ----------
    coef_ : array of shape (d,)
        Coefficients.
    intercept_ : float
        Intercept.
    scale_ : float
        Standard deviation of the noise.
    weights_ : array of shape (n,)
        Degree, in [0, 1], to which each row is normal.
    suspicion_ : array of shape (n,)
        ``1 - weights_``, to the sixth digit: what is added there ranks the rows of weight 1 by
        their likelihood. Not a probability: its mean is ``1 - mean_weight``, however many rows are
        wrong.
    flagged_ : array of bool of shape (n,)
        The rows to look at.
    log_likelihood_ : array of shape (n,)
        Log-density of each row. Lowest = most suspicious.
    added_probabilities_ : array of shape (n,)
        What was added to each row's density.
    reinforcement_, log_reinforcement_ : float
        The constant and its logarithm.
    mean_weight_ : float
        Mean of ``weights_``.
    objective_ : array
        Reinforced log-likelihood at each iteration, less the penalty. Never falls when
        ``reinforcement`` is a number and ``alpha`` is 0 or ``scale_update`` is "joint".
    n_iter_ : int
        Number of iterations.
    converged_ : bool
        Whether the weights stopped moving.
    collapsed_ : bool
        Whether the noise shrank to nothing: an exact fit, or a ``reinforcement`` so small that two
        rows were left to draw the line.
    n_features_in_ : int
        Number of features seen in ``fit``.

    Notes
    -----
    Equations 51 to 53 of [1]_. (50) is printed with its sign reversed, and (53) leaves the
    intercept penalised, which it is not here. Where the columns of ``X`` are dependent, the
    shortest coefficients are taken.

    References
    ----------
    .. [1] Frénay and Verleysen. Pointwise probability reinforcements for robust statistical
       inference. Neural Networks 50, 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from errata.tolerant import ReinforcedLinearRegression
    >>> x = np.arange(10.0)
    >>> y = 2 * x + 1 + 0.1 * np.cos(7 * x)
    >>> y[8] = -20.0                                          # a typing error
    >>> model = ReinforcedLinearRegression(mean_weight=0.9).fit(x[:, None], y)
    >>> model.coef_.round(2), round(model.intercept_, 2)
    (array([2.]), 1.02)
    >>> np.flatnonzero(model.flagged_)
    array([8])
    """

    def __init__(
        self,
        *,
        reinforcement: float | str = "auto",
        reinforcement_penalty: str = "l1",
        mean_weight: float = 0.95,
        alpha: float = 0.0,
        scale_update: str = "paper",
        consistent_scale: bool = False,
        fit_intercept: bool = True,
        max_iter: int = 100,
        tol: float = 1e-4,
        threshold: float | None = None,
        contamination: float | None = None,
    ) -> None:
        self.reinforcement = reinforcement
        self.reinforcement_penalty = reinforcement_penalty
        self.mean_weight = mean_weight
        self.alpha = alpha
        self.scale_update = scale_update
        self.consistent_scale = consistent_scale
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.threshold = threshold
        self.contamination = contamination

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, w_init: Any = None
    ) -> "ReinforcedLinearRegression":
        """Fit the line to the rows that agree on one.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Features.
        y : array-like of shape (n,)
            Responses.
        sample_weight : array-like of shape (n,), optional
            How many rows each row stands for.
        w_init : array-like of shape (n,), optional
            Weights in [0, 1] to start from instead of ones, for instance one minus the suspicion of
            another detector: a way out when many errors have shaped the ordinary fit.
        """
        X, y = check_data(self, X, y, dtype=float, order="C", y_numeric=True, ensure_min_samples=2)
        y = y.astype(float)
        sample_weight = check_row_weights("sample_weight", sample_weight, len(y))
        # Without an intercept the line passes through the origin, and rows must not be moved.
        centre = find_centre(X) if self.fit_intercept else np.zeros(X.shape[1])
        alpha = check_fraction("alpha", self.alpha, high=np.inf)
        joint = check_choice("scale_update", self.scale_update, SCALE_UPDATES) == "joint"
        floor = compute_scale_floor(y, sample_weight)
        centred = X - centre

        def maximise(weights: np.ndarray, _: Any) -> Fit:
            """Weighted ridge regression (53), and the density of each residual around it."""
            coef, intercept, rank = solve_line(
                centred, y, weights, alpha=alpha, fit_intercept=self.fit_intercept
            )
            residuals = y - centred @ coef - intercept
            penalty = alpha * float(coef @ coef)
            scale = estimate_scale(
                residuals, weights, floor=floor, shrinkage=penalty if joint else 0.0
            )
            line = (coef, intercept, scale, rank)
            log_p = compute_gaussian_log_density(residuals, scale)
            return line, log_p, -penalty / (2 * scale**2)

        coef, intercept, scale, rank = self._reinforce(
            maximise, sample_weight=sample_weight, w_init=w_init
        )
        self.coef_ = coef
        self.intercept_ = intercept - float(centre @ coef)
        report_scale(self, scale, floor=floor)
        if rank < X.shape[1] and self.alpha == 0:
            warn_user(
                f"the columns of X are dependent on the rows that kept a weight (rank {rank} "
                f"of {X.shape[1]}); the shortest coefficients were taken. Drop columns, or pass "
                "alpha above 0.",
            )
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Value of the line at each row of ``X``."""
        check_is_fitted(self)
        X = check_data(self, X, dtype=float, reset=False)
        return X @ self.coef_ + self.intercept_


def solve_line(
    X: np.ndarray, y: np.ndarray, weights: np.ndarray, *, alpha: float, fit_intercept: bool
) -> tuple[np.ndarray, float, int]:
    """Coefficients, intercept, and the rank of the weighted table."""
    d = X.shape[1]
    R = compute_triangle([X, y], weights, ones=fit_intercept)
    corner = R[int(fit_intercept) :, int(fit_intercept) :]
    # The penalty as d more rows of response 0, in the columns of X only: the printed I_d of (53)
    # would also shrink the intercept. The threshold of the rank is that of numpy's matrix_rank.
    table = np.vstack([corner[:, :d], np.sqrt(alpha) * np.eye(d)])
    response = np.concatenate([corner[:, d], np.zeros(d)])
    coef, _, rank, _ = lstsq(table, response, cond=np.finfo(float).eps * max(X.shape))
    intercept = float(R[0, -1] - R[0, 1:-1] @ coef) / R[0, 0] if fit_intercept else 0.0
    return coef, float(intercept), int(rank)
