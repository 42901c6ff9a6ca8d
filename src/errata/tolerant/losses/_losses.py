"""Losses of the margin, or of the probability of the label: bounded or nearly so."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit

from ..._validation import check_fraction, check_positive
from .._softmax import compute_log_proba, take_label_log_proba

NO_PROBABILITY = 4.0  # what the reverse cross-entropy takes minus the logarithm of 0 for


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
