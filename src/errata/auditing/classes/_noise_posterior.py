"""One posterior over noise hypotheses, from which rate, interval and every row's p_wrong follow.

The likelihood of the labels weighs none, uniform, patterned and class-to-class noise. Two questions
it cannot answer, and what is taken for the answer is derived from the table itself:

- *Noise or overlap?* Calibrated models forecast the labels as well without any noise. Noise is
  believed in so far as it makes the classes recognisable: ``prior_none`` is the third power of the
  ambiguity of the classes under the best hypotheses over that of the labels.
- *Boundary noise or overlap?* Both look alike. Its weight ``boundary`` grows with what the others
  leave unexplained, with the fraction of contradicted labels that are surely contradicted, and
  falls where even then classes stay unrecognisable.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri, softmax

from .._calibration import Calibration, calibrate
from .._settings import (
    AMBIGUITY_POWER,
    BOUNDARY_IN_RANKING,
    COMPARABLE,
    COVERAGE,
    KIND_WEIGHT,
    LEAST_WEIGHT,
    RARE_NOISE,
    RATHER,
    SURELY,
)
from ._hypotheses import (
    BOUNDARY,
    CLASS_TO_CLASS,
    PATTERN,
    UNIFORM,
    Hypothesis,
    ambiguity,
    boundary_noise,
)
from ._noise_model import fit_hypotheses, log_prior, noise_rates

NONE = "none"  # what hypotheses without noise are called


class NoisePosterior(NamedTuple):
    """Noise hypotheses and their weights; boundary noise is the last of them.

    ``weights`` say what is believed, and give rate, interval and p_wrong. ``ranking`` weighs the
    same hypotheses for the order of rows alone: without doubts whether there is noise at all, which
    move every row alike but cost precision at the top.
    """

    hypotheses: list[Hypothesis]
    weights: np.ndarray
    ranking: np.ndarray
    calibration: Calibration
    ambiguity: float  # of the classes under the best hypotheses

    def times(self, log_likelihoods: Sequence[float]) -> "NoisePosterior":
        """The posterior after more was learnt, such as verdicts of a person on some rows.

        Takes one log-likelihood for each hypothesis. The ranking stays as it was.
        """
        with np.errstate(divide="ignore"):
            weights = softmax(np.log(self.weights) + np.asarray(log_likelihoods))
        return self._replace(weights=weights)

    @property
    def rate(self) -> float:
        """Expected fraction of wrong labels among the rows that the hypotheses were fitted to."""
        return float(self.weights @ [h.rate for h in self.hypotheses])

    @property
    def transition(self) -> np.ndarray:
        """The mean transition matrix."""
        return np.einsum("h,hcl->cl", self.weights, [h.transition for h in self.hypotheses])

    @property
    def boundary(self) -> float:
        """Weight of boundary noise."""
        return float(self.weights[-1])

    @property
    def unevenness(self) -> float:
        """Spread of the noise rates of the classes, in the eyes of the ranking."""
        spread = [np.diag(h.transition).std() for h in self.hypotheses[:-1]]
        return float(self.ranking[:-1] @ spread / self.ranking[:-1].sum())

    def interval(self, n_rows: int, coverage: float = COVERAGE) -> tuple[float, float]:
        """Quantiles of the noise rate: each hypothesis is spread by the counting of rows.

        No data can choose between boundary noise and overlap, so unless boundary noise is out of
        the question the interval reaches as far as it would.
        """
        rates = np.array([h.rate for h in self.hypotheses])
        spread = np.sqrt(rates * (1 - rates) / n_rows + [h.variance for h in self.hypotheses])
        grid = np.linspace(0, 1, 2001)
        steps = (grid[:, None] - rates) / np.maximum(spread, 1e-6)
        below = ndtr(steps) @ self.weights
        tail = (1 - coverage) / 2
        low, high = grid[np.searchsorted(below, [tail, 1 - tail]).clip(max=len(grid) - 1)]
        if self.boundary > 0:
            high = max(high, min(1.0, rates[-1] + ndtri(1 - tail) * spread[-1]))
        return float(low), float(high)

    def by_kind(self, rates: np.ndarray) -> list[dict[str, Any]]:
        """Weight and noise rate of each kind of noise, the weightiest first.

        ``rates`` are those of the table under each hypothesis. They may differ from the rate that
        a hypothesis starts from: where all labels look right, none is wrong even if 1 % might be.
        """
        told: list[dict[str, Any]] = []
        for kind in (NONE, UNIFORM, PATTERN, CLASS_TO_CLASS, BOUNDARY):
            rows = [i for i, h in enumerate(self.hypotheses) if kind_of(h) == kind]
            weight = float(self.weights[rows].sum())
            if weight >= KIND_WEIGHT:
                rate = float(self.weights[rows] @ rates[rows]) / weight
                told.append({"kind": kind, "weight": round(weight, 4), "rate": round(rate, 4)})
        return sorted(told, key=lambda t: -t["weight"])


def kind_of(hypothesis: Hypothesis) -> str:
    """What a hypothesis is called: noise at a rate of zero is none."""
    found = hypothesis.kind in (UNIFORM, PATTERN) and hypothesis.grid_rate == 0
    return NONE if found else hypothesis.kind


def noise_posterior(logs: np.ndarray, codes: np.ndarray) -> NoisePosterior:
    """Calibrate, fit all hypotheses, and weigh them.

    Parameters
    ----------
    logs : array of shape (K, n)
        Logarithms of the pooled probabilities of labels; a few thousand rows are enough.
    codes : array of shape (n,)
        The labels.
    """
    calibration = calibrate(logs, codes)
    logs = calibration.apply(logs)
    before = ambiguity(np.exp(logs))
    found = fit_hypotheses(logs, codes)
    after = _least_ambiguity(found, len(logs))
    prior_none = min(1.0, (after / max(before, 1e-9)) ** AMBIGUITY_POWER) if before > 0 else 0.0
    weights = _weigh(found, len(logs), prior_none=prior_none)
    ranking = _weigh(found, len(logs), prior_none=0.0, penalise_pattern=False)
    boundary = boundary_noise(logs, codes)
    rate = float(weights @ [h.rate for h in found])
    weight = _boundary_weight(rate, boundary, logs[codes, np.arange(len(codes))], before)
    worth = _worth_keeping(weights, ranking)
    kept = np.flatnonzero(worth | (np.arange(len(found)) == _without_noise(found)))
    return NoisePosterior(
        hypotheses=[*(found[i] for i in kept), boundary],
        weights=_beside_boundary((weights * worth)[kept], weight),
        ranking=_beside_boundary((ranking * worth)[kept], BOUNDARY_IN_RANKING),
        calibration=calibration,
        ambiguity=after,
    )


def _least_ambiguity(hypotheses: Sequence[Hypothesis], n_classes: int) -> float:
    """Of the classes under the best hypotheses, were noise plausible."""
    weights = _weigh(hypotheses, n_classes, prior_none=0.0)
    comparable = weights >= COMPARABLE * weights.max()
    return min(h.ambiguity for h, near in zip(hypotheses, comparable, strict=True) if near)


def _weigh(
    hypotheses: Sequence[Hypothesis],
    n_classes: int,
    *,
    prior_none: float,
    penalise_pattern: bool = True,
) -> np.ndarray:
    """Posterior weights: likelihood, prior of the noise rate, penalty for what rows estimated.

    The prior of rates is a mixture: hardly any noise, or any rate that is nothing unusual.
    """
    rates = noise_rates(n_classes)
    hardly = np.exp(-rates / RARE_NOISE) * np.gradient(rates)
    usual = softmax(log_prior(rates))
    mass = prior_none * hardly / hardly.sum() + (1 - prior_none) * usual
    penalty = {
        UNIFORM: 0.0,
        PATTERN: (n_classes - 1) / 2 if penalise_pattern else 0.0,
        CLASS_TO_CLASS: (n_classes + 1) / 2,
    }
    prior = np.log(np.interp([h.grid_rate for h in hypotheses], rates, mass) + 1e-300)
    likelihood = np.array([h.log_likelihood - penalty[h.kind] for h in hypotheses])
    return softmax(likelihood + prior)


def _boundary_weight(rate: float, boundary: Hypothesis, own: np.ndarray, before: float) -> float:
    """Weight of boundary noise, from what others leave unexplained, sureness and sharpness.

    ``own`` are the logarithms of the calibrated probabilities of the labels themselves.
    """
    unexplained = max(0.0, 1 - rate / max(boundary.rate, 1e-9))
    contradicted = 1 - np.exp(own)
    sure = (np.sum(contradicted > SURELY) + 1) / (np.sum(contradicted > RATHER) + 3)
    sharper = boundary.ambiguity / max(before, 1e-9)
    return float(unexplained * sure * max(0.0, 1 - sharper**2))


def _worth_keeping(weights: np.ndarray, ranking: np.ndarray) -> np.ndarray:
    """Whether each hypothesis weighs something for either purpose."""
    return (weights > LEAST_WEIGHT * weights.max()) | (ranking > LEAST_WEIGHT * ranking.max())


def _without_noise(hypotheses: Sequence[Hypothesis]) -> int:
    """Where no noise is among hypotheses: kept even if it weighs nothing, as verdicts may do so."""
    return next(i for i, h in enumerate(hypotheses) if kind_of(h) == NONE)


def _beside_boundary(weights: np.ndarray, boundary: float) -> np.ndarray:
    """Weights of the hypotheses that are kept, and that of boundary noise, which stays as it is."""
    return np.r_[weights * (1 - boundary) / weights.sum(), boundary]
