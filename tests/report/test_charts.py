import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.report import _charts


def check(ranks, top):
    shares = [1 / (1 + place) for place in range(len(ranks))]
    return {"rank": ranks, "precision": shares, "recall": shares, "top": top}


@given(st.integers(1, 5_000), st.integers(1, 5_000))
def test_a_thinned_curve_keeps_its_ends_and_its_top(n, top):
    ranks = list(range(1, n + 1))
    kept = _charts.thinned(check(ranks, top))["rank"]
    assert {1, n, min(top, n)} <= set(kept)
    assert len(kept) <= _charts.MOST_POINTS + 1
    assert kept == sorted(set(kept))


def test_the_curve_stays_inside_its_plot():
    curve = _charts.curve(check([10, 20, 40], top=20))
    assert curve["recall"] == "25.00,0.00 50.00,50.00 100.00,66.67"
    assert curve["start_at"] == 50
    assert curve["reading"].startswith("Look at the first 20 rows")


def test_a_curve_without_points_is_none():
    assert _charts.curve(check([], top=20)) is None


@given(st.integers(1, 10_000_000))
def test_ticks_are_few_and_within_reach(most):
    assert 1 <= len(_charts.ticks(most)) <= 7
    assert _charts.ticks(most)[-1] <= most
    marks = _charts._root_ticks(most)
    assert marks[0] == 0
    assert 2 <= len(marks) <= 6
    assert marks == sorted(set(marks))
    assert marks[-1] <= most


def test_bars_grow_with_the_square_root():
    bins = {"edges": [0, 0.5, 0.75, 1], "counts": [400, 100, 0], "flagged": [0, 25, 0]}
    bars = _charts.histogram(bins)["bars"]
    assert [bar["height"] for bar in bars] == pytest.approx([100, 50, 0], abs=1e-9)
    assert [bar["flagged"] for bar in bars] == pytest.approx([0, 25, 0], abs=1e-9)
    assert bars[1]["text"].replace("\xa0", " ") == "50 % to 75 %: 100 rows, 25 flagged"
