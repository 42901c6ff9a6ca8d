"""Votes of base estimators, counted."""

import numpy as np


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
