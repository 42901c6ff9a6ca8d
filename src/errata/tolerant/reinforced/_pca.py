"""Principal component analysis, reinforced."""

from functools import partial
from typing import Any

import numpy as np
from scipy.linalg import svd
from scipy.sparse.linalg import svds
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..._validation import check_count, check_data, check_row_weights
from ..._warn import warn_user
from ._loop import Fit, ReinforcedEstimator, compute_triangle, find_centre

# Tables whose shorter side is longer than this are not factorised in full.
MAX_FULL_SIDE = 1000
# A variance below this fraction of the largest is taken for zero.
_FLAT = 1e-12


class ReinforcedPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ReinforcedEstimator):
    """Principal axes of the rows that lie in one cloud, whatever a few others say.

    Reach for it when a few rows of a table may be wrong: variances are moved by far rows more than
    any other statistic, and axes with them. It models the cloud as a Gaussian that is round across
    all but its first axes (probabilistic PCA), gives little weight to the rows that this Gaussian
    finds least likely, and says which they are. Scale the features in front of it, as for any PCA.
    Costs O(n d min(n, d)) for each of some ten iterations; memory O(n d).

    Parameters
    ----------
    n_components : int, default=1
        Number q of axes, at most the number of features. Cut with a warning where the rows span
        fewer directions.
    reinforcement : float or "auto", default="auto"
        The constant alpha of [1]_, in the unit of one over a density of ``X`` (its square for
        "l2"). The smaller, the more rows lose weight; infinity is ordinary PCA. "auto" chooses it
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
    components_ : array of shape (q, d)
        The axes, of length 1, by decreasing variance; the largest entry of each is positive.
    mean_ : array of shape (d,)
        Centre of the cloud.
    explained_variance_ : array of shape (q,)
        Variance along each axis. Weighted means: divided by the sum of the weights, not by n - 1.
    noise_variance_ : float
        Variance across the axes, in each other direction; 0 when there is none.
    scale_ : float
        Its root.
    n_components_ : int
        Number of axes found.
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
        The constant and its logarithm. With many features ``reinforcement_`` may be inf or 0.
    mean_weight_ : float
        Mean of ``weights_``.
    objective_ : array
        Reinforced log-likelihood at each iteration. Never falls when ``reinforcement`` is a number.
    n_iter_ : int
        Number of iterations.
    converged_ : bool
        Whether the weights stopped moving.
    n_features_in_ : int
        Number of features seen in ``fit``.

    Notes
    -----
    Equations 64 to 69 of [1]_; the covariance matrix itself is never formed. Variances are kept
    above 1e-12 of the largest of the ordinary fit, so that no density becomes infinite.

    References
    ----------
    .. [1] Frénay and Verleysen. Pointwise probability reinforcements for robust statistical
       inference. Neural Networks 50, 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from errata.tolerant import ReinforcedPCA
    >>> t = np.linspace(-1, 1, 20)
    >>> X = np.column_stack([t, t + 0.1 * np.cos(9 * t)])
    >>> X[3] = [-4.0, 4.0]                                    # off the diagonal
    >>> model = ReinforcedPCA().fit(X)
    >>> np.flatnonzero(model.flagged_)
    array([3])
    >>> model.components_.round(1)
    array([[0.7, 0.7]])
    """

    def __init__(
        self,
        n_components: int = 1,
        *,
        reinforcement: float | str = "auto",
        reinforcement_penalty: str = "l1",
        mean_weight: float = 0.95,
        max_iter: int = 100,
        tol: float = 1e-4,
        threshold: float | None = None,
        contamination: float | None = None,
    ) -> None:
        self.n_components = n_components
        self.reinforcement = reinforcement
        self.reinforcement_penalty = reinforcement_penalty
        self.mean_weight = mean_weight
        self.max_iter = max_iter
        self.tol = tol
        self.threshold = threshold
        self.contamination = contamination

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, w_init: Any = None
    ) -> "ReinforcedPCA":
        """Find the axes of the rows that lie in one cloud.

        Parameters
        ----------
        X : array-like of shape (n, d)
            The rows.
        y : None
            Ignored.
        sample_weight : array-like of shape (n,), optional
            How many rows each row stands for.
        w_init : array-like of shape (n,), optional
            Weights in [0, 1] to start from instead of ones, for instance one minus the suspicion of
            another detector: a way out when many errors have shaped the ordinary fit.
        """
        X = check_data(self, X, dtype=float, order="C", ensure_min_samples=2)
        sample_weight = check_row_weights("sample_weight", sample_weight, len(X))
        asked = check_count("n_components", self.n_components, high=X.shape[1])
        variances = _find_variances(X, sample_weight, asked)
        if len(variances) < asked:
            warn_user(
                f"n_components={asked} asks for more axes than the rows span; "
                f"using {len(variances)}.",
            )
        floor = _FLAT * variances[0]
        centre = find_centre(X)
        self.mean_, self.components_, self.explained_variance_, self.noise_variance_ = (
            self._reinforce(
                partial(fit_axes, X - centre, n_components=len(variances), floor=floor),
                sample_weight=sample_weight,
                w_init=w_init,
            )
        )
        self.mean_ = self.mean_ + centre
        self.scale_ = float(np.sqrt(self.noise_variance_))
        self.n_components_ = len(self.components_)
        self._n_features_out = self.n_components_
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Coordinates of the rows along the axes, shape (n, q)."""
        check_is_fitted(self)
        X = check_data(self, X, dtype=float, reset=False)
        return (X - self.mean_) @ self.components_.T

    def inverse_transform(self, X: Any) -> np.ndarray:
        """The points of the original space with these coordinates, shape (n, d)."""
        check_is_fitted(self)
        return np.asarray(X, dtype=float) @ self.components_ + self.mean_

    def score_samples(self, X: Any) -> np.ndarray:
        """Log-density of each row."""
        check_is_fitted(self)
        X = check_data(self, X, dtype=float, reset=False)
        return compute_axes_log_density(
            X, self.mean_, self.components_, self.explained_variance_, self.noise_variance_
        )

    def score(self, X: Any, y: Any = None) -> float:
        """Mean log-density of the rows."""
        return float(self.score_samples(X).mean())

    def get_covariance(self) -> np.ndarray:
        """Covariance matrix of the Gaussian, shape (d, d)."""
        check_is_fitted(self)
        along = self.components_.T * (self.explained_variance_ - self.noise_variance_)
        return along @ self.components_ + self.noise_variance_ * np.eye(self.n_features_in_)


def fit_axes(
    X: np.ndarray,
    weights: np.ndarray,
    _: Any = None,
    *,
    n_components: int,
    floor: float = 0.0,
) -> Fit:
    """Weighted probabilistic PCA (66 to 69), and the log-density of each row under it."""
    d = X.shape[1]
    q = n_components
    mean, components, variances, total = find_principal_axes(X, weights, q)
    rest = max(floor, (total - variances.sum()) / (d - q)) if q < d else 0.0
    # Where the floor lifts the rest, it lifts the axes as well: none has less than the others.
    variances = np.maximum(variances, max(floor, rest))
    axes = (mean, components, variances, rest)
    return axes, compute_axes_log_density(X, *axes), 0.0


def find_principal_axes(
    X: np.ndarray, weights: np.ndarray, q: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Weighted mean, first ``q`` axes, their variances, and the sum of all the variances."""
    mean, table = _take_off_mean(X, weights)
    if min(X.shape) <= MAX_FULL_SIDE or q >= min(X.shape):
        _, lengths, axes = svd(table, full_matrices=False)
    else:  # the start is fixed, so that the same rows give the same axes
        _, lengths, axes = svds(table, k=q, v0=np.ones(min(table.shape)))
    first = np.argsort(-lengths, kind="stable")[:q]
    # Either sign is right, and which one comes out depends on LAPACK: the largest entry decides.
    largest = np.abs(axes[first]).argmax(axis=1)
    signs = np.sign(axes[first, largest])
    total_weight = weights.sum()
    return (
        mean,
        axes[first] * signs[:, None],
        lengths[first] ** 2 / total_weight,
        float((table**2).sum() / total_weight),
    )


