"""An event: what one person said of one row, when, and what they saw when they said it."""

import json
from datetime import UTC, datetime
from math import isclose, isfinite
from typing import Any, NamedTuple

CLASS_KINDS = ("suggestion", "label", "other")
VERDICTS = (*CLASS_KINDS, "ambiguous", "unusable", "skip")
REVERSALS = ("undo", "redo")
KINDS = (*VERDICTS, "note", *REVERSALS)
LONGEST_NOTE = 4000
GOLD = "gold"  # the queue of rows that test the reviewer

# What makes two events with one key the same: a request that is sent again may come later.
_SAID = ("reviewer", "row_key", "kind", "class_text", "batch", "note", "undoes")

ROUNDING = 1e-9  # numbers that differ by less of their size are the same, written differently


class Event(NamedTuple):
    """One thing that a reviewer said of a row; give its fields by name.

    Attributes
    ----------
    reviewer : str
        Who said it; not empty.
    row_key : str
        Which row, however the table is sorted.
    row : int
        Its number in the audit, as a hint.
    kind : str
        "suggestion", "label" and "other" name a class (a number, a list of labels): the one
        suggested, the label itself, another. "ambiguous": nobody can tell. "unusable": the row
        should go. "skip": not now. "note": a remark and no verdict. "undo" and "redo" are made by
        :class:`Decisions`.
    label, suggested : str
        What the card showed, as JSON text (:func:`as_text`).
    p_wrong : float
        What the audit said of the label.
    audit : str
        The fingerprint of that audit.
    queue : str, default="suspects"
        Why the row was shown; "gold" where its label is certain and it tests the reviewer. Such an
        event is no verdict on a row of the table.
    class_text : str or None
        The class, as JSON text, where the kind names one.
    note : str or None
        At most 4,000 characters.
    seconds : float or None
        How long it took.
    batch : str or None
        Events of one batch are undone together.
    key : str
        Made with the card, so that a request sent twice is one event; drawn when empty.
    at : str
        Time in UTC, given by the store when empty.
    undoes, id : int or None
        Which event an undo or a redo takes back, and the number in this file.

    Examples
    --------
    >>> from errata.review import Event
    >>> event = Event(
    ...     reviewer="ann", row_key="row.12", row=12, kind="suggestion", class_text='"dog"',
    ...     label='"cat"', suggested='"dog"', p_wrong=0.93, audit="5f0c",
    ... )
    >>> event.kind, event.queue
    ('suggestion', 'suspects')
    """

    reviewer: str
    row_key: str
    row: int
    kind: str
    label: str
    suggested: str
    p_wrong: float
    audit: str
    queue: str = "suspects"
    class_text: str | None = None
    note: str | None = None
    seconds: float | None = None
    batch: str | None = None
    key: str = ""
    at: str = ""
    undoes: int | None = None
    id: int | None = None

    @property
    def order(self) -> tuple[str, str]:
        """Where it stands among all events, the same in every file that holds it."""
        return self.at, self.key

    @property
    def unit(self) -> tuple[str, str]:
        """The key of all that is undone together: the event, or the whole batch of its reviewer."""
        return ("", self.key) if self.batch is None else (self.reviewer, self.batch)

    def says_the_same(self, other: "Event") -> bool:
        """Whether both are one request, sent twice."""
        if self.at not in ("", other.at):
            return False
        return all(getattr(self, name) == getattr(other, name) for name in _SAID)

    def reversed_by(self, kind: str, key: str | None) -> "Event":
        """The undo or redo that takes this event back."""
        plain = self._replace(class_text=None, note=None, seconds=None, batch=None, id=None)
        return plain._replace(kind=kind, undoes=self.id, key=key or "", at="")

    def check(self) -> "Event":
        """The event as it is kept, or a sentence about what is wrong with it."""
        if self.kind not in KINDS:
            raise ValueError(f"kind={self.kind!r} is no verdict; choose from {', '.join(KINDS)}.")
        if self.kind in REVERSALS:
            raise ValueError(
                f"a reviewer takes something back with {self.kind}(), not with an event."
            )
        if not self.reviewer.strip():
            raise ValueError("the name of the reviewer is empty; decisions need to be somebody's.")
        if self.note is not None and len(self.note) > LONGEST_NOTE:
            length = f"{len(self.note):,} characters"
            raise ValueError(f"a note of {length} is too long; at most {LONGEST_NOTE:,} fit.")
        if (self.kind in CLASS_KINDS) != (self.class_text is not None):
            needs = "needs a class" if self.kind in CLASS_KINDS else "takes no class"
            raise ValueError(f"a verdict {self.kind!r} {needs}, but got {self.class_text!r}.")
        for text in (self.label, self.suggested, self.class_text):
            try:
                json.loads("null" if text is None else text)
            except ValueError:
                raise ValueError(f"{text!r} is no label as JSON text; as_text makes it.") from None
        if not 0 <= self.p_wrong <= 1:
            raise ValueError(f"p_wrong={self.p_wrong!r} is no probability.")
        if self.seconds is not None and not isfinite(self.seconds):
            raise ValueError(f"seconds={self.seconds!r} is not a number of seconds.")
        return self._replace(at=sortable_time(self.at)) if self.at else self

    def as_dict(self) -> dict[str, Any]:
        """Its fields, for export; ``class`` is that of the table of events."""
        fields = self._asdict()
        return fields | {"class": fields.pop("class_text")}


