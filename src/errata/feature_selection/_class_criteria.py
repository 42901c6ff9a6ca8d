"""What subsets of columns are worth for telling classes apart: information, or risk.

A *criterion* is made from prepared rows, bigger is better, and answers three questions about
subsets, which are sequences of column indices: ``score(subset)``; ``scores_without(subset)``, the
subset without each of its columns in turn; ``scores_with(subset, candidates)``, the subset with
each candidate in turn. Where scores are often equal, ``tie_break`` is a criterion that decides.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from ._distances import CHUNK_BYTES, SubsetDistances
from ._mutual_information import information_of_counts, log_ratios
from ._posteriors import count_errors, log_posteriors_of, soft_errors
from ._preparation import ClassRows
from ._segments import Segments, all_and_own, every_class


class ClassCriterion(ABC):
    """A criterion that is a sum over rows of what the distances to their nearest ones tell."""

    tie_break: "ClassCriterion | None" = None

    def __init__(
        self, rows: ClassRows, *, n_jobs: int | None = None, chunk_bytes: int = CHUNK_BYTES
    ) -> None:
        self.rows = rows
        self.distances = SubsetDistances(
            rows.columns, self._segments(rows), n_jobs=n_jobs, chunk_bytes=chunk_bytes
        )

    def score(self, subset: Sequence[int]) -> float:
        """J(S)."""
        if not len(subset):
            return self._of_nothing()
        return float(self.scores_with(subset[:-1], subset[-1:])[0])

    def scores_with(self, subset: Sequence[int], candidates: Sequence[int]) -> np.ndarray:
        """J(S + j) for each candidate j."""
        d = len(subset) + 1

        def total(squares: np.ndarray, block: slice) -> np.ndarray:
            return self._total(squares, block, d)

        return self._scores(self.distances.with_each(subset, candidates, total), d)

    def scores_without(self, subset: Sequence[int]) -> np.ndarray:
        """J(S - j) for each j of the subset, in its order."""
        d = len(subset) - 1
        if d == 0:
            return np.array([self._of_nothing()])

        def total(squares: np.ndarray, block: slice) -> np.ndarray:
            return self._total(squares, block, d)

        return self._scores(self.distances.without_each(subset, total), d)

    @abstractmethod
    def _segments(self, rows: ClassRows) -> Segments:
        """Where rows look for their neighbours."""

    @abstractmethod
    def _total(self, squares: np.ndarray, block: slice, d: int) -> np.ndarray:
        """The sum over a block of rows for each candidate, of subsets of ``d`` columns."""

    @abstractmethod
    def _scores(self, totals: np.ndarray, d: int) -> np.ndarray:
        """The scores that follow from the sums over all rows."""

    @abstractmethod
    def _of_nothing(self) -> float:
        """J of no column at all."""


class Information(ClassCriterion):
    """Mutual information between columns and classes, in nats."""

    def _segments(self, rows: ClassRows) -> Segments:
        return all_and_own(rows)

    def _total(self, squares: np.ndarray, block: slice, d: int) -> np.ndarray:
        return log_ratios(squares)

    def _scores(self, totals: np.ndarray, d: int) -> np.ndarray:
        return information_of_counts(self.rows) + d / (2 * self.rows.n) * totals

    def _of_nothing(self) -> float:
        return 0.0


class SoftRisk(ClassCriterion):
    """The mean probability that the most probable class is wrong, negative."""

    def _segments(self, rows: ClassRows) -> Segments:
        return every_class(rows)

    def _total(self, squares: np.ndarray, block: slice, d: int) -> np.ndarray:
        codes = self.rows.codes[block]
        return self._errors(log_posteriors_of(squares, self.rows, codes, d), codes)

    def _errors(self, log_posteriors: np.ndarray, codes: np.ndarray) -> np.ndarray:
        return soft_errors(log_posteriors)

    def _scores(self, totals: np.ndarray, d: int) -> np.ndarray:
        return -totals / self.rows.n

    def _of_nothing(self) -> float:
        return float(self.rows.sizes.max()) / self.rows.n - 1


class CountedRisk(SoftRisk):
    """The fraction of rows whose label is not the most probable class, negative.

    It takes few values, so that subsets are often equal; the soft risk then decides.
    """

    def __init__(
        self, rows: ClassRows, *, n_jobs: int | None = None, chunk_bytes: int = CHUNK_BYTES
    ) -> None:
        super().__init__(rows, n_jobs=n_jobs, chunk_bytes=chunk_bytes)
        self.tie_break = SoftRisk(rows, n_jobs=n_jobs, chunk_bytes=chunk_bytes)

    def _errors(self, log_posteriors: np.ndarray, codes: np.ndarray) -> np.ndarray:
        return count_errors(log_posteriors, codes)
