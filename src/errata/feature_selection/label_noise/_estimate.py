"""Memberships of rows: classes too small to be learnt are left alone, the others restarted."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from ..._format import listed
from ..._warn import warn_user
from ._densities import ClassDensities
from ._em import Belief, Search, believed_labels, search_memberships
from ._weighted_neighbors import NeighborhoodRule

LARGEST_START = 0.9  # of the error rate at which labels say nothing


class MembershipSettings(NamedTuple):
    """How memberships are looked for; the parameters of LabelNoiseMemberships."""

    rule: NeighborhoodRule
    init_error: float = 0.3
    n_init: int = 1
    max_iter: int = 50
    tol: float = 1e-3


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
    labels = believed_labels(codes, n_classes)
    if len(learnt) < 2:
        return MembershipEstimate(labels, [], converged=True, collapsed=False, frozen=frozen)
    rows = np.flatnonzero(np.isin(codes, learnt))
    found = _best_start(
        X[rows], np.searchsorted(learnt, codes[rows]), len(learnt), settings, random_state, n_jobs
    )
    best = _among_all(found.best, labels, rows, learnt)
    return MembershipEstimate(best, found.log_likelihood, found.converged, found.collapsed, frozen)


def _best_start(
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


def _among_all(found: Belief, labels: Belief, rows: np.ndarray, learnt: np.ndarray) -> Belief:
    """What was found for some rows and classes, in its place; the others keep their labels."""
    memberships, rates = labels.memberships.copy(), labels.error_rates.copy()
    memberships[np.ix_(rows, learnt)] = found.memberships
    rates[learnt] = found.error_rates
    return Belief(memberships, rates, memberships.mean(axis=0), found.log_likelihood)
