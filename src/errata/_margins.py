"""How far another class is ahead of the label."""

import numpy as np


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
