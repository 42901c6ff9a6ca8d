"""The posterior: the probability that each target is wrong, over hypotheses of the noise."""

from typing import NamedTuple

import numpy as np
from scipy.special import expit, logsumexp
from scipy.stats import t

from ._local_scale import LocalScales
from ._noise_model import (
    TargetDensity,
    TargetNoise,
    fit_noise,
    gross_scales,
    log_error_densities,
)
from ._settings import FITTED_ROWS, INSIDE, RATE_PRIOR, TAILS, TARGET_RATES


class ScaleHypotheses(NamedTuple):
    """Hypotheses of tail and rate under one local scale, and how much each weighs."""

    noises: list[TargetNoise]  # one for each tail
    weights: np.ndarray  # (tails, rates), their sum is one
    p_errors: float = 1.0  # that any target is wrong at all; weights are those if one is

    @property
    def of_tails(self) -> np.ndarray:
        """Weight of each tail."""
        return self.weights.sum(axis=1)

    @property
    def mean_rate(self) -> float:
        """Fraction of wrong targets to expect."""
        return self.p_errors * float(self.weights.sum(axis=0) @ TARGET_RATES)


class RowOdds(NamedTuple):
    """What is found about rows, under one local scale or in the mean over both."""

    p_wrong: np.ndarray  # if any target is wrong at all
    suspicion: np.ndarray
    swap_share: np.ndarray  # of the density of errors: how far a wrong value is another row's
    spread: np.ndarray  # standard scale of right residuals
    reach: np.ndarray  # half of the interval that right targets lie in
    log_density: np.ndarray  # of the residual, right or wrong


class TargetPosterior(NamedTuple):
    """Rows, and the hypotheses under either scale."""

    rows: RowOdds
    hypotheses: list[ScaleHypotheses]

    @property
    def p_wrong(self) -> np.ndarray:
        """Probability that each target is wrong."""
        return self.rows.p_wrong * np.mean([found.p_errors for found in self.hypotheses])


def target_posterior(
    residuals: np.ndarray,
    targets: np.ndarray,
    scales: LocalScales,
    trusted: np.ndarray,
    doubtful: np.ndarray,
    random: np.random.Generator,
) -> TargetPosterior:
    """Judge rows by both local scales, each with the same weight.

    Parameters
    ----------
    residuals, targets : array of shape (n,)
    scales : LocalScales
        Of these rows, and of more that have no target.
    trusted : array of bool of shape (n,)
        Targets whose density stands for that of a swapped one.
    doubtful : array of bool of shape (n,)
        Targets that noise is fitted to: all but those that are known.
    random : Generator
        Draws the rows that noise is fitted to where there are many.
    """
    others = TargetDensity.of(targets[trusted])
    fitted = np.flatnonzero(doubtful)
    if len(fitted) > FITTED_ROWS:
        fitted = np.sort(random.choice(fitted, FITTED_ROWS, replace=False))
    rows, hypotheses = [], []
    for scale in (scales.whole, scales.half):
        s = scale[: len(residuals)]
        z = residuals / s
        log_swap = others.log_density(targets, s) + np.log(s)
        densities = log_error_densities(z, gross_scales(z), log_swap)
        found = weigh_hypotheses(z[fitted], densities[:, fitted])
        hypotheses.append(found)
        rows.append(judged_targets(found, z, densities, scale))
    both = [np.mean(found, axis=0) for found in zip(*rows, strict=True)]
    return TargetPosterior(RowOdds(*both), hypotheses)


def weigh_hypotheses(z: np.ndarray, log_densities: np.ndarray) -> ScaleHypotheses:
    """Fit the noise for every tail, and weigh tails and rates by likelihood times prior.

    That nothing is wrong is as probable beforehand as all rates together: among many right targets
    one is always the furthest off.
    """
    noises: list[TargetNoise] = []
    for tail in TAILS:
        noises.append(fit_noise(z, log_densities, tail, noises[-1] if noises else None))
    log_weights = np.array([_log_likelihoods(noise, z, log_densities) for noise in noises])
    log_prior = log_rate_prior(TARGET_RATES)
    log_weights += log_prior - logsumexp(log_prior)
    errors = logsumexp(log_weights)
    none = logsumexp([noise.log_right(z).sum() for noise in noises])
    return ScaleHypotheses(noises, np.exp(log_weights - errors), float(expit(errors - none)))


def log_rate_prior(rates: np.ndarray) -> np.ndarray:
    """Of rates at equal distances of their logarithms, up to a constant."""
    a, b = RATE_PRIOR
    return a * np.log(rates) + (b - 1) * np.log1p(-rates)


def _log_likelihoods(noise: TargetNoise, z: np.ndarray, log_densities: np.ndarray) -> np.ndarray:
    """Of each rate."""
    right = noise.log_right(z)
    ratio = np.exp(np.minimum(noise.log_wrong(log_densities) - right, 700))
    return np.array([right.sum() + np.log1p(rate * (ratio - 1)).sum() for rate in TARGET_RATES])


def judged_targets(
    found: ScaleHypotheses, z: np.ndarray, log_densities: np.ndarray, scale: np.ndarray
) -> RowOdds:
    """Average over tails and rates; ``scale`` holds rows without a target, too."""
    p_wrong, suspicion, swap_share, log_density = np.zeros((4, len(z)))
    spread = reach = 0.0
    log_odds = np.log(TARGET_RATES) - np.log1p(-TARGET_RATES)
    for noise, weights in zip(found.noises, found.weights, strict=True):
        wrong = noise.log_wrong(log_densities)
        right = noise.log_right(z)
        ratio, rate = wrong - right, weights @ TARGET_RATES / weights.sum()
        p_wrong += p_over_rates(ratio, log_odds, weights)
        suspicion += weights.sum() * ratio + weights @ log_odds
        either = np.logaddexp(np.log1p(-rate) + right, np.log(rate) + wrong)
        log_density += weights.sum() * (either - np.log(scale[: len(z)]))
        swaps = np.log(noise.mixture[-1]) + log_densities[-1]
        swap_share += weights.sum() * np.exp(swaps - wrong)
        spread += weights.sum() * noise.sigma
        reach += weights.sum() * noise.sigma * t.ppf((1 + INSIDE) / 2, noise.tail)
    return RowOdds(p_wrong, suspicion, swap_share, spread * scale, reach * scale, log_density)


def p_over_rates(ratio: np.ndarray, log_odds: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Mean over rates of rate g / (rate g + (1 - rate) f), for the log of the ratio g / f."""
    total = np.zeros(len(ratio))
    for odds, weight in zip(log_odds, weights, strict=True):
        if weight > 1e-6 * weights.max():
            total += weight * expit(ratio + odds)
    return total
