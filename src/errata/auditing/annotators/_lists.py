"""Annotators and items as tables: who is right how often, and of which item to ask next."""

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._result import VoteAudit

PLAIN = ("worker", "n_votes", "accuracy", "low", "high", "agreement", "guessing")


def by_accuracy(workers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The annotators, the most accurate first; of equals, those with more votes."""
    return sorted(workers, key=lambda worker: (-worker["accuracy"], -worker["n_votes"]))


def worker_columns(workers: list[dict[str, Any]]) -> dict[str, np.ndarray]:
    """One array per column of the table of annotators."""
    ranked = by_accuracy(workers)
    confuses = np.array([confused(worker["worst"]) for worker in ranked], dtype=object)
    return {name: np.array([each[name] for each in ranked]) for name in PLAIN} | {
        "confuses": confuses
    }


def confused(worst: tuple[Any, Any] | None) -> str | None:
    """The pair of class and label that an annotator confuses most often, in words.

    Examples
    --------
    >>> confused(("cat", "dog"))
    'cat as dog'
    """
    return None if worst is None else f"{worst[0]} as {worst[1]}"


def in_asking_order(ask: np.ndarray, n_votes: np.ndarray) -> np.ndarray:
    """Items by what one more vote would tell, the most first; before all, those without any.

    Examples
    --------
    >>> in_asking_order(np.array([0.1, 0.3, 0.2]), np.array([5, 5, 0])).tolist()
    [2, 1, 0]
    """
    return np.lexsort((-ask, n_votes > 0))


def item_columns(audit: "VoteAudit", rows: np.ndarray) -> dict[str, np.ndarray]:
    """What only votes tell of some items, a column each."""
    proba = audit.proba[rows]
    return {
        "item": audit.items[rows],
        "n_votes": audit.n_votes[rows],
        "agreement": audit.agreement[rows],
        "consensus": audit.classes[proba.argmax(axis=1)],
        "p_consensus": proba.max(axis=1),
        "ask": audit.ask[rows],
    }


def for_reading(columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Columns for a spreadsheet: four digits, as further ones say nothing, and 0 or 1.

    Examples
    --------
    >>> for_reading({"low": np.array([0.123456]), "guessing": np.array([True])})
    {'low': array([0.1235]), 'guessing': array([1])}
    """
    return {name: _for_reading(cells) for name, cells in columns.items()}


def _for_reading(cells: np.ndarray) -> np.ndarray:
    if cells.dtype.kind == "b":
        return cells.astype(int)
    return cells.round(4) if cells.dtype.kind == "f" else cells
