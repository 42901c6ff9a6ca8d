"""Ridge regression on a hidden layer, from sums over rows that are added up block by block.

In the words of the equations: A = Gc + alpha I with Gc = Hc'Hc, and B = A⁻¹ Hc'Tc, where Hc and Tc
are the hidden activations and the targets without their means (the intercept is not penalised).

One fit: sums over the rows, alpha in closed form, weights, out-of-sample predictions.
"""

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial, reduce
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, blas, cho_solve, cholesky, eigh, lapack, svd
from sklearn.utils import check_array, check_consistent_length

from .._validation import check_alpha, check_sample_weight
from .._warn import warn_user
from ._hidden_layer import HiddenRows

# Fraction of the largest eigenvalue, per hidden unit, below which a direction counts as absent in
# plain least squares (alpha = 0): sums of squares do not resolve what is smaller.
RANK_TOLERANCE = 1e-12

CONSTANT = 1e-28  # variance below which hidden units are constant but for rounding

GRID = np.logspace(-8, 4, 49)  # times the mean eigenvalue of the Gram matrix
EQUAL_ERRORS = 1e-7  # relative difference
SMALLEST_COMPARED_GAP = 1e-7  # 1 - leverage that has digits enough to tell alphas apart by
EXTENSION = np.logspace(0.25, 4, 16)  # how far a grid is extended beyond its end
SMALLEST_GAP = 1e-12  # 1 - leverage below which, the row left out, nothing is left to predict it by
SMALLEST_FOLD_GAP = 1e-5  # the same for a fold, which is fitted without it before digits are lost


class CholeskyFactor:
    """A = L L' of a Gram matrix; LinAlgError where alpha drowns in its rounding."""

    def __init__(self, gram: np.ndarray, alpha: float) -> None:
        A = gram.copy(order="F")
        A[np.diag_indices_from(A)] += alpha
        self.lower = cholesky(A, lower=True, overwrite_a=True, check_finite=False)
        self.alpha = alpha

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


class SpectralFactor:
    """A = Q diag(values + alpha) Q' on the span of the rows; the pseudo-inverse for alpha = 0.

    An alpha up to ``resolution``, the rounding of the eigenvalues, is taken for zero.
    """

    def __init__(
        self, values: np.ndarray, vectors: np.ndarray, alpha: float, resolution: float = 0.0
    ) -> None:
        self.values = values
        self.vectors = vectors
        self.alpha = alpha
        # The eigenvalues of A⁻¹; zero where plain least squares has nothing to go by.
        if alpha > resolution:
            self.inverse = 1 / (values + alpha)
        else:
            present = values > RANK_TOLERANCE * len(vectors) * values.max()
            self.inverse = np.divide(1, values, out=np.zeros_like(values), where=present)

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
        """The share of the intercept in every leverage."""
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
        try:
            return RidgeModel(self, CholeskyFactor(self.gram, alpha))
        except LinAlgError:  # the Gram matrix is singular
            return RidgeModel(self, SpectralFactor(*self.spectrum, alpha))


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
    """Sums over a set of rows for a ridge regression, O(m²) numbers however many rows.

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


def split_folds(
    folds: Sequence[np.ndarray], m: int, *, all_large: bool = False
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Folds of more rows than hidden units, or all of them, and the others."""
    large = [fold for fold in folds if all_large or len(fold) > m]
    small = [fold for fold in folds if not all_large and len(fold) <= m]
    return large, small


def sum_up(
    rows: HiddenRows,
    large: Sequence[np.ndarray] = (),
    small: Sequence[np.ndarray] = (),
    *,
    fit_intercept: bool,
) -> tuple[RidgeSystem, list[GramRecord]]:
    """The system of the rows, and a record for each large fold: it is taken out of the sums again.

    Rows in none of these folds have the last record.
    """
    records = [record_of(rows, fold) for fold in large]
    if rows.n < rows.m:  # the rows are smaller than their Gram matrix, and keep more digits
        H = rows.take()
        system = RidgeSystem.from_rows(H, rows.target, rows.weight, fit_intercept=fit_intercept)
        return system, records
    if small or not large:
        records.append(record_of(rows, np.concatenate(small) if large else None))
    return merge_records(records).system(fit_intercept=fit_intercept), records


