"""Curved borders between classes under a robust loss."""

from typing import Any

import numpy as np
from scipy.linalg import eigh
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils import check_random_state

from ..._blocks import blocks, map_blocks
from ..._validation import check_choice, check_count, check_positive
from ._base import RobustLossModel

BATCH = 2**22  # numbers held at once when scoring rows
FLAT = 1e-10  # of the largest: eigenvalues of the kernel that rounding alone may have made


class KernelRobustLossClassifier(RobustLossModel):
    """A kernel classifier whose loss is bounded: a support vector machine that can give rows up.

    Reach for it where you would take :class:`sklearn.svm.SVC` and labels are wrong at random, the
    more of them the better the case. It assumes that right labels outvote wrong ones everywhere
    within the reach of the kernel; it does not know that one class may be wrong more often than
    another. Scale the features. Up to ``n_components`` rows the kernel is exact; beyond, that many
    rows drawn at random span the function (Nystroem). Costs O(n m² + m³ + n m K s) for m such rows
    and some hundred steps s, and holds two tables of n x m numbers, 16 n m bytes.

    Parameters
    ----------
    loss : str or loss, default="generalized_cross_entropy"
        What a label costs that the model does not agree with: "generalized_cross_entropy",
        "symmetric_cross_entropy", "ramp", "sigmoid", "savage" or "tangent", or one of these with
        parameters of your own, as in ``loss=GeneralizedCrossEntropy(q=0.5)``. The page on tolerant
        models says which to choose.
    C : float, default=3.0
        Weight of the losses against half the squared norm of the function, as in
        :class:`sklearn.svm.SVC`; the intercepts are not penalised. The
        smaller, the smoother.
    kernel : str or callable, default="rbf"
        Any kernel of :func:`sklearn.metrics.pairwise.pairwise_kernels` but "precomputed".
    gamma : "scale", "auto" or float, default="scale"
        Of the kernel, ``exp(-gamma |x - z|²)`` for "rbf". "scale" is one over the number of
        features times their variance, "auto" one over the number of features. The larger, the more
        local, and the more easily wrong labels are learnt.
    n_components : int, default=500
        Number of rows that span the function, at most.
    max_iter : int, default=1000
        Maximum number of steps of the descent (of fits, for the ramp).
    tol : float, default=1e-6
        The descent ends when no slope of the mean loss exceeds it.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it; 0.5 (another class is more probable) when neither
        this nor ``contamination`` is given.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.
    random_state : int, RandomState or None, default=None
        Draws the rows that span the function, where not all of them do.

    Attributes
    ----------
    components_ : array of shape (m, d)
        The rows that span the function.
    dual_coef_ : array of shape (1, m) or (K, m)
        Weight of the kernel of each of these.
    intercept_ : array of shape (1,) or (K,)
        Intercepts.
    gamma_ : float
        The gamma that was used.
    suspicion_ : array of shape (n,)
        (1 + p' - p) / 2, p being the probability of the label and p' that of the most probable
        other class, by ``predict_proba`` on the training rows. A score from 0 to 1, not a
        probability: the model has seen the labels, though a bounded loss lets it disagree.
    flagged_, suggested_ : arrays of shape (n,)
        Which rows are flagged, and the most probable class for those, the label itself elsewhere.
    classes_ : array of shape (K,)
        The distinct labels.
    objective_ : array of shape ``(n_iter_ + 1,)``
        The objective at the fit of the convex relative, and after each step. It never rises.
    n_iter_ : int
        Number of steps.

    Notes
    -----
    The objective, C times the sum of the losses plus half the squared norm, is not convex,
    so that the descent (L-BFGS) starts from the fit of the loss's convex relative: logistic
    regression, or the squared hinge for the ramp, which is then fitted by turns to the rows below
    the cap (the concave-convex procedure). A softmax over all classes is fitted for the two
    cross-entropies, one score per class against the rest for the others.
    ``predict_proba`` is the softmax of the scores for the two cross-entropies, and for the others
    what the loss is made for (Savage, tangent) or the logistic function of each score against the
    rest, made to sum to one. A bounded loss makes any of them too sure: they rank well, and
    :class:`sklearn.calibration.CalibratedClassifierCV` makes them probabilities.

    References
    ----------
    .. [1] Frénay and Verleysen. Classification in the presence of label noise: a survey. IEEE
       Transactions on Neural Networks and Learning Systems 25, 2014. Section VII-B.
    .. [2] Williams and Seeger. Using the Nyström method to speed up kernel machines. NIPS 2000.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from sklearn.metrics import roc_auc_score
    >>> from errata.noise import flip_labels
    >>> from errata.tolerant import KernelRobustLossClassifier
    >>> X, y = make_moons(1400, noise=0.2, random_state=0)
    >>> labels, flipped = flip_labels(y[:400], 0.3, random_state=0)
    >>> model = KernelRobustLossClassifier().fit(X[:400], labels)
    >>> round(model.score(X[400:], y[400:]), 2), round(roc_auc_score(flipped, model.suspicion_), 2)
    (0.96, 0.99)
    """

    def __init__(
        self,
        loss: Any = "generalized_cross_entropy",
        *,
        C: float = 3.0,
        kernel: Any = "rbf",
        gamma: float | str = "scale",
        n_components: int = 500,
        max_iter: int = 1000,
        tol: float = 1e-6,
        threshold: float | None = None,
        contamination: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.loss = loss
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.n_components = n_components
        self.max_iter = max_iter
        self.tol = tol
        self.threshold = threshold
        self.contamination = contamination
        self.random_state = random_state

    def _make_features(self, X: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        self.gamma_ = _checked_gamma(self.gamma, X, weights)
        spanning = np.flatnonzero(weights)
        size = check_count("n_components", self.n_components)
        if len(spanning) > size:
            random = check_random_state(self.random_state)
            spanning = np.sort(random.choice(spanning, size, replace=False))
        self.components_ = X[spanning]
        self._map = _whitening(self._gram(self.components_))
        Z = self._gram(X) @ self._map
        return Z, np.ones(Z.shape[1])

    def _keep(self, beta: np.ndarray) -> None:
        self.dual_coef_, self.intercept_ = beta[:, 1:] @ self._map.T, beta[:, 0]
        del self._map  # as large as the kernel, and of no more use

    def _scores(self, X: np.ndarray) -> np.ndarray:
        return map_blocks(
            lambda rows: self._gram(X[rows]) @ self.dual_coef_.T + self.intercept_,
            blocks(len(X), BATCH, width=len(self.components_)),
        )

    def _gram(self, X: np.ndarray) -> np.ndarray:
        if callable(self.kernel):
            return np.asarray(self.kernel(X, self.components_))
        return pairwise_kernels(
            X, self.components_, metric=self.kernel, filter_params=True, gamma=self.gamma_
        )


def _whitening(K: np.ndarray) -> np.ndarray:
    """The matrix W that makes features K W of a kernel K, so that their inner products are K."""
    values, vectors = eigh(K)
    kept = values > FLAT * values[-1]
    return vectors[:, kept] / np.sqrt(values[kept])


def _checked_gamma(gamma: Any, X: np.ndarray, weights: np.ndarray) -> float:
    if not isinstance(gamma, str):
        return check_positive("gamma", gamma, otherwise=', or "scale" or "auto"')
    if check_choice("gamma", gamma, ("scale", "auto")) == "auto":
        return 1 / X.shape[1]
    row_means = X.mean(axis=1)
    mean = np.average(row_means, weights=weights)
    variance = np.average(((X - mean) ** 2).mean(axis=1), weights=weights)
    return 1 / (X.shape[1] * variance) if variance > 0 else 1.0
