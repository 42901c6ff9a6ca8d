"""The noise model of annotators: how each of them votes, given the class of an item.

Every worker has a matrix P(vote | class). Its prior is what workers have in common, bent to how
often this one is right; how far workers keep to it is learnt, too:

- ``kappa_coin`` says how alike workers are in how often they are right,
- ``kappa_matrix`` how alike they are in which classes they take for which. Where it is infinite,
  a worker is one number; where it is 0, nothing but his own votes tell his matrix (Dawid and
  Skene, 1979).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import expit, gammaln, logit

from .._settings import (
    KAPPAS,
    SHARED_DIAGONAL,
    SHARED_FLOOR,
    SHARED_OFF,
    SHARED_SHAPE,
)
from ._incidence import Incidence

LEAST_ACCURACY = 1e-3  # nobody is always right or always wrong


class Annotators(NamedTuple):
    """W workers and what they have in common; rows of P pairs of worker and label."""

    counts: np.ndarray  # (P, K), votes of each pair on items of each class, in expectation
    totals: np.ndarray  # (W, K), votes of each worker on items of each class
    theta: np.ndarray  # (W, K), P(vote = class | class) before the worker's own votes
    prior: np.ndarray  # (P, K), P(label of the pair | class) before them
    kappa_coin: float
    kappa_matrix: float
    accuracy: np.ndarray  # (W,), of each worker, drawn to that of the others
    mean_accuracy: float  # of workers
    shared: np.ndarray  # (K, K), P(vote | class) of an ordinary worker


class Kappas(NamedTuple):
    """What is known of the kappas: both to be searched for, near the last ones, or fixed."""

    coin: float | None = None
    matrix: float | None = None
    fixed: bool = False


def fit_annotators(
    incidence: Incidence, q: np.ndarray, kappas: Kappas, shape: float = SHARED_SHAPE
) -> Annotators:
    """Fit workers to the classes that items probably have, ``q`` of shape (N, K)."""
    counts = incidence.of_pairs @ q
    totals = incidence.of_workers @ counts
    right = incidence.of_workers @ counts[np.arange(len(counts)), incidence.label]
    votes = totals.sum(axis=1)
    overall = float(_inside(right.sum() / votes.sum()))
    shared = shared_matrix(_summed(incidence, counts), overall, shape)
    mean = float(_inside(np.mean((right + 2 * overall) / (votes + 2))))
    coin = _largest(
        lambda kappa: beta_binomial(right, votes, mean, kappa), kappas.coin, kappas.fixed
    )
    accuracy = _inside((right + coin * mean) / (votes + coin))
    theta = bent(shared, accuracy, overall)
    prior = prior_of_pairs(incidence, theta, shared)
    matrix = _largest(
        lambda kappa: dirichlet_multinomial(counts, totals, prior, kappa),
        kappas.matrix,
        kappas.fixed,
    )
    return Annotators(counts, totals, theta, prior, coin, matrix, accuracy, mean, shared)


def _inside(p: np.ndarray) -> np.ndarray:
    return np.clip(p, LEAST_ACCURACY, 1 - LEAST_ACCURACY)


def _summed(incidence: Incidence, counts: np.ndarray) -> np.ndarray:
    """Votes of all workers by class and label, (K, K)."""
    k = incidence.n_classes
    return np.stack(
        [np.bincount(incidence.label, weights=column, minlength=k) for column in counts.T]
    )


def shared_matrix(summed: np.ndarray, accuracy: float, shape: float = SHARED_SHAPE) -> np.ndarray:
    """P(vote | class) of an ordinary worker, (K, K).

    Part of the way, as a geometric mean, from one coin, by which all mistakes are alike, to the
    rows of what was counted.
    """
    k = len(summed)
    rows = summed + SHARED_DIAGONAL * np.eye(k) + SHARED_OFF / k
    rows = (1 - SHARED_FLOOR) * rows / rows.sum(axis=1, keepdims=True) + SHARED_FLOOR / k
    coin = np.full((k, k), (1 - accuracy) / (k - 1))
    np.fill_diagonal(coin, accuracy)
    mixed = rows**shape * coin ** (1 - shape)
    return mixed / mixed.sum(axis=1, keepdims=True)


def bent(shared: np.ndarray, accuracy: np.ndarray, overall: float) -> np.ndarray:
    """How often each worker is right about each class, before his own votes on it; (W, K).

    theta_wc = expit(logit M_cc + logit a_w - logit A).
    """
    return expit(logit(np.diag(shared)) + (logit(accuracy) - logit(overall))[:, None])


def mistakes_of(shared: np.ndarray) -> np.ndarray:
    """P(vote | class, the vote is wrong) of an ordinary worker, (K, K); the diagonal is 0."""
    wrong = shared - np.diag(np.diag(shared))
    return wrong / wrong.sum(axis=1, keepdims=True)


def prior_of_pairs(incidence: Incidence, theta: np.ndarray, shared: np.ndarray) -> np.ndarray:
    """The matrix of each worker before his own votes, at the pairs of worker and label; (P, K)."""
    theta = theta[incidence.worker]
    prior = (1 - theta) * mistakes_of(shared).T[incidence.label]
    own = np.arange(len(theta)), incidence.label
    prior[own] = theta[own]
    return prior


def beta_binomial(right: np.ndarray, votes: np.ndarray, mean: float, kappa: float) -> float:
    """Log-likelihood of how often workers are right, but for what kappa does not change."""
    a, b = kappa * mean, kappa * (1 - mean)
    of_each = gammaln(right + a) + gammaln(votes - right + b) - gammaln(votes + kappa)
    return float(of_each.sum() + len(votes) * (gammaln(kappa) - gammaln(a) - gammaln(b)))


def dirichlet_multinomial(
    counts: np.ndarray, totals: np.ndarray, prior: np.ndarray, kappa: float
) -> float:
    """Log-likelihood of what workers vote, given the class, but for what kappa does not change."""
    a = kappa * prior
    of_pairs = gammaln(counts + a) - gammaln(a)
    of_rows = gammaln(totals + kappa) - gammaln(kappa)
    return float(of_pairs.sum() - of_rows.sum())


def _largest(likelihood: Callable[[float], float], last: float | None, fixed: bool) -> float:
    """The kappa of largest likelihood; beside the last one, once there is one."""
    if fixed and last is not None:
        return last
    tried = KAPPAS
    if last is not None:
        at = int(np.searchsorted(KAPPAS, last))
        tried = KAPPAS[max(at - 1, 0) : at + 2]
    return float(tried[int(np.argmax([likelihood(kappa) for kappa in tried]))])
