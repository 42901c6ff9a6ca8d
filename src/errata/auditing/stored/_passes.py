"""Passes over a stored table: parts are judged, put together or flagged, written and added up."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial, reduce
from operator import add
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from ..._blocks import blocks
from ..._engine import Engine
from ..._files import atomic_path
from .._audit import Options, finish_audit
from .._learning import Filled, Judge, JudgedRows, Learnt, TableRows, notes_about_noise
from .._self_check import SelfCheck
from .._settings import JUDGED_ROWS
from ..classes import Grouped, Posterior, RowsPosterior, grouped_hypotheses
from ..classes._problem import ClassProblem
from ..examples._examples import n_examples, show
from ..examples._views import Viewer
from ..inputs._duplicates import repeated_rows
from ..inputs._inputs import Display, Labelled
from ..inputs._labels import codes_among, labels_from
from ..results._assembly import (
    AllRows,
    found_by_bits,
    models_told,
    noise_told,
    unread_note,
    whole_inputs,
    whole_posterior,
)
from ..results._audit import Audit
from ..results._flags import FlagLine, Ranking, Totals, draw_line, no_line
from ._rows import (
    Rows,
    StoredPart,
    StoredRows,
    part_path,
    read_codes,
    read_judged,
    stack_rows,
    write_judged,
    write_part,
)
from ._table import StoredTable, TableColumns

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
    judged = stack_rows(columns)
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


def _judged(
    rows: TableRows, shared: Judging
) -> tuple[Rows, np.ndarray | None, np.ndarray | None, JudgedSums]:
    """A block of rows, what else is kept of them in files, and their sums."""
    block = shared.judge.judge(rows)
    columns = _of_all(rows, block, shared.judge.present)
    groups = None if shared.posterior is None else _groups(shared.posterior, block)
    return columns, block.bits, groups, _told(columns, block)


def _of_all(rows: TableRows, judged: JudgedRows, present: np.ndarray) -> Rows:
    """An entry for each row, those that could not be audited included."""
    n = len(rows.codes)
    at = judged.audited
    told = judged.rows
    found = Rows(
        code=rows.codes,
        other=np.zeros(n, dtype=np.intp),
        p_wrong=np.zeros(n),
        p_other=np.zeros(n),
        suspicion=np.zeros(n),
        p_elsewhere=np.zeros(n),
        audited=at,
        known=rows.known,
    )
    found.other[at] = present[told.other]
    found.p_other[at] = told.p_other
    found.p_wrong[at] = told.p_wrong
    found.suspicion[at] = told.suspicion
    found.p_elsewhere[at] = told.p_elsewhere
    if len(judged.filled):
        blank = rows.codes < 0
        found.other[blank] = present[judged.filled]
        found.p_other[blank] = judged.p_filled
    return found


def _groups(posterior: Posterior, block: JudgedRows) -> np.ndarray:
    """What groups of hypotheses say of each row; of one that was not audited, nothing."""
    found = grouped_hypotheses(
        posterior._replace(p_wrong=block.rows.p_wrong), block.logs, block.codes
    )
    p = np.full((len(block.audited), found.p.shape[1]), np.nan, dtype=np.float32)
    p[block.audited] = found.p
    return p


def _told(columns: Rows, block: JudgedRows) -> JudgedSums:
    return JudgedSums(
        ranking=columns.ranking(),
        audited=int(columns.audited.sum()),
        wrong=float(block.rows.p_wrong.sum()),
        joint=block.rows.joint,
        right=block.rows.right,
        unread=block.unread,
    )


def _save(path: Path, arrays: list[Any]) -> None:
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        np.save(file, np.concatenate(arrays))


def gather_rows(
    table: StoredTable,
    options: Options,
    learnt: Learnt,
    check: SelfCheck | None,
    judging: Judging,
    told: JudgedSums,
    *,
    started: float,
) -> Audit:
    """The audit as if the table had been in memory."""
    found = _all_rows(table, learnt, judging, told)
    problem = ClassProblem(None, table.columns.label)
    problem.options = options
    problem.learnt = learnt
    problem.display = _display(table, options, table.ids(np.arange(table.n_rows)))
    problem.take(found, _viewer(table, learnt, judging).view)
    problem.grouped = partial(_grouped, table, judging, found)
    return finish_audit(problem, check, started)


def _viewer(table: StoredTable, learnt: Learnt, judging: Judging) -> Viewer:
    """Rows of the table are shown among those that were learnt from."""
    fetch = partial(table.look, learnt.inputs.table, judging.classes)
    return Viewer(learnt, judging.judge, fetch)


def _display(table: StoredTable, options: Options, ids: np.ndarray | None = None) -> Display:
    return Display(ids, None, options.title, table.columns.label, options.random_state, None)


def _all_rows(table: StoredTable, learnt: Learnt, judging: Judging, told: JudgedSums) -> AllRows:
    judged = stack_rows(
        [read_judged(part_path(judging.folder, part.start)) for part in table.parts]
    )
    codes = judged.code.astype(np.intp)
    audited = np.flatnonzero(judged.audited)
    at = slice(None) if len(audited) == len(codes) else audited  # all rows are not copied
    other = codes_among(judged.other, judging.judge.present)
    rows = RowsPosterior(
        p_wrong=judged.p_wrong[at],
        suspicion=judged.suspicion[at],
        other=other[at].astype(np.int16, copy=False),
        p_other=judged.p_other[at],
        p_elsewhere=judged.p_elsewhere[at],
        joint=told.joint,
        right=told.right,
    )
    blank = np.flatnonzero(codes < 0)
    classes = judging.classes
    labels = labels_from(codes, classes, with_blanks=bool(len(blank)))
    given = Labelled(None, labels, classes, codes, judged.known)
    return AllRows(
        inputs=whole_inputs(learnt.inputs, given, audited, told.unread),
        posterior=whole_posterior(learnt, rows, n_rows=told.audited, rate=told.rate),
        logs=np.empty((0, 0)),
        filled=Filled(blank, other[blank], judged.p_other[blank]),
        duplicates=found_by_bits(_bits(table, judging), codes),
    )


def _bits(table: StoredTable, judging: Judging) -> Iterator[np.ndarray]:
    """What rows with equal features have in common, part by part; nothing without features."""
    if judging.judge.plan is not None:
        for part in table.parts:
            yield np.load(beside(judging.folder, BITS, part.start))


def _grouped(table: StoredTable, judging: Judging, found: AllRows) -> Grouped:
    """Hypotheses in groups, and what they say of every row."""
    posterior = judging.posterior
    assert posterior is not None
    none = posterior._replace(p_wrong=posterior.p_wrong[:0])
    logs = judging.judge.logs[:, :0]
    grouped = grouped_hypotheses(none, logs, np.empty(0, dtype=np.intp))
    p = np.empty((table.n_rows, len(grouped.kinds)), dtype=np.float32)
    for part in table.parts:
        p[part.start : part.stop] = np.load(beside(judging.folder, GROUPS, part.start))
    np.nan_to_num(p, copy=False, nan=found.posterior.rate)
    return grouped._replace(p=p)


def finish_rows(
    table: StoredTable,
    options: Options,
    learnt: Learnt,
    check: SelfCheck | None,
    judging: Judging,
    told: JudgedSums,
    engine: Engine,
) -> Audit:
    """The audit whose rows stay on disk."""
    posterior = whole_posterior(learnt, _sums(told), n_rows=told.audited, rate=told.rate)
    line = draw_line(told.ranking, options.precision) if posterior.skill.enough else no_line()
    rows = judging.folder.with_name("rows")
    rows.mkdir(exist_ok=True)
    finishing = Finishing(judging.folder, rows, judging.classes, line, posterior.rate)
    finished = engine.reduce(finish_part, add, table.parts, finishing, stage="flagging")
    stored = StoredRows(rows, finished.parts, judging.classes, finished.totals)
    display = _display(table, options)
    inputs = learnt.inputs
    columns = cast(dict[str, Any], stored.attributes())
    result = Audit(
        **columns,
        **noise_told(inputs, posterior),
        classes=judging.classes,
        models=models_told(learnt.pool),
        self_check=check,
        expected_precision=line.expected_precision,
        expected_recall=line.expected_recall,
        rule=line.rule,
        notes=[
            *_notes(posterior, finished),
            *inputs.notes,
            *unread_note(told.unread),
        ],
        duplicates=_duplicates(table, judging),
        about=display.about(inputs.table, inputs.n_features),
    )
    shown = np.asarray(finished.worst.row)[: n_examples(finished.totals.n_flagged, table.n_rows)]
    show(result, shown, _viewer(table, learnt, judging).view, display, options)
    _name_examples(result, table, shown)
    return result


def _sums(told: JudgedSums) -> RowsPosterior:
    """No rows, and sums over all of them."""
    nothing = RowsPosterior(*(np.empty(0) for _ in RowsPosterior._fields))
    return nothing._replace(joint=told.joint, right=told.right)


@dataclass(frozen=True, eq=False)
class Finished:
    """What became of some parts; that of neighbours, added, is that of both."""

    totals: Totals
    parts: list[StoredPart]
    worst: Rows  # the first of all at the top

    def __add__(self, other: "Finished") -> "Finished":
        worst = stack_rows([self.worst, other.worst]).worst()
        return Finished(self.totals + other.totals, [*self.parts, *other.parts], worst)


def _notes(posterior: Posterior, finished: Finished) -> list[str]:
    totals = finished.totals
    return notes_about_noise(posterior, totals.n_flagged, totals.near_borders)


def _duplicates(table: StoredTable, judging: Judging) -> list[np.ndarray]:
    if judging.judge.plan is None:
        return []

    def pieces() -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        for part in table.parts:
            bits = np.load(beside(judging.folder, BITS, part.start))
            yield part.start, bits, read_codes(part_path(judging.folder, part.start))

    return repeated_rows(pieces, table.n_rows)


def _name_examples(result: Audit, table: StoredTable, shown: np.ndarray) -> None:
    """Give examples the ids of their rows, where a column holds some."""
    order = np.argsort(shown)
    ids = table.ids(shown[order])
    if ids is None:
        return
    names: dict[int, Any] = dict(zip(shown[order].tolist(), ids.tolist(), strict=True))
    for example in result.examples:
        example["id"] = str(names[example["row"]])


class Finishing(NamedTuple):
    """What is needed for any part."""

    judged: Path  # folder of the rows as :func:`._judged.write_judged` has written them
    rows: Path  # folder for the rows of the audit
    classes: np.ndarray
    line: FlagLine
    rate: float  # of wrong labels among audited rows: others are as good as labels are here


def finish_part(part: Any, shared: Finishing) -> Finished:
    """Flag the rows of a part, write them, and add them up.

    ``part`` has ``start``, the place of its first row in the table.
    """
    judged = read_judged(part_path(shared.judged, part.start))
    judged = judged._replace(code=judged.code.astype(np.intp))
    above = shared.line.flags(judged.p_wrong, judged.suspicion)
    rows = judged.flag(judged.may_be_flagged & above, shared.rate)
    totals = Totals.of(
        len(shared.classes),
        rows.code,
        suggested=np.asarray(rows.suggested),
        p_wrong=rows.p_wrong,
        flagged=np.asarray(rows.flagged),
        known=rows.known,
        p_elsewhere=rows.p_elsewhere,
    )
    stored = write_part(shared.rows, part.start, rows, shared.classes)
    here = np.flatnonzero(rows.may_be_flagged)
    worst = rows._replace(row=part.start + np.arange(len(rows.code))).for_rows(here).worst()
    return Finished(totals, [stored], worst)
