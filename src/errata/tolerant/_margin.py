"""How far another class is ahead of the label."""

import numpy as np


def probability_margin(proba: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """``(other - own + 1) / 2`` in [0, 1]: above a half where another class is likelier.

    >>> probability_margin(np.array([[0.7, 0.2, 0.1], [0.4, 0.35, 0.25]]), np.array([0, 1]))
    array([0.25 , 0.525])
    """
    rows = np.arange(len(codes))
    others = proba.copy()
    others[rows, codes] = -1
    return (others.max(axis=1) - proba[rows, codes] + 1) / 2
