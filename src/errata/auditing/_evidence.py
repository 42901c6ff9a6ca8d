"""Evidence: how much each column of a row speaks for another class and against the label."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..tables._cells import is_arrow, numbers, times, words_of
from ._settings import EVIDENCE_BINS, EVIDENCE_SMOOTHING, FREE_TEXT


class Cells(NamedTuple):
    """A column made comparable: numbers, or the numbers of its distinct words."""

    values: np.ndarray  # from -1 to 1, NaN where a number is missing; -1 where a word is
    bins: np.ndarray  # what is counted: ranges of numbers, words, and missing cells
    spread: float  # of the numbers; nothing for words, which are equal or not
    is_text: bool  # to be read rather than counted


def read_cells(values: Any) -> Cells:
    """Make a column comparable: an Arrow array of text, or a NumPy array.

    Examples
    --------
    >>> read_cells(np.array(["b", "a", None, "b"], dtype=object))[:2]
    (array([ 1,  0, -1,  1]), array([ 1,  0, -1,  1]))
    """
    is_time = not is_arrow(values) and values.dtype.kind in "mM"
    found = times(values) if is_time else numbers(values)
    if found is not None:
        found = _scaled(found)
        return Cells(found, _ranges(found), _spread(found), False)
    codes, words = words_of(values)
    is_text = bool(words) and sum(map(len, words)) >= FREE_TEXT * len(words)
    return Cells(codes, codes, 0.0, is_text)


def evidence(
    bins: np.ndarray,
    codes: np.ndarray,
    rows: np.ndarray,
    other: np.ndarray,
    counted: np.ndarray,
) -> np.ndarray:
    """The weight of evidence of one column for each of ``rows`` (Good, 1950).

    It is the logarithm of how many times as frequent the row's value is among rows of the class
    ``other`` as among the other rows of its own label,

        log (k_o / n_o + s / N) - log (k_l / n_l + s / N),    N = n_o + n_l,

    with ``k`` of the ``n`` rows of a class holding the value. Smoothing adds ``s`` rows with the
    value that are shared between the classes by their sizes, so that a value nobody else has says
    nothing, and one that few have says little.

    Parameters
    ----------
    bins : array of shape (n,)
        What each row holds in the column.
    codes, other : arrays of shape (n,) and of the shape of ``rows``
        Labels, and the class that each of ``rows`` is weighed against its label for; where both
        are the same the evidence is zero.
    rows : array
        The rows to weigh.
    counted : bool array of shape (n,)
        Rows that frequencies are taken from.

    Returns
    -------
    array of the shape of ``rows``

    References
    ----------
    I. J. Good (1950). Probability and the Weighing of Evidence. Griffin, London.

    Examples
    --------
    >>> fur, pets = np.array([1, 1, 1, 1, 0, 0, 0]), np.array([0, 1, 1, 1, 0, 0, 0])
    >>> all_rows = np.ones(7, dtype=bool)
    >>> evidence(fur, pets, np.array([0]), np.array([1]), all_rows).round(2)
    array([0.79])
    """
    own, itself = codes[rows], counted[rows]
    sizes = np.bincount(codes[counted], minlength=max(codes.max(), other.max(initial=0)) + 1)
    n_own, n_other = np.maximum(sizes[own] - itself, 1), np.maximum(sizes[other], 1)
    with_value = _pair_counter(codes[counted], bins[counted], int(bins.max()) + 2)
    smoothing = EVIDENCE_SMOOTHING / (n_own + n_other)
    for_own = (with_value(own, bins[rows]) - itself) / n_own + smoothing
    for_other = with_value(other, bins[rows]) / n_other + smoothing
    return np.where(other == own, 0.0, np.log(for_other) - np.log(for_own))


def differs(cells: Cells, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Whether two rows hold different words, or numbers further apart than the column's spread.

    Examples
    --------
    >>> heights = read_cells(np.array([1.0, 2.0, 3.0, 4.0, 9.0, np.nan]))
    >>> differs(heights, np.array([0, 0, 0]), np.array([1, 4, 5]))
    array([False,  True,  True])
    """
    a, b = cells.values[rows], cells.values[others]
    return (np.abs(a - b) > cells.spread) | (np.isnan(a) != np.isnan(b))


def _scaled(found: np.ndarray) -> np.ndarray:
    """Numbers whose differences cannot overflow; infinite ones count as missing."""
    finite = np.where(np.isfinite(found), found, np.nan)
    return finite / max(np.nanmax(np.abs(finite), initial=0.0), np.finfo(float).tiny)


def _ranges(found: np.ndarray) -> np.ndarray:
    """Ranges that hold about as many rows each; a value that many rows have is one by itself."""
    present = ~np.isnan(found)
    if not present.any():
        return np.full(len(found), -1)
    levels = np.arange(1, EVIDENCE_BINS) / EVIDENCE_BINS
    edges = np.unique(np.quantile(found[present], levels, method="inverted_cdf"))
    return np.where(present, np.searchsorted(edges, found), -1)


def _spread(found: np.ndarray) -> float:
    """The standard deviation, or what the quartiles make of it if that is less but not nothing.

    Outliers widen the first, two heaps of values the second; both leave most rows as they are.
    """
    present = found[~np.isnan(found)]
    if not len(present):
        return 0.0
    plain, robust = present.std(), np.ptp(np.quantile(present, [0.25, 0.75])) / 1.349
    return float(min(plain, robust) or plain)


def _pair_counter(
    first: np.ndarray, second: np.ndarray, width: int
) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """A function that tells how often a pair occurs; a table of all pairs might not fit.

    The second of a pair is from -1 to ``width`` - 2.
    """
    known = np.sort(first * width + second)

    def count(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        wanted = a * width + b
        return np.searchsorted(known, wanted, "right") - np.searchsorted(known, wanted, "left")

    return count
