"""Equal rows in different parts of a table too large to be sorted, by bits of their features.

A first pass over the bits marks which of them occur twice, in two bitmaps. A second takes the rows
out whose bits do, which are few, and compares those. Of a larger table this is done for one
fraction of all bits after the other, so that memory does not grow with it.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

import numpy as np

from ._copies import duplicates_by_bits
from ._settings import BITMAP_BITS, MOST_REPEATED

Pieces = Callable[[], Iterable[tuple[int, np.ndarray, np.ndarray]]]

_SHIFT = np.uint64(64 - BITMAP_BITS)


def repeated_rows(pieces: Pieces, n_rows: int) -> list[np.ndarray]:
    """Groups of equal rows whose labels differ, the first rows first.

    Parameters
    ----------
    pieces : callable
        Goes through the table: for some rows the place of the first, the bits of their features,
        and the codes of their labels, -1 for none.
    n_rows : int
        Of the whole table.

    Notes
    -----
    Where columns are so coarse that most rows are equal to others, only the first ten million of
    such rows are compared.
    """
    rounds = -(-8 * n_rows // 2**BITMAP_BITS)
    most = MOST_REPEATED // rounds
    found = [
        group
        for number in range(rounds)
        for group in _repeated(partial(_fraction, pieces, rounds, number), most)
    ]
    return sorted(found, key=lambda group: int(group[0]))


def _fraction(
    pieces: Pieces, rounds: int, number: int
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Places, bits and codes of the labelled rows that are looked at in this round."""
    for start, bits, codes in pieces():
        here = np.flatnonzero((codes >= 0) & (bits % np.uint64(rounds) == number))
        yield start + here, bits[here], codes[here]


def _repeated(rows: Callable[[], Iterable[tuple]], most: int) -> list[np.ndarray]:
    twice, found, n_found = _seen_twice(rows), [], 0
    for places, bits, codes in rows():
        here = np.flatnonzero(_marked(twice, bits >> _SHIFT))[: most - n_found]
        found.append((bits[here], codes[here], places[here]))
        n_found += len(here)
    return duplicates_by_bits(*map(np.concatenate, zip(*found, strict=True)))


def _seen_twice(rows: Callable[[], Iterable[tuple]]) -> np.ndarray:
    """A bitmap of the places that rows share with others."""
    seen, twice = np.zeros((2, 2**BITMAP_BITS // 8), dtype=np.uint8)
    for _, bits, _ in rows():
        place, times = np.unique(bits >> _SHIFT, return_counts=True)
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
