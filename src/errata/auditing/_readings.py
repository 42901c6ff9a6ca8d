"""Readings: ways to explain labels by noise, each with its weight, and what follows from them.

Arrays of evidence have the shape (K, n): that is faster.
"""

from typing import Any, NamedTuple

import numpy as np

from ._calibrate import Calibration

HIDDEN, HIDDEN_SHARPNESS = 0.15, 3.0  # weight of the reading of noise that hides, and its slope
MOST_OF_THE_WEIGHT = 0.9
SMALLEST_LOG = -80.0  # of a share of a class; single precision ends a little below


class Reading(NamedTuple):
    """One way to read the labels: a noise rate, its pattern, and how far classes overlap."""

    weight: float
    rate: float
    transition: np.ndarray
    slope: float
    offsets: np.ndarray

    def classes(self, logs: np.ndarray) -> np.ndarray:
        """Probabilities of the classes before the label is looked at, shape (K, n)."""
        return shares_of(logs, self.slope, self.offsets)

    def classes_given_labels(self, logs: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Probabilities of the classes once it is, shape (K, n)."""
        joint = unnormalised(logs, self.slope, self.offsets)
        joint *= self.transition.astype(logs.dtype).take(codes, axis=1)
        joint /= joint.sum(axis=0)
        return joint


class NoiseReadings(NamedTuple):
    """All readings with a weight worth counting, the weightiest first.

    They are readings of evidence that was put right by ``calibration``.
    """

    readings: list[Reading]
    calibration: Calibration

    @property
    def transition(self) -> np.ndarray:
        """The mean transition matrix."""
        return np.einsum(
            "r,rcl->cl", [r.weight for r in self.readings], [r.transition for r in self.readings]
        )

    def classes_given_labels(
        self, logs: np.ndarray, codes: np.ndarray, hidden: np.ndarray
    ) -> np.ndarray:
        """Probabilities of the classes of labelled rows, over all readings, shape (K, n).

        ``hidden`` are those of :func:`hidden_noise`. The weightiest readings that make up nine
        tenths stand for all of them here: every one costs as much as the first.
        """
        weights = np.cumsum([r.weight for r in self.readings])
        heard = self.readings[: int(np.searchsorted(weights, MOST_OF_THE_WEIGHT)) + 1]
        total = sum(r.weight for r in heard)
        given = HIDDEN * hidden
        for reading in heard:
            part = reading.classes_given_labels(logs, codes)
            part *= (1 - HIDDEN) * reading.weight / total
            given += part
        return given

    def interval(self, hidden_rate: float, coverage: float = 0.9) -> tuple[float, float]:
        """Quantiles of the noise rate over the readings, that of hidden noise among them."""
        rates = np.array([*(r.rate for r in self.readings), hidden_rate])
        weights = np.array([*((1 - HIDDEN) * r.weight for r in self.readings), HIDDEN])
        order = np.argsort(rates)
        below = np.cumsum(weights[order])
        tail = (1 - coverage) / 2
        low, high = np.searchsorted(below, [tail, 1 - tail]).clip(max=len(order) - 1)
        return float(rates[order[low]]), float(rates[order[high]])


def shares_of(logs: np.ndarray, slope: float, offsets: Any = 0.0) -> np.ndarray:
    """Softmax of ``slope logs + offsets`` over the classes, shape (K, n), nowhere quite zero."""
    shares = unnormalised(logs, slope, offsets)
    shares /= shares.sum(axis=0)
    return shares


def unnormalised(logs: np.ndarray, slope: float, offsets: Any = 0.0) -> np.ndarray:
    """What the softmax is proportional to, one for the most probable class, nowhere quite zero.

    Were it zero, a label could be impossible under a reading, and what follows from it undefined.
    """
    scores = logs * logs.dtype.type(slope)
    if np.any(offsets):
        scores += np.asarray(offsets, dtype=logs.dtype)[:, None]
    scores -= scores.max(axis=0)
    np.maximum(scores, SMALLEST_LOG, out=scores)
    return np.exp(scores, out=scores)


def hidden_noise(logs: np.ndarray) -> np.ndarray:
    """Classes if they hardly overlap and noise hides where they meet, shape (K, n)."""
    return shares_of(logs, HIDDEN_SHARPNESS)
