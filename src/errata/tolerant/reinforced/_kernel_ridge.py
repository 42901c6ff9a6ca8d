"""Kernel ridge regression with an intercept, reinforced."""

from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from sklearn.base import RegressorMixin
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils.validation import check_is_fitted

from ..._validation import check_choice, check_count, check_data, check_positive, check_row_weights
from ._loop import (
    SCALE_UPDATES,
    Fit,
    ReinforcedEstimator,
    compute_gaussian_log_density,
    compute_scale_floor,
    estimate_scale,
    find_centre,
    report_scale,
)


class ReinforcedKernelRidge(RegressorMixin, ReinforcedEstimator):
    """Kernel ridge regression that gives little weight to the rows that fit worst.

    Reach for it when a few responses may be wrong and the function is smooth but not a line (it is
    also known as the least squares support vector machine). It assumes Gaussian noise of one width.
    A curve so free that it passes through every row has no residual left to suspect: raise
    ``alpha``, or take ``residuals="loo"``. Costs O(n³) for each of some ten iterations and holds
    the Gram matrix with one copy, 16 n² bytes (twice that with "loo"): a method for thousands of
    rows. For more, put random features in front of :class:`ReinforcedLinearRegression`.

    Parameters
    ----------
    kernel : str or callable, default="rbf"
        Any kernel of :func:`sklearn.metrics.pairwise.pairwise_kernels`; "precomputed" takes Gram
        matrices for ``X``.
    gamma : float, optional
        Of the kernel, ``exp(-gamma |x - z|²)`` for "rbf"; one over the number of features when not
        given. The larger, the more local.
    alpha : float, default=0.1
        L2 penalty on the curve, as in :class:`sklearn.kernel_ridge.KernelRidge` (one over the gamma
        of [1]_): variance of the noise over variance of the prior of the curve. The smaller, the
        closer to the rows.
    residuals : {"fit", "loo"}, default="fit"
        Which residual the density of a row is taken of: that of the fit (as in the paper), or that
        of the fit without the row, exactly and without refitting. With "loo" no objective rises at
        every step.
    scale_update : {"paper", "joint"}, default="paper"
        Width of the noise: "paper" is equation 58, the weighted mean of the squared residuals, with
        which no objective rises at every step; "joint" adds the penalty on the curve to the
        numerator, and then one does.
    consistent_scale : bool, default=False
        Divide ``scale_`` by the factor (0.88 at a mean weight of 0.95 with "l1") by which taking
        weight off the tails narrows the noise of clean data. Too wide when those rows are errors.
    max_gram_bytes : int, default=2**29
        Refuse to make a Gram matrix larger than this; the default is reached at 8192 rows.
    reinforcement : float or "auto", default="auto"
        The constant alpha of [1]_, in the unit of ``y`` ("l1") or its square ("l2"). The smaller,
        the more rows lose weight; infinity is ordinary kernel ridge regression. "auto" chooses it
        anew at each iteration, so that the mean weight is ``mean_weight``.
    reinforcement_penalty : {"l1", "l2", "l1/2"}, default="l1"
        What a reinforcement costs. "l1" suits a few gross errors (most weights are exactly 1), "l2"
        many mild ones; "l1/2" gives a row up at once: its weight jumps from 1 to 0.2.
    mean_weight : float in (0, 1), default=0.95
        Fraction of the data that should support the model. Too high keeps errors in; too low costs
        little. Not used when ``reinforcement`` is a number.
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
    dual_coef_ : array of shape (n,)
        Weight of each row's kernel in the curve. They sum to 0 and may have any sign.
    intercept_ : float
        The bias, which is not penalised.
    X_fit_ : array of shape (n, d)
        The rows seen in ``fit``, needed to predict.
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
        Reinforced log-likelihood at each iteration, less the penalty on the curve. Never falls when
        ``reinforcement`` is a number, ``scale_update`` is "joint" and ``residuals`` is "fit".
    n_iter_ : int
        Number of iterations.
    converged_ : bool
        Whether the weights stopped moving.
    collapsed_ : bool
        Whether the noise shrank to nothing.
    n_features_in_ : int
        Number of features seen in ``fit``.

    Notes
    -----
    The system (57) of [1]_ contains the inverse of the weights. It is solved here in a form that
    holds for weights of zero, which give exactly the fit without those rows. ``alpha`` stays fixed
    while the width of the noise is estimated, so the prior of the curve widens with it.

    References
    ----------
    .. [1] Frénay and Verleysen. Pointwise probability reinforcements for robust statistical
       inference. Neural Networks 50, 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from errata.tolerant import ReinforcedKernelRidge
    >>> x = np.linspace(0, 1, 20)
    >>> y = np.sin(2 * np.pi * x)
    >>> y[6] = -1.0                                           # the sign is wrong
    >>> model = ReinforcedKernelRidge(gamma=10).fit(x[:, None], y)
    >>> np.flatnonzero(model.flagged_)
    array([6])
    >>> model.predict([[0.25], [0.5], [0.75]]).round(1) + 0.0
    array([ 1.,  0., -1.])
    """

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        gamma: float | None = None,
        alpha: float = 0.1,
        residuals: str = "fit",
        scale_update: str = "paper",
        consistent_scale: bool = False,
        max_gram_bytes: int = 2**29,
        reinforcement: float | str = "auto",
        reinforcement_penalty: str = "l1",
        mean_weight: float = 0.95,
        max_iter: int = 100,
        tol: float = 1e-4,
        threshold: float | None = None,
        contamination: float | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.alpha = alpha
        self.residuals = residuals
        self.scale_update = scale_update
        self.consistent_scale = consistent_scale
        self.max_gram_bytes = max_gram_bytes
        self.reinforcement = reinforcement
        self.reinforcement_penalty = reinforcement_penalty
        self.mean_weight = mean_weight
        self.max_iter = max_iter
        self.tol = tol
        self.threshold = threshold
        self.contamination = contamination

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, w_init: Any = None
    ) -> "ReinforcedKernelRidge":
        """Fit the curve to the rows that agree on one.

        Parameters
        ----------
        X : array-like of shape (n, d), or (n, n) when the kernel is "precomputed"
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
        _check_gram_size(len(y), self.max_gram_bytes)  # before the memory is asked for
        sample_weight = check_row_weights("sample_weight", sample_weight, len(y))
        floor = compute_scale_floor(y, sample_weight)
        K = self._gram(X)
        alpha = check_positive("alpha", self.alpha)
        joint = check_choice("scale_update", self.scale_update, SCALE_UPDATES) == "joint"
        leave_one_out = check_choice("residuals", self.residuals, ("fit", "loo")) == "loo"

        def maximise(weights: np.ndarray, _: Any) -> Fit:
            """Weighted kernel ridge regression (57, 58), and the density of each residual."""
            dual_coef, intercept, residuals = solve_curve(
                K, y, weights, alpha=alpha, leave_one_out=leave_one_out
            )
            penalty = alpha * float(dual_coef @ K @ dual_coef)
            scale = estimate_scale(
                residuals, weights, floor=floor, shrinkage=penalty if joint else 0.0
            )
            log_p = compute_gaussian_log_density(residuals, scale)
            return (dual_coef, intercept, scale), log_p, -penalty / (2 * scale**2)

        self.dual_coef_, self.intercept_, scale = self._reinforce(
            maximise, sample_weight=sample_weight, w_init=w_init
        )
        self.X_fit_ = X
        report_scale(self, scale, floor=floor)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Value of the curve at each row of ``X``."""
        check_is_fitted(self)
        X = check_data(self, X, dtype=float, reset=False)
        return self._gram(X, self.X_fit_) @ self.dual_coef_ + self.intercept_

    def _gram(self, X: np.ndarray, Y: np.ndarray | None = None) -> np.ndarray:
        if self.kernel == "precomputed":
            return X
        if callable(self.kernel):
            return np.asarray(self.kernel(X, X if Y is None else Y))
        if self.kernel == "rbf":  # differences are found from squares, which are best kept small
            origin = find_centre(X if Y is None else Y)
            X = X - origin
            Y = None if Y is None else Y - origin
        return pairwise_kernels(X, Y, metric=self.kernel, filter_params=True, gamma=self.gamma)

    def __sklearn_tags__(self) -> Any:
        """Declare to scikit-learn that a precomputed kernel means square tables."""
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags


