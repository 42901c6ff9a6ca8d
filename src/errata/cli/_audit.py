"""``errata audit``: which labels of a table are wrong, with a report to look at."""

import json
import os
import shlex
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import click

import errata

from .._files import atomic_folder, find_database, is_pattern, make_temporary_prefix, readable
from .._kinds import KINDS, Kind, find_kind
from .._progress import show_progress
from .._sentences import answer, notes, wording
from ._common import (
    TitledCommand,
    add_table,
    check_place,
    clean_up,
    explain_resuming,
    fail,
    make_console,
    name_audit,
    say,
)
from ._findings import format_clean_command, print_findings
from ._installed import embed_columns
from ._options import (
    AUDIT_OPTIONS,
    PATH,
    add_options,
    name_options,
    open_engine,
    read_arguments,
)

FOR_THE_PAGE = ("map", "points", "band")  # thousands of points to draw
OF_A_ROW = ("row", "id", "label", "suggested", "p_wrong", "flagged", "reasons")  # without pictures


@click.command(cls=TitledCommand, short_help="Find the wrong labels, or wrong numbers, in FILE.")
@click.argument("file", type=PATH)
@add_options(AUDIT_OPTIONS)
def audit(
    file: Path,
    query: str | None,
    out: Path | None,
    out_table: str | None,
    most_wrong: float | None,
    as_json: bool,
    force: bool,
    **options: Any,
) -> None:
    """Find the wrong labels in FILE, or with --target its wrong numbers.

    FILE is CSV, TSV, JSON lines, Parquet, Feather or Excel, a folder of such files or of pictures,
    or a pattern in quotes. Open FILE.audit/report.html when it is done.

    \b
    Examples:
      errata audit train.csv --label species
      errata audit train.csv -l species --by annotator
      errata audit visits.parquet -l outcome --group patient --drop billing_code
      errata audit homes.csv --target price
      uvx errata audit train.csv --label species    without installing anything
    \f
    Cells may hold numbers, categories, text, dates and names of pictures, and may be empty. CSV,
    TSV and JSON lines may end in .gz. A folder with a folder of pictures for each class needs no
    --label.

    Several quick models say how probable the label of each row is, without having been fitted to
    that row. Then errors are planted in a copy of the labels, to see how many of them are found on
    this very table. A row without a label teaches nothing; its most probable class is suggested.

    FILE may also be a DuckDB database, as in duckdb:shop.db, with --query. It is opened for reading
    only, unless --out-table asks for a new table.

    A folder or a pattern is read in parts and may be larger than memory. When such an audit is
    stopped, the same command goes on where it was.

    \b
    The folder holds:
      report.html               a page to look at, offline
      summary.md, metrics.json  in short, for a comment on a change; in numbers
      ranked.csv                all rows, the most suspicious first; beyond a
                                million, 100,000 flagged ones at most
      stretches.csv             with --sequence: which stretches are wrong
      workers.csv, ask.csv      with --item: how often each annotator is right,
                                and which items to ask about next
      cells.csv, labels.csv     with --labels: which labels of which rows look
                                missing or wrongly set, and how often each is
      audit.json, rows.parquet  for errata clean, and errata.Audit.load in Python;
                                a folder rows, when read in parts beyond a million
      cards.parquet, components.parquet  for errata review, but not beyond a
                                million rows that were read in parts

    \b
    More examples:
      errata audit train.csv -l species --fail-above 0.05 --compare-to last.audit
      errata audit recordings.csv -l wave --sequence record
      errata audit train.csv -l species --decisions train.decisions -o train.2.audit
      errata audit votes.csv --item photo --worker who -l answer
      errata audit photos/
      errata audit visits/ -l outcome --memory 2GB
      errata audit "visits-*.csv.gz" -l outcome --engine dask
      errata audit photos.jsonl --labels tags
      errata audit duckdb:shop.db --query 'select * from orders' -l status
    """
    # Remarks for those who write code; the second names its caller, who may be anybody.
    warnings.filterwarnings("ignore", module="sklearn")
    warnings.filterwarnings("ignore", "The number of unique classes")
    database = find_database(file)
    if database is None and (query is not None or out_table is not None):
        raise ValueError(
            "--query and --out-table are for a database: name it as in duckdb:shop.db."
        )
    out = out or name_audit(database or file, ".audit", ending="")
    with query_database(database, query, out_table, file, out, force=force) as (read, table):
        found, ranked, since = _audit_table(read, table, out, force=force, **options)
    if out_table is not None:
        write_ranked(found, database, out_table, force=force)
    if as_json:
        print_as_json(found, since, out)
    else:
        print_findings(
            found.summary(), file=table, folder=out, terminal=make_console(), ranked=ranked
        )
        if since is not None:
            say(f"Since the audit compared to:\n{since.summary()}")
    if most_wrong is not None:
        check_rate(found, most_wrong)  # last, so that a pipeline that fails has its report


