"""Ridge regression on a hidden layer, from sums over rows that are added up block by block.

In the words of the equations: A = Gc + alpha I with Gc = Hc'Hc, and B = A⁻¹ Hc'Tc, where Hc and Tc
are the hidden activations and the targets without their means (the intercept is not penalised).
"""

import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, blas, cho_solve, cholesky, eigh, lapack, svd
from sklearn.utils import check_array, check_consistent_length

from .._validation import check_alpha, check_sample_weight
from ._hidden_layer import HiddenRows

# Fraction of the largest eigenvalue, per hidden unit, below which a direction counts as absent in
# plain least squares (alpha = 0): sums of squares do not resolve what is smaller.
RANK_TOLERANCE = 1e-12


@dataclass(frozen=True)
class CholeskyFactor:
    """A = L L'."""

    lower: np.ndarray
    alpha: float

    def solve(self, C: np.ndarray) -> np.ndarray:
        """A⁻¹ C."""
        return cho_solve((self.lower, True), C, check_finite=False)

    def whiten(self, Hc: np.ndarray) -> np.ndarray:
        """Rows z with z'z = h' A⁻¹ h for the rows h of ``Hc``, whose memory is reused."""
        return blas.dtrsm(1.0, self.lower, Hc.T, lower=True, overwrite_b=True).T

    @property
    def effective_units(self) -> float:
        """trace(A⁻¹ Gc): how many hidden units' worth of freedom alpha leaves."""
        inverse, _ = lapack.dtrtri(self.lower, lower=True)
        return len(inverse) - self.alpha * float(np.vdot(inverse, inverse))


@dataclass(frozen=True)
class SpectralFactor:
    """A = Q diag(values + alpha) Q' on the span of the rows; the pseudo-inverse for alpha = 0.

    An alpha up to ``resolution``, the rounding of the eigenvalues, is taken for zero.
    """

    values: np.ndarray
    vectors: np.ndarray
    alpha: float
    resolution: float = 0.0

    @cached_property
    def inverse(self) -> np.ndarray:
        """The eigenvalues of A⁻¹; zero where plain least squares has nothing to go by."""
        if self.alpha > self.resolution:
            return 1 / (self.values + self.alpha)
        present = self.values > RANK_TOLERANCE * len(self.vectors) * self.values.max()
        return np.divide(1, self.values, out=np.zeros_like(self.values), where=present)

    def solve(self, C: np.ndarray) -> np.ndarray:
        """A⁻¹ C."""
        return self.vectors @ (self.inverse[:, None] * (self.vectors.T @ C))

    def whiten(self, Hc: np.ndarray) -> np.ndarray:
        """Rows z with z'z = h' A⁻¹ h for the rows h of ``Hc``."""
        return (Hc @ self.vectors) * np.sqrt(self.inverse)

    @property
    def effective_units(self) -> float:
        """trace(A⁻¹ Gc): how many hidden units' worth of freedom alpha leaves."""
        return float(self.inverse @ self.values)


