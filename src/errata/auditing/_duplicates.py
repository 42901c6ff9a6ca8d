"""Equal rows with different labels: at least one of each group is wrong, whatever a model says."""

from typing import Any

import numpy as np
from scipy import sparse


def conflicting_duplicates(X: Any, codes: np.ndarray) -> list[np.ndarray]:
    """Groups of equal rows whose labels differ, each in order, the first rows first.

    Rows are compared by a random sum of their bits, which does not depend on the order of summation
    as a sum of floats would, and then, where that agrees, in full: O(n d + n log n).
    """
    mixed = _mixed_bits(X)
    order = np.argsort(mixed, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(mixed[order]) != 0])
    ends = np.r_[starts[1:], len(order)]
    several = ends - starts > 1
    groups = [order[s:e] for s, e in zip(starts[several], ends[several], strict=True)]
    found = [group for g in groups if _differ(codes[g]) for group in _equal_rows(X, g)]
    found = [np.sort(group) for group in found if _differ(codes[group])]
    return sorted(found, key=lambda group: int(group[0]))


def _mixed_bits(X: Any) -> np.ndarray:
    factors = np.random.default_rng(0).integers(2**63, size=X.shape[1], dtype=np.uint64)
    if not sparse.issparse(X):
        return _bits(X) @ factors
    X = sparse.csr_array(X, copy=True)
    X.sum_duplicates()
    return sparse.csr_array((_bits(X.data), X.indices, X.indptr), shape=X.shape) @ factors


def _bits(numbers: np.ndarray) -> np.ndarray:
    plus_zero = np.ascontiguousarray(numbers, dtype=float) + 0.0  # -0.0 is 0.0
    return plus_zero.view(np.uint64)


def _equal_rows(X: Any, rows: np.ndarray) -> list[np.ndarray]:
    cells = X[rows].toarray() if sparse.issparse(X) else X[rows]
    _, group = np.unique(cells, axis=0, return_inverse=True)
    group = group.ravel()
    return [rows[group == k] for k in range(group.max() + 1)]


def _differ(codes: np.ndarray) -> bool:
    return bool((codes != codes[0]).any())
