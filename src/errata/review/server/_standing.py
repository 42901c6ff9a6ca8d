"""Where each row stands, and which comes next."""

import json
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np

from .._certified import PILES
from ..decisions import Decisions
from ._filter import STATES, RowFilter
from ._folder import AuditFolder

FIRST_CALIBRATED = 20  # so many rows of the calibration pile come before the suspects
UNSEEN, SEEN, SKIPPED, DECIDED, AMBIGUOUS, UNUSABLE, DISPUTED = range(len(STATES))
_PLAIN = str.maketrans("", "", '"\\')


class RowStanding:
    """The states of the rows that have a card, kept as decisions are made.

    Parameters
    ----------
    folder : AuditFolder
        The audit.
    decisions : Decisions
        What was decided so far.
    reviewer : str
        Who decides.
    """

    def __init__(self, folder: AuditFolder, decisions: Decisions, reviewer: str) -> None:
        self.folder, self.decisions, self.reviewer = folder, decisions, reviewer
        self.states = np.zeros(len(folder.rows), dtype=np.int8)
        piles = folder.numbers["piles"]
        self.calibration = folder.places([row for row, *_ in piles["calibration"]])
        self.spot = folder.places(piles["spot"])
        flagged = np.flatnonzero(folder.rows.flagged)
        first = self.calibration[:FIRST_CALIBRATED]
        self.suspects = np.concatenate([first, flagged[~np.isin(flagged, first)]])
        self._found = lru_cache(8)(self._search)
        self.refresh()

    def refresh(self, places: Iterable[int] | None = None) -> None:
        """Read the states of rows anew, of all where none are named."""
        verdicts, keys = self.decisions.verdicts(), self.folder.rows.key
        if places is None:
            self.states[:] = UNSEEN
            by_key = self.folder.places_by_key
            places = [by_key[key] for key in verdicts if key in by_key]
        for place in places:
            found = verdicts.get(keys[place])
            self.states[place] = UNSEEN if found is None else STATES.index(found.state)

    def counts(self) -> dict[str, int]:
        """How many rows with a card are in each state."""
        found = np.bincount(self.states, minlength=len(STATES))
        return dict(zip(STATES, found.tolist(), strict=True))

    def elsewhere(self) -> int:
        """How many rows were decided that have no card here: in another audit of the table."""
        return sum(key not in self.folder.places_by_key for key in self.decisions.verdicts())

    def rows_in(self, chosen: RowFilter) -> np.ndarray:
        """Places of the rows in a filter, in the order in which they are shown."""
        order = self._queue(chosen.queue)
        return order[self._fits(chosen)[order]]

    def waiting(self, chosen: RowFilter) -> np.ndarray:
        """Those of the rows in a filter that want a decision, skipped ones last."""
        rows = self.rows_in(chosen)
        if chosen.state or chosen.queue == "disputed":
            return rows
        if chosen.reviewer not in ("", self.reviewer):  # a second opinion on what others decided
            mine = self._decided_by(self.reviewer)
            return rows[~mine[rows]]
        states = self.states[rows]
        return np.concatenate([rows[states < SKIPPED], rows[states == SKIPPED]])

    def next_place(self, chosen: RowFilter, after: int | None = None) -> int | None:
        """The next row that wants a decision, from the first again after the last."""
        waiting = self.waiting(chosen)
        waiting = waiting[waiting != after] if after is not None else waiting
        if not len(waiting):
            return None
        if after is None:
            return int(waiting[0])
        later = self._rank(chosen.queue)[waiting] > self._rank(chosen.queue)[after]
        fresh = self.states[waiting] != SKIPPED
        for wanted in (later & fresh, fresh, later, fresh | True):
            if wanted.any():
                return int(waiting[np.argmax(wanted)])
        return None

    def beside(self, chosen: RowFilter, place: int) -> tuple[int | None, int | None]:
        """The rows of a filter before and after one, decided or not."""
        rows, rank = self.rows_in(chosen), self._rank(chosen.queue)
        before, after = rows[rank[rows] < rank[place]], rows[rank[rows] > rank[place]]
        return (
            int(before[-1]) if len(before) else None,
            int(after[0]) if len(after) else None,
        )

    def queue_of(self, chosen: RowFilter, place: int) -> str:
        """The queue that a decision on a row is told under: draws of piles are worth more.

        Conditions pick rows, and a row of a pile that was picked is no draw.
        """
        if chosen.is_narrow:
            return "all" if chosen.queue in PILES else chosen.queue
        first = self.calibration[:FIRST_CALIBRATED]
        is_drawn = chosen.queue == "suspects" and place in first
        return "calibration" if is_drawn else chosen.queue

    def _queue(self, queue: str) -> np.ndarray:
        if queue == "disputed":
            return np.flatnonzero(self.states == DISPUTED)
        return np.arange(len(self.states)) if queue == "all" else getattr(self, queue)

    def _rank(self, queue: str) -> np.ndarray:
        """The place of each row in the order of a queue; of others, behind it."""
        order = self._queue(queue)
        rank = np.full(len(self.states), len(order))
        rank[order] = np.arange(len(order))
        return rank

    def _fits(self, chosen: RowFilter) -> np.ndarray:
        rows = self.folder.rows
        low, high = chosen.bounds
        fits = (rows.p_wrong >= low) & (rows.p_wrong <= high)
        if chosen.label:
            fits &= self.folder.recorded.labelled(chosen.label)
        if chosen.suggested:
            fits &= self.folder.recorded.suggested(chosen.suggested)
        if chosen.state:
            fits &= self.states == STATES.index(chosen.state)
        if chosen.decided:
            fits &= self._decided_as(chosen.decided)
        if chosen.reviewer:
            fits &= self._decided_by(chosen.reviewer)
        for part, words in (("values", chosen.text), ("reasons", chosen.witness)):
            if words:
                fits &= self._found(part, words.casefold())
        return fits

    def _decided_as(self, given: str) -> np.ndarray:
        is_it, verdicts = self.folder.recorded.is_decided_as, self.decisions.verdicts()
        found = (verdicts.get(key) for key in self.folder.rows.key)
        texts = (each and each.class_text for each in found)
        return np.array([text is not None and is_it(text, given) for text in texts], bool)

    def _decided_by(self, reviewer: str) -> np.ndarray:
        decided = self.decisions.by_reviewer()
        return np.array([(key, reviewer) in decided for key in self.folder.rows.key], bool)

    def _search(self, part: str, words: str) -> np.ndarray:
        """The rows with some words in their values, or in the reasons given."""
        # Parsing costs most, so texts that cannot hold the words are passed over unparsed.
        plain = words if words.isascii() and words == words.translate(_PLAIN) else ""
        cards = self.folder.cards.texts()
        found = [plain in text.casefold() and words in _told(text, part) for text in cards]
        return np.array(found, dtype=bool)


def _told(text: str, part: str) -> str:
    """What a card holds under a name, as one text."""
    told: Any = json.loads(text)[part]
    pieces = told if isinstance(told, list) else [value for value in told.values() if value]
    return "\n".join(map(str, pieces)).casefold()
