"""Plug any scikit-learn estimator into the loop, with its own rows or held-out ones to judge by."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter, validate_data

from ._base import ReinforcedEstimator

# (fitted estimator, X, y) -> one number per row: a log-likelihood, or a residual.
Judge = Callable[[Any, Any, Any], np.ndarray]
Folds = list[tuple[np.ndarray, np.ndarray]]


class WrappingEstimator(ReinforcedEstimator):
    """A reinforced estimator around another, whose demands on ``X`` it passes on."""

    estimator: Any

    def _wrapped(self) -> Any:
        """The estimator to wrap: the one given, or the default of the class."""
        raise NotImplementedError

    def _input_checks(self) -> dict[str, Any]:
        accepts = get_tags(self._wrapped()).input_tags
        return {
            "accept_sparse": "csr" if accepts.sparse else False,
            "ensure_all_finite": "allow-nan" if accepts.allow_nan else True,
            "order": "C",
        }

    def _ask(self, method: str, X: Any) -> np.ndarray:
        """Call ``method`` of the fitted estimator on checked rows."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, **self._input_checks())
        return getattr(self.estimator_, method)(X)

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
    if not has_fit_parameter(estimator, "sample_weight"):
        raise TypeError(
            f"{name}.fit takes no sample_weight, so rows cannot be let go by degrees; choose an "
            "estimator that takes it. If this is a pipeline, reinforce its last step instead: "
            "make_pipeline(..., Reinforced...(last_step))."
        )


def make_folds(cv: Any, X: Any, y: Any, *, classifier: bool = False) -> Folds | None:
    """Train and test rows of each fold; None without ``cv``."""
    if cv is None:
        return None
    folds = list(check_cv(cv, y, classifier=classifier).split(X, y))
    times_held_out = np.bincount(np.concatenate([test for _, test in folds]), minlength=X.shape[0])
    if np.any(times_held_out != 1):
        row = int(np.flatnonzero(times_held_out != 1)[0])
        raise ValueError(
            f"cv={cv!r} holds row {row} out {times_held_out[row]} times; "
            "each row must be in exactly one test fold."
        )
    if classifier:
        _check_classes_in_folds(folds, y)
    return folds


def _check_classes_in_folds(folds: Folds, y: np.ndarray) -> None:
    for train, test in folds:
        unseen = np.setdiff1d(y[test], y[train])
        if len(unseen):
            raise ValueError(
                f"every row of the class {unseen[0]} falls into one fold, so that the "
                "others cannot judge it; take fewer folds, or merge the class with another."
            )


def fit_and_judge(
    estimator: Any, judge: Judge, X: Any, y: Any, weights: np.ndarray, folds: Folds | None
) -> tuple[Any, np.ndarray]:
    """Fit with weights on all rows; judge each by that fit, or by one that has not seen its fold.

    A flexible model gives each label it has learnt by heart a probability near one: only held-out
    rows tell it anything.
    """
    model = _fit_weighted(estimator, X, y, weights)
    if folds is None:
        return model, judge(model, X, y)
    verdicts = np.empty(len(weights))
    for train, test in folds:
        y_train, y_test = (None, None) if y is None else (y[train], y[test])
        apart = _fit_weighted(estimator, X[train], y_train, weights[train])
        verdicts[test] = judge(apart, X[test], y_test)
    return model, verdicts


def _fit_weighted(estimator: Any, X: Any, y: Any, weights: np.ndarray) -> Any:
    """Fit a clone; a row of weight zero stays with its label, so that no class is forgotten."""
    if y is None:  # kernel densities take the logarithm of weights
        return clone(estimator).fit(X[weights > 0], sample_weight=weights[weights > 0])
    return clone(estimator).fit(X, y, sample_weight=weights)
