"""The rows nearest to some rows, whatever their labels."""

from functools import cached_property
from typing import NamedTuple

import numpy as np

from .._neighbors import NeighborIndex
from ._inputs import Inputs
from ._places import places_among
from ._settings import NEIGHBORS


class Near(NamedTuple):
    """Rows of the table, the nearest first, and how far they are in scaled features."""

    rows: np.ndarray
    distances: np.ndarray


NOTHING_NEAR = Near(np.empty(0, dtype=np.intp), np.empty(0))


class Neighborhood:
    """The audited rows of a table, to find those around some of them."""

    def __init__(self, inputs: Inputs, *, n_jobs: int | None = None) -> None:
        self.inputs = inputs
        self.n_jobs = n_jobs

    def around(self, rows: np.ndarray) -> list[Near]:
        """The twenty nearest other rows of each of ``rows``, of one that was not audited none.

        Costs O(len(rows) n d) where there are many features.
        """
        found = [NOTHING_NEAR] * len(rows)
        at, is_audited = places_among(self.inputs.audited, rows)
        asking = np.flatnonzero(is_audited)
        if self.inputs.X is None or len(self.inputs.X) < 3 or not len(asking):
            return found
        for i, near in zip(asking, self._others(at[asking]), strict=True):
            found[i] = near
        return found

    @cached_property
    def _index(self) -> NeighborIndex:
        return NeighborIndex(self.inputs.X, n_jobs=self.n_jobs)

    def _others(self, at: np.ndarray) -> list[Near]:
        audited = self.inputs.audited
        k = min(NEIGHBORS, len(audited) - 1)
        distances, places = self._index.find(self._index.X[at], k + 1)
        return [
            Near(audited[near[near != row][:k]], away[near != row][:k])
            for row, near, away in zip(at, places, distances, strict=True)
        ]
