"""The cards of an audit, read from their file a group at a time."""

import json
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np

from ..._optional import require
from ._columns import column_numbers

KEPT_GROUPS = 3  # a group holds 200 cards, which may be long texts


class CardFile:
    """``cards.parquet``: what to show of each row that has a card, by its place in the file."""

    def __init__(self, path: Path) -> None:
        parquet = require("pyarrow.parquet", extra="review")
        self._file = parquet.ParquetFile(path)
        groups = self._file.metadata.num_row_groups
        sizes = [self._file.metadata.row_group(group).num_rows for group in range(groups)]
        self._starts = np.cumsum([0, *sizes])
        self.rows: np.ndarray = column_numbers(self._file.read(columns=["row"])["row"])
        self._groups: OrderedDict[int, Any] = OrderedDict()

    def __len__(self) -> int:
        return len(self.rows)

    def card(self, place: int) -> dict[str, Any]:
        """One card."""
        return json.loads(self.text(place))

    def text(self, place: int) -> str:
        """One card as it is stored: JSON."""
        group = int(np.searchsorted(self._starts, place, side="right")) - 1
        return self._group(group)[place - int(self._starts[group])].as_py()

    def _group(self, group: int) -> Any:
        if group not in self._groups:
            self._groups[group] = self._file.read_row_group(group, columns=["card"])["card"]
            if len(self._groups) > KEPT_GROUPS:
                self._groups.popitem(last=False)
        self._groups.move_to_end(group)
        return self._groups[group]

    def texts(self) -> Any:
        """All cards in their order, a group in memory at a time."""
        for batch in self._file.iter_batches(batch_size=200, columns=["card"]):
            yield from (text.as_py() for text in batch["card"])

    def close(self) -> None:
        """Let the file go."""
        self._file.close()
