from itertools import pairwise

import pytest

from engine_cases import cut, join, positions
from errata._engine import Here, Stage


def test_rate_and_rest_count_what_this_call_has_done():
    stage = Stage("judge", done=600, total=1000, seconds=4.0, kept=400)
    assert stage.rows_per_second == pytest.approx(50, rel=1e-12)
    assert stage.seconds_left == pytest.approx(8, rel=1e-12)
    assert str(stage) == "judge: 600 of 1,000 rows, 50 a second, 8 s left"


@pytest.mark.parametrize("stage", [Stage("scan", 0, 10, 0.0), Stage("scan", 5, 10, 3.0, kept=5)])
def test_nothing_is_foretold_before_something_is_done(stage):
    assert stage.rows_per_second is None
    assert stage.seconds_left is None
    assert str(stage) == f"scan: {stage.done} of 10 rows"


def test_in_the_end_nothing_is_left():
    assert Stage("scan", 10, 10, 2.0).seconds_left == 0
    assert str(Stage("scan", 10, 10, 2.0)) == "scan: 10 of 10 rows, 5 a second"
    assert Stage("scan", 10, 10, 2.0, kept=10).seconds_left == 0


def test_a_stage_is_told_at_the_start_and_after_every_part():
    seen = []
    Here(progress=seen.append).reduce(positions, join, cut(25, 10), 0, stage="scan")
    assert [(stage.name, stage.done, stage.total) for stage in seen] == [
        ("scan", done, 25) for done in (0, 10, 20, 25)
    ]
    assert all(a.seconds <= b.seconds for a, b in pairwise(seen))


def test_items_are_counted_as_such():
    seen = []
    Here(progress=seen.append).map(max, [3, 7], 5, stage="trees")
    assert str(seen[0]) == "trees: 0 of 2 items"
    assert (seen[-1].done, seen[-1].unit) == (2, "items")