def as_text(label: Any) -> str:
    """A label as JSON text, in which 1, "1", true and "" stay apart; null where there is none.

    Whole numbers are 1 and not 1.0: a column of them has floats as soon as one cell is empty. Of
    several labels of a row the order does not matter.

    Examples
    --------
    >>> as_text(1), as_text(1.0), as_text("1"), as_text(True), as_text(""), as_text(float("nan"))
    ('1', '1', '"1"', 'true', '""', 'null')
    >>> as_text(["dog", "cat"])
    '["cat", "dog"]'
    """
    value = label.item() if hasattr(label, "item") else label
    if isinstance(value, list):
        return f"[{', '.join(sorted(map(as_text, value)))}]"
    if value != value:  # NaN stands for a label that is missing, and is no JSON
        value = None
    elif isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, allow_nan=False)


def from_text(text: str) -> Any:
    """The label that :func:`as_text` has written.

    Examples
    --------
    >>> from_text('"cat"'), from_text("3"), from_text("null")
    ('cat', 3, None)
    """
    return json.loads(text)


def differ(one: str, other: str) -> bool:
    """Whether two texts stand for different labels; numbers differ by more than rounding.

    Examples
    --------
    >>> differ("0.3", "0.30000000000000004"), differ("0.3", "0.31"), differ("1", '"1"')
    (False, True, True)
    """
    if one == other:
        return False
    values = from_text(one), from_text(other)
    # Whole numbers are exact, and may be classes.
    numbers = all(type(value) in (int, float) for value in values)
    if not numbers or not any(isinstance(value, float) for value in values):
        return True
    return not isclose(*values, rel_tol=ROUNDING)


def sortable_time(text: str) -> str:
    """A time in ISO 8601 as it is kept: in UTC, to the microsecond; without a zone, UTC is meant.

    Examples
    --------
    >>> sortable_time("2026-03-01T12:30:00+02:00"), sortable_time("2026-03-01 12:30")
    ('2026-03-01T10:30:00.000000Z', '2026-03-01T12:30:00.000000Z')
    """
    time = datetime.fromisoformat(text)
    return format_time(time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC))


def format_time(time: datetime) -> str:
    """A time in UTC as it is kept."""
    return f"{time:%Y-%m-%dT%H:%M:%S.%f}Z".rjust(27, "0")  # %Y pads not everywhere
