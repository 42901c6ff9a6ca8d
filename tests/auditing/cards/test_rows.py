import numpy as np

from errata.auditing.examples import _cards
from errata.auditing.examples._cards import card_rows

SUSPICION = np.array([0.5, 0.9, 0.1, 0.7, 0.2])
NOTHING = {"calibration": [], "spot": []}
FLAGGED = np.array([True, True, False, True, False])


def test_flagged_rows_come_first_by_suspicion():
    assert card_rows(SUSPICION, FLAGGED, NOTHING).tolist() == [1, 3, 0]


def test_rows_of_the_piles_follow_once_each():
    piles = {"calibration": [[3, 0.9, 2], [4, 0.1, 0]], "spot": [2, 4]}
    assert card_rows(SUSPICION, FLAGGED, piles).tolist() == [1, 3, 0, 4, 2]


def test_the_most_suspicious_stay_where_there_are_too_many(monkeypatch):
    monkeypatch.setattr(_cards, "MOST_CARDS", 2)
    piles = {"calibration": [], "spot": [2]}
    assert card_rows(SUSPICION, FLAGGED, piles).tolist() == [1, 3, 2]


def test_nothing_flagged_and_nothing_drawn_is_no_row():
    rows = card_rows(SUSPICION, np.zeros(5, dtype=bool), NOTHING)
    assert rows.dtype.kind == "i"
    assert len(rows) == 0
