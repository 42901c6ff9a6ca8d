"""Cleaning a table with several labels a row: drop, relabel, weight or unlabel."""

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..._validation import check_choice, check_fraction
from ...review.decisions import Decisions
from .._cleaning import ACTIONS, Cleaned
from .._decided import DecidedRows, said_of_rows
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


def decided_cells(
    decisions: Decisions | str | os.PathLike,
    keys: np.ndarray,
    labels: np.ndarray,
    names: Sequence[Any],
    *,
    drop_ambiguous: bool,
) -> DecidedRows:
    """The labels with those that people gave to rows."""
    said = said_of_rows(decisions, keys, drop_ambiguous=drop_ambiguous)
    new = labels.copy()
    for row, given in zip(said.rows.tolist(), said.given, strict=True):
        _check_labels(row, given, names)
        new[row] = [name in given for name in names]
    return said.laid_over(new, (new != labels).any(axis=1))


def _check_labels(row: int, given: Any, names: Sequence[Any]) -> None:
    unknown = [n for n in given if n not in names] if isinstance(given, list) else [given]
    if unknown:
        raise ValueError(
            f"row {row} was decided to have {unknown[0]!r}, which is none of the labels of this "
            "audit; these are decisions about another table."
        )
