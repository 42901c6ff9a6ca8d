"""How labels come from classes, and how that is learnt."""

from collections.abc import Callable

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from .._warn import warn_user
from ..noise import NoiseModel

TOO_FEW = 1e-12  # labelled samples below which a class keeps its probabilities


def _per_state(counts: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Every class errs at its own rate, towards all other labels alike."""
    total = counts.sum(axis=1)
    rates = np.divide(_mismatches(counts), total, out=1 - np.diag(labels), where=total >= TOO_FEW)
    learnt = NoiseModel.uniform(len(counts), np.clip(rates, 0, 1)).transition
    return np.where((total >= TOO_FEW)[:, None], learnt, labels)


def _shared(counts: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """All classes err at one rate."""
    if counts.sum() < TOO_FEW:
        return labels
    rate = min(_mismatches(counts).sum() / counts.sum(), 1.0)
    return NoiseModel.uniform(len(counts), rate).transition


def _full(counts: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Every class errs in its own way."""
    total = counts.sum(axis=1, keepdims=True)
    return np.divide(counts, total, out=labels.copy(), where=total >= TOO_FEW)


def _fixed(counts: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """What is known beforehand stays."""
    return labels


# (counts of classes with labels, P(label | class) so far) -> P(label | class)
UPDATES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "per_state": _per_state,
    "shared": _shared,
    "full": _full,
    "fixed": _fixed,
}


def _mismatches(counts: np.ndarray) -> np.ndarray:
    # Summed, and not taken as what is left of the whole: rounding would leave less than nothing.
    return (counts * (1 - np.eye(len(counts)))).sum(axis=1)


def warn_if_worse_than_chance(error_rates: np.ndarray, classes: np.ndarray) -> None:
    """Warn of classes whose labels are right less often than drawn ones."""
    chance = (len(classes) - 1) / len(classes)
    worse = np.flatnonzero(error_rates > chance)
    if len(worse):
        warn_user(
            f"the labels of the class {classes.tolist()[worse[0]]!r} would be wrong in "
            f"{error_rates[worse[0]]:.0%} of its samples, worse than by chance: states may have "
            "changed roles; lower n_components, mask transitions, or raise n_init.",
            ConvergenceWarning,
        )
