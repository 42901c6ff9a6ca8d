"""Entropy, mutual information and Bayes risk, from distances to nearest rows.

Between columns and a class, or columns and a number, by neighbours in both (Kraskov).

Then what subsets of columns are worth: information on a class or a number, risk, or pairs. A
*criterion* is made from prepared rows, bigger is better, and answers three questions about subsets,
which are sequences of column indices: ``score(subset)``; ``scores_without(subset)``, the subset
without each of its columns in turn; ``scores_with(subset, candidates)``, the subset with each
candidate in turn. Where scores are often equal, ``tie_break`` is a criterion that decides.

Estimates of one or two columns are good where those of ten are not, and there are only p² of them.
How much columns tell about the target is the business of the criterion for classes, or for numbers.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy.spatial import cKDTree
from scipy.special import digamma, entr, log_softmax
from sklearn.utils import check_array, check_consistent_length

from .._blocks import blocks
from .._kernels import kernels
from .._neighbors import limit_neighbors
from .._validation import check_choice, check_labels, check_positive
from ._distances import (
    CHUNK_BYTES,
    ClassRows,
    Segments,
    SubsetDistances,
    find_nearest_in_segments,
    log_squares,
)
from .label_noise import check_memberships, log_ball, tolerant_mutual_information

METHODS = ("count", "soft")

TREE_COLUMNS = 2  # up to here a tree is quicker from a few thousand rows on, and never much slower
CHUNK = 2**21  # distances held at once: 16 MB, and the plain twin has some six such arrays

Found = tuple[np.ndarray, np.ndarray]  # radii and counts, (sets, n)


def mutual_information(
    X: Any,
    y: Any,
    *,
    n_neighbors: int = 8,
    memberships: Any = None,
    slack: float = 0.5,
    self_count: bool = False,
    base: float | None = None,
) -> float:
    r"""Mutual information between all columns of ``X`` together and the classes ``y``.

    How much the columns, taken jointly, tell about the class. Columns count with their units:
    standardise them first. The estimate may be negative, and may exceed the entropy of ``y``;
    neither is cut off, so that subsets stay comparable. It is no stand-in for scikit-learn's
    ``mutual_info_classif``, which looks at one column at a time; for one column the two agree
    for many rows. Costs O(n log n) for one column, a tree for a few, O(n² d) beyond.

    Parameters
    ----------
    X : array-like of shape (n, d) or (n,)
        The columns; no missing values, and no crowds of equal rows.
    y : array-like of shape (n,)
        Labels of two classes or more. A row alone in its class is left out, with a warning.
    n_neighbors : int, default=8
        k. In a class of no more than k rows, all its other rows are taken, with a warning.
    memberships : array-like of shape (n, n_classes), optional
        How much each row belongs to each class, rows summing to one: the information about the
        true class, where labels are doubtful [2]_. ``y`` then only says which classes there are;
        the columns are in their sorted order.
    slack : float in [0, 1], default=0.5
        With memberships: how much less than k members of a class make a neighbourhood.
    self_count : bool, default=False
        With memberships: count each row as its own first neighbour, which needs two neighbours or
        more; with ``slack=0`` this is [2]_ to the letter.
    base : float, optional
        Base of the logarithm; e when not given (nats), 2 for bits.

    Returns
    -------
    float

    Notes
    -----
    :math:`\hat I = \hat H(X) - \sum_y (n_y / n) \hat H(X | Y = y)` of :func:`knn_entropy` [1]_, in
    which the volume of the ball cancels:

    .. math::
        \hat I = \psi(n) - \psi(k) - \sum_y \frac{n_y}{n} (\psi(n_y) - \psi(k_y))
        + \frac{d}{n} \sum_i \log \frac{\epsilon_k(i)}{\epsilon_{k_y}(i | y_i)},
        \quad k_y = \min(k, n_y - 1).

    With memberships it is equation 19 of [2]_ but for two things: equation 18 counts a row among
    its own neighbours, which with hard labels adds about 1/(k - 1), and asks for k members, so that
    memberships of 0.999 look one neighbour further than those of 1. Here rows are left out and
    k - 1/2 members are enough, so that hard memberships give the estimate from labels.
    ``self_count=True, slack=0`` is as printed.

    References
    ----------
    .. [1] V. Gómez-Verdejo, M. Verleysen, J. Fleury. Information-theoretic feature selection for
       functional data classification. Neurocomputing 72, 2009.
    .. [2] Frénay, Doquire and Verleysen. Estimating mutual information for feature selection in
       the presence of label noise. Computational Statistics and Data Analysis 71, 2014.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import StandardScaler
    >>> from errata.feature_selection import mutual_information
    >>> X, y = load_wine(return_X_y=True)
    >>> round(mutual_information(StandardScaler().fit_transform(X), y), 2)
    0.94
    """
    X, codes, n_classes = _check_rows_and_labels(X, y)
    if memberships is not None:
        known = check_memberships(memberships, len(X), n_classes)
        nats = tolerant_mutual_information(X, known, n_neighbors, slack, self_count)
        return nats / log_of(base)
    rows = ClassRows(X, codes, n_neighbors)
    squares = find_nearest_in_segments(rows.columns, rows.split_all_and_own())
    nats = sum_count_information(rows) + float(log_ratios(squares)) * X.shape[1] / (2 * rows.n)
    return nats / log_of(base)


def sum_count_information(rows: ClassRows) -> float:
    """The part of the information that is the same for all subsets: that of the digammas."""
    own = rows.sizes / rows.n * (digamma(rows.sizes) - digamma(rows.own_neighbors))
    return float(digamma(rows.n) - digamma(rows.n_neighbors) - own.sum())


def log_ratios(squares: np.ndarray) -> np.ndarray:
    """Sum over rows of log D²(k) - log D²(k_y | y): ``squares`` has both in its last axis."""
    logs = log_squares(squares).sum(axis=-2)
    return logs[..., 0] - logs[..., 1]


def knn_posteriors(X: Any, y: Any, *, n_neighbors: int = 8) -> np.ndarray:
    r"""Probability of each class at each row, the row itself left out.

    Densities of the classes are estimated from the distance to the k-th nearest row of each, not
    from votes, so that probabilities are neither 0 nor 1. Standardise columns first. Costs a tree
    for a few columns, O(n² d) beyond.

    Parameters
    ----------
    X : array-like of shape (n, d) or (n,)
        The columns; no missing values, and no crowds of equal rows.
    y : array-like of shape (n,)
        Labels of two classes or more.
    n_neighbors : int, default=8
        k; all rows of a class that has fewer, with a warning.

    Returns
    -------
    array of shape (n, n_classes)
        Columns in the sorted order of the classes. A class of a single row is left out, with a
        warning: its column is 0, its row nan.

    Notes
    -----
    With :math:`n_{iy}` the size of class y, plus one where row i is not in it [1]_,

    .. math::
        \hat p(y | x_i) \propto \frac{n_y}{n}
        \exp(\psi(k_y) - \psi(n_{iy}) - d \log \epsilon_{k_y}(i | y)).

    References
    ----------
    .. [1] B. Frénay, G. Doquire, M. Verleysen. Feature selection with risk estimation. European
       Symposium on Artificial Neural Networks, 2013.

    Examples
    --------
    >>> from errata.feature_selection import knn_posteriors
    >>> x, y = [0, 1, 3, 7, 8, 10], ["a", "a", "a", "b", "b", "b"]
    >>> knn_posteriors(x, y, n_neighbors=2)[:, 0].round(2)
    array([0.79, 0.83, 0.7 , 0.26, 0.17, 0.19])
    """
    X, codes, n_classes = _check_rows_and_labels(X, y)
    rows, log_posteriors = _log_posteriors(X, codes, n_neighbors)
    found = np.full((len(X), n_classes), np.nan)
    found[rows.order] = 0
    found[np.ix_(rows.order, rows.present)] = np.exp(log_posteriors)
    return found


def bayes_risk(X: Any, y: Any, *, n_neighbors: int = 8, method: str = "count") -> float:
    r"""The lowest error rate any classifier can have with these columns, estimated.

    Parameters
    ----------
    X : array-like of shape (n, d) or (n,)
        The columns; no missing values, and no crowds of equal rows. Standardise them first.
    y : array-like of shape (n,)
        Labels of two classes or more. A row alone in its class is left out, with a warning.
    n_neighbors : int, default=8
        k of :func:`knn_posteriors`.
    method : {"count", "soft"}, default="count"
        "count": the fraction of rows whose label is not the most probable class. "soft": the mean
        probability that the most probable class is not the right one, which needs no label once
        the densities are known, takes any value instead of multiples of 1/n, and grows with the
        number of columns.

    Returns
    -------
    float

    Notes
    -----
    With :func:`knn_posteriors` p, count is :math:`\frac1n \sum_i [y_i \ne \arg\max_y p(y | x_i)]`,
    soft is :math:`\frac1n \sum_i (1 - \max_y p(y | x_i))` [1]_. The first of classes equally
    probable wins.

    References
    ----------
    .. [1] B. Frénay, G. Doquire, M. Verleysen. Feature selection with risk estimation. European
       Symposium on Artificial Neural Networks, 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.stats import norm
    >>> from errata.feature_selection import bayes_risk
    >>> y = np.repeat([0, 1], 1000)
    >>> x = np.random.RandomState(0).normal(size=2000) + 3 * y
    >>> round(bayes_risk(x, y), 3), round(float(norm.cdf(-1.5)), 3)  # estimated, and true
    (0.068, 0.067)
    """
    check_choice("method", method, METHODS)
    X, codes, _ = _check_rows_and_labels(X, y)
    rows, log_posteriors = _log_posteriors(X, codes, n_neighbors)
    by_count = method == "count"
    errors = (
        count_errors(log_posteriors, rows.codes) if by_count else count_soft_errors(log_posteriors)
    )
    return float(errors) / rows.n


def posterior_information(
    X: Any, y: Any, *, n_neighbors: int = 8, base: float | None = None
) -> float:
    r"""Mutual information between columns and classes by way of posteriors.

    Of use beside :func:`bayes_risk` with ``method="soft"``: both follow from the same
    probabilities, so that what is proved about entropy and risk (Fano, Hellman and Raviv) holds for
    the estimates, too. To choose columns, :func:`mutual_information` is the better estimate.

    Parameters
    ----------
    X : array-like of shape (n, d) or (n,)
        The columns; no missing values, and no crowds of equal rows. Standardise them first.
    y : array-like of shape (n,)
        Labels of two classes or more. A row alone in its class is left out, with a warning.
    n_neighbors : int, default=8
        k of :func:`knn_posteriors`.
    base : float, optional
        Base of the logarithm; e when not given (nats), 2 for bits.

    Returns
    -------
    float

    Notes
    -----
    :math:`H(Y) + \frac1n \sum_i \sum_y p(y | x_i) \log p(y | x_i)` [1]_, H(Y) from the sizes of
    the classes.

    References
    ----------
    .. [1] B. Frénay, G. Doquire, M. Verleysen. Theoretical and empirical study on the potential
       inadequacy of mutual information for feature selection in classification. Neurocomputing
       112, 2013.

    Examples
    --------
    >>> from errata.feature_selection import posterior_information
    >>> x, y = [0, 1, 3, 7, 8, 10], ["a", "a", "a", "b", "b", "b"]
    >>> round(posterior_information(x, y, n_neighbors=2, base=2), 3)
    0.253
    """
    X, codes, _ = _check_rows_and_labels(X, y)
    rows, log_posteriors = _log_posteriors(X, codes, n_neighbors)
    conditional = entr(np.exp(log_posteriors)).sum() / rows.n
    return float(entr(rows.sizes / rows.n).sum() - conditional) / log_of(base)


def log_posteriors_of(squares: np.ndarray, rows: ClassRows, codes: np.ndarray, d: int) -> Any:
    """Logarithms of p(y | x), from squared distances to each class in the last axis.

    ``codes`` are those of the rows in the last axis but one.
    """
    own = codes[:, None] == np.arange(len(rows.sizes))
    k = np.where(own, rows.own_neighbors, rows.other_neighbors)
    log_priors = np.log(rows.sizes / rows.n)
    log_densities = digamma(k) - digamma(rows.sizes + ~own) - d / 2 * log_squares(squares)
    return log_softmax(log_priors + log_densities, axis=-1)


def count_errors(log_posteriors: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The number of rows whose label is not the most probable class."""
    return (log_posteriors.argmax(axis=-1) != codes).sum(axis=-1)


