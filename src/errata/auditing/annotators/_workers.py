"""What is said of each worker: how often right, between which bounds, and where not."""

from typing import Any

import numpy as np
from scipy.stats import beta

from .._settings import COVERAGE, MATRIX_NUMBERS, WORKER_PRIOR_VOTES
from ._incidence import Incidence
from ._noise_model import Annotators, mistakes_of
from ._votes import Votes


def describe_workers(
    votes: Votes,
    first: np.ndarray,
    incidence: Incidence,
    annotators: Annotators,
    proba: np.ndarray,
    t: float,
) -> list[dict[str, Any]]:
    """One dict for each worker, in the order of ``votes.workers``.

    ``worker``, ``n_votes``, ``accuracy`` with the bounds ``low`` and ``high``, ``agreement`` with
    the majority, ``worst``: the class taken most often for another, and that other; ``confusion``,
    P(vote | class) of shape (K, K), or None where that were too many numbers; ``guessing``: whether
    the votes may as well be drawn by lot. Of workers who copy, the ``first`` speaks for all.
    """
    n_votes = np.bincount(votes.worker, minlength=len(votes.workers))
    accuracy, low, high = worker_accuracies(votes, annotators, proba, n_votes, t)
    agrees = votes.label == votes.majority[votes.item]
    agreement = np.bincount(votes.worker, weights=agrees, minlength=len(n_votes)) / n_votes
    guessing = low <= _by_guessing(votes, n_votes)
    return [
        {
            "worker": votes.workers[w],
            "n_votes": int(n_votes[w]),
            "accuracy": float(accuracy[w]),
            "low": float(low[w]),
            "high": float(high[w]),
            "agreement": float(agreement[w]),
            "worst": _worst(first[w], votes.classes, incidence, annotators),
            "confusion": _confusion(first[w], incidence, annotators),
            "guessing": bool(guessing[w]),
        }
        for w in range(len(n_votes))
    ]


def worker_accuracies(
    votes: Votes, annotators: Annotators, proba: np.ndarray, n_votes: np.ndarray, t: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How often each worker is right, and bounds that hold nine tenths of what may be.

    Voters err on the same items, so n votes are worth t n / 2 of independent ones.
    """
    kappa = annotators.kappa_coin
    right = np.bincount(votes.worker, weights=proba[votes.item, votes.label])
    accuracy = (right + kappa * annotators.mean_accuracy) / (n_votes + kappa)
    worth = t * n_votes / 2 + min(kappa, WORKER_PRIOR_VOTES)
    tails = np.array([(1 - COVERAGE) / 2, (1 + COVERAGE) / 2])[:, None]
    low, high = beta.ppf(tails, accuracy * worth, (1 - accuracy) * worth)
    return accuracy, low, high


def _by_guessing(votes: Votes, n_votes: np.ndarray) -> np.ndarray:
    """How often each worker were right who drew the same votes by lot."""
    return np.bincount(votes.worker, weights=votes.shares[votes.label]) / n_votes


def _worst(
    worker: int, classes: np.ndarray, incidence: Incidence, annotators: Annotators
) -> tuple[Any, Any] | None:
    """The class that a worker takes for another most often, and that other."""
    label = incidence.label[incidence.pairs_of(worker)]
    wrong = annotators.counts[incidence.pairs_of(worker)].copy()
    wrong[np.arange(len(label)), label] = 0
    pair, taken = np.unravel_index(wrong.argmax(), wrong.shape)
    if wrong[pair, taken] < 0.5:  # not once, as far as we know
        return None
    return classes[taken], classes[label[pair]]


def _confusion(worker: int, incidence: Incidence, annotators: Annotators) -> np.ndarray | None:
    """P(vote | class) of a worker, (K, K)."""
    if incidence.n_workers * incidence.n_classes**2 > MATRIX_NUMBERS:
        return None
    theta, pairs = annotators.theta[worker], incidence.pairs_of(worker)
    kappa = annotators.kappa_matrix
    mistakes = (1 - theta)[:, None] * mistakes_of(annotators.shared)
    matrix = kappa * (mistakes + np.diag(theta))
    matrix[:, incidence.label[pairs]] += annotators.counts[pairs].T
    return matrix / (annotators.totals[worker] + kappa)[:, None]