def _audit_table(
    file: Path,
    table: Path,
    out: Path,
    *,
    embed: tuple[str, ...],
    memory: str | None,
    engine: str | None,
    scheduler: str | None,
    no_resume: bool,
    compare_to: Path | None,
    force: bool,
    **options: Any,
) -> tuple[Any, str, Any]:
    """Audit a file, to be called ``table``; returns findings, words for the list, and changes."""
    with show_progress():  # from the first moment on: what audits takes a second to import
        arguments = read_arguments(options)
        kind = find_kind(arguments)
        if not is_pattern(file) and not file.is_dir():
            with readable(file):  # what is missing is said before the work begins
                _check_header(file, kind, arguments)
        in_parts = errata.auditing._audit_file.is_read_in_parts(file, memory, engine or scheduler)
    if no_resume and not in_parts:
        raise ValueError(
            f"--no-resume is for tables that are read in parts, and {file} is read at once; "
            "leave it out, or pass --memory."
        )
    if embed:
        check_place(out, force)
        _check_embed(options, kind, in_parts=in_parts)
        options["embeddings"] = embed_columns(
            file,
            embed,
            errata.auditing._audit_file.FileOptions(**arguments),
            out.with_name(f"{out.name.removesuffix('.audit')}.embeddings"),
        )
        arguments["embeddings"] = options["embeddings"]
    earlier = _load_earlier(compare_to, kind, out, in_parts=in_parts)
    if in_parts:
        arguments |= {"out": out, "memory": memory, "resume": not no_resume}
    with (
        make_folder(out, force=force, is_filled=in_parts) as folder,
        _explain_parts(file, out, no_resume) if in_parts else nullcontext(),
        open_engine(engine, scheduler) as client,
        show_progress() as progress,
    ):
        found = errata.auditing.audit_file(file, **arguments, engine=client, progress=progress)
        found.notes[:] = map(name_options, found.notes)
        review = f"errata review {shlex.quote(str(out))}"
        found._about["clean"] = format_clean_command(table, out)
        if table != file:
            found._about["table"] = str(table.resolve())
        found._about["review"] = review if found._for_review is not None else None
        model = {name: options[name] for name in ("model", "model_args") if options[name]}
        found._about["arguments"] |= model  # for a second audit, after a review
        progress("writing the report")
        since = None if earlier is None else errata.diff(earlier, found)
        words = errata.report._folder.fill_folder(found, folder, since=since)
        return found, words, since


def _check_header(file: Path, kind: Kind, arguments: dict[str, Any]) -> None:
    """Raise where a text table lacks a column that was named, as its first line says at once."""
    from ..tables.formats._csv import open_text_table  # here and below: they bring NumPy
    from ..tables.formats._records import TEXT, check_named_once, get_ending, is_table_name

    if not is_table_name(file) or get_ending(file) not in TEXT:
        return
    columns = [arguments[name] for name in kind.command.named_by]
    if "features" not in kind.command.takes:  # where the others are columns of another table
        columns += [arguments[name] for name in ("groups", "sequence", "known", "ids", "by")]
        columns += [*arguments["drop"], *arguments["trust"], *arguments["wavelets"]]
    columns = [name for name in columns if isinstance(name, str)]  # several labels may be in one
    with open_text_table(file) as table:
        check_named_once(table.header.cells, columns, file)


def _check_embed(options: dict[str, Any], kind: Kind, *, in_parts: bool) -> None:
    """Raise for what does not go with ``--embed``."""
    if in_parts or "embeddings" not in kind.command.takes:
        what = "a table that is read in parts" if in_parts else f"an audit of {kind.title}"
        raise ValueError(f"--embed does not go with {what}; leave it out.")
    for name in ("embeddings", "pixels", "sequence"):
        if options[name] is not None:
            raise ValueError(f"--embed and --{name} cannot both be given; leave one out.")


@contextmanager
def _explain_parts(file: Path, out: Path, no_resume: bool) -> Iterator[None]:
    """Say what becomes of an audit that was stopped before, and of this one where it is stopped."""
    from ..auditing.stored._audit import MARK, unfinished_folder  # here, as it brings scikit-learn

    unfinished = unfinished_folder(out)
    if (unfinished / MARK).is_file():
        what = "Starting anew" if no_resume else "Going on"
        say(f"{what}: the audit of {file} was stopped before, in {unfinished}.", err=True)
    with explain_resuming():
        yield


def _load_earlier(path: Path | None, kind: Kind, out: Path, *, in_parts: bool) -> Any:
    """The earlier audit, read before the work begins; None where none is named."""
    if path is None:
        return None
    found = errata.auditing.load_audit(path)
    if found.kind != kind.name:
        raise ValueError(
            f"--compare-to {path} is an audit of {KINDS[found.kind].title}, and this one is of "
            f"{kind.title}; name one of the same kind."
        )
    # Its rows may be read only when they are compared, and by then the new ones are in their place.
    if in_parts and path.resolve() == out.resolve():
        raise ValueError(
            f"--compare-to {path} would be replaced before it is compared; choose another --out."
        )
    return found


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


def write_ranked(found: Any, database: Any, name: str, *, force: bool) -> None:
    """Write the ranked rows to a new table of a database."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "ranked.parquet")
        errata.tables.write_table(path, errata.report._folder.list_rows(found)[0])
        add_table(database, name, path, force=force)


def print_as_json(found: Any, since: Any, folder: Path) -> None:
    """Print the summary, but for what is drawn; notes go to standard error, too."""
    summary = found.summary()
    for note in notes(summary):
        say(f"Note: {note}", err=True)
    shown = {name: value for name, value in summary.items() if name not in FOR_THE_PAGE} | {
        "answer": answer(summary),
        "examples": [{name: row[name] for name in OF_A_ROW} for row in summary["examples"]],
        "metrics": found.metrics(),
        "diff": None if since is None else since.to_dict(),
        "folder": str(folder),
    }
    say(json.dumps(shown, indent=2, allow_nan=False))


def check_rate(found: Any, most: float) -> None:
    """End with exit code 1 where too many labels are wrong, or nobody knows how many."""
    rate = found.noise_rate
    many = wording(found.summary()).nouns
    # Without skill the estimate means nothing; a pipeline must not pass for lack of evidence.
    limit = f"more than --fail-above {most:.1%}"
    if not found.has_skill and rate.high > most:
        fail(f"Whether {limit} of the {many} are wrong cannot be judged.")
    if found.has_skill and rate.estimate > most:
        fail(f"Too many {many} are wrong: {rate.estimate:.1%}, {limit}.")
