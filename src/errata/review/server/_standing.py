"""Where each row stands, which comes next, and the numbers that are always in view."""

import json
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from hashlib import blake2b
from statistics import median
from typing import Any
from urllib.parse import urlencode

import numpy as np

from ..._format import join_names
from ...audit_folder.decisions import Decisions, Event, RowVerdict, differ, opinion
from ..inference import Components, Evidence, evidence_of, progress, sentences, update
from ..inference._progress import PILES, find_seen_rows
from ._folder import AuditFolder

_PLAIN = str.maketrans("", "", '"\\')

SECOND = "second"  # what others have decided, for a second reader
QUEUES = ("suspects", "calibration", "spot", "disputed", "all", SECOND)
STATES = ("unseen", "seen", "skipped", "decided", "ambiguous", "unusable", "disputed")

NO_VERDICT, RIGHT, WRONG, UNSURE = range(-1, 3)
RECENT = 30  # decisions whose seconds make the pace
EXACT = 2_000  # suspects up to which each is asked about
LONGEST = 120.0  # seconds: who takes longer was away

UNSEEN, SEEN, SKIPPED, DECIDED, AMBIGUOUS, UNUSABLE, DISPUTED = range(len(STATES))


@dataclass(frozen=True)
class RowFilter:
    """A queue and conditions; what is empty does not matter."""

    queue: str
    label: str = ""  # classes as decisions keep them: JSON
    suggested: str = ""
    decided: str = ""  # `class` in the address, which is a word of Python's
    state: str = ""
    reviewer: str = ""
    witness: str = ""
    low: str = ""
    high: str = ""
    text: str = ""

    @classmethod
    def from_query(cls, given: Mapping[str, str], start: str) -> "RowFilter":
        """The filter of an address or a form; raise where it cannot be.

        >>> RowFilter.from_query({"queue": "spot", "low": "0.2", "row": "7"}, "suspects").query
        'queue=spot&low=0.2'
        >>> RowFilter.from_query({"low": "much"}, "suspects")
        Traceback (most recent call last):
        ValueError: low is 'much'; give a probability between 0 and 1.
        """
        values = {each.name: given.get(each.name, "") for each in fields(cls)}
        values["queue"] = values["queue"] or start
        values["decided"] = given.get("class", "")
        for name, choices in (("queue", QUEUES), ("state", ("", *STATES))):
            if values[name] not in choices:
                known = join_names([choice for choice in choices if choice])
                raise ValueError(f"there is no {name} {values[name]!r}; there are {known}.")
        for name in ("low", "high"):
            try:
                fits = 0 <= float(values[name] or 0) <= 1
            except ValueError:
                fits = False
            if not fits:
                raise ValueError(f"{name} is {values[name]!r}; give a probability between 0 and 1.")
        return cls(**values)

    @property
    def is_narrow(self) -> bool:
        """Whether there is any condition."""
        return self != RowFilter(self.queue)

    @property
    def query(self) -> str:
        """The filter as the end of an address."""
        return urlencode(self.pairs)

    @property
    def pairs(self) -> dict[str, str]:
        """The fields that are not empty, by their names in the address."""
        given = {
            "class" if name == "decided" else name: value for name, value in vars(self).items()
        }
        return {name: value for name, value in given.items() if value}

    @property
    def bounds(self) -> tuple[float, float]:
        """Least and largest probability of a wrong label."""
        return float(self.low or 0), float(self.high or 1)


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
    gold : float, default=0.0
        Of the rows in a queue, so large a fraction tests the reviewer, as far as there are enough.
    """

    def __init__(
        self, folder: AuditFolder, decisions: Decisions, reviewer: str, gold: float = 0.0
    ) -> None:
        self.folder = folder
        self.log = decisions.current()  # follows what is recorded here
        self.reviewer = reviewer
        self.states = np.zeros(len(folder.rows), dtype=np.int8)
        piles = folder.numbers["piles"]
        self.suspects = np.flatnonzero(folder.flagged[: len(folder.cards)])
        self._orders = {
            "suspects": self.suspects,
            "calibration": folder.places([row for row, *_ in piles["calibration"]]),
            "spot": folder.places(piles["spot"]),
            "all": np.arange(len(folder.cards)),
        }
        if gold:
            self._mix_gold(gold)
        self._by_others = (-1, np.empty(0, dtype=np.int64))  # as of so many events
        self._found = lru_cache(8)(self._search)
        self.refresh()

    def _mix_gold(self, share: float) -> None:
        """Put gold rows into the queues, at places that are drawn once for each reviewer.

        Among suspects are those that look like suspects, each beside one as suspicious; among rows
        that are not flagged those that do not. What people decided about is no test any more.
        """
        folder = self.folder
        seed = blake2b(f"{folder.fingerprint} {self.reviewer}".encode(), digest_size=8)
        random = np.random.default_rng(int.from_bytes(seed.digest()))
        gold = np.arange(len(folder.cards), len(folder.rows))
        gold = np.array(
            [p for p in gold if folder.keys[p] not in self.log.verdicts], dtype=np.int64
        )
        fits = {"suspects": folder.flagged[gold], "spot": ~folder.flagged[gold]}
        for queue, order in self._orders.items():
            tests = random.permutation(gold[fits.get(queue, slice(None))])
            tests = tests[: round(share / (1 - share) * len(order))]
            total = len(order) + len(tests)
            mixed = np.zeros(total, dtype=np.int64)
            is_test = np.zeros(total, dtype=bool)
            is_test[random.choice(total, len(tests), replace=False)] = True
            mixed[~is_test] = order
            for place in np.flatnonzero(is_test).tolist() if len(order) else ():
                beside = order[min(place - int(is_test[:place].sum()), len(order) - 1)]
                nearest = np.argmin(np.abs(folder.p_wrong[tests] - folder.p_wrong[beside]))
                chosen = nearest if queue in ("suspects", "all") else 0
                mixed[place] = tests[chosen]
                tests = np.delete(tests, chosen)
            self._orders[queue] = mixed

    def refresh(self, places: Iterable[int] | None = None) -> None:
        """Read the states of rows anew, of all where none are named."""
        verdicts = self.log.verdicts
        keys = self.folder.keys
        if places is None:
            self.states[:] = UNSEEN
            by_key = self.folder.places_by_key
            places = [by_key[key] for key in verdicts if key in by_key]
            places += range(len(self.folder.cards), len(self.folder.rows))
        for place in places:
            if self.folder.is_gold(place):
                self.states[place] = STATES.index(self.own_state(place))
                continue
            found = verdicts.get(keys[place])
            self.states[place] = UNSEEN if found is None else STATES.index(found.state)

    def own(self, place: int) -> Event | None:
        """The last that the reviewer decided about a row."""
        said = self.log.gold if self.folder.is_gold(place) else self.log.last
        return said.get((self.folder.keys[place], self.reviewer))

    def said_of(self, place: int) -> RowVerdict | Event | None:
        """The decision of all about a row; of a gold row, the answer of the reviewer."""
        if self.folder.is_gold(place):
            return self.own(place)
        return self.log.verdicts.get(self.folder.keys[place])

    def own_state(self, place: int) -> str:
        """Where a row stands by what the reviewer decided alone."""
        event = self.own(place)
        return "unseen" if event is None else opinion(event)[0]

    def verdict_of(self, row: int) -> RowVerdict | None:
        """The verdict on a row, by its number; None also where it has no card."""
        place = self.folder.place(row)
        return None if place is None else self.log.verdicts.get(self.folder.keys[place])

    def counts(self) -> dict[str, int]:
        """How many rows with a card are in each state."""
        found = np.bincount(self.states, minlength=len(STATES))
        return dict(zip(STATES, found.tolist(), strict=True))

    def elsewhere(self) -> int:
        """How many rows were decided that have no card here: in another audit of the table."""
        return sum(key not in self.folder.places_by_key for key in self.log.verdicts)

    def rows_in(self, chosen: RowFilter) -> np.ndarray:
        """Places of the rows in a filter, in the order in which they are shown."""
        order = self._queue(chosen.queue)
        return order[self._fits(chosen)[order]]

    def waiting(self, chosen: RowFilter) -> np.ndarray:
        """The rows in a filter that want a decision, skipped ones last."""
        rows = self.rows_in(chosen)
        if chosen.state or chosen.queue == "disputed":
            return rows
        if chosen.queue == SECOND:
            said = [self.own_state(place) for place in rows.tolist()]
            skipped = np.array([state == "skipped" for state in said], dtype=bool)
            fresh = np.array([state == "unseen" for state in said], dtype=bool)
            return np.concatenate([rows[fresh], rows[skipped]])
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
        rows = self.rows_in(chosen)
        rank = self._rank(chosen.queue)
        before = rows[rank[rows] < rank[place]]
        after = rows[rank[rows] > rank[place]]
        return (
            int(before[-1]) if len(before) else None,
            int(after[0]) if len(after) else None,
        )

    def queue_of(self, chosen: RowFilter) -> str:
        """The queue that a decision is recorded under: draws of piles are worth more.

        Conditions pick rows, and a row of a pile that was picked is no draw.
        """
        return "all" if chosen.is_narrow and chosen.queue in PILES else chosen.queue

    def _queue(self, queue: str) -> np.ndarray:
        if queue == "disputed":
            return np.flatnonzero(self.states == DISPUTED)
        return self._find_decided_by_others() if queue == SECOND else self._orders[queue]

    def _find_decided_by_others(self) -> np.ndarray:
        """Rows that others decided, in an order that tells nothing of them."""
        if self._by_others[0] != len(self.log.log):
            by_key = self.folder.places_by_key
            keys = {
                key
                for (key, name), event in self.log.last.items()
                if name != self.reviewer and event.kind != "skip" and key in by_key
            }
            order = sorted(keys, key=lambda key: blake2b(key.encode(), digest_size=8).digest())
            places = np.array([by_key[key] for key in order], dtype=np.int64)
            self._by_others = (len(self.log.log), places)
        return self._by_others[1]

    def _rank(self, queue: str) -> np.ndarray:
        """The place of each row in the order of a queue; of others, behind it."""
        order = self._queue(queue)
        rank = np.full(len(self.states), len(order))
        rank[order] = np.arange(len(order))
        return rank

    def _fits(self, chosen: RowFilter) -> np.ndarray:
        low, high = chosen.bounds
        fits = (self.folder.p_wrong >= low) & (self.folder.p_wrong <= high)
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
        is_it = self.folder.recorded.is_decided_as
        found = map(self.said_of, range(len(self.states)))
        texts = (each and each.class_text for each in found)
        return np.array([text is not None and is_it(text, given) for text in texts], bool)

    def _decided_by(self, reviewer: str) -> np.ndarray:
        is_theirs = [(key, reviewer) in self.log.last for key in self.folder.keys]
        for place in range(len(self.folder.cards), len(is_theirs)):
            is_theirs[place] = reviewer == self.reviewer and self.own(place) is not None
        return np.array(is_theirs, dtype=bool)

    def _search(self, part: str, words: str) -> np.ndarray:
        """The rows with some words in their values, or in the reasons given."""
        # Parsing costs most, so texts that cannot hold the words are passed over unparsed.
        plain = words if words.isascii() and words == words.translate(_PLAIN) else ""
        cards = self.folder.card_texts()
        found = [plain in text.casefold() and words in _join_part(text, part) for text in cards]
        return np.array(found, dtype=bool)


def _join_part(text: str, part: str) -> str:
    """The part of a card under a name, as one text."""
    content: Any = json.loads(text)[part]
    pieces = (
        content if isinstance(content, list) else [value for value in content.values() if value]
    )
    return "\n".join(map(str, pieces)).casefold()


class ReviewTally:
    """The tally of the verdicts so far, as sums that one more verdict is added to."""

    def __init__(self, standing: RowStanding, stop_at: float) -> None:
        self.standing = standing
        self.stop_at = stop_at
        self.components = Components.from_dict(standing.folder.numbers["components"])
        self.verdicts = np.full(len(standing.states), NO_VERDICT, dtype=np.int8)
        self.evidence = Evidence.empty(self.components)
        self.now = self.components  # as reweighed by the evidence
        self.seconds: deque[float] = deque(maxlen=RECENT)
        self.refresh()

    def refresh(self, places: Iterable[int] | None = None) -> None:
        """Take in what is decided of some rows now, of all where none are named."""
        if places is None:
            looked_at = self.standing.states >= DECIDED
            places = np.flatnonzero(looked_at | (self.verdicts != NO_VERDICT)).tolist()
        changed = [place for place in places if self._judge(place) != self.verdicts[place]]
        rows = np.array(changed, dtype=np.int64)
        self._add(rows, -1)
        self.verdicts[rows] = [self._judge(place) for place in changed]
        self._add(rows, +1)
        self.now = update(self.components, self.evidence)

    def note_seconds(self, seconds: float) -> None:
        """One decision took so long."""
        self.seconds.append(min(seconds, LONGEST))

    def progress(self) -> dict[str, Any]:
        """All numbers of the page."""
        folder = self.standing.folder
        suspects = self.standing.suspects
        ahead = suspects[self.standing.states[suspects] <= SKIPPED]
        pile = folder.numbers["piles"]["spot"]
        seen = find_seen_rows(pile, "spot", self.standing.verdict_of, folder.fingerprint)
        places = folder.places(seen)
        spot = self.verdicts[places[~folder.flagged[places]]].tolist()
        return progress(
            self.now,
            self.evidence,
            self._expected(ahead),
            spot=(spot.count(WRONG), len(spot), spot.count(NO_VERDICT) + spot.count(UNSURE)),
            seconds=median(self.seconds) if self.seconds else None,
            stop_at=self.stop_at,
        )

    def p_wrong(self, place: int) -> float:
        """The probability that the label of a row is wrong, by what was decided of others."""
        folder = self.standing.folder
        decided = self.evidence.flagged.rows + self.evidence.others.rows
        if not decided or not folder.numbers.get("has_skill", True):
            return float(folder.p_wrong[place])
        is_flagged = folder.flagged[[place]]
        return float(self.now.p_wrong(folder.components[[place]], is_flagged)[0])

    def wrong_by_row(self) -> dict[int, bool | None]:
        """Whether labels are wrong, of rows judged by number; None where nobody could say."""
        judged = self.standing.states > SEEN
        places = np.flatnonzero(judged[: len(self.standing.folder.cards)])
        rows = self.standing.folder.rows[places].tolist()
        is_wrong = {RIGHT: False, WRONG: True}
        return dict(zip(rows, map(is_wrong.get, self.verdicts[places].tolist()), strict=True))

    def describe(self) -> dict[str, Any]:
        """The numbers, and what the page says of them."""
        numbers = self.progress()
        return {"numbers": numbers, **sentences(numbers)}

    def _expected(self, rows: np.ndarray) -> np.ndarray:
        """The chances of rows in the order of suspicion; of many, between some of them.

        So a decision costs the same at any size.
        """
        p = self.standing.folder.components
        if len(rows) <= EXACT:
            return self.now.p_wrong(p[rows], True)
        known = np.r_[
            np.arange(EXACT // 4), np.linspace(EXACT // 4, len(rows) - 1, EXACT, dtype=int)
        ]
        return np.interp(np.arange(len(rows)), known, self.now.p_wrong(p[rows[known]], True))

    def _judge(self, place: int) -> int:
        folder = self.standing.folder
        state = self.standing.states[place]
        if folder.recorded.is_blank(place):
            return NO_VERDICT  # a class for a row without a label says nothing about labels
        if folder.is_gold(place):
            return NO_VERDICT
        if state != DECIDED:
            return UNSURE if state in (AMBIGUOUS, UNUSABLE) else NO_VERDICT
        verdict = self.standing.log.verdicts[folder.keys[place]]
        return WRONG if differ(str(verdict.class_text), folder.label_text(place)) else RIGHT

    def _add(self, rows: np.ndarray, sign: int) -> None:
        rows = rows[self.verdicts[rows] != NO_VERDICT]
        if not len(rows):
            return
        verdicts = self.verdicts[rows]
        folder = self.standing.folder
        found = evidence_of(
            self.components,
            folder.components[rows],
            verdicts == WRONG,
            folder.flagged[rows],
            folder.p_wrong[rows],
            unsure=verdicts == UNSURE,
        )
        self.evidence = self.evidence.plus(found, sign)
