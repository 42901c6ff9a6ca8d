"""The outcome of a list of events: what stands, and what reviewers say of a row together.

The rule. An *undo* takes back the event it names, or the whole batch of that event; a *redo* takes
back the undo it names. So an event stands as long as no undo of it stands, and an undo stands until
a redo names it. None of this depends on the order in which events are read. Of what stands, the
last verdict of a reviewer on a row counts: last by the time of the event, then by its key, which
every file that holds the event agrees on. Hence files may be merged in any order.

Events about *gold rows*, whose label was certain before and which test the reviewer, are kept and
taken back like any others, but are no verdicts on rows of the table.
"""

from bisect import bisect_left, bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from itertools import combinations
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ._event import CLASS_KINDS, GOLD, REVERSALS, VERDICTS, Event

if TYPE_CHECKING:
    from ._store import Decisions

DISPUTED = "disputed"
SKIPPED = "skipped"
SEEN = "seen"
RESOLVED = ("decided", "ambiguous", "unusable", DISPUTED)
MAJORITY = 2  # reviewers that a majority needs
MOST_AGAINST = 1  # of those who say otherwise

_ORDER = attrgetter("order")

Opinion = tuple[str, str | None]  # state and class


class RowVerdict(NamedTuple):
    """The decision about a row.

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


class _Reviewer:
    """The events that one reviewer can take back, and bring back, in their order."""

    def __init__(self) -> None:
        self.standing: list[Event] = []
        self.undos: list[Event] = []
        self.said = ("", "")  # the last that was no undo and no redo
        self.latest = ""  # time of the last of all


class Replay:
    """The outcome of a list of events."""

    def __init__(self) -> None:
        self.log: list[Event] = []
        self.by_key: dict[str, Event] = {}
        self.verdicts: dict[str, RowVerdict] = {}
        self.last: dict[tuple[str, str], Event] = {}  # by row and reviewer
        self.gold: dict[tuple[str, str], Event] = {}  # the same of gold rows, which decide nothing
        self._by_id: dict[int | None, Event] = {}
        self._rows: dict[str, list[Event]] = {}
        self._batches: dict[tuple[str, str], list[Event]] = {}
        self._undone: Counter[tuple[str, str]] = Counter()  # undos that stand, of each unit
        self._redone: set[int | None] = set()
        self._reviewers: dict[str, _Reviewer] = defaultdict(_Reviewer)
        self._changed: set[str] = set()  # rows to work out again

    @property
    def last_id(self) -> int:
        """Number of the last event that was taken in."""
        return (self.log[-1].id or 0) if self.log else 0

    def after(self, number: int) -> list[Event]:
        """The events with a number above this one."""
        return self.log[bisect_right(self.log, number, key=lambda event: event.id or 0) :]

    def latest_time(self, reviewer: str) -> str:
        """When this reviewer last did anything; empty for never."""
        return self._reviewers[reviewer].latest if reviewer in self._reviewers else ""

    def history(self, row_key: str) -> list[Event]:
        """Everything that was said of a row, in order, also what was taken back since."""
        return list(self._rows.get(row_key, ()))

    def stands(self, event: Event) -> bool:
        """Whether an event that is no undo and no redo has not been taken back."""
        return not self._undone or event.unit not in self._undone

    def to_undo(self, reviewer: str, number: int | None = None) -> Event | None:
        """The event that this reviewer takes back: the one with that number, or the last."""
        if number is not None:
            return self._taken_back(reviewer, number)
        standing = self._reviewers[reviewer].standing if reviewer in self._reviewers else []
        return standing[-1] if standing else None

    def _taken_back(self, reviewer: str, number: int) -> Event:
        event = self._by_id.get(number)
        if event is None or event.reviewer != reviewer or event.kind in REVERSALS:
            raise ValueError(f"event {number} is none that {reviewer!r} could take back.")
        if not self.stands(event):
            raise ValueError(f"event {number} has been taken back already.")
        return event

    def to_redo(self, reviewer: str) -> Event | None:
        """The undo that a redo would take back, unless something was said since."""
        who = self._reviewers[reviewer] if reviewer in self._reviewers else _Reviewer()
        return who.undos[-1] if who.undos and who.undos[-1].order > who.said else None

    def take_in(self, events: Iterable[Event]) -> None:
        """Take in more events; whatever one names must have been taken in before it."""
        for event in events:
            self._take_in(event)
        while self._changed:
            self._settle(self._changed.pop())

    def _take_in(self, event: Event) -> None:
        self.log.append(event)
        self.by_key[event.key] = self._by_id[event.id] = event
        who = self._reviewers[event.reviewer]
        who.latest = max(who.latest, event.at)
        if event.kind == "undo":
            _insert(who.undos, event)
            self._count_undo(self._by_id[event.undoes], +1)
        elif event.kind == "redo":
            self._redo(self._by_id[event.undoes])
        else:
            self._say(event, who)

    def _say(self, event: Event, who: _Reviewer) -> None:
        who.said = max(who.said, event.order)
        _insert(self._rows.setdefault(event.row_key, []), event)
        if event.batch is not None:
            self._batches.setdefault(event.unit, []).append(event)
        if self.stands(event):
            _insert(who.standing, event)
        self._changed.add(event.row_key)

    def _redo(self, undo: Event) -> None:
        if undo.id in self._redone:
            return
        self._redone.add(undo.id)
        _remove(self._reviewers[undo.reviewer].undos, undo)
        self._count_undo(self._by_id[undo.undoes], -1)

    def _count_undo(self, target: Event, step: int) -> None:
        stood = self.stands(target)
        self._undone[target.unit] += step
        if not self._undone[target.unit]:
            del self._undone[target.unit]
        if self.stands(target) == stood:
            return
        move = _remove if stood else _insert
        for event in self._batches.get(target.unit, [target]):
            move(self._reviewers[event.reviewer].standing, event)
            self._changed.add(event.row_key)

    def _settle(self, row_key: str) -> None:
        """Work out again what is said of one row."""
        history = [event for event in self._rows[row_key] if event.queue != GOLD]
        if len(history) < len(self._rows[row_key]):
            tests = [event for event in self._rows[row_key] if event.queue == GOLD]
            self._keep_last(self.gold, row_key, tests)
        if history:
            last = self._keep_last(self.last, row_key, history)
            standing = [event for event in history if self.stands(event)]
            self.verdicts[row_key] = _agree_on_row(history, standing, last)

    def _keep_last(
        self, kept: dict[tuple[str, str], Event], row_key: str, history: list[Event]
    ) -> dict[str, Event]:
        """Keep the last verdict of each reviewer among events about a row, and return them."""
        standing = (event for event in history if self.stands(event))
        last = {event.reviewer: event for event in standing if event.kind in VERDICTS}
        for event in history:
            if event.reviewer in last:
                kept[row_key, event.reviewer] = last[event.reviewer]
            else:
                kept.pop((row_key, event.reviewer), None)
        return last


def opinion(event: Event) -> Opinion:
    """State and class that one verdict stands for; whether the class was suggested is no matter."""
    if event.kind in CLASS_KINDS:
        return "decided", event.class_text
    return (SKIPPED if event.kind == "skip" else event.kind), None


def _agree_on_row(
    history: list[Event], standing: list[Event], last: Mapping[str, Event]
) -> RowVerdict:
    """The verdict on one row by its events; both lists are in the order of the events."""
    state, class_text = agree([opinion(event) for event in last.values()])
    counted = list(last.values()) or history[-1:]
    if len(counted) > 1:
        counted.sort(key=_ORDER)
    first = counted[0]
    return RowVerdict(
        state,
        class_text,
        tuple(sorted(last)),
        counted[-1].at,
        _join_notes(standing),
        first.p_wrong,
        first.label,
        first.queue,
        first.row,
        first.audit,
    )


def agree(opinions: list[Opinion]) -> Opinion:
    """The opinion of all, or of a majority of two or more with no more than one against.

    Examples
    --------
    >>> dog, cat = ("decided", '"dog"'), ("decided", '"cat"')
    >>> agree([dog])[0], agree([dog, cat])[0], agree([dog, cat, dog])
    ('decided', 'disputed', ('decided', '"dog"'))
    >>> agree([dog, dog, cat, cat])[0], agree([("skipped", None), dog])[0], agree([])[0]
    ('disputed', 'decided', 'seen')
    """
    if not opinions:
        return SEEN, None
    if opinions.count(opinions[0]) == len(opinions):
        return opinions[0]
    counts = Counter(each for each in opinions if each[0] != SKIPPED)
    favourite, votes = counts.most_common(1)[0]
    against = counts.total() - votes
    if against and (votes < MAJORITY or against > MOST_AGAINST):
        return DISPUTED, None
    return favourite


def _join_notes(standing: Iterable[Event]) -> str | None:
    last = {event.reviewer: event.note for event in standing if event.note is not None}
    if not last:
        return None
    notes = {reviewer: note for reviewer, note in last.items() if note}
    if len(notes) < 2:
        return next(iter(notes.values()), None)
    return "\n".join(f"{reviewer}: {notes[reviewer]}" for reviewer in sorted(notes))


def measure_agreement(last: Mapping[tuple[str, str], Event]) -> list[dict[str, Any]]:
    """How far every two reviewers agree, by their last verdicts; who skips says nothing."""
    said: dict[str, dict[str, Opinion]] = defaultdict(dict)
    for (row_key, reviewer), event in last.items():
        stated = opinion(event)
        if stated[0] != SKIPPED:
            said[reviewer][row_key] = stated
    pairs = []
    for first, second in combinations(sorted(said), 2):
        keys = said[first].keys() & said[second].keys()
        both = [(said[first][key], said[second][key]) for key in keys]
        alike = sum(a == b for a, b in both)
        pairs.append(
            {
                "first": first,
                "second": second,
                "rows": len(both),
                "alike": alike,
                "kappa": _compute_kappa(both, alike),
            }
        )
    return pairs


def _compute_kappa(both: list[tuple[Opinion, Opinion]], alike: int) -> float | None:
    """(observed - chance) / (1 - chance) agreement (Cohen, 1960)."""
    n = len(both)
    ours = Counter(a for a, _ in both)
    theirs = Counter(b for _, b in both)
    by_chance = sum(ours[each] * theirs[each] for each in ours)  # times n squared
    if by_chance == n * n:
        return None
    return (n * alike - by_chance) / (n * n - by_chance)


class Resolved(NamedTuple):
    """The rows of a table that people have said something about, one entry each.

    Attributes
    ----------
    rows : array of int
        Places in the array of keys, rising.
    kinds : array of str
        "decided", "ambiguous", "unusable" or "disputed".
    classes : array of object
        JSON text of the class of decided rows; None elsewhere.
    labels : array of object
        JSON text of the label that was shown when the row was decided.
    """

    rows: np.ndarray
    kinds: np.ndarray
    classes: np.ndarray
    labels: np.ndarray


def resolve(decisions: "Decisions", keys: np.ndarray) -> Resolved:
    """The verdicts on the rows with these keys; skipped rows are as if nobody had looked.

    Examples
    --------
    >>> import numpy as np, tempfile
    >>> from errata.review import Decisions, Event, resolve
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     decisions = Decisions(f"{folder}/pets.decisions")
    ...     _ = decisions.record(Event(
    ...         reviewer="ann", row_key="row.1", row=1, kind="suggestion", class_text='"dog"',
    ...         label='"cat"', suggested='"dog"', p_wrong=0.9, audit="5f0c"))
    ...     found = resolve(decisions, np.array(["row.0", "row.1"]))
    ...     decisions.close()
    >>> found.rows, found.kinds, found.classes
    (array([1]), array(['decided'], dtype='<U9'), array(['"dog"'], dtype=object))
    """
    verdicts = decisions.verdicts()
    found = [(row, verdicts[key]) for row, key in enumerate(keys.tolist()) if key in verdicts]
    resolved = [(row, verdict) for row, verdict in found if verdict.state in RESOLVED]
    return Resolved(
        np.array([row for row, _ in resolved], dtype=np.intp),
        np.array([verdict.state for _, verdict in resolved], dtype="<U9"),
        np.array([verdict.class_text for _, verdict in resolved], dtype=object),
        np.array([verdict.label for _, verdict in resolved], dtype=object),
    )


def _insert(events: list[Event], event: Event) -> None:
    if not events or events[-1].order < event.order:  # nearly always
        events.append(event)
    else:
        insort(events, event, key=_ORDER)


def _remove(events: list[Event], event: Event) -> None:
    del events[bisect_left(events, event.order, key=_ORDER)]
