"""What the linear and the kernel classifier share: a loss, its descent, its judgement of labels."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning

from ..._detector import DetectorMixin
from ..._margins import probability_margin
from ..._validation import (
    check_choice,
    check_class_weights,
    check_count,
    check_labelled,
    check_positive,
    check_row_weights,
    check_rows,
)
from ..._warn import warn_user
from .._softmax import scores
from ._fit import WeightedRows, fit_scores
from ._margin_losses import MarginLoss, RampLoss, SavageLoss, SigmoidLoss, TangentLoss
from ._softmax_losses import GeneralizedCrossEntropy, SoftmaxLoss, SymmetricCrossEntropy

LOSSES = {
    "generalized_cross_entropy": GeneralizedCrossEntropy,
    "symmetric_cross_entropy": SymmetricCrossEntropy,
    "ramp": RampLoss,
    "sigmoid": SigmoidLoss,
    "savage": SavageLoss,
    "tangent": TangentLoss,
}


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
        loss, C = checked_loss(self.loss), check_positive("C", self.C)
        Z, penalty = self._make_features(X, weights)
        found = fit_scores(
            loss,
            WeightedRows(Z, codes, C * weights[:, None], penalty),
            1 if len(self.classes_) == 2 else len(self.classes_),
            max_iter=check_count("max_iter", self.max_iter),
            tol=check_positive("tol", self.tol),
        )
        if not found.converged:
            warn_user(
                f"the descent did not settle within max_iter={self.max_iter} steps; raise it, or "
                "scale the features.",
                ConvergenceWarning,
            )
        self.objective_, self.n_iter_ = np.array(found.objective), len(found.objective) - 1
        self._keep(found.beta)
        proba = loss.proba(scores(Z, found.beta))
        self._conclude(probability_margin(proba, codes), codes, proba.argmax(axis=1))
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
        return checked_loss(self.loss).proba(eta)

    def _make_features(self, X: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Features to fit, and the penalty on the square of each coefficient."""
        raise NotImplementedError

    def _keep(self, beta: np.ndarray) -> None:
        """Set what :meth:`_scores` needs, from intercepts and coefficients of the features."""
        raise NotImplementedError

    def _scores(self, X: np.ndarray) -> np.ndarray:
        """Scores of rows that have passed the checks, shape (n, q)."""
        raise NotImplementedError


def checked_loss(loss: Any) -> Any:
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
