"""Flags: the list of rows worth a look, drawn from the probabilities that labels are wrong."""

from typing import NamedTuple

import numpy as np

from ._settings import LEAST_FLAGGED


class Flags(NamedTuple):
    """The flagged rows, and what may be expected of them."""

    flagged: np.ndarray
    expected_precision: float
    expected_recall: float
    rule: str


def draw_flags(p_wrong: np.ndarray, suspicion: np.ndarray, precision: float | None = None) -> Flags:
    """Flag the most suspicious rows, as many as promise most.

    Without a precision, the list with the largest expected F1 score among rows that are wrong with
    a probability worth a look; with one, the longest list whose expected fraction of wrong labels
    reaches it.
    """
    least = LEAST_FLAGGED if precision is None else 0.0
    worth = p_wrong >= least
    listed = np.flatnonzero(suspicion >= suspicion[worth].min(initial=np.inf))
    order = listed[np.argsort(-suspicion[listed], kind="stable")]
    found = np.cumsum(p_wrong[order])
    length = np.arange(1, len(order) + 1)
    total = p_wrong.sum()
    if precision is None:
        score = 2 * found / (length + total)
        last = np.flatnonzero(worth[order])[-1:]  # others may be as suspicious as the last
        count = min(int(score.argmax()), last[0]) + 1 if len(last) else 0
        rule = (
            f"The list has the largest expected F1 score among rows whose label is wrong with a "
            f"probability of {least:.0%} or more."
        )
    else:
        enough = np.flatnonzero(found / length >= precision)
        count = enough[-1] + 1 if len(enough) else 0
        rule = f"The list is as long as keeps {precision:.0%} of it expected to be wrong."
    flagged = np.zeros(len(p_wrong), dtype=bool)
    flagged[order[:count]] = worth[order[:count]]
    expected = float(p_wrong[flagged].mean()) if flagged.any() else float("nan")
    recall = float(p_wrong[flagged].sum() / total) if total > 0 else float("nan")
    return Flags(flagged, expected, recall, rule)


def no_flags(n: int) -> Flags:
    """Nothing is flagged: the columns cannot tell."""
    rule = "Nothing is flagged, as the columns do not tell the labels apart."
    return Flags(np.zeros(n, dtype=bool), float("nan"), float("nan"), rule)
