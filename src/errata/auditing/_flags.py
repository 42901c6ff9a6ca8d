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
    worth = p_wrong >= (LEAST_FLAGGED if precision is None else 0.0)
    listed = np.flatnonzero(suspicion >= suspicion[worth].min(initial=np.inf))
    order = listed[np.argsort(-suspicion[listed], kind="stable")]
    found, total = np.cumsum(p_wrong[order]), p_wrong.sum()
    if precision is None:
        count, rule = _best_f1(found, total, worth[order]), best_f1_rule()
    else:
        count, rule = _longest(found, precision), longest_rule(precision)
    flagged = np.zeros(len(p_wrong), dtype=bool)
    flagged[order[:count]] = worth[order[:count]]
    expected = float(p_wrong[flagged].mean()) if flagged.any() else float("nan")
    recall = float(p_wrong[flagged].sum() / total) if total > 0 else float("nan")
    return Flags(flagged, expected, recall, rule)


def _best_f1(found: np.ndarray, total: float, worth: np.ndarray) -> int:
    """Length of the list with the largest expected F1 score, which is 2 found / (length + total).

    ``found`` are the wrong labels expected among the first rows, ``total`` those among all.
    """
    last = np.flatnonzero(worth)[-1:]  # others may be as suspicious as the last
    if not len(last):
        return 0
    score = 2 * found / (np.arange(1, len(found) + 1) + total)
    return min(int(score.argmax()), int(last[0])) + 1


def best_f1_rule(judged: str = "label") -> str:
    """What is said of the list with the largest expected F1 score."""
    return (
        f"The list has the largest expected F1 score among rows whose {judged} is wrong with a "
        f"probability of {LEAST_FLAGGED:.0%} or more."
    )


def _longest(found: np.ndarray, precision: float) -> int:
    """Length of the longest list of which so large a fraction is expected to be wrong."""
    enough = np.flatnonzero(found / np.arange(1, len(found) + 1) >= precision)
    return int(enough[-1]) + 1 if len(enough) else 0


def longest_rule(precision: float) -> str:
    """What is said of the longest list that keeps a precision."""
    return f"The list is as long as keeps {precision:.0%} of it expected to be wrong."


def no_flags(n: int, why: str = "do not tell the labels apart") -> Flags:
    """Nothing is flagged: the columns cannot tell."""
    rule = f"Nothing is flagged, as the columns {why}."
    return Flags(np.zeros(n, dtype=bool), float("nan"), float("nan"), rule)
