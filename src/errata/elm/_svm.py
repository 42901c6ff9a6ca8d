"""Kernels of extreme learning, and support vector machines on them, for classes and numbers.

The kernels are those of a drawn hidden layer, and of infinitely many units.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.preprocessing import normalize
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR
from sklearn.utils import check_array, check_consistent_length

from .._blocks import blocks, map_blocks
from .._validation import (
    check_alpha,
    check_choice,
    check_class_weights,
    check_count,
    check_data,
    check_labelled,
    check_positive,
    check_rows,
    check_sample_weight,
)
from .._warn import warn_user
from ._hidden_layer import ELMFeatures

# What LIBSVM allows itself. scikit-learn lifts it, and a tolerance below rounding is never met.
GRAM_ITERATIONS = 10_000_000
# Up to so many rows, times C, a Gram matrix and LIBSVM are faster than features and LIBLINEAR: for
# each row and unit the one takes n products, the other a pass of which it needs some 100 times C.
# Measured on 13 data sets and other sizes, see docs/evidence/reproductions/elm-solver.md.
GRAM_ROWS = 1000

BLOCK = 1024


class BaseELMSVM(BaseEstimator):
    """A support vector machine but for its target."""

    def __init__(
        self,
        *,
        kernel: str = "asymptotic",
        n_hidden: int = 1000,
        activation: str = "erf",
        weight_distribution: str = "normal",
        weight_scale: float = 1.0,
        C: float = 1.0,
        solver: str = "auto",
        tol: float = 1e-3,
        max_iter: int = 10_000,
        max_gram_bytes: int = 2**27,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.n_hidden = n_hidden
        self.activation = activation
        self.weight_distribution = weight_distribution
        self.weight_scale = weight_scale
        self.C = C
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.max_gram_bytes = max_gram_bytes
        self.random_state = random_state

    def _fit_on(
        self, X: np.ndarray, target: np.ndarray, weight: np.ndarray | None, unit: float = 1.0
    ) -> None:
        """Fit; ``unit`` is what errors are small or large in comparison with."""
        if weight is not None:  # LIBSVM drops rows without weight and then miscounts the others
            X = X[weight > 0]
            target = target[weight > 0]
            weight = weight[weight > 0]
        self.solver_ = self._choose_solver(len(X), unit)
        if self.solver_ == "linear" or self.kernel == "finite":
            self.features_ = self._make_features().fit(X)
        inputs = self._training_inputs(X)
        self.estimator_ = self._make_estimator().fit(inputs, target, weight)
        self.n_iter_ = int(np.max(self.estimator_.n_iter_))

    def _choose_solver(self, n: int, unit: float = 1.0) -> str:
        check_choice("kernel", self.kernel, ("asymptotic", "finite"))
        check_choice("solver", self.solver, ("auto", "gram", "linear"))
        # Checked whatever the solver: a limit that makes no sense should not pass unnoticed.
        fits = 8 * n**2 <= check_count("max_gram_bytes", self.max_gram_bytes)
        if self.solver == "gram" and not fits:
            raise ValueError(
                f"the Gram matrix of {n} rows takes {8 * n**2} bytes, more than max_gram_bytes="
                f'{self.max_gram_bytes}; raise that limit or pass solver="linear".'
            )
        if self.solver != "auto":
            return self.solver
        few = n <= GRAM_ROWS * max(1.0, check_positive("C", self.C) / unit)
        if fits and (few or self.kernel == "asymptotic"):
            return "gram"
        if self.kernel == "asymptotic":
            self._warn_of_the_stand_in(n)
        return "linear"

    def _warn_of_the_stand_in(self, n: int) -> None:
        warn_user(
            f"{n} rows are too many for a Gram matrix of max_gram_bytes={self.max_gram_bytes}: "
            f"{self.n_hidden} drawn units stand in for the asymptotic kernel. "
            'Pass solver="linear" to agree, or raise max_gram_bytes.',
            UserWarning,
        )

    def _make_features(self) -> ELMFeatures:
        limit = self.kernel == "asymptotic"  # the limit of erf units with normal weights
        return ELMFeatures(
            n_hidden=self.n_hidden,
            activation="erf" if limit else self.activation,
            weight_distribution="normal" if limit else self.weight_distribution,
            weight_scale=self.weight_scale,
            random_state=self.random_state,
        )

    def _make_estimator(self) -> Any:
        raise NotImplementedError

    def _options(self) -> dict[str, Any]:
        """Parameters of the solver but for its loss."""
        common = {"C": self.C, "tol": self.tol}
        if self.solver_ == "gram":
            return common | {"kernel": "precomputed", "max_iter": GRAM_ITERATIONS}
        return common | {"max_iter": self.max_iter, "random_state": self.random_state}

    def _training_inputs(self, X: np.ndarray) -> np.ndarray:
        if self.solver_ == "gram":
            self.X_fit_ = X
            return self._inputs(X)
        # LIBLINEAR penalises the intercept, so leave it next to nothing to do. A large
        # intercept_scaling would lift the penalty instead, but keeps it from converging.
        phi = self._explicit(X)
        self.feature_mean_ = phi.mean(axis=0)
        phi -= self.feature_mean_
        return phi

    def _inputs(self, X: np.ndarray) -> np.ndarray:
        """Inputs of the solver: centred features, or rows of a Gram matrix."""
        if self.solver_ == "linear":
            return self._explicit(X) - self.feature_mean_
        if self.kernel == "finite":
            return elm_kernel(X, self.X_fit_, features=self.features_)
        return asymptotic_elm_kernel(X, self.X_fit_, weight_scale=self.weight_scale)

    def _explicit(self, X: np.ndarray) -> np.ndarray:
        """Features whose inner products are the kernel, or come near the asymptotic one."""
        phi = self.features_.transform(X)
        return normalize(phi, copy=False) if self.kernel == "asymptotic" else phi

    def _predict_blocks(self, method: str, X: Any) -> np.ndarray:
        """Call a method of the solver on new rows, as many at a time as the memory limit allows."""
        X = check_rows(self, X, dtype=float)
        predict = getattr(self.estimator_, method)
        width = self.n_hidden if self.solver_ == "linear" else len(self.X_fit_)
        parts = blocks(len(X), self.max_gram_bytes, width=8 * width)
        return map_blocks(lambda block: predict(self._inputs(X[block])), parts)


class ELMSVC(ClassifierMixin, BaseELMSVM):
    """Support vector classifier on the kernel of a random hidden layer: no kernel to tune.

    A large margin in the feature space of an extreme learning machine. With the asymptotic kernel,
    or with enough drawn units, accuracy is that of a tuned RBF kernel on many data sets while ``C``
    is all there is to choose. Scale the features first. It has no noise model and checks no
    labels: :class:`ELMClassifier` does. Takes O(n²) to O(n³) time and O(n²) memory by the Gram
    matrix, O(n m) of each by explicit features.

    Parameters
    ----------
    kernel : {"asymptotic", "finite"}, default="asymptotic"
        The normalised kernel of infinitely many erf units, or that of ``n_hidden`` drawn ones.
    n_hidden : int, default=1000
        Number of drawn units.
    activation : {"erf", "tanh", "logistic"}, default="erf"
        Activation of the units of the finite kernel.
    weight_distribution : {"normal", "uniform"}, default="normal"
        Distribution of their weights; the 2010 paper has "uniform" with "logistic".
    weight_scale : float, default=1.0
        Scale of the hidden weights (sigma_w in the papers).
    C : float, default=1.0
        Weight of the errors; larger fits the training rows more closely.
    solver : {"auto", "gram", "linear"}, default="auto"
        "gram" hands a Gram matrix to LIBSVM, "linear" hands explicit features to LIBLINEAR, drawn
        ones in place of the asymptotic kernel. "auto" takes what is usually faster: the Gram matrix
        up to 1000 rows, times ``C`` where that exceeds one, and for the asymptotic kernel as far
        as ``max_gram_bytes`` allows.
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
    estimator_ : SVC or LinearSVC
        The fitted solver.
    features_ : ELMFeatures
        The drawn units, where there are any.
    X_fit_ : array of shape (n, d)
        The training rows, where the Gram matrix was used.
    feature_mean_ : array of shape (n_hidden,)
        Mean of the explicit features, where these were used.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    n_iter_ : int
        Iterations of the solver.
    n_features_in_ : int
        Number of features seen in ``fit``.

    References
    ----------
    .. [1] Frénay and Verleysen. Using SVMs with randomised feature spaces: an extreme learning
       approach. ESANN 2010.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from sklearn.preprocessing import scale
    >>> from errata.elm import ELMSVC
    >>> X, y = make_moons(200, noise=0.2, random_state=0)
    >>> model = ELMSVC(C=10).fit(scale(X)[:100], y[:100])
    >>> float(model.score(scale(X)[100:], y[100:]))
    0.95
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "ELMSVC":
        """Fit to the labels ``y``."""
        X, codes = check_labelled(self, X, y, min_classes=2, dtype=float)
        weight = check_sample_weight(sample_weight, len(codes))
        if weight is not None:  # rows without weight are dropped before LIBSVM sees them
            check_class_weights(codes, self.classes_, weight)
        self._fit_on(X, codes, weight)
        return self

    def _make_estimator(self) -> SVC | LinearSVC:
        if self.solver_ == "gram":
            return SVC(**self._options())
        return LinearSVC(loss="hinge", **self._options())

    def decision_function(self, X: Any) -> np.ndarray:
        """Signed distances for two classes, shape (n,); votes, shape (n, n_classes), for more."""
        return self._predict_blocks("decision_function", X)

    def predict(self, X: Any) -> np.ndarray:
        """Predict classes."""
        codes = self._predict_blocks("predict", X)
        return self.classes_[codes]


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


