from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.stats import (
    average_ranks,
    critical_difference,
    plot_average_ranks,
    plot_critical_difference,
    wilcoxon_holm,
)
from errata.stats._diagram import STEM, find_cliques, stack
from stats.score_tables import walmsley

plt = pytest.importorskip("matplotlib.pyplot", reason="the diagrams are drawn with it")

LETTERS = "ABCDEFGHIJKLMNOPQRST"

# Five methods; the first is like the third, but not like the second, which lies between them.
SKIPPING = np.where(np.abs(np.subtract.outer(range(5), range(5))) == 1, 0.01, 1.0)


@pytest.fixture(autouse=True)
def _headless_figures():
    plt.switch_backend("Agg")
    yield
    plt.close("all")


def scores(k, *, n=25, step=0.3, seed=0):
    return np.random.default_rng(seed).normal(size=(n, k)) + step * np.arange(k)


def names(k, length):
    return [f"{letter} {'method ' * 9}"[:length].strip() for letter in LETTERS[:k]]


def boxes(ax):
    ax.figure.canvas.draw()
    return [text.get_window_extent() for text in ax.texts]


def overlap(a, b):
    return min(a.x1, b.x1) - max(a.x0, b.x0) > 0 and min(a.y1, b.y1) - max(a.y0, b.y0) > 0


def inside(box, frame):
    return box.x0 >= frame.x0 and box.x1 <= frame.x1 and box.y0 >= frame.y0 and box.y1 <= frame.y1


def bars(ax):
    """The solid pieces of each bar, as pairs of ranks, and its height."""
    found = {c.get_gid(): c for c in ax.collections if str(c.get_gid()).startswith("group-")}
    pieces = [found[f"group-{i}"].get_segments() for i in range(len(found))]
    return [([(p[0, 0], p[1, 0]) for p in piece], piece[0][0, 1]) for piece in pieces]


def points(ax, n):
    """So many points across, in ranks."""
    ax.figure.canvas.draw()
    pixels = n * ax.figure.dpi / 72
    left, right = ax.transData.inverted().transform([(0, 0), (pixels, 0)])[:, 0]
    return right - left


LONG = [pytest.param(k, marks=pytest.mark.slow) for k in {*range(3, 21)} - {3, 8, 20}]


def stems(ax):
    """The line of each method: along the ranks down to its row, then out to its name."""
    return [line.get_xydata() for line in ax.lines if line.get_color() == STEM]


@pytest.mark.parametrize("length", [1, 12, 60])
@pytest.mark.parametrize("k", [3, 8, 20, *LONG])
def test_no_text_touches_another_or_leaves_the_figure(k, length):
    ax = plot_critical_difference(scores(k), names=names(k, length))
    found = boxes(ax)
    assert len(found) == 2 * k + 2  # names, ticks, title of the axis, critical difference
    assert all(inside(box, ax.figure.bbox) for box in found)
    assert not any(overlap(a, b) for a, b in combinations(found, 2))


def test_large_type_fits_too():
    with plt.rc_context({"font.size": 20}):
        ax = plot_critical_difference(scores(20), names=names(20, 12))
        found = boxes(ax)
    assert all(inside(box, ax.figure.bbox) for box in found)
    assert not any(overlap(a, b) for a, b in combinations(found, 2))


def test_a_title_added_later_fits_too():
    ax = plot_critical_difference(scores(5))
    title = ax.set_title("Accuracy at 30 % noise")
    found = [*boxes(ax), title.get_window_extent()]
    assert all(inside(box, ax.figure.bbox) for box in found)
    assert not any(overlap(a, b) for a, b in combinations(found, 2))


def test_given_axes_are_drawn_on_and_hold_the_whole_diagram():
    figure, (top, bottom) = plt.subplots(2, figsize=(7, 6))
    ax = plot_critical_difference(scores(6), names=names(6, 12), ax=bottom)
    assert ax is bottom
    assert not top.texts
    found = boxes(ax)
    assert all(inside(box, bottom.get_window_extent()) for box in found)
    assert not any(overlap(a, b) for a, b in combinations(found, 2))
    assert plt.get_fignums() == [figure.number]