def solve_curve(
    K: np.ndarray, y: np.ndarray, weights: np.ndarray, *, alpha: float, leave_one_out: bool = False
) -> tuple[np.ndarray, float, np.ndarray]:
    """Dual coefficients, intercept and residuals of (57).

    The system is multiplied by the roots of the weights on both sides, so that none is inverted.
    The residuals of rows left out one at a time come from the inverse of the same matrix.
    """
    s = np.sqrt(weights)
    A = s[:, None] * K * s
    A[np.diag_indices_from(A)] += alpha
    factor = _factorise(A)
    u, v = cho_solve(factor, np.column_stack([s, s * y])).T
    intercept = float(s @ v / (s @ u))
    c = v - intercept * u
    residuals = y - K @ (s * c) - intercept
    if leave_one_out:
        # Of the inverse of the matrix bordered by s, that is with the intercept; a row of weight
        # zero is left out of the fit already.
        inverse_diagonal = np.diag(cho_solve(factor, np.eye(len(y)))) - u**2 / (s @ u)
        present = s > 0
        residuals[present] = c[present] / (s * inverse_diagonal)[present]
    return s * c, intercept, residuals


def _factorise(A: np.ndarray) -> Any:
    try:
        return cho_factor(A, lower=True, overwrite_a=True)
    except LinAlgError as error:
        raise ValueError(
            "the Gram matrix has a negative eigenvalue, so the kernel is not an inner product; "
            "choose another kernel, or raise alpha."
        ) from error


def _check_gram_size(n: int, max_gram_bytes: Any) -> None:
    allowed = check_count("max_gram_bytes", max_gram_bytes)
    if 8 * n * n > allowed:
        raise ValueError(
            f"the Gram matrix of {n} rows takes {8 * n * n / 2**20:.0f} MB, more than "
            f"max_gram_bytes allows ({allowed / 2**20:.0f} MB). Raise it, or fit "
            "ReinforcedLinearRegression to random features (errata.elm.ELMFeatures, "
            "sklearn.kernel_approximation.Nystroem), which grows linearly with the rows."
        )
