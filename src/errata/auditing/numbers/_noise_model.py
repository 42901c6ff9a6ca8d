"""The noise model: densities of right and of wrong residuals, fitted by expectation-maximisation.

A residual over its local scale, z, is right with density sigma⁻¹ t(z / sigma; nu). A wrong one
comes from a mixture: normal densities of several widths (gross errors), and the density of all
targets (a value that belongs to another row).
"""

from typing import NamedTuple

import numpy as np
from scipy.special import gammaln, logsumexp

from ._settings import EM_STEPS, EM_TOLERANCE, GROSS_SCALES, KERNELS, LEAST_SIGMA


class TargetNoise(NamedTuple):
    """One hypothesis about residuals: the tail of right ones, and the mixture of wrong ones."""

    tail: float
    sigma: float
    rate: float
    mixture: np.ndarray  # weights of the rows of ``log_error_densities``; the last is swaps

    def log_right(self, z: np.ndarray) -> np.ndarray:
        """Log density of right residuals."""
        return _log_t(z / self.sigma, self.tail) - np.log(self.sigma)

    def log_wrong(self, log_densities: np.ndarray) -> np.ndarray:
        """Log density of wrong residuals."""
        return logsumexp(np.log(self.mixture)[:, None] + log_densities, axis=0)


def _log_t(z: np.ndarray, nu: float) -> np.ndarray:
    constant = gammaln((nu + 1) / 2) - gammaln(nu / 2) - 0.5 * np.log(nu * np.pi)
    return constant - (nu + 1) / 2 * np.log1p(z**2 / nu)


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


class TargetDensity(NamedTuple):
    """Gaussian kernel density of targets that are probably right."""

    centers: np.ndarray
    width: float

    @classmethod
    def of(cls, targets: np.ndarray) -> "TargetDensity":
        """Kernels at the targets, or at so many of their quantiles; Silverman's robust width."""
        low, high = np.quantile(targets, [0.25, 0.75])
        spread = min(targets.std(), (high - low) / 1.349) or targets.std() or 1.0
        centers = targets
        if len(targets) > KERNELS:
            centers = np.quantile(targets, (np.arange(KERNELS) + 0.5) / KERNELS)
        return cls(centers, 0.9 * spread * len(targets) ** -0.2)

    def log_density(self, targets: np.ndarray, scale: np.ndarray) -> np.ndarray:
        """O(n) for the kernels there are; of repeated targets at the resolution of right residuals.

        A value that many rows share, because targets are counted or rounded, is as frequent among
        right targets as among wrong ones. Right ones are judged as if they were smooth, so wrong
        ones must be: no kernel is then narrower than the row's ``scale``. Else whatever is
        frequent would look swapped.
        """
        width = np.full(len(targets), self.width)
        log_sum, equal = self._kernel_sums(targets, width)
        repeated = 2 * (equal - 1) > np.exp(log_sum)  # equal targets are most of what is near
        width[repeated] = np.maximum(scale[repeated], self.width)
        log_sum[repeated] = self._kernel_sums(targets[repeated], width[repeated])[0]
        return log_sum - np.log(len(self.centers) * width * np.sqrt(2 * np.pi))

    def _kernel_sums(self, targets: np.ndarray, width: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Log sums of kernels, which fall no further than at ten widths, and how many centers hit.

        In parts, as the distances to all centers are many.
        """
        log_sum, equal = np.zeros((2, len(targets)))
        for rows in np.array_split(np.arange(len(targets)), 1 + len(targets) // 10_000):
            away = (targets[rows, None] - self.centers) / width[rows, None]
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
    wrong, by_kind = share.sum(axis=0), share.sum(axis=1)
    trust = np.maximum(1 - wrong, 0)
    pull = (noise.tail + 1) / (noise.tail + (z / noise.sigma) ** 2)
    sigma = np.sqrt(trust @ (pull * z**2) / max(trust.sum(), 1e-12))
    reached = total.sum() + _log_prior(noise)
    rate = (wrong.sum() + 0.5) / (len(z) + 11)
    mixture = (by_kind + 1) / (by_kind.sum() + len(by_kind))
    return TargetNoise(noise.tail, max(float(sigma), LEAST_SIGMA), float(rate), mixture), float(
        reached
    )


def _log_prior(noise: TargetNoise) -> float:
    return (
        0.5 * np.log(noise.rate) + 10.5 * np.log1p(-noise.rate) + float(np.log(noise.mixture).sum())
    )
