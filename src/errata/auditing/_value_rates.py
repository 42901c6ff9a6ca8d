"""The noise rate of the rows of each value of a column, and whether a value stands out."""

from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit, logsumexp
from scipy.stats import beta, norm

from ._noise_rate import NoiseRate

RATES = expit(np.linspace(-9, 9, 361))  # that a value may have
CONCENTRATIONS = 2.0 ** np.arange(11)  # how alike the rates of all values may be
SURE = 1e-6  # no row says more about its value than odds of a million


class ToldByRate(NamedTuple):
    """What the rows of each value tell, if its labels were wrong at each rate, (values, rates)."""

    likelihood: np.ndarray  # logarithm
    mean: np.ndarray  # of the fraction of wrong labels among these rows
    variance: np.ndarray


def value_rates(codes: np.ndarray, p_wrong: np.ndarray, rate: NoiseRate) -> np.ndarray:
    """Estimate, low and high of the noise rate of the rows with each code, shape (values, 3).

    ``p_wrong`` was computed as if all rows were equally noisy, so its mean draws the rate of each
    value to that of all. What a row says by itself is how much more probable it is if its label is
    wrong than if not, ``L = odds(p_wrong) / odds(rate)``. How probable each rate r of a value is
    follows from ``prod(1 - r + r L)``, with a beta distribution of the rates of all values, as
    concentrated as makes the rows most probable; and from r, anew, how probable it is that each
    label is wrong. An interval also knows how far the rate of all rows may be off.
    """
    centre = float(np.clip(p_wrong.mean(), SURE, 1 - SURE))
    told = _told(codes, p_wrong, centre)
    found = _posterior(told.likelihood, centre)
    mean = (found * told.mean).sum(axis=1)
    spread = (found * (told.variance + (told.mean - mean[:, None]) ** 2)).sum(axis=1)
    mean = mean.clip(SURE, 1 - SURE)
    size = np.maximum(mean * (1 - mean) / np.maximum(spread, SURE**2) - 1, SURE)
    low, high = (beta.ppf(level, mean * size, (1 - mean) * size) for level in (0.05, 0.95))
    rates = np.column_stack([mean, np.minimum(low, mean), np.maximum(high, mean)])
    return _with_common_error(rates, rate, centre)


def _told(codes: np.ndarray, p_wrong: np.ndarray, centre: float) -> ToldByRate:
    ratio = np.exp(logit(np.clip(p_wrong, SURE, 1 - SURE)) - logit(centre))
    rows = np.bincount(codes)
    told = ToldByRate(*np.empty((3, len(rows), len(RATES))))
    for j, rate in enumerate(RATES):
        both = 1 + rate * (ratio - 1)
        p = rate * ratio / both
        told.likelihood[:, j] = np.bincount(codes, weights=np.log(both))
        told.mean[:, j] = np.bincount(codes, weights=p) / rows
        told.variance[:, j] = np.bincount(codes, weights=p * (1 - p)) / rows**2
    return told


def _posterior(logs: np.ndarray, centre: float) -> np.ndarray:
    """Probability of each rate for each value."""
    edges = np.r_[0.0, (RATES[1:] + RATES[:-1]) / 2, 1.0]  # what is beyond counts at the ends
    masses = [np.diff(beta.cdf(edges, k * centre, k * (1 - centre))) for k in CONCENTRATIONS]
    priors = np.log(np.maximum(masses, np.finfo(float).tiny))
    evidence = [logsumexp(logs + prior, axis=1).sum() for prior in priors]
    best = logs + priors[int(np.argmax(evidence))]
    return np.exp(best - logsumexp(best, axis=1, keepdims=True))


def _with_common_error(rates: np.ndarray, rate: NoiseRate, centre: float) -> np.ndarray:
    """Both errors together, as independent ones of the log-odds."""
    estimate, low, high = logit(np.clip(rates, 1e-12, 1 - 1e-12)).T
    below, above = logit(np.clip([rate.low, rate.high], 1e-12, 1 - 1e-12)) - logit(centre)
    low = estimate - np.hypot(estimate - low, min(below, 0.0))
    high = estimate + np.hypot(high - estimate, max(above, 0.0))
    return np.column_stack([rates[:, 0], expit(low), expit(high)])


def chance_to_stand_out(codes: np.ndarray, p_wrong: np.ndarray, strata: np.ndarray) -> np.ndarray:
    """Chance that a value has rows as suspicious as these, if values mean nothing.

    Rows change their values at random within each stratum (a label, as some are harder than
    others). The chance is that of the sum of ``p_wrong`` or a larger one, by the normal
    distribution, times the number of values: Bonferroni's bound for looking at all of them.
    """
    n_values = codes.max() + 1
    above, variance = np.zeros(n_values), np.zeros(n_values)
    for stratum in np.unique(strata):
        p, of = p_wrong[strata == stratum], codes[strata == stratum]
        rows = np.bincount(of, minlength=n_values)
        above += np.bincount(of, weights=p, minlength=n_values) - rows * p.mean()
        variance += rows * (len(p) - rows) / max(len(p) - 1, 1) * p.var()
    z = np.divide(above, np.sqrt(variance), out=np.zeros(n_values), where=variance > 0)
    return np.minimum(norm.sf(z) * n_values, 1.0)
