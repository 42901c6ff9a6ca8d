"""Equal rows in different parts of a table too large to be sorted, by bits of their features.

A first pass over the bits marks which of them occur twice, in two bitmaps. A second takes the rows
out whose bits do, which are few, and compares those.
"""

from collections.abc import Callable, Iterable

import numpy as np

from ._copies import duplicates_by_bits
from ._settings import BITMAP_BITS, MOST_REPEATED

Pieces = Callable[[], Iterable[tuple[int, np.ndarray, np.ndarray]]]


def repeated_rows(pieces: Pieces, n_rows: int) -> list[np.ndarray]:
    """Groups of equal rows whose labels differ, the first rows first.

    Parameters
    ----------
    pieces : callable
        Goes through the table: for some rows the place of the first, the bits of their features,
        and the codes of their labels, -1 for none.
    n_rows : int
        Of the whole table; it decides about the size of the bitmaps, a byte or two for a row.

    Notes
    -----
    Where columns are so coarse that most rows are equal to others, only the first ten million of
    such rows are compared.
    """
    shift = np.uint64(64 - min(BITMAP_BITS, int(np.ceil(np.log2(8 * n_rows)))))
    twice = _seen_twice(pieces, shift)
    bits, codes, rows = [], [], []
    found = 0
    for start, part_bits, part_codes in pieces():
        place = part_bits >> shift
        here = np.flatnonzero(_marked(twice, place) & (part_codes >= 0))[: MOST_REPEATED - found]
        bits.append(part_bits[here])
        codes.append(part_codes[here])
        rows.append(start + here)
        found += len(here)
    return duplicates_by_bits(*map(np.concatenate, (bits, codes, rows)))


def _seen_twice(pieces: Pieces, shift: np.uint64) -> np.ndarray:
    """A bitmap of the places that rows share with others."""
    size = 2 ** (61 - int(shift))
    seen, twice = np.zeros(size, dtype=np.uint8), np.zeros(size, dtype=np.uint8)
    for _, bits, codes in pieces():
        place, times = np.unique(bits[codes >= 0] >> shift, return_counts=True)
        _mark(twice, place[(times > 1) | _marked(seen, place)])
        _mark(seen, place)
    return twice


def _marked(bitmap: np.ndarray, place: np.ndarray) -> np.ndarray:
    return (bitmap[place >> np.uint64(3)] >> (place & np.uint64(7)).astype(np.uint8)) & 1 == 1


def _mark(bitmap: np.ndarray, place: np.ndarray) -> None:
    """Set the bits of places, which are sorted and differ from each other."""
    byte, bit = place >> np.uint64(3), np.uint8(1) << (place & np.uint64(7)).astype(np.uint8)
    first = np.flatnonzero(np.r_[True, byte[1:] != byte[:-1]][: len(byte)])
    if len(byte):
        bitmap[byte[first]] |= np.bitwise_or.reduceat(bit, first)