def count_soft_errors(log_posteriors: np.ndarray) -> np.ndarray:
    """The number of rows expected to be of another class than the most probable one."""
    return -np.expm1(log_posteriors.max(axis=-1)).sum(axis=-1)


def _check_rows_and_labels(X: Any, y: Any) -> tuple[np.ndarray, np.ndarray, int]:
    X = check_numeric_rows(X)
    classes, codes = check_labels(y, min_classes=2)
    check_consistent_length(X, codes)
    return X, codes, len(classes)


def _log_posteriors(
    X: np.ndarray, codes: np.ndarray, n_neighbors: int
) -> tuple[ClassRows, np.ndarray]:
    rows = ClassRows(X, codes, n_neighbors)
    squares = find_nearest_in_segments(rows.columns, rows.split_by_class())
    return rows, log_posteriors_of(squares, rows, rows.codes, X.shape[1])


def knn_entropy(X: Any, *, n_neighbors: int = 8, base: float | None = None) -> float:
    r"""Differential entropy of continuous columns, from distances to the k-th nearest row.

    For rows drawn from a density that is smooth at the scale of neighbours. The bias grows with the
    number of columns and near the edge of a bounded density. Repeated rows have no density: add a
    little noise to them first. Costs O(n log n) for one column, a tree for a few, O(n² d) beyond.

    Parameters
    ----------
    X : array-like of shape (n, d) or (n,)
        The rows; no missing values.
    n_neighbors : int, default=8
        k, cut to n - 1 with a warning. More neighbours make the estimate steadier, and coarser.
    base : float, optional
        Base of the logarithm; e when not given (nats), 2 for bits.

    Returns
    -------
    float

    Notes
    -----
    With :math:`\epsilon_k(i)` twice the distance from row i to its k-th nearest other row and
    :math:`c_d` the volume of the d-ball of diameter 1 [1]_,

    .. math:: \hat H(X) = \psi(n) - \psi(k) + \log c_d + \frac{d}{n} \sum_i \log \epsilon_k(i).

    References
    ----------
    .. [1] L. F. Kozachenko, N. N. Leonenko. Sample estimate of the entropy of a random vector.
       Problems of Information Transmission 23, 1987.

    Examples
    --------
    >>> import numpy as np
    >>> from errata.feature_selection import knn_entropy
    >>> X = np.random.RandomState(0).normal(size=(2000, 2))
    >>> round(knn_entropy(X), 2), round(float(np.log(2 * np.pi * np.e)), 2)  # estimated, and true
    (2.79, 2.84)
    """
    X = check_numeric_rows(X)
    n, d = X.shape
    k = limit_neighbors(n_neighbors, n)
    one = np.ones((1, 1), dtype=np.intp)
    everywhere = Segments(np.zeros(n, dtype=np.intp), 0 * one, n * one, k * one)
    squares = find_nearest_in_segments(np.ascontiguousarray(X.T), everywhere)
    log_diameters = np.log(2) + log_squares(squares).mean() / 2
    log_volume = log_ball(d) - d * np.log(2)  # of the ball of diameter 1
    nats = digamma(n) - digamma(k) + log_volume + d * log_diameters
    return float(nats) / log_of(base)