@pytest.mark.parametrize("k", [3, 8, 13, 20])
def test_each_name_stands_at_the_end_of_the_line_that_starts_at_its_rank(k):
    table = scores(k)
    ax = plot_critical_difference(table, names=list(LETTERS[:k]))
    ranks = dict(zip(LETTERS, average_ranks(table), strict=False))
    labels = {text.get_position()[1]: {} for text in ax.texts}
    for text in ax.texts:
        labels[text.get_position()[1]][text.get_ha()] = text.get_text()
    for (start, _), _, (end, y) in stems(ax):
        label = labels[y]["right" if end < start else "left"]
        name = next(word for word in label.split() if word in LETTERS)
        assert start == ranks[name]
        assert f"{start:.2f}" in label


def test_the_best_method_stands_on_the_left():
    table = scores(4, step=5.0)  # the last method wins everywhere
    ax = plot_critical_difference(table, names=list("ABCD"))
    left = [text.get_text() for text in ax.texts if text.get_ha() == "right"]
    assert [label.split() for label in left] == [["D", "1.00"], ["C", "2.00"]]
    low, high = ax.get_xlim()
    assert low < high


def test_losses_turn_the_order_around():
    table = scores(4, step=5.0)
    ax = plot_critical_difference(table, names=list("ABCD"), higher_is_better=False)
    left = [text.get_text() for text in ax.texts if text.get_ha() == "right"]
    assert [label.split()[0] for label in left] == ["A", "B"]


@pytest.mark.parametrize("seed", range(5))
def test_no_stem_crosses_the_line_to_another_name(seed):
    ax = plot_critical_difference(scores(11, seed=seed))
    for one, other in combinations(stems(ax), 2):
        for (x, top), (_, bottom), _ in (one, other):
            for _, (turn, y), (end, _) in (one, other):
                assert not (min(turn, end) < x < max(turn, end) and top < y < bottom)


@pytest.mark.parametrize(("k", "n"), [(4, 30), (9, 40), (20, 60)])
def test_bars_span_the_ranks_of_their_groups(k, n):
    table = scores(k, n=n)
    ax = plot_critical_difference(table)
    cd, ranks = critical_difference(k, n), np.sort(average_ranks(table))
    runs = [(r, ranks[ranks < r + cd].max()) for r in ranks]
    last = [-np.inf, *(right for _, right in runs)]  # where the run before ends
    expected = [run for run, before in zip(runs, last, strict=False) if run[0] < run[1] > before]
    found = [pieces for pieces, _ in bars(ax)]
    assert [len(pieces) for pieces in found] == [1] * len(expected)
    ends = np.array([pieces[0] for pieces in found])
    overhang = points(ax, 3.5)
    assert (np.abs(ends - expected) < overhang).all()
    assert (ends[:, 0] < np.array(expected)[:, 0]).all()


def test_methods_all_alike_share_one_bar():
    ranks = average_ranks(scores(6, step=0.0))
    ((pieces, _),) = bars(plot_average_ranks(ranks, list("ABCDEF"), cd=5.0))
    assert len(pieces) == 1


def test_methods_all_different_have_no_bar():
    assert bars(plot_critical_difference(scores(5, n=60, step=9.0))) == []


def test_methods_that_lie_the_critical_difference_apart_have_no_bar():
    assert bars(plot_average_ranks([1.0, 2.0, 3.0], list("ABC"), cd=1.0)) == []


def test_tied_methods_have_a_bar_that_can_be_seen():
    ax = plot_average_ranks([1.5, 1.5, 3.0], list("ABC"), cd=1.0)
    (([(left, right)], _),) = bars(ax)
    assert right - left >= points(ax, 5)


def test_a_bar_ends_before_the_next_method_however_near():
    ax = plot_average_ranks([1.0, 2.0, 2.02], list("ABC"), cd=1.01)
    ([(_, right)], _), ([(left, _)], _) = bars(ax)
    assert 2.0 < right < 2.02
    assert left < 2.0


