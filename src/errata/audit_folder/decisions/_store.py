"""The store of decisions beside an audit: events on disk, and what they amount to, kept up to date.

The rule. An *undo* takes back the event it names, or the whole batch of that event; a *redo* takes
back the undo it names. So an event stands as long as no undo of it stands, and an undo stands until
a redo names it. None of this depends on the order in which events are read. Of what stands, the
last verdict of a reviewer on a row counts: last by the time of the event, then by its key, which
every file that holds the event agrees on. Hence files may be merged in any order.

Events about *gold rows*, whose label was certain before and which test the reviewer, are kept and
taken back like any others, but are no verdicts on rows of the table.
"""

import json
import os
import sqlite3
from bisect import bisect_left, bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from types import MappingProxyType
from typing import Any, NamedTuple
from uuid import uuid4

from ..._files import readable
from ..._format import plural
from ...exceptions import ConflictingEvent
from ._consensus import Agreement, RowVerdict, agreement, last_verdicts, row_verdict
from ._event import GOLD, REVERSALS, Event, checked, time_after
from ._file import WAIT, WriterLock, connect, explained, insert_event, prepare, read_events

_SECONDS = WAIT / 1000  # to wait for another process that writes

NEVER = ("", "")


class _Reviewer:
    """What one reviewer can take back, and bring back, in the order of the events."""

    def __init__(self) -> None:
        self.standing: list[Event] = []
        self.undos: list[Event] = []
        self.said = NEVER  # the last that was no undo and no redo
        self.latest = ""  # time of the last of all


class Replay:
    """What a list of events amounts to."""

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
        """What an undo of this reviewer takes back: the event with that number, or the last."""
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
            self._undo(event)
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

    def _undo(self, undo: Event) -> None:
        _insert(self._reviewers[undo.reviewer].undos, undo)
        self._count_undo(self._by_id[undo.undoes], +1)

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
            self.verdicts[row_key] = row_verdict(history, standing, last)

    def _keep_last(
        self, kept: dict[tuple[str, str], Event], row_key: str, history: list[Event]
    ) -> dict[str, Event]:
        """Keep the last verdict of each reviewer among events about a row, and return them."""
        last = last_verdicts(event for event in history if self.stands(event))
        for event in history:
            if event.reviewer in last:
                kept[row_key, event.reviewer] = last[event.reviewer]
            else:
                kept.pop((row_key, event.reviewer), None)
        return last


