"""Densities of soft classes at every row, from neighbourhoods that hold k members.

A row i belongs to class s with membership gamma(s | i). Its neighbourhood in s grows until the
memberships of the others in it reach ``min(k, G_-i(s)) - slack``, where ``G_-i(s)`` is what all the
others come to. From its radius comes the density of the class. With hard labels this is the k-th
nearest neighbour of the same label.
"""

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy.special import digamma, gammaln

from ..._blocks import blocks
from ..._kernels import kernels
from .._distances import log_squares

LISTED = 2**23  # neighbours that are kept at most, of all rows together

LEAST = 1e-6  # what a membership must exceed to count
ROUNDING = 1e-9  # sums of memberships that should be equal may differ by this


class SoftClasses:
    """Memberships, and what each row's neighbourhood in each class is to hold (Algorithm 1)."""

    def __init__(
        self,
        memberships: np.ndarray,
        n_neighbors: int,
        slack: float = 0.5,
        self_count: bool = False,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.self_count = self_count
        self.weights = np.where(memberships > LEAST, memberships, 0.0)  # (n, K), as are the others
        total = self.weights.sum(axis=0)
        others = total - self.weights
        there = np.broadcast_to(total, others.shape) if self_count else others
        self.targets = np.minimum(n_neighbors, there) - slack - ROUNDING
        # Digamma of the rows in the class; with less than one other member there is no density.
        size = there if self_count else there + 1
        self.log_size = np.where(others < 1 - ROUNDING, np.inf, digamma(np.maximum(size, 1)))

    def find_neighborhoods(
        self,
        base: np.ndarray,
        extra: np.ndarray,
        sign: int,
        rows: np.ndarray,
        *,
        wanted: np.ndarray,
        n_nearest: int = 1,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """How far these rows must look over ``base``, plus or minus one column of ``extra``.

        Returns the squared distance of the ``n_nearest``-th other row, (c, rows), and of each class
        the squared radius of the neighbourhood and the memberships in it, (c, rows, K).
        """
        return kernels("weighted_neighbors").find_weighted_neighbors(
            base, extra, sign, rows, n_nearest, self.weights, self.targets, wanted, self.self_count
        )


class ClassDensities:
    """Log-densities of classes at each row, which is left out, for any memberships.

    Distances do not depend on memberships: neighbours are put in order once, and each call only
    adds up memberships along them. Of many rows not all neighbours are kept; where those kept do
    not hold enough of a class, rows are searched anew.

    Parameters
    ----------
    X : array of shape (n, d)
        Prepared features.
    n_neighbors, slack, self_count
        How much of a class a neighbourhood holds, as in :class:`LabelNoiseMemberships`.
    n_jobs : int, optional
        Number of threads.
    """

    def __init__(
        self,
        X: np.ndarray,
        n_neighbors: int,
        slack: float = 0.5,
        self_count: bool = False,
        *,
        n_jobs: int | None = None,
    ) -> None:
        self._points = np.ascontiguousarray(X)
        self._rule = (n_neighbors, slack, self_count)
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
        classes = SoftClasses(memberships, *self._rule)
        wanted = np.isfinite(classes.log_size)
        reached, mass = self._add_up_along_lists(classes, wanted)
        n, d = self._points.shape
        if self._size < n - 1:
            short = np.flatnonzero((wanted & (mass < classes.targets)).any(axis=1))
            base = np.ascontiguousarray(self._points.T)
            _, radii, members = classes.find_neighborhoods(
                base, np.zeros((1, n)), 0, short, wanted=wanted
            )
            reached[short] = radii[0]
            mass[short] = members[0]
        log_volume = log_ball(d) + d / 2 * log_squares(reached)
        return digamma(mass) - classes.log_size - log_volume

    def _add_up_along_lists(
        self, classes: SoftClasses, wanted: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Squared radii of neighbourhoods and memberships in them, as far as lists go."""
        reach = kernels("weighted_neighbors").reach_along
        found = self._threads()(
            delayed(reach)(
                lists, self._points, part.start, classes.weights, classes.targets, wanted,
                classes.self_count,
            )
            for lists, part in zip(self._lists, self._parts, strict=True)
        )  # fmt: skip
        reached, mass = zip(*found, strict=True)
        return np.concatenate(reached), np.concatenate(mass)

    def _threads(self) -> Parallel:
        return Parallel(n_jobs=self._n_jobs, require="sharedmem")


def log_ball(d: int) -> float:
    """Logarithm of the volume of a ball of radius one."""
    return d / 2 * np.log(np.pi) - gammaln(d / 2 + 1)
