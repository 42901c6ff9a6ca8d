from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.stats._diagram import find_cliques


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
