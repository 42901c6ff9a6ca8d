"""The hidden layer of a small network as a projection (García-Pedrajas et al. 2007)."""

import warnings
from typing import Any, Self

import numpy as np
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier

from .._validation import check_count
from ._linear import SupervisedProjection


class HiddenLayerProjection(SupervisedProjection):
    """What the sigmoid units of a perceptron with one hidden layer make of the rows.

    The projection with which the method began; its authors replaced it, as networks are hard to
    tune and their units saturate. Costs ``max_iter`` passes over n rows with O(d h) each.

    Parameters
    ----------
    n_components : int, optional
        Number of hidden units; as many as features when not given.
    alpha : float, default=1e-4
        Strength of the L2 penalty on the coefficients. Larger keeps units from saturating.
    max_iter : int, default=50
        Steps of the optimiser (L-BFGS). It need not converge to be of use, and is not asked to.
    random_state : int, RandomState instance or None
        Seed of the first weights.

    Attributes
    ----------
    network_ : MLPClassifier
        The fitted network.
    n_iter_ : int
        Steps that were taken.
    classes_, n_features_in_
        As usual.

    References
    ----------
    .. [1] García-Pedrajas, García-Osorio and Fyfe. Nonlinear boosting projections for ensemble
       construction. Journal of Machine Learning Research 8, 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import scale
    >>> from errata.projections import HiddenLayerProjection
    >>> X, y = load_iris(return_X_y=True)
    >>> HiddenLayerProjection(random_state=0).fit_transform(scale(X), y).shape
    (150, 4)
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        alpha: float = 1e-4,
        max_iter: int = 50,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.alpha = alpha
        self.max_iter = max_iter
        self.random_state = random_state

    def _fit_codes(self, X: np.ndarray, codes: np.ndarray) -> Self:
        asked = self.n_components
        units = X.shape[1] if asked is None else check_count("n_components", asked)
        # L-BFGS suits the few rows that an ensemble misclassifies, and has no rate to tune.
        network = MLPClassifier(
            (units,),
            activation="logistic",
            solver="lbfgs",
            alpha=self.alpha,
            max_iter=check_count("max_iter", self.max_iter),
            random_state=self.random_state,
        )
        with warnings.catch_warnings():
            # ``max_iter`` is a budget here: to reach it is nothing to warn of.
            warnings.simplefilter("ignore", ConvergenceWarning)
            self.network_ = network.fit(X, codes)
        self.n_iter_ = self.network_.n_iter_
        return self

    def _transform(self, X: np.ndarray) -> np.ndarray:
        """Activations of the hidden units, between 0 and 1."""
        # By hand, as MLPClassifier gives its output layer only.
        return expit(X @ self.network_.coefs_[0] + self.network_.intercepts_[0])

    @property
    def _n_features_out(self) -> int:
        return len(self.network_.intercepts_[0])
