"""Classifiers whose loss is bounded or nearly so, and the losses to choose from.

Losses are of the margin, or of the probability of the label; borders between classes are planes or
curved. The convex relative of the loss is fitted first, as wherever the descent ends depends on
where it starts; from there on the objective never rises.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils import check_random_state

from .._blocks import blocks, map_blocks
from .._canonical import measure_spread
from .._detector import DetectorMixin, compute_margin
from .._validation import (
    check_choice,
    check_class_weights,
    check_count,
    check_fraction,
    check_labelled,
    check_positive,
    check_row_weights,
    check_rows,
)
from .._warn import warn_user
from ._softmax import compute_log_proba, compute_scores, take_label_log_proba

__all__ = [
    "RobustLossClassifier",
    "KernelRobustLossClassifier",
    "GeneralizedCrossEntropy",
    "SymmetricCrossEntropy",
    "RampLoss",
    "SigmoidLoss",
    "SavageLoss",
    "TangentLoss",
]


NO_PROBABILITY = 4.0  # what the reverse cross-entropy takes minus the logarithm of 0 for


BATCH = 2**22  # numbers held at once when scoring rows
FLAT = 1e-10  # of the largest: eigenvalues of the kernel that rounding alone may have made

# Coefficients (q, 1 + d), intercepts first; the objective at each step; whether it settled.
Descent = tuple[np.ndarray, list[float], bool]


class MarginLoss:
    """A loss phi(v), summed over classes; two classes have one score, that of the second.

    A subclass has phi, its derivative, and the probability of the class with a given score.
    """

    def phi(self, v: np.ndarray) -> np.ndarray:
        """The loss of these margins."""
        raise NotImplementedError

    def phi_slope(self, v: np.ndarray) -> np.ndarray:
        """Its derivative."""
        raise NotImplementedError

    def link(self, scores: np.ndarray) -> np.ndarray:
        """Probability of a class against the rest."""
        return expit(scores)

    def check(self) -> None:
        """Raise where a parameter is out of range."""

    @property
    def convex(self) -> Any:
        """The loss whose fit is the start."""
        return LogisticLoss()

    def value(self, scores: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Loss of each row and score, shape (n, q)."""
        return self.phi(find_sides(scores, codes) * scores)

    def slope(self, scores: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Its derivative by the score, shape (n, q)."""
        side = find_sides(scores, codes)
        return side * self.phi_slope(side * scores)

    def proba(self, scores: np.ndarray) -> np.ndarray:
        """Probability of each class, shape (n, K)."""
        p = self.link(scores)
        if p.shape[1] == 1:
            return np.hstack([1 - p, p])
        # Against the rest, no class at all may be probable.
        p = np.maximum(p, np.finfo(float).tiny)
        return p / p.sum(axis=1, keepdims=True)


def find_sides(scores: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """1 where a score (n, q) is that of the row's label, else -1."""
    columns = np.arange(scores.shape[1]) if scores.shape[1] > 1 else np.ones(1)
    return np.where(codes[:, None] == columns, 1.0, -1.0)


class LogisticLoss(MarginLoss):
    """log(1 + exp(-v)), convex."""

    def phi(self, v: np.ndarray) -> np.ndarray:
        """log(1 + exp(-v))."""
        return np.logaddexp(0, -v)

    def phi_slope(self, v: np.ndarray) -> np.ndarray:
        """-1 / (1 + exp(v))."""
        return -expit(-v)


class SquaredHinge(MarginLoss):
    """max(0, 1 - v)², convex: the loss of :class:`sklearn.svm.LinearSVC`."""

    def phi(self, v: np.ndarray) -> np.ndarray:
        """max(0, 1 - v)²."""
        return np.maximum(0, 1 - v) ** 2

    def phi_slope(self, v: np.ndarray) -> np.ndarray:
        """-2 max(0, 1 - v)."""
        return -2 * np.maximum(0, 1 - v)


@dataclass(frozen=True)
class RampLoss(MarginLoss):
    """min(cap, max(0, 1 - v)²): a squared hinge that is cut off, for rows far on the wrong side.

    Such rows do not count at all, which makes it the hardest of these losses on gross errors. (The
    ramp of the references cuts the hinge itself; squared, its fits are smooth.)

    Parameters
    ----------
    cap : float, default=4
        The largest loss; 4 is reached at a margin of -1. Infinity is the squared hinge.

    References
    ----------
    .. [1] Collobert, Sinz, Weston and Bottou. Trading convexity for scalability. ICML 2006.
    .. [2] Xu, Crammer and Schuurmans. Robust support vector machine training via convex outlier
       ablation. AAAI 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from errata.tolerant import RampLoss
    >>> RampLoss().phi(np.array([2.0, 0.5, -0.5, -3.0]))
    array([0.  , 0.25, 2.25, 4.  ])
    """

    cap: float = 4.0

    def check(self) -> None:
        """Raise where the cap is so low that rows would be given up on the right side."""
        check_fraction("cap", self.cap, low=1, high=np.inf)

    @property
    def convex(self) -> Any:
        """The loss whose fit is the start, and which rows below the cap keep."""
        return SquaredHinge()

    def phi(self, v: np.ndarray) -> np.ndarray:
        """min(cap, max(0, 1 - v)²)."""
        return np.minimum(self.cap, SquaredHinge().phi(v))

    def counts(self, scores: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Which rows are below the cap, for each score."""
        return SquaredHinge().value(scores, codes) < self.cap


class SigmoidLoss(MarginLoss):
    """1 / (1 + exp(v)), a smooth count of errors.

    The loss of a label and that of its opposite sum to one, so that wrong labels at random change
    its minimum only by a factor; but it is flat far from the boundary, and fitting may get stuck.

    References
    ----------
    .. [1] Mason, Baxter, Bartlett and Frean. Boosting algorithms as gradient descent. NIPS 1999.
    .. [2] Ghosh, Manwani and Sastry. Making risk minimization tolerant to label noise.
       Neurocomputing 160, 2015.

    Examples
    --------
    >>> import numpy as np
    >>> from errata.tolerant import SigmoidLoss
    >>> SigmoidLoss().phi(np.array([2.0, 0.0, -2.0])).round(2)
    array([0.12, 0.5 , 0.88])
    """

    def phi(self, v: np.ndarray) -> np.ndarray:
        """1 / (1 + exp(v))."""
        return expit(-v)

    def phi_slope(self, v: np.ndarray) -> np.ndarray:
        """Minus the product of loss and one minus loss."""
        return -expit(v) * expit(-v)


class SavageLoss(MarginLoss):
    """1 / (1 + exp(2v))², bounded by one, with probabilities 1 / (1 + exp(-2v)).

    References
    ----------
    .. [1] Masnadi-Shirazi and Vasconcelos. On the design of loss functions for classification:
       theory, robustness to outliers, and SavageBoost. NIPS 2008.

    Examples
    --------
    >>> import numpy as np
    >>> from errata.tolerant import SavageLoss
    >>> SavageLoss().phi(np.array([2.0, 0.0, -2.0])).round(2)
    array([0.  , 0.25, 0.96])
    """

    def phi(self, v: np.ndarray) -> np.ndarray:
        """1 / (1 + exp(2v))²."""
        return expit(-2 * v) ** 2

    def phi_slope(self, v: np.ndarray) -> np.ndarray:
        """-4 p (1 - p)², p = 1 / (1 + exp(-2v)) being the probability of the label."""
        return -4 * expit(-2 * v) ** 2 * expit(2 * v)

    def link(self, scores: np.ndarray) -> np.ndarray:
        """1 / (1 + exp(-2v))."""
        return expit(2 * scores)


class TangentLoss(MarginLoss):
    """(2 arctan v - 1)², which minds rows too far on the right side as well as on the wrong.

    Bounded by (pi + 1)² = 17 on the wrong side and by (pi - 1)² = 4.6 on the right, with
    probabilities arctan v + 1/2, cut to [0, 1].

    References
    ----------
    .. [1] Masnadi-Shirazi, Mahadevan and Vasconcelos. On the design of robust classifiers for
       computer vision. CVPR 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from errata.tolerant import TangentLoss
    >>> TangentLoss().phi(np.array([2.0, np.tan(0.5), 0.0, -2.0])).round(2)
    array([ 1.47,  0.  ,  1.  , 10.33])
    """

    def phi(self, v: np.ndarray) -> np.ndarray:
        """(2 arctan v - 1)²."""
        return (2 * np.arctan(v) - 1) ** 2

    def phi_slope(self, v: np.ndarray) -> np.ndarray:
        """4 (2 arctan v - 1) / (1 + v²)."""
        return 4 * (2 * np.arctan(v) - 1) / (1 + v**2)

    def link(self, scores: np.ndarray) -> np.ndarray:
        """Arctan v + 1/2, cut to [0, 1]."""
        return np.clip(np.arctan(scores) + 0.5, 0, 1)


class SoftmaxLoss:
    """A loss f(log p) of the probability p of the label; scores (n, 1) are log-odds of the second.

    A subclass has f and minus its derivative, how much of a row's ordinary gradient counts.
    """

    def of(self, log_p: np.ndarray) -> np.ndarray:
        """The loss of labels with these log-probabilities."""
        raise NotImplementedError

    def weight(self, log_p: np.ndarray) -> np.ndarray:
        """Minus the derivative of the loss by the log-probability."""
        raise NotImplementedError

    def check(self) -> None:
        """Raise where a parameter is out of range."""

    @property
    def convex(self) -> Any:
        """The loss whose fit is the start."""
        return CrossEntropy()

    def value(self, scores: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Loss of each row, shape (n, 1)."""
        return self.of(take_label_log_proba(scores, codes))[:, None]

    def slope(self, scores: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Its derivative by each of the scores, shape (n, q)."""
        log_proba = compute_log_proba(scores)
        log_p = np.take_along_axis(log_proba, codes[:, None], axis=1)
        surprise = np.exp(log_proba)
        np.put_along_axis(surprise, codes[:, None], np.expm1(log_p), axis=1)
        return self.weight(log_p) * surprise[:, -scores.shape[1] :]  # of two, the second

    def proba(self, scores: np.ndarray) -> np.ndarray:
        """Probability of each class, shape (n, K)."""
        return np.exp(compute_log_proba(scores))


class CrossEntropy(SoftmaxLoss):
    """-log p, that of logistic regression: convex, and without a bound."""

    def of(self, log_p: np.ndarray) -> np.ndarray:
        """-log p."""
        return -log_p

    def weight(self, log_p: np.ndarray) -> np.ndarray:
        """One: every row counts."""
        return np.ones_like(log_p)


@dataclass(frozen=True)
class GeneralizedCrossEntropy(SoftmaxLoss):
    """(1 - p^q) / q: cross-entropy as q tends to 0, the mean absolute error 1 - p at q = 1.

    A row counts p^q times its part in logistic regression, so that labels which the model finds
    improbable fade out. It is at most 1 / q.

    Parameters
    ----------
    q : float in (0, 1], default=0.7
        The larger, the more robust, and the harder to fit.

    References
    ----------
    .. [1] Zhang and Sabuncu. Generalized cross entropy loss for training deep neural networks with
       noisy labels. NeurIPS 2018.

    Examples
    --------
    >>> import numpy as np
    >>> from errata.tolerant import GeneralizedCrossEntropy
    >>> GeneralizedCrossEntropy(q=0.5).of(np.log([0.99, 0.5, 0.01])).round(2)
    array([0.01, 0.59, 1.8 ])
    """

    q: float = 0.7

    def check(self) -> None:
        """Raise where q is out of range."""
        check_fraction("q", self.q, low=1e-8)

    def of(self, log_p: np.ndarray) -> np.ndarray:
        """(1 - p^q) / q."""
        return -np.expm1(self.q * log_p) / self.q

    def weight(self, log_p: np.ndarray) -> np.ndarray:
        """p^q."""
        return np.exp(self.q * log_p)


@dataclass(frozen=True)
class SymmetricCrossEntropy(SoftmaxLoss):
    """-alpha log p + 4 beta (1 - p): cross-entropy and its reverse, with log 0 taken for -4.

    The second part is bounded; the first, which is not, makes fitting easier. A row counts
    alpha + 4 beta p times its part in logistic regression.

    Parameters
    ----------
    alpha : float, default=0.1
        Of the cross-entropy. The smaller, the more robust.
    beta : float, default=1
        Of the reverse cross-entropy.

    References
    ----------
    .. [1] Wang, Ma, Chen, Luo, Yi and Bailey. Symmetric cross entropy for robust learning with
       noisy labels. ICCV 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from errata.tolerant import SymmetricCrossEntropy
    >>> SymmetricCrossEntropy().of(np.log([0.99, 0.5, 0.01])).round(2)
    array([0.04, 2.07, 4.42])
    """

    alpha: float = 0.1
    beta: float = 1.0

    def check(self) -> None:
        """Raise where a factor is not above 0."""
        check_positive("alpha", self.alpha)
        check_positive("beta", self.beta)

    def of(self, log_p: np.ndarray) -> np.ndarray:
        """-alpha log p + 4 beta (1 - p)."""
        return -self.alpha * log_p - NO_PROBABILITY * self.beta * np.expm1(log_p)

    def weight(self, log_p: np.ndarray) -> np.ndarray:
        """Alpha + 4 beta p."""
        return self.alpha + NO_PROBABILITY * self.beta * np.exp(log_p)


class RobustLossModel(ClassifierMixin, DetectorMixin, BaseEstimator):
    """A classifier of scores, linear in some features, under a loss that rows cannot run away with.

    A subclass makes the features and keeps the coefficients that are found for them.
    """

    loss: Any
    C: float
    max_iter: int
    tol: float

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the classes to labels of which some may be wrong, and judge each of them.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Features; scale them.
        y : array-like of shape (n,)
            Labels, of two classes at least.
        sample_weight : array-like of shape (n,), optional
            How many rows each row stands for.
        """
        X, codes = check_labelled(self, X, y, min_classes=2, dtype=float, order="C")
        return self._fit_codes(X, codes, sample_weight)

    def _fit_codes(self, X: np.ndarray, codes: np.ndarray, sample_weight: Any = None) -> Self:
        """Fit to rows and labels that have passed the checks; ``classes_`` is set."""
        weights = check_row_weights("sample_weight", sample_weight, len(codes))
        check_class_weights(codes, self.classes_, weights)
        loss = check_loss(self.loss)
        C = check_positive("C", self.C)
        Z, penalty = self._make_features(X, weights)
        beta, objective, converged = fit_scores(
            loss,
            WeightedRows(Z, codes, C * weights[:, None], penalty),
            1 if len(self.classes_) == 2 else len(self.classes_),
            max_iter=check_count("max_iter", self.max_iter),
            tol=check_positive("tol", self.tol),
        )
        if not converged:
            warn_user(
                f"the descent did not settle within max_iter={self.max_iter} steps; raise it, or "
                "scale the features.",
                ConvergenceWarning,
            )
        self.objective_ = np.array(objective)
        self.n_iter_ = len(objective) - 1
        self._keep(beta)
        proba = loss.proba(compute_scores(Z, beta))
        self._conclude(compute_margin(proba, codes), codes, proba.argmax(axis=1))
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Score of the second of two classes, shape (n,), or of each of more, shape (n, K)."""
        eta = self._scores(check_rows(self, X, dtype=float))
        return eta[:, 0] if eta.shape[1] == 1 else eta

    def predict(self, X: Any) -> np.ndarray:
        """The class with the highest score."""
        eta = self._scores(check_rows(self, X, dtype=float))
        best = eta[:, 0] > 0 if eta.shape[1] == 1 else eta.argmax(axis=1)
        return self.classes_[best.astype(int)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, shape (n, K): good for ranking, too sure of itself."""
        eta = self._scores(check_rows(self, X, dtype=float))
        return check_loss(self.loss).proba(eta)

    def _make_features(self, X: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Features to fit, and the penalty on the square of each coefficient."""
        raise NotImplementedError

    def _keep(self, beta: np.ndarray) -> None:
        """Set what :meth:`_scores` needs, from intercepts and coefficients of the features."""
        raise NotImplementedError

    def _scores(self, X: np.ndarray) -> np.ndarray:
        """Scores of rows that have passed the checks, shape (n, q)."""
        raise NotImplementedError


def check_loss(loss: Any) -> Any:
    """The loss itself, or the one of this name with its defaults."""
    if isinstance(loss, SoftmaxLoss | MarginLoss):
        loss.check()
        return loss
    if not isinstance(loss, str):
        raise ValueError(
            f"loss={loss!r} is not a loss; pass one of errata.tolerant.losses, or a name of "
            f"{', '.join(LOSSES)}."
        )
    return LOSSES[check_choice("loss", loss, tuple(LOSSES))]()


LOSSES = {
    "generalized_cross_entropy": GeneralizedCrossEntropy,
    "symmetric_cross_entropy": SymmetricCrossEntropy,
    "ramp": RampLoss,
    "sigmoid": SigmoidLoss,
    "savage": SavageLoss,
    "tangent": TangentLoss,
}


class RobustLossClassifier(RobustLossModel):
    """A linear classifier whose loss is bounded: labels far on the wrong side cannot bend it.

    Reach for it instead of logistic regression when labels are wrong at random, or when a few gross
    errors lie far out, and something like a plane divides the classes. It assumes that right labels
    outvote wrong ones everywhere near the plane; where one class is wrong much more often than
    another it is biased like any model without a noise model. On few and clean rows it gains
    nothing. Costs O(n d K) for each of some hundred steps, memory O(n (d + K)).

    Parameters
    ----------
    loss : str or loss, default="generalized_cross_entropy"
        What a label costs that the model does not agree with: "generalized_cross_entropy",
        "symmetric_cross_entropy", "ramp", "sigmoid", "savage" or "tangent", or one of these with
        parameters of your own, as in ``loss=GeneralizedCrossEntropy(q=0.5)``. The page on tolerant
        models says which to choose.
    C : float, default=1.0
        Weight of the losses against half the squared coefficients, as in
        :class:`sklearn.linear_model.LogisticRegression`; the intercepts are not penalised. The
        smaller, the smoother.
    max_iter : int, default=1000
        Maximum number of steps of the descent (of fits, for the ramp).
    tol : float, default=1e-6
        The descent ends when no slope of the mean loss exceeds it.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it; 0.5 (another class is more probable) when neither
        this nor ``contamination`` is given.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.

    Attributes
    ----------
    coef_ : array of shape (1, d) or (K, d)
        Coefficients of the second of two classes, or of each of more.
    intercept_ : array of shape (1,) or (K,)
        Intercepts.
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
    The objective, C times the sum of the losses plus half the squared coefficients, is not convex,
    so that the descent (L-BFGS) starts from the fit of the loss's convex relative: logistic
    regression, or the squared hinge for the ramp, which is then fitted by turns to the rows below
    the cap (the concave-convex procedure). A softmax over all classes is fitted for the two
    cross-entropies, one score per class against the rest for the others. A class that lies
    between others has no plane against the rest, and a bounded loss gives it up: take one of the
    cross-entropies there.
    ``predict_proba`` is the softmax of the scores for the two cross-entropies, and for the others
    what the loss is made for (Savage, tangent) or the logistic function of each score against the
    rest, made to sum to one. A bounded loss makes any of them too sure: they rank well, and
    :class:`sklearn.calibration.CalibratedClassifierCV` makes them probabilities.

    References
    ----------
    .. [1] Frénay and Verleysen. Classification in the presence of label noise: a survey. IEEE
       Transactions on Neural Networks and Learning Systems 25, 2014. Section VII-B.
    .. [2] Ghosh, Manwani and Sastry. Making risk minimization tolerant to label noise.
       Neurocomputing 160, 2015.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from errata.tolerant import RobustLossClassifier
    >>> X = np.r_[np.linspace(-3, -0.5, 10), np.linspace(0.5, 3, 10), 10, 12][:, None]
    >>> y = ["ham"] * 10 + ["spam"] * 10 + ["ham"] * 2        # the last two are wrong, and far out
    >>> LogisticRegression().fit(X, y).score(X[:20], y[:20])
    0.55
    >>> model = RobustLossClassifier().fit(X, y)
    >>> model.flagged_.nonzero()[0], model.score(X[:20], y[:20])
    (array([20, 21]), 1.0)
    """

    def __init__(
        self,
        loss: Any = "generalized_cross_entropy",
        *,
        C: float = 1.0,
        max_iter: int = 1000,
        tol: float = 1e-6,
        threshold: float | None = None,
        contamination: float | None = None,
    ) -> None:
        self.loss = loss
        self.C = C
        self.max_iter = max_iter
        self.tol = tol
        self.threshold = threshold
        self.contamination = contamination

    def _make_features(self, X: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        # Columns of one scale and around zero: the descent is slow when units differ.
        self._mean, spread = measure_spread(X, weights)
        self._unit = np.where(spread > 0, spread, 1.0)
        return (X - self._mean) / self._unit, self._unit**-2

    def _keep(self, beta: np.ndarray) -> None:
        self.coef_ = beta[:, 1:] / self._unit
        self.intercept_ = beta[:, 0] - self.coef_ @ self._mean

    def _scores(self, X: np.ndarray) -> np.ndarray:
        return X @ self.coef_.T + self.intercept_


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
        self.gamma_ = _check_gamma(self.gamma, X, weights)
        spanning = np.flatnonzero(weights)
        size = check_count("n_components", self.n_components)
        if len(spanning) > size:
            random = check_random_state(self.random_state)
            spanning = np.sort(random.choice(spanning, size, replace=False))
        self.components_ = X[spanning]
        # The matrix W that makes features K W of a kernel K, so that their inner products are K.
        values, vectors = eigh(self._gram(self.components_))
        kept = values > FLAT * values[-1]
        self._map = vectors[:, kept] / np.sqrt(values[kept])
        Z = self._gram(X) @ self._map
        return Z, np.ones(Z.shape[1])

    def _keep(self, beta: np.ndarray) -> None:
        self.dual_coef_ = beta[:, 1:] @ self._map.T
        self.intercept_ = beta[:, 0]
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


def _check_gamma(gamma: Any, X: np.ndarray, weights: np.ndarray) -> float:
    if not isinstance(gamma, str):
        return check_positive("gamma", gamma, otherwise=', or "scale" or "auto"')
    if check_choice("gamma", gamma, ("scale", "auto")) == "auto":
        return 1 / X.shape[1]
    row_means = X.mean(axis=1)
    mean = np.average(row_means, weights=weights)
    variance = np.average(((X - mean) ** 2).mean(axis=1), weights=weights)
    return 1 / (X.shape[1] * variance) if variance > 0 else 1.0


class WeightedRows:
    """Features, label codes, weight of each row (and score), and of each squared coefficient."""

    def __init__(
        self, Z: np.ndarray, codes: np.ndarray, weights: np.ndarray, penalty: np.ndarray
    ) -> None:
        self.Z = Z
        self.codes = codes
        self.weights = weights
        self.penalty = penalty

    def compute_objective(self, loss: Any, beta: np.ndarray) -> float:
        """The sum of weighted losses and half the weighted squared coefficients."""
        losses = self.weights * loss.value(compute_scores(self.Z, beta), self.codes)
        return float(losses.sum() + (self.penalty * beta[:, 1:] ** 2).sum() / 2)

    def compute_gradient(self, loss: Any, beta: np.ndarray) -> np.ndarray:
        """Its derivative by the coefficients."""
        slope = self.weights * loss.slope(compute_scores(self.Z, beta), self.codes)
        return np.column_stack([slope.sum(axis=0), slope.T @ self.Z + self.penalty * beta[:, 1:]])


def fit_scores(
    loss: Any, rows: WeightedRows, n_scores: int, *, max_iter: int, tol: float
) -> Descent:
    """Descend on the sum of weighted losses and half the penalty, from the fit of its relative."""
    zeros = np.zeros((n_scores, rows.Z.shape[1] + 1))
    start, _, _ = descend(loss.convex, rows, zeros, max_iter=max_iter, tol=tol)
    step = _descend_in_turns if hasattr(loss, "counts") else descend
    return step(loss, rows, start, max_iter=max_iter, tol=tol)


def descend(
    loss: Any, rows: WeightedRows, beta: np.ndarray, *, max_iter: int, tol: float
) -> Descent:
    """L-BFGS, with the objective at each of its steps."""
    total = rows.weights.sum()  # so that tol means the same for any number of rows

    def compute_both(theta: np.ndarray) -> tuple[float, np.ndarray]:
        current = theta.reshape(beta.shape)
        slope = rows.compute_gradient(loss, current)
        return rows.compute_objective(loss, current) / total, slope.ravel() / total

    values = [rows.compute_objective(loss, beta)]
    options = {"maxiter": max_iter, "maxfun": 5 * max_iter, "maxcor": 30, "gtol": tol, "ftol": 0}
    found = minimize(
        compute_both,
        beta.ravel(),
        jac=True,
        method="L-BFGS-B",
        options=options,
        callback=lambda intermediate_result: values.append(total * intermediate_result.fun),
    )
    # A line search that fails is at the precision of the objective: as low as it gets.
    return found.x.reshape(beta.shape), values, found.status != 1


def _descend_in_turns(
    loss: Any, rows: WeightedRows, beta: np.ndarray, *, max_iter: int, tol: float
) -> Descent:
    """Fit the convex loss to the rows below the cap, until these are the same as before.

    The concave-convex procedure: with the capped rows at their cap, the convex loss of the others
    is above the objective, and touches it where the last fit ended.
    """
    values = [rows.compute_objective(loss, beta)]
    before = None
    for _ in range(max_iter):
        counted = loss.counts(compute_scores(rows.Z, beta), rows.codes)
        if before is not None and np.array_equal(counted, before):
            return beta, values, True
        below = WeightedRows(rows.Z, rows.codes, rows.weights * counted, rows.penalty)
        beta, _, _ = descend(loss.convex, below, beta, max_iter=max_iter, tol=tol)
        values.append(rows.compute_objective(loss, beta))
        before = counted
    return beta, values, False
