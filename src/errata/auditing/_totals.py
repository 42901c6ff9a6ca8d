"""Totals: all that summary, report and notes need of the rows, added up over parts of a table."""

from collections import Counter
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from .._detector import least_kept
from ._settings import (
    CLEAN_THRESHOLD,
    HISTOGRAM_BINS,
    KEPT_OF_A_CLASS,
    LAST_OF_A_CLASS,
    LEAST_FLAGGED,
)


@dataclass(frozen=True, eq=False)
class Totals:
    """Sums over rows: those of two parts, added, are those of both together.

    ``classes`` stands for the number of classes, in their order.
    """

    n: int  # rows
    known: int  # of them with a label that is certain
    rows: np.ndarray  # (classes,), rows with that label
    wrong: np.ndarray  # (classes,), of them expected to be wrong
    flagged: np.ndarray  # (classes,), of them flagged
    above: np.ndarray  # (classes,), of them wrong with a probability that cleaning acts upon
    confusion: Counter[tuple[int, int]]  # flagged rows by the codes of label and suggestion
    histogram: np.ndarray  # labelled rows by p_wrong, in equal bins
    flagged_histogram: np.ndarray  # flagged ones
    near_borders: int = 0  # flagged rows that look wrong only if errors gather where classes meet

    @classmethod
    def of(
        cls,
        n_classes: int,
        codes: np.ndarray,
        *,
        suggested: np.ndarray,
        p_wrong: np.ndarray,
        flagged: np.ndarray,
        known: np.ndarray | None = None,
        p_elsewhere: np.ndarray | None = None,
    ) -> "Totals":
        """The totals of some rows.

        Parameters
        ----------
        n_classes : int
            How many classes the whole table has.
        codes, suggested : arrays of int of shape (n,)
            The places of label and suggestion among the classes; -1 for a row without a label.
        p_wrong, flagged : arrays of shape (n,)
            As in :class:`errata.Audit`.
        known : array of bool of shape (n,), optional
            Labels that are certain.
        p_elsewhere : array of shape (n,), optional
            ``p_wrong`` if labels near the borders of classes are not noisy.
        """
        labelled = codes >= 0
        given, p, drawn = codes[labelled], p_wrong[labelled], flagged[labelled]
        pairs = zip(codes[flagged].tolist(), suggested[flagged].tolist(), strict=True)
        return cls(
            n=len(codes),
            known=0 if known is None else int(known.sum()),
            rows=np.bincount(given, minlength=n_classes),
            wrong=np.bincount(given, weights=p, minlength=n_classes),
            flagged=np.bincount(given[drawn], minlength=n_classes),
            above=np.bincount(given[p > CLEAN_THRESHOLD], minlength=n_classes),
            confusion=Counter(pairs),
            histogram=np.histogram(p, histogram_edges())[0],
            flagged_histogram=np.histogram(p[drawn], histogram_edges())[0],
            near_borders=0 if p_elsewhere is None else near_borders(p_elsewhere[flagged]),
        )

    def __add__(self, other: "Totals") -> "Totals":
        pairs = {f.name: (getattr(self, f.name), getattr(other, f.name)) for f in fields(self)}
        return Totals(**{name: mine + theirs for name, (mine, theirs) in pairs.items()})

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        told = {f.name: getattr(self, f.name) for f in fields(self)}
        told = {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in told.items()}
        return told | {"confusion": [[*pair, count] for pair, count in self.confusion.items()]}

    @classmethod
    def from_dict(cls, told: dict[str, Any]) -> "Totals":
        """What :meth:`as_dict` gave."""
        arrays = {k: np.array(v) if isinstance(v, list) else v for k, v in told.items()}
        confusion = Counter({(label, other): count for label, other, count in told["confusion"]})
        return cls(**arrays | {"confusion": confusion})

    @cached_property
    def labelled(self) -> int:
        """Rows with a label."""
        return int(self.rows.sum())

    @cached_property
    def n_flagged(self) -> int:
        """Rows that are flagged."""
        return int(self.flagged.sum())

    @cached_property
    def dropped(self) -> int:
        """Rows that ``clean`` drops with its defaults: never more of a class than may go."""
        kept = least_kept(self.rows, min_per_class=LAST_OF_A_CLASS, min_fraction=KEPT_OF_A_CLASS)
        return int(np.minimum(self.above, self.rows - kept).sum())


def histogram_edges() -> np.ndarray:
    """Edges of the bins of ``p_wrong``."""
    return np.linspace(0, 1, HISTOGRAM_BINS + 1)


def near_borders(p_elsewhere: np.ndarray) -> int:
    """How many of some flagged rows would not be worth a look without noise at the borders."""
    return int(np.sum(p_elsewhere < LEAST_FLAGGED))
