"""Densities of soft classes at every row, from neighbourhoods that hold k members.

A row i belongs to class s with membership gamma(s | i). Its neighbourhood in s grows until the
memberships of the others in it reach ``min(k, G_-i(s)) - slack``, where ``G_-i(s)`` is what all the
others come to. From its radius comes the density of the class. With hard labels this is the k-th
nearest neighbour of the same label.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy.special import digamma, gammaln

from ..._blocks import blocks
from ..._kernels import kernels
from .._distances import log_squares

LISTED = 2**23  # neighbours that are kept at most, of all rows together

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


class ClassDensities:
    """Log-densities of classes at each row, which is left out, for any memberships.

    Distances do not depend on memberships: neighbours are put in order once, and each call only
    adds up memberships along them. Of many rows not all neighbours are kept; where those kept do
    not hold enough of a class, rows are searched anew.

    Parameters
    ----------
    X : array of shape (n, d)
        Prepared features.
    rule : NeighborhoodRule
        How much of a class a neighbourhood holds.
    n_jobs : int, optional
        Number of threads.
    """

    def __init__(self, X: np.ndarray, rule: NeighborhoodRule, *, n_jobs: int | None = None) -> None:
        self._points = np.ascontiguousarray(X)
        self._rule = rule
        self._n_jobs = n_jobs
        n = len(X)
        self._size = min(n - 1, max(1, LISTED // n))
        self._parts = list(blocks(n, -(-n // effective_n_jobs(n_jobs))))
        lists = kernels("weighted_neighbors").list_neighbors
        self._lists = self._threads()(
            delayed(lists)(self._points, part.start, part.stop, self._size) for part in self._parts
        )

    def __call__(self, memberships: np.ndarray) -> np.ndarray:
        """Log-densities (n, K), -inf where a class has none."""
        classes = make_soft_classes(memberships, self._rule)
        wanted = np.isfinite(classes.log_size)
        reached, mass = self._along_lists(classes, wanted)
        if self._size < len(wanted) - 1:
            short = np.flatnonzero((wanted & (mass < classes.targets)).any(axis=1))
            reached[short], mass[short] = self._anew(classes, wanted, short)
        d = self._points.shape[1]
        log_volume = log_ball(d) + d / 2 * log_squares(reached)
        return digamma(mass) - classes.log_size - log_volume

    def _along_lists(
        self, classes: SoftClasses, wanted: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Squared radii of neighbourhoods and memberships in them, as far as lists go."""
        reach = kernels("weighted_neighbors").reach_along
        found = self._threads()(
            delayed(reach)(
                lists, self._points, part.start, classes.weights, classes.targets, wanted,
                self._rule.self_count,
            )
            for lists, part in zip(self._lists, self._parts, strict=True)
        )  # fmt: skip
        reached, mass = zip(*found, strict=True)
        return np.concatenate(reached), np.concatenate(mass)

    def _anew(
        self, classes: SoftClasses, wanted: np.ndarray, rows: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The same for some rows, among all others."""
        _, reached, mass = kernels("weighted_neighbors").find_weighted_neighbors(
            *use_all_columns(self._points), rows, 1, classes.weights, classes.targets, wanted,
            self._rule.self_count,
        )  # fmt: skip
        return reached[0], mass[0]

    def _threads(self) -> Parallel:
        return Parallel(n_jobs=self._n_jobs, require="sharedmem")


def log_ball(d: int) -> float:
    """Logarithm of the volume of a ball of radius one."""
    return d / 2 * np.log(np.pi) - gammaln(d / 2 + 1)


def make_soft_classes(memberships: np.ndarray, rule: NeighborhoodRule) -> SoftClasses:
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


def use_all_columns(X: np.ndarray) -> Columns:
    """Distances over all features of ``X``, and no others."""
    return Columns(np.ascontiguousarray(X.T), np.zeros((1, len(X))), 0)


class Neighborhoods(NamedTuple):
    """What was found for a block of b rows with c columns."""

    rows: slice
    nearest: np.ndarray  # (c, b): squared distance of the ``n_nearest``-th other row
    reached: np.ndarray  # (c, b, K): squared radius of the neighbourhood in each class
    mass: np.ndarray  # (c, b, K): memberships in it


def map_neighborhoods(
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
        found = kernels("weighted_neighbors").find_weighted_neighbors(
            *columns, np.arange(rows.start, rows.stop), n_nearest, classes.weights,
            classes.targets, wanted, rule.self_count,
        )  # fmt: skip
        return task(Neighborhoods(rows, *found))

    width = len(columns.extra) * (2 * n_classes + 1)
    share = -(-n // effective_n_jobs(n_jobs)) * width
    parts = blocks(n, min(HELD, share), width=width)
    done = Parallel(n_jobs=n_jobs, prefer="threads")(delayed(work)(rows) for rows in parts)
    return np.concatenate(done, axis=1)
