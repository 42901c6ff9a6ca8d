"""Parallel perceptrons that approximate a function: the p-delta rule, in batches."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import check_random_state

from ..._validation import check_data, check_fraction, check_row_weights, check_rows
from ._training import check_parameters, draw_start, train


class ParallelPerceptronRegressor(RegressorMixin, BaseEstimator):
    """A vote of perceptrons that approximates a function (the p-delta rule).

    The fraction of perceptrons that vote 1 is the output, scaled to the range of the target: with H
    perceptrons it takes H + 1 values. A simple model: on most tables it does not beat linear
    regression, but it can follow a curve. Scale the features first. Costs O(epochs n H d), in
    compiled code.

    Parameters
    ----------
    n_perceptrons : int, default=101
        More give a finer output.
    epsilon : float, default=0.05
        Errors up to here cost nothing, as in the epsilon-insensitive loss; as a fraction of the
        half range of the target.
    learning_rate : float, default=0.03
        Length of a step, divided by the number of perceptrons; it shrinks by a tenth whenever the
        error rises.
    margin : float, default=0.05
        The margin to start from.
    max_iter : int, default=500
        Number of epochs.
    random_state : int, RandomState or None, default=None
        Draws the weights to start from.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (n_perceptrons, d) and (n_perceptrons,)
        The perceptrons, each of length one with its intercept.
    margin_ : float
        The margin learnt.
    loss_curve_ : array of shape (max_iter,)
        Mean squared error of the rows beyond epsilon before each epoch, in half ranges.
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
        epsilon: float = 0.05,
        learning_rate: float = 0.03,
        margin: float = 0.05,
        max_iter: int = 500,
        random_state: Any = None,
    ) -> None:
        self.n_perceptrons = n_perceptrons
        self.epsilon = epsilon
        self.learning_rate = learning_rate
        self.margin = margin
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Approximate the targets ``y``."""
        X, y = check_data(self, X, y, dtype=float, order="C", y_numeric=True)
        weights = check_row_weights("sample_weight", sample_weight, len(y))
        check_parameters(self)
        epsilon = check_fraction("epsilon", self.epsilon)
        # Rows of no weight must not stretch the range that the output is scaled to.
        X, y, weights = X[weights > 0], y[weights > 0], weights[weights > 0]
        self._middle, half = (y.max() + y.min()) / 2, (y.max() - y.min()) / 2
        self._half = half or 1.0  # a constant target has no range to divide by
        targets = (y - self._middle) / self._half
        start = draw_start(self, X.shape[1], check_random_state(self.random_state))
        coefficients, self.margin_, self.loss_curve_ = train(
            self, X, targets, weights, start, rho=self.n_perceptrons, epsilon=epsilon
        )
        self.coef_, self.intercept_ = coefficients[:, :-1], coefficients[:, -1]
        self.n_iter_ = self.max_iter
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The vote, scaled to the range of the target."""
        X = check_rows(self, X, dtype=float)
        votes = np.where(X @ self.coef_.T + self.intercept_ > 0, 1.0, -1.0).mean(axis=1)
        return self._middle + self._half * votes
