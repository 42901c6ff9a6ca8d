"""What is said of the other classes than that of the label, and how far they are ahead."""

import numpy as np


def without_own(values: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The values (n, K) with zero for the class on the label.

    >>> without_own(np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]]), np.array([0, 1]))
    array([[0. , 0.3, 0.2],
           [0.1, 0. , 0.7]])
    """
    others = values.copy()
    others[np.arange(len(codes)), codes] = 0
    return others


def label_doubt(proba: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """One minus the probability of the label, without the rounding of numbers next to 1.

    >>> label_doubt(np.array([[1.0, 1e-30], [0.2, 0.8]]), np.array([0, 1]))
    array([1.e-30, 2.e-01])
    """
    return np.clip(without_own(proba, codes).sum(axis=1), 0, 1)


def favourite_other(votes: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The class with most votes besides the label; the label where nobody votes otherwise.

    >>> favourite_other(np.array([[5.0, 1.0, 2.0], [0.0, 4.0, 0.0]]), np.array([0, 1]))
    array([2, 1])
    """
    others = without_own(votes, codes)
    return np.where(others.any(axis=1), others.argmax(axis=1), codes)


def own_and_best_other(values: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The value (n, K) of the class on the label, and the largest of any other class.

    >>> own_and_best_other(np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]]), np.array([0, 1]))
    (array([0.5, 0.2]), array([0.3, 0.7]))
    """
    rows = np.arange(len(codes))
    others = values.copy()
    others[rows, codes] = -np.inf
    return values[rows, codes], others.max(axis=1)


def probability_margin(proba: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """``(other - own + 1) / 2`` in [0, 1]: above a half where another class is likelier.

    >>> probability_margin(np.array([[0.7, 0.2, 0.1], [0.4, 0.35, 0.25]]), np.array([0, 1]))
    array([0.25 , 0.525])
    """
    own, other = own_and_best_other(proba, codes)
    return (other - own + 1) / 2
