"""The second pass over a stored table: each part is judged, and what is known of it written."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .._blocks import blocks
from .._files import atomic_path
from ._flag_line import Ranking
from ._judged import Judged, part_path, write_judged
from ._judging import Judge, JudgedRows, TableRows
from ._settings import JUDGED_ROWS
from ._table_columns import TableColumns
from .classes import Posterior, grouped_hypotheses

BITS, GROUPS = "bits", "groups"  # beside the judged rows of a part


class Judging(NamedTuple):
    """What is the same for all parts."""

    judge: Judge
    columns: TableColumns
    classes: np.ndarray
    folder: Path  # for the rows that were judged
    posterior: Posterior | None  # whose hypotheses are kept for a review; None for no review


class JudgedSums(NamedTuple):
    """Sums over rows of some parts; those of neighbours, merged, are those of both."""

    ranking: Ranking
    audited: int
    wrong: float  # of the audited rows, expected to be wrong
    joint: np.ndarray
    right: np.ndarray
    unread: Counter[str]

    @property
    def rate(self) -> float:
        """Fraction of the audited rows that is expected to be wrong."""
        return self.wrong / self.audited

    def merge(self, other: "JudgedSums") -> "JudgedSums":
        """That of both."""
        pairs: Iterable[tuple[Any, Any]] = zip(self, other, strict=True)
        sums = [mine + theirs for mine, theirs in pairs]
        return JudgedSums(*sums)


def judge_part(part: Any, shared: Judging) -> JudgedSums:
    """Judge the rows of a part, and write what is known of them before flags can be drawn."""
    found = [_judged(rows, shared) for rows in _rows_of(part, shared)]
    columns, bits, groups, told = map(list, zip(*found, strict=True))
    judged = stacked_rows(columns)
    write_judged(part_path(shared.folder, part.start), judged)
    for what, arrays in ((BITS, bits), (GROUPS, groups)):
        if arrays[0] is not None:
            _save(beside(shared.folder, what, part.start), arrays)
    return reduce(JudgedSums.merge, told)


def beside(folder: Path, what: str, start: int) -> Path:
    """The file of something else that is known of a part."""
    return folder / f"{what}-{start:012d}.npy"


def _rows_of(part: Any, shared: Judging) -> Iterator[TableRows]:
    table = part.read(shared.columns.read)
    for block in blocks(part.stop - part.start, JUDGED_ROWS):
        places = np.arange(part.start + block.start, part.start + block.stop)
        some = table.slice(block.start, len(places))
        given = shared.columns.labelled(some, shared.classes)
        yield shared.columns.rows(some, places, given)


class _Block(NamedTuple):
    """A block of rows, for one file each."""

    columns: Judged
    bits: np.ndarray | None
    groups: np.ndarray | None
    told: JudgedSums


def _judged(rows: TableRows, shared: Judging) -> _Block:
    block = shared.judge.judge(rows)
    columns = _of_all(rows, block, shared.judge.present)
    groups = None if shared.posterior is None else _groups(shared.posterior, block)
    return _Block(columns, block.bits, groups, _told(columns, block))


def _of_all(rows: TableRows, judged: JudgedRows, present: np.ndarray) -> Judged:
    """An entry for each row, those that could not be audited included."""
    n, at = len(rows.codes), judged.audited
    told = judged.rows
    found = Judged(
        code=rows.codes,
        other=np.zeros(n, dtype=np.intp),
        p_wrong=np.zeros(n),
        p_other=np.zeros(n),
        suspicion=np.zeros(n),
        p_elsewhere=np.zeros(n),
        audited=at,
        known=rows.known,
    )
    found.other[at], found.p_other[at] = present[told.other], told.p_other
    found.p_wrong[at], found.suspicion[at] = told.p_wrong, told.suspicion
    found.p_elsewhere[at] = told.p_elsewhere
    if len(judged.filled):
        blank = rows.codes < 0
        found.other[blank], found.p_other[blank] = present[judged.filled], judged.p_filled
    return found


def _groups(posterior: Posterior, block: JudgedRows) -> np.ndarray:
    """What groups of hypotheses say of each row; of one that was not audited, nothing."""
    found = grouped_hypotheses(
        posterior._replace(p_wrong=block.rows.p_wrong), block.logs, block.codes
    )
    p = np.full((len(block.audited), found.p.shape[1]), np.nan, dtype=np.float32)
    p[block.audited] = found.p
    return p


def _told(columns: Judged, block: JudgedRows) -> JudgedSums:
    return JudgedSums(
        ranking=columns.ranking(),
        audited=int(columns.audited.sum()),
        wrong=float(block.rows.p_wrong.sum()),
        joint=block.rows.joint,
        right=block.rows.right,
        unread=block.unread,
    )


def stacked_rows(pieces: Sequence[Judged]) -> Judged:
    """Rows under each other."""
    columns = zip(*pieces, strict=True)
    stacked: list[Any] = [None if c[0] is None else np.concatenate(c) for c in columns]
    return Judged(*stacked)


def _save(path: Path, arrays: list[Any]) -> None:
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        np.save(file, np.concatenate(arrays))
