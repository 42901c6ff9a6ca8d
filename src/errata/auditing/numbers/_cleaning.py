"""Cleaning a table of numeric targets, and suggestions as its column is written."""

import os
from typing import Any, NamedTuple

import numpy as np

from ..._detector import spare_classes
from ..._validation import check_choice, check_fraction
from ...audit_folder.decisions import Decisions, as_text, differ, from_text
from .._settings import KEPT_OF_A_CLASS, LAST_OF_A_CLASS, MOST_DECIMALS, MOST_NOUGHTS, WRITTEN_SO
from ..inputs._decisions import DecidedRows, said_of_rows
from ..results._cleaning import Cleaned

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
    kept = np.ones(len(targets), dtype=bool)
    labels = targets.copy()
    weight = np.ones(len(targets))
    did = np.full(len(targets), "kept", dtype="U10")
    if action == "drop":
        wrong = droppable(wrong, p_wrong)
        kept = ~wrong
        did[wrong] = "dropped"
        weight = kept.astype(float)
    elif action == "replace":
        labels[wrong] = suggested[wrong]
        did[wrong] = "replaced"
    elif action == "unlabel":
        labels[wrong] = np.nan
        did[wrong] = "unlabelled"
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
    new = targets.copy()
    changed = np.zeros(len(targets), dtype=bool)
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


class Digits(NamedTuple):
    """How the targets of a column are written."""

    decimals: int | None  # behind the point; below 0 for round numbers; None for all there are
    least: float  # a number below would have another sign than all that look right

    def write(self, values: np.ndarray) -> np.ndarray:
        """Numbers as the column would hold them."""
        values = np.maximum(values, self.least)
        return values if self.decimals is None else np.round(values, self.decimals)

    def finer(self, values: np.ndarray) -> np.ndarray:
        """Numbers with one digit more, as the bounds of an interval."""
        return values if self.decimals is None else np.round(values, self.decimals + 1)

    def text(self, value: float) -> str:
        """A number in the same digits, for people.

        >>> [Digits(places, 0.0).text(200 / 3) for places in (1, -1, None)]
        ['66.7', '67', '66.6667']
        """
        return f"{value:.6g}" if self.decimals is None else f"{value:.{max(self.decimals, 0)}f}"


def digits_of(targets: np.ndarray) -> Digits:
    """How targets are written, of which at most a few are wrong.

    Examples
    --------
    >>> digits_of(np.array([12.5, 30.0, 17.25])).write(np.array([18.2179, -3.0]))
    array([18.22, 12.5 ])
    >>> digits_of(np.array([1200, 300, 1700])).write(np.array([481.7]))
    array([500.])
    """
    places = range(-MOST_NOUGHTS, MOST_DECIMALS + 1)
    decimals = next((place for place in places if _fits(targets, place)), None)
    return Digits(decimals, _least(targets))


def _fits(targets: np.ndarray, decimals: int) -> bool:
    """Whether nearly all targets have no more digits than these."""
    off = np.abs(np.round(targets, decimals) - targets)
    return bool(np.mean(off <= 1e-9 * np.maximum(1.0, np.abs(targets))) >= WRITTEN_SO)


def _least(targets: np.ndarray) -> float:
    """The smallest number that may be suggested, where none has the other sign."""
    if targets.min() < 0:
        return -np.inf
    return float(targets.min()) if targets.min() > 0 else 0.0
