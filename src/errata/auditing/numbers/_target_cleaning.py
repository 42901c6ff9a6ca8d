"""Cleaning a table of numeric targets: drop, replace, weight or unlabel what is probably wrong."""

import os
from typing import Any

import numpy as np

from ..._detector import spare_classes
from ..._validation import check_choice, check_fraction
from ...review.decisions import Decisions, as_text, differ, from_text
from .._cleaning import Cleaned
from .._decided import DecidedRows, said_of_rows
from .._settings import KEPT_OF_A_CLASS, LAST_OF_A_CLASS

TARGET_ACTIONS = ("drop", "replace", "weight", "unlabel")


def clean_targets(
    targets: np.ndarray,
    suggested: np.ndarray,
    p_wrong: np.ndarray,
    action: str,
    *,
    threshold: float,
) -> Cleaned:
    """See :meth:`errata.auditing.TargetAudit.clean`; of ``suggested`` only wrong rows are used."""
    check_choice("action", action, TARGET_ACTIONS)
    check_fraction("threshold", threshold)
    wrong = p_wrong > threshold
    kept, labels, weight = np.ones(len(targets), dtype=bool), targets.copy(), np.ones(len(targets))
    did = np.full(len(targets), "kept", dtype="U10")
    if action == "drop":
        wrong = droppable(wrong, p_wrong)
        kept, did[wrong] = ~wrong, "dropped"
        weight = kept.astype(float)
    elif action == "replace":
        labels[wrong], did[wrong] = suggested[wrong], "replaced"
    elif action == "unlabel":
        labels[wrong], did[wrong] = np.nan, "unlabelled"
    else:
        weight = 1 - p_wrong
        did[p_wrong > 0] = "weighted"
    return Cleaned(kept, labels, weight, did, np.zeros(len(targets), dtype=bool))


def decided_targets(
    decisions: Decisions | str | os.PathLike,
    keys: np.ndarray,
    targets: np.ndarray,
    *,
    drop_ambiguous: bool,
) -> DecidedRows:
    """The targets with the numbers that people gave; those they kept stay to the last digit."""
    said = said_of_rows(decisions, keys, drop_ambiguous=drop_ambiguous)
    new, changed = targets.copy(), np.zeros(len(targets), dtype=bool)
    for row, text in zip(said.rows.tolist(), said.texts, strict=True):
        changed[row] = differ(text, as_text(targets[row]))
        if changed[row]:
            new[row] = _as_number(row, from_text(text))
    return said.laid_over(new, changed)


def _as_number(row: int, given: Any) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise ValueError(
            f"row {row} was decided to be {given!r}, which is no number; these are decisions about "
            "another column."
        )
    return float(given)


def droppable(wrong: np.ndarray, p_wrong: np.ndarray) -> np.ndarray:
    """The wrong rows that may go: at most half of all, the worst first."""
    return spare_classes(
        wrong,
        p_wrong,
        np.zeros(len(wrong), dtype=np.intp),
        min_fraction=KEPT_OF_A_CLASS,
        min_per_class=LAST_OF_A_CLASS,
    )
