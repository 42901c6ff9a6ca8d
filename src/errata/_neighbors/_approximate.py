"""Approximate neighbours through faiss: look where the neighbours of a sample of rows are.

Rows are sorted into cells around centres, and a search looks into the cells nearest to a row. How
many is not guessed: the exact neighbours of a sample of rows say in how many cells nearly all of
them lie. Where that is few, as with clusters, coordinates are compared as they are ("flat"). Where
it is many, four bits of each are ("packed"), which is faster, and the candidates measured again.
Four bits may be too coarse for rows in tight clusters; the sample tells that as well.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from .._blocks import blocks
from ._exact import CHUNK, Query, find_nearest, measure_distances, pick_nearest

SAMPLE = 500  # rows, so that the recall of k = 5 is known to about 0.0025
CELL_RECALL = 0.9875  # of the neighbours of the sample that must lie in the cells searched
RECALL = 0.9825  # and that must be found there; 0.98 then holds for all rows
FEW = 1 / 32  # of the cells: packing pays beyond
SOME = 1 / 8  # of the cells: without packing, the exact search is as fast beyond
MANY = 1 / 2  # of the cells: with packing, too


def find_approximate(
    X: np.ndarray, k: int, exact: Query, *, faiss: Any, seed: int, n_jobs: int | None
) -> np.ndarray | None:
    """Indices of ``k`` near others of each row, at least 98 % of them among its k nearest.

    None where that cannot be had in less time than exactly (heavy tails, or one feature that
    outweighs all others). The exact query answers for the sample, and for rows in empty corners.
    """
    rows = np.arange(len(X))
    with _use_one_thread(faiss):
        index = _build_promising_index(X, k, exact, faiss, seed)
    if index is None:
        return None
    threads = Parallel(n_jobs=-1 if n_jobs is None else n_jobs, prefer="threads")
    parts = threads(
        delayed(index.nearest)(X, rows[batch], k)
        for batch in blocks(len(X), CHUNK, width=index.asked(k) * X.shape[1])
    )
    distances, neighbors = map(np.concatenate, zip(*parts, strict=True))
    few = np.flatnonzero(np.isinf(distances[:, -1]))  # there were fewer than k in the cells
    neighbors[few] = find_nearest(exact, X[few], k, X, own=few)[1]
    return neighbors


def _build_promising_index(
    X: np.ndarray, k: int, exact: Query, faiss: Any, seed: int
) -> "CellIndex | None":
    """An index that finds nearly all neighbours of a sample of rows, when there is one."""
    sample = np.random.RandomState(seed).choice(len(X), SAMPLE, replace=False)
    truth = find_nearest(exact, X[sample], k, X, own=sample)[1]
    index = CellIndex(faiss, X, seed)
    n_probe = index.cells_that_hold(sample, truth)
    # By distance, not by index: among rows equally far any will do.
    reach = measure_distances(X[sample], X, truth[:, -1:]) * (1 + 1e-9)
    for packed in _choose_packings(n_probe / index.n_cells):
        index.build(packed=packed, n_probe=n_probe)
        distances, _ = index.nearest(X, sample, k)
        if np.mean(distances <= reach) >= RECALL:
            return index
    return None


def _choose_packings(fraction: float) -> list[bool]:
    """Packed or not, the quicker first, when this fraction of the cells is to be searched."""
    return [True] * (FEW < fraction <= MANY) + [False] * (fraction <= SOME)


class CellIndex:
    """The rows as faiss wants them, 32 bits a coordinate, in cells around centres."""

    def __init__(self, faiss: Any, X: np.ndarray, seed: int) -> None:
        self.faiss = faiss
        self.seed = seed
        self.n_cells = int(np.sqrt(len(X)))
        d = X.shape[1]
        self.vectors = _convert_to_32_bits(X)
        clusters = faiss.Kmeans(d, self.n_cells, niter=10, seed=seed, max_points_per_centroid=64)
        clusters.train(self.vectors)
        self.centres = faiss.IndexFlatL2(d)
        self.centres.add(clusters.centroids)

    def cells_that_hold(self, rows: np.ndarray, neighbors: np.ndarray) -> int:
        """How many of the cells nearest to a row hold its neighbours, but for a few."""
        _, by_distance = self.centres.search(self.vectors[rows], self.n_cells)
        _, cells = self.centres.search(self.vectors[neighbors.ravel()], 1)
        rank = np.argsort(by_distance, axis=1)  # the inverse permutation: cell -> rank
        ranks = np.take_along_axis(rank, cells.reshape(neighbors.shape), axis=1)
        return 1 + int(np.quantile(ranks, CELL_RECALL, method="higher"))

    def build(self, *, packed: bool, n_probe: int) -> None:
        """Fill the cells with codes of the rows, and open ``n_probe`` of them to each search."""
        self.packed = packed
        d = self.vectors.shape[1]
        if packed:
            self.index = self.faiss.IndexIVFPQFastScan(self.centres, d, self.n_cells, d, 4)
            clustering = self.index.pq.cp
            clustering.seed = self.seed
            clustering.niter = 10
            clustering.max_points_per_centroid = 64
        else:
            self.index = self.faiss.IndexIVFFlat(self.centres, d, self.n_cells)
        self.index.train(self.vectors)  # the codes; the centres are known
        self.index.add(self.vectors)
        self.index.nprobe = n_probe

    def asked(self, k: int) -> int:
        """How many candidates to take for ``k`` neighbours: more where distances are coarse."""
        return 2 * k + 30 if self.packed else k + 4

    def nearest(self, X: np.ndarray, rows: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Distances and indices of the ``k`` nearest found for each row; inf for none."""
        with _use_one_thread(self.faiss):
            _, indices = self.index.search(self.vectors[rows], self.asked(k))
        # Sift them in 32 bits, measure a few in 64.
        rough = measure_distances(self.vectors[rows], self.vectors, indices)
        rough = np.where(indices < 0, np.inf, rough)
        few = np.argpartition(rough, k + 2, axis=1)[:, : k + 2]
        indices = np.take_along_axis(indices, few, axis=1)
        distances = np.where(indices < 0, np.inf, measure_distances(X[rows], X, indices))
        return pick_nearest(indices, distances, k, rows)


def _convert_to_32_bits(X: np.ndarray) -> np.ndarray:
    """The rows around 0 and no larger than 1, so that neither offsets nor units cost digits."""
    centre = X.mean(axis=0)
    largest = max((X.max(axis=0) - centre).max(), (centre - X.min(axis=0)).max()) or 1.0
    vectors: np.ndarray = np.empty(X.shape, dtype=np.float32)
    for batch in blocks(len(X), CHUNK, width=X.shape[1]):
        vectors[batch] = (X[batch] - centre) / largest
    return vectors


@contextmanager
def _use_one_thread(faiss: Any) -> Iterator[None]:
    """Keep faiss to the calling thread: many small tasks are slower when shared out."""
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)
