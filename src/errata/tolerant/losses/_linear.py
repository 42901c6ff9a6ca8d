"""Planes between classes under a robust loss."""

from typing import Any

import numpy as np

from ._base import RobustLossModel


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
        self._mean = np.average(X, axis=0, weights=weights)
        spread = np.sqrt(np.average((X - self._mean) ** 2, axis=0, weights=weights))
        self._unit = np.where(spread > 0, spread, 1.0)
        return (X - self._mean) / self._unit, self._unit**-2

    def _keep(self, beta: np.ndarray) -> None:
        self.coef_ = beta[:, 1:] / self._unit
        self.intercept_ = beta[:, 0] - self.coef_ @ self._mean

    def _scores(self, X: np.ndarray) -> np.ndarray:
        return X @ self.coef_.T + self.intercept_
