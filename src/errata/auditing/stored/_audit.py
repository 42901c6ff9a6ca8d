"""The audit of a table that is read in parts: what is learnt from drawn rows judges all."""

import gc
import os
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import fields, replace
from functools import partial, reduce
from importlib.metadata import version
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from ..._blocks import blocks
from ..._engine import Engine, Ledger, connect, make_engine, release_memory
from ..._files import explain_closed
from ..._format import instead, shorten, size
from ..._kernels._probabilities import Findings
from ..._progress import Progress, count_within
from ..._validation import as_column, check_labels, check_no_measurement
from ...tables._columns import column_array
from ...tables.stored._files import stack_tables
from ...tables.stored._sources import Source, take_source_rows
from .._audit import Options, run_audit
from .._learning import (
    Judge,
    Judged,
    JudgedSums,
    Learnt,
    rows_to_learn_from,
)
from .._self_check import SelfCheck
from .._settings import EXACT_ROWS, JUDGED_ROWS, LEARN_ROWS, MOST_CLASSES
from ..classes import Groups, Posterior, group_hypotheses, weigh_groups
from ..classes._problem import ClassProblem, DrawnProblem, find_duplicates_by_bits, unread_note
from ..examples._examples import n_examples
from ..inputs._duplicates import find_repeated_rows
from ..inputs._inputs import TableRows, check_pred_proba, divide_by_sums
from ..inputs._labels import (
    check_enough,
    check_many_labels,
    codes_among,
    codes_of,
    has_label,
    labels_from,
    labels_or_none,
    notes_on_spellings,
    read_known,
    whole_numbers,
    yes_or_no,
)
from ..results._audit import Audit
from ..results._flags import Rows, Totals, draw_line, reach_line, stack_rows
from ._rows import (
    BITS,
    GROUPS,
    Part,
    StoredRows,
    part_path,
    path_beside,
    read_judged,
    save_arrays,
    write_judged,
)

# Sizes: how much is learnt from at most. `python benchmarks/speed.py tables given`,
# `python benchmarks/speed.py stored million trees`
PART_ROWS = 200_000  # read at a time
FEWEST_PART_ROWS = 10_000
MOST_PART_ROWS = 500_000

MARK = "made-by-errata.txt"
MARK_TEXT = """errata keeps here what is finished of an audit, so that the same call can go on when
it was stopped, and removes this folder, with all that is in it, when the audit is done.
"""
IN_MEMORY_ONLY = ("embeddings", "sequence", "wavelets", "decisions", "keys", "image_shape")

