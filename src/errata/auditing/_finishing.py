"""The last pass over a large table: rows that were judged are flagged, written and added up."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ._flag_line import FlagLine
from ._judged import Judged, part_path, read_judged
from ._settings import MOST_EXAMPLES_OF_MANY
from ._stored_rows import PartRows, StoredPart, write_part
from ._suggestions import suggestion
from ._totals import Totals


class Finishing(NamedTuple):
    """What is needed for any part."""

    judged: Path  # folder of the rows as :func:`._judged.write_judged` has written them
    rows: Path  # folder for the rows of the audit
    classes: np.ndarray
    line: FlagLine
    rate: float  # of wrong labels among audited rows: others are as good as labels are here


class Worst(NamedTuple):
    """The most suspicious rows, the first of all at the top."""

    row: np.ndarray
    code: np.ndarray
    other: np.ndarray  # the most probable other class, also of a row that is not flagged
    p_wrong: np.ndarray
    suspicion: np.ndarray
    flagged: np.ndarray

    def most(self) -> "Worst":
        """As many as are shown; of equals, those that come first in the table."""
        order = np.lexsort((self.row, -self.suspicion))[:MOST_EXAMPLES_OF_MANY]
        return Worst(*(column[order] for column in self))


@dataclass(frozen=True, eq=False)
class Finished:
    """What became of some parts; that of neighbours, added, is that of both."""

    totals: Totals
    parts: list[StoredPart]
    worst: Worst

    def __add__(self, other: "Finished") -> "Finished":
        both = Worst(*map(np.concatenate, zip(self.worst, other.worst, strict=True)))
        totals = self.totals + other.totals
        return Finished(totals, [*self.parts, *other.parts], both.most())


def finish_part(part: Any, shared: Finishing) -> Finished:
    """Flag the rows of a part, write them, and add them up.

    ``part`` has ``start``, the place of its first row in the table.
    """
    judged = read_judged(part_path(shared.judged, part.start))
    rows = _finished_rows(judged, shared)
    totals = Totals.of(
        *(len(shared.classes), rows.codes),
        suggested=rows.suggested,
        p_wrong=rows.p_wrong,
        flagged=rows.flagged,
        known=rows.known,
        p_elsewhere=judged.p_elsewhere,
    )
    stored = write_part(shared.rows, part.start, rows, shared.classes)
    return Finished(totals, [stored], _worst(judged, rows, part.start))


def _finished_rows(judged: Judged, shared: Finishing) -> PartRows:
    codes, audited = judged.code.astype(np.intp), judged.audited
    flagged = judged.may_be_flagged & shared.line.flags(judged.p_wrong, judged.suspicion)
    p_wrong = np.where(audited, judged.p_wrong, shared.rate)
    p_wrong[~judged.doubtful] = 0.0
    is_other, p_suggested = suggestion(codes, flagged, p_wrong, judged.p_other)
    return PartRows(
        codes=codes,
        suggested=np.where(is_other, judged.other, codes),
        p_wrong=p_wrong,
        p_suggested=p_suggested,
        suspicion=np.where(audited, judged.suspicion, 0.0),
        flagged=flagged,
        known=judged.known,
    )


def _worst(judged: Judged, rows: PartRows, start: int) -> Worst:
    here = np.flatnonzero(judged.may_be_flagged)
    columns = (rows.codes, judged.other, rows.p_wrong, rows.suspicion, rows.flagged)
    return Worst(start + here, *(column[here] for column in columns)).most()