def choose_alpha(
    rule: str,
    alphas: np.ndarray | None,
    system: RidgeSystem,
    records: Sequence[GramRecord] = (),
    rows: HiddenRows | None = None,
) -> tuple[float, dict[str, np.ndarray]]:
    """The best alpha by a rule, and what was tried: the alphas and their errors.

    Without the rows, only the system is left to go by: "gcv" then stands in for the other rules.
    """
    scale = system.mean_eigenvalue
    grid = GRID * (scale if scale > CONSTANT * system.weight else 1) if alphas is None else alphas
    rule, error = _choose_criterion(rule, system, records, rows)
    grid, errors = search_alphas(error, grid, extend=alphas is None)
    if not np.isfinite(errors).any():
        warn_user(
            f"{rule} cannot compare the alphas: all leave as many parameters free as there are "
            f"rows, of which the weights make {system.weight:.3g}. The largest was taken; pass "
            "larger alphas, or weights with a mean of one."
        )
    tried = {"alphas": grid, rule: errors}
    if rule == "press":  # costs no pass over the rows, and shows how far the two agree
        tried["gcv"] = compute_gcv(system, grid)
    return float(grid[find_last_minimum(errors)]), tried


def _choose_criterion(
    rule: str, system: RidgeSystem, records: Sequence[GramRecord], rows: HiddenRows | None
) -> tuple[str, Callable[[np.ndarray], np.ndarray]]:
    if rule == "gcv" or rows is None:
        return "gcv", partial(compute_gcv, system)
    if rule == "press":
        return rule, partial(compute_press, system, rows)
    return rule, partial(compute_kfold_error, records, fit_intercept=system.fit_intercept)


def predict_outside(
    model: RidgeModel,
    rows: HiddenRows,
    records: Sequence[GramRecord] = (),
    large: Sequence[np.ndarray] = (),
    small: Sequence[np.ndarray] = (),
) -> tuple[np.ndarray, np.ndarray | None, Sequence[tuple[np.ndarray, np.ndarray]]]:
    """Predict every row by a model that did not see it, or its fold.

    Returns the predictions, the leverage of rows that were left out one by one, and the outputs of
    the models without large folds.
    """
    if not large and not small:
        return *predict_left_out(model, rows), ()
    predictions = np.empty_like(rows.target)
    solved = predict_folds(
        records,
        large,
        rows,
        alpha=model.factor.alpha,
        fit_intercept=model.system.fit_intercept,
        out=predictions,
    )
    predict_small_folds(model, small, rows, out=predictions)
    return predictions, None, solved


def predict_left_out(model: RidgeModel, rows: HiddenRows) -> tuple[np.ndarray, np.ndarray]:
    """Leave-one-out predictions, shape (n, q), and leverages, shape (n,), in one pass.

    With s the leverage of a row and t^ its fitted value, the model without the row predicts
    (t^ - s t) / (1 - s). That is NaN where the row alone decides its fitted value (s = 1).
    """
    few = model.system.left is not None and model.factor.alpha > 0
    if few and isinstance(model.factor, SpectralFactor):
        return _predict_left_out_of_few(model.system, model.factor, rows)
    predictions = np.empty_like(rows.target)
    leverage = np.empty(rows.n)
    scratch = np.empty((min(rows.block_size, rows.n), rows.m))
    for places, hidden in rows.blocks():
        Z = model.whiten(hidden, out=scratch[: len(hidden)])
        s = model.system.base + np.einsum("ij,ij->i", Z, Z)
        weight = rows.get_weight(places)
        if weight is not None:
            s *= weight
        gap = np.where(1 - s >= SMALLEST_GAP, 1 - s, np.nan)[:, None]
        fitted = model.predict(hidden)
        predictions[places] = (fitted - s[:, None] * rows.target[places]) / gap
        leverage[places] = s
    return predictions, leverage


def _predict_left_out_of_few(
    system: RidgeSystem, factor: SpectralFactor, rows: HiddenRows
) -> tuple[np.ndarray, np.ndarray]:
    """The same for independent rows, fewer than hidden units, without the rounding of 1 - s.

    With U the left singular vectors, I - S = U diag(alpha / (g + alpha)) U'. Of two such numbers
    the ratio is taken, so that alpha, however small, drops out.
    """
    U = np.asarray(system.left)
    root = np.ones((rows.n, 1)) if rows.weight is None else np.sqrt(rows.weight)[:, None]
    centred = root * (rows.target - system.target_mean)
    residual = U @ (factor.inverse[:, None] * (U.T @ centred))
    gap = U**2 @ factor.inverse
    return rows.target - residual / (gap[:, None] * root), 1 - factor.alpha * gap


