"""Pooled probabilities are calibrated before noise is learnt from them.

Where two classes overlap, the pool may be too sure or too unsure of just these two. A noise model
takes that for errors which go from one to the other. So the logarithms of the probabilities go
through a matrix first, fitted to make the labels likely and held close to the identity. Some of the
labels are taken to be drawn uniformly at random: what wrong labels have to tell must not be
explained away.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import softmax

from .._kernels._pooled_logs import normalised
from ._settings import CALIBRATED_CLASSES, CALIBRATION_PRECISION, UNIFORM_LABELS


class Calibration(NamedTuple):
    """A linear map of log-probabilities of shape (K, n), or none."""

    matrix: np.ndarray | None = None
    offsets: np.ndarray | None = None

    @property
    def map(self) -> np.ndarray:
        """Matrix and offsets side by side, shape (K, K + 1); empty for none."""
        if self.matrix is None or self.offsets is None:
            return np.empty((0, 0))
        return np.column_stack([self.matrix, self.offsets])

    def apply(self, logs: np.ndarray) -> np.ndarray:
        """The logarithms of the calibrated probabilities."""
        if self.matrix is None or self.offsets is None:
            return logs
        scores = self.matrix.astype(logs.dtype) @ logs
        scores += self.offsets.astype(logs.dtype)[:, None]
        return normalised(scores)


def calibrate(logs: np.ndarray, codes: np.ndarray) -> Calibration:
    """The map that makes the labels most likely; costs O(n K²) for each of some dozens of steps."""
    n_classes, n = logs.shape
    if n_classes > CALIBRATED_CLASSES:
        return Calibration()
    identity = np.hstack([np.eye(n_classes), np.zeros((n_classes, 1))])
    inputs = np.vstack([logs, np.ones(n)])
    own = (codes, np.arange(n))

    def loss(x: np.ndarray) -> tuple[float, np.ndarray]:
        weights = x.reshape(identity.shape)
        fitted = softmax(weights @ inputs, axis=0)
        followed = (1 - UNIFORM_LABELS) * fitted[own]
        label = followed + UNIFORM_LABELS / n_classes
        away = weights - identity
        pull = fitted * (followed / label)
        pull[own] -= followed / label
        value = CALIBRATION_PRECISION * np.vdot(away, away) / 2 - np.log(label).sum()
        return value, (pull @ inputs.T + CALIBRATION_PRECISION * away).ravel()

    options = {"maxiter": 60, "ftol": 1e-6}
    found = minimize(loss, identity.ravel(), jac=True, method="L-BFGS-B", options=options)
    weights = found.x.reshape(identity.shape)
    return Calibration(weights[:, :-1], weights[:, -1])
