"""Parallel perceptrons that approximate a function: the p-delta rule, in batches."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from ..._validation import check_fraction, check_row_weights
from ._training import check_parameters, draw, train


class ParallelPerceptronRegressor(RegressorMixin, BaseEstimator):
    """A vote of perceptrons that approximates a function (the p-delta rule).

    The share of perceptrons that vote 1 is the output, scaled to the range of the target: with H
    perceptrons there are H + 1 of them. A simple machine with simple means: on most tables it is no
    better than linear regression, but it bends. Scale the features first. Costs O(epochs n H d), in
    compiled code.

    Parameters
    ----------
    n_perceptrons : int, default=101
        More give a finer output.
    tolerance : float, default=0.05
        Error that is let pass, as a share of the half range of the target.
    eta : float, default=0.03
        Rate of learning, divided by the number of perceptrons; it shrinks by a tenth whenever the
        error rises.
    gamma : float, default=0.05
        The margin to start from.
    max_iter : int, default=500
        Number of epochs.
    random_state : int, RandomState or None, default=None
        Draws the weights to start from.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (n_perceptrons, d) and (n_perceptrons,)
        The perceptrons, each of length one with its intercept.
    gamma_ : float
        The margin learnt.
    loss_curve_ : array of shape (max_iter,)
        Mean squared error of the rows beyond the tolerance before each epoch, in half ranges.
    n_iter_ : int
        Number of epochs.

    References
    ----------
    .. [1] Auer, Burgsteiner and Maass. A learning rule for very simple universal approximators
       consisting of a single layer of perceptrons. Neural Networks 21, 2008.

    Examples
    --------
    >>> import numpy as np
    >>> from errata.ensemble import ParallelPerceptronRegressor
    >>> X = np.linspace(-1, 1, 100)[:, None]
    >>> model = ParallelPerceptronRegressor(random_state=0).fit(X, X[:, 0] ** 2)
    >>> model.score(X, X[:, 0] ** 2) > 0.6
    True
    """

    def __init__(
        self,
        n_perceptrons: int = 101,
        *,
        tolerance: float = 0.05,
        eta: float = 0.03,
        gamma: float = 0.05,
        max_iter: int = 500,
        random_state: Any = None,
    ) -> None:
        self.n_perceptrons = n_perceptrons
        self.tolerance = tolerance
        self.eta = eta
        self.gamma = gamma
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Approximate the targets ``y``."""
        X, y = validate_data(self, X, y, dtype=float, order="C", y_numeric=True)
        weights = check_row_weights("sample_weight", sample_weight, len(y))
        check_parameters(self)
        tolerance = check_fraction("tolerance", self.tolerance)
        X, y, weights = X[weights > 0], y[weights > 0], weights[weights > 0]
        self._middle, half = (y.max() + y.min()) / 2, (y.max() - y.min()) / 2
        self._half = half or 1.0
        targets = (y - self._middle) / self._half
        start = draw(self, X.shape[1], check_random_state(self.random_state))
        machine, self.gamma_, self.loss_curve_ = train(
            self, X, targets, weights, start, rho=self.n_perceptrons, tolerance=tolerance
        )
        self.coef_, self.intercept_ = machine[:, :-1], machine[:, -1]
        self.n_iter_ = self.max_iter
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The vote, scaled to the range of the target."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=float, reset=False)
        votes = np.where(X @ self.coef_.T + self.intercept_ > 0, 1.0, -1.0).mean(axis=1)
        return self._middle + self._half * votes