class EventLog:
    """A file of events, read up to its end and written to its end."""

    def __init__(self, path: Path, *, read_only: bool) -> None:
        self.path = path
        self.read_only = read_only
        self.threads = RLock()
        self.lock = WriterLock(path)
        self._replay = Replay()
        _check_place(path, read_only=read_only)
        with explained(path):
            self.connection = connect(path, read_only=read_only)
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the file and give the lock back."""
        with self.threads:
            # The last to close copies what was written ahead into the file, which is writing too.
            try:
                if not self.read_only:
                    with self.lock.held(0):
                        self.connection.close()
            except OSError:
                pass  # another is at it, and will be the last
            self.connection.close()
            self.lock.close()

    def current(self) -> Replay:
        """What all events amount to, those that others wrote included."""
        with self.threads, explained(self.path):
            self._replay.take_in(read_events(self.connection, self._replay.last_id))
            return self._replay

    @contextmanager
    def writing(self) -> Iterator["Writer"]:
        """Whatever is written in this block is on disk when it ends, all of it or nothing."""
        if self.read_only:
            raise PermissionError(f"{self.path} was opened to be read only.")
        with self.threads, self.lock.held(_SECONDS), explained(self.path):
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                writer = Writer(self.connection, self.current())
                yield writer
                self.connection.execute("COMMIT")
            except BaseException:
                if self.connection.in_transaction:  # a full disk has ended it already
                    self.connection.execute("ROLLBACK")
                raise
            self._replay.take_in(writer.new.values())  # nobody else wrote since it began

    def _open(self) -> None:
        if not self.read_only:
            with self.lock.held(_SECONDS), explained(self.path):
                prepare(self.connection)
        self.current()


class Writer:
    """Writes events into the transaction of a block."""

    def __init__(self, connection: sqlite3.Connection, replay: Replay) -> None:
        self._connection = connection
        self.replay = replay  # without what is written in this block
        self.new: dict[str, Event] = {}

    def write(self, event: Event) -> Event:
        """Write an event unless it is known, and return it as it is kept."""
        known = self.replay.by_key.get(event.key) or self.new.get(event.key)
        if known is not None:
            if not event.says_the_same(known):
                raise _conflict(known, event.kind, event.reviewer)
            return known
        signed = event._replace(
            key=event.key or uuid4().hex, at=event.at or time_after(self._latest(event.reviewer))
        )
        kept = signed._replace(id=insert_event(self._connection, signed._replace(id=None)))
        self.new[kept.key] = kept
        return kept

    def reverse(self, kind: str, target: Event | None, key: str | None) -> Event | None:
        """Write the undo or redo of an event; nothing where there is none."""
        return None if target is None else self.write(target.reversed_by(kind, key))

    def repeated(self, kind: str, reviewer: str, key: str | None) -> Event | None:
        """The undo or redo that was written for a request which is now sent again."""
        known = self.replay.by_key.get(key or "")
        if known is not None and (known.kind, known.reviewer) != (kind, reviewer):
            raise _conflict(known, kind, reviewer)
        return known

    def _latest(self, reviewer: str) -> str:
        # Of what is new, the last is the latest, as long as one call writes for one reviewer.
        new = next(reversed(self.new.values())).at if self.new else ""
        return max(new, self.replay.latest_time(reviewer))


def _conflict(known: Event, kind: str, reviewer: str) -> ConflictingEvent:
    return ConflictingEvent(
        f"event {known.key!r} is known as {known.kind!r} by {known.reviewer!r} and now says "
        f"something else ({kind!r} by {reviewer!r})."
    )


def _check_place(path: Path, *, read_only: bool) -> None:
    """Raise a sentence where SQLite would only say that it cannot open the file."""
    if read_only or path.exists():
        with readable(path):
            return
    if not path.parent.is_dir():
        raise FileNotFoundError(f"cannot write {path}: there is no folder {path.parent}.")


def _order(event: Event) -> tuple[str, str]:
    return event.order


def _insert(events: list[Event], event: Event) -> None:
    if not events or events[-1].order < event.order:  # nearly always
        events.append(event)
    else:
        insort(events, event, key=_order)


def _remove(events: list[Event], event: Event) -> None:
    del events[bisect_left(events, event.order, key=_order)]


_SUBJECT = {"table": "table", "label": "column"}  # what two files must agree on


class Merged(NamedTuple):
    """How many events of another file were new here, and how many were here already."""

    added: int
    known: int


class Decisions:
    """What people decided about the rows of a table: an SQLite file that only grows.

    Every event is on disk when :meth:`record` returns. Nothing is ever changed or deleted: an undo
    is an event too. Several processes may write, one after the other; threads may share a store.

    Parameters
    ----------
    path : path
        The file, made when it is not there.
    read_only : bool, default=False
        Only look, beside somebody who writes; the file must be there.

    Examples
    --------
    >>> import tempfile
    >>> from errata.review import Decisions, Event
    >>> folder = tempfile.TemporaryDirectory()
    >>> with folder, Decisions(f"{folder.name}/pets.decisions") as decisions:
    ...     number = decisions.record(Event(
    ...         reviewer="ann", row_key="row.1", row=1, kind="suggestion", class_text='"dog"',
    ...         label='"cat"', suggested='"dog"', p_wrong=0.9, audit="5f0c"))
    ...     print(decisions.verdicts()["row.1"].class_text)
    ...     _ = decisions.undo("ann")
    ...     print(decisions.verdicts()["row.1"].state)
    ...     _ = decisions.redo("ann")
    ...     print(decisions.verdicts()["row.1"].state)
    "dog"
    seen
    decided
    """

    def __init__(self, path: str | os.PathLike, *, read_only: bool = False) -> None:
        self.path = Path(path)
        self.read_only = read_only
        self._log = EventLog(self.path, read_only=read_only)

    def __enter__(self) -> "Decisions":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Decisions: {plural(len(self._log.current().log), 'event')} in {self.path}>"

    def close(self) -> None:
        """Close the file; what was recorded stays."""
        self._log.close()

    def keep_lock(self, address: str, *, wait: float = 1.0) -> None:
        """Be the only one who writes until :meth:`close`, as a server is that has an address.

        Raises :class:`errata.exceptions.BeingReviewed`, with its process and address, when there
        is one already.
        """
        self._log.lock.keep(address, wait)

    @property
    def about(self) -> dict[str, str]:
        """What the decisions are about: ``table``, ``label`` column, ``audit``, ``made by``."""
        with self._log.threads, explained(self.path):
            pairs = self._log.connection.execute("SELECT key, value FROM about ORDER BY key")
            return dict(pairs.fetchall())

    def current(self) -> Replay:
        """What all events amount to, to be asked many times for one look at the file.

        It changes with every event that is recorded here; what other processes have written since
        is in it after the next call of any method.
        """
        return self._log.current()

    def events(self, after: int = 0) -> Iterator[Event]:
        """The events with a number above ``after``, in the order in which they came here."""
        return iter(self._log.current().after(after))

    def verdicts(self) -> Mapping[str, RowVerdict]:
        """What all reviewers together say of each row that somebody has seen, by row key.

        It is a view that changes with the next event, so that asking costs the same at any size.
        """
        return MappingProxyType(self._log.current().verdicts)

    def by_reviewer(self) -> Mapping[tuple[str, str], Event]:
        """The last verdict that stands, by row key and reviewer; a view, too."""
        return MappingProxyType(self._log.current().last)

    def tests(self) -> Mapping[tuple[str, str], Event]:
        """The last answer to each gold row that stands, by row key and reviewer; a view, too."""
        return MappingProxyType(self._log.current().gold)

    def history(self, row_key: str) -> list[tuple[Event, bool]]:
        """All that was said of a row, in order, and whether it still stands."""
        replay = self._log.current()
        return [(event, replay.stands(event)) for event in replay.history(row_key)]

    def agreement(self) -> Agreement:
        """Cohen's kappa of every two reviewers, and the rows on which they do not agree."""
        replay = self._log.current()
        return agreement(replay.last, replay.verdicts)

    def record(self, event: Event) -> int:
        """Keep an event, and return its number.

        An event whose key is known is not kept again; when it says something else, that is a
        :class:`errata.exceptions.ConflictingEvent`.
        """
        return self.record_all([event])[0]

    def record_all(self, events: Iterable[Event]) -> list[int]:
        """Keep several events of one reviewer, all or none; one ``batch`` is undone at once."""
        sound = [checked(event) for event in events]
        with self._log.writing() as writer:
            return [writer.write(event).id or 0 for event in sound]

    def undo(self, reviewer: str, *, of: int | None = None, key: str | None = None) -> Event | None:
        """Take back the last event of a reviewer that stands, or its batch; return the undo.

        ``of`` names another event of theirs by its number; a ``key`` makes a request that is sent
        twice one undo. None when there is nothing to take back.
        """
        with self._log.writing() as writer:
            known = writer.repeated("undo", reviewer, key)
            return known or writer.reverse("undo", writer.replay.to_undo(reviewer, of), key)

    def redo(self, reviewer: str, *, key: str | None = None) -> Event | None:
        """Take back the last undo of a reviewer, unless they have said something since."""
        with self._log.writing() as writer:
            known = writer.repeated("redo", reviewer, key)
            return known or writer.reverse("redo", writer.replay.to_redo(reviewer), key)

    def describe(self, about: Mapping[str, str]) -> None:
        """Say what the decisions are about; what was said before stays."""
        if about.keys() <= self.about.keys():
            return
        with self._log.writing():
            insert = "INSERT OR IGNORE INTO about VALUES (?, ?)"
            self._log.connection.executemany(insert, list(about.items()))

    def check_about(self, about: Mapping[str, str]) -> None:
        """Raise when the decisions are about another table, or another column of labels."""
        ours = self.about
        for name, what in _SUBJECT.items():
            if name in about and ours.get(name, about[name]) != about[name]:
                raise ValueError(
                    f"{self.path} holds decisions about the {what} {ours[name]!r}, not about "
                    f"{about[name]!r}."
                )

    def merge(self, other: "str | os.PathLike | Decisions") -> Merged:
        """Take in the events of another file, all or none; the order of merging does not matter."""
        if not isinstance(other, Decisions):
            with Decisions(other, read_only=True) as opened:
                return self.merge(opened)
        self.check_about(other.about)
        self.describe(other.about)
        theirs = list(other.events())
        here: dict[int | None, int | None] = {None: None}  # our number of an event, by theirs
        with self._log.writing() as writer:
            for event in theirs:
                here[event.id] = writer.write(event._replace(undoes=here[event.undoes])).id
        return Merged(len(writer.new), len(theirs) - len(writer.new))


