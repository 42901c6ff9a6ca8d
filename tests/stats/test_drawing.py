from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from errata.stats._diagram import stack

bars = st.lists(
    st.tuples(st.integers(0, 20), st.integers(0, 8)).map(lambda bar: (bar[0], sum(bar))),
    max_size=12,
).map(sorted)


@given(bars, st.integers(0, 3))
def test_bars_on_one_level_keep_their_distance(spans, gap):
    levels = stack(spans, gap)
    for a, b in combinations(range(len(spans)), 2):
        if levels[a] == levels[b]:
            assert spans[a][1] + gap < spans[b][0]


@given(bars, st.integers(0, 3))
def test_no_more_levels_are_used_than_bars_overlap_at_one_point(spans, gap):
    levels = stack(spans, gap)
    depth = [sum(left <= start <= right + gap for left, right in spans) for start, _ in spans]
    assert len(set(levels)) == max(depth, default=0)


def test_bars_fill_the_lowest_level_first():
    assert stack([(0, 2), (1, 3), (2.5, 4), (5, 6)], gap=0.1) == [0, 1, 0, 0]
