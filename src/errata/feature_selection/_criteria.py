"""What subsets of columns are worth: information on a class or a number, risk, or pairs.

A *criterion* is made from prepared rows, bigger is better, and answers three questions about
subsets, which are sequences of column indices: ``score(subset)``; ``scores_without(subset)``, the
subset without each of its columns in turn; ``scores_with(subset, candidates)``, the subset with
each candidate in turn. Where scores are often equal, ``tie_break`` is a criterion that decides.

Estimates of one or two columns are good where those of ten are not, and there are only p² of them.
How much columns tell about the target is the business of the criterion for classes, or for numbers.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from .._neighbors import limit_neighbors
from ._distances import (
    CHUNK_BYTES,
    ClassRows,
    Segments,
    SubsetDistances,
)
from ._estimates import (
    Found,
    JointNeighbors,
    average_kraskov,
    count_errors,
    count_soft_errors,
    log_posteriors_of,
    log_ratios,
    sum_count_information,
)


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
        return rows.split_all_and_own()

    def _total(self, squares: np.ndarray, block: slice, d: int) -> np.ndarray:
        return log_ratios(squares)

    def _scores(self, totals: np.ndarray, d: int) -> np.ndarray:
        return sum_count_information(self.rows) + d / (2 * self.rows.n) * totals

    def _of_nothing(self) -> float:
        return 0.0


class SoftRisk(ClassCriterion):
    """The mean probability that the most probable class is wrong, negative."""

    def _segments(self, rows: ClassRows) -> Segments:
        return rows.split_by_class()

    def _total(self, squares: np.ndarray, block: slice, d: int) -> np.ndarray:
        codes = self.rows.codes[block]
        return self._errors(log_posteriors_of(squares, self.rows, codes, d), codes)

    def _errors(self, log_posteriors: np.ndarray, codes: np.ndarray) -> np.ndarray:
        return count_soft_errors(log_posteriors)

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


class NumericInformation:
    """Kraskov's mutual information between columns and a continuous target.

    The columns of ``X`` and the target are expected on one scale, and with enough noise to tell
    rows apart. A set scores the same, to the last bit, whether it was reached by adding a column or
    by taking one away.
    """

    def __init__(
        self, X: np.ndarray, target: np.ndarray, n_neighbors: int, *, n_jobs: int | None = None
    ) -> None:
        self.target = target
        k = limit_neighbors(n_neighbors, len(target))
        self.neighbors = JointNeighbors(np.ascontiguousarray(X.T), target, k, n_jobs)

    def score(self, subset: Sequence[int]) -> float:
        """The information of one subset; that of no column is zero."""
        return self.scores_with(subset[:-1], subset[-1:]).item() if len(subset) else 0.0

    def scores_with(self, subset: Sequence[int], candidates: Sequence[int]) -> np.ndarray:
        """The information of the subset and each candidate."""
        if not len(candidates):
            return np.zeros(0)
        return self._average(self.neighbors.with_each(subset, candidates))

    def scores_without(self, subset: Sequence[int]) -> np.ndarray:
        """The information of the subset without each of its columns."""
        if len(subset) < 2:
            return np.zeros(len(subset))
        return self._average(self.neighbors.without_each(subset))

    def _average(self, found: Found) -> np.ndarray:
        return average_kraskov(found, self.target, self.neighbors.k)


class PairTable:
    """A symmetric table of pairs of columns, computed where it is looked at, and kept.

    ``measure(i, others)`` gives the values of the pairs of column i and some others.
    """

    def __init__(self, n_columns: int, measure: Callable[[int, list[int]], np.ndarray]) -> None:
        self.measure = measure
        self.values = np.full((n_columns, n_columns), np.nan)
        np.fill_diagonal(self.values, 0.0)  # a column is no pair with itself

    def between(self, some: Sequence[int], others: Sequence[int]) -> np.ndarray:
        """The values of all pairs of one column of ``some`` and one of ``others``."""
        for i in some:
            unknown = [j for j in others if np.isnan(self.values[i, j])]
            if unknown:
                self.values[i, unknown] = self.values[unknown, i] = self.measure(i, unknown)
        return self.values[list(some)][:, list(others)]


class PairwiseCriterion(ABC):
    """A score that depends on sums over the columns of a set, and over its pairs."""

    def __init__(
        self,
        X: np.ndarray,
        target: np.ndarray,
        n_neighbors: int,
        *,
        numeric: bool,
        n_jobs: int | None = None,
    ) -> None:
        self.X = X
        self.n_neighbors = n_neighbors
        self.n_jobs = n_jobs
        self.information: Any = (
            self._about(target)
            if numeric
            else Information(ClassRows(X, target, n_neighbors), n_jobs=n_jobs)
        )
        self.pairs = PairTable(X.shape[1], self._measure)

    def _about(self, numbers: np.ndarray) -> NumericInformation:
        """What columns tell about some numbers."""
        return NumericInformation(self.X, numbers, self.n_neighbors, n_jobs=self.n_jobs)

    @abstractmethod
    def _measure(self, i: int, others: list[int]) -> np.ndarray:
        """What is summed over pairs, for those of column ``i`` with some others."""

    @abstractmethod
    def _value(self, singles: Any, pairs: Any, size: int) -> Any:
        """The score of sets of ``size`` columns (one or more) with these sums."""

    @cached_property
    def relevance(self) -> np.ndarray:
        """How much each column tells by itself."""
        return self.information.scores_with((), range(len(self.pairs.values)))

    def score(self, subset: Sequence[int]) -> float:
        """The score of one subset; that of no column is zero."""
        return self.scores_with(subset[:-1], subset[-1:]).item() if len(subset) else 0.0

    def scores_with(self, subset: Sequence[int], candidates: Sequence[int]) -> np.ndarray:
        """The scores of the subset and each candidate."""
        within = self.pairs.between(subset, subset).sum() / 2
        pairs = within + self.pairs.between(subset, candidates).sum(axis=0)
        singles = self.relevance[list(subset)].sum() + self.relevance[list(candidates)]
        return self._value(singles, pairs, len(subset) + 1)

    def scores_without(self, subset: Sequence[int]) -> np.ndarray:
        """The scores of the subset without each of its columns."""
        if len(subset) < 2:
            return np.zeros(len(subset))
        table = self.pairs.between(subset, subset)
        single = self.relevance[list(subset)]
        pairs = table.sum() / 2 - table.sum(axis=0)
        return self._value(single.sum() - single, pairs, len(subset) - 1)


class MinimumRedundancy(PairwiseCriterion):
    r"""Mean relevance of the columns, less half the mean redundancy of their pairs (mRMR).

    Notes
    -----
    Of m columns with relevances :math:`I(X_i; Y)` the score is

    .. math::
        J(S) = \frac{1}{m} \Big[ \sum_i I(X_i; Y) - \frac{1}{m - 1} \sum_{i < j} I(X_i; X_j) \Big].

    For a given S, the column j that makes J(S + j) largest is the one with the largest
    :math:`I(X_j; Y) - \frac{1}{|S|} \sum_{i \in S} I(X_i; X_j)`, the step of [1]_ in its
    difference form. Half the mean redundancy, because a sum over all columns of a set, each
    with its mean redundancy, counts every pair twice: the whole mean would weigh redundancy
    twice as much as that step does. Redundancies are Kraskov's.

    References
    ----------
    .. [1] H. Peng, F. Long, C. Ding. Feature selection based on mutual information: criteria of
       max-dependency, max-relevance, and min-redundancy. IEEE Transactions on Pattern Analysis and
       Machine Intelligence 27, 2005.
    """

    def _measure(self, i: int, others: list[int]) -> np.ndarray:
        return self._about(self.X[:, i]).scores_with((), others)

    def _value(self, singles: Any, pairs: Any, size: int) -> Any:
        return (singles - pairs / max(size - 1, 1)) / size


class JointInformation(PairwiseCriterion):
    r"""Mean information of the pairs of columns about the target (JMI); of one column, its own.

    Notes
    -----
    Of m > 1 columns the score is
    :math:`J(S) = \frac{2}{m (m - 1)} \sum_{i < j} I(X_i, X_j; Y)`. For a given S, the column j that
    makes J(S + j) largest is the one with the largest :math:`\sum_{i \in S} I(X_i, X_j; Y)`, the
    step of [1]_.

    References
    ----------
    .. [1] H. H. Yang, J. Moody. Data visualization and feature selection: new algorithms for
       nongaussian data. Advances in Neural Information Processing Systems 12, 1999.
    """

    def _measure(self, i: int, others: list[int]) -> np.ndarray:
        return self.information.scores_with((i,), others)

    def _value(self, singles: Any, pairs: Any, size: int) -> Any:
        return singles if size == 1 else 2 * pairs / (size * (size - 1))