def elm_kernel(X: Any, Z: Any = None, *, features: Any) -> np.ndarray:
    """Average product of the activations of drawn hidden units, k(x, z) = h(x)'h(z) / m.

    Parameters
    ----------
    X : array-like of shape (n, d)
    Z : array-like of shape (p, d), optional
        ``X`` itself when not given.
    features : ELMFeatures
        The hidden layer, fitted.

    Returns
    -------
    array of shape (n, p)

    References
    ----------
    .. [1] Frénay and Verleysen. Using SVMs with randomised feature spaces: an extreme learning
       approach. ESANN 2010. Equations 4 and 5.

    Examples
    --------
    >>> from errata.elm import ELMFeatures, elm_kernel
    >>> X = [[1.0, 0.0], [0.0, 1.0]]
    >>> elm_kernel(X, features=ELMFeatures(random_state=0).fit(X)).round(2)
    array([[0.56, 0.26],
           [0.26, 0.6 ]])
    """
    phi = features.transform(X)
    if Z is None or Z is X:
        return phi @ phi.T  # NumPy sees the transpose and computes one half
    return phi @ features.transform(Z).T


def asymptotic_elm_kernel(
    X: Any, Z: Any = None, *, weight_scale: float = 1.0, normalize: bool = True
) -> np.ndarray:
    """The ELM kernel of infinitely many erf units with weights and biases from N(0, s²).

    Nothing is drawn, so results repeat; and from s = 1 on, the scale s of the weights hardly
    matters on scaled data: a support vector machine has no parameter of this kernel to tune. Pass
    it as ``kernel`` to :class:`sklearn.svm.SVC` or SVR, or its result with
    ``kernel="precomputed"``. It costs O(n p d) time and the memory of its result.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Scale it to zero mean and unit variance first.
    Z : array-like of shape (p, d), optional
        ``X`` itself when not given.
    weight_scale : float, default=1.0
        Scale s of the hidden weights (sigma_w in [1]_). Towards zero the kernel turns into the
        cosine of (1, x) and (1, z); infinity is allowed and leaves one minus twice their angle
        divided by pi.
    normalize : bool, default=True
        Divide by the kernel of each row with itself, so that these become one.

    Returns
    -------
    array of shape (n, p)

    Notes
    -----
    k(x, z) = 2/pi arcsin((1 + x·z) / sqrt((c + 1 + x·x)(c + 1 + z·z))), c = 1 / (2 s²),
    equation 15 of [1]_; normalised in its equation 16. The diagonal is taken from the closed form:
    near one, arcsin turns rounding of 1e-16 into 1e-8.

    References
    ----------
    .. [1] Frénay and Verleysen. Parameter-insensitive kernel in extreme learning for non-linear
       support vector regression. Neurocomputing 74, 2011.

    Examples
    --------
    >>> from errata.elm import asymptotic_elm_kernel
    >>> X = [[1.0, 0.0], [0.0, 1.0]]
    >>> asymptotic_elm_kernel(X, normalize=False).round(3)
    array([[0.59 , 0.262],
           [0.262, 0.59 ]])
    """
    if weight_scale != np.inf:
        check_positive("weight_scale", weight_scale, otherwise=", or infinity")
    c = 0.5 / max(float(weight_scale), 1e-100) ** 2  # the limit is reached long before
    same = Z is None or Z is X
    X = check_array(X, dtype=float)
    Z = X if same else check_array(Z, dtype=float, input_name="Z")
    if X.shape[1] != Z.shape[1]:
        raise ValueError(f"X has {X.shape[1]} features but Z has {Z.shape[1]}.")
    product = partial(_compute_arcsine_kernel, c=c, normalize=normalize)
    if not same:
        return product(X, Z)
    K = _compute_symmetric(product, X)
    np.fill_diagonal(K, 1 if normalize else _compute_self_similarity(X, c))
    return K


