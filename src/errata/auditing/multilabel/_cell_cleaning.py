"""Cleaning a table with several labels a row: drop, relabel, weight or unlabel."""

import numpy as np

from ..._validation import check_choice, check_fraction
from .._cleaning import ACTIONS, Cleaned
from ..numbers._target_cleaning import droppable


def clean_cells(
    labels: np.ndarray, p_wrong: np.ndarray, action: str, *, threshold: float, sure: float
) -> Cleaned:
    """See :meth:`errata.auditing.MultilabelAudit.clean`; arrays have the shape (n, L)."""
    check_choice("action", action, ACTIONS)
    check_fraction("threshold", threshold)
    check_fraction("sure", sure)
    n, worst = len(labels), p_wrong.max(axis=1)
    kept, weight = np.ones(n, dtype=bool), np.ones(n)
    did = np.full(n, "kept", dtype="U10")
    if action == "drop":
        dropped = droppable(worst > threshold, worst)
        kept, did[dropped] = ~dropped, "dropped"
        weight = kept.astype(float)
    elif action == "relabel":
        changed = p_wrong > max(threshold, sure)
        labels = np.where(changed, 1 - labels, labels)
        did[changed.any(axis=1)] = "relabelled"
    elif action == "unlabel":
        blank = p_wrong > threshold
        labels = np.where(blank, np.nan, labels)
        did[blank.any(axis=1)] = "unlabelled"
    else:
        weight = 1 - worst
        did[worst > 0] = "weighted"
    return Cleaned(kept, labels, weight, did, np.zeros(n, dtype=bool))
