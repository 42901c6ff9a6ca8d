"""The mutual information of features and the class that hides behind noisy labels."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy.special import digamma

from ..._blocks import blocks
from ..._format import plural
from ..._neighbors import limit_neighbors
from ..._random import draw_seed
from ..._validation import check_count, check_fraction
from ..._warn import warn_user
from .._distances import log_squares
from ._memberships import LEAST, ROUNDING, LabelNoiseMemberships, SoftClasses, estimate_error_rates

HELD = 2**20  # numbers that are held of a block of rows
SUMS = 1e-6  # by how much the memberships of a row may miss 1, as printed or 32-bit ones do


def tolerant_mutual_information(
    X: Any,
    memberships: Any,
    n_neighbors: int = 8,
    slack: float = 0.5,
    self_count: bool = False,
) -> float:
    """Mutual information of features and a class of which only memberships are known, in nats.

    With hard memberships (one 1 in each row) it is the estimate of Gómez et al. from labels.
    Distances are taken as they are: standardise features first. Never clipped: estimates below 0,
    or above the entropy of the class, are normal where features are many. Costs O(n² (d + K)).

    Parameters
    ----------
    X : array-like of shape (n, d)
        Features; no row may have ``n_neighbors`` copies.
    memberships : array-like of shape (n, K)
        Probability of each class for each row, as from :class:`LabelNoiseMemberships`.
    n_neighbors : int, default=8
        k: more is smoother and more biased.
    slack : float in [0, 1], default=0.5
        How much less than k members make a neighbourhood.
    self_count : bool, default=False
        Count each row as its own first neighbour, as printed in [1]_: about 1/(k - 1) too much.

    Returns
    -------
    float

    Notes
    -----
    ``I(X; S) = H(X) + 1/n sum_i sum_s gamma(s|i) l(i, s)`` (equations 17 to 19 of [1]_), where
    ``l(i, s) = psi(C) - psi(G_-i(s) + 1) - log c_d - d log eps(i|s)`` and eps is the diameter of
    the neighbourhood of row i that holds ``C >= min(k, G_-i(s)) - slack`` members of class s.

    References
    ----------
    .. [1] Frénay, Doquire and Verleysen. Estimating mutual information for feature selection in
       the presence of label noise. Computational Statistics and Data Analysis 71, 2014.

    Examples
    --------
    >>> from errata.feature_selection.label_noise import tolerant_mutual_information
    >>> X = [[0], [1], [3], [7], [8], [10]]
    >>> sure = [[1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 1]]
    >>> unsure = [[0.9, 0.1], [0.8, 0.2], [0.6, 0.4], [0.3, 0.7], [0.1, 0.9], [0.2, 0.8]]
    >>> round(tolerant_mutual_information(X, sure, 2), 4)
    0.7833
    >>> round(tolerant_mutual_information(X, unsure, 2), 4)
    0.1124
    """
    check_fraction("slack", slack)
    if self_count:  # the row itself is the first, and has no radius
        check_count("n_neighbors", n_neighbors, low=2)
    X = np.asarray(X, dtype=float)
    rows, gamma = find_rows_with_density(check_memberships(memberships, len(X)))
    k = limit_neighbors(n_neighbors, len(rows))
    warn_of_small_classes(gamma, k, slack)
    base = np.ascontiguousarray(X[rows].T)
    classes = SoftClasses(gamma, k, slack, bool(self_count))
    return float(_estimate_information(base, np.zeros((1, len(rows))), 0, classes)[0])


class TolerantInformation:
    """The criterion of a search for features: mutual information with the hidden class.

    Memberships come from an EM on the features, or are given. A backward search estimates them
    once on each subset that it takes features from, so that all candidates are judged by the same
    noise model; forward searches once on all features (``refit=False``).

    Parameters
    ----------
    X : array of shape (n, p)
        Prepared features: of one scale, no copies.
    codes : array of shape (n,)
        Labels, from 0 to K - 1.
    n_neighbors : int, default=8
        k of the information; that of the memberships is in ``noise_params``.
    noise_params : dict, optional
        Parameters of :class:`LabelNoiseMemberships`; ``slack`` and ``self_count`` hold here, too.
    memberships : array-like of shape (n, K), optional
        Known memberships: nothing is estimated.
    refit : bool, default=True
        Whether ``score`` and ``scores_without`` estimate memberships on their subset.
    classes : array of shape (K,), optional
        Names of the classes, for warnings.
    random_state : int, RandomState or None, default=None
        Decides on restarts of the EM.
    n_jobs : int, optional
        Number of threads.

    Attributes
    ----------
    memberships : array of shape (n, K)
        On all features, or as given.
    error_rates : array of shape (K,)
        Fraction of each class that has another label, by these.
    """

    def __init__(
        self,
        X: np.ndarray,
        codes: np.ndarray,
        n_neighbors: int = 8,
        noise_params: dict[str, Any] | None = None,
        *,
        memberships: Any = None,
        refit: bool = True,
        classes: np.ndarray | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self._classes = np.arange(codes.max() + 1) if classes is None else classes
        self._refit = refit and memberships is None
        self._n_jobs = n_jobs
        self._noise = LabelNoiseMemberships(**(noise_params or {}))
        self._noise.set_params(n_jobs=n_jobs)
        self._noise._check_params()
        self._seed = draw_seed(random_state)  # the same restarts on every subset
        believed = np.eye(len(self._classes))[codes]
        if memberships is not None:
            believed = check_memberships(memberships, *believed.shape)
        rows, gamma = find_rows_with_density(believed)
        self._columns = np.ascontiguousarray(X[rows].T)
        self._codes = codes[rows]
        self._n_neighbors = limit_neighbors(n_neighbors, len(rows))
        warn_of_small_classes(gamma, self._n_neighbors, self._noise.slack)
        everything = tuple(range(X.shape[1]))
        self._warned_of_trouble = False
        if memberships is None:
            gamma = self._estimate(everything, first=True)
            believed[rows] = gamma
        self.memberships = believed
        self.error_rates = estimate_error_rates(believed, codes)
        self._on_all = gamma
        self._last = (everything, gamma)

    def score(self, subset: Sequence[int]) -> float:
        """Information of the features in ``subset``; 0 of none."""
        nothing = np.zeros((1, self._columns.shape[1]))
        return float(self._scores(subset, nothing, 0, self._memberships_on(subset))[0])

    def scores_without(self, subset: Sequence[int]) -> np.ndarray:
        """Information of ``subset`` without each of its features, in their order."""
        gamma = self._memberships_on(subset)
        return self._scores(subset, self._columns[list(subset)], -1, gamma)

    def scores_with(self, subset: Sequence[int], candidates: Sequence[int]) -> np.ndarray:
        """Information of ``subset`` and each of the ``candidates``."""
        return self._scores(subset, self._columns[list(candidates)], 1, self._on_all)

    def _scores(
        self, subset: Sequence[int], extra: np.ndarray, sign: int, gamma: np.ndarray
    ) -> np.ndarray:
        if len(subset) + sign == 0:
            return np.zeros(len(extra))
        classes = SoftClasses(
            gamma, self._n_neighbors, self._noise.slack, bool(self._noise.self_count)
        )
        base = self._columns[list(subset)]
        return _estimate_information(base, extra, sign, classes, self._n_jobs)

    def _memberships_on(self, subset: Sequence[int]) -> np.ndarray:
        """Memberships that the subset is judged by; those of the last subset are kept."""
        if not self._refit or not len(subset):
            return self._on_all
        key = tuple(sorted(subset))
        if key != self._last[0]:
            self._last = key, self._estimate(key)
        return self._last[1]

    def _estimate(self, subset: tuple[int, ...], first: bool = False) -> np.ndarray:
        noise = self._noise
        X = self._columns[list(subset)].T
        noise._estimate(X, self._codes, len(self._classes), self._seed)
        if first:
            noise._warn_of_small_classes(self._codes, self._classes)
        if not self._warned_of_trouble:
            self._warned_of_trouble = noise._warn_of_trouble()
        return noise.memberships_


def warn_of_small_classes(memberships: np.ndarray, n_neighbors: int, slack: float) -> None:
    """Warn when k members are more than some class has."""
    total = memberships.sum(axis=0)
    small = int(np.sum((total > 0) & (total - 1 < n_neighbors - slack)))
    if small:
        warn_user(
            f"{plural(small, 'class', 'classes')} have no more than "
            f"n_neighbors={n_neighbors} rows; all other rows of the class are taken there "
            "instead."
        )


def _estimate_information(
    base: np.ndarray,
    extra: np.ndarray,
    sign: int,
    classes: SoftClasses,
    n_jobs: int | None = None,
) -> np.ndarray:
    """Information about the class with or without each column of ``extra``, (c,), in nats."""
    n, n_classes = classes.weights.shape
    k = classes.n_neighbors
    wanted = classes.weights > 0
    half_d = (len(base) + sign) / 2

    def compute_gains(rows: slice) -> np.ndarray:
        """What each row adds; the volume of the ball is in both entropies and cancels."""
        nearest, reached, mass = classes.find_neighborhoods(
            base, extra, sign, np.arange(rows.start, rows.stop), wanted=wanted, n_nearest=k
        )
        here = wanted[rows]
        radii = np.where(here, log_squares(reached), 0.0)
        members = np.where(here, digamma(mass) - classes.log_size[rows], 0.0)
        inside = np.sum(classes.weights[rows] * (members - half_d * radii), axis=2)
        return half_d * log_squares(nearest[..., None])[..., 0] + inside

    width = len(extra) * (2 * n_classes + 1)
    share = -(-n // effective_n_jobs(n_jobs)) * width
    parts = blocks(n, min(HELD, share), width=width)
    gains = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(compute_gains)(rows) for rows in parts
    )
    return digamma(n) - digamma(k) + np.concatenate(gains, axis=1).mean(axis=1)


def check_memberships(memberships: Any, n: int, n_classes: int | None = None) -> np.ndarray:
    """Return the probability of each class for each of ``n`` rows, or say what is wrong."""
    gamma = np.asarray(memberships, dtype=float)
    wide = gamma.ndim == 2 and gamma.shape[1] >= 2
    if not wide or len(gamma) != n or n_classes not in (None, gamma.shape[1]):
        columns = "two or more" if n_classes is None else n_classes
        raise ValueError(
            f"memberships must have a row for each of the {n} rows and a column for each class, "
            f"{columns}; the shape is {gamma.shape}."
        )
    # What is right, turned round: NaN is wrong by any comparison.
    wrong = ~((gamma >= 0).all(axis=1) & (np.abs(gamma.sum(axis=1) - 1) <= SUMS))
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise ValueError(
            f"memberships[{row}] = {gamma[row].tolist()} are not probabilities of the classes; "
            "none may be negative, and each row must sum to 1."
        )
    return gamma / gamma.sum(axis=1, keepdims=True)


def find_rows_with_density(memberships: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rows that can be judged, and their memberships in classes that have a density.

    A class needs one member besides each of its rows. Rows of a smaller one are left out, as a row
    alone in its class is; what other rows have of it goes to their other classes.
    """
    gamma = memberships
    rows = np.arange(len(memberships))
    while (thin := _find_thin(gamma)).any():
        lost = gamma[:, thin].sum(axis=1)
        gamma = gamma[lost <= 0.5]
        rows = rows[lost <= 0.5]
        gamma = np.where(thin, 0.0, gamma)
        gamma = gamma / gamma.sum(axis=1, keepdims=True)
    if np.count_nonzero(gamma.sum(axis=0) > LEAST) < 2:
        raise ValueError(
            "fewer than two classes have two rows or more, so that there is nothing to tell apart."
        )
    if len(rows) < len(memberships):
        warn_user(
            f"{plural(len(memberships) - len(rows), 'row')} alone in a class have no neighbour "
            "there and are left out of the estimate."
        )
    return rows, gamma


def _find_thin(memberships: np.ndarray) -> np.ndarray:
    """Classes whose heaviest row finds less than one other row there."""
    weights = np.where(memberships > LEAST, memberships, 0.0)
    total = weights.sum(axis=0)
    return (total > 0) & (total - weights.max(axis=0, initial=0.0) < 1 - ROUNDING)
