"""``errata compare``: which way of learning suits a table whose labels may be wrong."""

from pathlib import Path
from typing import Any

import click
from rich.box import SIMPLE_HEAD
from rich.table import Table

import errata

from .._files import name_beside
from .._format import plural
from ._common import clean_up, explain_resuming, make_console, show_bar
from ._options import CLUSTER_OPTIONS, FRACTION, JOBS, PATH, SEED, add_options, open_engine

KINDS = ("ncar", "nar", "nnar")
YES = {"1", "1.0", "true", "yes", "y"}
NO = {"0", "0.0", "false", "no", "n", ""}


@click.command()
@click.argument("file", type=PATH)
@click.option("--label", "-l", metavar="COLUMN", help="The column of labels.  [required]")
@click.option("--drop", multiple=True, metavar="COLUMN", help="Not a feature; may be given again.")
@click.option(
    "--group", metavar="COLUMN", help="Rows that belong together: they are tested together."
)
@click.option(
    "--known", metavar="COLUMN", help="Rows whose label is certain: yes, true or 1 in this column."
)
@click.option(
    "--method",
    "methods",
    multiple=True,
    metavar="NAME",
    help="Compare only this method and others so named; give it twice or more.",
)
@click.option("--noise", type=FRACTION, metavar="RATE", help="Plant errors first.")
@click.option(
    "--kind",
    type=click.Choice(KINDS),
    default="ncar",
    show_default=True,
    help="Where to plant them: at random, by class, or near the border between classes.",
)
@click.option("--folds", type=click.IntRange(2), default=5, show_default=True)
@click.option("--repetitions", type=click.IntRange(1), default=2, show_default=True)
@click.option(
    "--rows",
    type=click.IntRange(20),
    default=5_000,
    show_default=True,
    help="Rows to draw at random from a larger table.",
)
@click.option(
    "--out",
    "-o",
    type=PATH,
    help="Folder for what is measured. [default: FILE with .compare]",
)
@click.option("--seed", type=SEED, default=0, show_default=True, help="Seed of every draw.")
@click.option(
    "--jobs", type=JOBS, default=1, show_default=True, help="Folds at a time; -1 for all cores."
)
@add_options(CLUSTER_OPTIONS)
def compare(file: Path, out: Path | None, rows: int, folds: int, seed: int, **options: Any) -> None:
    """Find out which learning method suits FILE.

    Plain classifiers, the same after an audit or a filter has left out what looks wrong, and
    learners that tolerate wrong labels are cross-validated. What counts is the accuracy on the
    class, not on the label: the table is audited first, and each prediction counts by the
    probability that it is right.

    \b
    The folder holds:
      compare.html   a page to look at, offline
      standing.csv   a row for each method, the best first
      results.csv    every measurement; the same command goes on from it

    \b
    Examples:
      errata compare train.csv --label species
      errata compare train.csv -l species --method SVM --method "SVM after audit"
      errata compare train.csv -l species --noise 0.2 --kind nnar
      errata compare train.csv -l species --engine dask
    """
    files = errata.auditing._audit_file
    options["label"] = files.find_label(options["label"], file)
    table = files.join_pictures(errata.tables.read_table(file), file)
    out = out or name_beside(file, ".compare", ending="")
    terminal = make_console()
    learnt = _read_features(table, file, options)
    clean_up(out)
    with explain_resuming():
        with (
            open_engine(options["engine"], options["scheduler"]) as engine,
            show_bar(terminal, file.name) as progress,
        ):
            try:
                found = errata.compare(
                    learnt,
                    options["label"],
                    competitors=list(options["methods"]) or None,
                    known=_read_certain(table, options["known"]),
                    groups=files.read_filled(table, options["group"], "group"),
                    noise=options["noise"],
                    kind=options["kind"],
                    cv=folds,
                    repetitions=options["repetitions"],
                    max_rows=rows,
                    out=out,
                    title=file.name,
                    random_state=seed,
                    n_jobs=options["jobs"],
                    progress=progress,
                    engine=engine,
                )
            except ValueError as error:  # in the words of who types, not of who programs
                raise ValueError(str(error).replace("cv=", "--folds ")) from error
        _write(found, out)
    _print_result(found.summary(), out, terminal)


def _read_features(table: Any, file: Path, options: dict[str, Any]) -> Any:
    """The table with the labels, without what is not a feature."""
    aside = [
        name for name in (*options["drop"], options["group"], options["known"]) if name is not None
    ]
    files = errata.auditing._audit_file
    files.check_known([options["label"], *aside], table, file)
    if options["label"] in aside:
        raise ValueError(f"column {options['label']!r} holds the labels; it cannot be left out.")
    files.check_labels(_get_column(table, options["label"]), options["label"])
    kept = table.drop_columns(aside)
    if kept.num_columns == 1:
        raise ValueError(f"no column of {file} is left to learn from, besides the labels.")
    return kept


def _read_certain(table: Any, name: str | None) -> Any:
    """Which labels are certain, by what the column says."""
    if name is None:
        return None
    said = [
        ("" if cell is None else str(cell)).lower() for cell in _get_column(table, name).tolist()
    ]
    odd = [cell for cell in said if cell not in YES | NO]
    if odd:
        raise ValueError(
            f"column {name!r} should say yes or no, but holds {odd[0]!r}; write 1 or 0."
        )
    return [cell in YES for cell in said]


def _get_column(table: Any, name: str) -> Any:
    return errata.tables._columns.column_array(table, name)


def _write(found: Any, out: Path) -> None:
    found.report(out / "compare.html")
    rows = found.summary()["competitors"]
    errata.tables.write_table(
        out / "standing.csv",
        {name: [row[name] for row in rows] for name in rows[0]},
        guard_formulas=True,
    )


def _print_result(summary: dict[str, Any], out: Path, terminal: Any) -> None:
    """The advice, a table, and where the rest is."""
    notes = [f"Note: {note}" for note in summary["notes"]]
    terminal.print(summary["advice"], summary["basis"], *notes, sep="\n")
    terminal.print(_make_table(summary))
    folds = plural(summary["folds"], "test fold")
    terminal.print(f"Means over {folds}; * is within chance of the best.")
    terminal.print(f"Look at it: {out / 'compare.html'}", soft_wrap=True)


def _make_table(summary: dict[str, Any]) -> Table:
    further = {"known_accuracy": "on known rows", "clean_accuracy": "before noise"}
    shown = {key: name for key, name in further.items() if key in summary["competitors"][0]}
    table = Table("", "learner", box=SIMPLE_HEAD)
    for name in (summary["score"], "95% interval", *shown.values(), "rank", "seconds"):
        table.add_column(name, justify="right")
    for row in summary["competitors"]:
        table.add_row(
            "*" if row["within_chance"] else "",
            row["name"],
            f"{row['score']:.1%}",
            f"{row['low']:.1%} to {row['high']:.1%}",
            *(f"{row[key]:.1%}" for key in shown),
            f"{row['rank']:.1f}",
            f"{row['seconds']:.2f}",
        )
    return table