def _compute_arcsine_kernel(
    X: np.ndarray, Z: np.ndarray, *, c: float, normalize: bool
) -> np.ndarray:
    K = X @ Z.T  # in place from here on: K is all the memory that is used
    K += 1
    K /= np.sqrt(c + 1 + np.einsum("ij,ij->i", X, X))[:, None]
    K /= np.sqrt(c + 1 + np.einsum("ij,ij->i", Z, Z))
    np.clip(K, -1, 1, out=K)
    np.arcsin(K, out=K)
    K *= 2 / np.pi
    if normalize:
        K /= np.sqrt(_compute_self_similarity(X, c))[:, None]
        K /= np.sqrt(_compute_self_similarity(Z, c))
    return K


def _compute_self_similarity(X: np.ndarray, c: float) -> np.ndarray:
    """k(x, x), which is never close enough to one for arcsin to lose digits unless c is zero."""
    squares = 1 + np.einsum("ij,ij->i", X, X)
    return 2 / np.pi * np.arcsin(squares / (c + squares))


def _compute_symmetric(
    product: Callable[[np.ndarray, np.ndarray], np.ndarray], X: np.ndarray
) -> np.ndarray:
    """``product(X, X)`` computed for its lower half, in blocks, and mirrored."""
    n = len(X)
    K = np.empty((n, n))
    for block in blocks(n, BLOCK):
        part = product(X[block], X[: block.stop])
        corner = part[:, block.start :]
        corner[...] = np.tril(corner) + np.tril(corner, -1).T
        K[block, : block.stop] = part
        K[: block.stop, block] = part.T
    return K


