"""Skill: whether votes on one item have to do with each other, beyond the habits of workers."""

import numpy as np

from .._settings import HABIT_VOTES, LEAST_SKILL
from ._incidence import Incidence
from ._votes import Votes


def agree_beyond_chance(votes: Votes, incidence: Incidence) -> bool:
    """Whether votes on one item agree more often than workers make them who vote by lot.

    A worker who turns everything around agrees less often, and hides that the others agree. So it
    is looked at in two ways: plainly, and with such workers turned back, which of them these are
    being learnt from other items.
    """
    everybody = np.ones(len(votes))
    excess = _excess(votes, incidence, everybody)
    signs = _signs(votes, excess)
    tests = (excess, _excess(votes, incidence, signs))
    return any(_z(votes, each) >= LEAST_SKILL for each in tests)


def _excess(votes: Votes, incidence: Incidence, signs: np.ndarray) -> np.ndarray:
    """How much more each vote agrees with the others of its item than by chance, (V,).

    Two workers who vote by lot agree in h_w . h_u of the cases, where h are the shares of labels
    among the other votes of a worker. Where signs of two votes differ, agreement counts against.
    """
    excess = np.empty(len(votes))
    for items, part in incidence.blocks():
        label, sign = votes.label[part], signs[part, None]
        habits = _habits(votes, part)
        given = np.zeros_like(habits)
        given[np.arange(len(label)), label] = 1
        at = votes.item[part] - items.start
        others = incidence.by_item(sign * given, items)[at] - sign * given
        by_chance = incidence.by_item(sign * habits, items)[at] - sign * habits
        excess[part] = (sign * (given * others - habits * by_chance)).sum(axis=1)
    return excess


def _habits(votes: Votes, part: slice) -> np.ndarray:
    """Shares of labels among the other votes of the worker of each vote, (V, K)."""
    n_workers, k = len(votes.workers), len(votes.classes)
    given = np.bincount(votes.worker * k + votes.label, minlength=n_workers * k)
    worker, label = votes.worker[part], votes.label[part]
    others = given.reshape(n_workers, k)[worker].astype(float)
    others[np.arange(len(label)), label] -= 1
    others += HABIT_VOTES * np.bincount(votes.label, minlength=k) / len(votes)
    return others / others.sum(axis=1, keepdims=True)


def _signs(votes: Votes, excess: np.ndarray) -> np.ndarray:
    """1 for votes of workers who agree with others, -1 of those who do not, by other items; (V,).

    Items are dealt out by turns, the even ones judged by the odd ones and the other way round.
    """
    signs = np.empty(len(votes))
    odd = votes.item % 2 == 1
    for half in (odd, ~odd):
        sums = np.bincount(votes.worker, weights=excess * ~half, minlength=len(votes.workers))
        signs[half] = np.where(sums[votes.worker[half]] < 0, -1, 1)
    return signs


def _z(votes: Votes, excess: np.ndarray) -> float:
    """The mean excess of items with several votes, in standard errors; 0 without two of them."""
    n = votes.n_votes
    several = n > 1
    if several.sum() < 2:
        return 0.0
    sums = np.bincount(votes.item, weights=excess, minlength=len(n))[several]
    gain = sums / (n * (n - 1))[several]
    error = gain.std() / np.sqrt(len(gain))
    if error > 1e-12:
        return float(gain.mean() / error)
    return np.inf if gain.mean() > 1e-12 else 0.0
