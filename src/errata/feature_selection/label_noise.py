"""Features and labels of which some are wrong: who belongs to which class, and what tells it.

Whom rows belong to is told by an EM on densities of neighbours, which depend on the memberships, so
that this is not a genuine EM: the likelihood may fall, and to go on for long may empty a class.
Hence a loop of its own beside that of ``errata.tolerant``: it stops at the first rise that is too
small, keeps the best round and not the last, and throws away a round that leaves a class with too
few members.

Densities of soft classes come from neighbourhoods that hold k members. A row i belongs to class s
with membership gamma(s | i). Its neighbourhood in s grows until the memberships of the others in it
reach ``min(k, G_-i(s)) - slack``, where ``G_-i(s)`` is what all the others come to. From its radius
comes the density of the class. With hard labels this is the k-th nearest neighbour of the same
label.

The mutual information of features and the class that hides behind noisy labels.
"""

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy.special import digamma, gammaln
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from .._blocks import blocks
from .._detector import DetectorMixin, drop_own_class, measure_doubt
from .._format import join_names, plural
from .._kernels import kernels
from .._neighbors import limit_neighbors
from .._random import draw_seed
from .._validation import check_count, check_fraction, check_labelled
from .._warn import warn_user
from ..noise import NoiseModel
from ..tolerant.hidden_class._base import compute_expectation
from ._distances import log_squares, prepare_columns

__all__ = ["LabelNoiseMemberships", "TolerantInformation", "tolerant_mutual_information"]


LARGEST_START = 0.9  # of the error rate at which labels say nothing
Search = tuple[np.ndarray, list[float], bool, bool]  # best, log-likelihoods, converged, collapsed

LISTED = 2**23  # neighbours that are kept at most, of all rows together

LEAST = 1e-6  # what a membership must exceed to count
ROUNDING = 1e-9  # sums of memberships that should be equal may differ by this

HELD = 2**20  # numbers that are held of a block of rows
SUMS = 1e-6  # by how much the memberships of a row may miss 1, as printed or 32-bit ones do


