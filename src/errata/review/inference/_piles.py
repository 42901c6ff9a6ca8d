"""Piles: rows drawn with known probabilities, so that verdicts on them speak for the others.

The *calibration pile* is drawn one row after the other, without replacement, alternating between
suspects and the other rows. Within either the next row is drawn with a probability proportional to

    (1 - TELLING) / rows + TELLING * information_i / sum of information,

where information_i is what a verdict on the row is expected to tell about the components (the
mutual information of the two). Every row can be drawn, at no less than ``1 - TELLING`` times its
probability in a uniform draw, and the probability of each draw given the earlier ones is kept. So
any number of rows from the top of the pile is a pile by itself.

The *spot pile* is drawn uniformly from the rows that are not flagged, independently of the other.
"""

from typing import Any

import numpy as np
from scipy.special import entr

CALIBRATION, SPOT = 40, 300  # rows at most
TELLING = 0.5  # how much of a draw goes by what a row tells
SUSPECTS, OTHERS = "flagged", "others"


def draw_piles(
    flagged: np.ndarray,
    p: np.ndarray,
    weights: np.ndarray,
    random: np.random.Generator,
    known: np.ndarray | None = None,
) -> dict[str, Any]:
    """Draw both piles.

    Parameters
    ----------
    flagged : array of bool of shape (n,)
        The suspects.
    p : array of shape (n, kinds)
        The probability that each label is wrong under each group of hypotheses.
    weights : array of shape (kinds,)
        Of the groups, see ``Components.weights``, summed over shifts.
    random : Generator
        Draws.
    known : array of bool of shape (n,), optional
        Rows whose label is certain, which are left out.

    Returns
    -------
    dict
        ``calibration``: for each draw the row, its probability given the earlier draws, and which
        rows it was drawn from; ``spot``: rows; ``sizes``: how many rows each is drawn from.
    """
    unknown = np.ones(len(flagged), dtype=bool) if known is None else ~known
    strata = {
        SUSPECTS: np.flatnonzero(flagged & unknown),
        OTHERS: np.flatnonzero(~flagged & unknown),
    }
    draws = {
        name: _draws(rows, information(p[rows], weights), random) for name, rows in strata.items()
    }
    others = strata[OTHERS]
    return {
        "calibration": _alternating(draws),
        "spot": random.permutation(others)[:SPOT].tolist(),
        "sizes": {name: len(rows) for name, rows in strata.items()},
    }


def information(p: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """What a verdict on each row is expected to tell about the components, in nats."""
    return np.maximum(_entropy(p @ weights) - _entropy(p) @ weights, 0)


def _entropy(p: np.ndarray) -> np.ndarray:
    return entr(p) + entr(1 - p)


def _draws(
    rows: np.ndarray, told: np.ndarray, random: np.random.Generator
) -> list[tuple[int, float]]:
    """Rows drawn one after the other, each with its probability given the earlier ones.

    The order of exponential waiting times with these rates is such a sequence.
    """
    if not len(rows):
        return []
    uniform = np.full(len(rows), 1 / len(rows))
    total = told.sum()
    rates = (1 - TELLING) * uniform + TELLING * (told / total if total > 0 else uniform)
    order = np.argsort(random.exponential(size=len(rows)) / rates)[:CALIBRATION]
    remaining = 1 - np.r_[0, np.cumsum(rates[order])[:-1]]
    chances = np.minimum(rates[order] / np.maximum(remaining, rates[order]), 1.0)
    return list(zip(rows[order].tolist(), chances.tolist(), strict=True))


def _alternating(draws: dict[str, list[tuple[int, float]]]) -> list[list[Any]]:
    """One draw of each in turn; where one has no more, the others go on."""
    turns = [
        (turn, row, chance, name)
        for name, drawn in draws.items()
        for turn, (row, chance) in enumerate(drawn)
    ]
    turns.sort(key=lambda turn: turn[0])
    return [[row, chance, name] for _, row, chance, name in turns[:CALIBRATION]]
