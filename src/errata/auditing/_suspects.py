"""The worst rows as a person wants to see them: values, reasons, similar rows, a picture."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from ..report import pixels_uri, thumbnail_uri
from ..tables import numbers
from ._reasons import Reason

MOST, MOST_OF_MANY, MANY = 1_000, 200, 100_000
FEWEST = 100
COLUMNS = 24
PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp")


def worst_rows(suspicion: np.ndarray, flagged: np.ndarray) -> np.ndarray:
    """The flagged rows and at least a hundred, the most suspicious first, but not too many."""
    most = MOST if len(suspicion) <= MANY else MOST_OF_MANY
    count = min(max(int(flagged.sum()), FEWEST), most, len(suspicion))
    least = -np.partition(-suspicion, count - 1)[count - 1]
    rows = np.flatnonzero(suspicion >= least)
    return rows[np.argsort(-suspicion[rows], kind="stable")][:count]


def describe(
    rows: np.ndarray,
    reasons: Sequence[Reason],
    judged: Mapping[str, np.ndarray],
    *,
    table: Any,
    ids: np.ndarray | None,
    image_shape: tuple[int, ...] | None,
) -> list[dict[str, Any]]:
    """Plain dicts, ready for JSON; ``judged`` holds the columns of the audit."""
    values = ValuesOf(table, image_shape)
    labels = judged["label"]
    return [
        {
            "row": int(row),
            "id": None if ids is None else str(ids[row]),
            "label": str(labels[row]),
            "suggested": str(judged["suggested"][row]),
            "p_wrong": round(float(judged["p_wrong"][row]), 4),
            "flagged": bool(judged["flagged"][row]),
            "reasons": reason.sentences,
            "similar": [{"row": int(r), "label": str(labels[r])} for r in reason.similar],
            "values": values.of(int(row)),
            "image": values.picture(int(row)),
        }
        for row, reason in zip(rows, reasons, strict=True)
    ]


class ValuesOf:
    """Cells of a table of any kind, as text."""

    def __init__(self, table: Any, image_shape: tuple[int, ...] | None) -> None:
        self.image_shape, self.pixels = image_shape, None
        self.columns: dict[str, Any] = {}
        if isinstance(table, Mapping):
            self.columns = {str(name): table[name] for name in list(table)[:COLUMNS]}
        elif hasattr(table, "columns"):
            self.columns = {str(n): table[n].to_numpy() for n in list(table.columns)[:COLUMNS]}
        elif isinstance(table, np.ndarray) and table.ndim == 2:
            self.columns = {f"column {j}": table[:, j] for j in range(min(COLUMNS, table.shape[1]))}
        if image_shape is not None:
            self.pixels = _as_pixels(table)
            self.columns = {}
        self.paths = next((c for c in self.columns.values() if _holds_pictures(c)), None)

    def of(self, row: int) -> dict[str, str]:
        """What the row holds."""
        return {name: _told(column[row]) for name, column in self.columns.items()}

    def picture(self, row: int) -> str | None:
        """A picture of the row: its pixels, or the file it names."""
        if self.pixels is not None and self.image_shape is not None:
            return pixels_uri(self.pixels[row].reshape(self.image_shape))
        return None if self.paths is None else thumbnail_uri(Path(str(self.paths[row])))


def check_pixels(table: Any, shape: tuple[int, ...]) -> None:
    """Raise when the rows of a table are no pictures of this shape."""
    if isinstance(table, Mapping):
        columns = _as_pixels(table).shape[1]
    else:
        columns = 0 if table is None else np.shape(table)[1]
    if columns != int(np.prod(shape)):
        wanted = " x ".join(map(str, shape))
        raise ValueError(f"image_shape says {wanted} pixels, but the table has {columns} columns.")


def _as_pixels(table: Any) -> np.ndarray:
    if isinstance(table, Mapping):
        columns = [numbers(np.asarray(column)) for column in table.values()]
        return np.column_stack([column for column in columns if column is not None])
    return np.asarray(table.toarray() if sparse.issparse(table) else table, dtype=float)


def _holds_pictures(column: Any) -> bool:
    first = [str(value).lower() for value in column[:20]]
    return bool(first) and all(value.endswith(PICTURES) for value in first)


def _told(value: Any) -> str:
    if isinstance(value, float | np.floating):
        return f"{value:.6g}"
    text = str(value)
    return text if len(text) <= 200 else f"{text[:199]}…"
