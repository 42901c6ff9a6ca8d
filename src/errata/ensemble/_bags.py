"""Bags of rows, the weights by which hard ones are drawn less often, and votes counted."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags

from .._random import clone_with_seed
from .._validation import check_choice, check_hardness, fit_to_codes
from ..hardness import NeighborDisagreement

REDRAWS = 100  # attempts to draw a bag with more than one class

Draw = Callable[[tuple[int, int]], np.ndarray]


def draw_bags(
    draw: Draw,
    shape: tuple[int, int],
    p: np.ndarray,
    codes: np.ndarray,
    random: np.random.RandomState,
) -> np.ndarray:
    """Rows of each bag, (bag, size), as ``draw`` gives them with probabilities ``p``.

    Bags of one class are drawn again, but not for ever: where that does not help, other classes are
    so rare that a bag with any of their rows would nearly always hold one, and it gets one. Bags
    stay as they are where ``p`` leaves one class only, or a bag has one row.
    """
    bags = draw(shape)
    if shape[1] == 1 or is_one_class(codes[p > 0]):
        return bags
    for _ in range(REDRAWS):
        poor = is_one_class(codes[bags])
        if not poor.any():
            return bags
        # The poor ones alone: with many bags, hardly any set of them all would do at once.
        bags[poor] = draw((int(poor.sum()), shape[1]))
    for i in np.flatnonzero(is_one_class(codes[bags])):
        # By its weight and in any place, which is nearly what drawing on for ever would give.
        others = np.where(codes == codes[bags[i, 0]], 0.0, p)
        bags[i, random.randint(shape[1])] = random.choice(len(p), p=others / others.sum())
    return bags


def is_one_class(codes: np.ndarray) -> np.ndarray:
    """Whether the codes along the last axis are all the same."""
    return (codes == codes[..., :1]).all(axis=-1)


def draw_uniformly(n: int, random: np.random.RandomState) -> Draw:
    """Draw rows uniformly at random."""
    return lambda shape: random.randint(n, size=shape)


def draw_by_weight(p: np.ndarray, random: np.random.RandomState) -> Draw:
    """Draw rows with the probabilities ``p``."""
    cumulative = np.cumsum(p)
    cumulative /= cumulative[-1]  # rounding may leave the sum below 1, and draws beyond it
    # To the right, so that a row of weight 0, which takes up no room, is never hit.
    return lambda shape: np.searchsorted(cumulative, random.random_sample(shape), side="right")


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
    detector = fit_to_codes(clone_with_seed(hardness, random), X, codes)
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


def vote_fractions(
    votes: np.ndarray,
    n_classes: int,
    weights: np.ndarray | float = 1.0,
    counted: np.ndarray | None = None,
) -> np.ndarray:
    """Weighted fraction of the votes (row, voter) for each class: (row, class).

    ``counted`` says which votes count; a row without any that does gets nan.

    Examples
    --------
    >>> import numpy as np
    >>> vote_fractions(np.array([[0, 1, 1, 1], [0, 0, 0, 0]]), 2)
    array([[0.25, 0.75],
           [1.  , 0.  ]])
    """
    weights = np.broadcast_to(weights, votes.shape)
    if counted is not None:
        weights = np.where(counted, weights, 0.0)
    sums = np.column_stack([((votes == c) * weights).sum(axis=1) for c in range(n_classes)])
    total = weights.sum(axis=1, keepdims=True)
    return np.divide(sums, total, out=np.full_like(sums, np.nan), where=total > 0)
