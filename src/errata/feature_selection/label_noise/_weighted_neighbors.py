"""Algorithm 1: neighbourhoods of a soft class, large enough to hold k members of it.

A row i belongs to class s with membership gamma(s | i). Its neighbourhood in s grows until the
memberships of the others in it reach ``min(k, G_-i(s)) - slack``, where ``G_-i(s)`` is what all the
others come to. From its radius comes the density of the class. With hard labels this is the k-th
nearest neighbour of the same label.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy.special import digamma

from ..._blocks import blocks
from ..._kernels import kernels

LEAST = 1e-6  # what a membership must exceed to count
ROUNDING = 1e-9  # sums of memberships that should be equal may differ by this
HELD = 2**20  # numbers that are held of a block of rows


class NeighborhoodRule(NamedTuple):
    """How large a neighbourhood has to be."""

    n_neighbors: int
    slack: float = 0.5
    self_count: bool = False


class SoftClasses(NamedTuple):
    """Memberships, and what each row's neighbourhood in each class is to hold."""

    weights: np.ndarray  # (n, K): memberships that count
    targets: np.ndarray  # (n, K)
    log_size: np.ndarray  # (n, K): digamma of the rows in the class, inf where there are too few


def soft_classes(memberships: np.ndarray, rule: NeighborhoodRule) -> SoftClasses:
    """What Algorithm 1 asks of these memberships.

    A class that has less than one other member has no density at a row.
    """
    weights = np.where(memberships > LEAST, memberships, 0.0)
    total = weights.sum(axis=0)
    others = total - weights
    there = np.broadcast_to(total, weights.shape) if rule.self_count else others
    targets = np.minimum(rule.n_neighbors, there) - rule.slack - ROUNDING
    size = there if rule.self_count else there + 1
    log_size = np.where(others < 1 - ROUNDING, np.inf, digamma(np.maximum(size, 1)))
    return SoftClasses(weights, targets, log_size)


class Columns(NamedTuple):
    """Squared distances over ``base``, plus or minus one column of ``extra`` at a time."""

    base: np.ndarray  # (d, n)
    extra: np.ndarray  # (c, n)
    sign: int

    @property
    def dimension(self) -> int:
        """Number of features that distances are made of."""
        return len(self.base) + self.sign


def feature_columns(X: np.ndarray) -> Columns:
    """Distances over all features of ``X``, and no others."""
    return Columns(np.ascontiguousarray(X.T), np.zeros((1, len(X))), 0)


class Neighborhoods(NamedTuple):
    """What was found for a block of b rows with c columns."""

    rows: slice
    nearest: np.ndarray  # (c, b): squared distance of the ``n_nearest``-th other row
    reached: np.ndarray  # (c, b, K): squared radius of the neighbourhood in each class
    mass: np.ndarray  # (c, b, K): memberships in it


def over_neighborhoods(
    task: Callable[[Neighborhoods], np.ndarray],
    columns: Columns,
    classes: SoftClasses,
    rule: NeighborhoodRule,
    *,
    wanted: np.ndarray,
    n_nearest: int = 1,
    n_jobs: int | None = None,
) -> np.ndarray:
    """The arrays (c, b, ...) that ``task`` makes of each block of rows, side by side.

    Looked for are the neighbourhoods that are ``wanted``, (n, K), and the ``n_nearest``-th of all
    other rows.
    """
    n, n_classes = classes.weights.shape

    def work(rows: slice) -> np.ndarray:
        found = kernels("weighted_neighbors").weighted_neighbors(
            *columns, np.arange(rows.start, rows.stop), n_nearest, classes.weights,
            classes.targets, wanted, rule.self_count,
        )  # fmt: skip
        return task(Neighborhoods(rows, *found))

    width = len(columns.extra) * (2 * n_classes + 1)
    share = -(-n // effective_n_jobs(n_jobs)) * width
    parts = blocks(n, min(HELD, share), width=width)
    done = Parallel(n_jobs=n_jobs, prefer="threads")(delayed(work)(rows) for rows in parts)
    return np.concatenate(done, axis=1)
