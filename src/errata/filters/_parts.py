"""What estimators that are made of others share: metadata, tags and verdicts of their parts."""

from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import process_routing
from sklearn.utils.validation import has_fit_parameter

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
