"""How features are made of a table, kept to be made of other rows in the same way."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ._columns import Column, columns_called, count_rows
from ._datasets import as_table
from ._encoders import Block, Encoder, Numbers, encode_cells


class Applied(NamedTuple):
    """What :meth:`FeaturePlan.apply` makes of some rows.

    Attributes
    ----------
    X : array or CSR matrix of shape (n_rows, n_features)
        Finite floats, not scaled.
    unread : Counter
        For each column by name, how many cells did not fit it: words among numbers or dates,
        infinite numbers. They count as missing.
    """

    X: Any
    unread: Counter[str]


@dataclass(frozen=True)
class FeaturePlan(ABC):
    """How :func:`features_of` made features of a table: what each column is, medians, words, axes.

    Other rows of the table get the same features by :meth:`apply`, and so do the same rows. A plan
    holds no rows; it may be pickled and sent elsewhere.

    Attributes
    ----------
    columns : list
        The columns that are used, as the table calls them; their positions in an array.
    names : list of str
        One for each feature.

    Examples
    --------
    >>> from errata.tables import features_of
    >>> pets = {"weight": ["4.0", "31.5", "", "5.5"], "fur": ["grey", "brown", "brown", "white"]}
    >>> plan = features_of(pets).plan
    >>> plan.names
    ['weight', 'weight missing', 'fur=brown', 'fur=grey', 'fur=white']
    >>> X, unread = plan.apply({"fur": ["white", "red"], "weight": [6, "heavy"]})
    >>> X
    array([[6. , 0. , 0. , 0. , 1. ],
           [5.5, 1. , 0. , 0. , 0. ]])
    >>> unread
    Counter({'weight': 1})
    """

    columns: list[Any]

    @property
    @abstractmethod
    def names(self) -> list[str]:
        """One for each feature."""

    @abstractmethod
    def apply(self, table: Any) -> Applied:
        """The same features of other rows.

        A column is what it was when the plan was made, whatever type its cells have here. Missing
        numbers, and cells that are no numbers, become the median learnt; a word that was not there
        is none of those that were. Columns that the plan does not use are not looked at.

        Parameters
        ----------
        table : array, sparse matrix, dataframe of any kind, or mapping of names to columns
            With the columns of the plan, in any order; an array has them where they were.

        Returns
        -------
        Applied
        """


@dataclass(frozen=True)
class ColumnPlan(FeaturePlan):
    """An encoder for each column."""

    encoders: Sequence[Encoder]

    @property
    def names(self) -> list[str]:
        return [name for encoder in self.encoders for name in encoder.kept]

    def apply(self, table: Any) -> Applied:
        table = as_table(table)
        X = np.empty((count_rows(table), len(self.names)))
        unread: Counter[str] = Counter()
        if len(X):
            columns = columns_called(table, [encoder.name for encoder in self.encoders])
            put_side_by_side(self._blocks(columns, len(X), unread), X)
        return Applied(X, unread)

    def _blocks(self, columns: Iterable[Column], n: int, unread: Counter[str]) -> Iterable[Block]:
        """Features of one column after the other, counting what is not read."""
        for encoder, column in zip(self.encoders, columns, strict=True):
            if len(column.values) != n:
                raise ValueError(
                    f"column {column.name!r} has {len(column.values)} rows, and the table {n}; "
                    "columns must be of one length."
                )
            block, missed = encode_cells(encoder, column.values)
            if missed:
                unread[encoder.name] = missed
            yield block


@dataclass(frozen=True)
class MatrixPlan(FeaturePlan):
    """Columns of an array or of a sparse matrix that are features as they are."""

    medians: np.ndarray

    @property
    def names(self) -> list[str]:
        return [f"x{place}" for place in self.columns]

    def apply(self, table: Any) -> Applied:
        if sparse.issparse(table):
            return self._of_sparse(table)
        if self._fits(table):
            return self._of_array(_picked(table, self.columns).astype(float, copy=False))
        encoders = [
            Numbers(name, kept=(name,), median=median)
            for name, median in zip(self.names, self.medians.tolist(), strict=True)
        ]
        return ColumnPlan(self.columns, encoders).apply(table)

    def _fits(self, table: Any) -> bool:
        if not isinstance(table, np.ndarray) or table.ndim != 2 or table.dtype.kind not in "biuf":
            return False
        return table.shape[1] > max(self.columns)

    def _of_array(self, X: np.ndarray) -> Applied:
        if np.isfinite(X).all():
            return Applied(X, Counter())
        infinite = np.isinf(X)
        unread = self._counted(infinite.sum(axis=0))
        return Applied(np.where(infinite | np.isnan(X), self.medians, X), unread)

    def _of_sparse(self, table: Any) -> Applied:
        """A cell that is no finite number counts as one that is not stored."""
        if table.shape[1] <= max(self.columns):
            raise ValueError(
                f"the sparse matrix has {table.shape[1]} columns, but features were made of column "
                f"{max(self.columns)} (counted from 0), too; pass all columns."
            )
        X = _picked(table.tocsr(), self.columns).astype(float)
        wrong = ~np.isfinite(X.data)
        unread = self._counted(np.bincount(X.indices[wrong], minlength=X.shape[1]))
        X.data[wrong] = 0
        return Applied(X, unread)

    def _counted(self, unread: np.ndarray) -> Counter[str]:
        return Counter({self.names[place]: int(unread[place]) for place in np.flatnonzero(unread)})


def put_side_by_side(blocks: Iterable[Block], X: np.ndarray) -> None:
    """All features into one array."""
    place = 0
    for block in blocks:
        for values in block.values():
            X[:, place] = values
            place += 1


def _picked(table: Any, places: list[int]) -> Any:
    return table if places == list(range(table.shape[1])) else table[:, places]
