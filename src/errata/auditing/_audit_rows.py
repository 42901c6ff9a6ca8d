"""The rows of an audit, be they in memory or on disk: all at once, some at a time, or ranked."""

from collections.abc import Iterator

import numpy as np

from .._blocks import blocks
from ._base import BaseAudit
from ._by import Doubted
from ._labels import codes_of, has_label
from ._settings import BATCH_ROWS
from ._stored_rows import (
    NAMES,
    StoredColumn,
    StoredRows,
    columns_of_rows,
    flagged_only,
    ranked_rows,
)
from ._totals import Totals


class AuditRows(BaseAudit):
    """What :class:`errata.Audit` can tell of its rows."""

    labels: np.ndarray
    suggested: np.ndarray
    p_wrong: np.ndarray
    flagged: np.ndarray
    known: np.ndarray | None
    classes: np.ndarray

    @property
    def codes(self) -> np.ndarray:
        """Index of each label among ``classes``, -1 where a row has none."""
        return codes_of(self.labels, self.classes)

    @property
    def labelled(self) -> np.ndarray:
        """Whether each row has a label."""
        return has_label(self.labels)

    @property
    def stored(self) -> StoredRows | None:
        """The rows on disk; None where they are in memory, or some column was replaced."""
        held = [vars(self)[name] for name in NAMES]
        return held[0].rows if all(isinstance(h, StoredColumn) for h in held) else None

    @property
    def totals(self) -> Totals:
        """Sums over the rows as they are now: the arrays may be replaced at any time."""
        if self.stored is not None:
            return self.stored.totals
        codes, flagged = self.codes, self.flagged
        suggested = codes.copy()  # as is the rule for rows that are not flagged
        suggested[flagged] = np.searchsorted(self.classes, self.suggested[flagged])
        return Totals.of(
            *(len(self.classes), codes),
            suggested=suggested,
            p_wrong=self.p_wrong,
            flagged=flagged,
            known=self.known,
        )

    def doubted(self) -> Doubted:
        """The labels that may be wrong, compared within each label, as some are harder."""
        codes = self.codes
        may_be = codes >= 0 if self.known is None else (codes >= 0) & ~self.known
        return Doubted.among(may_be, self.p_wrong, self.flagged, codes)

    def columns(self) -> dict[str, np.ndarray]:
        """One array per column of the ranked table, in the order of the rows given."""
        return columns_of_rows(vars(self), slice(0, len(self)))

    def batches(self) -> Iterator[dict[str, np.ndarray]]:
        """The arrays of :meth:`columns`, some rows at a time, in the order of the rows given.

        Of an audit on disk no more than a file of rows is in memory at once.
        """
        stored = self.stored
        pieces = blocks(len(self), BATCH_ROWS) if stored is None else stored.slices()
        return (columns_of_rows(vars(self), rows) for rows in pieces)

    def ranked_columns(
        self, *, flagged: bool | None = None, most: int | None = None
    ) -> dict[str, np.ndarray]:
        """One array per column of :meth:`table`; of the ``most`` suspicious rows only."""
        only = self.stored is not None if flagged is None else flagged
        return ranked_rows(map(flagged_only, self.batches()) if only else [self.columns()], most)
