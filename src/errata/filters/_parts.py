"""What estimators that are made of others share: metadata, tags, verdicts, and who predicts."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from .._validation import as_column

VERDICT = ("suspicion_", "flagged_", "suggested_")


def route_to_parts(owner: Any, params: dict[str, Any], **parts: Any) -> dict[str, dict[str, Any]]:
    """What of the metadata given to ``fit`` each part gets.

    With scikit-learn's metadata routing, what it requested; without, what its ``fit`` takes.
    """
    params = {name: value for name, value in params.items() if value is not None}
    if params and get_config()["enable_metadata_routing"]:
        routed = process_routing(owner, "fit", **params)
        return {part: dict(routed[part]["fit"]) for part in parts}
    takers = {
        part: {name for name in params if has_fit_parameter(estimator, name)}
        for part, estimator in parts.items()
    }
    for name in params:
        if not any(name in taken for taken in takers.values()):
            raise TypeError(f"{type(owner).__name__}.fit got {name}, which its parts do not take.")
    return {part: {name: params[name] for name in taken} for part, taken in takers.items()}


def with_tags_of(tags: Any, *parts: Any) -> Any:
    """The tags of an estimator that accepts what all of its parts accept."""
    of_parts = [get_tags(part) for part in parts]
    tags.input_tags.allow_nan = all(part.input_tags.allow_nan for part in of_parts)
    tags.input_tags.sparse = all(part.input_tags.sparse for part in of_parts)
    tags.target_tags.required = any(part.target_tags.required for part in of_parts)
    return tags


def take_verdict(owner: Any, detector: Any) -> None:
    """Let the owner have what a fitted detector says of the rows, and its classes."""
    for name in (*VERDICT, "classes_"):
        if hasattr(detector, name):
            setattr(owner, name, getattr(detector, name))


def codes_known_to(detector: Any, y: Any) -> np.ndarray:
    """Codes of labels in the order of ``classes_``; without classes, all rows are alike."""
    if hasattr(detector, "classes_"):
        return np.searchsorted(detector.classes_, as_column(y))
    return np.zeros(len(detector.suspicion_), dtype=int)


def _predictor_has(method: str) -> Any:
    return available_if(lambda self: hasattr(self._predictor(), method))


class PartPredicts(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A classifier one part of which predicts for it once both are fitted."""

    _predicts = "estimator"  # the parameter that holds this part

    def predict(self, X: Any) -> np.ndarray:
        """The class that the classifier predicts."""
        return self._ask("predict", X)

    @_predictor_has("predict_proba")
    def predict_proba(self, X: Any) -> np.ndarray:
        """The classifier's probabilities."""
        return self._ask("predict_proba", X)

    @_predictor_has("decision_function")
    def decision_function(self, X: Any) -> np.ndarray:
        """The classifier's decision."""
        return self._ask("decision_function", X)

    @_predictor_has("staged_predict")
    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """The classes that the classifier predicts after one round, after two, and so on."""
        return self._ask("staged_predict", X)

    def _predictor(self) -> Any:
        """The part as fitted, or else as given."""
        return getattr(self, f"{self._predicts}_", getattr(self, self._predicts))

    def _ask(self, method: str, X: Any) -> Any:
        check_is_fitted(self)
        return getattr(self._predictor(), method)(X)