# Bytes, measured with `python benchmarks/speed.py stored parquet`.
_PROCESS = 475_000_000  # errata and what it stands on, models, a block of rows that is judged
_LEARNT_CELL = 30  # of the rows that are learnt from: cells, features, and these scaled
_KEPT_ROW = 100  # of what is known of all rows, while these are held
_PART_CELL = 16  # of a part
_PART_ROW = 200  # of what is found out about each row of it

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_UNITS |= {"ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30, "ti": 1 << 40}
_SIZE = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*([kmgt]i?)?b?", re.IGNORECASE)

# What is known of parts after each pass over them; that of neighbours is merged.
Scan = tuple[Counter[Any], list[Any]]  # how many rows have each label, None for none; drawn rows
Finished = tuple[Totals, list[Part], Rows]  # sums, files, and the most suspicious rows


class TableColumns:
    """Names of columns by what they are for; raises when one is not there."""

    def __init__(
        self,
        names: Sequence[str],
        label: str,
        *,
        drop: Sequence[str] = (),
        known: str | None = None,
        groups: str | None = None,
        pred_proba: Sequence[str] | None = None,
        ids: str | None = None,
    ) -> None:
        self.label = label
        self.known = known
        self.groups = groups
        self.pred_proba = pred_proba  # one for each class, in their order
        self.ids = ids
        proba = () if pred_proba is None else np.ravel(pred_proba).tolist()
        named = [n for n in (label, known, groups, *proba, ids) if n is not None]
        for name in (*named, *drop):
            if name not in names:
                raise ValueError(
                    f"there is no column {name!r} in the table; {instead(name, names)}"
                )
        self.features = [name for name in names if name not in {*named, *drop}]

    @property
    def read(self) -> list[str]:
        """All that is looked at."""
        others = [self.label, self.known, self.groups, *(self.pred_proba or ())]
        return [*self.features, *(name for name in dict.fromkeys(others) if name is not None)]

    @property
    def all(self) -> list[str]:
        """The same, and what rows are called."""
        return [*self.read, *([] if self.ids is None or self.ids in self.read else [self.ids])]

    def rows(self, table: Any, classes: np.ndarray, places: np.ndarray | None = None) -> TableRows:
        """Rows as they are to be judged; ``places`` are theirs in the whole table."""
        labels = part_labels(table, self.label)
        if classes.dtype.kind == "f":
            labels = labels.astype(float)
        codes = codes_of(labels, classes)
        known = None if self.known is None else yes_or_no(column_array(table, self.known))
        proba = self.proba_of(table)
        return TableRows(
            table=table.select(self.features),
            labels=labels,
            classes=classes,
            codes=codes,
            known=known,
            places=places,
            pred_proba=None if proba is None else divide_by_sums(proba),
            groups=None if self.groups is None else column_array(table, self.groups),
        )

    def proba_of(self, table: Any) -> np.ndarray | None:
        """The user's probabilities of the classes."""
        if self.pred_proba is None:
            return None
        return np.column_stack([column_array(table, name) for name in self.pred_proba])


class StoredProblem(DrawnProblem):
    """Rows of a table that is read in parts; what is finished is kept in a ledger.

    Some rows are learnt from. All are judged part by part, and then are as those in memory.
    """

    reading = ""  # it was said when the table was opened
    injecting = "summing up"  # errors were injected before all rows were judged

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
        self.counts, self.tables = self.engine.reduce(
            scan_part,
            merge_scans,
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
        noise = self.learnt.posterior if self.may_be_reviewed else None
        sums = self.engine.reduce(
            judge_part,
            JudgedSums.merge,
            self.source.parts,
            (self.judge, self.columns, self.classes, self.folder, noise),
            stage="judging",
        )
        self.gather_rows(sums)

    def _learn(self, progress: Progress) -> tuple[Learnt, Judge, SelfCheck | None]:
        """Learn after the first pass, the self-check included."""
        options = self.options
        columns = self.columns
        rows = stack_tables(self.tables).combine_chunks()  # the drawn ones, in their order
        self.tables = []
        blank = self.counts.pop(None, 0)
        classes = find_classes(self.counts, blank, f"column {columns.label!r}")
        given = columns.rows(rows, classes)
        given = given._replace(known=read_known(given.known, given.codes >= 0))
        proba = columns.proba_of(rows)
        notes: list[str] = []
        if proba is not None:
            proba = check_pred_proba(proba, classes, len(self.drawn), notes)
        given = given._replace(pred_proba=proba)
        inputs = self.inputs_of_drawn(given, self.drawn, self.source.n_rows)
        inputs.notes.extend(notes)
        inputs.notes.extend(notes_on_spellings(self.counts))
        del rows, given
        release_memory()
        learnt = Learnt(inputs, options, pred_proba=proba, fills=blank > 0, progress=progress)
        check = None
        if options.self_check:
            progress("planting errors and looking for them")
            check = learnt.inject_errors(count_within("self-check", progress))
            inputs.notes.extend(learnt.note_check())
        judge = Judge(learnt)
        learnt.forget_features()  # what is kept in the ledger is small
        learnt.models = []
        release_memory()
        return learnt, judge, check

    def gather_rows(self, sums: JudgedSums) -> None:
        """Take the judged rows of all parts into memory."""
        paths = [part_path(self.folder, part.start) for part in self.source.parts]
        rows = stack_rows([Rows(**read_judged(path)) for path in paths])
        codes = rows.code.astype(np.intp)
        labels = labels_from(codes, self.classes, with_blanks=bool((codes < 0).any()))
        audited = slice(None) if rows.audited.all() else rows.audited  # all rows are not copied
        found = Findings(
            p_wrong=rows.p_wrong[audited],
            suspicion=rows.suspicion[audited],
            other=codes_among(rows.other, self.judge.present).astype(np.int16)[audited],
            p_other=rows.p_other[audited],
            p_elsewhere=rows.p_elsewhere[audited],
            joint=sums.joint,
            right=sums.right,
        )
        self.filled = (rows.other[codes < 0], rows.p_other[codes < 0])
        self.duplicates = find_duplicates_by_bits(self._bits(), codes)
        given = TableRows(None, labels, self.classes, codes, rows.known)
        self.take(found, given, sums.unread)
        self.ids = self._ids(np.arange(self.source.n_rows))
        del rows, found
        release_memory()

    def inject(self, progress: Progress) -> SelfCheck | None:
        """The self-check that was made when the drawn rows were learnt from."""
        return self.check

    def _bits(self) -> Iterator[np.ndarray]:
        """Signatures of features, part by part; none without features."""
        if self.judge.plan is not None:
            for part in self.source.parts:
                yield np.load(path_beside(self.folder, BITS, part.start))

    def group_hypotheses(self, result: Audit) -> Groups:
        """By kind and rate, as they were written with the judged rows."""
        kinds, weights = weigh_groups(self.learnt.posterior.noise)
        p = np.empty((self.source.n_rows, len(kinds)), dtype=np.float32)
        for part in self.source.parts:
            p[part.start : part.stop] = np.load(path_beside(self.folder, GROUPS, part.start))
        np.nan_to_num(p, copy=False, nan=self.posterior.rate)
        return kinds, weights, p

    def fetch(self, extra: np.ndarray) -> tuple[TableRows, Any]:
        """Rows read again, and their table under that of the drawn ones."""
        table = take_source_rows(self.source, extra, self.columns.read)
        given = self.columns.rows(table, self.classes, extra)
        both = stack_tables([self.learnt.inputs.table, given.table]).combine_chunks()
        return given, both

    def posterior_at(self, places: np.ndarray, extra: Findings) -> Posterior:
        """As it was found: what is written of a row is not all of it."""
        before = self.learnt.posterior
        return before._replace(
            p_wrong=np.r_[before.p_wrong, extra.p_wrong],
            suspicion=np.r_[before.suspicion, extra.suspicion],
            other=np.r_[before.other, extra.other],
            p_other=np.r_[before.p_other, extra.p_other],
            p_elsewhere=np.r_[before.p_elsewhere, extra.p_elsewhere],
        )

    def _ids(self, rows: np.ndarray) -> np.ndarray | None:
        """The names of rows, where a column has them; ``rows`` are in order."""
        name = self.columns.ids
        if name is None:
            return None
        return column_array(take_source_rows(self.source, rows, [name]), name)


class LargeProblem(StoredProblem):
    """A table with so many rows that even what is known of them stays on disk, in parts."""

    may_be_reviewed = False

    def gather_rows(self, sums: JudgedSums) -> None:
        """Know of all rows together what sums tell, and nothing of single ones."""
        self.sums = sums
        inputs = self.learnt.inputs
        self.inputs = inputs._replace(notes=[*inputs.notes, *unread_note(sums.unread)])
        nothing = Findings(*(np.empty(0) for _ in Findings._fields))
        found = nothing._replace(joint=sums.joint, right=sums.right)
        self.posterior = self.learnt.gather(found, sums.audited, sums.rate)
        self.has_skill = self.posterior.skill.enough
        self.has_map = True
        self.duplicates = self._find_repeated_rows()

    def _find_repeated_rows(self) -> list[np.ndarray]:
        if self.judge.plan is None:
            return []

        def pieces() -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
            for part, bits in zip(self.source.parts, self._bits(), strict=True):
                codes = read_judged(part_path(self.folder, part.start), "code")["code"]
                yield part.start, bits, codes

        return find_repeated_rows(pieces, self.source.n_rows)

    def flag(self) -> None:
        """Draw the line that flagged rows reach, from sums."""
        self.line = (np.inf, np.inf)
        if self.has_skill:
            self.line, self.expected_precision, self.expected_recall = draw_line(
                self.sums.ranking, self.options.precision
            )

    def result(self, check: Any) -> Audit:
        """The audit, whose rows are flagged and written part by part."""
        folder = self.folder.with_name("rows")
        folder.mkdir(exist_ok=True)
        totals, parts, self.worst = self.engine.reduce(
            finish_part,
            merge_finished,
            self.source.parts,
            (self.folder, folder, self.classes, self.line, self.posterior.rate),
            stage="flagging",
        )
        stored = StoredRows(folder, parts, self.classes, totals)
        return self.assemble(stored.attributes(), check, totals.n_flagged, totals.near_borders)

    def choose_examples(self, result: Audit) -> np.ndarray:
        """The most suspicious rows, which were found part by part."""
        most = n_examples(result._totals.n_flagged, self.source.n_rows)
        return np.asarray(self.worst.row)[:most]

    def names_of(self, rows: np.ndarray) -> np.ndarray | None:
        """The names of some rows, where a column has them."""
        order = np.argsort(rows)
        ids = self._ids(rows[order])
        return None if ids is None else ids[np.argsort(order)]


def merge_scans(first: Scan, second: Scan) -> Scan:
    """Add up the counts of neighbouring parts."""
    return _check_number(first[0] + second[0]), first[1] + second[1]


def scan_part(part: Any, shared: tuple[TableColumns, np.ndarray]) -> Scan:
    """Read a part, count its labels, and keep those of its rows that are drawn.

    ``shared`` are the columns, and the places of the drawn rows in the table, in order.
    """
    columns, drawn = shared
    table = part.read(columns.read)
    labels = part_labels(table, columns.label)
    given = labels[has_label(labels)]
    if given.dtype.kind == "O":
        counts = Counter(given.tolist())
    else:
        values, times = np.unique(given, return_counts=True)
        counts = Counter(dict(zip(values.tolist(), times.tolist(), strict=True)))
    if len(given) < len(labels):
        counts[None] = len(labels) - len(given)
    within = drawn[slice(*np.searchsorted(drawn, [part.start, part.stop]))]
    return _check_number(counts), [table.take(within - part.start)]


def part_labels(table: Any, name: str) -> np.ndarray:
    """The labels of a part; None, or NaN among numbers, where there is none."""
    return labels_or_none(as_column(column_array(table, name)))


def _check_number(labels: Counter[Any]) -> Counter[Any]:
    """The same, unless there are too many for labels in what was read so far."""
    n_labels = len(labels) - (None in labels)
    if n_labels > MOST_CLASSES:
        check_many_labels(n_labels, labels.total() - labels[None])
    return labels


def find_classes(counts: Counter[Any], blank: int, name: str) -> np.ndarray:
    """The distinct labels of a table, by how many rows have each, and ``blank`` rows have none."""
    values = list(counts)
    labels = np.array(values, dtype=object if any(isinstance(v, str) for v in values) else None)
    if labels.dtype.kind in "iuf":
        check_no_measurement(np.sort(labels), counts.total(), name)
    classes = check_labels(np.repeat(labels, 2), name=name, min_classes=2)[0]
    sizes = np.array([counts[value] for value in classes.tolist()])
    check_enough(sizes, "labelled rows" if blank else "rows")
    return whole_numbers(classes) if blank else classes


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
        given = columns.rows(some, classes, places)
        judged = Judged(judge, given)
        of_rows = judged.rows()
        rows.append(of_rows)
        sums.append(judged.sums(of_rows))
        bits.append(judged.bits)
        if posterior is not None:
            groups.append(_group_probabilities(posterior, of_rows, judged.logs, judge.present))
    write_judged(part_path(folder, part.start), stack_rows(rows))
    if bits[0] is not None:
        save_arrays(path_beside(folder, BITS, part.start), bits)
    if groups:
        save_arrays(path_beside(folder, GROUPS, part.start), groups)
    return reduce(JudgedSums.merge, sums)


def _group_probabilities(
    posterior: Posterior, rows: Rows, logs: np.ndarray, present: np.ndarray
) -> np.ndarray:
    """Probabilities of each row under groups of hypotheses; NaN for one that was not audited."""
    posterior = posterior._replace(p_wrong=rows.p_wrong[rows.audited])
    codes = codes_among(rows.code[rows.audited], present)
    found = group_hypotheses(posterior, logs, codes)
    p = np.full((len(rows.code), found.shape[1]), np.nan, dtype=np.float32)
    p[rows.audited] = found
    return p


def merge_finished(first: Finished, second: Finished) -> Finished:
    """Add up the results of neighbouring parts."""
    worst = stack_rows([first[2], second[2]]).worst()
    return first[0] + second[0], first[1] + second[1], worst


def finish_part(
    part: Any, shared: tuple[Path, Path, np.ndarray, tuple[float, float], float]
) -> Finished:
    """Flag the rows of a part, write them, and add them up.

    ``part`` has ``start``, the place of its first row in the table. ``shared`` are the folders of
    the judged rows and for those of the audit, the classes, the line that flagged rows reach, and
    the rate of wrong labels among audited rows: others are as good as labels are here.
    """
    judged_folder, folder, classes, line, rate = shared
    judged = Rows(**read_judged(part_path(judged_folder, part.start)))
    judged = judged._replace(code=judged.code.astype(np.intp))
    above = reach_line(line, judged.p_wrong, judged.suspicion)
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
    stored = StoredRows.write(folder, part.start, rows, classes)
    here = np.flatnonzero(rows.may_be_flagged)
    worst = rows._replace(row=part.start + np.arange(len(rows.code))).for_rows(here).worst()
    return totals, [stored], worst


def unfinished_folder(out: Path) -> Path:
    """The folder of what is not finished yet, beside that of the audit."""
    return out.with_name(f"{out.name}.unfinished")


def audit_stored(
    X: Any,
    label: Any,
    options: Options,
    progress: Callable[[Any], None],
    *,
    out: str | os.PathLike | None,
    memory: int | str | None = None,
    engine: Any = None,
    resume: bool = True,
    before_saving: Callable[[Audit], None] | None = None,
) -> Audit:
    """See :func:`errata.audit`; ``before_saving`` may add to what is written."""
    if out is None:
        raise ValueError(
            "a folder, a pattern or a table larger than memory is read in parts, which needs a "
            "folder for the audit: pass out."
        )
    out = Path(out)
    _check_options(label, options)
    was_there = out.exists()
    with connect(engine) as client, _open_unfinished(out, on_a_cluster=client is not None):
        progress("reading the table")
        source = Source(
            X,
            scratch=unfinished_folder(out) / "tables",
            rows_per_part=part_rows(memory),
            progress=progress,
        )
        check_memory(memory, source.n_rows, len(source.columns))
        columns = TableColumns(
            source.columns,
            label,
            drop=options.drop,
            known=options.known,
            groups=options.groups,
            pred_proba=options.pred_proba,
            ids=options.ids,
        )
        if source.n_rows <= LEARN_ROWS:
            found = _audit_at_once(source, columns, options, progress)
        else:
            work = unfinished_folder(out) / "work"
            ledger = Ledger.open(work, _fingerprint(source, label, options), resume=resume)
            kind = StoredProblem if source.n_rows <= EXACT_ROWS else LargeProblem
            with make_engine(client, ledger, progress) as where:
                found = run_audit(kind(source, columns, where, ledger), options, progress)
        found._about |= {"label": label, "tables": source.files}
        if before_saving is not None:
            before_saving(found)
        release_memory()
        progress("writing the audit")
        if out.exists() and not was_there:
            raise FileExistsError(
                f"{out} appeared during the audit, and stays as it is; move it away and call "
                "again, which goes on from here, or choose another place."
            )
        found.save(out)
    del found  # before what was saved is in memory again
    gc.collect()  # an audit and what it is reviewed by know each other
    release_memory()
    return Audit.load(out)


@contextmanager
def _open_unfinished(out: Path, *, on_a_cluster: bool) -> Iterator[None]:
    """Make the folder of what is not finished, or take over one that errata made; then remove it.

    Where the block fails, it stays if there is something in it to go on from.
    """
    folder = unfinished_folder(out)
    mark = folder / MARK
    is_new = not folder.exists()
    if not is_new and not mark.is_file():
        raise FileExistsError(
            f"{folder} is there already and was not made by errata, which would remove it; move it "
            f"away, or choose another place than {out}."
        )
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        explain_closed(out, error)
        raise
    try:
        with mark.open("w", encoding="utf-8") as stream:
            stream.write(MARK_TEXT)
            stream.flush()
            _lock(stream, folder)
            yield
    except BlockingIOError:
        raise  # it is somebody else's
    except BaseException as error:
        is_bad_input = isinstance(error, ValueError | TypeError) and not on_a_cluster
        files = (path for path in folder.rglob("*") if path.is_file())
        holds_results = any(path.suffix in (".pickle", ".parquet") for path in files)
        if (is_new and is_bad_input) or not holds_results:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    shutil.rmtree(folder, ignore_errors=True)


def _lock(stream: Any, folder: Path) -> None:
    """Hold the folder until the file is closed: two audits in one would remove each other's."""
    with suppress(ImportError):  # Windows has another kind of locks
        import fcntl

        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BlockingIOError(
                f"another audit is at work in {folder}; wait for it, or choose another place."
            ) from error
        except OSError:  # a disk without locks
            return


def _check_options(label: Any, options: Options) -> None:
    """Raise for what only tables in memory can have."""
    given = [name for name in IN_MEMORY_ONLY if getattr(options, name) is not None]
    if given:
        raise ValueError(
            f"{given[0]} needs a table in memory, and this one is read in parts; read it first, "
            "for instance with pandas.read_parquet, and pass the dataframe."
        )
    names = {"y": label, "groups": options.groups, "known": options.known, "ids": options.ids}
    for what, name in names.items():
        if not isinstance(name, str) and (name is not None or what == "y"):
            raise ValueError(
                f"{what} must be the name of a column where the table is read in parts, but is "
                f"{shorten(repr(name), 60)}."
            )


def _audit_at_once(
    source: Source, columns: TableColumns, options: Options, progress: Callable[[Any], None]
) -> Audit:
    """All rows are learnt from, so they are read into memory."""
    rows = take_source_rows(source, np.arange(source.n_rows), columns.all)
    per_row = {"known": columns.known, "groups": columns.groups, "ids": columns.ids}
    cells: dict[str, Any] = {
        what: column_array(rows, name) for what, name in per_row.items() if name is not None
    }
    options = replace(options, **cells, pred_proba=columns.proba_of(rows), drop=())
    features = rows.select([*columns.features, columns.label])
    return run_audit(ClassProblem(features, columns.label), options, progress)


def _fingerprint(source: Source, label: str, options: Options) -> dict[str, Any]:
    """All that must be the same for an unfinished audit to go on."""
    packages = ("errata", "numpy", "scikit-learn")
    return source.fingerprint() | {
        "label": label,
        "parameters": {f.name: repr(getattr(options, f.name)) for f in fields(options)},
        "versions": {name: version(name) for name in packages},
    }


def part_rows(memory: int | str | None) -> Callable[[int], int]:
    """A function of the number of columns that says how many rows a part may have.

    Examples
    --------
    >>> part_rows(None)(20), part_rows("600MB")(20), part_rows("4GB")(20)
    (200000, 10000, 500000)
    """
    if memory is None:
        return lambda n_columns: PART_ROWS
    given = parse_memory(memory)

    def rows(n_columns: int) -> int:
        free = given - _measure_least(EXACT_ROWS, n_columns)
        each = _PART_CELL * n_columns + _PART_ROW
        return min(FEWEST_PART_ROWS + max(0, free) // each, MOST_PART_ROWS)

    return rows


def check_memory(memory: int | str | None, n_rows: int, n_columns: int) -> None:
    """Raise where a table needs more than it may have, however small its parts are."""
    least = _measure_least(n_rows, n_columns)
    if memory is not None and parse_memory(memory) < least:
        raise ValueError(
            f"memory={memory!r} is too little for a table of {n_columns} columns; {size(least)} "
            "are needed."
        )


def _measure_least(n_rows: int, n_columns: int) -> int:
    """Bytes that an audit takes with the smallest parts."""
    cells = n_columns * (
        _LEARNT_CELL * min(n_rows, LEARN_ROWS) + _PART_CELL * min(n_rows, FEWEST_PART_ROWS)
    )
    return _PROCESS + cells + _KEPT_ROW * min(n_rows, EXACT_ROWS)


def parse_memory(memory: int | float | str) -> int:
    """How many bytes ``memory`` is.

    >>> parse_memory("2GB"), parse_memory("1.5 GiB"), parse_memory(1000)
    (2000000000, 1610612736, 1000)
    """
    found = _SIZE.fullmatch(memory.strip()) if isinstance(memory, str) else None
    if found is not None:
        n_bytes = float(found[1]) * _UNITS[(found[2] or "").lower()]
    elif isinstance(memory, int | float) and not isinstance(memory, bool) and isfinite(memory):
        n_bytes = float(memory)
    else:
        raise ValueError(f'memory={memory!r} is not a size; write it as in "2GB" or in bytes.')
    if n_bytes < 1:
        raise ValueError(f'memory={memory!r} is no memory at all; give some, as in "2GB".')
    return int(n_bytes)
