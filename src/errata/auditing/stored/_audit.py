"""The audit of a table that is read in parts: what is learnt from drawn rows judges all."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import fields, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from ..._engine import Ledger, connect, make_engine
from ..._files import explain_closed
from ..._format import shorten, size
from ...tables._columns import column_array
from ...tables.stored._sources import Source, open_source, parse_memory, take_source_rows
from .._audit import Options, run_audit
from .._settings import EXACT_ROWS, LEARN_ROWS
from ..classes._problem import ClassProblem
from ..results._audit import Audit
from ._problem import LargeProblem, StoredProblem
from ._table import TableColumns, columns_for

# Sizes: how much is learnt from at most. `python benchmarks/speed.py tables given`,
# `python benchmarks/scale.py tables million trees`
PART_ROWS = 200_000  # read at a time
FEWEST_PART_ROWS = 10_000
MOST_PART_ROWS = 500_000

MARK = "made-by-errata.txt"
MARK_TEXT = """errata keeps here what is finished of an audit, so that the same call can go on when
it was stopped, and removes this folder, with all that is in it, when the audit is done.
"""
IN_MEMORY_ONLY = ("embeddings", "sequence", "wavelets", "decisions", "keys", "image_shape")

# Bytes, measured with `python benchmarks/scale.py parquet`.
_PROCESS = 350_000_000  # errata and what it stands on, models, a block of rows that is judged
_LEARNT_CELL = 40  # of the rows that are learnt from: cells, features, and these scaled
_PART_CELL, _PART_ROW = 16, 200  # of a part: cells, and what is found out about each row


def unfinished_folder(out: Path) -> Path:
    """The folder of what is not finished yet, beside that of the audit."""
    return out.with_name(f"{out.name}.unfinished")


def audit_stored(
    X: Any,
    label: Any,
    options: Options,
    progress: Callable[[Any], None],
    *,
    out: Path,
    memory: int | str | None = None,
    engine: Any = None,
    resume: bool = True,
) -> Audit:
    """See :func:`errata.audit`."""
    _check_options(label, options)
    was_there = out.exists()
    with connect(engine) as client, _open_unfinished(out, on_a_cluster=client is not None):
        progress("reading the table")
        source = open_source(
            X,
            scratch=unfinished_folder(out) / "tables",
            rows_per_part=part_rows(memory),
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
            work = unfinished_folder(out) / "work"
            ledger = Ledger.open(work, _fingerprint(source, label, options), resume=resume)
            kind = StoredProblem if source.n_rows <= EXACT_ROWS else LargeProblem
            with make_engine(client, ledger, progress) as where:
                found = run_audit(kind(source, columns, where, ledger), options, progress)
        found.about |= {"label": label, "tables": source.files}
        progress("writing the audit")
        if out.exists() and not was_there:
            raise FileExistsError(
                f"{out} appeared during the audit, and stays as it is; move it away and call "
                "again, which goes on from here, or choose another place."
            )
        found.save(out)
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
    """What must be the same for an unfinished audit to go on."""
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
