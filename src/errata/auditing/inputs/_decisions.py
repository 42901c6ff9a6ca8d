"""What people decided about rows, which comes before anything that is done by probability."""

import os
from typing import Any, NamedTuple

import numpy as np

from ..._format import plural
from ...audit_folder.decisions import Decisions, Resolved, as_text, from_text, resolve
from ._inputs import Inputs
from ._labels import has_label, label_column, one_per_row, take_known_column, yes_or_no

_TOLD = ("decided", "ambiguous", "unusable", "disputed")  # what :func:`resolve` tells of


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

    def find_verdicts(self, inputs: Inputs) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The audited rows that were decided, and as codes what labels were and classes are."""
        place = {name: code for code, name in enumerate(inputs.classes[inputs.present].tolist())}
        were = np.array([place.get(label, -1) for label in self.were])
        at, are_audited = inputs.places_of(self.rows)
        meant = are_audited & (were >= 0)
        return at[meant], were[meant].astype(np.intp), inputs.audited_codes[at[meant]]


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
    table, known = take_known_column(table, known)
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
    new = _replace_labels(labels, decided, given, unusable if may_be_blank else unusable[:0])
    return DecidedLabels(table, new, mask, decided, were, notes)


def row_names(keys: Any, n: int) -> np.ndarray:
    """The keys of rows; by default their places."""
    if keys is None:
        return np.array([f"row.{row}" for row in range(n)], dtype=object)
    return one_per_row("keys", keys, n)


def _replace_labels(
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
