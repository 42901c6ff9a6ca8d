"""Rows as they are judged, and flags: those worth a look, drawn from all rows or from sums.

Where rows are too many to be sorted in one place, whatever is needed to draw the line is added up
part by part. The list is then the same but for rows within a bin of the line.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np

from ..._detector import count_kept
from .._settings import CLEAN_THRESHOLD, KEPT_OF_A_CLASS, LAST_OF_A_CLASS, MOST_EXAMPLES_OF_MANY

# Flags. `python benchmarks/honesty.py claims untouched`, `detection.py real`, `detection.py`
LEAST_FLAGGED = 0.2  # a label that is wrong with less than this is not worth a look
SUSPICION_BINS = 2**14  # equal ones, that rows are counted in beyond; a power of two

# `python benchmarks/review.py decisions report`, with labels that a rule gave
BETTER_ODDS = 1.25  # of a list after verdicts to those of the table
HESITATION = 0.25  # standard deviations by which verdicts must speak against a flag, or for one

HISTOGRAM_BINS = 20  # of p_wrong, in reports


def draw_flags(
    p_wrong: np.ndarray, suspicion: np.ndarray, precision: float | None = None
) -> tuple[np.ndarray, float, float]:
    """Flag the most suspicious rows, as many as are expected to serve best.

    Without a precision, the list with the largest expected F1 score among rows that are wrong with
    a probability worth a look; with one, the longest list whose expected fraction of wrong labels
    reaches it. Returns which rows are flagged, and the expected precision and recall.
    """
    worth = p_wrong >= (LEAST_FLAGGED if precision is None else 0.0)
    listed = np.flatnonzero(suspicion >= suspicion.take(np.flatnonzero(worth)).min(initial=np.inf))
    order = listed[_sort_falling(suspicion[listed])]
    found = np.cumsum(p_wrong[order])
    total = p_wrong.sum()
    length = np.arange(1, len(order) + 1)
    count = 0
    if precision is not None:
        enough = np.flatnonzero(found / length >= precision)
        if len(enough):
            count = int(enough[-1]) + 1
    elif worth.any():  # the F1 score is 2 found / (length + total)
        last = np.flatnonzero(worth[order])[-1]  # others may be as suspicious as the last
        count = int(min((2 * found / (length + total)).argmax(), last)) + 1
    flagged = np.zeros(len(p_wrong), dtype=bool)
    flagged[order[:count]] = worth[order[:count]]
    p_flagged = p_wrong.take(np.flatnonzero(flagged))
    expected = float(p_flagged.mean()) if len(p_flagged) else float("nan")
    recall = float(p_flagged.sum() / total) if total > 0 else float("nan")
    return flagged, expected, recall


def flag_after_verdicts(
    p_wrong: np.ndarray,
    spread: np.ndarray,
    suspicion: np.ndarray,
    flagged: np.ndarray,
    draw: Callable[..., Any] = draw_flags,
) -> np.ndarray:
    """Flags that few verdicts move only where they say so clearly.

    Five verdicts on suspects say little of all of them: what was flagged stays so a little longer
    than its probability tells, and what was not has to be a little more probably wrong.

    Parameters
    ----------
    p_wrong, spread : arrays of shape (n,)
        The probability that each label is wrong after the verdicts, and how sure it is.
    suspicion : array of shape (n,)
        The ranking.
    flagged : array of bool of shape (n,)
        The suspects if nobody had decided on any row.
    draw : callable, optional
        Draws flags by the same rules as :func:`draw_flags`.

    Examples
    --------
    >>> p_wrong = np.array([0.3, 0.25, 0.19, 0.17])
    >>> spread = np.full(4, 0.1)
    >>> flag_after_verdicts(p_wrong, spread, p_wrong, np.array([True, True, True, False]))
    array([ True,  True,  True, False])
    >>> flag_after_verdicts(p_wrong, spread, p_wrong, np.array([True, True, False, False]))
    array([ True,  True, False, False])
    """
    towards = np.where(flagged, HESITATION, -HESITATION) * spread
    return draw((p_wrong + towards).clip(0, 1), suspicion)[0]


def keep_better_than_rate(flagged: np.ndarray, p_wrong: np.ndarray) -> np.ndarray:
    """The flags if they are clearly better than the table, else those of rows that are, if any.

    Where half of the labels are wrong, and verdicts say that nobody knows which, the list with the
    largest expected F1 score is the whole table.

    >>> keep_better_than_rate(np.array([True, True, True]), np.array([0.5, 0.5, 0.51]))
    array([False, False, False])
    >>> keep_better_than_rate(np.array([True, True, True]), np.array([0.5, 0.5, 0.6]))
    array([False, False,  True])
    """
    if not flagged.any():
        return flagged
    rate = p_wrong.mean()
    wanted = BETTER_ODDS * rate / (1 - rate + BETTER_ODDS * rate)
    return flagged if p_wrong[flagged].mean() >= wanted else flagged & (p_wrong >= wanted)


def _sort_falling(values: np.ndarray) -> np.ndarray:
    """The places of values from the largest on, equal ones in their order.

    A sort that keeps the order of equal ones takes five times as long, and there hardly are any:
    these are put in order afterwards.
    """
    order = np.argsort(-values)
    in_order = values[order]
    differs = np.r_[True, in_order[1:] != in_order[:-1], True]
    equal = np.flatnonzero(~(differs[1:] & differs[:-1]))
    if len(equal):
        rows = order[equal]
        order[equal] = rows[np.lexsort((rows, np.cumsum(differs)[equal]))]
    return order


def rank_in_bins(p_wrong: np.ndarray, suspicion: np.ndarray) -> np.ndarray:
    """Rows whose label may be wrong by bins of suspicion, from 0 to 1, shape (4, bins).

    The rows of each bin, and how many of them are expected to be wrong; the same of the rows that
    are wrong with a probability worth a look. Those of two parts, added, are those of both.
    """
    # The number of bins is a power of two, so that places and edges have no rounding.
    place = np.minimum((suspicion * SUSPICION_BINS).astype(np.intp), SUSPICION_BINS - 1)
    worth = p_wrong >= LEAST_FLAGGED
    sums = [
        np.bincount(among, weights=p, minlength=SUSPICION_BINS)
        for among, mass in ((place, p_wrong), (place[worth], p_wrong[worth]))
        for p in (None, mass)
    ]
    return np.array(sums, dtype=float)


class Rows(NamedTuple):
    """Rows of a table as they are judged, flagged and written; one entry for each."""

    code: np.ndarray  # of the label among all classes; -1 for a row without a label
    other: np.ndarray  # the most probable other class; the most probable of all without a label
    p_wrong: np.ndarray
    p_other: np.ndarray  # probability of ``other``
    suspicion: np.ndarray
    p_elsewhere: np.ndarray  # p_wrong if labels near the borders of classes are not noisy
    audited: np.ndarray  # bool; False where the class is too rare, or there is no label
    known: np.ndarray | None = None  # bool: the label is certain
    flagged: np.ndarray | None = None
    suggested: np.ndarray | None = None  # code; the label itself where no other class is suggested
    p_suggested: np.ndarray | None = None
    row: np.ndarray | None = None  # places in the table, where these are some of its rows

    @classmethod
    def judged(
        cls,
        codes: np.ndarray,
        known: np.ndarray | None,
        at: np.ndarray,
        found: Any,
        present: np.ndarray,
    ) -> "Rows":
        """An entry for each row; those that could be audited are ``at``, and were ``found`` so.

        Classes that were found are places among those that are ``present``.
        """
        n = len(codes)
        if len(found.p_wrong) == n and (at.dtype == bool or (at[1:] > at[:-1]).all()):
            return cls(
                code=codes,
                other=present.take(found.other),
                p_wrong=found.p_wrong,
                p_other=found.p_other.astype(float, copy=False),
                suspicion=found.suspicion,
                p_elsewhere=found.p_elsewhere,
                audited=np.ones(n, dtype=bool),
                known=known,
            )
        rows = cls(
            code=codes,
            other=np.zeros(n, dtype=np.intp),
            p_wrong=np.zeros(n),
            p_other=np.zeros(n),
            suspicion=np.zeros(n),
            p_elsewhere=np.zeros(n),
            audited=np.zeros(n, dtype=bool),
            known=known,
        )
        rows.other[at] = present[found.other]
        rows.p_wrong[at] = found.p_wrong
        rows.p_other[at] = found.p_other
        rows.suspicion[at] = found.suspicion
        rows.p_elsewhere[at] = found.p_elsewhere
        rows.audited[at] = True
        return rows

    def fill(self, codes: np.ndarray, p: np.ndarray) -> None:
        """Take over the most probable class of each row without a label, and its probability."""
        self.other[self.code < 0] = codes
        self.p_other[self.code < 0] = p

    @property
    def doubtful(self) -> np.ndarray:
        """Whether a row has a label that may be wrong."""
        labelled = self.code >= 0
        return labelled if self.known is None else labelled & ~self.known

    @property
    def may_be_flagged(self) -> np.ndarray:
        """Rows whose label may be wrong, and which models could judge."""
        return self.doubtful & self.audited

    def ranking(self) -> np.ndarray:
        """Counts of these rows, which add to the line that flags are drawn by."""
        rows = self.may_be_flagged
        if rows.all():
            return rank_in_bins(self.p_wrong, self.suspicion)
        return rank_in_bins(self.p_wrong[rows], self.suspicion[rows])

    def flag(self, flagged: np.ndarray, rate: float) -> "Rows":
        """The same with flags and suggestions.

        Flagged rows and those without a label get another class; of others the label itself is
        suggested, which is right unless it is wrong. A label that was not audited is as good as
        labels are here, wrong at the ``rate`` of the others. A row without a label has none that
        could be wrong, one whose label is known a right one: ``p_wrong`` is 0.
        """
        p_wrong = self.p_wrong
        suspicion = self.suspicion
        if not self.may_be_flagged.all():
            p_wrong = np.where(self.audited, p_wrong, rate)
            p_wrong[~self.doubtful] = 0.0
            suspicion = np.where(self.audited, suspicion, 0.0)
        is_other = np.flatnonzero(flagged | (self.code < 0))
        suggested = self.code.astype(self.other.dtype)
        suggested[is_other] = self.other[is_other]
        p_suggested = 1 - p_wrong
        p_suggested[is_other] = self.p_other[is_other]
        return self._replace(
            p_wrong=p_wrong,
            suspicion=suspicion,
            flagged=flagged,
            suggested=suggested,
            p_suggested=p_suggested,
        )

    def for_rows(self, rows: np.ndarray | slice) -> "Rows":
        """The same of some of these rows."""
        some: list[Any] = [None if column is None else column[rows] for column in self]
        return Rows(*some)

    def worst(self) -> "Rows":
        """The most suspicious of them, as many as are shown; of equals, the first in the table."""
        assert self.row is not None
        return self.for_rows(np.lexsort((self.row, -self.suspicion))[:MOST_EXAMPLES_OF_MANY])

    def digest(self) -> str:
        """A name for labels and probabilities of these rows."""
        digest = blake2b(self.p_wrong.astype("<f8").tobytes(), digest_size=16)
        digest.update(self.code.astype("<i4").tobytes())
        return digest.hexdigest()


def stack_rows(pieces: Sequence[Rows]) -> Rows:
    """Rows under each other."""
    columns = zip(*pieces, strict=True)
    stacked: list[Any] = [None if c[0] is None else np.concatenate(c) for c in columns]
    return Rows(*stacked)


def draw_line(
    ranking: np.ndarray, precision: float | None = None
) -> tuple[tuple[float, float], float, float]:
    """The line by the same rules as :func:`draw_flags`, a whole bin at a time.

    With bins from above, count c and mass m, the expected F1 score of the first k bins is
    ``2 sum(m[:k]) / (sum(c[:k]) + sum(m))``. Returns the suspicion and the ``p_wrong`` that rows
    must reach to be flagged, and the expected precision and recall.
    """
    count, mass, worth, worth_mass = ranking[:, ::-1].cumsum(axis=1)
    total = float(mass[-1])
    bins = 0  # from above
    if precision is None:
        least = LEAST_FLAGGED
        rows = worth
        wrong = worth_mass
        if worth[-1]:
            bins = int((mass / (count + total)).argmax()) + 1
    else:
        least = 0.0
        rows = count
        wrong = mass
        enough = np.flatnonzero((count > 0) & (mass >= precision * count))
        if len(enough):
            bins = int(enough[-1]) + 1
    if not bins:
        return (np.inf, least), np.nan, 0.0 if total > 0 else np.nan
    found = float(wrong[bins - 1])
    edge = (SUSPICION_BINS - bins) / SUSPICION_BINS
    return (edge, least), found / rows[bins - 1], found / total if total > 0 else np.nan


def reach_line(line: tuple[float, float], p_wrong: np.ndarray, suspicion: np.ndarray) -> np.ndarray:
    """Which rows are flagged by :func:`draw_line`, of rows whose label may be wrong."""
    least_suspicion, least_p_wrong = line
    return (suspicion >= least_suspicion) & (p_wrong >= least_p_wrong)


def flags_by_line(
    p_wrong: np.ndarray, suspicion: np.ndarray, precision: float | None = None
) -> tuple[np.ndarray, float, float]:
    """The flags of many rows that are in memory, the same as those of rows on disk."""
    line, expected, recall = draw_line(rank_in_bins(p_wrong, suspicion), precision)
    return reach_line(line, p_wrong, suspicion), expected, recall


def near_borders(p_elsewhere: np.ndarray) -> int:
    """How many of some flagged rows would not be worth a look without noise at the borders."""
    return int(np.sum(p_elsewhere < LEAST_FLAGGED))


@dataclass(frozen=True, eq=False)
class Totals:
    """Sums over rows: those of two parts, added, are those of both together.

    ``classes`` stands for the number of classes, in their order.
    """

    n: int  # rows
    known: int  # of them with a label that is certain
    rows: np.ndarray  # (classes,), rows with that label
    wrong: np.ndarray  # (classes,), of them expected to be wrong
    flagged: np.ndarray  # (classes,), of them flagged
    above: np.ndarray  # (classes,), of them wrong with a probability that cleaning acts upon
    confusion: Counter[tuple[int, int]]  # flagged rows by the codes of label and suggestion
    histogram: np.ndarray  # labelled rows by p_wrong, in equal bins
    flagged_histogram: np.ndarray  # flagged ones
    near_borders: int = 0  # flagged rows that look wrong only if errors gather where classes meet

    @classmethod
    def of(
        cls,
        n_classes: int,
        codes: np.ndarray,
        *,
        suggested: np.ndarray,
        p_wrong: np.ndarray,
        flagged: np.ndarray,
        known: np.ndarray | None = None,
        p_elsewhere: np.ndarray | None = None,
    ) -> "Totals":
        """The totals of some rows.

        Parameters
        ----------
        n_classes : int
            How many classes the whole table has.
        codes, suggested : arrays of int of shape (n,)
            The places of label and suggestion among the classes; -1 for a row without a label.
        p_wrong, flagged : arrays of shape (n,)
            As in :class:`errata.Audit`.
        known : array of bool of shape (n,), optional
            Labels that are certain.
        p_elsewhere : array of shape (n,), optional
            ``p_wrong`` if labels near the borders of classes are not noisy.
        """
        labelled = codes >= 0
        given = codes[labelled]
        p = p_wrong[labelled]
        drawn = flagged[labelled]
        pairs = zip(codes[flagged].tolist(), suggested[flagged].tolist(), strict=True)
        return cls(
            n=len(codes),
            known=0 if known is None else int(known.sum()),
            rows=np.bincount(given, minlength=n_classes),
            wrong=np.bincount(given, weights=p, minlength=n_classes),
            flagged=np.bincount(given[drawn], minlength=n_classes),
            above=np.bincount(given[p > CLEAN_THRESHOLD], minlength=n_classes),
            confusion=Counter(pairs),
            histogram=np.histogram(p, histogram_edges())[0],
            flagged_histogram=np.histogram(p[drawn], histogram_edges())[0],
            near_borders=0 if p_elsewhere is None else near_borders(p_elsewhere[flagged]),
        )

    def __add__(self, other: "Totals") -> "Totals":
        pairs = {f.name: (getattr(self, f.name), getattr(other, f.name)) for f in fields(self)}
        return Totals(**{name: mine + theirs for name, (mine, theirs) in pairs.items()})

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        values = {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in values.items()}
        return values | {"confusion": [[*pair, count] for pair, count in self.confusion.items()]}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "Totals":
        """Read :meth:`as_dict` again."""
        arrays = {k: np.array(v) if isinstance(v, list) else v for k, v in values.items()}
        confusion = Counter({(label, other): count for label, other, count in values["confusion"]})
        return cls(**arrays | {"confusion": confusion})

    @cached_property
    def labelled(self) -> int:
        """Rows with a label."""
        return int(self.rows.sum())

    @cached_property
    def n_flagged(self) -> int:
        """Rows that are flagged."""
        return int(self.flagged.sum())

    @cached_property
    def dropped(self) -> int:
        """Rows that ``clean`` drops with its defaults: never more of a class than may go."""
        return count_dropped(self.above, self.rows)


def count_dropped(wrong: np.ndarray, sizes: np.ndarray) -> int:
    """How many rows may be dropped, of so many wrong ones in classes of these sizes."""
    kept = count_kept(sizes, min_per_class=LAST_OF_A_CLASS, min_fraction=KEPT_OF_A_CLASS)
    return int(np.minimum(wrong, sizes - kept).sum())


def histogram_edges() -> np.ndarray:
    """Edges of the bins of ``p_wrong``."""
    return np.linspace(0, 1, HISTOGRAM_BINS + 1)
