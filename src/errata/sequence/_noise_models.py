"""How labels come from states: where the probabilities start, and how they are learnt."""

from collections.abc import Callable

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from .._warn import warn_user
from ._parameters import Chain

TOO_FEW = 1e-12  # labelled samples below which a state keeps its probabilities


def uniform_errors(rates: np.ndarray, shown: np.ndarray, n_labels: int) -> np.ndarray:
    """P(label | state), shape (H, K): errors at these rates, towards all other labels alike."""
    labels = np.repeat(rates[:, None] / (n_labels - 1), n_labels, axis=1)
    labels[np.arange(len(shown)), shown] = 1 - rates
    return labels


def _per_state(counts: np.ndarray, chain: Chain) -> np.ndarray:
    """Every state errs at its own rate."""
    return _rates(_mismatches(counts, chain), counts.sum(axis=1), chain)


def _shared(counts: np.ndarray, chain: Chain) -> np.ndarray:
    """All states err at one rate."""
    mismatches = _mismatches(counts, chain).sum()
    return _rates(np.full(len(counts), mismatches), np.full(len(counts), counts.sum()), chain)


def _full(counts: np.ndarray, chain: Chain) -> np.ndarray:
    """Every state errs in its own way."""
    total = counts.sum(axis=1, keepdims=True)
    return np.divide(counts, total, out=chain.labels.copy(), where=total >= TOO_FEW)


def _fixed(counts: np.ndarray, chain: Chain) -> np.ndarray:
    """What is known beforehand stays."""
    return chain.labels


UPDATES: dict[str, Callable[[np.ndarray, Chain], np.ndarray]] = {
    "per_state": _per_state,
    "shared": _shared,
    "full": _full,
    "fixed": _fixed,
    "boundary": _shared,
}


def _mismatches(counts: np.ndarray, chain: Chain) -> np.ndarray:
    # Summed, and not taken as what is left of the whole: rounding would leave less than nothing.
    others = counts.copy()
    others[np.arange(len(counts)), chain.shown] = 0
    return others.sum(axis=1)


def _rates(mismatches: np.ndarray, totals: np.ndarray, chain: Chain) -> np.ndarray:
    rows = np.arange(len(totals))
    old = 1 - chain.labels[rows, chain.shown]
    rates = np.divide(mismatches, totals, out=old.copy(), where=totals >= TOO_FEW)
    learnt = uniform_errors(np.clip(rates, 0, 1), chain.shown, chain.labels.shape[1])
    return np.where((totals >= TOO_FEW)[:, None], learnt, chain.labels)


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
