"""Rows made ready for neighbours: columns of one scale, no two rows equal, classes side by side."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from .._format import listed, plural
from .._neighbors import possible_neighbors
from .._warn import warn_user


def prepared(X: np.ndarray, *, standardize: bool, jitter: float, random_state: Any) -> np.ndarray:
    """Columns of mean 0 and deviation 1 where asked for, and noise that tells equal rows apart.

    Noise of deviation ``jitter`` adds the same entropy to all rows and to those of a class, so that
    mutual information keeps its meaning where values repeat. It is drawn once, never for each
    subset: columns are compared under the same noise.
    """
    if standardize:
        spread = X.std(axis=0)
        X = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    if jitter > 0:
        X = X + check_random_state(random_state).normal(scale=jitter, size=X.shape)
    return X


def varying_columns(X: np.ndarray) -> np.ndarray:
    """Indices of the columns that hold more than one value; warns of the others."""
    constant = np.ptp(X, axis=0) == 0
    if constant.all():
        raise ValueError("every column of X is constant, so that there is nothing to choose from.")
    if constant.any():
        which = listed(np.flatnonzero(constant), most=5)
        warn_user(
            f"left out of the search and ranked last: {plural(int(constant.sum()), 'column')} of X "
            f"with a single value ({which})."
        )
    return np.flatnonzero(~constant)


class ClassRows(NamedTuple):
    """Rows sorted by class, so that each class is a slice, and how many neighbours each can have.

    Classes of a single row are left out: it has no neighbour in its class.
    """

    columns: np.ndarray  # (p, n), one feature after the other
    codes: np.ndarray  # (n,), ascending
    order: np.ndarray  # (n,): where each row stood
    present: np.ndarray  # (K,): the codes of the classes that are left
    starts: np.ndarray  # (K + 1,): class y is starts[y]:starts[y + 1]
    n_neighbors: int  # k
    own_neighbors: np.ndarray  # (K,): k_y = min(k, n_y - 1), of a row of the class
    other_neighbors: np.ndarray  # (K,): min(k, n_y), of any other row

    @property
    def n(self) -> int:
        """The number of rows that are left."""
        return len(self.codes)

    @property
    def sizes(self) -> np.ndarray:
        """n_y, the number of rows of each class."""
        return np.diff(self.starts)


def sorted_by_class(X: np.ndarray, codes: np.ndarray, n_neighbors: int) -> ClassRows:
    """Sort rows by class and settle how many neighbours there are; warns where they are too few."""
    sizes = np.bincount(codes)
    order = np.argsort(codes, kind="stable")
    order = order[sizes[codes[order]] > 1]
    present, sizes = np.flatnonzero(sizes > 1), sizes[sizes > 1]
    _check_sizes(len(codes) - len(order), len(present))
    k = possible_neighbors(n_neighbors, len(order))
    own = np.minimum(k, sizes - 1)
    n_small = int((own < k).sum())
    if n_small:
        warn_user(
            f"n_neighbors={k} is more than there are other rows in "
            f"{plural(n_small, 'class', 'classes')}; all of them are taken there."
        )
    return ClassRows(
        np.ascontiguousarray(X[order].T), np.searchsorted(present, codes[order]), order, present,
        np.concatenate([[0], np.cumsum(sizes)]), k, own, np.minimum(k, sizes),
    )  # fmt: skip


def _check_sizes(n_alone: int, n_left: int) -> None:
    if n_left < 2:
        raise ValueError(
            f"y has {plural(n_left, 'class', 'classes')} of two rows or more, and two such classes "
            "are needed at least; numbers that measure something are no classes."
        )
    if n_alone:
        warn_user(
            f"left out of the estimate: {plural(n_alone, 'row')} alone in a class, without a "
            "neighbour there."
        )
