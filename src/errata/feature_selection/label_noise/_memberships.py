"""Whom rows belong to when labels are noisy: an EM on densities of neighbours.

Densities are measured by neighbours that depend on the memberships, so that this is not a genuine
EM: the likelihood may fall, and to go on for long may empty a class. Hence a loop of its own
beside that of ``errata.tolerant``: it stops at the first rise that is too small, keeps the best
round and not the last, and throws away a round that leaves a class with too few members.

Densities of soft classes come from neighbourhoods that hold k members. A row i belongs to class s
with membership gamma(s | i). Its neighbourhood in s grows until the memberships of the others in it
reach ``min(k, G_-i(s)) - slack``, where ``G_-i(s)`` is what all the others come to. From its radius
comes the density of the class. With hard labels this is the k-th nearest neighbour of the same
label.
"""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy.special import digamma, gammaln
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from ..._blocks import blocks
from ..._detector import DetectorMixin, drop_own_class, measure_doubt
from ..._format import join_names
from ..._kernels import kernels
from ..._validation import check_count, check_fraction, check_labelled
from ..._warn import warn_user
from ...noise import NoiseModel
from ...tolerant.hidden_class._base import compute_expectation
from .._distances import log_squares, prepare_columns

LARGEST_START = 0.9  # of the error rate at which labels say nothing
Search = tuple[np.ndarray, list[float], bool, bool]  # best, log-likelihoods, converged, collapsed

LISTED = 2**23  # neighbours that are kept at most, of all rows together

LEAST = 1e-6  # what a membership must exceed to count
ROUNDING = 1e-9  # sums of memberships that should be equal may differ by this


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
        Number of starts; the others draw the error rate of each class. The start with the largest
        log-likelihood is kept, which compares starts only loosely: more are seldom better.
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
        starts = np.full((self.n_init, n_classes), min(self.init_error, highest))
        random = check_random_state(random_state)
        starts[1:] = random.uniform(0, highest, size=(self.n_init - 1, n_classes))
        densities = ClassDensities(
            X, self.n_neighbors, self.slack, bool(self.self_count), n_jobs=self.n_jobs
        )
        searches = [
            search_memberships(
                densities,
                codes,
                start,
                # With two, every row of the class leaves one for the others' densities.
                least_members=max(self.n_neighbors, 2),
                max_iter=self.max_iter,
                tol=self.tol,
            )
            for start in starts
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
    least_members: float,
    max_iter: int,
    tol: float,
) -> Search:
    """Take turns between densities, memberships and rates, starting from these error rates.

    ``densities`` maps memberships to log-densities, both (n, K); every class has a label. Returns
    the memberships of the best round, the log-likelihood of a row after each round, and whether the
    search converged, or a class collapsed.
    """
    n_classes = len(error_rates)
    frequency = np.bincount(codes, minlength=n_classes) / len(codes)
    prior = frequency
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
