"""Discriminant analysis of a hidden class."""

from functools import partial
from typing import Any

import numpy as np
from scipy.special import softmax
from sklearn.exceptions import ConvergenceWarning

from ..._validation import check_choice, check_fraction
from ..._warn import warn_user
from ._base import NoiseLearningClassifier
from ._em import ClassFit, EmptyClass, Labels
from ._gaussians import COVARIANCES, Gaussians, fit_gaussians, log_density


class RobustDiscriminantAnalysis(NoiseLearningClassifier):
    """TODO."""

    def __init__(
        self,
        covariance: str = "shared",
        *,
        shrinkage: float = 0.01,
        noise: str = "full",
        transition: Any = None,
        learn_transition: bool = True,
        init_error: float = 0.2,
        prior_strength: float = 2.0,
        max_iter: int = 200,
        tol: float = 1e-6,
        threshold: float | None = None,
        contamination: float | str | None = None,
    ) -> None:
        self.covariance = covariance
        self.shrinkage = shrinkage
        self.noise = noise
        self.transition = transition
        self.learn_transition = learn_transition
        self.init_error = init_error
        self.prior_strength = prior_strength
        self.max_iter = max_iter
        self.tol = tol
        self.threshold = threshold
        self.contamination = contamination

    def _fit_labels(self, X: np.ndarray, labels: Labels) -> None:
        covariance = check_choice("covariance", self.covariance, COVARIANCES)
        fit = partial(
            fit_gaussians,
            covariance=covariance,
            shrinkage=check_fraction("shrinkage", self.shrinkage),
        )
        last = self._learn(GaussianStep(X, labels, self.classes_, fit), labels)
        found: Gaussians = last.fit.params
        self.priors_, self.means_ = found.prior, found.means
        self.covariance_roots_ = found.roots
        if covariance == "full":
            _warn_of_few_rows(labels.weights @ last.responsibilities, self)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, shape (n, K)."""
        X = self._checked(X)
        return softmax(
            log_density(X, Gaussians(self.priors_, self.means_, self.covariance_roots_)), axis=1
        )


class GaussianStep:
    """The class step: Gaussians, as long as every class has a row left."""

    def __init__(self, X: np.ndarray, labels: Labels, classes: np.ndarray, fit: Any) -> None:
        self.X, self.labels, self.classes, self.fit = X, labels, classes, fit
        self.started = False

    def __call__(self, responsibilities: np.ndarray, _: np.ndarray) -> ClassFit:
        """Gaussians fitted to the responsibilities."""
        counts = self.labels.weights[:, None] * responsibilities
        size = counts.sum(axis=0)
        if self.started and size.min() < 1:
            name = self.classes.tolist()[int(size.argmin())]
            raise EmptyClass(f"less than one row is left of the class {name!r}")
        self.started = True
        gaussians = self.fit(self.X, counts)
        return ClassFit(gaussians, log_density(self.X, gaussians))


def _warn_of_few_rows(size: np.ndarray, model: RobustDiscriminantAnalysis) -> None:
    d = model.n_features_in_
    if size.min() < 5 * d:
        name = model.classes_.tolist()[int(size.argmin())]
        warn_user(
            f'covariance="full" wants 5 rows of each class for each of the {d} features, but the '
            f'class {name!r} has {size.min():.0f}; choose "shared" or "diag".',
            ConvergenceWarning,
        )
