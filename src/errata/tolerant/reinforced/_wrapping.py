"""Any scikit-learn estimator in the loop, scored on its own rows or out of fold."""

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.utils import check_consistent_length, get_tags
from sklearn.utils.metadata_routing import MetadataRouter

from ..._crossfit import Fold, make_folds, not_learnable
from ..._random import seeded_member
from ..._routing import params_of_rows, route_fit, router_of, takes_sample_weight
from ..._validation import check_data, check_rows
from ._base import ReinforcedEstimator

# (fitted estimator, X, y) -> one number per row: a log-likelihood, or a residual.
Score = Callable[[Any, Any, Any], np.ndarray]


class WeightedFits(NamedTuple):
    """How to fit an estimator with weights, again and again, and how to score its rows."""

    estimator: Any
    folds: list[Fold] | None  # None: rows are scored by the fit to all of them
    params: dict[str, Any]  # what else its fit asked for, by metadata routing
    n_jobs: int | None

    def __call__(
        self, score: Score, X: Any, y: np.ndarray | None, weights: np.ndarray
    ) -> tuple[Any, np.ndarray]:
        """A fit to all rows, and one number per row from it or from fits that lack its fold.

        A flexible model gives each label that it has memorised a probability near one: only
        held-out rows say anything about it.
        """
        model = _fit_weighted(self.estimator, X, y, weights, self.params)
        if self.folds is None:
            return model, score(model, X, y)
        fitted = Parallel(n_jobs=self.n_jobs)(
            delayed(_fit_weighted)(
                self.estimator,
                X[train],
                None if y is None else y[train],
                weights[train],
                params_of_rows(self.params, len(weights), train),
            )
            for train, _ in self.folds
        )
        scores = np.empty(len(weights))
        for (_, test), without in zip(self.folds, fitted, strict=True):
            scores[test] = score(without, X[test], None if y is None else y[test])
        return model, scores


def _fit_weighted(
    estimator: Any, X: Any, y: np.ndarray | None, weights: np.ndarray, params: dict[str, Any]
) -> Any:
    """Fit a clone; a row of weight zero stays with its label, so that no class is forgotten."""
    if y is not None:
        return clone(estimator).fit(X, y, sample_weight=weights, **params)
    used = np.flatnonzero(weights > 0)  # kernel densities take the logarithm of weights
    params = params_of_rows(params, len(weights), used)
    return clone(estimator).fit(X[used], sample_weight=weights[used], **params)


class WrappingEstimator(ReinforcedEstimator):
    """A reinforced estimator around another, whose demands on ``X`` it passes on."""

    # Folds need groups where they are given, so that no one has to ask for them.
    __metadata_request__fit: ClassVar = {"groups": True}

    def __init__(
        self,
        estimator: Any = None,
        *,
        cv: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        reinforcement: float | str = "auto",
        reinforcement_penalty: str = "l1",
        mean_weight: float = 0.95,
        max_iter: int = 100,
        tol: float = 1e-4,
        threshold: float | None = None,
        contamination: float | None = None,
    ) -> None:
        self.estimator = estimator
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.reinforcement = reinforcement
        self.reinforcement_penalty = reinforcement_penalty
        self.mean_weight = mean_weight
        self.max_iter = max_iter
        self.tol = tol
        self.threshold = threshold
        self.contamination = contamination

    def _wrapped(self) -> Any:
        """The estimator to wrap: the one given, or the default of the class."""
        raise NotImplementedError

    def _weighted_fits(
        self, X: Any, y: np.ndarray, *, stratify: bool, groups: Any, fit_params: dict[str, Any]
    ) -> WeightedFits:
        folds = None  # the paper's way: rows are scored by the fit that saw them
        if self.cv is not None:
            if groups is not None:
                check_consistent_length(X, groups)
                groups = np.unique(groups, return_inverse=True)[1]
            folds = make_folds(
                self.cv, y, X=X, groups=groups, stratify=stratify, random_state=self.random_state
            )
        # One seed for all the fits: if each drew anew, the weights would never stop moving.
        estimator = seeded_member(self._wrapped(), self.random_state)
        return WeightedFits(estimator, folds, route_fit(self, fit_params), self.n_jobs)

    def _check_input(self, X: Any, y: Any = "no_validation", **checks: Any) -> Any:
        """Check features, and responses if there are any, that the estimator is fitted to."""
        return check_data(self, X, y, ensure_min_samples=2, **self._input_checks(), **checks)

    def _input_checks(self) -> dict[str, Any]:
        sparse = get_tags(self._wrapped()).input_tags.sparse
        return {"accept_sparse": "csr" if sparse else False, "order": "C"}

    def _ask(self, method: str, X: Any) -> np.ndarray:
        """Call ``method`` of the fitted estimator on checked rows."""
        X = check_rows(self, X, **self._input_checks())
        return getattr(self.estimator_, method)(X)

    def get_metadata_routing(self) -> MetadataRouter:
        """Which metadata this estimator takes, and which it hands on.

        ``sample_weight``, ``groups`` and ``w_init`` are its own; the rest goes to the estimator it
        wraps.

        Returns
        -------
        MetadataRouter
        """
        return router_of(self, estimator=self._wrapped())

    def __sklearn_tags__(self) -> Any:
        """Declare to scikit-learn that what the wrapped estimator accepts is accepted."""
        tags = super().__sklearn_tags__()
        accepts = get_tags(self._wrapped()).input_tags
        tags.input_tags.sparse = accepts.sparse
        tags.input_tags.allow_nan = accepts.allow_nan
        return tags


def check_pluggable(estimator: Any, *, method: str, gives: str) -> None:
    """Raise unless the estimator can be fitted with weights and has a likelihood."""
    name = type(estimator).__name__
    if not hasattr(estimator, method):
        raise TypeError(
            f"{name} has no {method}, so it cannot tell {gives}; choose an estimator that has."
        )
    if not takes_sample_weight(estimator):
        raise TypeError(
            f"{name}.fit takes no sample_weight, so rows cannot lose weight; choose an estimator "
            "that takes it. If this is a pipeline, reinforce its last step instead, "
            "make_pipeline(..., Reinforced...(last_step)), or enable metadata routing and let the "
            "last step ask for it with set_fit_request(sample_weight=True)."
        )


def check_classes_in_folds(fits: WeightedFits, codes: np.ndarray, classes: np.ndarray) -> None:
    """Raise when a class is missing from the training rows of the fold that tests it."""
    lacking = fits.folds is not None and not_learnable(codes, fits.folds)
    if np.any(lacking):
        rare = classes[codes[lacking]][0]
        raise ValueError(
            f"every row of the class {rare} falls into one fold, so that fits without them do not "
            "know it; take fewer folds, or merge the class with another."
        )