def test_the_bar_of_a_group_with_a_gap_leaves_out_the_method_in_between():
    ax = plot_average_ranks([1.2, 2.1, 2.9, 4.0, 4.8], list(LETTERS[:5]), p_values=SKIPPING)
    first, *_ = bars(ax)  # A, C and E are alike
    assert [round((left + right) / 2, 6) for left, right in first[0]] == [1.2, 2.9, 4.8]
    dotted = [c for c in ax.collections if c.get_linestyle()[0][1] is not None]
    assert len(dotted) == len(bars(ax)) == 2 + 2


def test_the_critical_difference_is_drawn_to_scale():
    table = scores(5)
    ax = plot_critical_difference(table, significance=0.1)
    (bar,) = [line for line in ax.lines if line.get_gid() == "cd"]
    cd = critical_difference(5, 25, significance=0.1)
    np.testing.assert_allclose(np.ptp(bar.get_xdata()), cd, rtol=1e-12, atol=0)
    assert f"CD = {cd:.2f}" in [text.get_text() for text in ax.texts]


def test_a_critical_difference_wider_than_the_axis_is_only_told():
    ax = plot_critical_difference(scores(5, n=2))
    assert ax.texts[-1].get_text() == "CD = 4.31 (longer than the axis: no two methods can differ)"
    assert all(inside(box, ax.figure.bbox) for box in boxes(ax))
    assert not [line for line in ax.lines if line.get_gid() == "cd"]


def test_p_values_take_the_place_of_the_critical_difference():
    table = scores(7, n=40, step=0.35)
    p = wilcoxon_holm(table).p_values
    ax = plot_critical_difference(table, p_values=p)
    assert not any("CD" in text.get_text() for text in ax.texts)
    order = np.argsort(average_ranks(table))
    ranks = average_ranks(table)[order]
    for pieces, _ in bars(ax):
        members = [i for i in range(7) if any(a < ranks[i] < b for a, b in pieces)]
        pairs = combinations(order[members], 2)
        assert all(p[i, j] > 0.05 for i, j in pairs)


def test_p_values_follow_their_methods_into_the_order_of_ranks():
    p = np.full((3, 3), 0.001)
    p[0, 2] = p[2, 0] = 0.9  # A and C alike; B last
    (([(left, right)], _),) = bars(plot_average_ranks([1.0, 3.0, 2.0], list("ABC"), p_values=p))
    assert left < 1.0 < 2.0 < right < 3.0


def test_names_come_from_the_columns_of_a_dataframe():
    pandas = pytest.importorskip("pandas", reason="the dataframe under test")
    ax = plot_critical_difference(pandas.DataFrame(scores(3), columns=["elm", "hmm", "tree"]))
    words = {word for text in ax.texts for word in text.get_text().split()}
    assert {"elm", "hmm", "tree"} <= words


@pytest.mark.parametrize("ranks", [[1, 2, 4], [0.5, 2, 3], [[1, 2], [2, 1]], [1], [1, 2, np.nan]])
def test_impossible_ranks_are_refused(ranks):
    with pytest.raises(ValueError, match="average ranks between 1 and the number of methods"):
        plot_average_ranks(ranks, list("ABC"), cd=1)


@pytest.mark.parametrize("tests", [{}, {"cd": 1, "p_values": np.ones((2, 2))}])
def test_it_must_be_said_when_methods_differ_and_only_once(tests):
    with pytest.raises(ValueError, match="give either cd or p_values"):
        plot_average_ranks([1, 2], ["A", "B"], **tests)


@pytest.mark.parametrize("cd", [0, -1.2, np.nan])
def test_a_critical_difference_that_is_not_positive_is_refused(cd):
    with pytest.raises(ValueError, match="must be positive; critical_difference computes it"):
        plot_average_ranks([1, 2], ["A", "B"], cd=cd)


def test_p_values_of_another_shape_are_refused():
    with pytest.raises(ValueError, match=r"p_values must have shape \(2, 2\).*\(3, 3\)"):
        plot_average_ranks([1, 2], ["A", "B"], p_values=np.ones((3, 3)))


