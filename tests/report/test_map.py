import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.report import _charts

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
    assert _charts.describe_outside(points(cloud(), cloud())) == ""


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
    told = _charts.describe_outside(points([*range(41), *far], [0.0] * (41 + len(far))))
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
    assert words in _charts.describe_map(has_skill=skill, are_many=many)
