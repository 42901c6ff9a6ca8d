"""What makes a transition matrix, and class shares."""

from typing import Any

import numpy as np


def check_transition(transition: Any) -> np.ndarray:
    """Return a (K, K) matrix of probabilities whose rows sum to one, or say what is wrong."""
    T = np.array(transition, dtype=float)  # a copy: whoever made it may change it later
    if T.ndim != 2 or T.shape[0] != T.shape[1] or len(T) < 2:
        raise ValueError(
            f"a transition matrix has one row and one column per class (two at least), "
            f"but this one has shape {T.shape}."
        )
    if not np.all(np.isfinite(T)) or T.min() < 0:
        row, column = np.argwhere(~(np.isfinite(T) & (T >= 0)))[0]
        raise ValueError(f"transition[{row}, {column}] = {T[row, column]} is no probability.")
    off = np.abs(T.sum(axis=1) - 1)
    if off.max() > 1e-8:
        row = int(off.argmax())
        raise ValueError(
            f"row {row} of the transition matrix sums to {T[row].sum():.6g}; "
            "each row holds the label probabilities of one class and must sum to 1."
        )
    return T


def check_prior(prior: Any, n_classes: int) -> np.ndarray:
    """Return class shares that sum to one, from shares or counts."""
    shares = np.asarray(prior, dtype=float)
    if shares.shape != (n_classes,):
        raise ValueError(f"expected {n_classes} class shares, but the shape is {shares.shape}.")
    if not np.all(np.isfinite(shares)) or shares.min() < 0 or shares.sum() == 0:
        raise ValueError("class shares must be non-negative numbers, not all zero.")
    return shares / shares.sum()
