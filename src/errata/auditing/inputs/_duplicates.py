"""Rows that are equal, or nearly: whether they are copies, and what their labels tell.

A copy brings its label along, so copies confirm each other's errors and must be left out together.
Rows that agree only because the columns are coarse, as in a table of five yes-or-no questions, were
labelled one by one: what they say about each other counts.

A first pass over the bits marks which of them occur twice, in two bitmaps. A second takes the rows
out whose bits do, which are few, and compares those. Of a larger table this is done for one
fraction of all bits after the other, so that memory does not grow with it.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.special import softmax

from .._settings import CHECK_SAMPLE, CHECKED_ROWS, MEDIUM
from ..models._base import TrainingData
from ..models._default import RBFRidge
from ..sequences import Recordings
from ._groups import renumber_groups

# Sequences. `benchmarks/sequences.py audit` compared pools of models; sizes were set by hand.
CHECK_MOMENTS = 20_000  # rows at most that errors are injected into
PIECE = 0.5  # of the mean run of one label: the length of an injected error

# Columns that hold the label, and copies of rows. `python benchmarks/honesty.py claims leak copies`
COPIES_NEAR = 1e-3  # standard deviations that a feature of near-copies may differ by
COPIES_FAR = 10 * COPIES_NEAR  # as far as other rows are looked for, to tell copies from a crowd
ENOUGH_TO_TELL = 10_000  # rows, to tell copies from rows that coarse columns make equal
MOST_COPIES = 5  # of a row on the mean; with fewer distinct rows the columns are coarse
CROWD = 0.05  # fraction of the distinct rows; so many in one place are not near-copies
DIRECTIONS = 3  # few, as every further one has borders that near rows may straddle
LEAST_TRANSITION = 1e-3  # no error is impossible
LEAST_PROBABILITY = 1e-30  # has a logarithm in single precision, too

BITMAP_BITS = 26  # of the places where rows are marked that may be equal to others
LARGEST_BITMAP_BITS = 30  # 128 MB
MANY_ROUNDS = 8  # that all rows are read for, twice each, before the bitmap grows
MOST_REPEATED = 10_000_000  # of such rows that are compared

Pieces = Callable[[], Iterable[tuple[int, np.ndarray, np.ndarray]]]


def conflicting_duplicates(X: Any, codes: np.ndarray) -> list[np.ndarray]:
    """Groups of equal rows whose labels differ, each in order, the first rows first.

    ``X`` may be sparse. O(n d + n log n).
    """
    groups = _equal_rows(X)
    rows = np.flatnonzero(_in_company(groups))
    rows = rows[np.argsort(groups[rows], kind="stable")]
    return _conflicting(groups[rows], codes[rows], rows)


def duplicates_by_bits(bits: np.ndarray, codes: np.ndarray, rows: np.ndarray) -> list[np.ndarray]:
    """The same for ``rows`` of which only :func:`mix_bits` is known.

    Of two rows that differ, one pair in 10^19 has the same bits.

    Examples
    --------
    >>> bits = np.array([7, 5, 7, 5], dtype=np.uint64)
    >>> duplicates_by_bits(bits, np.array([0, 1, 2, 1]), rows=np.array([10, 11, 12, 13]))
    [array([10, 12])]
    """
    order = np.argsort(bits, kind="stable")
    same = bits[order[1:]] == bits[order[:-1]]
    order = order[(np.r_[same, False] | np.r_[False, same])[: len(order)]]
    found = _conflicting(bits[order], codes[order], rows[order])
    return sorted(found, key=lambda group: int(group[0]))


def _conflicting(groups: np.ndarray, codes: np.ndarray, rows: np.ndarray) -> list[np.ndarray]:
    """Rows of the groups, which lie together, whose codes are not all the same."""
    starts = np.flatnonzero(groups[1:] != groups[:-1]) + 1
    found = zip(np.split(rows, starts), np.split(codes, starts), strict=True)
    return [group for group, labels in found if (labels != labels[:1]).any()]


def copy_groups(X: np.ndarray) -> np.ndarray:
    """The number of each row's group, from 0 in order of appearance; equal rows share one.

    So do near-copies: rows none of whose features differ by more than 0.001 standard deviations,
    if that can hardly be chance. It can when rows are crowded, as in a single continuous column:
    then many more are a little farther apart. So more than half of the pairs found within 0.01 must
    be within 0.001; in a crowd it is one in five or fewer. Nor may a twentieth of the distinct rows
    be in one place, as they are where one huge value dwarfs all differences, or a group be a chain,
    more than 0.002 from end to end. There, only equal rows share a number.

    Parameters
    ----------
    X : array of shape (n, d)
        Features with mean 0 and standard deviation 1.

    Returns
    -------
    array of int of shape (n,)

    Notes
    -----
    Rows are compared in full if they meet in a cell of a grid along three random directions, or of
    the same grid moved by half a cell: O(n d + n log n). A pair is missed now and then when its
    features differ by nearly all that is allowed.
    """
    if not X.shape[1]:
        return np.arange(len(X))  # rows about which nothing is known need not be equal
    equal = _equal_rows(X)
    distinct = X[np.unique(equal, return_index=True)[1]]
    return _near_rows(distinct)[equal]


def are_copies(groups: np.ndarray, codes: np.ndarray, q: np.ndarray) -> bool:
    """Whether equal rows are copies of each other, labels included, or independent.

    Independent rows differ in label as often as ``q`` expects, copies only by errors made after
    copying. If a fraction s of them are copies, about 1 - s of the expected differences are seen.
    So they are called copies when no more than half is seen: then most are.

    Where next to none is expected, next to none is seen whatever they are, and the answer may be
    yes by chance. That does little harm: models that tell the labels so well without the equal rows
    can do without them.

    Parameters
    ----------
    groups : array of int of shape (n,)
        What :func:`copy_groups` gives.
    codes : array of int of shape (n,)
        The labels, from 0 to K - 1.
    q : array of shape (K, n)
        Probabilities of the labels, by models that saw no row of the same group.

    Returns
    -------
    bool
        False if no two rows are equal.
    """
    equal = _EqualRows(groups, codes, q)
    observed, expected = equal.count_differences()
    return len(equal.rows) > 0 and 2 * observed <= expected


def measure_unexplained(groups: np.ndarray, codes: np.ndarray, q: np.ndarray) -> float:
    """Fraction of the differing labels of equal rows that overlapping classes do not explain.

    Parameters are those of :func:`are_copies`.
    """
    observed, expected = _EqualRows(groups, codes, q).count_differences()
    return max(0.0, 1 - expected / observed) if observed else 0.0


def count_overlap(groups: np.ndarray, codes: np.ndarray, q: np.ndarray) -> float:
    """Fraction of rows in groups of equals whose labels differ, as far as models expect them to.

    Parameters
    ----------
    groups, codes, q
        As for :func:`are_copies`, of all rows.
    """
    first = np.zeros(groups.max() + 1, dtype=codes.dtype)
    first[groups] = codes
    mixed = np.zeros(len(first), dtype=bool)
    mixed[groups[codes != first[groups]]] = True
    if not mixed.any():
        return 0.0
    return float(mixed[groups].mean()) * (1 - measure_unexplained(groups, codes, q))


def group_vote(
    groups: np.ndarray, codes: np.ndarray, q: np.ndarray, transition: np.ndarray
) -> np.ndarray:
    """Probability that a label is wrong, by all labels of its group; NaN where they do not differ.

    P(c | group) is proportional to q_g[c] times the product of T[c, label] over the rows of the
    group, q_g being the normalised geometric mean of their columns of ``q``.

    Parameters
    ----------
    groups, codes, q
        As for :func:`are_copies`.
    transition : array of shape (K, K)
        ``T[c, l] = P(label = l | class = c)``; at least 0.001 is taken.
    """
    equal = _EqualRows(groups, codes, q)
    errors = np.log(np.maximum(transition, LEAST_TRANSITION))
    classes = softmax(np.log(equal.proba) + equal.labels @ errors.T, axis=1)
    wrong = 1 - classes[equal.group, codes[equal.rows]]
    vote = np.full(len(codes), np.nan)
    vote[equal.rows] = np.where(equal.differing[equal.group] > 0, wrong, np.nan)
    return vote


def copies_note(groups: np.ndarray, what: str = "label") -> str:
    """How many rows are left out together, and why; nothing if there are none."""
    sizes = np.bincount(groups)
    sizes = sizes[sizes > 1]
    if not len(sizes):
        return ""
    equal = f"equal to another row, or nearly ({len(sizes):,} groups)"
    return (
        f"{sizes.sum():,} rows are {equal if len(sizes) > 1 else 'equal, or nearly'}. They are "
        f"left out together, so that copies cannot confirm each other's {what}."
    )


class _EqualRows:
    """The groups of two rows or more, of labels ``codes`` and probabilities ``q`` (K, n).

    ``rows`` are those of all groups, ``group`` the number of each, ``sizes`` of the groups,
    ``labels`` (groups, K) how many of a group have each label, and ``proba`` (groups, K) the
    normalised geometric mean of what models say of them.
    """

    def __init__(self, groups: np.ndarray, codes: np.ndarray, q: np.ndarray) -> None:
        self.rows = np.flatnonzero(_in_company(groups))
        _, self.group, self.sizes = np.unique(
            groups[self.rows], return_inverse=True, return_counts=True
        )
        members = _counts(self.group, np.arange(len(self.rows)), (len(self.sizes), len(self.rows)))
        logs = np.log(np.maximum(q[:, self.rows].T, LEAST_PROBABILITY))
        self.proba = softmax(members @ logs / self.sizes[:, None], axis=1)
        self.labels = _counts(self.group, codes[self.rows], self.proba.shape)

    @property
    def differing(self) -> np.ndarray:
        """Ordered pairs of rows of a group whose labels differ."""
        return self.sizes**2 - (self.labels**2).sum(axis=1)

    def count_differences(self) -> tuple[float, float]:
        """Pairs of rows of a group whose labels differ: how many there are, and are expected.

        In a group of m rows each pair weighs 1 / (m - 1), so that a row weighs the same in any
        group.
        """
        observed = self.differing / (2 * (self.sizes - 1))
        expected = self.sizes / 2 * (1 - (self.proba**2).sum(axis=1))
        return float(observed.sum()), float(expected.sum())


def _in_company(groups: np.ndarray) -> np.ndarray:
    """Whether a row shares its group with others."""
    return np.bincount(groups)[groups] > 1


def _counts(i: np.ndarray, j: np.ndarray, shape: tuple[int, int]) -> sparse.csr_array:
    return sparse.csr_array((np.ones(len(i)), (i, j)), shape=shape)


def _equal_rows(X: Any) -> np.ndarray:
    """The number of each row's group of equal rows, from 0 in order of appearance."""
    first, second = _meeting(mix_bits(X))
    return _join_pairs(X.shape[0], first, second, _are_equal(X, first, second))