class LabelNoiseMemberships(DetectorMixin, BaseEstimator):
    """Find out whom rows belong to, and how often each class is mislabelled, from neighbours.

    Each label is a noisy copy of a hidden class, and each class has a density that is measured by
    its nearest members, whatever its shape. An EM takes turns between the two. Reach for it where
    classes are clusters of any form in a few meaningful features, or before mutual information is
    estimated from noisy labels. It assumes that a wrong label is any of the others alike. Not for
    many features that say nothing (distances drown in them), nor for errors that gather where
    classes overlap, which mostly escape it. Costs O(n² d) to put neighbours in
    order once, and much less for each of five to ten rounds; memory for 8 million neighbours in
    all, and with Numba 2 kB for each row.

    Parameters
    ----------
    n_neighbors : int, default=3
        k: members of a class that measure its density. More is smoother, and lets large classes
        absorb small ones; labels that k rows or fewer have are believed.
    init_error : float in [0, 1], default=0.3
        Error rate that the search starts from, cut to 0.9 of (K - 1) / K, at which labels of K
        classes say nothing.
    n_init : int, default=1
        Number of starts; the others draw the error rate and the prior of each class. The start
        with the largest log-likelihood is kept, which compares starts only loosely: more are seldom
        better.
    max_iter : int, default=50
        Maximum number of rounds.
    tol : float, default=1e-3
        Stop when the log-likelihood of a row rises by less in a round, or falls. Smaller is not
        better: long searches drive error rates to 0 or empty a class.
    slack : float in [0, 1], default=0.5
        How much less than k members make a neighbourhood. With 0, memberships of 0.999 instead of
        1 ask for one row more.
    self_count : bool, default=False
        Count each row as its own first neighbour; with ``slack=0`` this is [1]_ to the letter. A
        row then votes for its own label, and error rates come out too low.
    standardize : bool, default=True
        Give every feature mean 0 and deviation 1 first.
    jitter : float, default=1e-3
        Deviation of the noise that is added then, so that equal rows have a distance. 0 adds none,
        and copies of a row are refused.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it; 0.5 unless ``contamination`` is given.
    contamination : float or "estimate", optional
        Flag this fraction of the rows instead, the most suspicious first; "estimate" takes as many
        as the memberships say are wrong, the sum of the suspicions.
    n_jobs : int, optional
        Number of threads, -1 for all.
    random_state : int, RandomState or None, default=None
        Decides on the jitter and on further starts.

    Attributes
    ----------
    memberships_ : array of shape (n, K)
        gamma: P(class | features, label) of each row, by this model.
    label_confidence_ : array of shape (n,)
        Membership of each row in the class of its label.
    suspicion_ : array of shape (n,)
        One minus that: the probability that the label is wrong as far as the model is right. It is
        not calibrated: densities of three neighbours are rough and their ratio grows with the
        number of features, so that most values are next to 0 or 1, and surer than they should be.
    flagged_ : array of bool of shape (n,)
        The rows to look at.
    suggested_ : array of shape (n,)
        The class of the largest membership where a row is flagged, its own label elsewhere.
    error_rates_ : array of shape (K,)
        Fraction of each class that has another label.
    class_prior_ : array of shape (K,)
        Fraction of each class.
    log_likelihood_ : list of float
        Mean log-density of the features given the labels, in each round. It may fall.
    n_iter_ : int
        Number of rounds; 0 when fewer than two classes could be learnt.
    converged_ : bool
        Whether the search ended by ``tol``.
    classes_ : array of shape (K,)
        The distinct labels.
    n_features_in_ : int
        Number of features seen in ``fit``.

    See Also
    --------
    errata.tolerant.RobustDiscriminantAnalysis : the same model with Gaussian classes.

    Notes
    -----
    A round measures, with ``G_-i(s)`` the memberships in s of all rows but i, the log-density
    ``l(i, s) = psi(C) - psi(G_-i(s) + 1) - log(c_d eps^d)``, eps being the diameter of the smallest
    ball around row i that holds ``C >= min(k, G_-i(s)) - slack`` of them. Then (equations 26, 28
    and 29 of [1]_) ``gamma(s|i)`` is proportional to ``exp(l(i, s)) P(y_i|s) prior[s]``, where
    ``P(y|s)`` is one minus the error rate of s if y = s and else the rate over K - 1; error rates
    and priors are those of rows that are of class s ``gamma(s|i)`` times.

    As densities depend on the memberships it is not a genuine EM, and the best round is returned,
    not the last. A round that leaves fewer than k rows of a class ends the search. A true error
    survives only where its class is ``1 / error rate`` times denser than that of the label.

    References
    ----------
    .. [1] Frénay, Doquire and Verleysen. Estimating mutual information for feature selection in
       the presence of label noise. Computational Statistics and Data Analysis 71, 2014.

    Examples
    --------
    A fifth of the wine's labels are changed:

    >>> from sklearn.datasets import load_wine
    >>> from errata.feature_selection import LabelNoiseMemberships
    >>> from errata.noise import flip_labels
    >>> X, y = load_wine(return_X_y=True)
    >>> labels, wrong = flip_labels(y, 0.2, exact=True, random_state=0)
    >>> noise = LabelNoiseMemberships(random_state=0).fit(X, labels)
    >>> noise.error_rates_.round(2)
    array([0.2 , 0.18, 0.23])
    >>> int(wrong.sum()), int(noise.flagged_.sum()), int((noise.flagged_ & wrong).sum())
    (36, 35, 34)
    """

    def __init__(
        self,
        n_neighbors: int = 3,
        *,
        init_error: float = 0.3,
        n_init: int = 1,
        max_iter: int = 50,
        tol: float = 1e-3,
        slack: float = 0.5,
        self_count: bool = False,
        standardize: bool = True,
        jitter: float = 1e-3,
        threshold: float | None = None,
        contamination: float | str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.init_error = init_error
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.slack = slack
        self.self_count = self_count
        self.standardize = standardize
        self.jitter = jitter
        self.threshold = threshold
        self.contamination = contamination
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Estimate memberships, error rates and suspicions.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Features.
        y : array-like of shape (n,)
            Labels, of two classes at least.
        """
        X, codes = check_labelled(self, X, y, min_classes=2, dtype=float, order="C")
        self._check_params()
        random = check_random_state(self.random_state)
        X = prepare_columns(
            X, standardize=self.standardize, jitter=self.jitter, random_state=random
        )
        self._estimate(X, codes, len(self.classes_), random)
        self._warn_of_small_classes(codes, self.classes_)
        self._warn_of_trouble()
        self.label_confidence_ = self.memberships_[np.arange(len(codes)), codes]
        suspicion = measure_doubt(self.memberships_, codes)
        self._conclude(suspicion, codes, self.memberships_.argmax(axis=1), probability=True)
        return self

    def _check_params(self) -> None:
        # A row that is its own first neighbour needs another one to have a radius.
        check_count("n_neighbors", self.n_neighbors, low=2 if self.self_count else 1)
        check_fraction("slack", self.slack)
        check_fraction("init_error", self.init_error)
        check_count("n_init", self.n_init)
        check_count("max_iter", self.max_iter)
        check_fraction("tol", self.tol, high=np.inf)
        check_fraction("jitter", self.jitter, high=np.inf)

    def _estimate(
        self, X: np.ndarray, codes: np.ndarray, n_classes: int, random_state: Any
    ) -> None:
        """Learn what prepared rows tell; classes that are too small keep their labels."""
        self.memberships_ = np.eye(n_classes)[codes]
        self.error_rates_ = np.zeros(n_classes)
        self.log_likelihood_ = list[float]()
        self.converged_ = True
        self._collapsed = False
        learnt = np.flatnonzero(np.bincount(codes, minlength=n_classes) > self.n_neighbors)
        if len(learnt) > 1:
            rows = np.flatnonzero(np.isin(codes, learnt))
            own = np.searchsorted(learnt, codes[rows])
            best, self.log_likelihood_, self.converged_, self._collapsed = self._search_from_starts(
                X[rows], own, len(learnt), random_state
            )
            self.memberships_[np.ix_(rows, learnt)] = best
            self.error_rates_[learnt] = estimate_error_rates(best, own)
        self.class_prior_ = self.memberships_.mean(axis=0)
        self.n_iter_ = len(self.log_likelihood_)

    def _search_from_starts(
        self, X: np.ndarray, codes: np.ndarray, n_classes: int, random_state: Any
    ) -> Search:
        """The start whose best round is the likeliest, the first of equals."""
        highest = LARGEST_START * (1 - 1 / n_classes)
        rates = np.full((self.n_init, n_classes), min(self.init_error, highest))
        priors = np.tile(np.bincount(codes, minlength=n_classes) / len(codes), (self.n_init, 1))
        random = check_random_state(random_state)
        rates[1:] = random.uniform(0, highest, size=(self.n_init - 1, n_classes))
        priors[1:] = random.dirichlet(np.ones(n_classes), size=self.n_init - 1)
        densities = ClassDensities(
            X, self.n_neighbors, self.slack, bool(self.self_count), n_jobs=self.n_jobs
        )
        searches = [
            search_memberships(
                densities,
                codes,
                start,
                prior=prior,
                # With two, every row of the class leaves one for the others' densities.
                least_members=max(self.n_neighbors, 2),
                max_iter=self.max_iter,
                tol=self.tol,
            )
            for start, prior in zip(rates, priors, strict=True)
        ]
        return max(searches, key=lambda found: max(found[1], default=-np.inf))

    def _warn_of_small_classes(self, codes: np.ndarray, classes: np.ndarray) -> None:
        sizes = np.bincount(codes, minlength=len(classes))
        small = (sizes > 0) & (sizes <= self.n_neighbors)
        if small.any():
            names = join_names(map(repr, classes[small].tolist()), most=5)
            warn_user(
                f"no more than n_neighbors={self.n_neighbors} rows have the label {names}, too few "
                "to tell which are wrong; these labels are believed."
            )

    def _warn_of_trouble(self) -> bool:
        """Say that the search was cut short, if it was; return whether."""
        if self._collapsed:
            warn_user(
                "a class was losing nearly all of its rows, so that the search for memberships "
                "ended there and the best round before is kept; try fewer features, or a smaller "
                "init_error.",
                ConvergenceWarning,
            )
        elif not self.converged_:
            warn_user(
                f"memberships had not settled after max_iter={self.n_iter_} rounds, "
                "and the best round is kept; raise max_iter or tol.",
                ConvergenceWarning,
            )
        return self._collapsed or not self.converged_

    def __sklearn_tags__(self) -> Any:
        """Declare that labels are needed."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def estimate_error_rates(memberships: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Fraction of each class that has another label, no more than pure chance would give."""
    total = memberships.sum(axis=0)
    wrong = drop_own_class(memberships, codes).sum(axis=0)
    rates = np.divide(wrong, total, out=np.zeros_like(total), where=total > 0)
    return np.minimum(rates, 1 - 1 / len(total))


def search_memberships(
    densities: Callable[[np.ndarray], np.ndarray],
    codes: np.ndarray,
    error_rates: np.ndarray,
    *,
    prior: np.ndarray | None = None,
    least_members: float,
    max_iter: int,
    tol: float,
) -> Search:
    """Take turns between densities, memberships and rates, starting from these error rates.

    ``densities`` maps memberships to log-densities, both (n, K); every class has a label, and the
    ``prior`` to start from is that of the labels unless another is given. Returns
    the memberships of the best round, the log-likelihood of a row after each round, and whether the
    search converged, or a class collapsed.
    """
    n_classes = len(error_rates)
    frequency = np.bincount(codes, minlength=n_classes) / len(codes)
    prior = frequency if prior is None else prior
    gamma, _ = compute_expectation(np.log(prior), _make_transition(error_rates), codes)
    best = np.eye(n_classes)[codes]
    history = list[float]()
    for _ in range(max_iter):
        log_densities = densities(gamma)
        with np.errstate(invalid="ignore"):  # a row at which no class has a density
            gamma, log_p = compute_expectation(
                log_densities + np.log(prior), _make_transition(error_rates), codes
            )
        nowhere = np.isneginf(log_p)
        gamma[nowhere] = np.eye(n_classes)[codes[nowhere]]
        if gamma.sum(axis=0).min() < least_members:
            return best, history, False, True
        history.append(float(np.mean(log_p - np.log(frequency[codes]))))
        if history[-1] > max(history[:-1], default=-np.inf):
            best = gamma
        if len(history) > 1 and history[-1] - history[-2] < tol:
            return best, history, True, False
        error_rates = estimate_error_rates(gamma, codes)
        prior = gamma.mean(axis=0)
    return best, history, False, False


def _make_transition(error_rates: np.ndarray) -> np.ndarray:
    return NoiseModel.uniform(len(error_rates), error_rates).transition


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
        """The gain of each row; the volume of the ball is in both entropies and cancels."""
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
