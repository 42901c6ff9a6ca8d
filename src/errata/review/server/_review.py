"""One review: an audit, the decisions beside it, who decides, and what the page calls things."""

import time
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from ...audit_folder.decisions import GOLD, Decisions, Event, differ
from ..inference import GoldAnswers, read_answers
from ._folder import AuditFolder
from ._keys import KEYS
from ._standing import SECOND, STATES, ReviewTally, RowFilter, RowStanding

NAMED = {"suggestion": "suggested_text", "label": "label_text"}
WITHOUT_CLASS = ("ambiguous", "unusable", "skip")

SAID = {
    "suggestion": "accepted the suggestion",
    "ambiguous": "ambiguous",
    "unusable": "unusable",
    "skip": "skipped",
    "note": "noted",
    "undo": "undid",
    "redo": "redid",
}


class Review:
    """Everything that the routes act on; what is optional is said by :func:`serve`."""

    def __init__(
        self,
        folder: AuditFolder,
        decisions: Decisions,
        reviewer: str,
        *,
        queue: str = "suspects",
        blind: bool = False,
        table: Path | None = None,
        images: Path | None = None,
        keys: Mapping[str, tuple[str, ...]] = KEYS,
        stop_at: float = 0.1,
        gold: float = 0.0,
    ) -> None:
        self.folder = folder
        self.decisions = decisions
        self.log = decisions.current()  # follows what is recorded here
        self.reviewer = reviewer
        self.queue = queue
        self.is_second = queue == SECOND
        self.blind = blind or self.is_second
        self.table = table
        self.images = images
        self.keys = keys
        self.standing = RowStanding(folder, decisions, reviewer, gold)
        self.tally = ReviewTally(self.standing, stop_at)
        self.proof: tuple[Any, str] = (None, "")  # what it rests on, and the certificate in words
        self._numbers: dict[str, tuple[int, Any]] = {}  # told last, after so many tens of events

    def decide(
        self,
        place: int,
        chosen: RowFilter,
        kind: str,
        *,
        class_text: str | None = None,
        note: str | None = None,
        key: str = "",
        shown: float | None = None,
    ) -> bool:
        """Keep a decision, and return whether the row was decided elsewhere since it was shown."""
        before = self.log.verdicts.get(self.folder.keys[place])
        known = any(event.key == key for event, _ in self.history(place))
        seconds = None if shown is None else max(time.time() - shown, 0.0)
        kind, class_text = self._name_class(place, kind, class_text)
        said = {"kind": kind, "class_text": class_text, "note": note or None}
        self.decisions.record(self._event(place, chosen, **said, key=key, seconds=seconds))
        if seconds is not None and not known:
            self.tally.note_seconds(seconds)
        self.refresh([place])
        if before is None or known or before.state in ("seen", "skipped"):
            return False
        return shown is not None and datetime.fromisoformat(before.at).timestamp() > shown

    def decide_all(self, places: np.ndarray, chosen: RowFilter, kind: str, *, key: str) -> None:
        """Decide many rows at once, to be undone at once."""
        batch = key or uuid4().hex
        events = []
        for number, place in enumerate(places.tolist()):
            _, class_text = self._name_class(place, kind, None)
            said = {"kind": kind, "class_text": class_text, "batch": batch}
            events.append(self._event(place, chosen, **said, key=f"{batch}-{number}"))
        self.decisions.record_all(events)
        self.refresh(places.tolist())

    def take_back(self, step: str, key: str, of: int | None = None) -> Event | None:
        """Undo or redo; the event that did, or None where there was nothing to take back."""
        if step == "undo":
            event = self.decisions.undo(self.reviewer, of=of, key=key or None)
        else:
            event = self.decisions.redo(self.reviewer, key=key or None)
        if event is not None:
            self.refresh()  # it may have been a batch
        return event

    def refresh(self, places: Iterable[int] | None = None) -> None:
        """Bring states and numbers up to date, of all rows where none are named."""
        rows = None if places is None else list(places)
        self.standing.refresh(rows)
        self.tally.refresh(rows)

    def renew(self, name: str, compute: Callable[[], Any]) -> Any:
        """A number to show; beside gold rows it is renewed with every tenth event only.

        A gold row changes none of them, and would give itself away.
        """
        if not self.folder.gold:
            return compute()
        tens = len(self.log.log) // 10
        if name not in self._numbers or self._numbers[name][0] != tens:
            self._numbers[name] = (tens, compute())
        return self._numbers[name][1]

    def history(self, place: int) -> list[tuple[Event, bool]]:
        """The events of a row as far as they may be seen, and whether each still stands."""
        is_gold = self.folder.is_gold(place)
        events = self.log.history(self.folder.keys[place])
        return [
            (event, self.log.stands(event))
            for event in events
            if self.may_see(event) and (event.queue == GOLD) == is_gold
        ]

    def may_see(self, event: Event) -> bool:
        """Whether a reviewer is told what somebody said: not before a second reading or a test."""
        is_own = event.reviewer == self.reviewer
        return is_own or not (self.is_second or event.queue == GOLD)

    def answers(self) -> list[GoldAnswers]:
        """The answers of reviewers about gold rows."""
        return read_answers(self.log.gold, self.folder.certain) if self.folder.gold else []

    def state(self, place: int) -> str:
        """Where a row stands; to a second reader, what others decided is kept secret."""
        if self.is_second:
            return self.standing.own_state(place)
        return STATES[self.standing.states[place]]

    def number(self, place: int | None) -> int | None:
        """The number that a row has in the table."""
        return None if place is None else int(self.folder.rows[place])

    def _event(self, place: int, chosen: RowFilter, **said: Any) -> Event:
        folder = self.folder
        return Event(
            reviewer=self.reviewer,
            row=int(folder.rows[place]),
            row_key=folder.keys[place],
            queue=GOLD if folder.is_gold(place) else self.standing.queue_of(chosen),
            label=folder.label_text(place),
            suggested=folder.suggested_text(place),
            p_wrong=float(folder.p_wrong[place]),
            audit=folder.fingerprint,
            **said,
        )

    def _name_class(self, place: int, kind: str, class_text: str | None) -> tuple[str, str | None]:
        """Kind and class of a verdict; what is chosen may be the label, or the suggestion."""
        if kind in NAMED:
            return kind, getattr(self.folder, NAMED[kind])(place)
        if kind != "other" or class_text is None:
            return kind, None
        for same in ("label", "suggestion"):
            named = getattr(self.folder, NAMED[same])(place)
            if not differ(class_text, named):
                return same, named
        return "other", class_text

    def said(self, kind: str) -> str:
        """The action of an event in words, by its kind."""
        page = self.folder.kind.review
        return {"label": page.kept, "other": page.other}.get(kind) or SAID[kind]
