"""Skill: whether the columns tell the labels apart at all, better than their frequencies do."""

from typing import NamedTuple

import numpy as np

from ._settings import LEAST_SKILL


class Skill(NamedTuple):
    """How far out-of-fold probabilities beat the frequencies of the labels."""

    z: float  # mean gain in standard errors
    largest_frequency: float  # of the most frequent label

    @property
    def enough(self) -> bool:
        """Whether labels can be checked by these columns."""
        return self.z >= LEAST_SKILL


def skill_of(logs: np.ndarray, codes: np.ndarray, units: np.ndarray | None = None) -> Skill:
    """Test the mean of g = log((q[label] / frequency[label] + 1) / 2) against zero.

    Half of the frequency is mixed in because the plain gain in log loss punishes models that are
    too sure of themselves. ``logs`` must not be calibrated yet: calibration has seen the labels.
    Rows of one of the ``units`` share their fate: the standard error counts units, not rows.
    """
    frequencies = np.bincount(codes, minlength=len(logs)) / len(codes)
    own = np.exp(logs[codes, np.arange(len(codes))].astype(float))
    gain = np.log((own / frequencies[codes] + 1) / 2)
    error = _standard_error(gain, units)
    if error > 1e-12:
        return Skill(float(gain.mean() / error), float(frequencies.max()))
    return Skill(np.inf if gain.mean() > 1e-12 else 0.0, float(frequencies.max()))


def _standard_error(gain: np.ndarray, units: np.ndarray | None) -> float:
    """That of the mean; with units, of a mean of as many sums, however long they are."""
    if units is None:
        return float(gain.std() / np.sqrt(len(gain)))
    sums = np.bincount(units, weights=gain - gain.mean())
    return float(np.sqrt(np.sum(sums**2)) / len(gain))
