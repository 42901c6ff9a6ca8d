"""Sums over rows that hold all a ridge regression needs, to be added up block by block."""

import operator
from collections.abc import Iterator, Sequence
from functools import reduce
from typing import NamedTuple

import numpy as np
from scipy.linalg import blas
from sklearn.utils import check_array, check_consistent_length

from .._validation import check_alpha, check_sample_weight
from ._ridge import RidgeSystem, require_weight
from ._rows import HiddenRows


class GramRecord(NamedTuple):
    """What a set of rows says about a ridge regression, in O(m²) numbers however many rows.

    Records of separate rows add up: map :meth:`from_block` over blocks of any size, on one machine
    or many, :meth:`merge` the records in any order, then :meth:`solve`. One record per fold gives
    the model of every fold, as the sum of the other folds.

    Parameters
    ----------
    weight : float
        Number of rows, or the sum of their weights.
    hidden : array of shape (m,)
        Sum of the rows of H.
    target : array of shape (q,)
        Sum of the rows of T.
    gram : array of shape (m, m)
        H'H. Only the lower triangle is meaningful.
    cross : array of shape (m, q)
        H'T.
    squares : array of shape (q,)
        Sum of the squares of T.

    Examples
    --------
    >>> import numpy as np
    >>> from errata.elm._gram import GramRecord
    >>> H, t = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 5.0], [3.0, 1.0]]), np.arange(4.0)
    >>> first, second = GramRecord.from_block(H[:3], t[:3]), GramRecord.from_block(H[3:], t[3:])
    >>> coef, intercept = first.merge(second).solve(1e-9)
    >>> coef.round(6).ravel(), intercept.round(6)
    (array([1., 0.]), array([0.]))
    """

    weight: float
    hidden: np.ndarray
    target: np.ndarray
    gram: np.ndarray
    cross: np.ndarray
    squares: np.ndarray

    @classmethod
    def empty(cls, n_hidden: int, n_targets: int) -> "GramRecord":
        """The record of no rows."""
        m, q = n_hidden, n_targets
        gram, cross = np.zeros((m, m), order="F"), np.zeros((m, q))
        return cls(0.0, np.zeros(m), np.zeros(q), gram, cross, np.zeros(q))

    @classmethod
    def from_block(
        cls, H: np.ndarray, T: np.ndarray, sample_weight: np.ndarray | None = None
    ) -> "GramRecord":
        """The record of the rows of H, shape (n, m), and T, shape (n,) or (n, q)."""
        H = check_array(H, dtype=float, order="C", input_name="H")
        T = check_array(T, dtype=float, ensure_2d=False, input_name="T")
        check_consistent_length(H, T)
        T = T.reshape(len(H), -1)  # one target is a column
        weight = check_sample_weight(sample_weight, len(H))
        return cls.empty(H.shape[1], T.shape[1]).absorb(H, T, weight)

    def absorb(
        self, H: np.ndarray, T: np.ndarray, sample_weight: np.ndarray | None = None
    ) -> "GramRecord":
        """Add a block of rows. This record is used up by it: go on with the one returned."""
        H = np.ascontiguousarray(H, dtype=float)
        w = np.ones(len(H)) if sample_weight is None else sample_weight
        root = H if sample_weight is None else np.sqrt(w)[:, None] * H
        # A symmetric product is half the work of a general one, and BLAS adds it in place.
        gram = blas.dsyrk(1.0, root.T, beta=1.0, c=self.gram, lower=True, overwrite_c=True)
        # Sums of H and products with T in one pass over H.
        products = H.T @ np.column_stack([w, w[:, None] * T])
        return GramRecord(
            self.weight + float(w.sum()),
            self.hidden + products[:, 0],
            self.target + w @ T,
            gram,
            self.cross + products[:, 1:],
            self.squares + w @ T**2,
        )

    def merge(self, other: "GramRecord") -> "GramRecord":
        """The record of the rows of both."""
        return GramRecord(*map(operator.add, self, other))

    def downdated(self, other: "GramRecord") -> "GramRecord":
        """The record of our rows without those of ``other``, which must be among them.

        Merging the records of the remaining rows keeps more digits when ``other`` holds nearly all.
        """
        return GramRecord(*map(operator.sub, self, other))

    def solve(self, alpha: float, *, fit_intercept: bool = True) -> tuple[np.ndarray, np.ndarray]:
        """Output weights, shape (m, q), and intercepts, shape (q,), for one ``alpha``."""
        model = self.system(fit_intercept=fit_intercept).solved(check_alpha(alpha))
        return model.coef, model.intercept

    def system(self, *, fit_intercept: bool = True) -> RidgeSystem:
        """The normal equations of these rows; with an intercept, the means are taken out."""
        require_weight(self.weight)
        shrink = fit_intercept / self.weight
        return RidgeSystem(
            weight=self.weight,
            hidden_mean=shrink * self.hidden,
            target_mean=shrink * self.target,
            cross=self.cross - shrink * np.outer(self.hidden, self.target),
            squares=self.squares - shrink * self.target**2,
            fit_intercept=fit_intercept,
            # A symmetric update of rank one, of the lower triangle alone; the record stays.
            gram=blas.dsyr(-shrink, self.hidden, a=self.gram, lower=True),
        )

    def squared_error(self, coef: np.ndarray, intercept: np.ndarray) -> np.ndarray:
        """Sum of squared errors of a model on these rows, one number per output, without them."""
        predicted = coef.T @ self.hidden
        return (
            self.squares
            - 2 * (coef * self.cross).sum(axis=0)
            - 2 * intercept * self.target
            + (coef * blas.dsymm(1.0, self.gram, coef, lower=True)).sum(axis=0)
            + 2 * intercept * predicted
            + self.weight * intercept**2
        )


def record_of(rows: HiddenRows, selection: np.ndarray | None = None) -> GramRecord:
    """The record of some rows, or of all of them, added up over blocks."""
    record = GramRecord.empty(rows.m, rows.target.shape[1])
    for block in rows.blocks(selection):
        record = record.absorb(block.hidden, block.target, block.weight)
    return record


def system_of(rows: HiddenRows, selection: np.ndarray, *, fit_intercept: bool) -> RidgeSystem:
    """The normal equations of some rows, from the rows themselves where these are few."""
    if len(selection) >= rows.m:
        return record_of(rows, selection).system(fit_intercept=fit_intercept)
    _, H, T, weight = rows.take(selection)
    return RidgeSystem.from_rows(H, T, weight, fit_intercept=fit_intercept)


def merged(records: Sequence[GramRecord]) -> GramRecord:
    """The record of the rows of all."""
    return reduce(GramRecord.merge, records)


def left_out(records: Sequence[GramRecord]) -> Iterator[GramRecord]:
    """For each record in turn, the sum of all the others.

    Halving the list hands every part the sum of what lies outside it: nothing is ever subtracted,
    so no digits cancel, and no more than log2(K) sums are held.
    """
    return _left_out(records, [])


def _left_out(inside: Sequence[GramRecord], outside: list[GramRecord]) -> Iterator[GramRecord]:
    if len(inside) == 1:
        yield merged(outside)
        return
    half = len(inside) // 2
    yield from _left_out(inside[:half], [merged([*inside[half:], *outside])])
    yield from _left_out(inside[half:], [merged([*inside[:half], *outside])])
