"""The numbers that are always in view, kept up to date decision by decision."""

from collections import deque
from collections.abc import Iterable
from statistics import median
from typing import Any

import numpy as np

from .._certified import gone_through
from ..decisions import differ
from ..inference import (
    Components,
    ReviewProgress,
    evidence_of,
    no_evidence,
    progress,
    sentences,
    undecidable,
    update,
)
from ._standing import AMBIGUOUS, DECIDED, SKIPPED, UNUSABLE, RowStanding

UNTOLD, RIGHT, WRONG, UNSURE = range(-1, 3)
RECENT = 30  # decisions whose seconds make the pace
EXACT = 2_000  # suspects up to which each is asked about
LONGEST = 120.0  # seconds: who takes longer was away


class ReviewTally:
    """What the verdicts so far tell, as sums that one more verdict is added to."""

    def __init__(self, standing: RowStanding, stop_at: float) -> None:
        self.standing, self.stop_at = standing, stop_at
        self.components = Components.from_dict(standing.folder.numbers["components"])
        self.told = np.full(len(standing.states), UNTOLD, dtype=np.int8)
        self.evidence = no_evidence(self.components)
        self.seconds: deque[float] = deque(maxlen=RECENT)
        self.refresh()

    def refresh(self, places: Iterable[int] | None = None) -> None:
        """Take in what is decided of some rows now, of all where none are named."""
        if places is None:
            looked_at = self.standing.states >= DECIDED
            places = np.flatnonzero(looked_at | (self.told != UNTOLD)).tolist()
        changed = [place for place in places if self._told(place) != self.told[place]]
        rows = np.array(changed, dtype=np.int64)
        self._add(rows, -1)
        self.told[rows] = [self._told(place) for place in changed]
        self._add(rows, +1)

    def note_seconds(self, seconds: float) -> None:
        """One decision took so long."""
        self.seconds.append(min(seconds, LONGEST))

    def progress(self) -> ReviewProgress:
        """All numbers of the page."""
        suspects = self._suspects()
        ahead = suspects[self.standing.states[suspects] <= SKIPPED]
        now = update(self.components, self.evidence)
        spot = self.told[self._spot_checked()].tolist()
        return progress(
            self.components,
            self.evidence,
            self._expected(now, ahead),
            spot=(spot.count(WRONG), len(spot), spot.count(UNTOLD) + spot.count(UNSURE)),
            seconds=median(self.seconds) if self.seconds else None,
            stop_at=self.stop_at,
        )

    def told_in_sentences(self) -> dict[str, Any]:
        """The numbers, and what the page says of them."""
        numbers = self.progress()
        return {"numbers": numbers, **sentences(numbers)}

    def _expected(self, now: Components, rows: np.ndarray) -> np.ndarray:
        """What is known now of rows in the order of suspicion; of many, between some of them.

        So a decision costs the same at any size.
        """
        p = self.standing.folder.components
        if len(rows) <= EXACT:
            return now.p_wrong(p[rows])
        asked = np.r_[
            np.arange(EXACT // 4), np.linspace(EXACT // 4, len(rows) - 1, EXACT, dtype=int)
        ]
        return np.interp(np.arange(len(rows)), asked, now.p_wrong(p[rows[asked]]))

    def _suspects(self) -> np.ndarray:
        return np.flatnonzero(self.standing.folder.rows.flagged)

    def _spot_checked(self) -> np.ndarray:
        """The spot pile as far as it was gone through."""
        verdicts, folder = self.standing.decisions.verdicts(), self.standing.folder
        spot = self.standing.spot.tolist()
        here = {place: verdicts.get(folder.rows.key[place]) for place in spot}
        drawn = {place: verdict for place, verdict in here.items() if verdict is not None}
        return np.array(gone_through(spot, "spot", drawn, folder.fingerprint), dtype=np.int64)

    def _told(self, place: int) -> int:
        folder, state = self.standing.folder, self.standing.states[place]
        if folder.recorded.is_blank(place):
            return UNTOLD  # a class for a row without a label says nothing about labels
        if state != DECIDED:
            return UNSURE if state in (AMBIGUOUS, UNUSABLE) else UNTOLD
        verdict = self.standing.decisions.verdicts()[folder.rows.key[place]]
        return WRONG if differ(str(verdict.class_text), folder.label_text(place)) else RIGHT

    def _add(self, rows: np.ndarray, sign: int) -> None:
        rows = rows[self.told[rows] != UNTOLD]
        if not len(rows):
            return
        told, folder = self.told[rows], self.standing.folder
        p, flagged, p_wrong = (
            of[rows] for of in (folder.components, folder.rows.flagged, folder.rows.p_wrong)
        )
        sure, wrong = told != UNSURE, told == WRONG
        found = evidence_of(self.components, p[sure], wrong[sure], flagged[sure], p_wrong[sure])
        passed = undecidable(self.components, p[~sure], flagged[~sure])
        self.evidence = self.evidence.plus(found.plus(passed), sign)