def _near_rows(X: np.ndarray) -> np.ndarray:
    """The number of each row's group of near-copies; no two rows of ``X`` are equal."""
    cells = X @ _directions(X.shape[1]) / COPIES_FAR
    met = [_not_crowded(mix_bits(np.floor(cells + shift))) for shift in (0, 0.5)]
    first, second = np.concatenate(met, axis=1)
    gaps = np.abs(X[first] - X[second]).max(axis=1, initial=0)
    near = gaps <= COPIES_NEAR
    if 2 * near.sum() <= np.sum(gaps <= COPIES_FAR):
        return np.arange(len(X))
    lengths = _lengths(X, _join_pairs(len(X), first, second, near))
    return _join_pairs(len(X), first, second, near & (lengths[first] <= 2 * COPIES_NEAR))


def _directions(d: int) -> np.ndarray:
    drawn = np.random.default_rng(0).normal(size=(d, DIRECTIONS))
    return drawn / np.sqrt((drawn**2).sum(axis=0))


def _not_crowded(cells: np.ndarray) -> np.ndarray:
    """Pairs of rows that meet in a cell, but for cells that hold too many for near-copies."""
    pairs = _meeting(cells)
    cell, met = np.unique(cells[pairs[0]], return_inverse=True, return_counts=True)[1:]
    return pairs[:, met[cell] < max(2, CROWD * len(cells))]


