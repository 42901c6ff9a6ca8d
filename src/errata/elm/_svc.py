"""Support vector classification on ELM kernels."""

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.svm import SVC, LinearSVC

from .._validation import check_class_weights, check_labelled, check_sample_weight
from ._svm import BaseELMSVM


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
