"""What a row holds, as a person reads it: its cells as text, and its picture."""

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from .._format import shortened
from ..report._images import pixels_uri, thumbnail_uri
from ..tables._columns import Column, column_names, columns_of
from ._pixels import as_pixels
from ._settings import EXAMPLE_TEXT

PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp")


class RowValues:
    """Cells of a table of any kind, as text; none of a sparse one, nor of rows of pixels."""

    def __init__(self, table: Any, image_shape: tuple[int, ...] | None) -> None:
        self.image_shape = image_shape
        self.pixels = None if image_shape is None else as_pixels(table)
        self.columns = named_columns(table) if image_shape is None else []

    def of(self, row: int, places: list[int]) -> dict[str, str]:
        """What the row holds in some of the columns."""
        chosen = (self.columns[place] for place in places)
        return {column.name: _as_text(column.cell(row)) for column in chosen}

    def picture(self, row: int) -> str | None:
        """A picture of the row: its pixels, or the file it names."""
        name = self.file_name(row)
        return self.drawn(row) if name is None else thumbnail_uri(Path(name))

    def drawn(self, row: int) -> str | None:
        """A picture of the row's pixels, where rows are pixels."""
        if self.pixels is None or self.image_shape is None:
            return None
        return pixels_uri(self.pixels[row].reshape(self.image_shape))

    def file_name(self, row: int) -> str | None:
        """The picture file that the row names, where a column holds such names."""
        return None if self._paths is None else str(self._paths.cell(row))

    @cached_property
    def _paths(self) -> Column | None:
        return next((column for column in self.columns if _holds_pictures(column)), None)


def named_columns(table: Any) -> list[Column]:
    """The columns of a table of any kind by the names that a person knows them by."""
    if isinstance(table, np.ndarray):
        return [column._replace(name=f"column {column.key}") for column in columns_of(table)]
    return columns_of(table) if column_names(table) else []


def _holds_pictures(column: Column) -> bool:
    rows = np.arange(min(20, len(column.values)))
    first = [str(value).lower() for value in column.array(rows)]
    return bool(first) and all(value.endswith(PICTURES) for value in first)


def _as_text(value: Any) -> str:
    if isinstance(value, float | np.floating):
        return f"{value:.6g}"
    return shortened(str(value), EXAMPLE_TEXT)