def _lengths(X: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """For each row how far its group reaches from end to end, in the feature where it is most."""
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    X = X[order]
    lengths = np.maximum.reduceat(X, starts) - np.minimum.reduceat(X, starts)
    return lengths.max(axis=1)[groups]


def _meeting(keys: np.ndarray) -> np.ndarray:
    """Pairs of rows with the same key: each with the next one that has it."""
    order = np.argsort(keys, kind="stable")
    same = keys[order[1:]] == keys[order[:-1]]
    return np.stack([order[:-1][same], order[1:][same]])


def _join_pairs(n: int, first: np.ndarray, second: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """The number of each row's group when the chosen pairs share one."""
    graph = _counts(first[chosen], second[chosen], (n, n))
    return connected_components(graph, directed=False)[1]


def _are_equal(X: Any, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    if sparse.issparse(X):
        return np.asarray(abs(X[first] - X[second]).sum(axis=1)).ravel() == 0
    return (X[first] == X[second]).all(axis=1)


def mix_bits(X: Any) -> np.ndarray:
    """A number for each row, by a random sum of its bits: equal for equal rows in any layout.

    A sum of floats would depend on the order of summation.
    """
    factors = np.random.default_rng(0).integers(2**63, size=X.shape[1], dtype=np.uint64)
    if not sparse.issparse(X):
        return _bits(X) @ factors
    X = sparse.csr_array(X, copy=True)
    X.sum_duplicates()
    return sparse.csr_array((_bits(X.data), X.indices, X.indptr), shape=X.shape) @ factors


def _bits(numbers: np.ndarray) -> np.ndarray:
    plus_zero = np.ascontiguousarray(numbers, dtype=float) + 0.0  # -0.0 is 0.0
    bits = plus_zero.view(np.uint64)
    return bits ^ (bits >> np.uint64(32))  # whole numbers have high bits only; products lose those


def find_repeated_rows(pieces: Pieces, n_rows: int) -> list[np.ndarray]:
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
    grown = min((8 * n_rows // MANY_ROUNDS).bit_length(), LARGEST_BITMAP_BITS)
    n_bits = max(BITMAP_BITS, grown)
    rounds = -(-8 * n_rows // 2**n_bits)
    most = MOST_REPEATED // rounds
    found = [
        group
        for number in range(rounds)
        for group in _find_repeated(partial(_fraction, pieces, rounds, number), most, n_bits)
    ]
    return sorted(found, key=lambda group: int(group[0]))


def _fraction(
    pieces: Pieces, rounds: int, number: int
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Places, bits and codes of the labelled rows that are looked at in this round."""
    for start, bits, codes in pieces():
        here = np.flatnonzero((codes >= 0) & (bits % np.uint64(rounds) == number))
        yield start + here, bits[here], codes[here]


def _find_repeated(rows: Callable[[], Iterable[tuple]], most: int, n_bits: int) -> list[np.ndarray]:
    shift = np.uint64(64 - n_bits)
    twice = _seen_twice(rows, n_bits, shift)
    found = []
    n_found = 0
    for places, bits, codes in rows():
        here = np.flatnonzero(_are_marked(twice, bits >> shift))[: most - n_found]
        found.append((bits[here], codes[here], places[here]))
        n_found += len(here)
    return duplicates_by_bits(*map(np.concatenate, zip(*found, strict=True)))


def _seen_twice(rows: Callable[[], Iterable[tuple]], n_bits: int, shift: np.uint64) -> np.ndarray:
    """A bitmap of the places that rows share with others."""
    seen, twice = np.zeros((2, 2**n_bits // 8), dtype=np.uint8)
    for _, bits, _ in rows():
        place, times = np.unique(bits >> shift, return_counts=True)
        _mark(twice, place[(times > 1) | _are_marked(seen, place)])
        _mark(seen, place)
    return twice


def _are_marked(bitmap: np.ndarray, place: np.ndarray) -> np.ndarray:
    return (bitmap[place >> np.uint64(3)] >> (place & np.uint64(7)).astype(np.uint8)) & 1 == 1


def _mark(bitmap: np.ndarray, place: np.ndarray) -> None:
    """Set the bits of places, which are sorted and differ from each other."""
    byte = place >> np.uint64(3)
    bit = np.uint8(1) << (place & np.uint64(7)).astype(np.uint8)
    first = np.flatnonzero(np.r_[True, byte[1:] != byte[:-1]][: len(byte)])
    if len(byte):
        bitmap[byte[first]] |= np.bitwise_or.reduceat(bit, first)


class Ties(NamedTuple):
    """Copies and groups among the audited rows."""

    equal: np.ndarray | None = None  # the number of each row's group of equal rows
    copies: np.ndarray | None = None  # the same where equal rows are copies
    recordings: Recordings | None = None

    def evidence(self, codes: np.ndarray) -> dict[str, Any]:
        """Arguments by which the posterior counts the evidence."""
        units = None if self.recordings is None else self.recordings.runs(codes)
        return {"equal": self.equal, "units": units}

    def changed_together(self, codes: np.ndarray) -> np.ndarray | None:
        """The number of each row's group where an injected error changes all of its rows.

        In a recording it is a part of a run of one label, as annotators err for a while.
        """
        if self.recordings is None:
            return self.copies
        runs = self.recordings.runs(codes).max() + 1
        return self.recordings.pieces(codes, max(1, round(PIECE * len(codes) / runs)))

    def some_rows(self, n: int, random: np.random.Generator) -> np.ndarray | None:
        """The rows of a self-check where all would take too long."""
        if self.recordings is not None:
            return self.recordings.windows(CHECK_MOMENTS, random) if n > CHECK_MOMENTS else None
        if n <= CHECKED_ROWS:
            return None
        return np.sort(random.choice(n, CHECK_SAMPLE, replace=False))

    def for_rows(self, rows: np.ndarray) -> "Ties":
        """The same for some of the rows."""
        return Ties(
            renumber_groups(self.equal, rows),
            renumber_groups(self.copies, rows),
            None if self.recordings is None else self.recordings.for_rows(rows),
        )


def copies_among(data: TrainingData, equal: np.ndarray | None) -> np.ndarray | None:
    """The groups of equal rows if they are copies of each other, and None otherwise.

    Equal rows may also be different rows that coarse columns cannot tell apart, and then each of
    them tells about the others. There are few distinct rows then, or labels of equal rows differ as
    often as a quick model expects that has seen none of them, or all others. Of many rows, some
    groups are asked.
    """
    if equal is None or not len(equal) / MOST_COPIES <= equal.max() + 1 < len(equal):
        return None
    rows = _rows_of_some_groups(equal, np.random.default_rng(data.random_state))
    groups = np.unique(equal[rows], return_inverse=True)[1]
    some = replace(data.for_rows(rows), folds=None)
    model = RBFRidge("RBF features", MEDIUM).lighter()
    apart = (replace(some, groups=together) for together in (groups, None))
    both = (model.out_of_fold_proba(rows) for rows in apart)
    return equal if all(are_copies(groups, some.codes, q.T) for q in both) else None


def _rows_of_some_groups(equal: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Rows of whole groups, those of two rows or more first, until they are enough.

    All rows where one group would be most of these.
    """
    sizes = np.bincount(equal)
    if 2 * sizes.max() > ENOUGH_TO_TELL:
        return np.arange(len(equal))
    order = np.lexsort((random.random(len(sizes)), sizes == 1))
    before = np.cumsum(sizes[order]) - sizes[order]
    return np.flatnonzero(np.isin(equal, order[before < ENOUGH_TO_TELL]))
