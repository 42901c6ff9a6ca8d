"""What an audit of numeric targets found, for the terminal."""

from typing import Any

from rich.table import Table

from .._format import probability
from ._grids import grid, title_of_rows

ROWS = 10  # of the table; the report has the rest
COLUMNS_OR_ROWS = "What may help: other columns or more rows."


def target_tables(summary: dict[str, Any]) -> list[tuple[str, Table]]:
    """The table of flagged rows with its title, and before it what explains them."""
    rows = [example for example in summary["examples"] if example["flagged"]][:ROWS]
    if not rows:
        return []
    title = title_of_rows(len(rows), summary["flagged"]["count"])
    slips = [f"{slip}." for slip in summary["hints"]]
    return [(" ".join([*slips, title]), _rows(rows))]


def _rows(rows: list[dict[str, Any]]) -> Table:
    named = ["id"] if any(e["id"] is not None for e in rows) else []
    table = grid(["row", *named], ["recorded", "expected", "low", "high", "p wrong"])
    table.add_column("hint")
    for e in rows:
        numbers = (e["label"], e["suggested"], e["low"], e["high"], probability(e["p_wrong"]))
        table.add_row(str(e["row"]), *(e[name] for name in named), *numbers, e["hint"])
    return table
