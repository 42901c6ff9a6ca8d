"""For a review: cards to decide by, rows drawn with known probabilities, and hypotheses to reweigh.

Nothing of it is computed before an audit is saved.
"""

import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._optional import require
from ..review.inference import draw_piles, gather_components
from ._inputs import Display, Inputs, for_all_rows
from ._pooling import PooledModel
from ._settings import CARD_TIME, CARDS_AT_ONCE
from .cards import CardMaker, card_rows, write_cards
from .classes import Grouped, Posterior, grouped_hypotheses

if TYPE_CHECKING:
    from ._result import Audit


CARDS, COMPONENTS = "cards.parquet", "components.parquet"


@dataclass(frozen=True)
class StoredReview:
    """What a review needs, in the folder of an audit that was loaded."""

    source: Path
    told: dict[str, Any]

    def write(self, folder: Path, audit: "Audit") -> dict[str, Any]:
        """Copy the files to where the audit is saved again."""
        for name in (CARDS, COMPONENTS):
            shutil.copyfile(self.source / name, folder / name)
        return self.told


@dataclass(frozen=True)
class ForReview:
    """What all of it is made from."""

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

    def showing(self, table: Any) -> "ForReview":
        """The same with the cells of another table, which may have columns that no model saw."""
        return replace(self, table=table)

    def write(self, folder: Path, audit: "Audit") -> dict[str, Any]:
        """Write the files to the folder of the audit; what is left is for its JSON file."""
        found = grouped_hypotheses(self.posterior, self.logs, self.inputs.audited_codes)
        p = for_all_rows(self.inputs, found.p, self.posterior.rate)
        _write_components(folder / COMPONENTS, p)
        told = self._told(audit, found, p)
        write_cards(folder / CARDS, self._cards(audit, told["piles"]))
        return told

    def _told(self, audit: "Audit", found: Grouped, p: np.ndarray) -> dict[str, Any]:
        """The components, and the piles that rows are drawn into."""
        random, doubtful = np.random.default_rng(self.seed + 2), self.inputs.doubtful
        components = gather_components(
            *(found.kinds, found.weights, p[doubtful], audit.flagged[doubtful]),
            float(audit.p_wrong.sum()),
        )
        piles = draw_piles(audit.flagged, random, known=~doubtful)
        return {"components": components.as_dict(), "piles": piles | {"seed": self.seed}}

    def _cards(
        self, audit: "Audit", piles: dict[str, Any]
    ) -> Iterator[tuple[np.ndarray, list[dict[str, Any]]]]:
        """Rows and their cards; neighbours are looked for as long as there is time."""
        rows, maker = card_rows(audit.suspicion, audit.flagged, piles), self._maker(audit)
        until = time.perf_counter() + CARD_TIME * self.seconds
        for start in range(0, len(rows), CARDS_AT_ONCE):
            part = rows[start : start + CARDS_AT_ONCE]
            is_time = start == 0 or time.perf_counter() < until
            yield part, maker.cards(part, with_neighbors=is_time and self.has_neighbors)

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


def _write_components(path: Path, p: np.ndarray) -> None:
    """The probability that each label is wrong under each component, in single precision."""
    arrow = require("pyarrow", extra="tables")
    columns = {f"component_{kind}": np.ascontiguousarray(part) for kind, part in enumerate(p.T)}
    require("pyarrow.parquet", extra="tables").write_table(arrow.table(columns), path)
