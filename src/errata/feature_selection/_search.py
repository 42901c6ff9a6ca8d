"""Greedy searches for the best subset of each size.

Every search gives the whole path: the best subset it met of each size, and its score. Additions
keep the lowest column among equals, removals drop the highest; where the criterion has a second one
to break ties, that is asked first.
"""

from collections.abc import Callable, Sequence
from itertools import combinations
from math import comb
from typing import Any, Protocol

import numpy as np

from .._format import count

MOST_SUBSETS = 200_000  # to look at before a search begins
FLOATING_FROM = 4  # columns, from which a floating search looks back
LEAST_GAIN = 1e-12  # so that rounding does not send a floating search in circles

Subset = tuple[int, ...]
Progress = Callable[[int, int], Any]


class Path:
    """The best subset of each size, columns ascending, and its score."""

    def __init__(self) -> None:
        self.subsets = dict[int, Subset]()
        self.scores = dict[int, float]()

    def record(self, subset: Subset, score: float) -> None:
        """Keep the subset if it is the best of its size so far."""
        size = len(subset)
        if size not in self.scores or score > self.scores[size]:
            self.subsets[size] = tuple(sorted(subset))
            self.scores[size] = float(score)


class Criterion(Protocol):
    """What a search asks: bigger is better."""

    def score(self, subset: Sequence[int]) -> float:
        """J(S)."""

    def scores_with(self, subset: Sequence[int], candidates: Sequence[int]) -> np.ndarray:
        """J(S + j) for each candidate."""

    def scores_without(self, subset: Sequence[int]) -> np.ndarray:
        """J(S - j) for each j of S."""


def search_backward(
    criterion: Criterion, columns: Sequence[int], size: int, *, progress: Progress
) -> Path:
    """Remove the column that is missed least, from all columns down to ``size``."""
    subset = tuple(columns)
    path = Path()
    path.record(subset, criterion.score(subset))
    total = len(subset) - size
    progress(0, total)
    while len(subset) > size:
        subset, score = find_removal(criterion, subset)
        path.record(subset, score)
        progress(total - len(subset) + size, total)
    return path


def search_forward(
    criterion: Criterion,
    columns: Sequence[int],
    size: int,
    *,
    start_size: int = 1,
    floating: bool = False,
    progress: Progress,
) -> Path:
    """Add the column that helps most, from the best subset of ``start_size`` up to ``size``.

    A floating search also removes columns again, as long as that beats the best subset of the size
    below. Scores of each size only rise, so that it comes to an end.
    """
    path = Path()
    total = size - start_size + 1
    progress(0, total)
    subset, score = find_best_start(criterion, columns, start_size)
    path.record(subset, score)
    progress(1, total)
    while len(subset) < size:
        subset, score = find_addition(criterion, subset, [j for j in columns if j not in subset])
        path.record(subset, score)
        if floating:
            subset = _look_back(criterion, subset, path)
        progress(max(1, len(subset) - start_size + 1), total)
    return path


def find_best_start(
    criterion: Criterion, columns: Sequence[int], size: int
) -> tuple[Subset, float]:
    """The best of all subsets of a size."""
    check_few_subsets(len(columns), size)
    best: tuple[Subset, float] = ((), -np.inf)
    for first in combinations(columns, size - 1):
        later = [j for j in columns if not first or j > first[-1]]
        if later:
            found = find_addition(criterion, first, later)
            best = max(best, found, key=lambda subset_and_score: subset_and_score[1])
    return best


def check_few_subsets(n_columns: int, size: int) -> None:
    """Raise when there are too many subsets of a size to look at all of them."""
    n_subsets = comb(n_columns, size)
    if n_subsets > MOST_SUBSETS:
        raise ValueError(
            f"start_size={size} of {n_columns} columns means {count(n_subsets)} subsets, more than "
            f"the {count(MOST_SUBSETS)} that are looked at; pass a smaller start_size."
        )


def find_addition(
    criterion: Criterion, subset: Subset, candidates: Sequence[int]
) -> tuple[Subset, float]:
    """The subset with the best candidate, the first among equals, and its score."""
    scores = criterion.scores_with(subset, candidates)
    best = np.flatnonzero(scores == scores.max())
    tie_break = getattr(criterion, "tie_break", None)
    if len(best) > 1 and tie_break is not None:
        second = tie_break.scores_with(subset, [candidates[int(b)] for b in best])
        best = best[second == second.max()]
    return (*subset, candidates[best[0]]), float(scores[best[0]])


def find_removal(
    criterion: Criterion, subset: Subset, *, spared: Sequence[int] = ()
) -> tuple[Subset, float]:
    """The subset without the column that is missed least, the last among equals, and its score."""
    allowed = ~np.isin(subset, spared)
    scores = np.where(allowed, criterion.scores_without(subset), -np.inf)
    best = np.flatnonzero(scores == scores.max())
    tie_break = getattr(criterion, "tie_break", None)
    if len(best) > 1 and tie_break is not None:
        second = tie_break.scores_without(subset)[best]
        best = best[second == second.max()]
    last = max(best, key=lambda b: subset[b])
    return (*subset[:last], *subset[last + 1 :]), float(scores[last])


def _look_back(criterion: Criterion, subset: Subset, path: Path) -> Subset:
    """Remove columns but the one just added, while that beats the best subset of its size."""
    added = subset[-1]
    if len(subset) < FLOATING_FROM:
        return subset
    while len(subset) - 1 in path.scores:
        smaller, score = find_removal(criterion, subset, spared=[added])
        if score <= path.scores[len(smaller)] + LEAST_GAIN:
            break
        subset = smaller
        path.record(subset, score)
    return subset