def _find_variances(X: np.ndarray, weights: np.ndarray, q: int) -> np.ndarray:
    """Variances of the plain fit along its first ``q`` axes, those that are zero left out."""
    variances = find_principal_axes(X, weights, q)[2]
    if variances[:1] <= (1e-14 * np.abs(X).max()) ** 2:  # nothing but rounding
        raise ValueError("all the rows of X are the same, so that there is no axis to find.")
    return variances[variances > _FLAT * variances[0]]


def _take_off_mean(X: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weighted mean, and a table with the scatter around it: no longer than X, often shorter."""
    if min(X.shape) <= MAX_FULL_SIDE:
        R = compute_triangle([X], weights)
        return R[0, 1:] / R[0, 0], R[1:, 1:]
    mean = np.average(X, axis=0, weights=weights)
    return mean, np.sqrt(weights)[:, None] * (X - mean)


def compute_axes_log_density(
    X: np.ndarray,
    mean: np.ndarray,
    components: np.ndarray,
    variances: np.ndarray,
    noise_variance: float,
) -> np.ndarray:
    """Log-density (64) of each row, from its coordinates along the axes and what is left.

    The ``components`` (q, d) are orthonormal, with variances of their own; across the others there
    is one variance, 0 when q = d.
    """
    d = X.shape[1]
    q = len(variances)
    centred = X - mean
    along = centred @ components.T
    distance = (along**2 / variances).sum(axis=1)
    log_det = np.log(variances).sum()
    if q < d:
        across = centred - along @ components
        distance += (across**2).sum(axis=1) / noise_variance
        log_det += (d - q) * np.log(noise_variance)
    return -(d * np.log(2 * np.pi) + log_det + distance) / 2
