"""Patterns of noise: which classes are wrong more often than others, and for which."""

import numpy as np

from ._readings import Reading

MOST_OF_A_CLASS = 0.5  # a class is labelled right more often than not
ANCHORS = 0.1  # the share of a class's rows that is taken to be surely of it
EM_ROWS, EM_SHARE = 20.0, 0.02  # so many rows, or of all of them, speak for uniform noise


def transition_of(pattern: np.ndarray, rate: float) -> np.ndarray:
    """The transition matrix with this pattern of errors at this rate."""
    wrong = rate * pattern
    wrong *= np.minimum(1, MOST_OF_A_CLASS / np.maximum(wrong.sum(axis=1), 1e-12))[:, None]
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
        surest = np.argsort(-q[c], kind="stable")[: max(5, int(ANCHORS * sizes[c]))]
        wrong[c] = q[:, surest].mean(axis=1)
    wrong += 1e-4 / n_classes
    np.fill_diagonal(wrong, 0)
    return wrong / (sizes / len(codes) @ wrong.sum(axis=1))


def expected_pattern(reading: Reading, logs: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The pattern of the expected errors under a reading, drawn a little towards uniform."""
    n_classes = len(logs)
    given = reading.classes_given_labels(logs, codes)
    counts = np.array([np.bincount(codes, weights=row, minlength=n_classes) for row in given])
    rate = 1 - np.trace(counts) / len(codes)
    uniform = max(EM_ROWS, EM_SHARE * len(codes))
    wrong = counts + uniform * rate * uniform_pattern(n_classes)
    np.fill_diagonal(wrong, 0)
    wrong /= counts.sum(axis=1, keepdims=True) + uniform
    overall = reading.classes(logs).mean(axis=1) @ wrong.sum(axis=1)
    return wrong / max(overall, 1e-9)
