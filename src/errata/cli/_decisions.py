"""``errata decisions``: what people decided, taken along, brought back, and put together."""

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

import errata

from .._files import find_database
from .._format import count, join_names, plural
from ._common import add_table, clean_up, find_table, say
from ._options import PATH

FORMATS = ("csv", "parquet", "jsonl", "label-studio")
_ENDINGS = {
    "csv": (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz"),
    "parquet": (".parquet", ".feather"),
    "jsonl": (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz"),
    "label-studio": (".json",),
}


@click.command()
@click.argument("folder", metavar="AUDIT", type=PATH)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@click.option(
    "--update", is_flag=True, help="Put all of it into report.html and audit.json of AUDIT, too."
)
@click.option(
    "--fixed",
    type=click.IntRange(min=1),
    metavar="N",
    help="Certify the first N rows drawn by lot: N was fixed before the first verdict, which "
    "proves more than a certificate that holds whenever you stop.",
)
@click.option(
    "--export",
    type=PATH,
    metavar="FILE",
    help="Write the table with what was decided beside each row; as duckdb:shop.db with "
    "--out-table, to a database.",
)
@click.option(
    "--out-table",
    metavar="TABLE",
    help="With --export duckdb:FILE: the new table of the database.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="Of --export. [default: by the ending of FILE; .json is label-studio]",
)
@click.option("--events", is_flag=True, help="With --export: one row for each event instead.")
@click.option(
    "--import",
    "bring",
    type=PATH,
    metavar="FILE",
    help="Take in annotations that Label Studio exported as JSON.",
)
@click.option(
    "--merge",
    type=PATH,
    metavar="OTHER",
    multiple=True,
    help="Take in the decisions of another file. May be given several times.",
)
@click.option(
    "--table",
    type=PATH,
    help="The audited table. [default: where it was audited, or beside AUDIT]",
)
@click.option("--force", is_flag=True, help="Overwrite a file that is there already.")
def decisions(folder: Path, **options: Any) -> None:
    """Show what was decided about the rows of AUDIT.

    AUDIT is the folder that errata audit has written; decisions are in a file beside it. Says who
    decided how many rows, how far they agree, how good the flagged list was and what is left.

    \b
    Examples:
      errata decisions train.audit
      errata decisions train.audit --export train.decided.csv
      errata decisions train.audit --export tasks.json       for Label Studio
      errata decisions train.audit --import annotated.json   and back
      errata decisions train.audit --merge colleague.decisions
    """
    if options["export"] is None:
        for option, value in {"--events": options["events"], "--format": options["form"]}.items():
            if value:
                raise ValueError(f"{option} says how to export; name the file with --export.")
    database = find_database(options["export"])
    if database is not None or options["out_table"] is not None:
        return _export_to_database(database, folder, options)
    _decisions(folder, options)


def _export_to_database(database: Path | None, folder: Path, options: dict[str, Any]) -> None:
    """Do what was asked for, and write the exported table to a database instead of a file."""
    name = options["out_table"]
    if database is None or name is None:
        raise ValueError(
            "--out-table names a table of a database, and --export the database, as in "
            "--export duckdb:shop.db --out-table decided; give both."
        )
    from ..tables.formats._database import check_new_table

    if options["form"] is not None:
        raise ValueError("--format is for files; a database has its own.")
    check_new_table(database, name, force=options["force"])
    with tempfile.TemporaryDirectory() as temporary:
        options["export"] = Path(temporary, "decided.parquet")
        _decisions(folder, options)
        add_table(database, name, options["export"], force=options["force"])


def _decisions(folder: Path, options: dict[str, Any]) -> None:
    """See :func:`decisions`."""
    audited = errata.review.read_audited(folder)
    if options["export"] is not None:
        _check_export(folder, audited, options)
    writes = options["bring"] is not None or bool(options["merge"])
    if not writes and not errata.review.decisions_path(folder).exists():
        return _start_review(folder, audited, options)
    with errata.review.open_decisions(folder, read_only=not writes) as kept:
        _take_in(kept, audited, options)
        if options["export"] is not None:
            _export(kept, audited, options)
        summary = errata.review.review_summary(kept, audited, folder, fixed=options["fixed"])
    if options["update"]:
        errata.auditing.add_review(folder, summary)
    say(json.dumps(summary, indent=2) if options["as_json"] else "\n".join(summary["sentences"]))


def _start_review(folder: Path, audited: Any, options: dict[str, Any]) -> None:
    """Before anybody has decided anything, tasks for others to decide on are all there is."""
    if options["export"] is None or options["form"] != "label-studio":
        raise FileNotFoundError(
            f"nobody has decided anything about {folder} yet; begin with: errata review {folder}"
        )
    clean_up(options["export"].parent)
    _print_written(options["export"], _export_tasks({}, audited, options))


def _check_export(folder: Path, audited: Any, options: dict[str, Any]) -> None:
    """Find table and format; raise now what would go wrong after the work."""
    from ..tables.stored._files import check_new_file  # here, as it brings NumPy

    target = options["export"]
    form = options["form"]
    found = [name for name, ends in _ENDINGS.items() if target.name.lower().endswith(ends)]
    if form not in (None, *found) or not found:
        fits = [end for name in (FORMATS if form is None else [form]) for end in _ENDINGS[name]]
        raise ValueError(f"{target} does not end as its format does; known: {join_names(fits)}.")
    if options["events"] and found == ["label-studio"]:
        raise ValueError("--events are a table; give --export the ending of one, such as .csv.")
    options["form"] = found[0]
    options["table"] = options["table"] or find_table(audited.table, folder)
    check_new_file(options["table"], target, force=options["force"])


def _take_in(kept: Any, audited: Any, options: dict[str, Any]) -> None:
    for other in options["merge"]:
        added, known = kept.merge(other)
        say(f"{other}: {plural(added, 'new event')}, {count(known)} known.", err=True)
    if options["bring"] is not None:
        became = errata.review.import_label_studio(kept, audited, options["bring"])
        say(f"{options['bring']}: {_describe_import(became)}", err=True)


def _export(kept: Any, audited: Any, options: dict[str, Any]) -> None:
    source = options["table"]
    target = options["export"]
    clean_up(target.parent)
    if options["events"]:
        written = plural(errata.review.export_events(kept, target), "event")
    elif options["form"] == "label-studio":
        written = _export_tasks(kept.verdicts(), audited, options)
    else:
        rows = errata.review.export_table(audited, kept.verdicts(), source, target)
        written = f"{plural(rows, 'row')} of it {'was' if rows == 1 else 'were'} looked at"
    if options["out_table"] is None:
        _print_written(target, written)


def _export_tasks(verdicts: Mapping[str, Any], audited: Any, options: dict[str, Any]) -> str:
    source = options["table"]
    target = options["export"]
    tasks = errata.review.export_label_studio(audited, verdicts, source, target)
    return f"{plural(tasks, 'task')}; their labelling config is {target.with_suffix('.xml')}"


def _print_written(target: Path, told: str) -> None:
    say(f"Wrote {target}: {told}.", err=True)


def _describe_import(became: dict[str, int]) -> str:
    """The fate of the annotations of a file."""
    passed_over = {
        "untouched": "as they were exported",
        "unknown": "of rows that are not in this audit",
        "foreign": "of another labelling config or class",
    }
    parts = [f"{count(became[name])} {why}" for name, why in passed_over.items() if became[name]]
    rest = f"; passed over: {', '.join(parts)}" if parts else ""
    return f"{plural(became['added'], 'new decision')}, {count(became['known'])} known{rest}."
