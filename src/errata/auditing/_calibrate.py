"""Evidence put right before noise is read from it.

Where two classes overlap, the pooled opinion may be too sure or too unsure of just these two. A
noise model takes that for errors which go from one to the other. So the logarithms of the opinion
go through a matrix first, fitted to make the labels likely and held close to the identity.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

PRECISION = 20.0  # of the prior around the identity, in rows
UP_TO = 50  # classes; with more, the matrix has too many numbers to be fitted


class Calibration(NamedTuple):
    """A linear map of log-probabilities of shape (K, n)."""

    matrix: np.ndarray
    offsets: np.ndarray

    def apply(self, logs: np.ndarray) -> np.ndarray:
        """The logarithms of the better probabilities."""
        scores = self.matrix.astype(logs.dtype) @ logs
        scores += self.offsets.astype(logs.dtype)[:, None]
        scores -= scores.max(axis=0)
        scores -= np.log(np.exp(scores).sum(axis=0))
        return scores


def calibrate(logs: np.ndarray, codes: np.ndarray) -> Calibration:
    """The map that makes the labels most likely; costs O(n K²) for each of some twenty steps."""
    n_classes, n = logs.shape
    identity = np.hstack([np.eye(n_classes), np.zeros((n_classes, 1))])
    if n_classes > UP_TO:
        return _from(identity)
    inputs = np.vstack([logs, np.ones(n)])
    own = (codes, np.arange(n))

    def loss(x: np.ndarray) -> tuple[float, np.ndarray]:
        weights = x.reshape(identity.shape)
        scores = weights @ inputs
        scores -= scores.max(axis=0)
        shares = np.exp(scores)
        total = shares.sum(axis=0)
        away = weights - identity
        value = np.log(total).sum() - scores[own].sum() + PRECISION * np.vdot(away, away) / 2
        shares /= total
        shares[own] -= 1
        return value, (shares @ inputs.T + PRECISION * away).ravel()

    options = {"maxiter": 60, "ftol": 1e-6}
    found = minimize(loss, identity.ravel(), jac=True, method="L-BFGS-B", options=options)
    return _from(found.x.reshape(identity.shape))


def _from(weights: np.ndarray) -> Calibration:
    return Calibration(weights[:, :-1], weights[:, -1])
