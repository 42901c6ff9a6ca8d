"""Simulated crowds, and the few numbers that tests ask of what is found."""

from typing import NamedTuple

import numpy as np

from errata.auditing.votes import Votes, read_votes


class Crowd(NamedTuple):
    """Votes whose truth is known."""

    votes: Votes
    classes: np.ndarray  # (N,), codes
    matrices: np.ndarray  # (W, K, K)


def workers_right(accuracies, n_classes):
    """Matrices of workers who are right that often, and make all mistakes alike."""
    accuracies = np.asarray(accuracies)[:, None, None]
    wrong = (1 - accuracies) / (n_classes - 1)
    return np.where(np.eye(n_classes, dtype=bool), accuracies, wrong)


def draw_votes(random, classes, matrices, n_votes):
    """Items, workers and labels; each item is seen by so many workers, drawn by lot."""
    n, n_workers = len(classes), len(matrices)
    worker = random.random((n, n_workers)).argsort(axis=1)[:, :n_votes].ravel()
    item = np.repeat(np.arange(n), n_votes)
    rows = matrices[worker, classes[item]].cumsum(axis=1)
    label = (random.random(len(item))[:, None] > rows).sum(axis=1)
    return item, worker, np.minimum(label, matrices.shape[1] - 1)


def make_crowd(seed, *, n=1000, n_workers=30, n_votes=5, n_classes=3, shares=None):
    """Workers whose accuracies are drawn from Beta(6, 3), and independent votes."""
    random = np.random.default_rng(seed)
    classes = random.choice(n_classes, n, p=shares)
    matrices = workers_right(random.beta(6, 3, n_workers), n_classes)
    columns = draw_votes(random, classes, matrices, n_votes)
    return Crowd(read_votes(columns, classes=np.arange(n_classes)), classes, matrices)


def by_matrices(crowd):
    """The most probable classes for somebody who knows how everybody votes, (N,)."""
    logs = np.zeros((len(crowd.classes), len(crowd.votes.classes)))
    each = np.log(crowd.matrices[crowd.votes.worker, :, crowd.votes.label])
    np.add.at(logs, crowd.votes.item, each)
    return logs.argmax(axis=1)


def calibration_error(proba, classes, bins=10):
    """Mean distance of how sure one is and how often right, in bins of equal width."""
    sure, right = proba.max(axis=1), proba.argmax(axis=1) == classes
    bin_of = np.minimum((bins * sure).astype(int), bins - 1)
    sums = np.bincount(bin_of, weights=sure - right, minlength=bins)
    return float(np.abs(sums).sum() / len(sure))
