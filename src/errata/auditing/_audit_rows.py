"""The rows of an audit, be they in memory or on disk: all at once, some at a time, or ranked."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from .._blocks import blocks
from ._base import BaseAudit
from ._by import Doubted
from ._for_review import ForReview
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
from .explaining import RowExplanation


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

    def explain(self, row: Any) -> RowExplanation:
        """Why the label of one row is doubted, or not: models, neighbours and columns.

        The columns are weighed by leaving out the value of each: values of 100 other rows stand in
        for it one after the other, and the probabilities that the pooled models give are averaged.

        Parameters
        ----------
        row : int or str
            The place of the row, from 0, or as text its id (what the index of a pandas dataframe
            calls it, where ``ids`` were not given).

        Returns
        -------
        RowExplanation
            ``models``, ``neighbors`` and ``columns``, lists of dicts; ``print`` shows a paragraph,
            ``plot()`` a picture.

        Notes
        -----
        With ``p(c | x without j)``, the mean of ``p(c | x)`` over values of column ``j``, the label
        ``l`` and the class ``o`` that speaks most against it, a column counts as ``log p(l | x
        without j) / p(o | x without j) - log p(l | x) / p(o | x)`` (Robnik-Šikonja and Kononenko,
        2008). It tells what the models look at, not what causes the class. Where two columns say
        the same, neither is missed, and both count for little; some of the rows that are made up
        on the way could not exist.

        An audit keeps no models: the first call fits them again, in ten folds, which takes one to
        three times as long as the audit without its self-check. Every call then costs 100
        predictions a column: O(d) rows of d features. Needs the table, which an audit that was
        loaded from a folder does not have.
        """
        if not isinstance(self.for_review, ForReview):
            raise ValueError(
                "the audit does not hold its table any more, as it was loaded or let go; explain a "
                "row of the audit that errata.audit returned, or audit the table again."
            )
        return self.for_review.explain(self, row)

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
