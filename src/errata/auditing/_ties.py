"""Ties between rows: copies of each other, or neighbours in time, which are wrong together."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ._copies import are_copies, copy_groups
from ._groups import renumbered
from ._inputs import Inputs
from ._models import TrainingData
from ._rbf_ridge import RBFRidge
from ._settings import CHECK_MOMENTS, CHECK_SAMPLE, CHECKED_ROWS, MEDIUM, MOST_COPIES, PIECE
from .sequences import Recordings


class Ties(NamedTuple):
    """What rows have to do with each other, all of them audited ones."""

    equal: np.ndarray | None = None  # the number of each row's group of equal rows
    copies: np.ndarray | None = None  # the same where equal rows are copies
    recordings: Recordings | None = None

    def evidence(self, codes: np.ndarray) -> dict[str, Any]:
        """What the posterior must know to count the evidence."""
        units = None if self.recordings is None else self.recordings.runs(codes)
        return {"equal": self.equal, "units": units}

    def changed_together(self, codes: np.ndarray) -> np.ndarray | None:
        """The number of each row's group where an injected error changes all of its rows.

        In a recording it is a part of a run of one label, as annotators err for a while.
        """
        if self.recordings is None:
            return self.copies
        runs = self.recordings.runs(codes).max() + 1
        return self.recordings.pieces(codes, max(1, round(PIECE * len(codes) / runs)))

    def some_rows(self, n: int, random: np.random.Generator) -> np.ndarray | None:
        """The rows of a self-check where all would take too long."""
        if self.recordings is not None:
            return self.recordings.windows(CHECK_MOMENTS, random) if n > CHECK_MOMENTS else None
        if n <= CHECKED_ROWS:
            return None
        return np.sort(random.choice(n, CHECK_SAMPLE, replace=False))

    def for_rows(self, rows: np.ndarray) -> "Ties":
        """The same for some of the rows."""
        return Ties(
            renumbered(self.equal, rows),
            renumbered(self.copies, rows),
            None if self.recordings is None else self.recordings.for_rows(rows),
        )


def find_ties(data: TrainingData, inputs: Inputs, recordings: Recordings | None) -> Ties:
    """Copies of rows; in recordings none is looked for, as a signal may stand still."""
    if recordings is not None:
        return Ties(recordings=recordings)
    equal = None if inputs.X is None else copy_groups(inputs.X)
    return Ties(equal, copies_among(data, equal))


def copies_among(data: TrainingData, equal: np.ndarray | None) -> np.ndarray | None:
    """The groups of equal rows if they are copies of each other, and None otherwise.

    Equal rows may also be different rows that coarse columns cannot tell apart, and then each of
    them tells about the others. There are few distinct rows then, or labels of equal rows differ as
    often as a quick model expects that has seen none of them, or all others.
    """
    if equal is None or not len(equal) / MOST_COPIES <= equal.max() + 1 < len(equal):
        return None
    model = RBFRidge("RBF features", MEDIUM)
    apart = (replace(data, groups=groups, folds=None) for groups in (equal, None))
    both = (model.out_of_fold_proba(rows) for rows in apart)
    return equal if all(are_copies(equal, data.codes, q.T) for q in both) else None
