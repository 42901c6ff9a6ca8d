"""Equal rows with different labels: at least one of each group is wrong, whatever a model says."""

from typing import Any

import numpy as np
from scipy import sparse


def conflicting_duplicates(X: Any, codes: np.ndarray) -> list[np.ndarray]:
    """Groups of equal rows whose labels differ, each in order, the first rows first.

    Rows are compared by a random projection and then, where that agrees, in full: O(n d + n log n).
    """
    n, d = X.shape
    projected = np.asarray(X @ np.random.default_rng(0).normal(size=d)).ravel()
    order = np.argsort(projected, kind="stable")
    starts = np.flatnonzero(np.diff(projected[order], prepend=np.nan) != 0)
    groups = [g for g in np.split(order, starts[1:]) if len(g) > 1]
    found = [group for g in groups if _differ(codes[g]) for group in _equal_rows(X, g)]
    found = [np.sort(group) for group in found if _differ(codes[group])]
    return sorted(found, key=lambda group: int(group[0]))


def _equal_rows(X: Any, rows: np.ndarray) -> list[np.ndarray]:
    cells = X[rows].toarray() if sparse.issparse(X) else X[rows]
    _, group = np.unique(cells, axis=0, return_inverse=True)
    group = group.ravel()
    return [rows[group == k] for k in range(group.max() + 1)]


def _differ(codes: np.ndarray) -> bool:
    return bool((codes != codes[0]).any())
