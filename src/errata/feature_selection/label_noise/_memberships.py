"""Whom rows belong to when labels are noisy: an EM on densities of neighbours.

Densities are measured by neighbours that depend on the memberships, so that this is not a genuine
EM: the likelihood may fall, and to go on for long may empty a class. Hence a loop of its own
beside that of ``errata.tolerant``: it stops at the first rise that is too small, keeps the best
round and not the last, and throws away a round that leaves a class with too few members.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from ..._detector import DetectorMixin, drop_own_class, measure_doubt
from ..._format import listed
from ..._validation import check_count, check_fraction, check_labelled
from ..._warn import warn_user
from ...noise import NoiseModel
from ...tolerant.hidden_class._base import compute_expectation
from .._distances import prepare_columns
from ._densities import ClassDensities, NeighborhoodRule

LARGEST_START = 0.9  # of the error rate at which labels say nothing


class MembershipSettings(NamedTuple):
    """How memberships are looked for; the parameters of LabelNoiseMemberships."""

    rule: NeighborhoodRule
    init_error: float = 0.3
    n_init: int = 1
    max_iter: int = 50
    tol: float = 1e-3


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
        settings = self._settings()
        jitter = check_fraction("jitter", self.jitter, high=np.inf)
        random = check_random_state(self.random_state)
        X = prepare_columns(X, standardize=self.standardize, jitter=jitter, random_state=random)
        found = estimate_memberships(
            X, codes, len(self.classes_), settings, random_state=random, n_jobs=self.n_jobs
        )
        found.warn_of_small_classes(self.classes_, settings.rule)
        found.warn_of_trouble()
        self.memberships_, self.error_rates_, self.class_prior_, _ = found.best
        self.log_likelihood_ = found.log_likelihood
        self.converged_ = found.converged
        self.n_iter_ = len(found.log_likelihood)
        self.label_confidence_ = self.memberships_[np.arange(len(codes)), codes]
        suspicion = measure_doubt(self.memberships_, codes)
        self._conclude(suspicion, codes, self.memberships_.argmax(axis=1), probability=True)
        return self

    def _settings(self) -> MembershipSettings:
        """The parameters, checked."""
        self_count = bool(self.self_count)
        # A row that is its own first neighbour needs another one to have a radius.
        k = check_count("n_neighbors", self.n_neighbors, low=2 if self_count else 1)
        return MembershipSettings(
            NeighborhoodRule(k, check_fraction("slack", self.slack), self_count),
            check_fraction("init_error", self.init_error),
            check_count("n_init", self.n_init),
            check_count("max_iter", self.max_iter),
            check_fraction("tol", self.tol, high=np.inf),
        )

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


class Belief(NamedTuple):
    """What is believed after one round."""

    memberships: np.ndarray  # (n, K)
    error_rates: np.ndarray  # (K,)
    prior: np.ndarray  # (K,)
    log_likelihood: float  # of a row on average, given its label


class MembershipEstimate(NamedTuple):
    """The best round of the best start, and what should be known of it."""

    best: Belief
    log_likelihood: list[float]
    converged: bool
    collapsed: bool
    frozen: np.ndarray  # (K,): classes that were too small to be learnt

    def warn_of_small_classes(self, classes: np.ndarray, rule: NeighborhoodRule) -> None:
        """Say which labels are believed because there are too few of them."""
        if self.frozen.any():
            names = listed(map(repr, classes[self.frozen].tolist()), most=5)
            warn_user(
                f"no more than n_neighbors={rule.n_neighbors} rows have the label {names}, too few "
                "to tell which are wrong; these labels are believed."
            )

    def warn_of_trouble(self) -> bool:
        """Say that the search was cut short, if it was; return whether."""
        if self.collapsed:
            warn_user(
                "a class was losing nearly all of its rows, so that the search for memberships "
                "ended there and the best round before is kept; try fewer features, or a smaller "
                "init_error.",
                ConvergenceWarning,
            )
        elif not self.converged:
            warn_user(
                f"memberships had not settled after max_iter={len(self.log_likelihood)} rounds, "
                "and the best round is kept; raise max_iter or tol.",
                ConvergenceWarning,
            )
        return self.collapsed or not self.converged


def estimate_memberships(
    X: np.ndarray,
    codes: np.ndarray,
    n_classes: int,
    settings: MembershipSettings,
    *,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> MembershipEstimate:
    """Memberships of rows whose labels have these codes."""
    sizes = np.bincount(codes, minlength=n_classes)
    learnt = np.flatnonzero(sizes > settings.rule.n_neighbors)
    frozen = (sizes > 0) & (sizes <= settings.rule.n_neighbors)
    labels = keep_labels(codes, n_classes)
    if len(learnt) < 2:
        return MembershipEstimate(labels, [], converged=True, collapsed=False, frozen=frozen)
    rows = np.flatnonzero(np.isin(codes, learnt))
    found = _find_best_start(
        X[rows], np.searchsorted(learnt, codes[rows]), len(learnt), settings, random_state, n_jobs
    )
    best = _expand_to_all(found.best, labels, rows, learnt)
    return MembershipEstimate(best, found.log_likelihood, found.converged, found.collapsed, frozen)


class Search(NamedTuple):
    """The best round, and how it was found."""

    best: Belief
    log_likelihood: list[float]
    converged: bool
    collapsed: bool


def _find_best_start(
    X: np.ndarray,
    codes: np.ndarray,
    n_classes: int,
    settings: MembershipSettings,
    random_state: Any,
    n_jobs: int | None,
) -> Search:
    """The start whose best round is the likeliest, the first of equals."""
    highest = LARGEST_START * (1 - 1 / n_classes)
    starts = np.full((settings.n_init, n_classes), min(settings.init_error, highest))
    random = check_random_state(random_state)
    starts[1:] = random.uniform(0, highest, size=(settings.n_init - 1, n_classes))
    densities = ClassDensities(X, settings.rule, n_jobs=n_jobs)
    searches = [
        search_memberships(
            densities,
            codes,
            start,
            # With two, every row of the class leaves one for the others' densities.
            least_members=max(settings.rule.n_neighbors, 2),
            max_iter=settings.max_iter,
            tol=settings.tol,
        )
        for start in starts
    ]
    return max(searches, key=lambda search: search.best.log_likelihood)


def _expand_to_all(found: Belief, labels: Belief, rows: np.ndarray, learnt: np.ndarray) -> Belief:
    """What was found for some rows and classes, in its place; the others keep their labels."""
    memberships = labels.memberships.copy()
    rates = labels.error_rates.copy()
    memberships[np.ix_(rows, learnt)] = found.memberships
    rates[learnt] = found.error_rates
    return Belief(memberships, rates, memberships.mean(axis=0), found.log_likelihood)


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

    ``densities`` maps memberships to log-densities, both (n, K); every class has a label.
    """
    now = keep_labels(codes, len(error_rates))
    best = now
    history = list[float]()
    now = now._replace(
        memberships=compute_expectation(np.log(now.prior), _make_transition(error_rates), codes)[0],
        error_rates=error_rates,
    )
    for _ in range(max_iter):
        now = _run_round(densities(now.memberships), codes, now)
        if now.memberships.sum(axis=0).min() < least_members:
            return Search(best, history, converged=False, collapsed=True)
        history.append(now.log_likelihood)
        if now.log_likelihood > best.log_likelihood:
            best = now
        if len(history) > 1 and history[-1] - history[-2] < tol:
            return Search(best, history, converged=True, collapsed=False)
    return Search(best, history, converged=False, collapsed=False)


def keep_labels(codes: np.ndarray, n_classes: int) -> Belief:
    """Every label is right: where there is nothing to learn, or nothing was learnt."""
    prior = np.bincount(codes, minlength=n_classes) / len(codes)
    return Belief(np.eye(n_classes)[codes], np.zeros(n_classes), prior, -np.inf)


def _run_round(log_densities: np.ndarray, codes: np.ndarray, before: Belief) -> Belief:
    n, k = log_densities.shape
    frequency = np.bincount(codes, minlength=k) / n
    with np.errstate(invalid="ignore"):  # a row at which no class has a density
        gamma, log_p = compute_expectation(
            log_densities + np.log(before.prior), _make_transition(before.error_rates), codes
        )
    nowhere = np.isneginf(log_p)
    gamma[nowhere] = np.eye(k)[codes[nowhere]]
    log_likelihood = float(np.mean(log_p - np.log(frequency[codes])))
    return Belief(gamma, estimate_error_rates(gamma, codes), gamma.mean(axis=0), log_likelihood)


def _make_transition(error_rates: np.ndarray) -> np.ndarray:
    return NoiseModel.uniform(len(error_rates), error_rates).transition
