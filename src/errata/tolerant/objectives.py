"""Objectives for gradient boosting by LightGBM, XGBoost and CatBoost that know how labels err."""

from typing import Any

import numpy as np
from scipy.special import log_softmax, logsumexp, softmax

from .._validation import check_transition

__all__ = ["ForwardCorrection"]

LEAST_CURVATURE = 1e-6  # boosters divide by it


class ForwardCorrection:
    r"""Log loss of the label, seen through the transition matrix.

    The booster learns the class; the label is a noisy copy of it [1]_. One object serves as
    ``objective`` of ``LGBMClassifier`` and ``XGBClassifier`` and as ``loss_function`` of
    ``CatBoostClassifier``.

    Do not use it where the rates of noise are only guessed too high: what the matrix explains is
    not learnt.

    Parameters
    ----------
    transition : array-like of shape (K, K)
        ``T[c, l]``, the probability of label l given class c, rows sum to one, classes in the order
        of the sorted labels. ``audit.transition`` is one.

    Notes
    -----
    With scores s, p = softmax(s) and label y, the loss is

    .. math:: -\log \sum_c p_c T_{cy},

    its gradient by s is p - r, where r is the posterior of the class given the label. The true
    curvature p(1 - p) - r(1 - r) is negative where a label is doubted. Boosters get p(1 - p)
    instead, the curvature of the bound that expectation maximisation minimises: never negative, and
    the true one where the matrix is the identity. Two classes have one score, that of the second.

    LightGBM and XGBoost return scores instead of probabilities for an objective of one's own:
    :meth:`proba` makes probabilities of them. CatBoost needs an ``eval_metric``, and for more
    than two classes ``classes_count``.

    References
    ----------
    .. [1] Patrini, G., Rozza, A., Menon, A. K., Nock, R. and Qu, L. (2017). Making deep neural
       networks robust to label noise: a loss correction approach. CVPR.

    Examples
    --------
    >>> import numpy as np
    >>> from errata.tolerant.objectives import ForwardCorrection
    >>> objective = ForwardCorrection([[0.7, 0.3], [0.1, 0.9]])
    >>> y = np.array([0, 1])
    >>> gradient, hessian = objective(y, np.array([0.0, 0.0]))
    >>> gradient, hessian
    (array([ 0.375, -0.25 ]), array([0.25, 0.25]))
    """

    def __init__(self, transition: Any) -> None:
        self.transition = check_transition(transition)

    def value(self, y_true: Any, y_pred: Any) -> np.ndarray:
        """Loss of each row.

        Parameters
        ----------
        y_true : array-like of int of shape (n,)
            Labels, from 0 to K - 1.
        y_pred : array-like of shape (n, K), or (n,) with two classes
            Scores.

        Returns
        -------
        array of shape (n,)
        """
        scores, codes = self._read(y_true, y_pred)
        with np.errstate(divide="ignore"):  # what cannot happen has the logarithm of zero
            log_transition = np.log(self.transition.T[codes])
        return -logsumexp(log_softmax(scores, axis=1) + log_transition, axis=1)

    def gradient(self, y_true: Any, y_pred: Any) -> np.ndarray:
        """Derivative of the loss by the scores, as these are shaped.

        Parameters
        ----------
        y_true, y_pred
            See :meth:`value`.

        Returns
        -------
        array of shape (n, K) or (n,)
        """
        p, r = self._class_proba(y_true, y_pred)
        return _shape_like(y_pred, p - r)

    def hessian(self, y_true: Any, y_pred: Any) -> np.ndarray:
        """Second derivative of the loss by each score; it may be negative.

        Parameters
        ----------
        y_true, y_pred
            See :meth:`value`.

        Returns
        -------
        array of shape (n, K) or (n,)
        """
        p, r = self._class_proba(y_true, y_pred)
        return _shape_like(y_pred, p * (1 - p) - r * (1 - r))

    def proba(self, y_pred: Any) -> np.ndarray:
        """Probabilities of the classes from scores.

        Parameters
        ----------
        y_pred : array-like of shape (n, K), or (n,) with two classes
            Scores.

        Returns
        -------
        array of shape (n, K)
        """
        return softmax(_spread(np.asarray(y_pred, dtype=float)), axis=1)

    def __call__(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Gradient and a curvature that is never negative, for LightGBM and XGBoost."""
        p, r = self._class_proba(y_true, y_pred)
        gradient = _shape_like(y_pred, p - r)
        hessian = np.maximum(_shape_like(y_pred, p * (1 - p)), LEAST_CURVATURE)
        if sample_weight is not None:
            weight = np.asarray(sample_weight, dtype=float)
            weight = weight.reshape(-1, *[1] * (gradient.ndim - 1))
            gradient = gradient * weight
            hessian = hessian * weight
        return gradient, hessian

    def calc_ders_range(self, approxes: Any, targets: Any, weights: Any) -> list:
        """Derivatives of minus the loss, as CatBoost asks for them with two classes."""
        gradient, hessian = self(np.asarray(targets), np.asarray(approxes), weights)
        return list(zip(-gradient, -hessian, strict=True))

    def calc_ders_multi(self, approxes: Any, target: Any, weight: Any) -> tuple:
        """Derivatives of minus the loss of a row, as CatBoost asks for them with more classes."""
        p, r = self._class_proba([target], np.asarray(approxes)[None, :])
        curvature = np.outer(p[0], p[0]) - np.diag(p[0])
        return (weight * (r[0] - p[0])).tolist(), (weight * curvature).tolist()

    def _class_proba(self, y_true: Any, y_pred: Any) -> tuple[np.ndarray, np.ndarray]:
        """Probabilities of the classes, and those given the label besides."""
        scores, codes = self._read(y_true, y_pred)
        p = softmax(scores, axis=1)
        with np.errstate(divide="ignore"):
            log_transition = np.log(self.transition.T[codes])
        r = softmax(log_softmax(scores, axis=1) + log_transition, axis=1)
        return p, r

    def _read(self, y_true: Any, y_pred: Any) -> tuple[np.ndarray, np.ndarray]:
        """Scores of all classes, and codes of labels."""
        scores = _spread(np.asarray(y_pred, dtype=float))
        k = len(self.transition)
        if scores.shape[1] != k:
            raise ValueError(
                f"the transition matrix has {k} classes, but the booster learns {scores.shape[1]}."
            )
        codes = np.asarray(y_true).astype(int)
        if codes.min() < 0 or codes.max() >= k:
            raise ValueError(f"labels must be integers from 0 to {k - 1}.")
        impossible = self.transition.max(axis=0)[codes] == 0
        if impossible.any():
            label = codes[impossible][0]
            raise ValueError(f"some rows have the label {label}, which no class can get.")
        return scores, codes


def _spread(scores: np.ndarray) -> np.ndarray:
    """Scores of both classes from that of the second."""
    if scores.ndim == 2 and scores.shape[1] > 1:
        return scores
    return np.column_stack([np.zeros(len(scores)), scores])


def _shape_like(y_pred: Any, of_classes: np.ndarray) -> np.ndarray:
    """Values of all classes, or of the second where there is one score."""
    shape = np.shape(y_pred)
    return of_classes if shape == of_classes.shape else of_classes[:, 1].reshape(shape)
