"""Densities of soft classes at every row, again and again as memberships change."""

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy.special import digamma, gammaln

from ..._blocks import blocks
from ..._kernels import kernels
from .._distances import log_squares
from ._weighted_neighbors import (
    NeighborhoodRule,
    SoftClasses,
    feature_columns,
    soft_classes,
)

LISTED = 2**23  # neighbours that are kept at most, of all rows together


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
        self._points, self._rule, self._n_jobs = np.ascontiguousarray(X), rule, n_jobs
        n = len(X)
        self._size = min(n - 1, max(1, LISTED // n))
        self._parts = list(blocks(n, -(-n // effective_n_jobs(n_jobs))))
        lists = kernels("neighbor_lists").neighbor_lists
        self._lists = self._threads()(
            delayed(lists)(self._points, part.start, part.stop, self._size) for part in self._parts
        )

    def __call__(self, memberships: np.ndarray) -> np.ndarray:
        """Log-densities (n, K), -inf where a class has none."""
        classes = soft_classes(memberships, self._rule)
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
        reach = kernels("neighbor_lists").reach_along
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
        _, reached, mass = kernels("weighted_neighbors").weighted_neighbors(
            *feature_columns(self._points), rows, 1, classes.weights, classes.targets, wanted,
            self._rule.self_count,
        )  # fmt: skip
        return reached[0], mass[0]

    def _threads(self) -> Parallel:
        return Parallel(n_jobs=self._n_jobs, require="sharedmem")


def log_ball(d: int) -> float:
    """Logarithm of the volume of a ball of radius one."""
    return d / 2 * np.log(np.pi) - gammaln(d / 2 + 1)
