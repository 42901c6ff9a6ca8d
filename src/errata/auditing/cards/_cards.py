"""The cards of an audit: made when it is saved, a thousand at a time, and kept in a file."""

import json
import os
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._optional import require
from .._inputs import Display, Inputs
from .._pooling import PooledModel
from .._settings import CARD_GROUP, CARD_TIME, CARDS_AT_ONCE
from ..classes import Posterior
from ._maker import CardMaker
from ._rows import card_rows

if TYPE_CHECKING:
    from .._result import Audit


@dataclass(frozen=True)
class StoredCards:
    """Cards in the folder of an audit that was loaded."""

    source: Path

    def write(self, path: str | os.PathLike, audit: "Audit") -> None:
        """Copy them to where the audit is saved again."""
        shutil.copyfile(self.source, path)


@dataclass(frozen=True)
class Cards:
    """What cards are made from; nothing is computed before the audit is saved."""

    inputs: Inputs
    display: Display
    posterior: Posterior
    logs: np.ndarray
    models: Sequence[PooledModel]
    seconds: float  # that the audit took
    seed: int
    n_jobs: int | None
    has_neighbors: bool = True  # not in recordings, where a row like others is nothing unusual
    table: Any = None  # whose cells are shown; None for that of the inputs

    def showing(self, table: Any) -> "Cards":
        """The same with the cells of another table, which may have columns that no model saw."""
        return replace(self, table=table)

    def write(self, path: str | os.PathLike, audit: "Audit") -> None:
        """Write them as a Parquet file, of which a page can read some without the others."""
        arrow = require("pyarrow", extra="tables")
        parquet = require("pyarrow.parquet", extra="tables")
        schema = arrow.schema([("row", arrow.int64()), ("card", arrow.string())])
        with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
            for rows, texts in self._parts(audit):
                part = arrow.table({"row": rows, "card": texts}, schema=schema)
                writer.write_table(part, row_group_size=CARD_GROUP)

    def _parts(self, audit: "Audit") -> Iterator[tuple[np.ndarray, list[str]]]:
        """Rows and their cards; neighbours are looked for as long as there is time."""
        rows, maker = card_rows(audit.suspicion, audit.flagged, audit.piles), self._maker(audit)
        until = time.perf_counter() + CARD_TIME * self.seconds
        for start in range(0, len(rows), CARDS_AT_ONCE):
            part = rows[start : start + CARDS_AT_ONCE]
            is_time = start == 0 or time.perf_counter() < until
            made = maker.cards(part, with_neighbors=is_time and self.has_neighbors)
            yield part, [json.dumps(card, allow_nan=False) for card in made]

    def _maker(self, audit: "Audit") -> CardMaker:
        return CardMaker(
            inputs=self.inputs,
            table=self.inputs.table if self.table is None else self.table,
            posterior=self.posterior,
            logs=self.logs,
            models=self.models,
            image_shape=self.display.image_shape,
            ids=self.display.row_names(len(audit)),
            keys=audit.row_keys(),
            p_wrong=audit.p_wrong,
            seed=self.seed,
            n_jobs=self.n_jobs,
        )
