"""What several reviewers say of one row, together."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ._event import CLASS_KINDS, VERDICTS, Event

DISPUTED, SKIPPED, SEEN = "disputed", "skipped", "seen"
_MAJORITY = 2  # reviewers that a majority needs
_AGAINST = 1  # at most, of those who say otherwise


class RowVerdict(NamedTuple):
    """What was decided about a row.

    Attributes
    ----------
    state : str
        "decided", "ambiguous", "unusable", "disputed", "skipped", or "seen": a row that has a note
        alone, or about which everything was taken back.
    class_text : str or None
        The class of a decided row, as JSON text.
    reviewers : tuple of str
        Whose verdicts stand, sorted.
    at : str
        When the last of them was given.
    note : str or None
        What was remarked; with names where several did.
    p_wrong : float
        What the audit said of the label when the row was first decided.
    label : str
        The label that was shown then, as JSON text.
    queue : str
        Why the row was shown then.
    row : int
        The number of the row then.
    audit : str
        The fingerprint of the audit that it was shown for.
    """

    state: str
    class_text: str | None
    reviewers: tuple[str, ...]
    at: str
    note: str | None
    p_wrong: float
    label: str
    queue: str
    row: int
    audit: str


def opinion(event: Event) -> tuple[str, str | None]:
    """State and class that one verdict stands for; whether the class was suggested is no matter."""
    if event.kind in CLASS_KINDS:
        return "decided", event.class_text
    return (SKIPPED if event.kind == "skip" else event.kind), None


def last_verdicts(standing: Iterable[Event]) -> dict[str, Event]:
    """The last verdict of each reviewer, of events in their order."""
    return {event.reviewer: event for event in standing if event.kind in VERDICTS}


def row_verdict(
    history: list[Event], standing: list[Event], last: Mapping[str, Event]
) -> RowVerdict:
    """What the events about one row amount to; both lists are in the order of the events."""
    state, class_text = agreed([opinion(event) for event in last.values()])
    counted = list(last.values()) or history[-1:]
    if len(counted) > 1:
        counted.sort(key=_order)
    first = counted[0]
    return RowVerdict(
        state,
        class_text,
        tuple(sorted(last)),
        counted[-1].at,
        _notes(standing),
        first.p_wrong,
        first.label,
        first.queue,
        first.row,
        first.audit,
    )


def agreed(opinions: list[tuple[str, str | None]]) -> tuple[str, str | None]:
    """The opinion of all, or of a majority of two or more with no more than one against.

    Examples
    --------
    >>> dog, cat = ("decided", '"dog"'), ("decided", '"cat"')
    >>> agreed([dog])[0], agreed([dog, cat])[0], agreed([dog, cat, dog])
    ('decided', 'disputed', ('decided', '"dog"'))
    >>> agreed([dog, dog, cat, cat])[0], agreed([("skipped", None), dog])[0], agreed([])[0]
    ('disputed', 'decided', 'seen')
    """
    if not opinions:
        return SEEN, None
    if opinions.count(opinions[0]) == len(opinions):
        return opinions[0]
    counts = Counter(told for told in opinions if told[0] != SKIPPED)
    favourite, votes = counts.most_common(1)[0]
    against = counts.total() - votes
    if against and (votes < _MAJORITY or against > _AGAINST):
        return DISPUTED, None
    return favourite


def _notes(standing: Iterable[Event]) -> str | None:
    last = {event.reviewer: event.note for event in standing if event.note is not None}
    if not last:
        return None
    notes = {reviewer: note for reviewer, note in last.items() if note}
    if len(notes) < 2:
        return next(iter(notes.values()), None)
    return "\n".join(f"{reviewer}: {notes[reviewer]}" for reviewer in sorted(notes))


def _order(event: Event) -> tuple[str, str]:
    return event.order
