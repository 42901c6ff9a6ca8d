"""Cells judged by what the models say of all labels."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ..._kernels._judged_rows import between
from .._noise_rate import NoiseRate
from .._pooling import Pool
from ..classes import Posterior, posterior_given_noise, posterior_of
from ._findings import LabelFindings
from ._noise import SharedNoise, share_noise
from ._rates import CellRates, cell_rates, draw_rates


class JudgedCells(NamedTuple):
    """The posterior of each label, and what labels that can be judged share."""

    posteriors: list[Posterior]
    shared: SharedNoise | None  # None where no label can be judged
    boundary: np.ndarray  # (L,), wrong cells if labels near the borders are noisy

    @property
    def judged(self) -> np.ndarray:
        """Which labels can be judged by the columns."""
        return np.array([posterior.skill.enough for posterior in self.posteriors])

    @property
    def p_wrong(self) -> np.ndarray:
        """Of every cell, (n, L)."""
        return np.column_stack([posterior.p_wrong for posterior in self.posteriors])

    def suspicion(self) -> np.ndarray:
        """For ranking, (n, L): between p_wrong and what it would be if there surely were noise."""
        ranked = np.column_stack([posterior.suspicion for posterior in self.posteriors])
        return np.where(self.judged, between(self.p_wrong, ranked, 0.5), 0.0)


def judge_cells(
    pools: Sequence[Pool], Y: np.ndarray, seed: int, equal: np.ndarray | None = None
) -> JudgedCells:
    """Learn the noise of each label, then of all together, and judge every cell by that.

    ``equal`` numbers the groups of equal rows, which vote where they differ.
    """
    codes = [column.astype(np.intp) for column in Y.T]
    alone = [
        posterior_of(pool.logs, own, np.random.default_rng(seed), equal)
        for pool, own in zip(pools, codes, strict=True)
    ]
    boundary = np.array([_boundary_rate(posterior) for posterior in alone])
    judged = [label for label, posterior in enumerate(alone) if posterior.skill.enough]
    if not judged:
        return JudgedCells(alone, None, boundary)
    shared = share_noise([alone[label].noise for label in judged])
    for label, noise in zip(judged, shared.noises, strict=True):
        alone[label] = posterior_given_noise(noise, pools[label].logs, codes[label], equal)
    return JudgedCells(alone, shared, boundary)


def _boundary_rate(posterior: Posterior) -> float:
    return posterior.noise.hypotheses[-1].rate if posterior.noise.boundary > 0 else 0.0


def told_of_labels(
    cells: JudgedCells, Y: np.ndarray, random: np.random.Generator
) -> tuple[list[LabelFindings], CellRates]:
    """What is known of each label, and the rates of all that can be judged."""
    told = [_unknown(posterior) for posterior in cells.posteriors]
    if cells.shared is None:
        return told, _unknown_rates(np.mean([label.rates.wrong for label in told], axis=0))
    places, p_wrong = np.flatnonzero(cells.judged), cells.p_wrong
    draws = draw_rates(cells.shared, Y[:, places].mean(axis=0), len(Y), random)
    for place, label in enumerate(places):
        one = slice(label, label + 1)
        rates = cell_rates(draws.of_label(place), p_wrong[:, one], Y[:, one], cells.boundary[one])
        told[label] = LabelFindings(rates, cells.posteriors[label].transition, True)
    return told, cell_rates(draws, p_wrong[:, places], Y[:, places], cells.boundary[places])


def _unknown(posterior: Posterior) -> LabelFindings:
    """What is said of a label that the columns do not tell: anything may be wrong, either way."""
    rates = _unknown_rates((posterior.rate, 0.0, 1 - posterior.skill.largest_frequency))
    return LabelFindings(rates, posterior.transition, False)


def _unknown_rates(wrong: Iterable[float]) -> CellRates:
    anything = NoiseRate(0.0, 0.0, 1.0)
    return CellRates(NoiseRate(*map(float, wrong)), anything, anything)
