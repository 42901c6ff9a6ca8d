"""Examples: the most suspicious targets as a person wants to see them, with values and reasons."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ..._format import four_digits
from ..._neighbors import NeighborIndex
from .._examples import example_rows
from .._row_values import RowValues
from .._settings import EXAMPLE_COLUMNS, TARGET_NEIGHBORS
from ._digits import Digits
from ._hints import SLIPS, WORDS

if TYPE_CHECKING:
    from ._result import TargetAudit


def describe_targets(
    audit: "TargetAudit",
    table: Any,
    X: np.ndarray | None,
    ids: np.ndarray | None,
    *,
    n_jobs: int | None = None,
) -> list[dict[str, Any]]:
    """Plain dicts, ready for JSON."""
    rows = example_rows(audit.suspicion, audit.flagged, audit.has_target)
    near = _nearest(X, audit.has_target, rows, n_jobs)
    values, digits = RowValues(table, None), audit.digits
    places = list(range(len(values.columns)))[:EXAMPLE_COLUMNS]
    return [
        {
            **_judged(audit, row, digits),
            "id": None if ids is None else str(ids[row]),
            "reasons": reasons_for_target(audit, row, digits),
            "similar": [
                _recorded(audit, other, digits) | {"distance": round(away, 4)}
                for other, away in others
            ],
            "values": values.of(row, places),
            "speaking": 0,
            "image": None,
            "compared": [
                _recorded(audit, other, digits)
                | {"values": values.of(other, places), "differs": [], "image": None}
                for other, _ in others
            ],
        }
        for row, others in zip(rows.tolist(), near, strict=True)
    ]


def _recorded(audit: "TargetAudit", row: int, digits: Digits) -> dict[str, Any]:
    return {"row": row, "label": digits.text(audit.targets[row])}


def _judged(audit: "TargetAudit", row: int, digits: Digits) -> dict[str, Any]:
    """What the audit says about a row."""
    is_flagged = audit.flagged[row]
    expected = audit.suggested[row] if is_flagged else digits.write(audit.predicted[row])
    return _recorded(audit, row, digits) | {
        "suggested": digits.text(float(expected)),
        "low": digits.text(audit.low[row]),
        "high": digits.text(audit.high[row]),
        "p_wrong": four_digits(audit.p_wrong[row]),
        "flagged": bool(is_flagged),
        "hint": audit.hint[row],
        "error_kind": audit.error_kind[row],
    }


def reasons_for_target(audit: "TargetAudit", row: int, digits: Digits) -> list[str]:
    """Why a target is suspicious, in sentences."""
    low, high = digits.text(audit.low[row]), digits.text(audit.high[row])
    reasons = []
    hint = audit.hint[row]
    if hint:
        undone = float(SLIPS[hint](audit.targets[row]))
        reasons.append(f"It looks like {WORDS[hint]}: {digits.text(undone)} would be as expected.")
    above = audit.targets[row] > audit.predicted[row]
    if audit.low[row] <= audit.targets[row] <= audit.high[row]:
        reasons.append(f"Nine in ten such rows have {low} to {high}.")
    else:
        side = "more" if above else "less"
        reasons.append(f"It is {side} than expected: nine in ten such rows have {low} to {high}.")
    if not hint and audit.error_kind[row] == "swap":
        reasons.append("It may be the value of another row.")
    return reasons


def _nearest(
    X: np.ndarray | None, has_target: np.ndarray, rows: np.ndarray, n_jobs: int | None
) -> list[list[tuple[int, float]]]:
    """The nearest other rows that have a target, of each of some rows, and how far they are."""
    if X is None:
        return [[] for _ in rows]
    there = np.flatnonzero(has_target)
    away, places = NeighborIndex(X[there], n_jobs=n_jobs).find(X[rows], TARGET_NEIGHBORS + 1)
    found = zip(rows.tolist(), there[places].tolist(), away.tolist(), strict=True)
    return [
        [pair for pair in zip(near, far, strict=True) if pair[0] != row][:TARGET_NEIGHBORS]
        for row, near, far in found
    ]
