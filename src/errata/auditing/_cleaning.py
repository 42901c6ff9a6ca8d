"""Cleaning: drop, relabel, weight or unlabel the rows whose label is probably wrong."""

from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from .._detector import spare_classes
from .._format import count, plural
from .._validation import check_choice, check_fraction
from ..tables._columns import count_rows, take_table_rows
from ._blanks import beside_blanks
from ._settings import KEPT_OF_A_CLASS, LAST_OF_A_CLASS

ACTIONS = ("drop", "relabel", "weight", "unlabel")


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
    decided : array of bool of shape (n,)
        The rows for which people have decided what becomes of them.

    Examples
    --------
    >>> import errata
    >>> from errata.noise import flip_labels
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_wine(return_X_y=True)
    >>> labels, _ = flip_labels(y, n_flips=12, random_state=0)
    >>> result = errata.audit(X, labels, estimators=[GaussianNB()], random_state=0)
    >>> cleaned = result.clean("relabel")
    >>> int((labels != y).sum()), int((cleaned.labels != y).sum())
    (12, 1)
    """

    kept: np.ndarray
    labels: np.ndarray
    weight: np.ndarray
    did: np.ndarray
    decided: np.ndarray

    def __repr__(self) -> str:
        done = ", ".join(f"{count(n)} {what}" for what, n in Counter(self.did.tolist()).items())
        return f"<Cleaned: {plural(len(self.did), 'row')}, {done}>"

    def apply(self, X: Any) -> tuple[Any, np.ndarray]:
        """The rows of ``X`` that stay, with their labels.

        ``X`` holds the rows that were audited, in that order; its length is all that is checked.
        """
        if count_rows(X) != len(self.kept):
            raise ValueError(
                f"X has {plural(count_rows(X), 'row')}, but {count(len(self.kept))} were audited; "
                "pass the same rows in the same order."
            )
        rows = np.flatnonzero(self.kept)
        return take_table_rows(X, rows), self.labels[rows]


class Scores(NamedTuple):
    """What cleaning goes by, one entry per row."""

    labels: np.ndarray
    codes: np.ndarray
    suggested: np.ndarray
    p_wrong: np.ndarray
    p_suggested: np.ndarray

    def for_rows(self, rows: np.ndarray) -> "Scores":
        """The same for some of the rows."""
        return Scores(*(column[rows] for column in self))

    def believed(self, is_so: bool) -> "Scores":
        """The same, or without any doubt where probabilities are not to be acted upon."""
        p_wrong, p_suggested = is_so * self.p_wrong, is_so * self.p_suggested
        return self._replace(p_wrong=p_wrong, p_suggested=p_suggested)


def clean_labels(
    scores: Scores,
    action: str,
    *,
    threshold: float,
    sure: float,
    unsure: str,
    spare: bool = True,
) -> Cleaned:
    """See :meth:`errata.Audit.clean`.

    Without ``spare``, classes may lose more than half of their rows: for some rows of a table, of
    which nobody knows how many of their class are elsewhere.
    """
    check_choice("action", action, ACTIONS)
    check_choice("unsure", unsure, ("keep", "drop"))
    check_fraction("threshold", threshold)
    check_fraction("sure", sure)
    labelled = scores.codes >= 0
    if labelled.all():
        return _acted_on(scores, action, threshold, sure, unsure, spare)
    filled = ~labelled & (action == "relabel") & (scores.p_suggested > sure)
    cleaned = _acted_on(scores.for_rows(labelled), action, threshold, sure, unsure, spare)
    return Cleaned(**beside_blanks(cleaned._asdict(), labelled, scores.suggested, filled))


def _acted_on(
    scores: Scores, action: str, threshold: float, sure: float, unsure: str, spare: bool
) -> Cleaned:
    """What becomes of rows that have a label."""
    wrong = scores.p_wrong > threshold
    if action == "weight":
        return _weighted(scores)
    if action == "unlabel":
        return _unlabelled(scores, wrong)
    if action == "relabel":
        return _relabelled(scores, wrong, sure, drop=unsure == "drop", spare=spare)
    return _dropped(scores, wrong, spare)


def _weighted(scores: Scores) -> Cleaned:
    did = np.where(scores.p_wrong > 0, "weighted", "kept")
    return _by_probability(np.ones(len(did), dtype=bool), scores.labels, 1 - scores.p_wrong, did)


def _unlabelled(scores: Scores, wrong: np.ndarray) -> Cleaned:
    blank = scores.labels.astype(object)
    blank[wrong] = None
    kept = np.ones(len(wrong), dtype=bool)
    did = np.where(wrong, "unlabelled", "kept")
    return _by_probability(kept, blank, np.ones(len(wrong)), did)


def _relabelled(
    scores: Scores, wrong: np.ndarray, sure: float, *, drop: bool, spare: bool
) -> Cleaned:
    changed = wrong & (scores.p_suggested > sure) & (scores.suggested != scores.labels)
    labels = np.where(changed, scores.suggested, scores.labels)
    codes = np.unique(labels, return_inverse=True)[1]  # what is left of a class counts
    unsure = wrong & ~changed & drop
    cleaned = _dropped(scores._replace(labels=labels, codes=codes), unsure, spare)
    return cleaned._replace(did=np.where(changed, "relabelled", cleaned.did))


def _dropped(scores: Scores, wrong: np.ndarray, spare: bool) -> Cleaned:
    """Leave rows out, but never more than half of a class nor its last two rows."""
    dropped = wrong.copy()
    if spare:
        dropped = spare_classes(
            wrong,
            scores.p_wrong,
            scores.codes,
            min_fraction=KEPT_OF_A_CLASS,
            min_per_class=LAST_OF_A_CLASS,
        )
    weight = (~dropped).astype(float)
    did = np.where(dropped, "dropped", "kept")
    return _by_probability(~dropped, scores.labels, weight, did)


def _by_probability(
    kept: np.ndarray, labels: np.ndarray, weight: np.ndarray, did: np.ndarray
) -> Cleaned:
    """What was done without people."""
    return Cleaned(kept, labels, weight, did, np.zeros(len(did), dtype=bool))
