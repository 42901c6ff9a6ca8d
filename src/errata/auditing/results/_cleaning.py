"""Cleaning: drop, relabel, weight or unlabel the rows whose label is probably wrong.

One cleaning for every kind of label. What people decided comes first. No more than half of a class
is dropped, nor its last two rows; of labels that are no classes, no more than half of all rows.
Where more would be, those stay that are least probably wrong: from a probability on, which is
looked for once, among all rows.
"""

import os
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..._detector import spare_classes
from ..._format import count, plural
from ..._validation import check_choice, check_fraction
from ...audit_folder import evidence_of, shifted, update
from ...audit_folder.decisions import Decisions, resolve
from ...tables._columns import count_rows, take_table_rows
from .._settings import KEPT_OF_A_CLASS, LAST_OF_A_CLASS
from ..inputs._labels import fill_with_none

if TYPE_CHECKING:
    from ._base import BaseAudit

# Actions, and what is said of a row to which one was done; numbers are replaced, others relabelled.
DONE = {
    "drop": "dropped",
    "relabel": "relabelled",
    "replace": "replaced",
    "weight": "weighted",
    "unlabel": "unlabelled",
}
UNCLEAR = 0.5  # the weight of a row of which people cannot tell the class
LEAST_P = 1e-9  # probability of either, so that there are odds


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
    >>> from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    >>> X, y = load_wine(return_X_y=True)
    >>> labels, _ = flip_labels(y, n_flips=20, random_state=0)
    >>> model = LinearDiscriminantAnalysis()
    >>> cleaned = errata.audit(X, labels, estimators=[model], random_state=0).clean("relabel")
    >>> int((labels != y).sum()), bool((cleaned.labels != y).sum() < 5)
    (20, True)
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
    """Scores that cleaning goes by, one per row; where rows have several labels, one per cell."""

    labels: np.ndarray
    codes: np.ndarray  # (n,), classes of which half stay; -1 for a row without a label
    suggested: np.ndarray
    p_wrong: np.ndarray
    p_suggested: np.ndarray | None = None  # None where whatever is suggested is given

    def for_rows(self, rows: np.ndarray) -> "Scores":
        """The same for some of the rows."""
        return Scores(*(None if column is None else column[rows] for column in self))  # type: ignore[arg-type]

    def reweighed(self, odds: np.ndarray) -> "Scores":
        """The same where the odds of each row are multiplied; suggestions are as sure as before."""
        p_wrong = shifted(self.p_wrong, odds if self.p_wrong.ndim == 1 else odds[:, None])
        if self.p_suggested is None:
            return self._replace(p_wrong=p_wrong)
        is_other = (self.suggested != self.labels) & (self.p_wrong > 0)
        ratio = np.divide(p_wrong, self.p_wrong, out=np.ones_like(p_wrong), where=is_other)
        return self._replace(p_wrong=p_wrong, p_suggested=self.p_suggested * ratio)

    def believed(self, is_so: bool) -> "Scores":
        """The same, or without any doubt where probabilities are not to be acted upon."""
        p_suggested = None if self.p_suggested is None else is_so * self.p_suggested
        return self._replace(p_wrong=is_so * self.p_wrong, p_suggested=p_suggested)


def clean_audit(
    audit: "BaseAudit",
    action: str,
    *,
    decisions: Decisions | str | os.PathLike | None,
    undecided: str,
    ambiguous: str,
    **how: Any,
) -> Cleaned:
    """See :meth:`errata.Audit.clean`: what people decided, and the action on all other rows.

    ``how`` are further arguments of :func:`clean_labels`.
    """
    check_choice("undecided", undecided, ("act", "keep"))
    check_choice("ambiguous", ambiguous, ("keep", "drop"))
    how |= {"action": action, "change": audit._change}
    scores = audit._scores()
    is_believed = audit.has_skill and undecided == "act"
    if decisions is None:
        return clean_labels(scores.believed(is_believed), **how)
    drop = ambiguous == "drop"
    rows, texts, unclear, gone = read_decided(decisions, audit._row_keys(), drop_ambiguous=drop)
    given, changed = audit._give(scores, rows, texts)
    scores = scores.reweighed(weigh_verdicts(audit, rows, changed)).believed(is_believed)
    scores = scores._replace(labels=given.labels, codes=given.codes)
    if gone.all():
        raise ValueError("people found every row unusable; nothing is left of the table.")
    left = ~gone
    told = gone | unclear
    told[rows] = True
    p_wrong = scores.p_wrong.copy()
    p_wrong[told] = 0.0  # a label that people gave is not wrong
    done = clean_labels(scores._replace(p_wrong=p_wrong).for_rows(left), **how)
    labels = scores.labels.astype(np.promote_types(scores.labels.dtype, done.labels.dtype))
    labels[left] = done.labels
    weight = np.zeros(len(left))
    weight[left] = done.weight
    weight[unclear] = UNCLEAR
    did = np.full(len(left), "dropped", dtype="<U10")
    did[left] = done.did
    did[unclear] = "weighted"
    did[changed] = DONE[audit._change]
    kept = left.copy()
    kept[left] = done.kept
    return Cleaned(kept, labels, weight, did, told)


