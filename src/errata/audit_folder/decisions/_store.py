"""The store of decisions beside an audit: events on disk, and what they amount to."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ..._format import plural
from ._event import Event
from ._file import EventLog, explain_errors
from ._replay import Replay, RowVerdict, measure_agreement

SUBJECT = {"table": "table", "label": "column"}  # what two files must agree on


class Decisions:
    """Decisions of people about the rows of a table: an SQLite file that only grows.

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
        """The subject of the decisions: ``table``, ``label`` column, ``audit``, ``made by``."""
        with self._log.threads, explain_errors(self.path):
            pairs = self._log.connection.execute("SELECT key, value FROM about ORDER BY key")
            return dict(pairs.fetchall())

    def current(self) -> Replay:
        """The state after all events, to be asked many times for one look at the file.

        It changes with every event that is recorded here; what other processes have written since
        is in it after the next call of any method.
        """
        return self._log.current()

    def events(self, after: int = 0) -> Iterator[Event]:
        """The events with a number above ``after``, in the order in which they came here."""
        return iter(self._log.current().after(after))

    def verdicts(self) -> Mapping[str, RowVerdict]:
        """The verdict of all reviewers together on each row that somebody has seen, by row key.

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

    def agreement(self) -> list[dict[str, Any]]:
        """How far every two reviewers agree.

        Each pair has its names ``first`` and ``second``, how many ``rows`` both decided, how many
        ``alike``, and Cohen's ``kappa``: None where both always said one and the same thing, or
        decided no row both.
        """
        return measure_agreement(self._log.current().last)

    def record(self, event: Event) -> int:
        """Keep an event, and return its number.

        An event whose key is known is not kept again; when it says something else, that is a
        :class:`errata.exceptions.ConflictingEvent`.
        """
        return self.record_all([event])[0]

    def record_all(self, events: Iterable[Event]) -> list[int]:
        """Keep several events of one reviewer, all or none; one ``batch`` is undone at once."""
        sound = [event.check() for event in events]
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
        for name, what in SUBJECT.items():
            if name in about and ours.get(name, about[name]) != about[name]:
                raise ValueError(
                    f"{self.path} holds decisions about the {what} {ours[name]!r}, not about "
                    f"{about[name]!r}."
                )

    def merge(self, other: "str | os.PathLike | Decisions") -> tuple[int, int]:
        """Take in the events of another file, all or none; the order of merging does not matter.

        Returns how many events were new here, and how many were here already.
        """
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
        return len(writer.new), len(theirs) - len(writer.new)


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
    about = _read_subject(Path(audit))
    decisions = Decisions(decisions_path(audit) if path is None else path, read_only=read_only)
    try:
        decisions.check_about(about)
        if not read_only:
            decisions.describe(about)
    except BaseException:
        decisions.close()
        raise
    return decisions


def _read_subject(audit: Path) -> dict[str, str]:
    """The audit that decisions are about, by names alone: the folder may be copied elsewhere."""
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