def predict_folds(
    records: Sequence[GramRecord],
    folds: Sequence[np.ndarray],
    rows: HiddenRows,
    *,
    alpha: float,
    fit_intercept: bool,
    out: np.ndarray,
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Fill ``out`` for the rows of ``folds``: the model of each is the sum of the other records.

    ``records`` may end with one more, that of the rows which are in none of the folds. Returns the
    coefficients and intercepts of these models.
    """
    solved = []
    for fold, training in zip(folds, sum_all_others(records), strict=False):
        coef, intercept = training.solve(alpha, fit_intercept=fit_intercept)
        solved.append((coef, intercept))
        for places, hidden in rows.blocks(fold):
            out[places] = hidden @ coef + intercept
    return solved


def predict_small_folds(
    model: RidgeModel, folds: Sequence[np.ndarray], rows: HiddenRows, *, out: np.ndarray
) -> None:
    """Fill ``out`` for the rows of folds smaller than the hidden layer, with the model of all rows.

    Without the fold, its residuals are (I - S)⁻¹ times those with it, S being the square that the
    fold cuts from the smoother. Nothing is factorised but that square, unless the fold all but
    decides its own fitted values: then I - S is singular, and the other rows are fitted anew.
    """
    for fold in folds:
        hidden = rows.take(fold)
        weight = rows.get_weight(fold)
        Z = model.whiten(hidden)
        G = model.system.base + Z @ Z.T  # S = G W for weights W, and (I - G W)⁻¹ is written as
        root = np.ones((len(fold), 1)) if weight is None else np.sqrt(weight)[:, None]
        lower = _factorise(np.eye(len(fold)) - root * G * root.T)  # I + G W½ (I - W½ G W½)⁻¹ W½
        if lower is None:
            others = np.setdiff1d(np.arange(rows.n), fold)
            system = _build_system(rows, others, fit_intercept=model.system.fit_intercept)
            out[fold] = system.solved(model.factor.alpha).predict(hidden)
            continue
        fitted = model.predict(hidden)
        push = cho_solve((lower, True), root * (rows.target[fold] - fitted))
        out[fold] = fitted - G @ (root * push)


def _factorise(gap: np.ndarray) -> np.ndarray | None:
    """The Cholesky factor of I - S, or None where it is singular but for rounding."""
    try:
        lower = cholesky(gap, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return None
    return lower if np.all(np.diag(lower) ** 2 >= SMALLEST_FOLD_GAP) else None


def compute_gcv(system: RidgeSystem, alphas: np.ndarray) -> np.ndarray:
    """Generalised cross-validation error of each alpha, summed over outputs, from the sums alone.

    GCV = (RSS / n) / (1 - df / n)², with RSS = vc - sum_j d_j² (g_j + 2 alpha) / (g_j + alpha)².
    """
    g, Q = system.spectrum
    d = Q.T @ system.cross
    n = system.weight
    explained = (g + 2 * alphas[:, None]) / (g + alphas[:, None]) ** 2 @ d**2
    # A nearly perfect fit cancels the sum of squares; the floor keeps its sign.
    rss = np.maximum(system.squares - explained, 1e-12 * system.squares).sum(axis=1)
    df = (g / (g + alphas[:, None])).sum(axis=1) + system.fit_intercept
    return np.divide(rss / n, (1 - df / n) ** 2, out=np.full(len(alphas), np.inf), where=df < n)


def compute_press(system: RidgeSystem, rows: HiddenRows, alphas: np.ndarray) -> np.ndarray:
    """Sum of squared leave-one-out errors of each alpha, exactly, in one pass over the rows."""
    if system.left is not None and np.all(alphas > 0):
        return _compute_press_of_few(system, rows, alphas)
    g, Q = system.spectrum
    # In the basis of Q every alpha is a division: one product per block serves the whole grid.
    inverse = 1 / (g[:, None] + alphas)
    d = Q.T @ system.cross
    total = np.zeros(len(alphas))
    for places, hidden in rows.blocks():
        weight = rows.get_weight(places)
        w = np.ones(len(hidden)) if weight is None else weight
        U = (hidden - system.hidden_mean) @ Q
        gap = 1 - w[:, None] * (system.base + U**2 @ inverse)
        defined = gap >= SMALLEST_COMPARED_GAP  # elsewhere rounding would be compared
        for t, mean, d_t in zip(rows.target[places].T, system.target_mean, d.T, strict=True):
            residual = (t - mean)[:, None] - U @ (d_t[:, None] * inverse)
            outside = np.divide(residual, gap, out=np.full_like(gap, np.inf), where=defined)
            total += w @ outside**2
    return total


def _compute_press_of_few(system: RidgeSystem, rows: HiddenRows, alphas: np.ndarray) -> np.ndarray:
    """The same for fewer rows than hidden units, without the rounding of 1 - leverage.

    As small alphas fit such rows all but perfectly, that rounding would choose among them. See
    :func:`predict_left_out`, whose predictions these are the errors of.
    """
    U = np.asarray(system.left)
    inverse = 1 / (system.spectrum[0][:, None] + alphas)
    w = np.ones(rows.n) if rows.weight is None else rows.weight
    gap = U**2 @ inverse
    total = np.zeros(len(alphas))
    for t, mean in zip(rows.target.T, system.target_mean, strict=True):
        residual = U @ (inverse * (U.T @ (np.sqrt(w) * (t - mean)))[:, None])
        total += ((residual / gap) ** 2).sum(axis=0)
    return total


def compute_kfold_error(
    records: Sequence[GramRecord], alphas: np.ndarray, *, fit_intercept: bool
) -> np.ndarray:
    """Sum of squared out-of-fold errors of each alpha, from one record per fold."""
    total = np.zeros(len(alphas))
    for held_out, training in zip(records, sum_all_others(records), strict=True):
        system = training.system(fit_intercept=fit_intercept)
        g, Q = system.spectrum
        # Weights of all alphas side by side, in the basis of Q: one product serves the whole grid.
        inverse = np.column_stack([SpectralFactor(g, Q, alpha).inverse for alpha in alphas])
        weights = (Q.T @ system.cross)[:, None, :] * inverse[:, :, None]
        coef = Q @ weights.reshape(len(g), -1)
        intercept = np.tile(system.target_mean, len(alphas)) - system.hidden_mean @ coef
        repeated = held_out._replace(
            target=np.tile(held_out.target, len(alphas)),
            cross=np.tile(held_out.cross, len(alphas)),
            squares=np.tile(held_out.squares, len(alphas)),
        )
        total += repeated.squared_error(coef, intercept).reshape(len(alphas), -1).sum(axis=1)
    return total


def search_alphas(
    error: Callable[[np.ndarray], np.ndarray], alphas: np.ndarray, *, extend: bool
) -> tuple[np.ndarray, np.ndarray]:
    """The errors of all alphas of a grid, which grows by four decades where the best is its end."""
    errors = error(alphas)
    best = find_last_minimum(errors)
    if not extend or best not in (0, len(alphas) - 1) or not np.isfinite(errors[best]):
        return alphas, errors
    beyond = alphas[best] * (EXTENSION if best else 1 / EXTENSION)
    alphas = np.append(alphas, beyond)
    errors = np.append(errors, error(beyond))
    order = np.argsort(alphas)
    alphas = alphas[order]
    errors = errors[order]
    best = find_last_minimum(errors)
    if best in (0, len(alphas) - 1):
        _warn_of_the_end(alphas[best], "largest" if best else "smallest")
    return alphas, errors


def find_last_minimum(errors: np.ndarray) -> int:
    """Where the error is smallest; of what is equal but for rounding, where alpha is largest."""
    return int(np.flatnonzero(errors <= (1 + EQUAL_ERRORS) * errors.min())[-1])


def _warn_of_the_end(alpha: float, end: str) -> None:
    meaning = {
        "largest": "the hidden units hardly explain the target",
        "smallest": "the target is all but free of noise",
    }[end]
    warn_user(
        f"the {end} value tried, alpha={alpha:.3g}, has the smallest error: {meaning}. "
        "Pass alphas to look further."
    )


def _build_system(rows: HiddenRows, selection: np.ndarray, *, fit_intercept: bool) -> RidgeSystem:
    """The normal equations of some rows, from the rows themselves where these are few."""
    if len(selection) >= rows.m:
        return record_of(rows, selection).system(fit_intercept=fit_intercept)
    T = rows.target[selection]
    weight = rows.get_weight(selection)
    return RidgeSystem.from_rows(rows.take(selection), T, weight, fit_intercept=fit_intercept)
