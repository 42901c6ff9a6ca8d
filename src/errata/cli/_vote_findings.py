"""What an audit of votes found, for the terminal: items, annotators, and whom to ask about what."""

from pathlib import Path
from typing import Any

from rich.table import Table

from .._format import count, percent, plural, probability
from ._grids import grid

ITEMS, WORKERS, ASKED = 10, 10, 5  # of each table; the report has the rest
WHAT_MAY_HELP = (
    "What may help: more votes on the same items, or a table of the items with --features, whose "
    "columns tell the classes apart."
)


def vote_tables(summary: dict[str, Any]) -> list[tuple[str, Table]]:
    """The tables, each with its title."""
    items = [example for example in summary["examples"] if example["flagged"]][:ITEMS]
    tables = []
    if items:
        flagged = plural(summary["flagged"]["count"], "flagged item")
        title = f"The {count(len(items))} most suspicious of {flagged}:"
        tables.append((title, _items(items)))
    tables.append((_title_of_workers(summary), _workers(summary["workers"][-WORKERS:])))
    tables.append(("Items to ask about next:", _asked(summary["asked"][:ASKED])))
    return tables


def vote_steps(summary: dict[str, Any], clean: str, folder: Path) -> list[str]:
    """What was written besides, and what to do with it."""
    from ..report._votes import worth_told  # here, as it brings NumPy

    return [
        worth_told(summary["worth"]),
        f"All annotators: {folder / 'workers.csv'}",
        f"Which items to ask about next: {folder / 'ask.csv'}",
        "Write the items with their label, the consensus where the majority is probably wrong:",
        f"  {clean}",
    ]


def _items(items: list[dict[str, Any]]) -> Table:
    table = grid(["item", "majority", "suggested"], ["p wrong"])
    table.add_column("votes")
    for item in items:
        chance = probability(item["p_wrong"])
        table.add_row(item["id"], item["label"], item["suggested"], chance, item["reasons"][0])
    return table


def _title_of_workers(summary: dict[str, Any]) -> str:
    """How many annotators there are, and how many of them may be guessing.

    >>> _title_of_workers({"annotators": 12, "guessing": 1, "workers": [{}] * 12})
    'The 10 least accurate of 12 annotators, 1 of whom may be guessing:'
    """
    number, guessing = summary["annotators"], summary["guessing"]
    shown = min(len(summary["workers"]), WORKERS)
    which = f"The {count(shown)} least accurate of {plural(number, 'annotator')}"
    if shown == number:
        which = f"The {plural(number, 'annotator')}"
    return which + (f", {count(guessing)} of whom may be guessing:" if guessing else ":")


def _workers(workers: list[dict[str, Any]]) -> Table:
    table = grid(["annotator"], ["votes", "right", "between", "and"])
    table.add_column("most frequent mistake")
    for worker in workers:
        numbers = (percent(worker[name]) for name in ("accuracy", "low", "high"))
        confuses = worker["confuses"] or ""
        table.add_row(worker["worker"], count(worker["votes"]), *numbers, confuses)
    return table


def _asked(asked: list[dict[str, Any]]) -> Table:
    table = grid(["item", "most probable"], ["votes", "probability"])
    for each in asked:
        chance = probability(each["p_consensus"])
        table.add_row(each["item"], each["consensus"], count(each["votes"]), chance)
    return table
