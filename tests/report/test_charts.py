import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.report import _charts


def check(ranks, top):
    fractions = [1 / (1 + place) for place in range(len(ranks))]
    half = [fraction / 2 for fraction in fractions]
    return {
        **{"rank": ranks, "precision": half, "recall": fractions, "top": top, "lift": True},
        **{"label_precision": fractions, "label_recall": [fraction / 4 for fraction in fractions]},
    }


@given(st.integers(1, 5_000), st.integers(1, 5_000))
def test_a_thinned_curve_keeps_its_ends_and_its_top(n, top):
    ranks = list(range(1, n + 1))
    kept = _charts.thin_curve(check(ranks, top))["rank"]
    assert {1, n, min(top, n)} <= set(kept)
    assert len(kept) <= _charts.MOST_POINTS + 1
    assert kept == sorted(set(kept))


def test_the_curve_stays_inside_its_plot():
    curve = _charts.draw_curve(check([10, 20, 40], top=20))
    assert curve["recall"] == "25.00,0.00 50.00,50.00 100.00,66.67"
    assert curve["label_recall"] == "25.00,75.00 50.00,87.50 100.00,91.67"
    assert curve["precision"] == "25.00,50.00 50.00,75.00 100.00,83.33"
    assert curve["start_at"] == 50
    assert curve["sentence"] == (
        "Look at the first 20 rows: you find 50% of the planted errors (12% by labels alone); "
        "25% of these rows are planted errors."
    )
    assert curve["table"][1] == [20, 0.5, 0.125, 0.25]
    assert [curve[name] for name in ("start", "last")] == [20, 40]


@pytest.mark.parametrize(("found", "last"), [(1.0, 20), (0.98, 1000)])
def test_the_curve_ends_beyond_the_list_when_nearly_all_is_found(found, last):
    ranks = list(range(1, 1001))
    recall = [min(rank / 10, found) for rank in ranks]
    assert _charts.thin_curve(check(ranks, top=10) | {"recall": recall})["rank"][-1] == last


def test_no_curve_is_drawn_where_it_would_tell_nothing():
    summary = {"has_skill": True, "self_check": check([10, 20], top=20)}
    assert _charts.get_drawn_check(summary) is summary["self_check"]
    assert _charts.get_drawn_check(summary | {"has_skill": False}) is None
    assert _charts.get_drawn_check(summary | {"self_check": None}) is None
    no_lift = summary["self_check"] | {"lift": False}
    assert _charts.get_drawn_check(summary | {"self_check": no_lift}) is None


def test_a_curve_without_points_is_none():
    assert _charts.draw_curve(check([], top=20)) is None


@given(st.integers(1, 10_000_000))
def test_ticks_are_few_and_within_reach(most):
    assert 1 <= len(_charts.choose_ticks(most)) <= 7
    assert _charts.choose_ticks(most)[-1] <= most
    marks = _charts._choose_root_ticks(most)
    assert marks[0] == 0
    assert 2 <= len(marks) <= 6
    assert marks == sorted(set(marks))
    assert marks[-1] <= most


def test_bars_grow_with_the_square_root():
    bins = {"edges": [0, 0.5, 0.75, 1], "counts": [400, 100, 0], "flagged": [0, 25, 0]}
    bars = _charts.draw_histogram(bins)["bars"]
    assert [bar["height"] for bar in bars] == pytest.approx([100, 50, 0], abs=1e-9)
    assert [bar["flagged"] for bar in bars] == pytest.approx([0, 25, 0], abs=1e-9)
    assert bars[1]["text"] == "50% to 75%: 100 rows, 25 flagged"
