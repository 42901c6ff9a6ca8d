"""Skill: whether workers agree at all, more often than their habits make them."""

import numpy as np

from .._settings import HABIT_VOTES, LEAST_SKILL
from ._incidence import Incidence
from ._votes import Votes


def agreement_z(votes: Votes, incidence: Incidence) -> float:
    """Agreement of votes on one item beyond chance, in standard errors; 0 without two votes.

    Two workers who draw their votes by lot agree in sum_l h_w(l) h_u(l) of the cases, where h are
    the shares of labels among a worker's other votes, drawn to the shares among all.
    """
    n = votes.n_votes
    several = np.flatnonzero(n > 1)
    if len(several) < 2:
        return 0.0
    agree = (votes.counts.astype(float) ** 2).sum(axis=1) - n
    by_chance = np.empty(len(n))
    for items, part in incidence.blocks():
        habits = _habits(votes, part)
        together = (incidence.by_item(habits, items) ** 2).sum(axis=1)
        by_chance[items] = together - incidence.by_item(habits**2, items).sum(axis=1)
    gain = ((agree - by_chance) / np.maximum(n * (n - 1), 1))[several]
    error = gain.std() / np.sqrt(len(gain))
    return float(gain.mean() / error) if error > 1e-12 else np.inf * np.sign(gain.mean())


def _habits(votes: Votes, part: slice) -> np.ndarray:
    """Shares of labels among the other votes of the worker of each vote, (V, K)."""
    n_workers, k = len(votes.workers), len(votes.classes)
    given = np.bincount(votes.worker * k + votes.label, minlength=n_workers * k)
    worker, label = votes.worker[part], votes.label[part]
    others = given.reshape(n_workers, k)[worker].astype(float)
    others[np.arange(len(label)), label] -= 1
    overall = np.bincount(votes.label, minlength=k) / len(votes)
    others += HABIT_VOTES * overall
    return others / others.sum(axis=1, keepdims=True)


def is_enough(z: float) -> bool:
    """Whether so much agreement is hardly chance."""
    return z >= LEAST_SKILL