def kernel_leave_one_out(K: Any, y: Any, *, alpha: float) -> np.ndarray:
    """Each target as kernel ridge regression predicts it from all other rows, without refitting.

    What :class:`ELMRegressor` does for drawn units, for a kernel: with the asymptotic one, the
    out-of-sample predictions of infinitely many units. Takes O(n³) time and O(n²) memory.

    Parameters
    ----------
    K : array-like of shape (n, n)
        Gram matrix of the rows.
    y : array-like of shape (n,) or (n, q)
        Targets; for classes, one column per class with one for the row's label and zero elsewhere.
    alpha : float
        L2 strength, positive. The intercept is not penalised.

    Returns
    -------
    array of the shape of ``y``

    Notes
    -----
    With M the matrix [[0, 1'], [1, K + alpha I]] and a the solution of its system, the residual of
    row i without it is a_i / (M⁻¹)_ii.

    Examples
    --------
    >>> import numpy as np
    >>> from errata.elm import asymptotic_elm_kernel, kernel_leave_one_out
    >>> x = np.linspace(-2, 2, 9)[:, None]
    >>> kernel_leave_one_out(asymptotic_elm_kernel(x), x[:, 0] ** 2, alpha=1e-3).round(1)
    array([3.1, 2.6, 0.9, 0.2, 0.1, 0.2, 0.9, 2.6, 3.1])
    """
    if check_alpha(alpha) == 0:
        raise ValueError(f"alpha={alpha!r} must be positive.")
    K = check_array(K, dtype=float, ensure_min_samples=2, input_name="K")
    y = check_array(y, dtype=float, ensure_2d=False, input_name="y")
    check_consistent_length(K, K.T, y)
    ones = np.ones(len(K))
    try:
        factor = cho_factor(K + alpha * np.eye(len(K)), lower=True)
    except LinAlgError as error:
        raise ValueError(
            f"K has an eigenvalue below minus alpha={alpha!r}, so it is not the Gram matrix of a "
            "kernel, or rounding made it so; raise alpha or check K."
        ) from error
    # The bordered matrix need not be inverted: its block is A⁻¹ less what the intercept takes.
    A_inverse = cho_solve(factor, np.eye(len(K)))
    e = A_inverse @ ones
    M_inverse = A_inverse - np.outer(e, e) / (ones @ e)
    scale = np.diag(M_inverse)
    return y - M_inverse @ y / (scale if y.ndim == 1 else scale[:, None])
