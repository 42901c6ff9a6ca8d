"""From out-of-sample scores to probabilities, and from these to suspicions about labels."""

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import softmax

from .._warn import warn_user

LOG_TEMPERATURES = (np.log(1e-3), np.log(1e3))
ENOUGH = 5_000_000  # scores to fit a temperature to; of more than that, evenly spaced rows do


class LabelScores(NamedTuple):
    """What out-of-sample scores say about labels, one entry per row."""

    suspicion: np.ndarray
    margin: np.ndarray
    suggested: np.ndarray


def score_labels(scores: np.ndarray, codes: np.ndarray, temperature: float) -> LabelScores:
    """Compare each label with the other classes, by scores of models that never saw it."""
    own = np.zeros(scores.shape, dtype=bool)
    own[np.arange(len(codes)), codes] = True
    # The sum over the others, and not one minus the own: it keeps the order of the trusted rows.
    suspicion = np.where(own, 0, softmax(scores / temperature, axis=1)).sum(axis=1)
    best_other = np.where(own, -np.inf, scores).max(axis=1)
    margin = scores[own] - best_other
    suggested = np.where(margin < 0, np.where(own, -np.inf, scores).argmax(axis=1), codes)
    return LabelScores(np.minimum(suspicion, 1), margin, suggested)


def fit_temperature(scores: np.ndarray, codes: np.ndarray, weight: np.ndarray | None) -> float:
    """The temperature at which softmax(scores / temperature) makes the labels most likely.

    As Platt does, one label in n + 2 is taken to be another: without a single error to learn from,
    the most likely temperature would be zero, and every probability 0 or 1. A weight counts rows,
    but no row for less than one, so that weights which sum to one may be given, too.
    """
    step = -(-scores.size // ENOUGH)  # rounded up
    scores, codes = scores[::step], codes[::step]
    n, q = scores.shape
    w = np.ones(n) if weight is None else weight[::step]
    smooth = 1 / (max(w.sum(), np.count_nonzero(w)) + 2)
    # Softmax does not mind what is added to a row; at most zero, no power overflows. Transposed,
    # so that the sums over the few classes run along whole columns.
    below_best = np.ascontiguousarray((scores - scores.max(axis=1, keepdims=True)).T)
    own = below_best[codes, np.arange(n)]
    expected = (1 - smooth) * own + smooth * (below_best.sum(axis=0) - own) / (q - 1)

    def slope(log_temperature: float) -> float:
        """Derivative of the log loss by the inverse temperature."""
        powers = np.exp(below_best / np.exp(log_temperature))
        means = np.einsum("cn,cn->n", powers, below_best) / powers.sum(axis=0)
        return float(w @ (means - expected))

    low, high = LOG_TEMPERATURES
    if slope(low) <= 0:
        return float(np.exp(low))
    if slope(high) >= 0:
        return float(np.exp(high))
    return float(np.exp(brentq(slope, low, high, xtol=1e-10)))


def probabilities(scores: np.ndarray, temperature: float | None) -> np.ndarray:
    """Softmax at a temperature; without one, scores cut to [0, 1] and made to sum to one."""
    if temperature is not None:
        return softmax(scores / temperature, axis=1)
    cut = np.clip(scores, 0, 1)
    total = cut.sum(axis=1, keepdims=True)
    return np.divide(cut, total, out=np.full_like(cut, 1 / cut.shape[1]), where=total > 0)


def one_hot(codes: np.ndarray, n_classes: int) -> np.ndarray:
    """Targets of shape (n, n_classes): one for the row's class, zero for the others."""
    T = np.zeros((len(codes), n_classes))
    T[np.arange(len(codes)), codes] = 1
    return T


def undecided_where_undefined(scores: np.ndarray) -> np.ndarray:
    """Scores in which a row that cannot be predicted without itself is left undecided."""
    undefined = np.isnan(scores).any(axis=1, keepdims=True)
    return np.where(undefined, 1 / scores.shape[1], scores)


def warn_of_rare_classes(
    codes: np.ndarray,
    classes: np.ndarray,
    folds: list[np.ndarray] | None,
    weight: np.ndarray | None = None,
) -> None:
    """Warn when a class has no row left to learn it from once a row, or a fold, is held out."""
    counted = np.ones(len(codes), dtype=bool) if weight is None else weight > 0

    def count(rows: Any) -> np.ndarray:
        return np.bincount(codes[rows][counted[rows]], minlength=len(classes))

    counts = count(slice(None))
    held_out = [np.minimum(counts, 1)] if folds is None else [count(fold) for fold in folds]
    unlearnt = classes[(counts == held_out).any(axis=0)]
    if len(unlearnt):
        names = ", ".join(repr(c) for c in unlearnt.tolist())
        warn_user(
            f"no row is left to learn class {names} from when its rows are held out, so each of "
            "them looks wrong; label more of them, merge the class with another or drop it."
        )
