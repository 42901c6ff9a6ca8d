"""``errata noise --target``: plant wrong numbers."""

from pathlib import Path
from typing import Any

import errata

from ._columns import read_column

KINDS = ("swap", "gross", "shift", "unit")


class PlantedNumbers:
    """Numbers with errors, as cells of their column, and the table of the truth."""

    def __init__(self, table: Path, target: str, kind: str, rate: float | None, seed: int) -> None:
        if rate is None:
            raise ValueError("say how much noise: --rate with a number between 0 and 1.")
        numbers = errata.auditing.numbers
        given = numbers.read_targets(errata.tables.read_table(table), target)
        by = _first_numbers(given.table) if kind == "unit" else None
        noisy, changed = errata.noise.disturb_targets(
            given.targets, rate, kind=kind, by=by, random_state=seed
        )
        digits = numbers.digits_of(given.targets[given.has_target])
        cells = read_column(table, target).tolist()
        self.target, self.changed = target, changed
        self.cells = numbers.written_cells(cells, changed, noisy, digits)
        self.truth = {
            "row": range(len(noisy)),
            "recorded": noisy,
            "target": given.targets,
            "changed": 1 * changed,
        }


def _first_numbers(table: Any) -> Any:
    """The first column of numbers without gaps: where units are confused depends on it."""
    for column in errata.tables._columns.columns_of(table):
        values = errata.tables._cells.numbers(column.values)
        if values is not None and (values == values).all():
            return values
    raise ValueError("--kind unit needs a column of numbers without gaps besides the target.")