def check_numeric_rows(X: Any) -> np.ndarray:
    """``X`` as an array of numbers with two rows at least; a single column may have one axis."""
    X = np.asarray(X) if np.ndim(X) == 1 else X
    X = X[:, None] if np.ndim(X) == 1 else X
    return check_array(X, dtype=float, ensure_min_samples=2)


def log_of(base: float | None) -> float:
    """The divisor that turns nats into units of another base."""
    if base is None:
        return 1.0
    if check_positive("base", base) == 1:
        raise ValueError("base=1 is the base of no logarithm; pass 2 for bits.")
    return float(np.log(base))


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
    crowded = int((radii == 0).any(axis=0).sum())
    if crowded:
        raise ValueError(
            f"{crowded} rows have as many equals, target included, as neighbours are asked for, so "
            "that the density around them is infinite; add a little noise to columns and target "
            "(jitter=1e-3 in the selector), or ask for more neighbours."
        )
    n = len(target)
    psi_of_next = digamma(np.arange(1, n + 1))  # of c + 1, by c: counts repeat many times
    in_target = np.array([count_within(target, radius) for radius in radii])
    averages = (psi_of_next[counts] + psi_of_next[in_target]).mean(axis=1)
    return digamma(k) + digamma(n) - averages


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


class ClassCriterion(ABC):
    """A criterion that is a sum over rows of what the distances to their nearest ones tell."""

    tie_break: "ClassCriterion | None" = None

    def __init__(
        self, rows: ClassRows, *, n_jobs: int | None = None, chunk_bytes: int = CHUNK_BYTES
    ) -> None:
        self.rows = rows
        self.distances = SubsetDistances(
            rows.columns, self._segments(rows), n_jobs=n_jobs, chunk_bytes=chunk_bytes
        )

    def score(self, subset: Sequence[int]) -> float:
        """J(S)."""
        if not len(subset):
            return self._of_nothing()
        return float(self.scores_with(subset[:-1], subset[-1:])[0])

    def scores_with(self, subset: Sequence[int], candidates: Sequence[int]) -> np.ndarray:
        """J(S + j) for each candidate j."""
        d = len(subset) + 1

        def total(squares: np.ndarray, block: slice) -> np.ndarray:
            return self._total(squares, block, d)

        return self._scores(self.distances.with_each(subset, candidates, total), d)

    def scores_without(self, subset: Sequence[int]) -> np.ndarray:
        """J(S - j) for each j of the subset, in its order."""
        d = len(subset) - 1
        if d == 0:
            return np.array([self._of_nothing()])

        def total(squares: np.ndarray, block: slice) -> np.ndarray:
            return self._total(squares, block, d)

        return self._scores(self.distances.without_each(subset, total), d)

    @abstractmethod
    def _segments(self, rows: ClassRows) -> Segments:
        """Where rows look for their neighbours."""

    @abstractmethod
    def _total(self, squares: np.ndarray, block: slice, d: int) -> np.ndarray:
        """The sum over a block of rows for each candidate, of subsets of ``d`` columns."""

    @abstractmethod
    def _scores(self, totals: np.ndarray, d: int) -> np.ndarray:
        """The scores that follow from the sums over all rows."""

    @abstractmethod
    def _of_nothing(self) -> float:
        """J of no column at all."""


