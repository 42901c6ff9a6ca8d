"""What people decided about rows, which comes before anything that is done by probability."""

import os
from typing import Any, NamedTuple

import numpy as np

from ..._format import plural
from ..._validation import check_choice
from ...audit_folder.decisions import Decisions, Resolved, as_text, from_text, resolve
from ..classes import Verdicts
from ..results._cleaning import Cleaned, Scores
from ._inputs import Inputs
from ._labels import has_label, known_column, label_column, one_per_row, yes_or_no

_KINDS = ("decided", "ambiguous", "unusable")
UNCLEAR = 0.5  # the weight of a row of which people cannot tell the class

_TOLD = ("decided", "ambiguous", "unusable", "disputed")  # what :func:`resolve` tells of


class DecidedRows(NamedTuple):
    """Labels with what people gave instead, and what else they said; one entry per row."""

    labels: np.ndarray
    decided: np.ndarray  # bool: has the class that people gave
    changed: np.ndarray  # bool: which is not what its label was
    unclear: np.ndarray  # bool: ambiguous, and kept
    gone: np.ndarray  # bool: to be left out
    codes: np.ndarray | None = None  # of the labels, where they are classes

    @property
    def told(self) -> np.ndarray:
        """The rows of which people said what becomes of them."""
        return self.decided | self.unclear | self.gone

    @property
    def left(self) -> np.ndarray:
        """The rows that people leave in the table."""
        if self.gone.all():
            raise ValueError("people found every row unusable; nothing is left of the table.")
        return ~self.gone

    def doubts(self, p_wrong: np.ndarray) -> np.ndarray:
        """What is left to act upon, of rows that stay; a label that people gave is not wrong."""
        told = self.told if p_wrong.ndim == 1 else self.told[:, None]
        return np.where(told, 0, p_wrong)[self.left]

    def undecided(self, scores: Scores) -> Scores:
        """What is left to act upon in an audit of classes."""
        parts = (self.labels, self.codes, scores.suggested, scores.p_wrong, scores.p_suggested)
        left = Scores(*(part[self.left] for part in parts if part is not None))
        return left._replace(p_wrong=self.doubts(scores.p_wrong))

    def over(self, cleaned: Cleaned, changed: str = "relabelled") -> Cleaned:
        """What was done to the others, and to these as people said."""
        left = self.left
        labels = self.labels.astype(np.promote_types(self.labels.dtype, cleaned.labels.dtype))
        labels[left] = cleaned.labels
        weight = np.zeros(len(left))
        weight[left] = cleaned.weight
        weight[self.unclear] = UNCLEAR
        did = np.full(len(left), "dropped", dtype="<U10")
        did[left] = cleaned.did
        did[self.unclear] = "weighted"
        did[self.changed] = changed
        kept = left.copy()
        kept[left] = cleaned.kept
        return Cleaned(kept, labels, weight, did, self.told)


def check_decided(undecided: str, ambiguous: str) -> None:
    """Raise for what ``clean`` does not know of rows that people decided, or did not."""
    check_choice("undecided", undecided, ("act", "keep"))
    check_choice("ambiguous", ambiguous, ("keep", "drop"))


class Said(NamedTuple):
    """What people said of rows, one entry per row, and what they gave to those they decided."""

    decided: np.ndarray
    texts: np.ndarray  # of the decided rows, in their order: JSON
    unclear: np.ndarray
    gone: np.ndarray

    @property
    def rows(self) -> np.ndarray:
        """Places of the decided rows."""
        return np.flatnonzero(self.decided)

    @property
    def given(self) -> list[Any]:
        """What people gave to these."""
        return [from_text(text) for text in self.texts]

    def laid_over(
        self, labels: np.ndarray, changed: np.ndarray, codes: np.ndarray | None = None
    ) -> DecidedRows:
        """The same beside labels that have what people gave."""
        return DecidedRows(labels, self.decided, changed, self.unclear, self.gone, codes)


def said_of_rows(
    decisions: Decisions | str | os.PathLike, keys: np.ndarray, *, drop_ambiguous: bool
) -> Said:
    """Lay decisions beside the rows with these keys; disputed and skipped rows are left alone."""
    if not isinstance(decisions, Decisions):
        with Decisions(decisions, read_only=True) as opened:
            return said_of_rows(opened, keys, drop_ambiguous=drop_ambiguous)
    found = resolve(decisions, keys)
    decided, ambiguous, unusable = (_among(found, kind, len(keys)) for kind in _KINDS)
    return Said(
        decided,
        found.classes[found.kinds == "decided"],
        unclear=ambiguous & (not drop_ambiguous),
        gone=unusable | (ambiguous & drop_ambiguous),
    )


def decided_rows(
    decisions: Decisions | str | os.PathLike,
    keys: np.ndarray,
    scores: Scores,
    classes: np.ndarray,
    *,
    drop_ambiguous: bool,
) -> DecidedRows:
    """The labels of an audit of classes, with the classes that people gave."""
    said = said_of_rows(decisions, keys, drop_ambiguous=drop_ambiguous)
    labels, codes = _with_classes(scores, said, classes)
    return said.laid_over(labels, codes != scores.codes, codes)


def _among(found: Resolved, kind: str, n: int) -> np.ndarray:
    """Which of the rows are of a kind."""
    among = np.zeros(n, dtype=bool)
    among[found.rows[found.kinds == kind]] = True
    return among


