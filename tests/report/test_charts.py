import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.report import _charts, _classes, render
from errata.report._charts import Axis, draw_rates, make_axis
from report.fake_summary import digits_summary


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


def test_numbers_lie_where_they_should():
    axis = make_axis([0.0, 10.0])
    assert [axis.at(v) for v in (-0.4, 5, 10.4)] == pytest.approx([0, 50, 100], rel=1e-12)
    logs = make_axis([1.0, 1000.0], logs=True)
    ends = [10**-0.12, 10**1.5, 10**3.12]
    assert [logs.at(v) for v in ends] == pytest.approx([0, 50, 100], rel=1e-12, abs=1e-12)
    assert logs.at(-5) < 0


@pytest.mark.parametrize("values", [[3.0], [0.0, 0.0], [1e-9, 2e-9], [-5e6, 7e6], [12, 61.5]])
def test_there_are_some_round_marks_on_every_axis(values):
    ticks = make_axis(values).ticks()
    assert 3 <= len(ticks) <= 11
    assert all(-1e-6 <= tick["at"] <= 100 + 1e-6 for tick in ticks)
    assert len({tick["text"] for tick in ticks}) == len(ticks)


def test_a_short_axis_of_logarithms_has_marks_too():
    assert len(Axis(2.0, 8.0, logs=True).ticks()) > 2


def value(name, rate):
    numbers = {"rows": 40, "rate": rate, "low": rate / 2, "high": 2 * rate, "flagged": 3}
    return {"value": name, **numbers, "chance": 1.0}


def test_places_are_in_percent_of_the_longest_interval():
    by = {"column": "site", "values": [value("a", 0.2), value("b", 0.05)], "sentence": None}
    first, second = draw_rates(by, "labels")["values"]
    assert (first["left"], first["at"], first["width"]) == (25.0, 50.0, 75.0)
    assert (second["left"], second["at"], second["width"]) == (6.25, 12.5, 18.75)
    assert draw_rates(None, "labels") is None


def test_values_are_shown_as_text():
    by = {"column": "<b>who", "values": [value("<script>", 0.2)], "sentence": "It stands out."}
    page = render(digits_summary(pictures=False) | {"by": by})
    assert "By &lt;b&gt;who</h2>" in page
    assert "&lt;script&gt;" in page.split('id="by"')[1].split("</section>")[0]
    assert "It stands out." in page


def test_no_more_than_fifty_are_drawn():
    many = {"column": "who", "values": [value(f"w{i}", 0.1) for i in range(60)], "sentence": None}
    page = render(digits_summary(pictures=False) | {"by": many})
    assert "the 50 noisiest of 60." in page
    assert "w49" in page
    assert "w50" not in page


NUMBERS = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60)


def points(x, y):
    n = len(x)
    codes = {name: [0] * n for name in ("label", "suggested", "flagged")}
    return {"x": x, "y": y, "row": list(range(n)), "p_wrong": [0.5] * n, **codes}


def cloud(n=200):
    return np.random.default_rng(0).normal(size=n).tolist()


def test_two_far_rows_do_not_squeeze_the_map():
    x = [*cloud(), 1000.0, 0.0]
    y = [*cloud(), 0.0, -5000.0]
    drawn = _charts.pack_map(points(x, y))
    assert drawn["outside"] == {200: [1, 0, 1000.0, 0.0], 201: [0, -1, 0.0, -5000.0]}
    assert (drawn["x"][200], drawn["y"][201]) == (10_000, 0)
    assert np.ptp(drawn["x"][:200]) == np.ptp(drawn["y"][:200]) == 10_000


def test_a_cloud_of_ordinary_rows_lies_inside_as_a_whole():
    drawn = _charts.pack_map(points(cloud(3000), cloud(3000)))
    assert drawn["outside"] == {}
    assert _classes.describe_outside(points(cloud(), cloud())) == ""


@given(NUMBERS)
def test_places_are_on_the_grid_and_in_the_order_of_the_values(values):
    drawn = _charts.pack_map(points(values, values))
    order = np.argsort(values, kind="stable")
    places = np.array(drawn["x"])[order]
    assert places.min() >= 0
    assert places.max() <= 10_000
    assert (np.diff(places) >= 0).all()


@given(NUMBERS)
def test_what_is_called_outside_lies_beyond_the_limits(values):
    low, high = _charts.find_limits(values)
    drawn = _charts.pack_map(points(values, values))
    for i, (way, _, told, _) in drawn["outside"].items():
        assert told == pytest.approx(values[i], rel=1e-3, abs=1e-300)
        assert values[i] > high if way > 0 else values[i] < low


def test_rows_on_one_line_are_not_taken_for_far_ones():
    assert _charts.find_limits([*[0.0] * 99, 7.0]) == (0.0, 7.0)


@pytest.mark.parametrize(
    ("far", "words"),
    [
        ([500.0], "1 row lies outside and is drawn as a triangle at the border: the map reaches"),
        ([500.0, -700.0], "2 rows lie outside and are drawn as triangles at the border"),
    ],
)
def test_the_page_says_how_many_rows_lie_outside(far, words):
    told = _classes.describe_outside(points([*range(41), *far], [0.0] * (41 + len(far))))
    assert told.startswith(words)
    assert told.endswith(" from 0 to 40 across and from 0 to 0 upwards.")


@pytest.mark.parametrize(
    ("skill", "many", "words"),
    [
        (True, True, "flagged rows have colours"),
        (False, True, "choose a label"),
        (True, False, "rings are flagged rows"),
        (False, False, "the columns do not tell them apart"),
    ],
)
def test_the_page_says_how_to_read_the_map(skill, many, words):
    assert words in _classes.describe_map(has_skill=skill, are_many=many)
