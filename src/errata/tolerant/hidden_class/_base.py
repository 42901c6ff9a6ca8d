"""What the models of a hidden class share: their ``fit``, and what they say of the rows."""

from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from ..._detector import DetectorMixin
from ..._margins import label_doubt
from ..._validation import (
    check_class_weights,
    check_count,
    check_fraction,
    check_labelled,
    check_row_weights,
    check_rows,
)
from ._em import (
    ClassStep,
    Labels,
    Maximum,
    Turn,
    maximise_likelihood,
    objective_settled,
)
from ._noise import noise_step, warn_if_classes_are_confused


class HiddenClassClassifier(ClassifierMixin, DetectorMixin, BaseEstimator):
    """A classifier of rows whose labels may be wrong.

    A model says in ``_fit_labels`` how it learns, and gives ``predict_proba``.
    """

    _sparse = False  # whether sparse matrices are accepted

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn classes from labels of which some are wrong.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Features.
        y : array-like of shape (n,)
            Labels, of two classes at least.
        sample_weight : array-like of shape (n,), optional
            How many rows each row stands for.
        """
        X, codes = check_labelled(self, X, y, min_classes=2, **self._checks())
        return self._fit_codes(X, codes, sample_weight)

    def _fit_codes(self, X: Any, codes: np.ndarray, sample_weight: Any = None) -> Self:
        """Fit rows and labels that have passed the checks; ``classes_`` is set."""
        self._fit_labels(X, self._weighted(codes, sample_weight))
        return self

    def _weighted(self, codes: np.ndarray, sample_weight: Any) -> Labels:
        weights = check_row_weights("sample_weight", sample_weight, len(codes))
        check_class_weights(codes, self.classes_, weights)
        return Labels(codes, weights)

    def _fit_labels(self, X: Any, labels: Labels) -> None:
        raise NotImplementedError

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, shape (n, K)."""
        raise NotImplementedError

    def predict(self, X: Any) -> np.ndarray:
        """The likeliest class of each row."""
        likeliest = self.predict_proba(X).argmax(axis=1)
        return self.classes_[likeliest]

    def _report_noise(self, T: np.ndarray, responsibilities: np.ndarray, codes: np.ndarray) -> None:
        """Set what is said of T and of the rows."""
        self.noise_transition_, self.error_rates_ = T, 1 - np.diag(T)
        suspicion = label_doubt(responsibilities, codes)
        self._conclude(suspicion, codes, responsibilities.argmax(axis=1), probability=True)

    def _checked(self, X: Any) -> Any:
        return check_rows(self, X, **self._checks())

    def _checks(self) -> dict[str, Any]:
        return {"accept_sparse": "csr" if self._sparse else False, "dtype": float, "order": "C"}

    def __sklearn_tags__(self) -> Any:
        """Declare whether sparse tables are accepted."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._sparse
        return tags


class NoiseLearningClassifier(HiddenClassClassifier):
    """A model of a hidden class that learns the transition matrix, or is told it."""

    noise: str
    transition: Any
    learn_transition: bool
    init_error: float
    prior_strength: float
    max_iter: int
    tol: float

    def _learn(self, class_step: ClassStep, labels: Labels, settled: Any = None) -> Turn:
        """Run the loop, set the fitted attributes that all have, return the last round."""
        tol = check_fraction("tol", self.tol, high=np.inf)
        solution = maximise_likelihood(
            class_step,
            noise_step(self),
            labels,
            start=np.eye(len(self.classes_))[labels.codes],
            settled=partial(settled or objective_settled, tol),
            max_iter=check_count("max_iter", self.max_iter),
        )
        self._report(solution, labels.codes)
        return solution.last

    def _report(self, solution: Maximum, codes: np.ndarray) -> None:
        self.log_likelihood_, self.objective_ = solution.log_likelihood, solution.objective
        self.n_iter_ = len(solution.objective)
        self._report_noise(solution.last.next_transition, solution.last.responsibilities, codes)
        if self.learn_transition:
            warn_if_classes_are_confused(self.noise_transition_, self.classes_)
