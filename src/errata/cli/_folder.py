"""Where things go: names beside a table, the folder of an audit, and what it holds."""

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from glob import glob, has_magic
from pathlib import Path
from typing import Any

import errata

from .._files import (
    SET_ASIDE,
    atomic_folder,
    is_pattern,
    make_temporary_prefix,
    name_beside,
    places_of,
    remove_litter,
)
from .._format import count, plural
from .._kinds import KINDS
from ._console import say

MOST_RANKED = 100_000  # rows of a large table in ranked.csv: nobody reads further
CHANCES = ("p_wrong", "p_consensus")


@contextmanager
def make_folder(out: Path, *, force: bool, is_filled: bool = False) -> Iterator[Path]:
    """Yield the name of a folder to make; it becomes ``out`` when the block succeeds.

    What stands in the way is found out before the block begins, not after minutes of work. An
    audit that is there already gives way with ``force``, or where the block itself fills ``out``
    first; any other folder or file never does. The table may be confidential: nobody but its owner
    may read what is in the folder.
    """
    check_place(out, force)
    clean_up(out.parent)
    with atomic_folder(out, force=force or is_filled, private=True) as folder:
        yield folder


def check_place(out: Path, force: bool) -> None:
    """Raise when an audit cannot be written there, before the work begins."""
    if not out.parent.is_dir():
        raise FileNotFoundError(f"cannot write {out}: there is no folder {out.parent}.")
    if not out.exists():
        return
    # --force replaces a whole folder: it must not be one that somebody else filled.
    from ..audit_folder import is_audit

    if not is_audit(out):
        raise FileExistsError(f"{out} already exists and is not an audit; choose another --out.")
    if not force:
        raise FileExistsError(
            f"{out} holds an audit already; choose another --out, or replace it with --force."
        )


def clean_up(*folders: Path) -> None:
    """Remove what a run that was killed left in folders, and say so."""
    for folder in dict.fromkeys(folders):
        removed, left = remove_litter(folder)
        if removed:
            what = plural(len(removed), "temporary file", "temporary files")
            say(f"Removed from {folder}: {what} of a run that was killed.", err=True)
        for path in left:
            say(f"{path / SET_ASIDE} is what a run that was killed had set aside.", err=True)


def find_table(table: str | None, folder: Path) -> Path:
    """Where the table of an audit was, or beside the audit when both have moved.

    It may be a folder or a pattern.
    """
    if table is None:
        raise ValueError(f"{folder} does not say what it is an audit of; name the file: --table.")
    there = Path(table)
    for place in places_of(there, folder):
        if place.exists() or (has_magic(str(place)) and glob(str(place), recursive=True)):
            return place
    raise FileNotFoundError(f"{there} is not there any more; say where it is with --table.")


def name_audit(table: Path, addition: str, *, ending: str | None = None) -> Path:
    """A name beside the table; that of several files is a folder, and has no ending.

    >>> name_audit(Path("data/visits-*.csv.gz"), ".audit").as_posix()
    'data/visits.audit'
    >>> name_audit(Path("data/*.csv"), ".clean").as_posix()
    'data.clean'
    >>> name_audit(Path("train.csv.gz"), ".audit", ending="").as_posix()
    'train.audit'
    """
    if not is_pattern(table):
        return (
            _rename_folder(table, addition)
            if table.is_dir()
            else name_beside(table, addition, ending=ending)
        )
    above = Path(*(piece for piece in table.parent.parts if not has_magic(piece)))
    stem = re.sub(r"\[[^]]*\]|[*?]", "", table.name.partition(".")[0]).strip("-_ ")
    if stem:
        return above / f"{stem}{addition}"
    return _rename_folder(above, addition)


def _rename_folder(folder: Path, addition: str) -> Path:
    """The folder itself with another name; "." and ".." have none but where they are."""
    folder = folder if folder.name not in ("", "..") else folder.resolve()
    if not folder.name:
        raise ValueError(f"{folder} has no name to call anything by; say where it goes with --out.")
    return folder.with_name(f"{folder.name}{addition}")