def _with_classes(scores: Scores, said: Said, classes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Labels and their codes, with those of some rows replaced."""
    known = {as_text(name): code for code, name in enumerate(classes)}
    rows = said.rows
    given = said.given
    check_kind(rows, given, classes)
    codes = scores.codes.copy()
    codes[rows] = [known.setdefault(text, len(known)) for text in said.texts]
    labels = scores.labels.astype(object)
    labels[rows] = given
    # Not to the type that the labels had: a longer text would be cut.
    plain = labels if scores.labels.dtype == object else np.array(labels.tolist())
    return plain, codes


def check_kind(rows: np.ndarray, given: list[object], classes: np.ndarray) -> None:
    """Raise when a class is not even of the type that labels have; 1 is not "1"."""
    like = from_text(as_text(classes[0]))
    for row, value in zip(rows.tolist(), given, strict=True):
        if type(value) is not type(like):
            raise ValueError(
                f"row {row} was decided to be {value!r}, but labels of this audit are like "
                f"{like!r}; these are decisions about another table."
            )


class DecidedLabels(NamedTuple):
    """A table with the classes that people gave for labels, which are known then."""

    table: Any  # without the columns of labels and of what was known before
    labels: np.ndarray  # None for rows that people found unusable
    known: np.ndarray
    rows: np.ndarray  # that were decided
    were: np.ndarray  # the labels that these rows had when they were decided
    notes: list[str]


def lay_over(
    table: Any,
    y: Any,
    known: Any,
    decisions: Decisions | str | os.PathLike,
    keys: Any,
    *,
    may_be_blank: bool = True,
) -> DecidedLabels:
    """Replace labels by the classes that people gave; rows are found by their keys.

    Ambiguous, disputed and skipped rows are audited like any others; so are unusable ones where
    no label may be missing, as in recordings.
    """
    if not isinstance(decisions, Decisions):
        with Decisions(decisions, read_only=True) as opened:
            return lay_over(table, y, known, opened, keys, may_be_blank=may_be_blank)
    table, labels = label_column(table, y)
    table, known = known_column(table, known)
    found = resolve(decisions, row_names(keys, len(labels)))
    decided, unusable = (found.rows[found.kinds == kind] for kind in ("decided", "unusable"))
    is_decided = found.kinds == "decided"
    given = [from_text(text) for text in found.classes[is_decided]]
    check_kind(decided, given, labels[has_label(labels)][:1])
    mask = np.zeros(len(labels), dtype=bool)
    if known is not None:
        mask = yes_or_no(one_per_row("known", known, len(labels))).copy()
    mask[decided] = True
    mask[unusable] = False
    were = np.array([from_text(text) for text in found.labels[is_decided]], dtype=object)
    notes = notes_on_decisions(found, decisions, may_be_blank=may_be_blank)
    new = _replaced(labels, decided, given, unusable if may_be_blank else unusable[:0])
    return DecidedLabels(table, new, mask, decided, were, notes)


def verdicts_of(told: DecidedLabels | None, inputs: Inputs) -> Verdicts:
    """The verdicts on audited rows, as codes: what labels were, and what classes are."""
    rows = np.empty(0, dtype=np.intp) if told is None else told.rows
    place = {name: code for code, name in enumerate(inputs.classes[inputs.present].tolist())}
    were = np.array([place.get(label, -1) for label in ([] if told is None else told.were)])
    at, are_audited = inputs.places_of(rows)
    meant = are_audited & (were >= 0)
    return Verdicts(at[meant], were[meant].astype(np.intp), inputs.audited_codes[at[meant]])


def row_names(keys: Any, n: int) -> np.ndarray:
    """The keys of rows; by default their places."""
    if keys is None:
        return np.array([f"row.{row}" for row in range(n)], dtype=object)
    return one_per_row("keys", keys, n)


def _replaced(
    labels: np.ndarray, rows: np.ndarray, given: list[Any], unusable: np.ndarray
) -> np.ndarray:
    new = labels.astype(object)
    for row, value in zip(rows.tolist(), given, strict=True):
        new[row] = value
    new[unusable] = None
    # Not to the type that the labels had: a longer text would be cut.
    return new if labels.dtype == object or len(unusable) else np.array(new.tolist())


def notes_on_decisions(
    found: Resolved, decisions: Decisions, *, may_be_blank: bool = True, what: str = "label"
) -> list[str]:
    """What the reader should know of decisions; raise when none of them is about this table."""
    told = {kind: int(np.sum(found.kinds == kind)) for kind in ("decided", "unusable")}
    said = []
    if told["decided"]:
        said.append(f"{plural(told['decided'], what)} decided by people: taken as known.")
    if told["unusable"]:
        unusable = f"{plural(told['unusable'], 'row')} found unusable by people"
        as_what = f"as if there were no {what}" if may_be_blank else "like any other"
        said.append(f"{unusable}: audited {as_what}.")
    stated = [verdict.state for verdict in decisions.verdicts().values()]
    elsewhere = sum(state in _TOLD for state in stated) - len(found.rows)
    if elsewhere > 0 and not len(found.rows):
        raise ValueError(
            f"no decision in {decisions.path} is about a row of this table, going by their keys; "
            "give the decisions that were made about this table."
        )
    if elsewhere > 0:
        said.append(f"{plural(elsewhere, 'decision')} about rows that are not in this table.")
    return said