def decisions_path(audit: str | os.PathLike) -> Path:
    """The file of decisions that belongs to the folder of an audit.

    Examples
    --------
    >>> print(decisions_path("work/train.audit").as_posix())
    work/train.decisions
    """
    folder = Path(audit)
    if folder.name in ("", ".."):  # such as ".", which has no name
        folder = folder.resolve()
    return folder.with_name(f"{folder.name.removesuffix('.audit')}.decisions")


def open_decisions(
    audit: str | os.PathLike, path: str | os.PathLike | None = None, *, read_only: bool = False
) -> Decisions:
    """The decisions about an audited table, beside its audit unless a path is given.

    A new file is told what it is about; one that is about another table or another column of
    labels is refused.
    """
    about = _about(Path(audit))
    decisions = Decisions(decisions_path(audit) if path is None else path, read_only=read_only)
    try:
        decisions.check_about(about)
        if not read_only:
            decisions.describe(about)
    except BaseException:
        decisions.close()
        raise
    return decisions


def _about(audit: Path) -> dict[str, str]:
    """What the decisions are about: names alone, as the folder may be copied elsewhere."""
    try:
        found: dict[str, Any] = json.loads((audit / "audit.json").read_text(encoding="utf-8"))
        about = found["about"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{audit} is not an audit that errata has written: {error}") from error
    table = about.get("table")
    named = {
        "table": None if table is None else Path(table).name,
        "label": about.get("label"),
        "audit": found.get("fingerprint"),
        "made by": f"errata {about['version']}" if "version" in about else None,
    }
    return {key: str(value) for key, value in named.items() if value is not None}
