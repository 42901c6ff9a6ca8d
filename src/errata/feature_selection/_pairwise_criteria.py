"""Criteria that look at columns two by two: minimum redundancy (mRMR), joint information (JMI).

Estimates of one or two columns are good where those of ten are not, and there are only p² of them.
How much columns tell about the target is the business of the criterion for classes, or for numbers.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ._class_criteria import Information
from ._numeric_criterion import NumericInformation
from ._preparation import sorted_by_class


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
        self.X, self.n_neighbors, self.n_jobs = X, n_neighbors, n_jobs
        self.information: Any = (
            self._about(target)
            if numeric
            else Information(sorted_by_class(X, target, n_neighbors), n_jobs=n_jobs)
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
        table, single = self.pairs.between(subset, subset), self.relevance[list(subset)]
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
