"""How many cells are wrong, and which way, with intervals: draws from the shared posterior."""

from typing import NamedTuple

import numpy as np

from .._noise_rate import NoiseRate
from .._settings import COVERAGE, RATE_DRAWS
from ._noise import SharedNoise, rates_each_way


class CellRates(NamedTuple):
    """Of the cells of some labels."""

    wrong: NoiseRate  # of all cells
    missing: NoiseRate  # of labels that should be set, those that are not
    wrongly_set: NoiseRate  # of labels that are set, those that should not be


class Draws(NamedTuple):
    """Numbers of rows, as fractions, in draws from the posterior: each (draws, labels)."""

    wrongly_set: np.ndarray
    missing: np.ndarray
    to_be_set: np.ndarray  # labels that should be set, expected

    def of_label(self, place: int) -> "Draws":
        """Those of one label."""
        return Draws(*(column[:, [place]] for column in self))


def draw_rates(
    shared: SharedNoise, ones: np.ndarray, n_rows: int, random: np.random.Generator
) -> Draws:
    """Draw a hypothesis for each label, all of them under one draw of what labels share.

    ``ones`` are the fractions of rows that have each label. Counting rows spreads each draw.
    """
    points = random.choice(shared.joint.size, size=RATE_DRAWS, p=shared.joint.ravel())
    columns = []
    for noise, given, fraction in zip(shared.noises, shared.given, ones, strict=True):
        below = np.cumsum(given.reshape(len(given), -1)[:, points], axis=0)
        chosen = (random.random(RATE_DRAWS) * below[-1] > below).sum(axis=0)
        set_wrongly, missing = (rates[chosen] for rates in rates_each_way(noise))
        to_be_set = np.clip((fraction - set_wrongly) / (1 - set_wrongly - missing), 0, 1)
        wrong = (1 - to_be_set) * set_wrongly, to_be_set * missing
        columns.append([*(_counted(part, n_rows, random) for part in wrong), to_be_set])
    return Draws(*(np.column_stack(column) for column in zip(*columns, strict=True)))


def _counted(fraction: np.ndarray, n_rows: int, random: np.random.Generator) -> np.ndarray:
    return random.binomial(n_rows, np.clip(fraction, 0, 1)) / n_rows


def cell_rates(draws: Draws, p_wrong: np.ndarray, Y: np.ndarray, boundary: np.ndarray) -> CellRates:
    """The rates of these labels: estimates that add up to ``p_wrong``, intervals from the draws.

    ``boundary`` are the fractions of wrong cells if labels near the borders are noisy, 0 where that
    is out of the question: the interval reaches as far.
    """
    is_set = Y == 1
    wrongly_set, missing = float(p_wrong[is_set].sum()), float(p_wrong[~is_set].sum())
    to_be_set = is_set.sum() - wrongly_set + missing
    in_draws = (draws.wrongly_set + draws.missing).mean(axis=1)
    return CellRates(
        wrong=_interval(float(p_wrong.mean()), in_draws, float(np.mean(boundary))),
        missing=_interval(
            missing / max(to_be_set, 1e-9),
            draws.missing.sum(axis=1) / np.maximum(draws.to_be_set.sum(axis=1), 1e-9),
        ),
        wrongly_set=_interval(
            wrongly_set / max(is_set.sum(), 1),
            draws.wrongly_set.sum(axis=1) / max(is_set.mean(axis=0).sum(), 1e-9),
        ),
    )


def _interval(estimate: float, draws: np.ndarray, reach: float = 0.0) -> NoiseRate:
    tail = (1 - COVERAGE) / 2
    low, high = np.quantile(draws, [tail, 1 - tail])
    high = min(1.0, max(high, estimate, reach))
    return NoiseRate(estimate, min(float(low), estimate), float(high))