def weigh_verdicts(audit: "BaseAudit", rows: np.ndarray, changed: np.ndarray) -> np.ndarray:
    """By how much verdicts on some rows multiply the odds that each row of the audit is wrong.

    ``changed`` are the rows that people gave another label. The odds become what a review expects.
    """
    before = audit._p_row
    rows = rows[before[rows] > 0]  # others had no label, or it was known
    found = audit._for_review and audit.has_skill and audit._for_review.components(audit)
    if not found or not len(rows):
        return np.ones(len(before))
    components, p = found
    verdicts = evidence_of(components, p[rows], changed[rows], audit.flagged[rows], before[rows])
    after = update(components, verdicts).p_wrong(p, audit.flagged).clip(LEAST_P, 1 - LEAST_P)
    before = before.clip(LEAST_P, 1 - LEAST_P)
    return after / (1 - after) * (1 - before) / before


def read_decided(
    decisions: Decisions | str | os.PathLike, keys: np.ndarray, *, drop_ambiguous: bool = False
) -> tuple[np.ndarray, list[str], np.ndarray, np.ndarray]:
    """Rows that people gave a label, these as JSON, and which rows are unclear or to be left out.

    Disputed and skipped rows are left alone.
    """
    if not isinstance(decisions, Decisions):
        with Decisions(decisions, read_only=True) as opened:
            return read_decided(opened, keys, drop_ambiguous=drop_ambiguous)
    found = resolve(decisions, keys)
    is_decided = found.kinds == "decided"
    unclear = np.zeros(len(keys), dtype=bool)
    unclear[found.rows[found.kinds == "ambiguous"]] = True
    gone = unclear & drop_ambiguous
    gone[found.rows[found.kinds == "unusable"]] = True
    texts = found.classes[is_decided].tolist()
    return found.rows[is_decided], texts, unclear & ~gone, gone


def clean_labels(
    scores: Scores,
    action: str,
    *,
    threshold: float,
    sure: float = 0.0,
    unsure: str = "keep",
    change: str = "relabel",
    blank: Any = None,
    spare: bool = True,
) -> Cleaned:
    """Clean rows of which people have said nothing.

    ``change`` is the action that gives other labels, ``blank`` what stands for no label. Without
    ``spare``, classes may lose more than half of their rows: for some rows of a table, of which
    nobody knows how many of their class are elsewhere.
    """
    check_choice("action", action, ("drop", change, "weight", "unlabel"))
    check_choice("unsure", unsure, ("keep", "drop"))
    check_fraction("threshold", threshold)
    check_fraction("sure", sure)
    labels = scores.labels
    codes = scores.codes
    labelled = codes >= 0
    p_wrong = scores.p_wrong
    if not labelled.all():
        labels = fill_with_none(labels)
        p_wrong = np.where(labelled, p_wrong, 0)
    wrong = p_wrong > threshold
    p_row = p_wrong if p_wrong.ndim == 1 else p_wrong.max(axis=1)  # of the worst cell
    dropped = np.zeros(len(labels), dtype=bool)
    weight = np.ones(len(labels))
    if action == "drop":
        changed = np.zeros_like(wrong)
        dropped = p_row > threshold
    elif action == "weight":
        changed = p_wrong > 0
        weight = 1 - p_row
    elif action == "unlabel":
        changed = wrong
        labels = np.where(changed, blank, labels)
    else:
        changed = wrong
        if scores.p_suggested is not None:
            is_sure = (scores.p_suggested > sure) & (scores.suggested != scores.labels)
            changed = (wrong if labelled.all() else wrong | ~labelled) & is_sure
        labels = np.where(changed, scores.suggested, labels)
        if unsure == "drop":
            dropped = wrong & ~changed
            codes = codes.copy()  # what is left of a class counts
            codes[labelled] = np.unique(labels[labelled], return_inverse=True)[1]
    if spare and dropped.any():
        dropped[labelled] = spare_classes(
            dropped[labelled],
            p_row[labelled],
            codes[labelled],
            min_fraction=KEPT_OF_A_CLASS,
            min_per_class=LAST_OF_A_CLASS,
        )
    weight[dropped] = 0.0
    did = np.full(len(labels), "kept", dtype="<U10")
    did[changed if changed.ndim == 1 else changed.any(axis=1)] = DONE[action]
    did[dropped] = "dropped"
    return Cleaned(~dropped, labels, weight, did, np.zeros(len(labels), dtype=bool))
