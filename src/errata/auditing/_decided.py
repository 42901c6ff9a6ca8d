"""What people decided about rows, which comes before anything that is done by probability."""

import os
from typing import NamedTuple

import numpy as np

from ..review.decisions import Decisions, Resolved, as_text, from_text, resolve
from ._cleaning import Cleaned, Scores

_KINDS = ("decided", "ambiguous", "unusable")
UNCLEAR = 0.5  # the weight of a row of which people cannot tell the class


class DecidedRows(NamedTuple):
    """Labels with the classes that people gave, and what else they said; one entry per row."""

    labels: np.ndarray
    codes: np.ndarray
    decided: np.ndarray  # bool: has the class that people gave
    changed: np.ndarray  # bool: which is not what its label was
    unclear: np.ndarray  # bool: ambiguous, and kept
    gone: np.ndarray  # bool: to be left out

    @property
    def told(self) -> np.ndarray:
        """The rows of which people said what becomes of them."""
        return self.decided | self.unclear | self.gone

    def undecided(self, scores: Scores) -> Scores:
        """What is left to act upon; a label that people gave is not wrong."""
        left = ~self.gone
        if not left.any():
            raise ValueError("people found every row unusable; nothing is left of the table.")
        p_wrong = np.where(self.told, 0, scores.p_wrong)
        parts = (self.labels, self.codes, scores.suggested, p_wrong, scores.p_suggested)
        return Scores(*(part[left] for part in parts))

    def over(self, cleaned: Cleaned) -> Cleaned:
        """What was done to the others, and to these as people said."""
        left = ~self.gone
        labels = self.labels.astype(np.promote_types(self.labels.dtype, cleaned.labels.dtype))
        labels[left] = cleaned.labels
        weight = np.zeros(len(left))
        weight[left] = cleaned.weight
        weight[self.unclear] = UNCLEAR
        did = np.full(len(left), "dropped", dtype="<U10")
        did[left] = cleaned.did
        did[self.unclear], did[self.changed] = "weighted", "relabelled"
        kept = left.copy()
        kept[left] = cleaned.kept
        return Cleaned(kept, labels, weight, did, self.told)


def decided_rows(
    decisions: Decisions | str | os.PathLike,
    keys: np.ndarray,
    scores: Scores,
    classes: np.ndarray,
    *,
    drop_ambiguous: bool,
) -> DecidedRows:
    """Lay decisions beside the rows with these keys; disputed and skipped rows are left alone."""
    if not isinstance(decisions, Decisions):
        with Decisions(decisions, read_only=True) as opened:
            return decided_rows(opened, keys, scores, classes, drop_ambiguous=drop_ambiguous)
    found = resolve(decisions, keys)
    decided, ambiguous, unusable = (_among(found, kind, len(keys)) for kind in _KINDS)
    texts = found.classes[found.kinds == "decided"]
    labels, codes = _with_classes(scores, np.flatnonzero(decided), texts, classes)
    return DecidedRows(
        *(labels, codes, decided, codes != scores.codes),
        unclear=ambiguous & (not drop_ambiguous),
        gone=unusable | (ambiguous & drop_ambiguous),
    )


def _among(found: Resolved, kind: str, n: int) -> np.ndarray:
    """Which of the rows are of a kind."""
    among = np.zeros(n, dtype=bool)
    among[found.rows[found.kinds == kind]] = True
    return among


def _with_classes(
    scores: Scores, rows: np.ndarray, texts: np.ndarray, classes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Labels and their codes, with those of some rows replaced."""
    known = {as_text(name): code for code, name in enumerate(classes)}
    given = [from_text(text) for text in texts]
    check_kind(rows, given, classes)
    codes = scores.codes.copy()
    codes[rows] = [known.setdefault(text, len(known)) for text in texts]
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
