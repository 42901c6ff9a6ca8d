"""Support vector regression on ELM kernels."""

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.svm import SVR, LinearSVR

from .._validation import check_data, check_sample_weight
from ._svm import BaseELMSVM


class ELMSVR(RegressorMixin, BaseELMSVM):
    """Support vector regression on the kernel of a random hidden layer: no kernel to tune.

    With scaled inputs and target, the kernel of infinitely many erf units does about as well as a
    tuned Gaussian one, whatever ``weight_scale`` from 1 upwards: ``C`` and ``epsilon`` are left to
    choose. Takes O(n²) to O(n³) time and O(n²) memory by the Gram matrix, O(n m) of each by
    explicit features.

    Parameters
    ----------
    kernel : {"asymptotic", "finite"}, default="asymptotic"
        The normalised kernel of infinitely many erf units, or that of ``n_hidden`` drawn ones.
    n_hidden : int, default=1000
        Number of drawn units.
    activation : {"erf", "tanh", "logistic"}, default="erf"
        Activation of the units of the finite kernel.
    weight_distribution : {"normal", "uniform"}, default="normal"
        Distribution of their weights.
    weight_scale : float, default=1.0
        Scale of the hidden weights (sigma_w in the papers).
    C : float, default=1.0
        Weight of the errors; larger fits the training rows more closely.
    epsilon : float, default=0.1
        Errors up to here cost nothing.
    solver : {"auto", "gram", "linear"}, default="auto"
        "gram" hands a Gram matrix to LIBSVM, "linear" hands explicit features to LIBLINEAR, drawn
        ones in place of the asymptotic kernel. "auto" takes what is usually faster: the Gram matrix
        up to 1000 rows, times ``C`` over the standard deviation of ``y`` where that exceeds one,
        and for the asymptotic kernel as far as ``max_gram_bytes`` allows.
    tol : float, default=1e-3
        Tolerance of the solver.
    max_iter : int, default=10000
        Iterations allowed to the linear solver; LIBSVM has ten million, as its authors limit it.
    max_gram_bytes : int, default=134217728
        Largest Gram matrix to hold; 128 MB are 4096 rows.
    random_state : int, RandomState or None
        Draws the units and steers the linear solver.

    Attributes
    ----------
    solver_ : str
        The route taken.
    estimator_ : SVR or LinearSVR
        The fitted solver.
    features_ : ELMFeatures
        The drawn units, where there are any.
    X_fit_ : array of shape (n, d)
        The training rows, where the Gram matrix was used.
    feature_mean_ : array of shape (n_hidden,)
        Mean of the explicit features, where these were used.
    target_mean_ : float
        Mean of the targets, left out while solving.
    n_iter_ : int
        Iterations of the solver.
    n_features_in_ : int
        Number of features seen in ``fit``.

    References
    ----------
    .. [1] Frénay and Verleysen. Parameter-insensitive kernel in extreme learning for non-linear
       support vector regression. Neurocomputing 74, 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from errata.elm import ELMSVR
    >>> x = np.linspace(-2, 2, 100)[:, None]
    >>> y = np.sin(3 * x[:, 0])
    >>> errors = [ELMSVR(C=100, weight_scale=s).fit(x, y).predict(x) - y for s in (3, 30, 300)]
    >>> [round(float(np.abs(e).max()), 2) for e in errors]
    [0.1, 0.1, 0.1]
    """

    def __init__(
        self,
        *,
        kernel: str = "asymptotic",
        n_hidden: int = 1000,
        activation: str = "erf",
        weight_distribution: str = "normal",
        weight_scale: float = 1.0,
        C: float = 1.0,
        epsilon: float = 0.1,
        solver: str = "auto",
        tol: float = 1e-3,
        max_iter: int = 10_000,
        max_gram_bytes: int = 2**27,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            kernel=kernel,
            n_hidden=n_hidden,
            activation=activation,
            weight_distribution=weight_distribution,
            weight_scale=weight_scale,
            C=C,
            solver=solver,
            tol=tol,
            max_iter=max_iter,
            max_gram_bytes=max_gram_bytes,
            random_state=random_state,
        )
        self.epsilon = epsilon

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "ELMSVR":
        """Fit to the targets ``y``, shape (n,)."""
        X, y = check_data(self, X, y, dtype=float, y_numeric=True)
        # LIBLINEAR penalises the intercept, which the mean of the target would make large.
        self.target_mean_ = y.mean()
        weight = check_sample_weight(sample_weight, len(y))
        # Targets in other units are the same problem with C divided by the unit.
        self._fit_on(X, y - self.target_mean_, weight, unit=float(y.std()) or 1.0)
        return self

    def _make_estimator(self) -> SVR | LinearSVR:
        kind = SVR if self.solver_ == "gram" else LinearSVR
        return kind(epsilon=self.epsilon, **self._options())

    def predict(self, X: Any) -> np.ndarray:
        """Predict targets."""
        return self._predict_blocks("predict", X) + self.target_mean_
