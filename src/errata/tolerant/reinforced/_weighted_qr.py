"""All that least squares and principal axes need of a table, gathered block by block."""

import numpy as np
from scipy.linalg import qr

from ..._blocks import blocks, reduce_blocks

# Rows at a time: the weighted copies stay small however long the table is.
BLOCK_ROWS = 8_192


def centre_of(X: np.ndarray) -> np.ndarray:
    """The median of each column, to be taken off before anything is squared or factorised.

    Columns far from zero keep their digits that way, and as the median of a constant column is
    that constant, such a column becomes zero instead of rounding errors to fit.
    """
    return np.median(X, axis=0)


def triangle(columns: list[np.ndarray], weights: np.ndarray, *, ones: bool = True) -> np.ndarray:
    """Upper-triangular R with ``R'R = Z'WZ``, where Z holds a column of ones and the ``columns``.

    It is the triangular factor of the weighted table, found from those of its blocks: the factor of
    two blocks together is the factor of their two factors on top of each other. Never squares the
    table, so that half of the digits are not lost as they are in ``Z'WZ``. As ones come first, the
    corner below them, ``R[1:, 1:]``, belongs to the columns less their weighted means, and the
    means are ``R[0, 1:] / R[0, 0]``.
    """
    parts = blocks(len(weights), BLOCK_ROWS)
    return reduce_blocks(_factor_of, parts, columns, weights, ones, merge=_factor_of_both)


def _factor_of(
    rows: slice, columns: list[np.ndarray], weights: np.ndarray, ones: bool
) -> np.ndarray:
    root = np.sqrt(weights[rows])[:, None]
    block = [c[rows].reshape(len(root), -1) for c in columns]
    return _factor(np.hstack([np.ones((len(root), int(ones))), *block]) * root)


def _factor_of_both(upper: np.ndarray, lower: np.ndarray) -> np.ndarray:
    return _factor(np.vstack([upper, lower]))


def _factor(table: np.ndarray) -> np.ndarray:
    return qr(table, mode="r", overwrite_a=True, check_finite=False)[0][: table.shape[1]]
