"""How hard each row is, by the measure that the user names, and the weights that follow from it."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags

from .._random import seeded_clone
from .._validation import check_choice, check_hardness, fit_to_codes
from ..hardness import NeighborDisagreement


def measure_hardness(
    hardness: str | BaseEstimator | Callable,
    X: Any,
    codes: np.ndarray,
    classes: np.ndarray,
    *,
    random: np.random.RandomState,
    n_neighbors: int = 5,
    n_jobs: int | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Hardness of each row, in [0, 1], and the code of the class its measure would give.

    ``hardness`` is "kdn", a detector of errata, or ``hardness(X, y)``.
    """
    if callable(hardness):
        # A function suggests no class, so that the label stands in for one.
        return check_hardness(hardness(X, classes[codes]), len(codes)), codes
    if isinstance(hardness, str):
        check_choice("hardness", hardness, ("kdn",))
        hardness = NeighborDisagreement(n_neighbors=n_neighbors, n_jobs=n_jobs)
    detector = fit_to_codes(seeded_clone(hardness, random), X, codes)
    return check_hardness(detector.suspicion_, len(codes)), detector.suggested_


def takes_missing(part: Any) -> bool:
    """Whether an estimator or a measure of hardness says that it takes missing values.

    A function has no tags to say so: it is given the rows as they are.
    """
    if hasattr(part, "__sklearn_tags__"):
        return get_tags(part).input_tags.allow_nan
    return callable(part)


def selection_probabilities(
    hardness: Any, probability: str | Callable = "linear", *, temperature: float = 1.0
) -> np.ndarray:
    """Probability with which one draw of a bag takes each row, falling with its hardness.

    Parameters
    ----------
    hardness : array-like of shape (n,)
        Between 0 and 1.
    probability : "linear", "softmax" or callable, default="linear"
        ``1/n + 1 - h``, ``exp((1 - h) / temperature)``, or ``probability(hardness)``, normalised.
    temperature : float, default=1
        Of the softmax.

    Returns
    -------
    array of shape (n,) that sums to one

    Examples
    --------
    >>> selection_probabilities([0, 0, 1])
    array([0.44444444, 0.44444444, 0.11111111])
    >>> selection_probabilities([0, 0, 1], "softmax").round(3)
    array([0.422, 0.422, 0.155])
    """
    h = check_hardness(hardness, len(hardness))
    if callable(probability):
        weights = np.asarray(probability(h), dtype=float)
        bad = weights.shape != h.shape or not np.all(np.isfinite(weights)) or weights.min() < 0
        if bad or not weights.any():
            raise ValueError(
                "probability must give one non-negative number per row, not all of them zero."
            )
    elif check_choice("probability", probability, ("linear", "softmax")) == "linear":
        # Equation 3.2: thanks to 1/n, no row is shut out, as hard ones may mark the border.
        weights = 1 / len(h) + 1 - h
    else:
        if not temperature > 0:
            raise ValueError(f"temperature={temperature!r} must be a number above 0.")
        # Equation 3.4 over its largest value: at a low temperature exp(1 / temperature) overflows.
        weights = np.exp((h.min() - h) / temperature)
    return weights / weights.sum()
