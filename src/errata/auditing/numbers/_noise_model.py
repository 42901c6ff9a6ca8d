"""Densities of right and of wrong residuals, and the probability that each target is wrong.

A residual over its local scale, z, is right with density sigma⁻¹ t(z / sigma; nu). A wrong one
comes from a mixture: normal densities of several widths (gross errors), and the density of all
targets (a value that belongs to another row).
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.special import expit, gammaln, logsumexp
from scipy.stats import cauchy, t

from ._models import SMALLEST_SCALE, TargetData, predict_by_trees, robust_scale, weighted_quantile

FITTED_ROWS = 10_000  # that weights of models and noise are fitted to at most

# Local scale. Times the scale of all: what is looked at of residuals.
LEAST_RESIDUAL = 0.05
MOST_RESIDUAL = 2.0
SCALE_TREES = 60
SCALE_LEAF = (5, 20)
POWERS = np.r_[np.arange(0, 1.75, 0.25), 2.0]  # of what is predicted for the scale of a row
LARGEST_LOG_SCALE = 1.5
SHARES = (0.25, 0.5, 1.0, 2.0)  # of how far trees are apart
LEAST_GAIN = 3.0  # in log likelihood, for any of it
LEAST_TOLD_SKEW = 0.15  # half of the log ratio of the scales above and below what is predicted
LEAST_BETWEEN_QUARTILES = 1.0  # local scales, where those are not at their smallest
# Of the densities that powers are weighed by.
CORE_TAIL = 5.0
WIDE_FRACTION = 0.1
WIDE_SCALE = 5.0

# Noise
TAILS = (3.0, 4.0, 6.0, 10.0, 30.0)  # degrees of freedom of right residuals
GROSS_SCALES = 3.0 * 2.0 ** np.arange(8)  # of wrong residuals
TARGET_RATES = np.geomspace(0.001, 0.5, 52)
RATE_PRIOR = (0.5, 10.5)  # of the Beta distribution
EM_STEPS = 200
EM_TOLERANCE = 1e-6
LEAST_SIGMA = 3**-0.5  # local scales: of half a rounding step, the deviation of rounding alone
KERNELS = 1_000  # of the density of targets, at most
INSIDE = 0.9  # of right targets lie between low and high
LEAST_WITHIN = 0.05  # probability that a right target lies between the ends


class TargetNoise(NamedTuple):
    """One hypothesis about residuals: the tail of right ones, and the mixture of wrong ones."""

    tail: float
    sigma: float
    rate: float
    mixture: np.ndarray  # weights of the rows of ``log_error_densities``; the last is swaps

    def log_right(self, z: np.ndarray) -> np.ndarray:
        """Log density of right residuals."""
        nu = self.tail
        constant = gammaln((nu + 1) / 2) - gammaln(nu / 2) - 0.5 * np.log(nu * np.pi)
        scaled = z / self.sigma
        return constant - (nu + 1) / 2 * np.log1p(scaled**2 / nu) - np.log(self.sigma)

    def log_wrong(self, log_densities: np.ndarray) -> np.ndarray:
        """Log density of wrong residuals."""
        return logsumexp(np.log(self.mixture)[:, None] + log_densities, axis=0)


def gross_scales(z: np.ndarray) -> np.ndarray:
    """Widths of wrong residuals: as many as reach beyond the largest."""
    return GROSS_SCALES[: 1 + int(np.sum(np.abs(z).max() > GROSS_SCALES[:-1]))]


def log_error_densities(z: np.ndarray, scales: np.ndarray, log_swap: np.ndarray) -> np.ndarray:
    """Log densities of wrong residuals, shape (kinds, n); the last are swaps.

    Beyond the widest the normal densities stay constant: right residuals are the rarer still.
    """
    within = np.minimum(np.abs(z), scales[-1]) / scales[:, None]
    gross = -0.5 * within**2 - np.log(scales[:, None] * np.sqrt(2 * np.pi))
    return np.vstack([gross, log_swap])


def fit_kernels(targets: np.ndarray) -> tuple[np.ndarray, float]:
    """Centers of Gaussian kernels, and Silverman's robust width, for the density of targets.

    They are at the targets, or at so many of their quantiles.
    """
    low, high = np.quantile(targets, [0.25, 0.75])
    spread = min(targets.std(), (high - low) / 1.349) or targets.std() or 1.0
    centers = targets
    if len(targets) > KERNELS:
        centers = np.quantile(targets, (np.arange(KERNELS) + 0.5) / KERNELS)
    return centers, 0.9 * spread * len(targets) ** -0.2


def log_density(
    targets: np.ndarray, scale: np.ndarray, centers: np.ndarray, least_width: float
) -> np.ndarray:
    """The log density of targets by kernels, O(n) for the kernels there are.

    A value that many rows share, because targets are counted or rounded, is as frequent among right
    targets as among wrong ones. Right ones are judged as if they were smooth, so wrong ones must
    be: no kernel is then narrower than the row's ``scale``. Else whatever is frequent would look
    swapped.
    """
    width = np.full(len(targets), least_width)
    log_sum, equal = _sum_kernels(targets, centers, width)
    repeated = 2 * (equal - 1) > np.exp(log_sum)  # equal targets are most of what is near
    width[repeated] = np.maximum(scale[repeated], least_width)
    log_sum[repeated] = _sum_kernels(targets[repeated], centers, width[repeated])[0]
    return log_sum - np.log(len(centers) * width * np.sqrt(2 * np.pi))


def _sum_kernels(
    targets: np.ndarray, centers: np.ndarray, width: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Log sums of kernels, which fall no further than at ten widths, and how many centers hit.

    In parts, as the distances to all centers are many.
    """
    log_sum, equal = np.zeros((2, len(targets)))
    for rows in np.array_split(np.arange(len(targets)), 1 + len(targets) // 10_000):
        away = (targets[rows, None] - centers) / width[rows, None]
        log_sum[rows] = logsumexp(-0.5 * np.minimum(away**2, 100.0), axis=1)
        equal[rows] = np.sum(away == 0, axis=1)
    return log_sum, equal


def fit_noise(
    z: np.ndarray, log_densities: np.ndarray, tail: float, start: TargetNoise | None = None
) -> TargetNoise:
    """Fit sigma, the rate and the mixture to residuals, for one tail.

    Each step raises the likelihood times a prior: half a wrong and ten and a half right residuals,
    and one of every kind of error.
    """
    kinds = len(log_densities)
    noise = TargetNoise(tail, 1.0, 0.05, np.full(kinds, 1 / kinds))
    if start is not None:
        noise = start._replace(tail=tail)
    before = -np.inf
    for _ in range(EM_STEPS):
        noise, reached = em_step(z, log_densities, noise)
        if reached - before < EM_TOLERANCE * len(z):
            break
        before = reached
    return noise


def em_step(
    z: np.ndarray, log_densities: np.ndarray, noise: TargetNoise
) -> tuple[TargetNoise, float]:
    """One step, and the log posterior density of what it started from."""
    right = np.log1p(-noise.rate) + noise.log_right(z)
    kinds = np.log(noise.rate * noise.mixture)[:, None] + log_densities
    total = np.logaddexp(right, logsumexp(kinds, axis=0))
    share = np.exp(kinds - total)
    wrong = share.sum(axis=0)
    by_kind = share.sum(axis=1)
    trust = np.maximum(1 - wrong, 0)
    pull = (noise.tail + 1) / (noise.tail + (z / noise.sigma) ** 2)
    sigma = np.sqrt(trust @ (pull * z**2) / max(trust.sum(), 1e-12))
    prior = 0.5 * np.log(noise.rate) + 10.5 * np.log1p(-noise.rate) + np.log(noise.mixture).sum()
    reached = total.sum() + prior
    rate = (wrong.sum() + 0.5) / (len(z) + 11)
    mixture = (by_kind + 1) / (by_kind.sum() + len(by_kind))
    sigma = max(float(sigma), LEAST_SIGMA)
    return TargetNoise(noise.tail, sigma, float(rate), mixture), float(reached)


class TargetPosterior:
    """Probabilities of rows by both local scales, each with the same weight.

    Parameters
    ----------
    residuals, targets : array of shape (n,)
    scales : array of shape (2, n + m)
        Of these rows, and of more that have no target; see :func:`fit_local_scales`.
    trusted : array of bool of shape (n,)
        Targets whose density stands for that of a swapped one.
    doubtful : array of bool of shape (n,)
        Targets that noise is fitted to: all but those that are known.
    random : Generator
        Draws the rows that noise is fitted to where there are many.
    ends : (float, float), optional
        Right targets lie between; see :func:`find_ends`.

    Attributes
    ----------
    p_if_any : array of shape (n,)
        That the target is wrong, if any is wrong at all.
    suspicion : array of shape (n,)
    swap_share : array of shape (n,)
        Of the density of errors: how far a wrong value is another row's.
    spread, reach : arrays of shape (n + m,)
        Standard scale of right residuals; half of the interval that right targets lie in.
    log_density : array of shape (n,)
        Of the residual, right or wrong.
    rates : array of shape (2, 1 + rates)
        Probability that nothing is wrong, and of each of ``TARGET_RATES``.
    tail : float
        Degrees of freedom that weigh most.
    """

    def __init__(
        self,
        residuals: np.ndarray,
        targets: np.ndarray,
        scales: np.ndarray,
        trusted: np.ndarray,
        doubtful: np.ndarray,
        random: np.random.Generator,
        ends: tuple[float, float] = (-np.inf, np.inf),
    ) -> None:
        kernels = fit_kernels(targets[trusted])
        fitted = np.flatnonzero(doubtful)
        if len(fitted) > FITTED_ROWS:
            fitted = np.sort(random.choice(fitted, FITTED_ROWS, replace=False))
        found = []
        rates = []
        of_tails = np.zeros(len(TAILS))
        for scale in scales:
            s = scale[: len(residuals)]
            z = residuals / s
            log_swap = log_density(targets, s, *kernels) + np.log(s)
            densities = log_error_densities(z, gross_scales(z), log_swap)
            densities += log_within(targets, residuals, s, ends)
            noises, weights, p_errors = weigh_hypotheses(z[fitted], densities[:, fitted])
            found.append(average_hypotheses(noises, weights, z, densities, scale))
            rates.append(np.r_[1 - p_errors, p_errors * weights.sum(axis=0)])
            of_tails += weights.sum(axis=1)
        means = [(first + second) / 2 for first, second in zip(*found, strict=True)]
        self.p_if_any, self.suspicion, self.swap_share = means[:3]
        self.spread, self.reach, self.log_density = means[3:]
        self.rates = np.array(rates)
        self.tail = TAILS[int(of_tails.argmax())]

    @property
    def p_wrong(self) -> np.ndarray:
        """Probability that each target is wrong."""
        return self.p_if_any * self.rates[:, 1:].sum(axis=1).mean()


def find_ends(targets: np.ndarray, repeated: np.ndarray, smallest: float) -> tuple[float, float]:
    """Where right targets end, below and above; far away where they need not end.

    Rows beside a ``repeated`` value that is the largest or smallest of all, such as what a meter
    shows at most, have no targets beyond. Targets with levels end where these do.
    """
    low = float(targets.min())
    high = float(targets.max())
    if smallest > SMALLEST_SCALE:
        return low - smallest, high + smallest
    return (
        low if (repeated <= low).any() else -np.inf,
        high if (repeated >= high).any() else np.inf,
    )


def log_within(
    targets: np.ndarray, residuals: np.ndarray, scale: np.ndarray, ends: tuple[float, float]
) -> np.ndarray:
    """Log probability that a right target of each row would lie between the ends.

    Right targets are the denser there, as none lies beyond. It is taken off the density of wrong
    ones, which is the same to their odds. A target that lies beyond has nothing taken off.
    """
    low, high = ends
    if np.isinf(low) and np.isinf(high):
        return np.zeros(len(targets))
    predicted = targets - residuals
    within = t.cdf((high - predicted) / scale, CORE_TAIL)
    within -= t.cdf((low - predicted) / scale, CORE_TAIL)
    within[(targets < low) | (targets > high)] = 1.0
    return np.log(np.maximum(within, LEAST_WITHIN))


def weigh_hypotheses(
    z: np.ndarray, log_densities: np.ndarray
) -> tuple[list[TargetNoise], np.ndarray, float]:
    """Fit the noise for every tail, and weigh tails and rates by likelihood times prior.

    That nothing is wrong is as probable beforehand as all rates together: among many right targets
    one is always the furthest off. Returns the noise of each tail, weights (tails, rates) that sum
    to one, and the probability that any target is wrong at all.
    """
    noises: list[TargetNoise] = []
    for tail in TAILS:
        noises.append(fit_noise(z, log_densities, tail, noises[-1] if noises else None))
    log_weights = np.empty((len(TAILS), len(TARGET_RATES)))
    for of_tail, noise in zip(log_weights, noises, strict=True):
        right = noise.log_right(z)
        ratio = np.exp(np.minimum(noise.log_wrong(log_densities) - right, 700))
        of_tail[:] = [right.sum() + np.log1p(rate * (ratio - 1)).sum() for rate in TARGET_RATES]
    a, b = RATE_PRIOR
    log_prior = a * np.log(TARGET_RATES) + (b - 1) * np.log1p(-TARGET_RATES)  # in log rates
    log_weights += log_prior - logsumexp(log_prior)
    errors = logsumexp(log_weights)
    none = logsumexp([noise.log_right(z).sum() for noise in noises])
    return noises, np.exp(log_weights - errors), float(expit(errors - none))


def average_hypotheses(
    noises: Sequence[TargetNoise],
    weights: np.ndarray,
    z: np.ndarray,
    log_densities: np.ndarray,
    scale: np.ndarray,
) -> tuple[np.ndarray, ...]:
    """Average over tails and rates all that :class:`TargetPosterior` tells of rows.

    ``weights`` has the shape (tails, rates); ``scale`` holds rows without a target, too.
    """
    p_if_any, suspicion, swap_share, log_density = np.zeros((4, len(z)))
    spread = reach = 0.0
    log_odds = np.log(TARGET_RATES) - np.log1p(-TARGET_RATES)
    for noise, own in zip(noises, weights, strict=True):
        wrong = noise.log_wrong(log_densities)
        right = noise.log_right(z)
        ratio = wrong - right
        rate = own @ TARGET_RATES / own.sum()
        p_if_any += p_over_rates(ratio, log_odds, own)
        suspicion += own.sum() * ratio + own @ log_odds
        either = np.logaddexp(np.log1p(-rate) + right, np.log(rate) + wrong)
        log_density += own.sum() * (either - np.log(scale[: len(z)]))
        swaps = np.log(noise.mixture[-1]) + log_densities[-1]
        swap_share += own.sum() * np.exp(swaps - wrong)
        spread += own.sum() * noise.sigma
        reach += own.sum() * noise.sigma * t.ppf((1 + INSIDE) / 2, noise.tail)
    return p_if_any, suspicion, swap_share, spread * scale, reach * scale, log_density


def p_over_rates(ratio: np.ndarray, log_odds: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Mean over rates of rate g / (rate g + (1 - rate) f), for the log of the ratio g / f."""
    total = np.zeros(len(ratio))
    for odds, weight in zip(log_odds, weights, strict=True):
        if weight > 1e-6 * weights.max():
            total += weight * expit(ratio + odds)
    return total


def fit_local_scales(
    data: TargetData,
    predictions: np.ndarray,
    pooled: np.ndarray,
    residuals: np.ndarray,
    weight: np.ndarray,
) -> tuple[np.ndarray, float, float]:
    """Learn the size of residuals from the features, and believe it as far as that is likely.

    Returns
    -------
    scales : array of shape (2, n + m)
        Two hypotheses of how noise varies between rows: all of what is predicted, which hides
        errors that cluster in a region, and the geometric mean of that and its median. None of it
        would call legitimate noise errors.
    power : float
        How far what is predicted is believed; 0 where noise is even.
    skew : float
        Above 0 where right targets spread further above what is predicted.
    """
    least = data.smallest_scale
    overall = max(robust_scale(residuals, weight), least)
    # Sizes are clipped, so that errors do not make the scale by which they are judged.
    size = np.clip(np.abs(residuals), LEAST_RESIDUAL * overall, MOST_RESIDUAL * overall)
    leaf = int(np.clip(len(data) // 50, *SCALE_LEAF))
    spread = np.log(predictions.std(axis=0) + LEAST_RESIDUAL * overall)
    X = np.column_stack([data.X, pooled, spread])
    sizes = replace(data, X=X, targets=np.log(size), weight=None)
    log_size = predict_by_trees(sizes, extra=True, n_trees=SCALE_TREES, leaf=leaf)
    log_size -= log_size[: len(data)].mean()
    likelihoods = []
    scales = []
    for power in POWERS:  # the one is taken that makes residuals most likely
        log_scale = np.clip(power * log_size, -LARGEST_LOG_SCALE, LARGEST_LOG_SCALE)
        scale = _rescale(overall * np.exp(log_scale), residuals, weight, least)
        likelihoods.append(_log_likelihood(residuals, scale[: len(residuals)], overall))
        scales.append(scale)
    best = int(np.argmax(likelihoods))
    power = float(POWERS[best])
    whole = scales[best]
    half = np.sqrt(whole * np.median(whole[: len(data)]))
    skew = _skew(residuals / whole[: len(data)], weight)
    return np.stack([whole, _rescale(half, residuals, weight, least)]), power, skew


def widen_scales(
    scales: np.ndarray,
    apart: np.ndarray,
    residuals: np.ndarray,
    weight: np.ndarray,
    smallest: float = SMALLEST_SCALE,
) -> np.ndarray:
    """Scales wider where trees are far ``apart``, by that share of it that is likeliest.

    What sizes are learnt from is clipped, so a row between two regimes, which has one target or
    quite another, looks no wider than its neighbours. Where that is not clearly likelier, scales
    stay as they are: of few rows, whatever is noise bears out some share.
    """
    overall = max(robust_scale(residuals, weight), smallest)
    widened = [scales]
    for share in SHARES if apart.any() else ():
        wider = np.hypot(scales, share * apart)
        widened.append(np.stack([_rescale(s, residuals, weight, smallest) for s in wider]))
    likelihoods = [_log_likelihood(residuals, s[0, : len(residuals)], overall) for s in widened]
    likelihoods[0] += LEAST_GAIN
    return widened[int(np.argmax(likelihoods))]


def skew_scales(
    scales: np.ndarray, skew: float, residuals: np.ndarray, smallest: float = SMALLEST_SCALE
) -> np.ndarray:
    """Scales wider on the side to which right targets are skewed, narrower on the other."""
    sides = np.ones(scales.shape[1])
    sides[: len(residuals)] = np.exp(skew * np.sign(residuals))
    return np.maximum(sides * scales, smallest)


def _log_likelihood(residuals: np.ndarray, scale: np.ndarray, overall: float) -> float:
    """Under a core by the scale of each row, and a few that are wide."""
    core = t.pdf(residuals / scale, CORE_TAIL) / scale
    wide = cauchy.pdf(residuals, scale=WIDE_SCALE * overall)
    return float(np.log((1 - WIDE_FRACTION) * core + WIDE_FRACTION * wide).sum())


def _rescale(
    scale: np.ndarray, residuals: np.ndarray, weight: np.ndarray, least: float
) -> np.ndarray:
    """The same up to a factor, so that residuals over it have a robust scale of one at most."""
    factor = robust_scale(residuals / scale[: len(residuals)], weight)
    return np.maximum(factor * scale, least)


def _skew(z: np.ndarray, weight: np.ndarray) -> float:
    """Half of the log ratio of what lies above the median to what lies below, between quartiles.

    Errors on one side lie beyond and hardly move it. What may be chance is none: in normal noise
    its standard error is 1.36 over the root of the number of rows. Nor does it mean anything where
    most rows are predicted nearer than rounding allows.
    """
    low, median, high = (weighted_quantile(z, weight, level) for level in (0.25, 0.5, 0.75))
    if not low < median < high or high - low < LEAST_BETWEEN_QUARTILES:
        return 0.0
    skew = 0.5 * float(np.log((high - median) / (median - low)))
    return skew if abs(skew) >= max(LEAST_TOLD_SKEW, 2 * 1.36 / np.sqrt(len(z))) else 0.0
