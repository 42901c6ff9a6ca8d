"""Examples: the most suspicious rows, with the labels that are doubted, as a person sees them."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ..._format import four_digits, percent
from ..._neighbors import NeighborIndex
from .._examples import example_rows
from .._row_values import RowValues
from .._settings import EXAMPLE_COLUMNS, NEIGHBORS, SIMILAR_ROWS
from ._label_words import changes_in_words, kind_of_error, set_in_words

if TYPE_CHECKING:
    from ._result import MultilabelAudit


def describe_cells(
    audit: "MultilabelAudit",
    table: Any,
    X: np.ndarray,
    ids: np.ndarray | None,
    *,
    n_jobs: int | None = None,
) -> list[dict[str, Any]]:
    """Plain dicts, ready for JSON."""
    rows = example_rows(audit.suspicion, audit.flagged)
    near = _nearest(X, rows, n_jobs)
    values = RowValues(table, None)
    places = list(range(len(values.columns)))[:EXAMPLE_COLUMNS]
    return [
        {
            **_judged(audit, row),
            "id": None if ids is None else str(ids[row]),
            "reasons": reasons_for_cells(audit, row, [other for other, _ in others]),
            "similar": [
                _labelled(audit, other) | {"distance": round(away, 4)}
                for other, away in others[:SIMILAR_ROWS]
            ],
            "values": values.of(row, places),
            "speaking": 0,
            "image": values.picture(row),
            "compared": [
                _labelled(audit, other)
                | {"values": values.of(other, places), "differs": [], "image": None}
                for other, _ in others[:SIMILAR_ROWS]
            ],
        }
        for row, others in zip(rows.tolist(), near, strict=True)
    ]


def _labelled(audit: "MultilabelAudit", row: int) -> dict[str, Any]:
    return {"row": row, "label": set_in_words(audit.names, audit.labels[row])}


def _judged(audit: "MultilabelAudit", row: int) -> dict[str, Any]:
    """What the audit says about a row; of one that is not flagged, its worst cell is doubted."""
    doubted = doubted_cells(audit, row)
    return _labelled(audit, row) | {
        "suggested": changes_in_words(audit.names, audit.labels[row], doubted),
        "p_wrong": four_digits(audit.p_wrong[row]),
        "flagged": bool(audit.flagged[row]),
    }


def doubted_cells(audit: "MultilabelAudit", row: int) -> np.ndarray:
    """The cells of a row that are flagged; the worst one of a row that is not."""
    flagged = audit.flagged_cells[row]
    if flagged.any():
        return flagged
    return np.arange(len(flagged)) == audit.p_wrong_cells[row].argmax()


def reasons_for_cells(audit: "MultilabelAudit", row: int, near: list[int]) -> list[str]:
    """Why labels of a row are suspicious, in sentences, the worst first."""
    places = np.flatnonzero(doubted_cells(audit, row))
    reasons = []
    for place in places[np.argsort(-audit.p_wrong_cells[row, places], kind="stable")]:
        error = kind_of_error(bool(audit.labels[row, place]))
        told = f"{str(audit.names[place])!r} looks {error}"
        chance = percent(four_digits(audit.p_wrong_cells[row, place]))
        have = int(audit.labels[near, place].sum())
        nearest = f"; {have} of the {len(near)} nearest rows have it" if near else ""
        reasons.append(f"{told}, with a probability of {chance}{nearest}.")
    return reasons


def _nearest(X: np.ndarray, rows: np.ndarray, n_jobs: int | None) -> list[list[tuple[int, float]]]:
    """The nearest other rows of each of some rows, and how far they are."""
    if not X.shape[1]:
        return [[] for _ in rows]
    count = min(NEIGHBORS + 1, len(X))
    away, places = NeighborIndex(X, n_jobs=n_jobs).find(X[rows], count)
    found = zip(rows.tolist(), places.tolist(), away.tolist(), strict=True)
    return [
        [pair for pair in zip(near, far, strict=True) if pair[0] != row][:NEIGHBORS]
        for row, near, far in found
    ]
