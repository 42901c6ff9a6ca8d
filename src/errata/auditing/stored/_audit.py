"""The audit of a table that is read in parts: what is learnt from drawn rows judges all."""

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import fields, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..._engine import Engine, Ledger, connect, make_engine
from ..._files import explain_closed
from ..._format import shortened, size
from ..._progress import Progress
from ...tables._columns import column_array
from ...tables.stored._sources import Source, open_source, parse_memory, take_source_rows
from .._audit import Options, run_audit
from .._learning import (
    Judge,
    Learnt,
    check_by_injecting,
    learn,
    notes_on_check,
    rows_to_learn_from,
)
from .._self_check import SelfCheck
from .._settings import EXACT_ROWS, FEWEST_PART_ROWS, LEARN_ROWS, MOST_PART_ROWS, PART_ROWS
from .._spellings import notes_on_spellings
from ..classes._problem import ClassProblem
from ..inputs._inputs import check_pred_proba, inputs_of
from ..inputs._labels import classes_of_counts, known_mask
from ..results._audit import Audit
from ._passes import JudgedSums, Judging, finish_rows, gather_rows, judge_part
from ._table import Scan, Scanned, StoredTable, TableColumns, columns_for, scan_part

MARK = "made-by-errata.txt"
MARK_TEXT = """errata keeps here what is finished of an audit, so that the same call can go on when
it was stopped, and removes this folder, with all that is in it, when the audit is done.
"""
IN_MEMORY_ONLY = ("embeddings", "sequence", "wavelets", "decisions", "keys", "image_shape")

# Bytes, measured with `python benchmarks/scale.py parquet`.
_PROCESS = 350_000_000  # errata and what it stands on, models, a block of rows that is judged
_LEARNT_CELL = 40  # of the rows that are learnt from: cells, features, and these scaled
_PART_CELL, _PART_ROW = 16, 200  # of a part: cells, and what is found out about each row


class Storing(NamedTuple):
    """Where and how the audit runs; see :func:`errata.audit`."""

    out: Path
    memory: int | str | None = None
    engine: Any = None
    resume: bool = True
    patience: float = 600.0

    @property
    def unfinished(self) -> Path:
        """The folder of what is not finished yet, beside that of the audit."""
        return self.out.with_name(f"{self.out.name}.unfinished")


def audit_stored(
    X: Any, label: Any, options: Options, storing: Storing, progress: Callable[[Any], None]
) -> Audit:
    """See :func:`errata.audit`."""
    _check_options(label, options)
    was_there = storing.out.exists()
    with connect(storing.engine) as client, _unfinished_folder(storing):
        found = _audit_source(X, label, options, storing._replace(engine=client), progress)
        progress("writing the audit")
        if storing.out.exists() and not was_there:
            raise FileExistsError(
                f"{storing.out} appeared during the audit, and stays as it is; move it away and "
                "call again, which goes on from here, or choose another place."
            )
        found.save(storing.out)
    return Audit.load(storing.out)


@contextmanager
def _unfinished_folder(storing: Storing) -> Iterator[None]:
    """Make the folder of what is not finished, or take over one that errata made; then remove it.

    Where the block fails, it stays if there is something in it to go on from.
    """
    folder = storing.unfinished
    mark = folder / MARK
    is_new = not folder.exists()
    if not is_new and not mark.is_file():
        raise FileExistsError(
            f"{folder} is there already and was not made by errata, which would remove it; move it "
            f"away, or choose another place than {storing.out}."
        )
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        explain_closed(storing.out, error)
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
        is_bad_input = isinstance(error, ValueError | TypeError) and storing.engine is None
        if (is_new and is_bad_input) or not _holds_results(folder):
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


