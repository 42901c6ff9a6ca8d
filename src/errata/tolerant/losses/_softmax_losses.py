"""Losses of the probability that a softmax gives to the label: cross-entropy and its robust kin."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._validation import check_fraction, check_positive
from .._softmax import class_log_proba, label_log_proba

NO_PROBABILITY = 4.0  # what the reverse cross-entropy takes minus the logarithm of 0 for


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
        return self.of(label_log_proba(scores, codes))[:, None]

    def slope(self, scores: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Its derivative by each of the scores, shape (n, q)."""
        log_proba = class_log_proba(scores)
        log_p = np.take_along_axis(log_proba, codes[:, None], axis=1)
        surprise = np.exp(log_proba)
        np.put_along_axis(surprise, codes[:, None], np.expm1(log_p), axis=1)
        return self.weight(log_p) * surprise[:, -scores.shape[1] :]  # of two, the second

    def proba(self, scores: np.ndarray) -> np.ndarray:
        """Probability of each class, shape (n, K)."""
        return np.exp(class_log_proba(scores))


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
