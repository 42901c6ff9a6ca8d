"""Which class may follow which, and how often each does by the labels."""

from typing import Any

import numpy as np

from .._format import listed
from ._inputs import Sequences


def allowed_transitions(transitions: Any, classes: np.ndarray) -> np.ndarray:
    """The mask (K, K) of what may follow what: anything, what a mask says, or a cycle."""
    k = len(classes)
    if transitions is None:
        return np.ones((k, k), dtype=bool)
    if np.ndim(transitions) == 1:
        return _cycle(list(transitions), classes.tolist())
    mask = np.asarray(transitions)
    if mask.shape != (k, k) or not np.isin(mask, (0, 1)).all():
        raise ValueError(
            f"transitions must be a mask of shape {(k, k)} of True and False, one row for each of "
            "the sorted classes, or the classes in the order of a cycle; its shape is "
            f"{mask.shape}."
        )
    mask = mask.astype(bool)
    if not mask.any(axis=1).all():
        stuck = classes.tolist()[int(np.flatnonzero(~mask.any(axis=1))[0])]
        raise ValueError(
            f"by transitions nothing may follow the class {stuck!r}; allow it itself at least."
        )
    return mask


def _cycle(order: list[Any], classes: list[Any]) -> np.ndarray:
    """Each class is followed by itself or by the next one, the last by the first."""
    if len(order) != len(classes) or set(order) != set(classes):
        raise ValueError(
            f"transitions name the cycle {listed(order)}, but the classes are {listed(classes)}; "
            "name each class once."
        )
    places = np.array([classes.index(name) for name in order])
    mask = np.eye(len(classes), dtype=bool)
    mask[places, np.roll(places, -1)] = True
    return mask


def count_transitions(sequences: Sequences, n_classes: int) -> np.ndarray:
    """How often each label follows each, within sequences and where both are known."""
    codes = sequences.codes.astype(np.intp)
    inside = np.ones(len(codes), dtype=bool)
    inside[sequences.starts] = False
    inside[1:] &= (codes[1:] >= 0) & (codes[:-1] >= 0)
    later = np.flatnonzero(inside)
    pairs = codes[later - 1] * n_classes + codes[later]
    counts = np.bincount(pairs, minlength=n_classes**2)
    return counts.reshape(n_classes, n_classes).astype(float)


def transition_probabilities(counts: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    """Rows of counts as probabilities; one without counts is uniform over what is allowed."""
    counts = np.where(allowed, counts, 0.0)
    counts[counts.sum(axis=1) == 0] = 1.0
    counts = np.where(allowed, counts, 0.0)
    return counts / counts.sum(axis=1, keepdims=True)