def write_outputs(found: Any, folder: Path, earlier: Any = None) -> tuple[str, Any]:
    """Write all of it; say what the ranked list holds, and what changed since ``earlier``."""
    from ..auditing.results._base import further_lists  # here, as it brings scikit-learn

    found.save(folder)
    found.report(folder / "report.html")
    listed, words = _list_rows(found)
    _write(folder / "ranked.csv", listed)
    for name, columns in further_lists(found).items():
        _write(folder / f"{name}.csv", columns)
    since = None if earlier is None else errata.diff(earlier, found)
    changes = [] if since is None else [since.markdown()]
    text = "\n\n".join([found.to_markdown(), *changes])
    (folder / "summary.md").write_text(f"{text}\n", encoding="utf-8")
    return words, since


def _list_rows(found: Any) -> tuple[dict[str, Any], str]:
    """The columns of ``ranked.csv``, and what its rows are."""
    ranked, words = _rank_rows(found)
    if found.ids is not None:
        ranked["id"] = found.ids[ranked["row"]]
    ranked["flagged"] = ranked["flagged"].astype(int)  # 0 and 1 can be summed in a spreadsheet
    wanted = ["row", *(() if found.ids is None else ("id",)), *KINDS[found.kind].listed]
    return {name: ranked[name] for name in wanted}, words


@contextmanager
def query_database(
    database: Path | None,
    query: str | None,
    out_table: str | None,
    file: Path,
    out: Path,
    *,
    force: bool,
) -> Iterator[tuple[Path, Path]]:
    """Yield the file to audit, and what it will be called: of a database the result of the query.

    The result stays beside the audit, for who reviews and cleans it, if the block succeeds.
    """
    if database is None:
        yield file, file
        return
    if query is None:
        raise ValueError(f"say what to audit of {database}, with --query, as in 'select * from t'.")
    from ..tables.formats._database import check_new_table, write_query  # here: it brings NumPy

    check_place(out, force)
    table = out.with_name(f"{out.name.removesuffix('.audit')}.query.parquet")
    if table.exists() and not force:
        raise FileExistsError(f"{table} is there already; choose another --out, or use --force.")
    if out_table is not None:
        check_new_table(database, out_table, force=force)
    prefix = make_temporary_prefix()
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=prefix) as folder:
        result = Path(folder, table.name)
        write_query(database, query, result)
        try:
            yield result, table
        except (ValueError, OSError) as error:  # in words that last longer than the file
            error.args = tuple(
                each.replace(str(result), "the result of --query")
                if isinstance(each, str)
                else each
                for each in error.args
            )
            raise
        os.replace(result, table)


def write_ranked(found: Any, database: Any, name: str, *, force: bool) -> None:
    """Write the ranked rows to a new table of a database."""
    from ..tables.formats._database import write_database_table  # here, as it brings NumPy

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "ranked.parquet")
        errata.tables.write_table(path, _list_rows(found)[0])
        write_database_table(database, name, path, force=force)
    say(f"Wrote the table {name} of {database}.", err=True)


def _write(path: Path, columns: dict[str, Any]) -> None:
    # Further digits say nothing, and differ from one machine to the next.
    chance = {k: v.round(4).clip(max=0.9999) for k, v in columns.items() if k in CHANCES}
    errata.tables.write_table(path, columns | chance, guard_formulas=True)


def _rank_rows(found: Any) -> tuple[dict[str, Any], str]:
    """The rows of the list, the most suspicious first, and what they are."""
    from ..auditing.results._base import ranked_columns  # here, as it brings scikit-learn

    if len(found) <= errata.auditing._settings.EXACT_ROWS:
        return ranked_columns(found), f"All {KINDS[found.kind].row}s"
    ranked = ranked_columns(found, flagged=True, most=MOST_RANKED)
    flagged = found.metrics()["n_flagged"]
    if flagged <= MOST_RANKED:
        return ranked, "The flagged rows"
    return ranked, f"The {count(MOST_RANKED)} most suspicious of the flagged rows"
