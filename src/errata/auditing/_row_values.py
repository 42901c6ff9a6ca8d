"""What a row holds, as a person reads it: its cells as text, and its picture."""

from pathlib import Path
from typing import Any

import numpy as np

from .._format import shortened
from ..report._images import pixels_uri, thumbnail_uri
from ..tables._columns import Column, column_names, columns_of
from ..tables._pictures import content_of, holds_pictures, named_pictures
from ._pixels import as_pixels
from ._settings import EXAMPLE_TEXT


class RowValues:
    """Cells of a table of any kind, as text; none of a sparse one, nor of rows of pixels."""

    def __init__(self, table: Any, image_shape: tuple[int, ...] | None) -> None:
        self.image_shape = image_shape
        self.pixels = None if image_shape is None else as_pixels(table)
        columns = named_columns(table) if image_shape is None else []
        self._pictures = next(filter(holds_pictures, columns), None)
        self.columns = [named_pictures(c) if holds_pictures(c) else c for c in columns]

    def of(self, row: int, places: list[int]) -> dict[str, str]:
        """What the row holds in some of the columns."""
        chosen = (self.columns[place] for place in places)
        return {column.name: _as_text(column.cell(row)) for column in chosen}

    def picture(self, row: int) -> str | None:
        """A picture of the row: its pixels, or the picture that a cell is or names."""
        name = self.file_name(row)
        return self.drawn(row) if name is None else thumbnail_uri(Path(name))

    def drawn(self, row: int) -> str | None:
        """A picture that is in the row itself: its pixels, or what a cell holds."""
        if self.pixels is not None and self.image_shape is not None:
            return pixels_uri(self.pixels[row].reshape(self.image_shape))
        cell = self._picture(row)
        return None if cell is None or isinstance(cell, str) else thumbnail_uri(content_of(cell))

    def file_name(self, row: int) -> str | None:
        """The picture file that the row names, where a column holds such names."""
        cell = self._picture(row)
        return cell if isinstance(cell, str) else None

    def _picture(self, row: int) -> Any:
        return None if self._pictures is None else self._pictures.cell(row)


def named_columns(table: Any) -> list[Column]:
    """The columns of a table of any kind by the names that a person knows them by."""
    if isinstance(table, np.ndarray):
        return [column._replace(name=f"column {column.key}") for column in columns_of(table)]
    return columns_of(table) if column_names(table) else []


def _as_text(value: Any) -> str:
    if isinstance(value, float | np.floating):
        return f"{value:.6g}"
    return shortened(str(value), EXAMPLE_TEXT)
