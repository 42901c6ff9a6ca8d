"""``errata datasets``: what there is, how large, and where it can come from."""

from collections import Counter
from pathlib import Path

import click
from rich.table import Table

import errata

from .._format import percent, plural
from ._common import make_console, say
from ._options import PATH


@click.command()
@click.argument("name", required=False)
@click.option(
    "--data",
    type=PATH,
    help="Folder of CSV data sets. [default: $ERRATA_DATA]",
)
def datasets(name: str | None, data: Path | None) -> None:
    """List the data sets there are, or describe the one called NAME.

    A data set is bundled with scikit-learn, generated, or a CSV file in your data folder (--data or
    ERRATA_DATA) whose last column is called label or target. Nothing is downloaded; in Python,
    load_dataset(NAME, download=True) may fetch those that OpenML has.
    """
    if name is None:
        _print_list(data)
    else:
        _describe(name, data)


def _print_list(data: Path | None) -> None:
    table = Table()
    table.add_column("name", no_wrap=True)
    table.add_column("task")
    for heading in ("rows", "features", "classes"):
        table.add_column(heading, justify="right")
    table.add_column("where")
    table.add_column("papers", overflow="fold")
    for card in errata.datasets.list_datasets(data):
        sizes = ["?" if n is None else str(n) for n in (card.rows, card.features)]
        classes = "-" if card.task == "regression" else str(card.classes or "?")
        where = ", ".join(card.sources) or "(not here)"
        table.add_row(card.name, card.task, *sizes, classes, where, ", ".join(card.papers))
    make_console().print(table)


def _describe(name: str, data: Path | None) -> None:
    bunch = errata.datasets.load_dataset(name, folder=data)
    rows, features = bunch.data.shape
    size = f"{plural(rows, 'row')}, {plural(features, 'feature')}"
    say(f"{name}: {size}, from {bunch.source}")
    if bunch.target.dtype.kind == "f":  # numbers to predict; classes are integers or text
        say(f"target from {bunch.target.min():g} to {bunch.target.max():g}")
        return
    table = Table("class")
    table.add_column("rows", justify="right")
    table.add_column("fraction", justify="right")
    for label, count in Counter(bunch.target.tolist()).most_common():
        table.add_row(str(label), str(count), percent(count / rows))
    make_console().print(table)