@dataclass
class RidgeSystem:
    """Normal equations of a ridge regression, ready to be solved for any alpha.

    With at least as many rows as hidden units it holds the Gram matrix (its lower triangle); with
    fewer, the singular values of the rows themselves, which are smaller and keep more digits;
    ``left`` are their left singular vectors, where no row depends on the others.
    """

    weight: float
    hidden_mean: np.ndarray
    target_mean: np.ndarray
    cross: np.ndarray
    squares: np.ndarray
    fit_intercept: bool
    gram: np.ndarray | None = None
    left: np.ndarray | None = None
    _spectrum: tuple[np.ndarray, np.ndarray] | None = None

    @classmethod
    def from_rows(
        cls, H: np.ndarray, T: np.ndarray, weight: np.ndarray | None, *, fit_intercept: bool
    ) -> "RidgeSystem":
        """The system of rows held in memory, fewer of them than hidden units."""
        w = np.ones(len(H)) if weight is None else weight
        require_weight(w.sum())
        fraction = w / w.sum() if fit_intercept else np.zeros(len(H))
        hidden_mean = fraction @ H
        target_mean = fraction @ T
        Hc = H - hidden_mean
        Tc = T - target_mean
        root = np.sqrt(w)[:, None]
        left, singular, right = svd(root * Hc, full_matrices=False)
        # What is zero but for rounding (one direction is, once the mean is out) must go, or a tiny
        # alpha would blow that rounding up.
        present = singular > np.finfo(float).eps * max(H.shape) * singular[0]
        present[0] = True
        left = left[:, present]
        singular = singular[present]
        right = right[present]
        return cls(
            weight=float(w.sum()),
            hidden_mean=hidden_mean,
            target_mean=target_mean,
            cross=right.T @ (singular[:, None] * (left.T @ (root * Tc))),
            squares=w @ Tc**2,
            fit_intercept=fit_intercept,
            left=left if len(singular) == len(H) - fit_intercept else None,
            _spectrum=(singular**2, right.T),
        )

    @property
    def spectrum(self) -> tuple[np.ndarray, np.ndarray]:
        """Eigenvalues and eigenvectors of Gc, computed when first asked for."""
        if self._spectrum is None:
            values, vectors = eigh(self.gram, lower=True, check_finite=False, driver="evd")
            self._spectrum = np.maximum(values, 0), vectors  # rounding leaves some below zero
        return self._spectrum

    @property
    def base(self) -> float:
        """What the intercept adds to every leverage."""
        return self.fit_intercept / self.weight

    @property
    def mean_eigenvalue(self) -> float:
        """trace(Gc) / m, the scale on which alpha is large or small."""
        trace = self.spectrum[0].sum() if self.gram is None else np.trace(self.gram)
        return float(trace) / len(self.hidden_mean)

    def solved(self, alpha: float) -> "RidgeModel":
        """The model for one alpha: by Cholesky, or by the spectrum where that cannot be."""
        resolution = 0.0 if self.gram is None else np.finfo(float).eps * np.trace(self.gram)
        if self.gram is None or alpha <= resolution:
            return RidgeModel(self, SpectralFactor(*self.spectrum, alpha, resolution))
        A = self.gram.copy(order="F")
        A[np.diag_indices_from(A)] += alpha
        try:
            lower = cholesky(A, lower=True, overwrite_a=True, check_finite=False)
        except LinAlgError:  # alpha drowns in the rounding of a singular Gram matrix
            return RidgeModel(self, SpectralFactor(*self.spectrum, alpha))
        return RidgeModel(self, CholeskyFactor(lower, alpha))


def require_weight(total: float) -> None:
    """Raise when no row has any weight, so that there is nothing to learn from."""
    if not total > 0:
        raise ValueError("a record of rows whose weights sum to zero leaves nothing to solve.")


@dataclass(frozen=True)
class RidgeModel:
    """Normal equations solved for one alpha."""

    system: RidgeSystem
    factor: CholeskyFactor | SpectralFactor

    @cached_property
    def coef(self) -> np.ndarray:
        """Output weights B, shape (m, q)."""
        return self.factor.solve(self.system.cross)

    @cached_property
    def intercept(self) -> np.ndarray:
        """One intercept per output."""
        return self.system.target_mean - self.system.hidden_mean @ self.coef

    @property
    def degrees_of_freedom(self) -> float:
        """Trace of the smoother, which is the sum of all leverages."""
        return self.factor.effective_units + self.system.fit_intercept

    def predict(self, H: np.ndarray) -> np.ndarray:
        """Predictions for rows of hidden activations, shape (n, q)."""
        return H @ self.coef + self.intercept

    def whiten(self, H: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """Rows whose inner products, plus ``system.base``, are the entries of the smoother.

        ``out`` is memory to work in, of the shape of H.
        """
        return self.factor.whiten(np.subtract(H, self.system.hidden_mean, out=out))


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
    >>> from errata.elm._ridge import GramRecord
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
        m = n_hidden
        q = n_targets
        gram = np.zeros((m, m), order="F")
        cross = np.zeros((m, q))
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
    for places, hidden in rows.blocks(selection):
        record = record.absorb(hidden, rows.target[places], rows.get_weight(places))
    return record


def merge_records(records: Sequence[GramRecord]) -> GramRecord:
    """The record of the rows of all."""
    return reduce(GramRecord.merge, records)


def sum_all_others(records: Sequence[GramRecord]) -> Iterator[GramRecord]:
    """For each record in turn, the sum of all the others.

    Halving the list hands every part the sum of what lies outside it: nothing is ever subtracted,
    so no digits cancel, and no more than log2(K) sums are held.
    """
    return _sum_others(records, [])


def _sum_others(inside: Sequence[GramRecord], outside: list[GramRecord]) -> Iterator[GramRecord]:
    if len(inside) == 1:
        yield merge_records(outside)
        return
    half = len(inside) // 2
    yield from _sum_others(inside[:half], [merge_records([*inside[half:], *outside])])
    yield from _sum_others(inside[half:], [merge_records([*inside[:half], *outside])])
