"""Any regressor, reinforced."""

from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.linear_model import LinearRegression

from ..._validation import check_row_weights
from ._gaussian import gaussian_log_density, report_scale, scale_floor, weighted_scale
from ._loop import Fit
from ._wrapping import WeightedFits, WrappingEstimator, check_pluggable


class NoisyModel(NamedTuple):
    """A fitted regressor and the width of the noise around it."""

    model: Any
    scale: float


class ReinforcedRegressor(RegressorMixin, WrappingEstimator):
    """Make any regressor give little weight to the rows that fit worst.

    Reach for it when your regressor is good at the task and a few responses are wrong. Gaussian
    noise of one width is put around its predictions, and it is fitted some ten times, each time
    with less weight on the rows far from it. If the fit minimises a weighted squared error the
    theory of [1]_ applies; otherwise the weights are useful but nothing is proved. A regressor
    flexible enough to pass through every row leaves no residual to suspect: for such models
    (forests, boosted trees) pass ``cv=5``. Costs the fits, and with ``cv`` as many more as there
    are folds.

    Parameters
    ----------
    estimator : estimator, optional
        A regressor whose ``fit`` takes ``sample_weight``; ordinary least squares when not given.
    cv : int or cross-validation splitter, optional
        Score each row out of fold, by fits that have not seen it. None scores it by the fit to all
        rows, as in the paper. Folds of a number are shuffled.
    n_jobs : int, optional
        With ``cv``: how many folds are fitted at the same time; -1 for one per core.
    random_state : int, RandomState instance or None
        Shuffles the folds, and seeds the estimator where it has no seed of its own (one seed for
        all its fits).
    consistent_scale : bool, default=False
        Divide ``scale_`` by the factor (0.88 at a mean weight of 0.95 with "l1") by which taking
        weight off the tails narrows the noise of clean data. Too wide when those rows are errors.
    reinforcement : float or "auto", default="auto"
        The constant alpha of [1]_, in the unit of ``y`` ("l1") or its square ("l2"). The smaller,
        the more rows lose weight; infinity is the ordinary fit. "auto" chooses it anew at each
        iteration, so that the mean weight is ``mean_weight``.
    reinforcement_penalty : {"l1", "l2"}, default="l1"
        What a reinforcement costs. "l1" suits a few gross errors (most weights are exactly 1), "l2"
        many mild ones.
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
    estimator_ : estimator
        The regressor, fitted with the last weights.
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
        Reinforced log-likelihood at each iteration. Never falls when ``reinforcement`` is a number,
        ``cv`` is None and each fit minimises the weighted squared error and nothing else.
    n_iter_ : int
        Number of iterations.
    converged_ : bool
        Whether the weights stopped moving.
    collapsed_ : bool
        Whether the noise shrank to nothing.
    n_features_in_ : int
        Number of features seen in ``fit``.

    References
    ----------
    .. [1] Frénay and Verleysen. Pointwise probability reinforcements for robust statistical
       inference. Neural Networks 50, 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> from errata.tolerant import ReinforcedRegressor
    >>> x = np.arange(40.0)
    >>> y = np.where(x < 20, 1.0, 3.0) + 0.1 * np.cos(5 * x)  # a step
    >>> y[30] = -6.0
    >>> tree = DecisionTreeRegressor(max_depth=2, random_state=0)
    >>> model = ReinforcedRegressor(tree).fit(x[:, None], y)
    >>> np.flatnonzero(model.flagged_)
    array([30])
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        cv: Any = None,
        consistent_scale: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        reinforcement: float | str = "auto",
        reinforcement_penalty: str = "l1",
        mean_weight: float = 0.95,
        max_iter: int = 100,
        tol: float = 1e-4,
        threshold: float | None = None,
        contamination: float | None = None,
    ) -> None:
        super().__init__(
            estimator,
            cv=cv,
            n_jobs=n_jobs,
            random_state=random_state,
            reinforcement=reinforcement,
            reinforcement_penalty=reinforcement_penalty,
            mean_weight=mean_weight,
            max_iter=max_iter,
            tol=tol,
            threshold=threshold,
            contamination=contamination,
        )
        self.consistent_scale = consistent_scale

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        w_init: Any = None,
        **fit_params: Any,
    ) -> Self:
        """Fit the regressor to the rows that agree.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Features; sparse, or with missing values, if the estimator takes them so.
        y : array-like of shape (n,)
            Responses.
        sample_weight : array-like of shape (n,), optional
            How many rows each row stands for.
        groups : array-like of shape (n,), optional
            With ``cv``: rows of one group are held out together. Not used without.
        w_init : array-like of shape (n,), optional
            Weights in [0, 1] to start from instead of ones, for instance one minus the suspicion of
            another detector: a way out when many errors have shaped the ordinary fit.
        **fit_params
            What else the estimator asked for by metadata routing.
        """
        estimator = self._wrapped()
        check_pluggable(estimator, method="predict", gives="how far a row is from it")
        X, y = self._check_input(X, y, y_numeric=True)
        y = y.astype(float)
        sample_weight = check_row_weights("sample_weight", sample_weight, len(y))
        floor = scale_floor(y, sample_weight)
        fits = self._weighted_fits(X, y, stratify=False, groups=groups, fit_params=fit_params)
        self.estimator_, scale = self._reinforce(
            partial(fit_regressor, fits, X, y, floor=floor),
            sample_weight=sample_weight,
            w_init=w_init,
        )
        report_scale(self, scale, floor=floor)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """What the fitted regressor predicts for each row."""
        return self._ask("predict", X)

    def _wrapped(self) -> Any:
        return LinearRegression() if self.estimator is None else self.estimator


def fit_regressor(
    fits: WeightedFits,
    X: Any,
    y: np.ndarray,
    weights: np.ndarray,
    _: Any = None,
    *,
    floor: float,
) -> Fit:
    """Fit with weights, and find the density of each residual under Gaussian noise."""
    model, residuals = fits(_residuals, X, y, weights)
    scale = weighted_scale(residuals, weights, floor=floor)
    return Fit(NoisyModel(model, scale), gaussian_log_density(residuals, scale))


def _residuals(model: Any, X: Any, y: np.ndarray) -> np.ndarray:
    return y - model.predict(X).astype(float)
