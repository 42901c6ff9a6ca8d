"""Any probabilistic classifier of a hidden class."""

from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.utils import check_consistent_length, check_random_state, get_tags
from sklearn.utils.metadata_routing import MetadataRouter

from ..._crossfit import Fold, make_folds, not_learnable, warn_of_not_learnable
from ..._random import draw_seed, seeded_member
from ..._routing import route_fit, router_of, takes_sample_weight
from ..._validation import check_fraction, check_labelled
from ._base import NoiseLearningClassifier
from ._em import transition_settled
from ._soft_fits import SoftFits, aligned_proba


class NoiseModelClassifier(NoiseLearningClassifier):
    """TODO.
    """

    # Folds need groups where they are given, so that no one has to ask for them.
    __metadata_request__fit: ClassVar = {"groups": True}

    def __init__(
        self,
        estimator: Any = None,
        *,
        noise: str = "full",
        transition: Any = None,
        learn_transition: bool = True,
        init_error: float = 0.2,
        prior_strength: float = 2.0,
        cross_fit: bool | str = "auto",
        cv: Any = 5,
        max_iter: int = 50,
        tol: float = 1e-3,
        prune_below: float = 1e-3,
        threshold: float | None = None,
        contamination: float | str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.noise = noise
        self.transition = transition
        self.learn_transition = learn_transition
        self.init_error = init_error
        self.prior_strength = prior_strength
        self.cross_fit = cross_fit
        self.cv = cv
        self.max_iter = max_iter
        self.tol = tol
        self.prune_below = prune_below
        self.threshold = threshold
        self.contamination = contamination
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        **fit_params: Any,
    ) -> Self:
        """Learn classes from labels of which some are wrong.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Features; sparse, or with missing values, if the estimator takes them so.
        y : array-like of shape (n,)
            Labels, of two classes at least.
        sample_weight : array-like of shape (n,), optional
            How many rows each row stands for.
        groups : array-like of shape (n,), optional
            Rows of one group are held out together.
        **fit_params
            What else the estimator asked for by metadata routing.
        """
        X, codes = check_labelled(self, X, y, min_classes=2, **self._checks())
        if groups is not None:
            check_consistent_length(X, groups)
            groups = np.unique(groups, return_inverse=True)[1]
        return self._fit_codes(X, codes, sample_weight, groups, route_fit(self, fit_params))

    def _fit_codes(
        self,
        X: Any,
        codes: np.ndarray,
        sample_weight: Any = None,
        groups: np.ndarray | None = None,
        params: dict[str, Any] | None = None,
    ) -> Self:
        """Fit rows and labels that have passed the checks; ``classes_`` is set."""
        _check_estimator(self._wrapped())
        labels = self._weighted(codes, sample_weight)
        random = check_random_state(self.random_state)
        fits = SoftFits(
            # One seed for all the fits: if each drew anew, T would never stop moving.
            seeded_member(self._wrapped(), random),
            X,
            labels,
            self.classes_,
            self._folds(X, codes, groups, random) if self._is_cross_fitted() else None,
            params or {},
            check_fraction("prune_below", self.prune_below),
            self.n_jobs,
        )
        last = self._learn(fits, labels, transition_settled)
        self.estimator_ = fits.fit(last.responsibilities)
        return self

    def _folds(
        self, X: Any, codes: np.ndarray, groups: np.ndarray | None, random: Any
    ) -> list[Fold]:
        folds = make_folds(
            self.cv,
            codes,
            X=X,
            groups=groups,
            every_class=True,
            by_content=not issparse(X),
            random_state=draw_seed(random),
        )
        warn_of_not_learnable(not_learnable(codes, folds))
        return folds

    def _is_cross_fitted(self) -> bool:
        if self.cross_fit == "auto":
            return not isinstance(self._wrapped(), GaussianNB)
        if isinstance(self.cross_fit, bool):
            return self.cross_fit
        raise ValueError(f'cross_fit={self.cross_fit!r} must be True, False or "auto".')

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, shape (n, K)."""
        X = self._checked(X)
        return aligned_proba(self.estimator_, X, self.classes_)

    def get_metadata_routing(self) -> MetadataRouter:
        """Which metadata this estimator takes, and which it hands on.

        ``sample_weight`` and ``groups`` are its own; the rest goes to the estimator it wraps.
        """
        return router_of(self, estimator=self._wrapped())

    def _wrapped(self) -> Any:
        if self.estimator is None:
            return ExtraTreesClassifier(100, min_samples_leaf=5)
        return self.estimator

    def _checks(self) -> dict[str, Any]:
        sparse = get_tags(self._wrapped()).input_tags.sparse
        return {"accept_sparse": "csr" if sparse else False, "order": "C"}

    def __sklearn_tags__(self) -> Any:
        """Declare to scikit-learn that what the wrapped estimator accepts is accepted."""
        tags = super().__sklearn_tags__()
        accepts = get_tags(self._wrapped()).input_tags
        tags.input_tags.sparse = accepts.sparse
        tags.input_tags.allow_nan = accepts.allow_nan
        return tags


def _check_estimator(estimator: Any) -> None:
    name = type(estimator).__name__
    if not hasattr(estimator, "predict_proba"):
        raise TypeError(
            f"{name} has no predict_proba, so it cannot tell how likely a class is; choose a "
            f"classifier that has, or wrap it: CalibratedClassifierCV({name}())."
        )
    if not takes_sample_weight(estimator):
        raise TypeError(
            f"{name}.fit takes no sample_weight, so rows cannot be of a class in part; choose a "
            "classifier that takes it. If this is a pipeline, put the NoiseModelClassifier in "
            "place of its last step, around it."
        )
