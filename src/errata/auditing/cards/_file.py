"""Cards in a Parquet file, of which a page can read some without the others."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from ..._optional import require
from .._settings import CARD_GROUP


def write_cards(path: Path, parts: Iterable[tuple[np.ndarray, list[dict[str, Any]]]]) -> None:
    """Write rows and their cards, a part at a time, in row groups of two hundred."""
    arrow = require("pyarrow", extra="tables")
    parquet = require("pyarrow.parquet", extra="tables")
    schema = arrow.schema([("row", arrow.int64()), ("card", arrow.string())])
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for rows, cards in parts:
            texts = [json.dumps(card, allow_nan=False) for card in cards]
            part = arrow.table({"row": rows, "card": texts}, schema=schema)
            writer.write_table(part, row_group_size=CARD_GROUP)
