"""Classes of a stored table: drawn rows are learnt from, then every part is judged by that."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial, reduce
from operator import add
from pathlib import Path
from typing import Any

import numpy as np

from ..._blocks import blocks
from ..._engine import Engine, Ledger
from ..._files import atomic_path
from ..._kernels._probabilities import Findings
from ..._progress import Progress
from ...tables._columns import column_array
from ...tables.stored._parquet import stack_tables
from ...tables.stored._sources import Source, take_source_rows
from .._learning import (
    Judge,
    JudgedSums,
    Learnt,
    learn,
    rows_to_learn_from,
)
from .._self_check import SelfCheck
from .._settings import JUDGED_ROWS
from ..classes import Grouped, Posterior, group_hypotheses
from ..classes._problem import ClassProblem, find_duplicates_by_bits, unread_note
from ..examples._examples import n_examples, show
from ..examples._views import View, view_among_drawn
from ..inputs._duplicates import find_repeated_rows
from ..inputs._inputs import Display, TableRows, check_pred_proba, inputs_of
from ..inputs._labels import classes_of_counts, labels_from, notes_on_spellings, read_known
from ..results._audit import Audit
from ..results._flags import FlagLine, Rows, Totals, draw_line, no_line, stack_rows
from ._rows import (
    StoredPart,
    StoredRows,
    part_path,
    read_codes,
    read_judged,
    write_judged,
    write_part,
)
from ._table import Scanned, TableColumns, scan_part

BITS = "bits"  # beside the judged rows of a part
GROUPS = "groups"  # the same


class StoredProblem(ClassProblem):
    """Rows of a table that is read in parts; what is finished is kept in a ledger.

    Some rows are learnt from. All are judged part by part, and then are as those in memory.
    """

    reading = ""  # it was said when the table was opened
    injecting = "summing up"  # errors were injected before all rows were judged
    may_be_reviewed = True

    def __init__(
        self, source: Source, columns: TableColumns, engine: Engine, ledger: Ledger
    ) -> None:
        super().__init__(None, columns.label)
        self.source = source
        self.columns = columns
        self.engine = engine
        self.ledger = ledger
        self.folder = ledger.folder / "judged"

    def read(self) -> None:
        """Count the labels of all rows, and read those that are drawn to learn from."""
        self.drawn = rows_to_learn_from(self.source.n_rows, self.options.seed)
        self.scanned = self.engine.reduce(
            scan_part,
            Scanned.merge,
            self.source.parts,
            (self.columns, self.drawn),
            stage="scanning",
        )

    def find(self, progress: Progress) -> None:
        """Learn from the drawn rows, and judge all parts."""
        self.learnt, self.judge, self.check = self.ledger.kept(
            "learnt", partial(self._learn, progress)
        )
        self.folder.mkdir(exist_ok=True)
        self.classes = self.learnt.inputs.classes
        posterior = self.learnt.posterior if self.may_be_reviewed else None
        sums = self.engine.reduce(
            judge_part,
            JudgedSums.merge,
            self.source.parts,
            (self.judge, self.columns, self.classes, self.folder, posterior),
            stage="judging",
        )
        self.look = partial(
            view_among_drawn, learnt=self.learnt, judge=self.judge, fetch=self._fetch
        )
        self.gather_rows(sums)

    def _learn(self, progress: Progress) -> tuple[Learnt, Judge, SelfCheck | None]:
        """What is known after the first pass, the self-check included."""
        options = self.options
        columns = self.columns
        scanned = self.scanned
        rows = scanned.table()
        classes = classes_of_counts(scanned.labels, scanned.blank, f"column {columns.label!r}")
        given = columns.rows(rows, classes)
        given = given._replace(known=read_known(given.known, given.codes >= 0))
        proba = columns.proba_of(rows)
        notes: list[str] = []
        if proba is not None:
            proba = check_pred_proba(proba, classes, len(self.drawn), notes)
        inputs = inputs_of(
            given._replace(pred_proba=proba),
            trust=options.trust,
            seed=options.seed,
            n_jobs=options.n_jobs,
            drawn=self.drawn,
            n_rows=self.source.n_rows,
        )
        inputs.notes.extend(notes)
        inputs.notes.extend(notes_on_spellings(scanned.labels))
        if options.estimator is None:  # which alone looks at features that are not scaled
            inputs = inputs.without_features()
        learnt = learn(
            inputs, options, pred_proba=proba, fills=scanned.blank > 0, progress=progress
        )
        check = None
        if options.self_check:
            progress("planting errors and looking for them")
            check = learnt.inject_errors()
            inputs.notes.extend(learnt.note_check())
        small = learnt._replace(inputs=inputs.without_features(), models=[])  # for the ledger
        return small, Judge.of(learnt), check

    def gather_rows(self, sums: JudgedSums) -> None:
        """Take the judged rows of all parts into memory."""
        paths = [part_path(self.folder, part.start) for part in self.source.parts]
        rows = stack_rows([read_judged(path) for path in paths])
        codes = rows.code.astype(np.intp)
        labels = labels_from(codes, self.classes, with_blanks=bool((codes < 0).any()))
        self.take(rows, sums, TableRows(None, labels, self.classes, codes, rows.known))
        self.duplicates = find_duplicates_by_bits(self._bits(), codes)
        self._conclude(np.empty((0, 0)))
        self.grouped = self._read_groups
        self.display = self._display(self._ids(np.arange(self.source.n_rows)))

    def inject(self) -> SelfCheck | None:
        """What came of it when the drawn rows were learnt from."""
        return self.check

    def _bits(self) -> Iterator[np.ndarray]:
        """What rows with equal features have in common, part by part; nothing without features."""
        if self.judge.plan is not None:
            for part in self.source.parts:
                yield np.load(_beside(self.folder, BITS, part.start))

    def _read_groups(self) -> Grouped:
        """Hypotheses in groups, and what they say of every row."""
        before = self.learnt.posterior
        none = before._replace(p_wrong=before.p_wrong[:0])
        grouped = group_hypotheses(none, self.judge.logs[:, :0], np.empty(0, dtype=np.intp))
        p = np.empty((self.source.n_rows, len(grouped.kinds)), dtype=np.float32)
        for part in self.source.parts:
            p[part.start : part.stop] = np.load(_beside(self.folder, GROUPS, part.start))
        np.nan_to_num(p, copy=False, nan=self.posterior.rate)
        return grouped._replace(p=p)

    def _fetch(self, extra: np.ndarray) -> tuple[TableRows, Any]:
        """Rows read again, and their table under that of the drawn ones."""
        table = take_source_rows(self.source, extra, self.columns.read)
        given = self.columns.rows(table, self.classes, extra)
        both = stack_tables([self.learnt.inputs.table, given.table]).combine_chunks()
        return given, both

    def _ids(self, rows: np.ndarray) -> np.ndarray | None:
        """What rows are called, where a column says so; ``rows`` are in order."""
        name = self.columns.ids
        if name is None:
            return None
        return column_array(take_source_rows(self.source, rows, [name]), name)

    def _display(self, ids: np.ndarray | None = None) -> Display:
        options = self.options
        return Display(ids, None, options.title, self.y, options.random_state, None)


class LargeProblem(StoredProblem):
    """A table with so many rows that even what is known of them stays on disk, in parts."""

    may_be_reviewed = False

    def gather_rows(self, sums: JudgedSums) -> None:
        """Know of all rows together what sums tell, and nothing of single ones."""
        self.sums = sums
        inputs = self.learnt.inputs
        self.inputs = inputs._replace(notes=[*inputs.notes, *unread_note(sums.unread)])
        nothing = Findings(*(np.empty(0) for _ in Findings._fields))
        self.posterior = self.gather(nothing._replace(joint=sums.joint, right=sums.right), sums)
        self.has_skill = self.posterior.skill.enough
        self.duplicates = self._find_repeated_rows()
        self.display = self._display()

    def _find_repeated_rows(self) -> list[np.ndarray]:
        if self.judge.plan is None:
            return []

        def pieces() -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
            for part, bits in zip(self.source.parts, self._bits(), strict=True):
                yield part.start, bits, read_codes(part_path(self.folder, part.start))

        return find_repeated_rows(pieces, self.source.n_rows)

    def flag(self) -> FlagLine:
        """The line that flagged rows reach, drawn from sums."""
        if not self.has_skill:
            return no_line()
        return draw_line(self.sums.ranking, self.options.precision)

    def result(self, flags: Any, check: Any) -> Audit:
        """The audit, whose rows are flagged and written part by part."""
        folder = self.folder.with_name("rows")
        folder.mkdir(exist_ok=True)
        self.finished = self.engine.reduce(
            finish_part,
            add,
            self.source.parts,
            (self.folder, folder, self.classes, flags, self.posterior.rate),
            stage="flagging",
        )
        totals = self.finished.totals
        stored = StoredRows(folder, self.finished.parts, self.classes, totals)
        return self.assemble(
            stored.attributes(), flags, check, totals.n_flagged, totals.near_borders
        )

    def show(self, result: Audit) -> Callable[[np.ndarray], View]:
        """Add the map of the data, and examples with the ids of their rows."""
        most = n_examples(self.finished.totals.n_flagged, self.source.n_rows)
        shown = np.asarray(self.finished.worst.row)[:most]
        show(result, shown, self.look, self.display, self.options)
        shown = np.sort(shown)
        ids = self._ids(shown)
        if ids is not None:
            names = dict(zip(shown.tolist(), ids.tolist(), strict=True))
            for example in result.examples:
                example["id"] = str(names[example["row"]])
        return self.look


def judge_part(part: Any, shared: tuple[Any, ...]) -> JudgedSums:
    """Judge the rows of a part, and write what is known of them before flags can be drawn.

    ``shared`` are the judge, the columns, the classes, the folder for the rows, and the posterior
    whose hypotheses are kept for a review; None for no review.
    """
    judge, columns, classes, folder, posterior = shared
    table = part.read(columns.read)
    rows = []
    sums = []
    bits = []
    groups = []
    for block in blocks(part.stop - part.start, JUDGED_ROWS):
        places = np.arange(part.start + block.start, part.start + block.stop)
        some = table.slice(block.start, len(places))
        judged = judge.judge(columns.rows(some, classes, places))
        rows.append(judged.rows)
        sums.append(judged.sums)
        bits.append(judged.bits)
        if posterior is not None:
            groups.append(_group_probabilities(posterior, judged))
    write_judged(part_path(folder, part.start), stack_rows(rows))
    if bits[0] is not None:
        _save(_beside(folder, BITS, part.start), bits)
    if groups:
        _save(_beside(folder, GROUPS, part.start), groups)
    return reduce(JudgedSums.merge, sums)


def _group_probabilities(posterior: Posterior, judged: Any) -> np.ndarray:
    """What groups of hypotheses say of each row; of one that was not audited, nothing."""
    rows = judged.rows
    posterior = posterior._replace(p_wrong=rows.p_wrong[rows.audited])
    found = group_hypotheses(posterior, judged.logs, judged.codes)
    p = np.full((len(rows.code), found.p.shape[1]), np.nan, dtype=np.float32)
    p[rows.audited] = found.p
    return p


def _beside(folder: Path, what: str, start: int) -> Path:
    """The file of something else that is known of a part."""
    return folder / f"{what}-{start:012d}.npy"


def _save(path: Path, arrays: list[Any]) -> None:
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        np.save(file, np.concatenate(arrays))


@dataclass(frozen=True, eq=False)
class Finished:
    """What became of some parts; that of neighbours, added, is that of both."""

    totals: Totals
    parts: list[StoredPart]
    worst: Rows  # the first of all at the top

    def __add__(self, other: "Finished") -> "Finished":
        worst = stack_rows([self.worst, other.worst]).worst()
        return Finished(self.totals + other.totals, [*self.parts, *other.parts], worst)


def finish_part(part: Any, shared: tuple[Path, Path, np.ndarray, FlagLine, float]) -> Finished:
    """Flag the rows of a part, write them, and add them up.

    ``part`` has ``start``, the place of its first row in the table. ``shared`` are the folders of
    the judged rows and for those of the audit, the classes, the line that flagged rows reach, and
    the rate of wrong labels among audited rows: others are as good as labels are here.
    """
    judged_folder, folder, classes, line, rate = shared
    judged = read_judged(part_path(judged_folder, part.start))
    judged = judged._replace(code=judged.code.astype(np.intp))
    above = line.flags(judged.p_wrong, judged.suspicion)
    rows = judged.flag(judged.may_be_flagged & above, rate)
    totals = Totals.of(
        len(classes),
        rows.code,
        suggested=np.asarray(rows.suggested),
        p_wrong=rows.p_wrong,
        flagged=np.asarray(rows.flagged),
        known=rows.known,
        p_elsewhere=rows.p_elsewhere,
    )
    stored = write_part(folder, part.start, rows, classes)
    here = np.flatnonzero(rows.may_be_flagged)
    worst = rows._replace(row=part.start + np.arange(len(rows.code))).for_rows(here).worst()
    return Finished(totals, [stored], worst)