def test_p_values_against_a_control_are_refused():
    table = scores(4)
    with pytest.raises(ValueError, match=r"lacks some pairs \(NaN.*compute it without control"):
        plot_critical_difference(table, p_values=wilcoxon_holm(table, control=0).p_values)


stacked_bars = st.lists(
    st.tuples(st.integers(0, 20), st.integers(0, 8)).map(lambda bar: (bar[0], sum(bar))),
    max_size=12,
).map(sorted)


@given(stacked_bars, st.integers(0, 3))
def test_bars_on_one_level_keep_their_distance(spans, gap):
    levels = stack(spans, gap)
    for a, b in combinations(range(len(spans)), 2):
        if levels[a] == levels[b]:
            assert spans[a][1] + gap < spans[b][0]


@given(stacked_bars, st.integers(0, 3))
def test_no_more_levels_are_used_than_bars_overlap_at_one_point(spans, gap):
    levels = stack(spans, gap)
    depth = [sum(left <= start <= right + gap for left, right in spans) for start, _ in spans]
    assert len(set(levels)) == max(depth, default=0)


def test_bars_fill_the_lowest_level_first():
    assert stack([(0, 2), (1, 3), (2.5, 4), (5, 6)], gap=0.1) == [0, 1, 0, 0]


@st.composite
def relations(draw, max_methods=7):
    """Symmetric tables of who is like whom."""
    k = draw(st.integers(1, max_methods))
    alike = np.eye(k, dtype=bool)
    for i, j in combinations(range(k), 2):
        alike[i, j] = alike[j, i] = draw(st.booleans())
    return alike


def naive_cliques(alike):
    """Try every subset of two or more; keep those in no larger one."""
    k = len(alike)
    subsets = [set(c) for size in range(2, k + 1) for c in combinations(range(k), size)]
    groups = [s for s in subsets if all(alike[i, j] for i, j in combinations(s, 2))]
    return sorted(tuple(sorted(g)) for g in groups if not any(g < other for other in groups))


@given(relations())
def test_cliques_are_those_found_by_trying_every_subset(alike):
    assert find_cliques(alike) == naive_cliques(alike)


@given(st.lists(st.floats(1, 12), min_size=2, max_size=12), st.floats(0.1, 12))
def test_methods_told_apart_by_distance_form_runs_of_neighbours(ranks, cd):
    ranks = np.sort(ranks)
    groups = find_cliques(np.abs(ranks[:, None] - ranks) < cd)
    for group in groups:
        first, last = group[0], group[-1]
        assert group == tuple(range(first, last + 1))
        assert ranks[last] - ranks[first] < cd
        assert first == 0 or ranks[last] - ranks[first - 1] >= cd
        assert last == len(ranks) - 1 or ranks[last + 1] - ranks[first] >= cd


def test_a_method_unlike_all_others_is_in_no_group():
    assert find_cliques([[1, 1, 0], [1, 1, 0], [0, 0, 1]]) == [(0, 1)]
    assert find_cliques(np.eye(4)) == []


def test_a_group_may_skip_a_method_that_lies_between():
    assert find_cliques([[1, 0, 1], [0, 1, 0], [1, 0, 1]]) == [(0, 2)]


def test_thirty_methods_all_alike_are_one_group():
    assert find_cliques(np.ones((30, 30))) == [tuple(range(30))]


def test_the_diagonal_does_not_matter():
    assert find_cliques([[0, 1], [1, 0]]) == [(0, 1)]


@pytest.mark.parametrize("table", [np.ones((2, 3)), np.ones(4)])
def test_a_table_that_is_not_square_is_refused(table):
    with pytest.raises(ValueError, match="one row and one column per method, but its shape is"):
        find_cliques(table)


def test_a_lopsided_table_is_refused():
    with pytest.raises(ValueError, match="must be symmetric: if a is like b, then b is like a"):
        find_cliques([[1, 1], [0, 1]])


def test_walmsleys_groups_at_30_percent_noise():
    # The bars that figure 4.2.4 must have, best method first.
    ranks = np.sort(average_ranks(walmsley("0.3")))
    assert find_cliques(np.abs(ranks[:, None] - ranks) < 1.575) == [(0, 1), (1, 2), (2, 3), (3, 4)]
