import numpy as np

from auditing_cases import blobs
from errata.auditing.examples import _examples as module
from errata.auditing.examples._examples import draw_map

X, CODES = blobs(60)
TOLD = {
    "label": CODES,
    "suggested": CODES,
    "p_wrong": np.linspace(0, 1, 60),
    "flagged": np.arange(60) > 50,
}


def test_every_row_has_its_place_and_the_worst_are_drawn_last():
    points = draw_map(X, np.array([3, 1]), TOLD, 0)
    assert sorted(points["row"]) == list(range(60))
    assert points["row"][-2:] == [3, 1]
    assert {len(values) for values in points.values()} == {60}


def test_of_many_rows_the_worst_are_always_shown(monkeypatch):
    monkeypatch.setattr(module, "MAP_POINTS", 10)
    points = draw_map(X, np.array([3, 1]), TOLD, 0)
    assert len(points["row"]) == 10
    assert points["row"][-2:] == [3, 1]


def test_what_has_no_plane_has_no_map():
    assert draw_map(None, np.array([0]), TOLD, 0) is None
    assert draw_map(X[:, :1], np.array([0]), TOLD, 0) is None
