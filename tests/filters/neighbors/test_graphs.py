import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from errata.filters.neighbors._graph_filters import (
    find_gabriel_edges,
    find_knn_edges,
    find_relative_edges,
)
from filters.neighbor_cases import TINY_X, naive_proximity_pairs
from hardness.naive_hardness import naive_nearest
from strategies import seeds

PROXIMITY = {"gabriel": find_gabriel_edges, "rng": find_relative_edges}


def pairs(edges):
    return list(zip(edges.source.tolist(), edges.target.tolist(), strict=True))


def check_order(edges, X):
    """Both ways, each once, by row and then by length."""
    found = pairs(edges)
    assert len(set(found)) == len(found)
    assert {(j, i) for i, j in found} == set(found)
    np.testing.assert_allclose(
        edges.distance, np.linalg.norm(X[edges.source] - X[edges.target], axis=1), rtol=1e-9, atol=0
    )
    order = np.lexsort((edges.distance, edges.source))
    np.testing.assert_array_equal(order, np.arange(len(found)))


@pytest.mark.parametrize("mutual", [False, True])
@given(seeds, st.integers(5, 30), st.integers(1, 4))
def test_rows_are_joined_where_one_or_both_are_near(mutual, seed, n, k):
    X = np.random.RandomState(seed).normal(size=(n, 2))
    near = np.zeros((n, n), dtype=bool)
    near[np.arange(n)[:, None], naive_nearest(X, k)] = True
    expected = near & near.T if mutual else near | near.T
    edges = find_knn_edges(X, k, mutual=mutual)
    assert sorted(pairs(edges)) == [tuple(pair) for pair in np.argwhere(expected).tolist()]
    check_order(edges, X)


@pytest.mark.parametrize("graph", PROXIMITY)
@given(seeds, st.integers(2, 40), st.integers(1, 4))
def test_no_third_row_stands_between(graph, seed, n, d):
    X = np.random.RandomState(seed).normal(size=(n, d))
    edges = PROXIMITY[graph](X)
    assert sorted(pairs(edges)) == naive_proximity_pairs(X, graph)
    check_order(edges, X)


@pytest.mark.parametrize("graph", PROXIMITY)
@given(hnp.arrays(float, st.tuples(st.integers(2, 15), st.just(2)), elements=st.integers(0, 3)))
def test_ties_and_copies_do_not_separate(graph, X):
    # On a lattice nearly all angles are right and nearly all triangles have equal sides.
    assert sorted(pairs(PROXIMITY[graph](X / 3))) == naive_proximity_pairs(X / 3, graph)


def test_more_rows_than_are_asked_first_give_the_same_graph():
    X = np.random.RandomState(0).normal(size=(140, 2))
    for graph, edges in PROXIMITY.items():
        assert sorted(pairs(edges(X))) == naive_proximity_pairs(X, graph)


def test_the_relative_neighbourhood_graph_is_part_of_the_gabriel_graph():
    X = np.random.RandomState(0).normal(size=(80, 3))
    assert set(pairs(find_relative_edges(X))) < set(pairs(find_gabriel_edges(X)))


@pytest.mark.parametrize("graph", PROXIMITY)
def test_on_a_line_it_is_the_path(graph):
    path = [(i, i + 1) for i in range(9)]
    assert sorted(pairs(PROXIMITY[graph](TINY_X))) == sorted(path + [(j, i) for i, j in path])


def test_ranks_count_from_the_shortest_edge():
    edges = find_knn_edges(np.array([[0.0], [1.0], [3.0], [3.5]]), 2, mutual=False)
    of_row = {i: edges.rank[edges.source == i].tolist() for i in range(4)}
    assert of_row == {0: [1, 2], 1: [1, 2, 3], 2: [1, 2, 3], 3: [1, 2]}
    near = edges.only(edges.rank == 1)
    assert pairs(near) == [(0, 1), (1, 0), (2, 3), (3, 2)]
