"""What an audit of several labels a row found, for the terminal."""

from typing import Any

from rich.table import Table

from .._format import count, percent, probability
from ._grids import grid, title_of_rows

ROWS, LABELS = 10, 10  # of the tables; the report has the rest


def multilabel_tables(summary: dict[str, Any]) -> list[tuple[str, Table]]:
    """The tables of labels and of flagged rows, with their titles."""
    judged = [label for label in summary["per_label"] if label["has_skill"]]
    worst = sorted(judged, key=lambda label: -label["rate"]["estimate"])[:LABELS]
    told = "Labels" if len(worst) == len(judged) else f"The {LABELS} worst of {len(judged)} labels"
    rows = [example for example in summary["examples"] if example["flagged"]][:ROWS]
    title = title_of_rows(len(rows), summary["flagged"]["count"])
    return [(f"{told}:", _labels(worst)), *([(title, _rows(rows))] if rows else [])]


def _labels(labels: list[dict[str, Any]]) -> Table:
    table = grid(["label"], ["rows", "missing", "wrongly set", "flagged"])
    for label in labels:
        rates = (percent(label[way]["estimate"]) for way in ("missing", "wrongly_set"))
        table.add_row(label["label"], count(label["rows"]), *rates, count(label["flagged"]))
    return table


def _rows(rows: list[dict[str, Any]]) -> Table:
    named = ["id"] if any(e["id"] is not None for e in rows) else []
    table = grid(["row", *named, "labels", "changes"], ["p wrong"])
    for e in rows:
        cells = (e["label"], e["suggested"], probability(e["p_wrong"]))
        table.add_row(str(e["row"]), *(e[name] for name in named), *cells)
    return table
