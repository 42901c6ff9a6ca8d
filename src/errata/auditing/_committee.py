"""The classifier that learns from an audit unless the user brings another."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ._settings import COMMITTEE_C, COMMITTEE_LANDMARKS, COMMITTEE_LEAF, COMMITTEE_TREES


class KernelAndTrees(ClassifierMixin, BaseEstimator):
    """The mean of a kernel logistic regression and of extremely randomised trees.

    They err in different places: the one is smooth, the others cut along the axes.
    """

    def __init__(self, random_state: Any = None, n_jobs: int | None = None) -> None:
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: np.ndarray, y: np.ndarray, sample_weight: np.ndarray | None = None) -> Self:
        """Fit both."""
        landmarks = min(COMMITTEE_LANDMARKS, len(X))
        features = Nystroem(
            gamma=1 / X.shape[1], n_components=landmarks, random_state=self.random_state
        )
        machine = LogisticRegression(C=COMMITTEE_C, max_iter=1_000)
        self.kernel_ = make_pipeline(StandardScaler(), features, machine)
        self.kernel_.fit(X, y, logisticregression__sample_weight=sample_weight)
        self.trees_ = ExtraTreesClassifier(
            COMMITTEE_TREES,
            min_samples_leaf=COMMITTEE_LEAF,
            max_features=None,
            bootstrap=True,  # or a leaf would follow every wrong label it holds
            random_state=self.random_state,
            n_jobs=self.n_jobs,
        ).fit(X, y, sample_weight=sample_weight)
        self.classes_ = self.trees_.classes_
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """The mean of the two."""
        return (self.kernel_.predict_proba(X) + self.trees_.predict_proba(X)) / 2

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The more probable class."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]