class Information(ClassCriterion):
    """Mutual information between columns and classes, in nats."""

    def _segments(self, rows: ClassRows) -> Segments:
        return rows.split_all_and_own()

    def _total(self, squares: np.ndarray, block: slice, d: int) -> np.ndarray:
        return log_ratios(squares)

    def _scores(self, totals: np.ndarray, d: int) -> np.ndarray:
        return sum_count_information(self.rows) + d / (2 * self.rows.n) * totals

    def _of_nothing(self) -> float:
        return 0.0


class SoftRisk(ClassCriterion):
    """The mean probability that the most probable class is wrong, negative."""

    def _segments(self, rows: ClassRows) -> Segments:
        return rows.split_by_class()

    def _total(self, squares: np.ndarray, block: slice, d: int) -> np.ndarray:
        codes = self.rows.codes[block]
        return self._errors(log_posteriors_of(squares, self.rows, codes, d), codes)

    def _errors(self, log_posteriors: np.ndarray, codes: np.ndarray) -> np.ndarray:
        return count_soft_errors(log_posteriors)

    def _scores(self, totals: np.ndarray, d: int) -> np.ndarray:
        return -totals / self.rows.n

    def _of_nothing(self) -> float:
        return float(self.rows.sizes.max()) / self.rows.n - 1


