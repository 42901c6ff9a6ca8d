"""Examples: the most suspicious rows as a person wants to see them, with values and reasons."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .._format import four_digits
from ..report._images import pixels_uri, thumbnail_uri
from ..tables._columns import Column, column_names, columns_of
from ._inputs import Display
from ._pixels import as_pixels
from ._reasons import Reason
from ._settings import (
    EXAMPLE_COLUMNS,
    EXAMPLE_TEXT,
    FEWEST_EXAMPLES,
    MANY_ROWS,
    MOST_EXAMPLES,
    MOST_EXAMPLES_OF_MANY,
)

PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp")


def example_rows(suspicion: np.ndarray, flagged: np.ndarray) -> np.ndarray:
    """The flagged rows and at least a hundred, the most suspicious first, but not too many."""
    most = MOST_EXAMPLES if len(suspicion) <= MANY_ROWS else MOST_EXAMPLES_OF_MANY
    count = min(max(int(flagged.sum()), FEWEST_EXAMPLES), most, len(suspicion))
    least = -np.partition(-suspicion, count - 1)[count - 1]
    rows = np.flatnonzero(suspicion >= least)
    return rows[np.argsort(-suspicion[rows], kind="stable")][:count]


def describe_examples(
    rows: np.ndarray,
    reasons: Sequence[Reason],
    columns: Mapping[str, np.ndarray],
    table: Any,
    display: Display,
) -> list[dict[str, Any]]:
    """Plain dicts, ready for JSON; ``columns`` are those of the audit."""
    values = RowValues(table, display.image_shape)
    labels = columns["label"]
    ids = display.row_names(len(labels))
    return [
        {
            "row": int(row),
            "id": None if ids is None else str(ids[row]),
            "label": str(labels[row]),
            "suggested": str(columns["suggested"][row]),
            "p_wrong": four_digits(columns["p_wrong"][row]),
            "flagged": bool(columns["flagged"][row]),
            "reasons": reason.sentences,
            "similar": [{"row": int(r), "label": str(labels[r])} for r in reason.similar],
            "values": values.of(int(row)),
            "image": values.picture(int(row)),
        }
        for row, reason in zip(rows, reasons, strict=True)
    ]


class RowValues:
    """Cells of a table of any kind, as text."""

    def __init__(self, table: Any, image_shape: tuple[int, ...] | None) -> None:
        self.image_shape = image_shape
        self.pixels = None if image_shape is None else as_pixels(table)
        self.columns = _shown_columns(table) if image_shape is None else {}
        self.paths = next((c for c in self.columns.values() if _holds_pictures(c)), None)

    def of(self, row: int) -> dict[str, str]:
        """What the row holds."""
        return {name: _as_text(column.cell(row)) for name, column in self.columns.items()}

    def picture(self, row: int) -> str | None:
        """A picture of the row: its pixels, or the file it names."""
        if self.pixels is not None and self.image_shape is not None:
            return pixels_uri(self.pixels[row].reshape(self.image_shape))
        return None if self.paths is None else thumbnail_uri(Path(str(self.paths.cell(row))))


def _shown_columns(table: Any) -> dict[str, Column]:
    """The first columns of a table of any kind by their names; none of a sparse one."""
    if isinstance(table, np.ndarray):
        return {f"column {c.key}": c for c in columns_of(table)[:EXAMPLE_COLUMNS]}
    if column_names(table):
        return {column.name: column for column in columns_of(table)[:EXAMPLE_COLUMNS]}
    return {}


def _holds_pictures(column: Column) -> bool:
    rows = np.arange(min(20, len(column.values)))
    first = [str(value).lower() for value in column.array(rows)]
    return bool(first) and all(value.endswith(PICTURES) for value in first)


def _as_text(value: Any) -> str:
    if isinstance(value, float | np.floating):
        return f"{value:.6g}"
    text = str(value)
    return text if len(text) <= EXAMPLE_TEXT else f"{text[: EXAMPLE_TEXT - 1]}…"
