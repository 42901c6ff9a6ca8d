"""Any density estimator, reinforced."""

from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.base import DensityMixin
from sklearn.neighbors import KernelDensity

from ..._validation import check_row_weights
from ._loop import Fit
from ._wrapping import WeightedFits, WrappingEstimator, check_pluggable


class ReinforcedDensity(DensityMixin, WrappingEstimator):
    """Make any density estimator give little weight to the rows it finds least likely.

    Reach for it when there are no labels and a few rows do not belong: they are those that the
    density of the others leaves no room for. The estimator is fitted some ten times, each time with
    less weight on unlikely rows. If the fit maximises a weighted likelihood the theory of [1]_
    applies; that of a kernel density does not, and every row raises its own density, so that
    ``cv=5`` tells rows apart more sharply. Costs the fits, and with ``cv`` as many more as there
    are folds.

    Parameters
    ----------
    estimator : estimator, optional
        An estimator whose ``fit`` takes ``sample_weight`` and whose ``score_samples`` gives
        log-densities; :class:`sklearn.neighbors.KernelDensity` when not given. Its bandwidth is in
        the unit of the features, so scale them.
    cv : int or cross-validation splitter, optional
        Score each row out of fold, by fits that have not seen it. None scores it by the fit to all
        rows, as in the paper. Folds of a number are shuffled.
    n_jobs : int, optional
        With ``cv``: how many folds are fitted at the same time; -1 for one per core.
    random_state : int, RandomState instance or None
        Shuffles the folds, and seeds the estimator where it has no seed of its own (one seed for
        all its fits).
    reinforcement : float or "auto", default="auto"
        The constant alpha of [1]_, in the unit of one over a density of ``X`` (its square for
        "l2"). The smaller, the more rows lose weight; infinity is the ordinary fit. "auto" chooses
        it anew at each iteration, so that the mean weight is ``mean_weight``.
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
        The density estimator, fitted with the last weights.
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
        Reinforced log-likelihood at each iteration. Never falls when ``reinforcement`` is a number,
        ``cv`` is None and each fit maximises the weighted likelihood and nothing else.
    n_iter_ : int
        Number of iterations.
    converged_ : bool
        Whether the weights stopped moving.
    n_features_in_ : int
        Number of features seen in ``fit``.

    References
    ----------
    .. [1] Frénay and Verleysen. Pointwise probability reinforcements for robust statistical
       inference. Neural Networks 50, 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.neighbors import KernelDensity
    >>> from errata.tolerant import ReinforcedDensity
    >>> X = np.append(np.linspace(0, 1, 30), 1.9)[:, None]
    >>> model = ReinforcedDensity(KernelDensity(bandwidth=0.2)).fit(X)
    >>> np.flatnonzero(model.flagged_)
    array([30])
    """

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        w_init: Any = None,
        **fit_params: Any,
    ) -> Self:
        """Fit the density to the rows that agree.

        Parameters
        ----------
        X : array-like of shape (n, d)
            The rows; sparse, or with missing values, if the estimator takes them so.
        y : None
            Ignored.
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
        check_pluggable(estimator, method="score_samples", gives="how likely a row is")
        X = self._check_input(X)
        no_labels = np.zeros(X.shape[0])  # make_folds counts the rows by them
        fits = self._weighted_fits(
            X, no_labels, stratify=False, groups=groups, fit_params=fit_params
        )
        self.estimator_ = self._reinforce(
            partial(fit_density, fits, X),
            sample_weight=check_row_weights("sample_weight", sample_weight, X.shape[0]),
            w_init=w_init,
        )
        return self

    def score_samples(self, X: Any) -> np.ndarray:
        """Log-density of each row."""
        return self._ask("score_samples", X)

    def score(self, X: Any, y: Any = None) -> float:
        """Mean log-density of the rows."""
        return float(self.score_samples(X).mean())

    def _wrapped(self) -> Any:
        return KernelDensity() if self.estimator is None else self.estimator


def fit_density(fits: WeightedFits, X: Any, weights: np.ndarray, _: Any = None) -> Fit:
    """Fit with weights, and find the log-density of each row."""
    return Fit(*fits(_log_density, X, None, weights))


def _log_density(model: Any, X: Any, _: None) -> np.ndarray:
    return np.asarray(model.score_samples(X), dtype=float)
