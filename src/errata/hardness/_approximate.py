"""Approximate neighbours through faiss: the cheapest index that finds nearly all on a sample.

Rows are sorted into cells around centres, and a search looks into the cells next to a row. Inside a
cell it compares coordinates ("flat", best where rows form clusters) or four bits of each ("packed",
best where they do not). Which of the two, and how many cells, is decided by measurement: exact
neighbours of a sample of rows say what a plan would miss.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from joblib import effective_n_jobs

from ._exact import Query, batches, measure, rank_others, settle

RECALL = 0.985  # asked of the sample, whose error is about 0.0025: 0.98 then holds for all rows
SAMPLE = 500
PLANS = (  # kind of index and share of the cells to look into, the cheapest first
    ("flat", 1 / 64),
    ("flat", 1 / 32),
    ("packed", 1 / 8),
    ("packed", 1 / 4),
    ("packed", 3 / 8),
    ("flat", 1 / 16),
    ("packed", 1 / 2),
    ("flat", 1 / 8),
)


def approximate_neighbors(
    X: np.ndarray, k: int, exact: Query, *, faiss: Any, seed: int, n_jobs: int | None
) -> np.ndarray:
    """Indices of ``k`` near others of each row, at least 98 % of them among its k nearest.

    Where no plan reaches that on a sample (heavy tails, one feature that outweighs all others), the
    exact query answers.
    """
    rows = np.arange(len(X))
    with _threads(faiss, n_jobs):
        cells = Cells(faiss, X, seed)
        plan = _cheapest(cells, X, k, exact, seed)
        if plan is None:
            return settle(exact, rows, k, X.shape)
        cells.open(*plan)
        neighbors, distances = cells.nearest(X, rows, k)
    few = np.flatnonzero(np.isinf(distances))  # the cells held fewer than k
    neighbors[few] = settle(exact, few, k, X.shape)
    return neighbors


def _cheapest(
    cells: "Cells", X: np.ndarray, k: int, exact: Query, seed: int
) -> tuple[str, float] | None:
    """The first plan that finds the neighbours of a sample of rows, if any does."""
    sample = np.random.RandomState(seed).choice(len(X), min(SAMPLE, len(X)), replace=False)
    truth = settle(exact, sample, k, X.shape)
    reach = measure(X, sample, truth[:, -1:])
    for plan in PLANS:
        cells.open(*plan)
        found, _ = cells.nearest(X, sample, k)
        # By distance, not by index: among rows equally far any will do.
        if np.mean(measure(X, sample, found) <= reach * (1 + 1e-9)) >= RECALL:
            return plan
    return None


class Cells:
    """The rows sorted into cells around centres, once for each kind of index that is asked for."""

    def __init__(self, faiss: Any, X: np.ndarray, seed: int) -> None:
        self.faiss, self.seed = faiss, seed
        self.vectors = np.empty(X.shape, dtype=np.float32)
        np.subtract(X, X.mean(axis=0), out=self.vectors, casting="same_kind")
        self.n_cells = int(np.sqrt(len(X)))
        self.centres = faiss.IndexFlatL2(X.shape[1])
        self.indexes: dict[str, Any] = {}

    def open(self, kind: str, share: float) -> None:
        """Search by this kind of index from now on, in this share of the cells."""
        if kind not in self.indexes:
            self.indexes[kind] = self._build(kind)
        self.index = self.indexes[kind]
        self.index.nprobe = max(1, int(share * self.n_cells))

    def _build(self, kind: str) -> Any:
        d = self.vectors.shape[1]
        if kind == "flat":
            index = self.faiss.IndexIVFFlat(self.centres, d, self.n_cells)
        else:
            index = self.faiss.IndexIVFPQFastScan(self.centres, d, self.n_cells, d, 4)
            self._set(index.pq.cp)
        self._set(index.cp)
        index.train(self.vectors)  # finds the centres when they are not known yet
        index.add(self.vectors)
        return index

    def _set(self, clustering: Any) -> None:
        clustering.seed, clustering.niter, clustering.max_points_per_centroid = self.seed, 10, 64

    def nearest(self, X: np.ndarray, rows: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The ``k`` nearest of what lies in the open cells, and the distance of the last one."""
        asked = 2 * k + 20  # packed coordinates are coarse: take more, measure them, keep k
        neighbors, last = np.empty((len(rows), k), dtype=np.intp), np.empty(len(rows))
        for batch in batches(len(rows), asked * X.shape[1]):
            asking = rows[batch]
            _, indices = self.index.search(self.vectors[asking], asked)
            distances = np.where(indices < 0, np.inf, measure(X, asking, indices))
            neighbors[batch], distances = rank_others(indices, distances, asking, k)
            last[batch] = distances[:, -1]
        return neighbors, last


@contextmanager
def _threads(faiss: Any, n_jobs: int | None) -> Iterator[None]:
    """Let faiss use that many threads; all it wants when the number is left open."""
    before = faiss.omp_get_max_threads()
    if n_jobs is not None:
        faiss.omp_set_num_threads(effective_n_jobs(n_jobs))
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)
