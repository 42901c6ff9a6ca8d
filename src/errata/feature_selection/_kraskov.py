"""Mutual information between columns and a number, from neighbours in both (Kraskov)."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy.spatial import cKDTree
from scipy.special import digamma
from sklearn.utils import check_array, check_consistent_length

from .._blocks import blocks
from .._kernels import kernels
from .._neighbors import limit_neighbors
from ._estimates import check_numeric_rows, log_of

TREE_COLUMNS = 2  # up to here a tree is quicker from a few thousand rows on, and never much slower
CHUNK = 2**21  # distances held at once: 16 MB, and the plain twin has some six such arrays

Found = tuple[np.ndarray, np.ndarray]  # radii and counts, (sets, n)


def kraskov_mutual_information(
    X: Any, target: Any, *, n_neighbors: int = 3, base: float | None = None
) -> float:
    r"""Mutual information between all columns of ``X`` together and a continuous target.

    How much the columns, taken jointly, tell about a number: what :func:`mutual_information` is
    for classes. Nothing is assumed about the shape of the dependence. Columns and target count
    with their units: standardise them first. Independent columns give values around zero, negative
    ones among them; strong dependence on many columns is underestimated, the more so the more
    neighbours are asked for. Costs O(n log n) for one column or two, O(n² d) beyond, and memory
    for a block of rows.

    Parameters
    ----------
    X : array-like of shape (n, d) or (n,)
        The columns; no missing values.
    target : array-like of shape (n,)
        The numbers to be known. Where many rows agree in all columns and the target, add a little
        noise first.
    n_neighbors : int, default=3
        k, cut to n - 1 with a warning. The authors advise 2 to 4; more neighbours make the estimate
        steadier, and more biased where the dependence is strong.
    base : float, optional
        Base of the logarithm; e when not given (nats), 2 for bits.

    Returns
    -------
    float

    Notes
    -----
    The first estimator of [1]_, with the maximum norm everywhere: with :math:`\epsilon_i` the
    distance from row i to its k-th nearest other row in columns and target at once,
    :math:`n_x(i)` and :math:`n_t(i)` count the others that are strictly nearer than that in the
    columns alone and in the target alone, and

    .. math::
        \hat I = \psi(k) + \psi(n)
        - \frac{1}{n} \sum_i \left[ \psi(n_x(i) + 1) + \psi(n_t(i) + 1) \right].

    For one column this is what scikit-learn's ``mutual_info_regression`` computes, which divides
    columns and target by their standard deviations, and cuts negative values to zero.

    References
    ----------
    .. [1] A. Kraskov, H. Stögbauer, P. Grassberger. Estimating mutual information. Physical Review
       E 69, 066138, 2004.

    Examples
    --------
    A number that two columns tell together, and neither of them alone:

    >>> import numpy as np
    >>> from errata.feature_selection import kraskov_mutual_information
    >>> X = np.random.RandomState(0).uniform(-1, 1, size=(1000, 2))
    >>> sums = X.sum(axis=1) % 1  # the place within a stripe
    >>> round(kraskov_mutual_information(X, sums), 1)
    1.8
    >>> round(kraskov_mutual_information(X[:, 1], sums), 1)
    0.0
    """
    X = check_numeric_rows(X)
    target = check_array(target, ensure_2d=False, dtype=float, input_name="target").reshape(-1)
    check_consistent_length(X, target)
    n, d = X.shape
    neighbors = JointNeighbors(np.ascontiguousarray(X.T), target, limit_neighbors(n_neighbors, n))
    found = neighbors.with_each(range(d - 1), [d - 1])
    return average_kraskov(found, target, neighbors.k).item() / log_of(base)


def average_kraskov(found: Found, target: np.ndarray, k: int) -> np.ndarray:
    """The estimates, in nats, of sets of columns whose radii and counts are known."""
    radii, counts = found
    _check_radii(radii)
    n = len(target)
    psi_of_next = digamma(np.arange(1, n + 1))  # of c + 1, by c: counts repeat many times
    in_target = np.array([count_within(target, radius) for radius in radii])
    averages = (psi_of_next[counts] + psi_of_next[in_target]).mean(axis=1)
    return digamma(k) + digamma(n) - averages


def _check_radii(radii: np.ndarray) -> None:
    crowded = int((radii == 0).any(axis=0).sum())
    if crowded:
        raise ValueError(
            f"{crowded} rows have as many equals, target included, as neighbours are asked for, so "
            "that the density around them is infinite; add a little noise to columns and target "
            "(jitter=1e-3 in the selector), or ask for more neighbours."
        )


class JointNeighbors:
    """Radii and counts of sets of columns, by the maximum norm.

    The radius of a row is its distance to the k-th nearest other row in the columns and the target
    at once; the count, how many others are strictly nearer than that in the columns alone. Either
    way of finding them takes differences of values and their maximum and nothing else, so that they
    are the same to the last bit however a set was come by.
    """

    def __init__(
        self, columns: np.ndarray, target: np.ndarray, k: int, n_jobs: int | None = None
    ) -> None:
        self.columns = columns
        self.target = target
        self.k = k
        self.n_jobs = n_jobs

    def with_each(self, subset: Sequence[int], candidates: Sequence[int]) -> Found:
        """For the subset and one of the candidates more, each in its turn."""
        if len(subset) < TREE_COLUMNS:
            return self._by_trees([[*subset, j] for j in candidates])
        return self._by_blocks("count_neighbors_with", subset, candidates)

    def without_each(self, subset: Sequence[int]) -> Found:
        """For the subset less one of its columns, each in its turn."""
        if len(subset) <= TREE_COLUMNS + 1:
            return self._by_trees([[i for i in subset if i != j] for j in subset])
        return self._by_blocks("count_neighbors_without", subset)

    def _by_trees(self, sets: list[list[int]]) -> Found:
        found = self._threads()(
            delayed(count_tree_neighbors)(self.columns[columns], self.target, self.k)
            for columns in sets
        )
        radii, counts = zip(*found, strict=True)
        return np.array(radii), np.array(counts)

    def _by_blocks(self, kernel: str, *sets: Sequence[int]) -> Found:
        find: Callable[..., Found] = getattr(kernels("distances"), kernel)
        chosen = [np.asarray(columns, dtype=np.intp) for columns in sets]
        found = self._threads()(
            delayed(find)(self.columns, self.target, *chosen, self.k, rows.start, rows.stop)
            for rows in self._blocks()
        )
        radii, counts = zip(*found, strict=True)
        return np.concatenate(radii, axis=1), np.concatenate(counts, axis=1)

    def _blocks(self) -> Iterator[slice]:
        n = len(self.target)
        share = -(-n * n // effective_n_jobs(self.n_jobs))
        return blocks(n, min(CHUNK, share), width=n)

    def _threads(self) -> Any:
        return Parallel(n_jobs=self.n_jobs, require="sharedmem")


def count_tree_neighbors(columns: np.ndarray, target: np.ndarray, k: int) -> Found:
    """Radii and counts of one set of columns, (n,), in O(n log n) for one column or two."""
    joint = np.column_stack([*columns, target])
    # The row itself is among those found, at distance 0: only the value of the k-th is used.
    radii = cKDTree(joint).query(joint, [k + 1], p=np.inf)[0][:, 0]
    if len(columns) == 1:
        return radii, count_within(columns[0], radii)
    points = np.ascontiguousarray(columns.T)
    inside = np.nextafter(radii, 0)  # the tree counts what is as far, too
    counts = cKDTree(points).query_ball_point(points, inside, p=np.inf, return_length=True)
    return radii, counts - 1


def count_within(values: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """How many other values are strictly nearer to each value than its radius.

    Bisects by the difference itself: the k-th neighbour is exactly as far as the radius, and a sum
    of value and radius would be rounded to either side of it.

    >>> count_within(np.array([0.0, 1.0, 3.0]), np.array([3.0, 2.5, 0.5]))
    array([1, 2, 0])
    """
    ordered = np.sort(values)
    centres = values
    above = _find_first(lambda at: ordered[at] - centres >= radii, len(values))
    below = _find_first(lambda at: centres - ordered[at] < radii, len(values))
    return np.maximum(above - below - 1, 0)  # of a radius of 0 not even the value itself


def _find_first(holds: Callable[[np.ndarray], np.ndarray], n: int) -> np.ndarray:
    """The first of n places at which a condition holds, for each row; n where it never does."""
    low = np.zeros(n, dtype=np.intp)
    high = np.full(n, n)
    for _ in range(n.bit_length()):
        middle = (low + high) // 2
        true = holds(np.minimum(middle, n - 1)) | (middle == n)
        low = np.where(true, low, middle + 1)
        high = np.where(true, middle, high)
    return high
