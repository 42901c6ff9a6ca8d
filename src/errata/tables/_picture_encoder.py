"""A column of pictures as features."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._blocks import blocks, map_blocks
from .._format import plural
from ._cells import is_arrow, missing_cells
from ._encoders import Block, Kind, median
from ._picture_features import N_NUMBERS, edges_and_colours
from ._pictures import name_of, small_picture

_AT_ONCE = 512  # pictures whose pixels are in memory


@dataclass(frozen=True)
class Pictures(Kind):
    """Edges and colours of each picture; the medians where one is missing or cannot be read."""

    medians: tuple[float, ...] = ()

    @classmethod
    def learn(cls, name: str, described: np.ndarray) -> tuple["Pictures", Block]:
        """From what :func:`described_cells` gives."""
        encoder = cls(name, medians=tuple(map(median, described.T)))
        return encoder.keeping(encoder.parts(described))

    def read(self, values: Any) -> tuple[np.ndarray, int]:
        described = described_cells(values)
        return described, int(_unread(values, described).sum())

    def parts(self, cells: np.ndarray) -> Block:
        missing = np.isnan(cells[:, 0])
        parts = {
            f"{self.name} {place}": np.where(missing, middle, column)
            for place, (column, middle) in enumerate(zip(cells.T, self.medians, strict=True))
        }
        return parts | {f"{self.name} missing": missing}


def described_cells(values: Any) -> np.ndarray:
    """The numbers of the picture in each cell, NaN where there is none."""
    cells = values.to_pylist() if is_arrow(values) else values.tolist()
    return map_blocks(_described, blocks(len(cells), _AT_ONCE), cells)


def _described(rows: slice, cells: Sequence[Any]) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is odd in a file is no news to who has many
        pictures = [small_picture(cell) for cell in cells[rows]]
    found = [picture for picture in pictures if picture is not None]
    numbers = np.full((len(pictures), N_NUMBERS), np.nan)
    if found:
        there = [picture is not None for picture in pictures]
        numbers[there] = edges_and_colours(np.stack(found))
    return numbers


def unread_remark(name: str, values: Any, described: np.ndarray) -> str:
    """What to say about pictures that cannot be read; nothing if there are none."""
    unread = np.flatnonzero(_unread(values, described))
    if not len(unread):
        return ""
    cell = values[int(unread[0])]
    first = name_of(cell.as_py() if is_arrow(values) else cell)
    which = f" (the first is {first})" if first else ""
    are, they = ("is", "it counts") if len(unread) == 1 else ("are", "they count")
    return (
        f"{plural(len(unread), 'picture')} of {name!r} {are} not there, or cannot be read{which}; "
        f"{they} as missing."
    )


def _unread(values: Any, described: np.ndarray) -> np.ndarray:
    """Cells that are not missing, but give no picture."""
    nothing = np.isnan(described[:, 0])
    return nothing & ~missing_cells(values) if nothing.any() else nothing


def picture_features(features: Any) -> tuple[set[str], np.ndarray | None]:
    """The columns of pictures that features were made of, by name, and those of their features.

    The names of files are in these columns too, and no model sees them.
    """
    encoders = [e for e in getattr(features.plan, "encoders", ()) if isinstance(e, Pictures)]
    if not encoders:
        return set(), None
    kept = {name for encoder in encoders for name in encoder.kept}
    return {e.name for e in encoders}, features.X[:, [name in kept for name in features.names]]