class CountedRisk(SoftRisk):
    """The fraction of rows whose label is not the most probable class, negative.

    It takes few values, so that subsets are often equal; the soft risk then decides.
    """

    def __init__(
        self, rows: ClassRows, *, n_jobs: int | None = None, chunk_bytes: int = CHUNK_BYTES
    ) -> None:
        super().__init__(rows, n_jobs=n_jobs, chunk_bytes=chunk_bytes)
        self.tie_break = SoftRisk(rows, n_jobs=n_jobs, chunk_bytes=chunk_bytes)

    def _errors(self, log_posteriors: np.ndarray, codes: np.ndarray) -> np.ndarray:
        return count_errors(log_posteriors, codes)


class NumericInformation:
    """Kraskov's mutual information between columns and a continuous target.

    The columns of ``X`` and the target are expected on one scale, and with enough noise to tell
    rows apart. A set scores the same, to the last bit, whether it was reached by adding a column or
    by taking one away.
    """

    def __init__(
        self, X: np.ndarray, target: np.ndarray, n_neighbors: int, *, n_jobs: int | None = None
    ) -> None:
        self.target = target
        k = limit_neighbors(n_neighbors, len(target))
        self.neighbors = JointNeighbors(np.ascontiguousarray(X.T), target, k, n_jobs)

    def score(self, subset: Sequence[int]) -> float:
        """The information of one subset; that of no column is zero."""
        return self.scores_with(subset[:-1], subset[-1:]).item() if len(subset) else 0.0

    def scores_with(self, subset: Sequence[int], candidates: Sequence[int]) -> np.ndarray:
        """The information of the subset and each candidate."""
        if not len(candidates):
            return np.zeros(0)
        return self._average(self.neighbors.with_each(subset, candidates))

    def scores_without(self, subset: Sequence[int]) -> np.ndarray:
        """The information of the subset without each of its columns."""
        if len(subset) < 2:
            return np.zeros(len(subset))
        return self._average(self.neighbors.without_each(subset))

    def _average(self, found: Found) -> np.ndarray:
        return average_kraskov(found, self.target, self.neighbors.k)


