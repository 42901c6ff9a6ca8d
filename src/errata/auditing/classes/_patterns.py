"""Patterns of noise: which classes are wrong more often than others, and for which."""

import numpy as np

from .._settings import (
    ANCHORS,
    FEWEST_ANCHORS,
    FEWEST_SUREST,
    KEPT_ROWS,
    MOST_OF_A_CLASS,
    PATTERN_FRACTION,
    PATTERN_ROWS,
)
from ._hypotheses import Hypothesis


def transition_of(pattern: np.ndarray, rate: float) -> np.ndarray:
    """The transition matrix with this pattern of errors at this rate."""
    return _limited(rate * pattern)


def _limited(wrong: np.ndarray) -> np.ndarray:
    """Rows that sum to one, from what is wrong in each, at most half."""
    wrong = wrong * np.minimum(1, MOST_OF_A_CLASS / np.maximum(wrong.sum(axis=1), 1e-12))[:, None]
    return wrong + np.diag(1 - wrong.sum(axis=1))


def uniform_pattern(n_classes: int) -> np.ndarray:
    """Any class is as often wrong as any other, for any other."""
    pattern = np.full((n_classes, n_classes), 1 / (n_classes - 1))
    np.fill_diagonal(pattern, 0)
    return pattern


def anchor_pattern(q: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The pattern seen at the rows most surely of each class, scaled to a rate of one."""
    n_classes = len(q)
    sizes = np.bincount(codes, minlength=n_classes)
    wrong = np.empty((n_classes, n_classes))
    for c in range(n_classes):
        surest = np.argsort(-q[c], kind="stable")[: max(FEWEST_ANCHORS, int(ANCHORS * sizes[c]))]
        wrong[c] = q[:, surest].mean(axis=1)
    wrong += 1e-4 / n_classes
    np.fill_diagonal(wrong, 0)
    return wrong / (sizes / len(codes) @ wrong.sum(axis=1))


def expected_pattern(hypothesis: Hypothesis, logs: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The pattern of the expected errors under a hypothesis, drawn a little towards uniform."""
    n_classes = len(logs)
    given = hypothesis.classes_given_labels(logs, codes)
    counts = np.array([np.bincount(codes, weights=row, minlength=n_classes) for row in given])
    rate = 1 - np.trace(counts) / len(codes)
    uniform = max(PATTERN_ROWS, PATTERN_FRACTION * len(codes))
    wrong = counts + uniform * rate * uniform_pattern(n_classes)
    np.fill_diagonal(wrong, 0)
    wrong /= counts.sum(axis=1, keepdims=True) + uniform
    overall = hypothesis.classes(logs).mean(axis=1) @ wrong.sum(axis=1)
    return wrong / max(overall, 1e-9)


def class_to_class(
    q: np.ndarray, codes: np.ndarray, fraction: float
) -> tuple[np.ndarray, np.ndarray]:
    """A transition matrix from labels of the surest rows of each class, and how many these were.

    They are the surest ``fraction`` of the rows whose most probable label is that class. Without
    noise they have no wrong labels, and the matrix is nearly the identity.
    """
    n_classes = len(q)
    top = q.argmax(axis=0)
    counts = np.diag(np.full(n_classes, KEPT_ROWS))
    used = np.ones(n_classes)
    for c in range(n_classes):
        members = np.flatnonzero(top == c)
        enough = max(FEWEST_SUREST, int(fraction * len(members)))
        surest = members[np.argsort(-q[c, members], kind="stable")[:enough]]
        counts[c] += np.bincount(codes[surest], minlength=n_classes)
        used[c] = max(len(surest), 1)
    wrong = counts / counts.sum(axis=1, keepdims=True)
    np.fill_diagonal(wrong, 0)
    return _limited(wrong), used
