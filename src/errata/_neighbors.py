"""The one way to neighbours: exact or nearly so, ties to the smaller index, self left out.

Exactly they are found by a tree for few dimensions, by brute force beyond. A *query* is a callable
``query(points, asked)`` that finds, for each of the given points, ``asked`` rows of a table among
which are the nearest ones.

Approximately they are found through faiss, which looks where the neighbours of a sample of rows
are. Rows are sorted into cells around centres, and a search looks into the cells nearest to a row.
How many is not guessed: the exact neighbours of a sample of rows say in how many cells nearly all
of them lie. Where that is few, as with clusters, coordinates are compared as they are ("flat").
Where it is many, four bits of each are ("packed"), which is faster, and the candidates measured
again. Four bits may be too coarse for rows in tight clusters; the sample tells that as well.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy.sparse import issparse
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist
from sklearn import config_context
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import VALID_METRICS, NearestNeighbors
from sklearn.utils import check_array

from ._blocks import blocks
from ._optional import require
from ._random import draw_seed
from ._validation import check_count
from ._warn import warn_user

TREE_DIMENSIONS = 8  # a tree wins up to here even on Gaussian rows; the two meet at 9 or 10
# With fewer rows than SMALL, a tree wins up to fewer dimensions.
SMALL = 5_000
SMALL_TREE_DIMENSIONS = 6
PILOT_DIMENSIONS = 50  # up to here many rows may lie on few dimensions in fact, and a pilot tells
# With fewer rows, or fewer points to search for, brute force is done before the pilot has paid.
PILOT_FROM = 15_000
PILOT_POINTS = 1_024
CHUNK = 2**23  # coordinates of neighbours held at once: 64 MB


# What a query found for m points: indices (m, asked) in any order, distances (m, asked), and how
# far whatever was not found is at least, (m,)
Found = tuple[np.ndarray, np.ndarray, np.ndarray]
Query = Callable[[Any, int], Found]

SAMPLE = 500  # rows, so that the recall of k = 5 is known to about 0.0025
CELL_RECALL = 0.9875  # of the neighbours of the sample that must lie in the cells searched
RECALL = 0.9825  # and that must be found there; 0.98 then holds for all rows
FEW = 1 / 32  # of the cells: packing pays beyond
SOME = 1 / 8  # of the cells: without packing, the exact search is as fast beyond
MANY = 1 / 2  # of the cells: with packing, too
APPROXIMATE_FROM = 20_000  # rows; with fewer the exact search is done before an index is built


def choose_query(X: Any, metric: Any, n_jobs: int | None, n_points: int | None = None) -> Query:
    """The fastest query that knows the metric and suits the shape of ``X``.

    ``n_points`` is how many points are searched for, where that is known.
    """
    if metric != "euclidean" or issparse(X):
        return LibrarySearch(X, metric, n_jobs)
    n, d = X.shape
    if d <= (SMALL_TREE_DIMENSIONS if n < SMALL else TREE_DIMENSIONS):
        return TreeSearch(X, n_jobs)
    are_few = n_points is not None and n_points <= PILOT_POINTS
    if d > PILOT_DIMENSIONS or n < PILOT_FROM or are_few:
        return BruteSearch(X, n_jobs)
    return _pick_quicker(TreeSearch(X, n_jobs, measured=True), BruteSearch(X, n_jobs), X)


def find_nearest(
    query: Query,
    points: Any,
    k: int,
    X: Any,
    *,
    own: np.ndarray | None = None,
    zero_is_equal: bool = True,
) -> tuple[np.ndarray, np.ndarray]:
    """Distances and indices of the ``k`` rows nearest to each point, by distance, then by index.

    ``own`` tells which row of ``X`` each point is, so that it is left out; None if they are others.
    Asks for one more than that, to see whether the k-th place is shared. Where it is, asks for four
    times as many, until all rows that share it are known. ``zero_is_equal`` says that rows at
    distance 0 are equal, so that many of them are found without asking.
    """
    n, d = X.shape
    shape = (points.shape[0], k)
    distances = np.empty(shape)
    neighbors = np.empty(shape, dtype=np.intp)
    shared = np.arange(shape[0])
    asked = min(k + 1 + (own is not None), n)
    while len(shared):
        still_shared = []
        for batch in blocks(len(shared), CHUNK, width=asked * d):
            part = shared[batch]
            indices, found, reach = query(points[part].astype(float, copy=False), asked)
            ours = None if own is None else own[part]
            distances[part], neighbors[part] = pick_nearest(indices, found, k, ours)
            still_shared.append(part[(distances[part, -1] >= reach) & (asked < n)])
        shared = np.concatenate(still_shared)
        if zero_is_equal and len(shared):
            shared = _assign_twins(X, points, own, shared, neighbors)
        asked = min(4 * asked, n)
    return distances, neighbors


def _assign_twins(
    X: np.ndarray,
    points: np.ndarray,
    own: np.ndarray | None,
    shared: np.ndarray,
    neighbors: np.ndarray,
) -> np.ndarray:
    """Give those of ``points[shared]`` with k equals the first k of them; return the others.

    Otherwise a table of few distinct rows would ask for all of them again and again.
    """
    k = neighbors.shape[1]
    last = neighbors[shared, -1]
    crowded = (X[last] == points[shared]).all(axis=1)
    if not crowded.any():
        return shared
    _, group, sizes = np.unique(X, axis=0, return_inverse=True, return_counts=True)
    group = group.ravel()
    wanted = k + (own is not None)  # equals, the point itself among them
    crowded &= sizes[group[last]] >= wanted
    by_group = np.argsort(group, kind="stable")
    starts = np.cumsum(sizes) - sizes
    twins = by_group[starts[group[last[crowded]], None] + np.arange(wanted)]
    if own is not None:
        others = twins != own[shared[crowded], None]
        others[others.all(axis=1), -1] = False  # one too many where the row comes later
        twins = twins[others].reshape(-1, k)
    neighbors[shared[crowded]] = twins
    return shared[~crowded]


def pick_nearest(
    indices: np.ndarray, distances: np.ndarray, k: int, own: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Distances and indices of the ``k`` nearest of what was found, by distance, then by index.

    A row is left out by its index, not as "the nearest": with duplicates that may be another one.
    """
    if own is not None:
        distances = np.where(indices == own[:, None], np.inf, distances)
    order = np.lexsort((indices, distances))[:, :k]
    return np.take_along_axis(distances, order, 1), np.take_along_axis(indices, order, 1)