def _holds_results(folder: Path) -> bool:
    """Whether there is anything that would have to be made again."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return any(path.suffix in (".pickle", ".parquet") for path in files)


def _audit_source(
    X: Any, label: Any, options: Options, storing: Storing, progress: Callable[[Any], None]
) -> Audit:
    """Audit at once what can be learnt from at once, and a larger table in passes."""
    progress("reading the table")
    source = open_source(
        X,
        scratch=storing.unfinished / "tables",
        rows_per_part=part_rows(storing.memory),
        progress=progress,
    )
    columns = columns_for(
        source.columns,
        label,
        options.drop,
        known=options.known,
        groups=options.groups,
        pred_proba=options.pred_proba,
        ids=options.ids,
    )
    if source.n_rows <= LEARN_ROWS:
        found = _audit_at_once(source, columns, options, progress)
    else:
        table = StoredTable(source, columns, options.seed)
        ledger = Ledger.open(
            storing.unfinished / "work", _fingerprint(table, options), resume=storing.resume
        )
        with make_engine(storing.engine, ledger, progress, storing.patience) as engine:
            found = audit_in_passes(table, options, engine, ledger, progress)
    found.about |= {"label": label, "tables": source.files}
    return found


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
                f"{shortened(repr(name), 60)}."
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


def _fingerprint(table: StoredTable, options: Options) -> dict[str, Any]:
    """What must be the same for an unfinished audit to go on."""
    packages = ("errata", "numpy", "scikit-learn")
    return table.source.fingerprint() | {
        "label": table.columns.label,
        "parameters": {f.name: repr(getattr(options, f.name)) for f in fields(options)},
        "versions": {name: version(name) for name in packages},
    }


def audit_in_passes(
    table: StoredTable, options: Options, engine: Engine, ledger: Ledger, progress: Progress
) -> Audit:
    """Scan, learn and judge; what is finished is kept in the ledger."""
    started = time.perf_counter()
    drawn = rows_to_learn_from(table.n_rows, table.seed)
    scan = Scan(table.columns.label, table.columns.read, drawn)
    scanned = engine.reduce(scan_part, Scanned.merge, table.parts, scan, stage="scanning")
    learnt, judge, check = ledger.kept(
        "learnt", partial(_learn, table, options, scanned, drawn, progress)
    )
    few = table.n_rows <= EXACT_ROWS
    folder = ledger.folder / "judged"
    folder.mkdir(exist_ok=True)
    classes = learnt.inputs.classes
    posterior = learnt.posterior if few else None
    judging = Judging(judge, table.columns, classes, folder, posterior)
    told = engine.reduce(judge_part, JudgedSums.merge, table.parts, judging, stage="judging")
    if few:
        return gather_rows(table, options, learnt, check, judging, told, started=started)
    return finish_rows(table, options, learnt, check, judging, told, engine)


def _learn(
    table: StoredTable, options: Options, scanned: Scanned, drawn: np.ndarray, progress: Progress
) -> tuple[Learnt, Judge, SelfCheck | None]:
    """What is known after the first pass."""
    columns = table.columns
    rows = scanned.table()
    name = f"column {columns.label!r}"
    classes = classes_of_counts(scanned.labels, scanned.blank, name)
    given = columns.labelled(rows, classes)
    given = given._replace(known=known_mask(given.known, given.codes >= 0))
    groups = None if columns.groups is None else column_array(rows, columns.groups)
    proba = columns.proba_of(rows)
    notes: list[str] = []
    if proba is not None:
        proba = check_pred_proba(proba, classes, len(drawn), notes)
    inputs = inputs_of(
        given,
        groups=groups,
        trust=options.trust,
        seed=table.seed,
        n_jobs=options.n_jobs,
        drawn=drawn,
        n_rows=table.n_rows,
        pred_proba=proba,
    )
    inputs.notes.extend(notes)
    inputs.notes.extend(notes_on_spellings(scanned.labels))
    if options.estimator is None:  # which alone looks at features that are not scaled
        inputs = inputs.without_features()
    learnt = learn(
        inputs,
        options,
        pred_proba=proba,
        fills=scanned.blank > 0,
        progress=progress,
    )
    if not options.self_check:
        return _small(learnt), Judge.of(learnt), None
    progress("planting errors and looking for them")
    check = check_by_injecting(learnt)
    inputs.notes.extend(notes_on_check(learnt))
    return _small(learnt), Judge.of(learnt), check


def _small(learnt: Learnt) -> Learnt:
    """What was learnt, without what only models need, for the ledger."""
    return learnt._replace(inputs=learnt.inputs.without_features(), models=[])


def part_rows(memory: int | str | None) -> Callable[[int], int]:
    """A function of the number of columns that says how many rows a part may have.

    Examples
    --------
    >>> part_rows(None)(20), part_rows("600MB")(20), part_rows("4GB")(20)
    (200000, 173076, 500000)
    """
    if memory is None:
        return lambda n_columns: PART_ROWS
    given = parse_memory(memory)

    def rows(n_columns: int) -> int:
        fixed = _PROCESS + _LEARNT_CELL * LEARN_ROWS * n_columns
        each = _PART_CELL * n_columns + _PART_ROW
        most = (given - fixed) // each
        if most < FEWEST_PART_ROWS:
            raise ValueError(
                f"memory={memory!r} is too little for a table of {n_columns} columns; "
                f"{size(fixed + each * FEWEST_PART_ROWS)} are needed."
            )
        return min(most, MOST_PART_ROWS)

    return rows
