"""What is said of each worker: how often right, between which bounds, and where not."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.stats import beta

from .._settings import COVERAGE, MATRIX_NUMBERS, WORKER_PRIOR_VOTES
from ._incidence import Incidence
from ._noise_model import Annotators, mistakes_of
from ._votes import Votes


def describe_workers(
    votes: Votes, incidence: Incidence, annotators: Annotators, proba: np.ndarray, t: float
) -> list[dict[str, Any]]:
    """One dict for each worker, in the order of ``votes.workers``.

    ``worker``, ``n_votes``, ``accuracy`` with the bounds ``low`` and ``high``, ``agreement`` with
    the majority, ``worst``: the class taken most often for another, and that other; ``confusion``,
    P(vote | class) of shape (K, K), or None where that were too many numbers; ``guessing``: whether
    the votes may as well be drawn by lot.
    """
    n_votes = np.bincount(votes.worker, minlength=len(votes.workers))
    accuracy, low, high = worker_accuracies(incidence, annotators, proba, n_votes, t)
    agrees = votes.label == votes.majority[votes.item]
    agreement = np.bincount(votes.worker, weights=agrees, minlength=len(n_votes)) / n_votes
    guessing = low <= _by_guessing(votes, n_votes)
    worst, confusions = _worst(votes, incidence, annotators), _confusions(incidence, annotators)
    return [
        {
            "worker": votes.workers[w],
            "n_votes": int(n_votes[w]),
            "accuracy": float(accuracy[w]),
            "low": float(low[w]),
            "high": float(high[w]),
            "agreement": float(agreement[w]),
            "worst": next(worst),
            "confusion": next(confusions),
            "guessing": bool(guessing[w]),
        }
        for w in range(len(n_votes))
    ]


def worker_accuracies(
    incidence: Incidence, annotators: Annotators, proba: np.ndarray, n_votes: np.ndarray, t: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How often each worker is right, and bounds that hold nine tenths of what may be.

    Voters err on the same items, so n votes are worth t n / 2 of independent ones.
    """
    kappa = annotators.kappa_coin
    of_pairs = (incidence.of_pairs @ proba)[np.arange(len(incidence.label)), incidence.label]
    right = incidence.of_workers @ of_pairs
    accuracy = (right + kappa * annotators.mean_accuracy) / (n_votes + kappa)
    worth = t * n_votes / 2 + min(kappa, WORKER_PRIOR_VOTES)
    tails = np.array([(1 - COVERAGE) / 2, (1 + COVERAGE) / 2])[:, None]
    low, high = beta.ppf(tails, accuracy * worth, (1 - accuracy) * worth)
    return accuracy, low, high


def _by_guessing(votes: Votes, n_votes: np.ndarray) -> np.ndarray:
    """How often each worker were right who drew the same votes by lot."""
    return np.bincount(votes.worker, weights=votes.shares[votes.label]) / n_votes


def _worst(
    votes: Votes, incidence: Incidence, annotators: Annotators
) -> Iterator[tuple[Any, Any] | None]:
    """The class that each worker takes for another most often, and that other."""
    wrong = annotators.counts.copy()
    wrong[np.arange(len(wrong)), incidence.label] = 0
    for w in range(incidence.n_workers):
        own = wrong[incidence.pairs_of(w)]
        place, taken = np.unravel_index(own.argmax(), own.shape)
        if own[place, taken] < 0.5:  # not once, as far as we know
            yield None
        else:
            label = incidence.label[incidence.pairs_of(w)][place]
            yield votes.classes[taken], votes.classes[label]


def _confusions(incidence: Incidence, annotators: Annotators) -> Iterator[np.ndarray | None]:
    """P(vote | class) of each worker, (K, K)."""
    k = incidence.n_classes
    too_many = incidence.n_workers * k * k > MATRIX_NUMBERS
    mistakes, kappa = mistakes_of(annotators.shared), annotators.kappa_matrix
    for w in range(incidence.n_workers):
        if too_many:
            yield None
            continue
        theta, pairs = annotators.theta[w], incidence.pairs_of(w)
        matrix = kappa * ((1 - theta)[:, None] * mistakes + np.diag(theta))
        matrix[:, incidence.label[pairs]] += annotators.counts[pairs].T
        yield matrix / (annotators.totals[w] + kappa)[:, None]