def measure_distances(points: np.ndarray, X: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """Euclidean distances from each point to the rows of ``X`` found for it, from differences.

    Inner products are faster but lose digits where rows are close, and with them ties and order.
    """
    differences = points[:, None] - X[indices]
    return np.sqrt(np.einsum("ijk,ijk->ij", differences, differences))


class TreeSearch:
    """A k-d tree: scipy's, about twice as fast here as scikit-learn's.

    ``measured`` gives distances as brute force has them: which of the two answers must not show.
    """

    def __init__(self, X: np.ndarray, n_jobs: int | None, *, measured: bool = False) -> None:
        self.X = X
        self.measured = measured
        self.tree = cKDTree(X, leafsize=32)
        self.workers = effective_n_jobs(n_jobs)

    def __call__(self, points: np.ndarray, asked: int) -> Found:
        """Search the tree."""
        distances, indices = self.tree.query(points, asked, workers=self.workers)
        if asked == 1:  # scipy drops the axis
            distances = distances[:, None]
            indices = indices[:, None]
        if not self.measured:
            return indices, distances, distances[:, -1]
        measured = measure_distances(points, self.X, indices)
        return indices, measured, distances[:, -1] * (1 - 1e-12)


class BruteSearch:
    """Brute force by scikit-learn's inner products; measured again where these cannot tell."""

    def __init__(self, X: np.ndarray, n_jobs: int | None = None) -> None:
        self.X = X
        self.n_jobs = n_jobs
        some = X[:: 1 + len(X) // 128].astype(float)
        self.centre = np.median(some, axis=0)  # an offset would cost digits
        with _skip_checks():
            self.search = NearestNeighbors(algorithm="brute").fit(X - self.centre)
        # A squared distance is off by d eps (|a| + |b|)² at most, and a row near a is about as long
        # as a: take the point's own length, not the longest, lest one outlier make all doubtful.
        self.rounding = 8 * (X.shape[1] + 4) * np.finfo(float).eps

    def __call__(self, points: np.ndarray, asked: int) -> Found:
        """Compare each point with every row."""
        centred = points - self.centre
        slack = self.rounding * np.einsum("ij,ij->i", centred, centred)
        with _skip_checks():
            distances, indices = self.search.kneighbors(centred, asked)
        squares = distances**2
        last = squares[:, -1]
        error = self.rounding * squares[:, -1] + slack
        close = (np.diff(squares) <= 2 * error[:, None]).any(axis=1)  # their order may be wrong
        distances[close] = measure_distances(points[close], self.X, indices[close])
        found = (indices, distances, np.sqrt(np.maximum(last - error, 0)))
        blurred = last <= 100 * slack  # all so close together that some may not be found
        if blurred.any():
            for ours, exact in zip(found, self.tree(points[blurred], asked), strict=True):
                ours[blurred] = exact
        return found

    @cached_property
    def tree(self) -> TreeSearch:
        """Built only when inner products cannot tell rows apart."""
        return TreeSearch(self.X, self.n_jobs, measured=True)


class LibrarySearch:
    """The neighbours that scikit-learn finds, for other metrics and sparse rows."""

    def __init__(self, X: Any, metric: Any, n_jobs: int | None) -> None:
        self.search = NearestNeighbors(metric=metric, n_jobs=n_jobs).fit(X)

    def __call__(self, points: Any, asked: int) -> Found:
        """Ask scikit-learn."""
        distances, indices = self.search.kneighbors(points, asked)
        # Rows that have no feature in common are farther than any other, but not than infinity,
        # which stands for the row itself.
        distances = np.nan_to_num(distances, nan=np.finfo(float).max)
        return indices, distances, distances[:, -1]


def _skip_checks() -> Any:
    return config_context(assume_finite=True, skip_parameter_validation=True)


def _pick_quicker(tree: Query, brute: Query, X: np.ndarray) -> Query:
    """The query that takes less time for a row; both give the same answer."""

    def seconds_per_row(query: Query, n_rows: int) -> float:
        start = time.perf_counter()
        query(X[np.linspace(0, len(X) - 1, n_rows, dtype=np.intp)], 8)
        return (time.perf_counter() - start) / n_rows

    # Brute force is at its best with many rows at once; a tree does not care.
    return tree if seconds_per_row(tree, 32) < seconds_per_row(brute, 512) else brute


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
        # The rows around 0 and no larger than 1, so that neither offsets nor units cost digits.
        centre = X.mean(axis=0)
        largest = max((X.max(axis=0) - centre).max(), (centre - X.min(axis=0)).max()) or 1.0
        vectors: np.ndarray = np.empty(X.shape, dtype=np.float32)
        for batch in blocks(len(X), CHUNK, width=X.shape[1]):
            vectors[batch] = (X[batch] - centre) / largest
        self.vectors = vectors
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


@contextmanager
def _use_one_thread(faiss: Any) -> Iterator[None]:
    """Keep faiss to the calling thread: many small tasks are slower when shared out."""
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)


def nearest(
    X: Any,
    k: int,
    *,
    metric: Any = "euclidean",
    approximate: bool = False,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> np.ndarray:
    """Indices of the ``k`` nearest other rows, ordered by distance and then by index.

    A row is left out by its index, so that its duplicates count. Rows equally far at the k-th place
    enter by the smaller index. Costs about n log n distances with up to six or eight features (a
    tree) and n² beyond (brute force), unless the rows lie on fewer dimensions than they have
    features: then a tree again. Memory O(n k), never n².

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        The features; scale them first. Values may be missing (NaN) with the metric
        "nan_euclidean", which compares two rows by the features that both have.
    k : int
        Number of neighbours; cut to n - 1, with a warning, when there are not so many others.
    metric : str or callable, default="euclidean"
        Any metric of :class:`sklearn.neighbors.NearestNeighbors`.
    approximate : bool, default=False
        Allow 2 % of the neighbours to be merely near instead of nearest, for speed. Uses faiss (the
        ``scale`` extra), for Euclidean distances between the rows of an array. It pays from some
        20,000 rows with ten features or more; elsewhere the exact search is as quick and is used.
    random_state : int, RandomState or None, default=None
        Decides on the sample from which an approximate search learns; fix it to get the same
        neighbours again.
    n_jobs : int, optional
        Number of threads, -1 for all. Brute force takes all cores whatever is said here, as in
        scikit-learn, and an approximate search unless told otherwise.

    Returns
    -------
    array of int of shape (n, k)

    Examples
    --------
    Rows 0 and 1 are the same; each is the other's neighbour, and 0 comes first for row 2:

    >>> from errata.hardness import nearest
    >>> nearest([[0.0], [0.0], [1.0], [5.0]], k=2)
    array([[1, 2],
           [0, 2],
           [0, 1],
           [2, 0]])
    """
    X = _check_values(X, metric)
    n, d = X.shape
    k = limit_neighbors(k, n)
    faiss = _load_faiss(X, metric) if approximate else None
    if k == 0:
        return np.empty((n, 0), dtype=np.intp)
    if faiss is not None and d > TREE_DIMENSIONS and n >= APPROXIMATE_FROM:
        brute = BruteSearch(X, n_jobs)
        seed = draw_seed(random_state)
        found = find_approximate(X, k, brute, faiss=faiss, seed=seed, n_jobs=n_jobs)
        if found is not None:
            return found
    return NeighborIndex(X, metric=metric, n_jobs=n_jobs).others(k)[1]


def nearest_in(
    X_reference: Any, X_query: Any, k: int, *, n_jobs: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Distances and indices of the ``k`` reference rows nearest to each query row.

    Ordered by distance and then by index, as :func:`nearest` does for the rows of one table.

    >>> nearest_in([[0.0], [0.0], [5.0]], [[1.0], [4.0]], k=2)
    (array([[1., 1.], [1., 4.]]), array([[0, 1], [2, 0]]))
    """
    n_points = np.shape(X_query)[0]
    index = NeighborIndex(X_reference, n_jobs=n_jobs, n_points=n_points)
    return index.find(X_query, k)


class NeighborIndex:
    """Rows prepared for exact searches, for those who search more than once; it can be pickled.

    Where it is known for how many points, what pays for so many is chosen; answers are the same.
    """

    def __init__(
        self,
        X: Any,
        *,
        metric: Any = "euclidean",
        n_jobs: int | None = None,
        n_points: int | None = None,
    ) -> None:
        self.metric = metric
        # Those in single precision stay so, in half the memory: what is computed is in double.
        keeps = metric == "euclidean" and getattr(X, "dtype", None) == np.float32
        self.X = X = _check_values(X, metric, np.float32 if keeps and not issparse(X) else float)
        self.query = choose_query(X, metric, n_jobs, n_points)
        self.zero_is_equal = metric in VALID_METRICS["kd_tree"] and not issparse(X)

    def find(self, points: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Distances and indices of the ``k`` rows nearest to each of some points."""
        check_count("n_neighbors", k, high=self.X.shape[0])
        points = _check_values(points, self.metric)
        return find_nearest(self.query, points, k, self.X, zero_is_equal=self.zero_is_equal)

    def others(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Distances and indices of the ``k`` other rows nearest to each row."""
        rows = np.arange(self.X.shape[0])
        check_count("n_neighbors", k, high=len(rows) - 1)
        return find_nearest(
            self.query, self.X, k, self.X, own=rows, zero_is_equal=self.zero_is_equal
        )


def _check_values(X: Any, metric: Any, dtype: Any = float) -> Any:
    """``X`` with values that the metric can compare."""
    if metric != "nan_euclidean":
        return check_array(X, accept_sparse="csr", dtype=dtype, order="C")
    X = check_array(X, dtype=float, order="C", ensure_all_finite="allow-nan")
    empty = np.isnan(X).all(axis=1)
    if empty.any():
        raise ValueError(
            f"row {int(empty.argmax())} of X has no value at all, so that no row is near to it; "
            "drop such rows, or fill in their values."
        )
    return X


def limit_neighbors(k: int, n: int) -> int:
    """``k``, or as many neighbours as there can be, with a warning."""
    if check_count("n_neighbors", k) < n:
        return k
    warn_user(
        f"n_neighbors={k} asks for more neighbours than there are other rows ({n - 1}); "
        f"using {n - 1}.",
    )
    return n - 1


def _load_faiss(X: Any, metric: Any) -> Any:
    """The library behind approximate search, when it can serve."""
    if metric != "euclidean" or issparse(X):
        kind = "a sparse matrix" if issparse(X) else f"metric={metric!r}"
        raise ValueError(
            f"approximate=True knows Euclidean distances between the rows of an array, not {kind}; "
            "leave it out for an exact search."
        )
    return require("faiss", extra="scale")


def measure_pairs(A: Any, B: Any, metric: Any) -> np.ndarray:
    """Distances from each row of ``A`` to each of ``B``; cut ``A`` into blocks when it is long."""
    # From differences: scikit-learn's inner products would blur who is nearer than whom.
    if metric == "euclidean" and not issparse(A):
        return cdist(A, B)
    return pairwise_distances(A, B, metric=metric)


def find_commonest(votes: np.ndarray) -> np.ndarray:
    """The class with most votes in each row; the nearer neighbours decide between equals.

    ``votes`` (n, k) holds the codes of the labels of each row's neighbours, the nearest first.

    >>> find_commonest(np.array([[0, 1, 1], [2, 0, 1]]))
    array([1, 2])
    """
    tally = np.zeros(votes.shape, dtype=np.int32)  # of the votes for the class that each is for
    for vote in votes.T:
        tally += votes == vote[:, None]
    # The first of equals is the nearest.
    return np.take_along_axis(votes, tally.argmax(axis=1)[:, None], axis=1)[:, 0]


def vote_margins(votes: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """How far the nearest 1, 2, ..., k neighbours vote against each row's own label, (n, k).

    With c_q votes for class q among the nearest j, column j of a row labelled y holds
    (max_{q != y} c_q - c_y + j) / 2j: 0 if all agree with the label, 1 if all agree on one other,
    and above 0.5 if and only if one other label has strictly more votes. Time O(n k²), memory
    O(n k), whatever the number of classes.

    >>> vote_margins(np.array([[1, 0, 0], [1, 2, 2]]), np.array([0, 0]))
    array([[1.        , 0.5       , 0.33333333],
           [1.        , 0.75      , 0.83333333]])
    """
    n, k = votes.shape
    theirs = np.zeros((n, k), dtype=np.intp)
    margins = np.empty((n, k))
    foreign = votes != codes[:, None]
    ours = np.cumsum(~foreign, axis=1)
    for j in range(k):
        # Each neighbour counts itself and the farther ones that share its label, so that the
        # nearest with a label knows all votes for it.
        theirs[:, : j + 1] += foreign[:, j, None] & (votes[:, : j + 1] == votes[:, j, None])
        margins[:, j] = (theirs.max(axis=1) - ours[:, j] + j + 1) / (2 * (j + 1))
    return margins