class PairTable:
    """A symmetric table of pairs of columns, computed where it is looked at, and kept.

    ``measure(i, others)`` gives the values of the pairs of column i and some others.
    """

    def __init__(self, n_columns: int, measure: Callable[[int, list[int]], np.ndarray]) -> None:
        self.measure = measure
        self.values = np.full((n_columns, n_columns), np.nan)
        np.fill_diagonal(self.values, 0.0)  # a column is no pair with itself

    def between(self, some: Sequence[int], others: Sequence[int]) -> np.ndarray:
        """The values of all pairs of one column of ``some`` and one of ``others``."""
        for i in some:
            unknown = [j for j in others if np.isnan(self.values[i, j])]
            if unknown:
                self.values[i, unknown] = self.values[unknown, i] = self.measure(i, unknown)
        return self.values[list(some)][:, list(others)]


class PairwiseCriterion(ABC):
    """A score that depends on sums over the columns of a set, and over its pairs."""

    def __init__(
        self,
        X: np.ndarray,
        target: np.ndarray,
        n_neighbors: int,
        *,
        numeric: bool,
        n_jobs: int | None = None,
    ) -> None:
        self.X = X
        self.n_neighbors = n_neighbors
        self.n_jobs = n_jobs
        self.information: Any = (
            self._about(target)
            if numeric
            else Information(ClassRows(X, target, n_neighbors), n_jobs=n_jobs)
        )
        self.pairs = PairTable(X.shape[1], self._measure)

    def _about(self, numbers: np.ndarray) -> NumericInformation:
        """The information that columns have about some numbers."""
        return NumericInformation(self.X, numbers, self.n_neighbors, n_jobs=self.n_jobs)

    @abstractmethod
    def _measure(self, i: int, others: list[int]) -> np.ndarray:
        """The terms that are summed over pairs, for those of column ``i`` with some others."""

    @abstractmethod
    def _value(self, singles: Any, pairs: Any, size: int) -> Any:
        """The score of sets of ``size`` columns (one or more) with these sums."""

    @cached_property
    def relevance(self) -> np.ndarray:
        """How much each column tells by itself."""
        return self.information.scores_with((), range(len(self.pairs.values)))

    def score(self, subset: Sequence[int]) -> float:
        """The score of one subset; that of no column is zero."""
        return self.scores_with(subset[:-1], subset[-1:]).item() if len(subset) else 0.0

    def scores_with(self, subset: Sequence[int], candidates: Sequence[int]) -> np.ndarray:
        """The scores of the subset and each candidate."""
        within = self.pairs.between(subset, subset).sum() / 2
        pairs = within + self.pairs.between(subset, candidates).sum(axis=0)
        singles = self.relevance[list(subset)].sum() + self.relevance[list(candidates)]
        return self._value(singles, pairs, len(subset) + 1)

    def scores_without(self, subset: Sequence[int]) -> np.ndarray:
        """The scores of the subset without each of its columns."""
        if len(subset) < 2:
            return np.zeros(len(subset))
        table = self.pairs.between(subset, subset)
        single = self.relevance[list(subset)]
        pairs = table.sum() / 2 - table.sum(axis=0)
        return self._value(single.sum() - single, pairs, len(subset) - 1)


