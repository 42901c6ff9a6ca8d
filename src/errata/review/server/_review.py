"""One review: an audit, the decisions beside it, who decides, and what the page calls things."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from ...audit_folder.decisions import Decisions, Event, RowVerdict, differ
from ._folder import AuditFolder
from ._standing import STATES, ReviewTally, RowFilter, RowStanding

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


@dataclass(frozen=True)
class Options:
    """How the page is shown."""

    queue: str
    blind: bool
    images: Path | None
    table: Path | None
    keys: Mapping[str, tuple[str, ...]]
    stop_at: float


@dataclass(frozen=True)
class Answer:
    """What was sent with a decision."""

    kind: str
    class_text: str | None = None
    note: str | None = None
    key: str = ""
    shown: float | None = None


class Review:
    """Everything that the routes act on."""

    def __init__(
        self, folder: AuditFolder, decisions: Decisions, reviewer: str, options: Options
    ) -> None:
        self.folder = folder
        self.decisions = decisions
        self.log = decisions.current()  # follows what is recorded here
        self.reviewer = reviewer
        self.options = options
        self.standing = RowStanding(folder, decisions, reviewer)
        self.tally = ReviewTally(self.standing, options.stop_at)

    def decide(self, place: int, answer: Answer, chosen: RowFilter) -> bool:
        """Keep a decision, and return whether the row was decided elsewhere since it was shown."""
        before = self.log.verdicts.get(self.folder.rows.key[place])
        known = any(event.key == answer.key for event, _ in self.history(place))
        self.decisions.record(self._event(place, answer, chosen))
        seconds = self._seconds(answer)
        if seconds is not None and not known:
            self.tally.note_seconds(seconds)
        self.refresh([place])
        if before is None or known or before.state in ("seen", "skipped"):
            return False
        return answer.shown is not None and _parse_time(before.at) > answer.shown

    def decide_all(self, places: np.ndarray, answer: Answer, chosen: RowFilter) -> None:
        """Decide many rows at once, to be undone at once."""
        batch = answer.key or uuid4().hex
        events = [
            self._event(int(place), answer, chosen, key=f"{batch}-{number}", batch=batch)
            for number, place in enumerate(places)
        ]
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

    def history(self, place: int) -> list[tuple[Event, bool]]:
        """All that was said of a row, and whether it still stands."""
        events = self.log.history(self.folder.rows.key[place])
        return [(event, self.log.stands(event)) for event in events]

    def verdicts_by_row(self) -> dict[int, RowVerdict]:
        """Verdicts by the number of the row, of those that have a card."""
        places = self.folder.places_by_key
        number = self.folder.rows.number
        verdicts = self.log.verdicts.items()
        return {int(number[places[key]]): told for key, told in verdicts if key in places}

    def state(self, place: int) -> str:
        """Where a row stands."""
        return STATES[self.standing.states[place]]

    def number(self, place: int | None) -> int | None:
        """The number that a row has in the table."""
        return None if place is None else int(self.folder.rows.number[place])

    def _event(self, place: int, answer: Answer, chosen: RowFilter, **given: Any) -> Event:
        folder = self.folder
        fixed = {"key": answer.key} if answer.key else {}
        kind, class_text = self._verdict(place, answer)
        return Event(
            reviewer=self.reviewer,
            row=int(folder.rows.number[place]),
            row_key=folder.rows.key[place],
            kind=kind,
            class_text=class_text,
            note=answer.note or None,
            seconds=self._seconds(answer),
            queue=self.standing.queue_of(chosen),
            label=folder.label_text(place),
            suggested=folder.suggested_text(place),
            p_wrong=float(folder.rows.p_wrong[place]),
            audit=folder.fingerprint,
            **fixed | given,
        )

    def _verdict(self, place: int, answer: Answer) -> tuple[str, str | None]:
        """Kind and class of an answer; what is chosen may be the label, or the suggestion."""
        if answer.kind in NAMED:
            return answer.kind, getattr(self.folder, NAMED[answer.kind])(place)
        if answer.kind != "other" or answer.class_text is None:
            return answer.kind, None
        for kind in ("label", "suggestion"):
            named = getattr(self.folder, NAMED[kind])(place)
            if not differ(answer.class_text, named):
                return kind, named
        return "other", answer.class_text

    def said(self, kind: str) -> str:
        """What somebody did, by the kind of the event."""
        page = self.folder.kind.review
        return {"label": page.kept, "other": page.other}.get(kind) or SAID[kind]

    def _seconds(self, answer: Answer) -> float | None:
        return None if answer.shown is None else max(time.time() - answer.shown, 0.0)


def _parse_time(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()
