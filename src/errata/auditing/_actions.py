"""What to do about wrong labels: drop, relabel, weigh or unlabel the rows."""

from typing import Any, NamedTuple

import numpy as np

from .._compat import take_rows
from .._validation import check_choice, check_fraction

ACTIONS = ("drop", "relabel", "weight", "unlabel")
KEPT_OF_A_CLASS = 0.5
LAST_OF_A_CLASS = 2


class Cleaned(NamedTuple):
    """The labels after an action, and what was done to each row.

    Attributes
    ----------
    kept : array of bool of shape (n,)
        The rows that stay.
    labels : array of shape (n,)
        Labels of all rows; of those that stay, the ones to learn from. None for no label.
    weight : array of shape (n,)
        How much each row should count, 0 for those that were dropped.
    did : array of str of shape (n,)
        "kept", "dropped", "relabelled", "weighted" or "unlabelled".
    """

    kept: np.ndarray
    labels: np.ndarray
    weight: np.ndarray
    did: np.ndarray

    def apply(self, X: Any) -> tuple[Any, np.ndarray]:
        """The rows of ``X`` that stay, with their labels."""
        rows = np.flatnonzero(self.kept)
        return take_rows(X, rows), self.labels[rows]


def act(
    action: str,
    labels: np.ndarray,
    codes: np.ndarray,
    suggested: np.ndarray,
    p_wrong: np.ndarray,
    p_suggested: np.ndarray,
    *,
    threshold: float,
    sure: float,
    unsure: str,
) -> Cleaned:
    """See :meth:`errata.auditing.Audit.clean`."""
    check_choice("action", action, ACTIONS)
    check_choice("unsure", unsure, ("keep", "drop"))
    check_fraction("threshold", threshold)
    check_fraction("sure", sure)
    n = len(codes)
    did = np.full(n, "kept", dtype="<U10")
    if action == "weight":
        did[p_wrong > 0] = "weighted"
        return Cleaned(np.ones(n, dtype=bool), labels, 1 - p_wrong, did)
    suspects = p_wrong > threshold
    if action == "unlabel":
        did[suspects] = "unlabelled"
        blank = np.where(suspects, None, labels.astype(object))
        return Cleaned(np.ones(n, dtype=bool), blank, np.ones(n), did)
    if action == "relabel":
        relabelled = suspects & (p_suggested > sure) & (suggested != labels)
        labels = np.where(relabelled, suggested, labels)
        did[relabelled] = "relabelled"
        suspects &= ~relabelled & (unsure == "drop")
    dropped = spare_classes(suspects, codes, p_wrong)
    did[dropped] = "dropped"
    return Cleaned(~dropped, labels, (~dropped).astype(float), did)


def spare_classes(suspects: np.ndarray, codes: np.ndarray, p_wrong: np.ndarray) -> np.ndarray:
    """Drop the worst suspects, but never more than half of a class nor its last two rows."""
    dropped = np.zeros(len(codes), dtype=bool)
    for code in np.unique(codes[suspects]):
        members = np.flatnonzero(codes == code)
        most = min(int((1 - KEPT_OF_A_CLASS) * len(members)), len(members) - LAST_OF_A_CLASS)
        those = np.flatnonzero(suspects & (codes == code))
        worst = those[np.argsort(-p_wrong[those], kind="stable")]
        dropped[worst[: max(0, most)]] = True
    return dropped