class MinimumRedundancy(PairwiseCriterion):
    r"""Mean relevance of the columns, less half the mean redundancy of their pairs (mRMR).

    Notes
    -----
    Of m columns with relevances :math:`I(X_i; Y)` the score is

    .. math::
        J(S) = \frac{1}{m} \Big[ \sum_i I(X_i; Y) - \frac{1}{m - 1} \sum_{i < j} I(X_i; X_j) \Big].

    For a given S, the column j that makes J(S + j) largest is the one with the largest
    :math:`I(X_j; Y) - \frac{1}{|S|} \sum_{i \in S} I(X_i; X_j)`, the step of [1]_ in its
    difference form. Half the mean redundancy, because a sum over all columns of a set, each
    with its mean redundancy, counts every pair twice: the whole mean would weigh redundancy
    twice as much as that step does. Redundancies are Kraskov's.

    References
    ----------
    .. [1] H. Peng, F. Long, C. Ding. Feature selection based on mutual information: criteria of
       max-dependency, max-relevance, and min-redundancy. IEEE Transactions on Pattern Analysis and
       Machine Intelligence 27, 2005.
    """

    def _measure(self, i: int, others: list[int]) -> np.ndarray:
        return self._about(self.X[:, i]).scores_with((), others)

    def _value(self, singles: Any, pairs: Any, size: int) -> Any:
        return (singles - pairs / max(size - 1, 1)) / size


class JointInformation(PairwiseCriterion):
    r"""Mean information of the pairs of columns about the target (JMI); of one column, its own.

    Notes
    -----
    Of m > 1 columns the score is
    :math:`J(S) = \frac{2}{m (m - 1)} \sum_{i < j} I(X_i, X_j; Y)`. For a given S, the column j that
    makes J(S + j) largest is the one with the largest :math:`\sum_{i \in S} I(X_i, X_j; Y)`, the
    step of [1]_.

    References
    ----------
    .. [1] H. H. Yang, J. Moody. Data visualization and feature selection: new algorithms for
       nongaussian data. Advances in Neural Information Processing Systems 12, 1999.
    """

    def _measure(self, i: int, others: list[int]) -> np.ndarray:
        return self.information.scores_with((i,), others)

    def _value(self, singles: Any, pairs: Any, size: int) -> Any:
        return singles if size == 1 else 2 * pairs / (size * (size - 1))
