"""An order of rows, columns and classes that follows from what a table holds.

Folds, bootstrap samples and random features are drawn by position. Were they drawn from a table as
it stands, another order of its rows or columns, or other names of its classes, would be another
draw. So an audit works on the table in the order of signatures: numbers that depend on the cells
alone. Cells count at a millionth of the largest in their column, so that the last bits of a
computation, which differ from processor to processor, do not change the order.
"""

from typing import Any

import numpy as np
from scipy import sparse

RESOLUTION = 2.0**20  # cells are told apart at this fraction of the largest in their column
# Table cells are round numbers, and so are halves and powers of two: edges between what counts as
# the same are put where no such number lies.
CELL_EDGE = 0.6180339887
SCALE_EDGE = 0.2915026221
DROPPED_BITS = 22  # of the 52 of a double
LEAST_SPREAD = 1e-12  # of a column that is not constant, as a fraction of its mean
FAR_EXPONENT = 900  # of two, where products of powers may be infinite or zero
SALT = np.uint64(0xD1B54A32D192ED03)
MISSING = -(2**62)


def sign_table(X: Any, beside: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Signatures of the rows and of the columns of a table, dense or sparse.

    ``beside`` are whole numbers that tell rows apart where columns would be alike without them,
    such as how many rows have the label of each.

    That of a column does not depend on the order of rows, nor that of a row on the order of
    columns; equal rows have equal signatures, and so have rows that differ in the last bits.
    O(n d), and O(n) memory besides the table.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> rows, columns = sign_table(X)
    >>> again, _ = sign_table(X[::-1, [2, 0, 1]] * (1 + 1e-13))
    >>> bool((again[::-1] == rows).all())
    True
    """
    if sparse.issparse(X):
        X = sparse.csc_array(X)
        X.sum_duplicates()
    n, d = X.shape
    rows = np.zeros(n, dtype=np.uint64)
    columns = np.zeros(d, dtype=np.uint64)
    for j in range(d):
        at, cells = _read_column(X, j)
        columns[j] = mix_bits(cells, np.uint64(0)).sum()
        rows[at] += mix_bits(cells, columns[j])
    # Columns such as "yes" in a single row hold the same cells, but in other rows.
    signatures, times = np.unique(columns, return_counts=True)
    first = rows.copy() if beside is None else rows + mix_bits(beside.astype(np.int64), SALT)
    for j in np.flatnonzero(np.isin(columns, signatures[times > 1])).tolist():
        at, cells = _read_column(X, j)
        columns[j] = mix_bits(cells, first[at]).sum()
        rows[at] += mix_bits(cells, columns[j])
    return rows, columns


def _read_column(X: Any, j: int) -> tuple[Any, np.ndarray]:
    """The rows that a column has cells in, and the cells as whole numbers."""
    if not sparse.issparse(X):
        return slice(None), round_cells(X[:, j])
    stored = slice(X.indptr[j], X.indptr[j + 1])
    return X.indices[stored], round_cells(X.data[stored])


def round_cells(values: np.ndarray) -> np.ndarray:
    """Whole numbers that are the same for values that differ by rounding.

    Examples
    --------
    >>> values = np.array([0.1, 2.0, np.nan, -7.5])
    >>> bool((round_cells(values) == round_cells(values * (1 - 1e-13))).all())
    True
    """
    values = np.ascontiguousarray(values, dtype=float)
    finite = np.isfinite(values)
    all_finite = finite.all()
    if not all_finite:
        values = np.where(finite, values, 0.0)
    largest = max(values.max(initial=0.0), -values.min(initial=0.0))
    exponent = int(np.floor(np.log2(largest) + SCALE_EDGE)) if largest > 0 else 0
    if abs(exponent) < FAR_EXPONENT:  # powers of two: the product is exact
        scaled = values * (RESOLUTION * 2.0**-exponent)
    else:  # in two steps, as the product of both factors may be infinite
        scaled = np.ldexp(values, -exponent) * RESOLUTION
    scaled += CELL_EDGE
    cells = np.floor(scaled, out=scaled).astype(np.int64)
    if not all_finite:
        cells[~finite] = MISSING
    return cells


def drop_last_bits(X: Any) -> Any:
    """A copy of a table, dense or sparse, whose numbers keep nine digits.

    Whether rows are equal, and which of two neighbours is nearer, does not depend on rounding then.

    Examples
    --------
    >>> values = np.array([0.1, -3.0, 1e-20])
    >>> bool((drop_last_bits(values) == drop_last_bits(values * (1 + 1e-13))).all())
    True
    >>> drop_last_bits(np.array([3.0, 0.25])).tolist()
    [3.0, 0.25]
    """
    if sparse.issparse(X):
        X = X.copy()
        X.data = drop_last_bits(X.data)
        return X
    bits = np.array(X, dtype=float, order="C").view(np.uint64)  # a choice of columns is not in C
    bits += np.uint64(CELL_EDGE * 2**DROPPED_BITS)
    bits &= ~np.uint64(2**DROPPED_BITS - 1)
    return bits.view(float)


def measure_spread(
    X: np.ndarray, weights: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of each column, or of one; 0 where values differ by rounding.

    The mean of equal numbers may be a bit away from them. Who divides by that bit takes it for what
    tells rows apart.

    Examples
    --------
    >>> X = np.column_stack([np.full(10, 0.3), np.arange(10) % 2])
    >>> bool(X.std(axis=0)[0] > 0), measure_spread(X)[1].tolist()
    (True, [0.0, 0.5])
    """
    mean = np.average(X, axis=0, weights=weights)
    spread = np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weights))
    rounding = max(LEAST_SPREAD, len(X) * np.finfo(float).eps) * np.abs(mean)
    return mean, np.where(spread <= rounding, 0.0, spread)


def sign_classes(rows: np.ndarray, codes: np.ndarray, n_classes: int) -> np.ndarray:
    """A signature for each class, by those of the rows labelled so; codes below 0 are none."""
    classes = np.zeros(n_classes, dtype=np.uint64)
    labelled = codes >= 0
    np.add.at(classes, codes[labelled], rows[labelled])
    return classes


def order_rows(X: Any, signatures: np.ndarray, *ties: np.ndarray) -> np.ndarray:
    """The rows in the order of their signatures, equal ones by ``ties``, then by their cells.

    What is left to the position are rows between which nothing tells.

    Examples
    --------
    >>> X = np.array([[3.0, 1.0], [0.0, 2.0], [3.0, 1.0]])
    >>> order = order_rows(X, sign_table(X)[0], np.array([1, 0, 0]))
    >>> X[order][:, 0].tolist() in ([0, 3, 3], [3, 3, 0]), [int(i) for i in order if i != 1]
    (True, [2, 0])
    """
    order = np.argsort(signatures)
    in_order = signatures[order]
    if not (in_order[1:] == in_order[:-1]).any():
        return order
    return np.lexsort((np.asarray(X.sum(axis=1)).ravel(), *ties[::-1], signatures))


def number_by_appearance(codes: np.ndarray) -> np.ndarray:
    """The codes counted from 0 in the order in which rows have them, whatever they were."""
    _, first, numbers = np.unique(codes, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[numbers]


def mix_bits(cells: np.ndarray, key: Any) -> np.ndarray:
    """Bits that look random, the same for the same cell and key: the finaliser of SplitMix64."""
    z = cells.view(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z += key
    z ^= z >> np.uint64(30)
    z *= np.uint64(0xBF58476D1CE4E5B9)
    z ^= z >> np.uint64(27)
    z *= np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return z
