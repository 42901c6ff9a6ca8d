"""Expectation-maximisation of memberships, error rates and priors.

Densities are measured by neighbours that depend on the memberships, so that this is not a genuine
EM: the likelihood may fall, and to go on for long may empty a class. Hence a loop of its own
beside that of ``errata.tolerant``: it stops at the first rise that is too small, keeps the best
round and not the last, and throws away a round that leaves a class with too few members.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..._margins import without_own
from ...noise import NoiseModel
from ...tolerant.hidden_class._em import expectation


class Belief(NamedTuple):
    """What is believed after one round."""

    memberships: np.ndarray  # (n, K)
    error_rates: np.ndarray  # (K,)
    prior: np.ndarray  # (K,)
    log_likelihood: float  # of a row on average, given its label


class Search(NamedTuple):
    """The best round, and how it was found."""

    best: Belief
    log_likelihood: list[float]
    converged: bool
    collapsed: bool


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
    now = believed_labels(codes, len(error_rates))
    best, history = now, list[float]()
    now = now._replace(
        memberships=expectation(np.log(now.prior), _transition(error_rates), codes)[0],
        error_rates=error_rates,
    )
    for _ in range(max_iter):
        now = _round(densities(now.memberships), codes, now)
        if now.memberships.sum(axis=0).min() < least_members:
            return Search(best, history, converged=False, collapsed=True)
        history.append(now.log_likelihood)
        if now.log_likelihood > best.log_likelihood:
            best = now
        if len(history) > 1 and history[-1] - history[-2] < tol:
            return Search(best, history, converged=True, collapsed=False)
    return Search(best, history, converged=False, collapsed=False)


def believed_labels(codes: np.ndarray, n_classes: int) -> Belief:
    """Every label is right: where there is nothing to learn, or nothing was learnt."""
    prior = np.bincount(codes, minlength=n_classes) / len(codes)
    return Belief(np.eye(n_classes)[codes], np.zeros(n_classes), prior, -np.inf)


def _round(log_densities: np.ndarray, codes: np.ndarray, before: Belief) -> Belief:
    n, k = log_densities.shape
    frequency = np.bincount(codes, minlength=k) / n
    with np.errstate(invalid="ignore"):  # a row at which no class has a density
        gamma, log_p = expectation(
            log_densities + np.log(before.prior), _transition(before.error_rates), codes
        )
    nowhere = np.isneginf(log_p)
    gamma[nowhere] = np.eye(k)[codes[nowhere]]
    log_likelihood = float(np.mean(log_p - np.log(frequency[codes])))
    return Belief(gamma, error_rates(gamma, codes), gamma.mean(axis=0), log_likelihood)


def error_rates(memberships: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Fraction of each class that has another label, no more than pure chance would give."""
    total = memberships.sum(axis=0)
    wrong = without_own(memberships, codes).sum(axis=0)
    rates = np.divide(wrong, total, out=np.zeros_like(total), where=total > 0)
    return np.minimum(rates, 1 - 1 / len(total))


def _transition(error_rates: np.ndarray) -> np.ndarray:
    return NoiseModel.uniform(len(error_rates), error_rates).transition
