"""Noise hypotheses: ways in which labels may have become what they are, and what each implies.

Every hypothesis gives a row's class a probability before its label is looked at, and, but for
boundary noise, the probability of each label given the class. Arrays have the shape (K, n).
"""

from typing import NamedTuple

import numpy as np

from ..._kernels._judged_rows import log_product, unnormalised
from ..._kernels._pooled_logs import largest
from .._settings import BOUNDARY_SLOPE, BOUNDARY_SPREAD, LEAST_UNMIXED

UNIFORM, PATTERN, CLASS_TO_CLASS, BOUNDARY = "uniform", "pattern", "class to class", "boundary"


class Hypothesis(NamedTuple):
    """A noise rate, its transition matrix, and how far classes overlap."""

    kind: str
    rate: float
    transition: np.ndarray
    slope: float
    offsets: np.ndarray
    log_likelihood: float  # of the labels, tempered
    ambiguity: float  # of the classes
    variance: float  # of the rate, besides that of counting rows
    grid_rate: float  # the noise rate that was asked for
    inverse: np.ndarray | None = None  # of the transition matrix, where noise is to be undone

    def classes(self, logs: np.ndarray) -> np.ndarray:
        """Probabilities of the classes before the label is looked at, shape (K, n)."""
        proba = self._unnormalised(logs)
        proba /= proba.sum(axis=0)
        return proba

    def classes_given_labels(self, logs: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Probabilities of the classes once it is, shape (K, n).

        Under boundary noise the label of a row says nothing more: the models know as much.
        """
        joint = self._unnormalised(logs)
        if self.kind != BOUNDARY:
            joint *= self.transition.astype(logs.dtype).take(codes, axis=1)
        joint /= joint.sum(axis=0)
        return joint

    def _unnormalised(self, logs: np.ndarray) -> np.ndarray:
        if self.inverse is not None:
            logs = unmixed(logs, self.inverse)
        return unnormalised(logs, self.slope, self.offsets)


def unmixed(logs: np.ndarray, inverse: np.ndarray) -> np.ndarray:
    """Logarithms of q T⁻¹: probabilities of classes from those of labels, never quite zero.

    No slope can make (0.63, 0.37) and (0.98, 0.02) sharp at once; undoing the noise of each class
    does. Where classes overlap, q T⁻¹ falls below zero, is cut, and the labels become less likely.
    """
    return log_product(logs, inverse, LEAST_UNMIXED)


def boundary_noise(logs: np.ndarray, codes: np.ndarray) -> Hypothesis:
    """Classes hardly overlap; labels are wrong where they meet."""
    n_classes, n = logs.shape
    nothing = Hypothesis(
        BOUNDARY, 0.0, np.eye(n_classes), BOUNDARY_SLOPE, np.zeros(n_classes), 0.0, 0.0, 0.0, 0.0
    )
    classes = nothing.classes(logs)
    joint = np.array([np.bincount(codes, weights=row, minlength=n_classes) for row in classes])
    rate = float(1 - np.trace(joint) / n)
    return nothing._replace(
        rate=rate,
        variance=(BOUNDARY_SPREAD * rate) ** 2,
        transition=joint / joint.sum(axis=1, keepdims=True),
        ambiguity=ambiguity(classes),
    )


def ambiguity(p: np.ndarray) -> float:
    """One less the balanced fraction of class probability where that class is the most probable.

    A class that is never the most probable counts as fully ambiguous.
    """
    top, p_top = largest(p)
    recognised = np.bincount(top, weights=p_top, minlength=len(p))
    return float(1 - np.mean(recognised / np.maximum(p.sum(axis=1), 1e-12)))
