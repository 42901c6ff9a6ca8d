"""Cleaning: drop, relabel, weight or unlabel the rows whose label is probably wrong.

No more than half of a class is dropped, nor its last two rows. Where more would be, those stay that
are least probably wrong: from a probability on, which is looked for once, among all rows.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..._detector import count_kept, spare_classes
from ..._format import count, plural
from ..._validation import check_choice, check_fraction
from ...tables._columns import count_rows, take_table_rows
from .._settings import KEPT_OF_A_CLASS, LAST_OF_A_CLASS
from ..stored._rows import StoredRows

ACTIONS = ("drop", "relabel", "weight", "unlabel")

# What is said of a row that had no label and has none now; of a word, as wide as any of them.
STAYS: dict[str, Any] = {"kept": True, "weight": 1.0, "did": "kept      ", "decided": False}


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
    >>> int((labels != y).sum()), bool((cleaned.labels != y).sum() < 4)
    (12, True)
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
        p_wrong = is_so * self.p_wrong
        p_suggested = is_so * self.p_suggested
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


Act = Callable[[Scores], Cleaned]


class Cuts(NamedTuple):
    """For each class, from which probability and, of equals, which row on rows may be dropped."""

    p_wrong: np.ndarray
    row: np.ndarray

    def spared(self, codes: np.ndarray, p_wrong: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Which rows of these classes stay although their label is probably wrong."""
        p = self.p_wrong[codes]
        row = self.row[codes]
        return (p_wrong < p) | ((p_wrong == p) & (rows < row))


def clean_stored(
    stored: StoredRows, rows: slice, has_skill: bool, action: str, **options: Any
) -> Cleaned:
    """See :meth:`errata.Audit.clean_rows`."""

    def act(scores: Scores) -> Cleaned:
        return clean_labels(scores.believed(has_skill), action, spare=False, **options)

    asked = (has_skill, action, *sorted(options.items()))
    if asked not in stored.cuts:
        stored.cuts[asked] = find_cuts(stored, act)
    return clean_part(stored, rows, act, stored.cuts[asked])


def clean_part(stored: StoredRows, rows: slice, act: Act, cuts: Cuts) -> Cleaned:
    """What :func:`._cleaning.clean_labels` says of some rows when it sees all of them."""
    scores = scores_of(stored, rows)
    cleaned = act(scores)
    dropped = np.flatnonzero(cleaned.did == "dropped")
    places = dropped + rows.start
    back = dropped[cuts.spared(scores.codes[dropped], scores.p_wrong[dropped], places)]
    cleaned.kept[back] = True
    cleaned.weight[back] = 1.0
    cleaned.did[back] = "kept"
    return cleaned


def find_cuts(stored: StoredRows, act: Act) -> Cuts:
    """Look through all rows for what is too much of a class.

    ``act`` drops whatever it would drop of a class that is large enough.
    """
    n_classes = len(stored.classes)
    sizes = np.zeros(n_classes, dtype=np.intp)
    found = []
    for rows in stored.slices():
        scores = scores_of(stored, rows)
        sizes += np.bincount(scores.codes[scores.codes >= 0], minlength=n_classes)
        cleaned = act(scores)
        sizes += _moved(stored, rows, scores.codes, cleaned)
        dropped = np.flatnonzero(cleaned.did == "dropped")
        found.append((scores.codes[dropped], scores.p_wrong[dropped], dropped + rows.start))
    codes, p_wrong, places = map(np.concatenate, zip(*found, strict=True))
    return _cut(sizes, codes, p_wrong, places)


def scores_of(stored: StoredRows, rows: slice) -> Scores:
    """What cleaning goes by, of some rows."""
    columns: dict[str, Any] = {
        name: stored.read(name, rows.start, rows.stop)
        for name in ("labels", "suggested", "p_wrong", "p_suggested")
    }
    return Scores(codes=stored.codes("labels", rows.start, rows.stop), **columns)


def _moved(stored: StoredRows, rows: slice, codes: np.ndarray, cleaned: Cleaned) -> np.ndarray:
    """By how much classes grow as rows are relabelled: what is left of a class counts."""
    n_classes = len(stored.classes)
    moved = (cleaned.did == "relabelled") & (codes >= 0)
    if not moved.any():
        return np.zeros(n_classes, dtype=np.intp)
    new = stored.codes("suggested", rows.start, rows.stop)[moved]
    return np.bincount(new, minlength=n_classes) - np.bincount(codes[moved], minlength=n_classes)


def _cut(sizes: np.ndarray, codes: np.ndarray, p_wrong: np.ndarray, rows: np.ndarray) -> Cuts:
    """The cuts that leave enough of each class, when these rows would be dropped."""
    kept = count_kept(sizes, min_per_class=LAST_OF_A_CLASS, min_fraction=KEPT_OF_A_CLASS)
    cuts = Cuts(np.full(len(sizes), -np.inf), np.zeros(len(sizes), dtype=np.intp))
    back = kept - (sizes - np.bincount(codes, minlength=len(sizes)))
    for code in np.flatnonzero(back > 0):
        members = np.flatnonzero(codes == code)
        ordered = members[np.lexsort((rows[members], p_wrong[members]))]
        if back[code] == len(members):
            cuts.p_wrong[code] = np.inf
        else:
            first = ordered[back[code]]
            cuts.p_wrong[code] = p_wrong[first]
            cuts.row[code] = rows[first]
    return cuts


def beside_blanks(
    cleaned: dict[str, np.ndarray], labelled: np.ndarray, classes: np.ndarray, filled: np.ndarray
) -> dict[str, np.ndarray]:
    """The fields of what was cleaned, for all rows.

    Parameters
    ----------
    cleaned : dict
        The fields for the labelled rows.
    labelled, filled : arrays of bool of shape (n,)
        Which rows have a label, and which others are given one.
    classes : array of shape (n,)
        The labels they are given.

    Examples
    --------
    >>> cleaned = {"labels": np.array(["cat"]), "did": np.array(["kept"])}
    >>> labelled, filled = np.array([False, True, False]), np.array([True, False, False])
    >>> fields = beside_blanks(cleaned, labelled, np.array(["dog", "", "cat"]), filled)
    >>> fields["labels"].tolist(), fields["did"].tolist()
    (['dog', 'cat', None], ['relabelled', 'kept', 'kept'])
    """
    labels = np.full(len(labelled), None, dtype=object)
    labels[labelled] = cleaned["labels"]
    labels[filled] = classes[filled]
    spread = {"labels": labels}
    for name, values in cleaned.items():
        if name != "labels":
            spread[name] = np.full(len(labelled), STAYS[name])
            spread[name][labelled] = values
    spread["did"][filled] = "relabelled"
    spread["did"] = np.char.strip(spread["did"])
    return spread
