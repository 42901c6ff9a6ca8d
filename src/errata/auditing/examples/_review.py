"""For a review: cards to decide by, rows drawn by known probabilities, hypotheses to reweigh.

Nothing of it is computed before an audit is saved.
"""

import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...audit_folder import (
    CARDS,
    COMPONENTS,
    Components,
    draw_piles,
    gather_components,
    read_components,
    write_cards,
    write_components,
)
from ...tables._columns import take_table_rows
from .._settings import LEARN_ROWS
from ..classes import Grouped
from ..inputs._inputs import Display
from ._cards import CardMaker, card_rows
from ._explanations import Explainer, RowExplanation, chosen_row
from ._views import RowsView

if TYPE_CHECKING:
    from ..results._audit import AuditRows
    from ..results._base import BaseAudit

CARDS_AT_ONCE = 1_000  # made at a time
CARD_TIME = 0.02  # of the audit's time, to look for neighbours beyond the first thousand cards


@dataclass(frozen=True)
class StoredReview:
    """What a review needs, in the folder of an audit that was loaded."""

    source: Path
    told: dict[str, Any]

    def write(self, folder: Path, audit: "BaseAudit") -> dict[str, Any]:
        """Copy the files to where the audit is saved again."""
        for name in (CARDS, COMPONENTS):
            shutil.copyfile(self.source / name, folder / name)
        return self.told

    def components(self, audit: "BaseAudit") -> tuple[Components, np.ndarray] | None:
        """Groups of noise hypotheses, and what each says of every row; None without any."""
        if self.told["components"] is None:
            return None
        p = read_components(self.source / COMPONENTS)
        return Components.from_dict(self.told["components"]), p


@dataclass(frozen=True)
class ForReview:
    """What all of it is made from."""

    look: Callable[[np.ndarray], RowsView]  # at some rows
    grouped: Callable[[], Grouped]  # hypotheses, and what they say of every row
    doubtful: np.ndarray  # whether each label may be wrong
    display: Display
    seconds: float  # that the audit took
    seed: int
    n_jobs: int | None
    has_neighbors: bool = True  # not in recordings, where a row like others is nothing unusual
    table: Any = None  # whose cells are shown; None for that of the inputs
    explainer: Explainer | None = None  # of single rows, where models can be asked again

    def showing(self, table: Any) -> "ForReview":
        """The same with the cells of another table, which may have columns that no model saw."""
        return replace(self, table=table)

    def explain(self, audit: "AuditRows", row: Any) -> RowExplanation:
        """Why one row is doubted, by its place or its id."""
        if self.explainer is None:
            raise ValueError(
                "a row can be explained where it has one label and models learn from all rows: not "
                f"in recordings, votes, or tables of more than {LEARN_ROWS:,} rows."
            )
        names = self.display.row_names(len(audit))
        place = chosen_row(row, len(audit), names)
        other = self.look(np.array([place])).others[place]
        return self.explainer.explain(audit, place, names=names, other=other)

    def write(self, folder: Path, audit: "BaseAudit") -> dict[str, Any]:
        """Write the files to the folder of the audit; what is left is for its JSON file."""
        components, p = self.components(audit)
        write_components(folder / COMPONENTS, p)
        random = np.random.default_rng(self.seed + 2)
        piles = draw_piles(audit.flagged, random, known=~self.doubtful)
        write_cards(folder / CARDS, self._cards(audit, piles))
        return {"components": components.as_dict(), "piles": piles | {"seed": self.seed}}

    def components(self, audit: "BaseAudit") -> tuple[Components, np.ndarray]:
        """Groups of noise hypotheses, and what each says of every row."""
        found = self.grouped()
        doubtful = self.doubtful
        components = gather_components(
            found.kinds,
            found.weights,
            found.p[doubtful],
            audit.flagged[doubtful],
            float(audit._p_row.sum()),
        )
        return components, found.p

    def _cards(
        self, audit: "BaseAudit", piles: dict[str, Any]
    ) -> Iterator[tuple[np.ndarray, list[dict[str, Any]]]]:
        """Rows and their cards; neighbours are looked for as long as there is time."""
        rows = card_rows(audit.suspicion, audit.flagged, piles)
        view = self.look(rows)
        maker = self._maker(audit, view)
        until = time.perf_counter() + CARD_TIME * self.seconds
        for start in range(0, len(rows), CARDS_AT_ONCE):
            part = rows[start : start + CARDS_AT_ONCE]
            is_time = start == 0 or time.perf_counter() < until
            cards = maker.cards(view.places(part), with_neighbors=is_time and self.has_neighbors)
            yield part, view.in_table(cards)

    def _maker(self, audit: "BaseAudit", view: RowsView) -> CardMaker:
        ids = self.display.row_names(len(audit))
        return CardMaker(
            view=view,
            table=self._shown(view),
            image_shape=self.display.image_shape,
            ids=None if ids is None else view.of_all(ids),
            keys=lambda rows: audit.row_keys(rows if view.rows is None else view.rows[rows]),
            p_wrong=view.of_all(audit._p_row),
            seed=self.seed,
            n_jobs=self.n_jobs,
        )

    def _shown(self, view: RowsView) -> Any:
        """The table whose cells are shown."""
        if self.table is None:
            return view.inputs.table
        return self.table if view.rows is None else take_table_rows(self.table, view.rows)
