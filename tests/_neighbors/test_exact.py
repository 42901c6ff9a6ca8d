import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from errata._neighbors import _exact
from errata._neighbors._exact import (
    BruteSearch,
    TreeSearch,
    choose_query,
    find_nearest,
    measure_distances,
    pick_nearest,
)
from hardness.naive_hardness import naive_nearest
from strategies import seeds

# Few values, so that many distances are equal and many rows are the same.
coarse_tables = hnp.arrays(
    float, st.tuples(st.integers(3, 30), st.integers(1, 10)), elements=st.integers(0, 2)
)


def one_thread_tree(X):
    return TreeSearch(X, n_jobs=1)


def others(query, X, k):
    """Indices of the nearest other rows of every row."""
    return find_nearest(query, X, k, X, own=np.arange(len(X)))[1]


both_ways = pytest.mark.parametrize("ask", [one_thread_tree, BruteSearch])


def counted(query, asked_for):
    """The query, noting how many rows ask for how much."""

    def noting(points, asked):
        asked_for.append((len(points), asked))
        return query(points, asked)

    return noting


@both_ways
@given(coarse_tables, st.data())
def test_ties_are_settled_as_by_sorting_all_distances(ask, X, data):
    k = data.draw(st.integers(1, len(X) - 1))
    expected = naive_nearest(X, k)
    rows = np.array(data.draw(st.permutations(range(len(X)))))[: data.draw(st.integers(1, len(X)))]
    for zero_is_equal in (True, False):
        distances, found = find_nearest(
            ask(X), X[rows], k, X, own=rows, zero_is_equal=zero_is_equal
        )
        np.testing.assert_array_equal(found, expected[rows])
        np.testing.assert_allclose(
            distances, measure_distances(X[rows], X, found), rtol=1e-12, atol=0
        )


@both_ways
@given(coarse_tables, coarse_tables, st.data())
def test_points_that_are_not_rows_are_compared_with_all_rows(ask, X, points, data):
    d = min(X.shape[1], points.shape[1])
    X, points = X[:, :d].copy(), points[:, :d].copy()
    k = data.draw(st.integers(1, len(X)))
    squares = ((points[:, None] - X) ** 2).sum(axis=2)
    for zero_is_equal in (True, False):
        distances, found = find_nearest(ask(X), points, k, X, zero_is_equal=zero_is_equal)
        np.testing.assert_array_equal(found, np.argsort(squares, axis=1, kind="stable")[:, :k])
        np.testing.assert_allclose(
            distances, measure_distances(points, X, found), rtol=1e-12, atol=0
        )


@both_ways
def test_small_chunks_change_nothing(ask, monkeypatch):
    X = np.random.RandomState(0).randint(3, size=(200, 4)).astype(float)
    monkeypatch.setattr(_exact, "CHUNK", 300)
    np.testing.assert_array_equal(others(ask(X), X, 7), naive_nearest(X, 7))


@both_ways
def test_equal_rows_are_settled_by_asking_once(ask):
    X = np.tile(np.random.RandomState(0).normal(size=(10, 4)), (100, 1))
    asked_for = []
    found = others(counted(ask(X), asked_for), X, 5)
    np.testing.assert_array_equal(found, naive_nearest(X, 5))
    assert asked_for == [(1000, 7)]


def test_rows_too_close_for_their_squares_are_not_called_equal():
    # Differences of 1e-200 have squares of 0: distance 0, and yet another row.
    X = np.array([[0.0], [1e-200], [0.0], [2e-200], [1.0], [3e-200], [4e-200]])
    np.testing.assert_array_equal(others(TreeSearch(X, 1), X, 3), naive_nearest(X, 3))


@pytest.mark.parametrize("offset", [0, 1e6, -1e9])
def test_brute_force_keeps_its_digits_far_from_zero(offset):
    grid = np.random.RandomState(0).randint(5, size=(300, 12)).astype(float)
    found = others(BruteSearch(grid + offset), grid + offset, 5)
    np.testing.assert_array_equal(found, naive_nearest(grid, 5))


def test_an_outlier_makes_no_other_row_ask_again():
    X = np.random.RandomState(0).normal(size=(500, 12))
    X[7] = 1e9
    asked_for = []
    found = others(counted(BruteSearch(X), asked_for), X, 5)
    np.testing.assert_array_equal(found, naive_nearest(X, 5))
    assert asked_for[0] == (500, 7)
    assert sum(n_rows for n_rows, _ in asked_for[1:]) <= 5  # the outlier itself


def test_columns_of_very_different_units_are_searched_exactly():
    X = np.random.RandomState(0).normal(size=(300, 12)) * 10.0 ** np.arange(-6, 6)
    np.testing.assert_array_equal(others(BruteSearch(X), X, 5), naive_nearest(X, 5))


def test_clusters_far_apart_are_searched_exactly():
    # Inner products of 1e24 know nothing of distances of 1.
    X = np.random.RandomState(0).normal(size=(400, 12))
    X[:200] += 1e12
    asked_for = []
    found = others(counted(BruteSearch(X), asked_for), X, 5)
    np.testing.assert_array_equal(found, naive_nearest(X, 5))
    assert len(asked_for) <= 2


def test_heavy_tails_are_searched_exactly():
    X = np.random.RandomState(0).standard_cauchy(size=(400, 12)) ** 5
    np.testing.assert_array_equal(others(BruteSearch(X), X, 5), naive_nearest(X, 5))


def test_distances_are_measured_from_differences():
    X = np.array([[1e8, 0], [1e8 + 3, 4], [1e8, 1]])
    assert measure_distances(X[[0]], X, np.array([[1, 2]])).tolist() == [[5, 1]]


def test_a_row_is_left_out_by_its_index():
    distances, found = pick_nearest(
        np.array([[3, 0, 2]]), np.array([[0.0, 0.0, 1.0]]), 2, own=np.array([3])
    )
    assert found.tolist() == [[0, 2]]
    assert distances.tolist() == [[0, 1]]


@pytest.mark.parametrize(
    ("n", "d", "expected"),
    [
        (100, 3, "tree"),
        (100, 20, "brute"),
        (5_000, 8, "tree"),
        (5_000, 9, "brute"),
        (20_000, 60, "brute"),
        (20_000, 10, "pilot"),
    ],
)
def test_the_shape_decides_on_the_search(n, d, expected, monkeypatch):
    monkeypatch.setattr(_exact, "TreeSearch", lambda X, n_jobs, measured=False: "tree")
    monkeypatch.setattr(_exact, "BruteSearch", lambda X, n_jobs: "brute")
    monkeypatch.setattr(_exact, "_pick_quicker", lambda tree, brute, X: "pilot")
    assert choose_query(np.zeros((n, d)), "euclidean", None) == expected


def test_the_pilot_prefers_a_tree_where_rows_lie_on_a_line():
    X = np.outer(np.linspace(0, 1, 20_000), np.ones(12))
    assert isinstance(choose_query(X, "euclidean", 1), TreeSearch)


@given(seeds)
def test_tree_and_brute_force_agree_where_rounding_decides(seed):
    # Steps of 0.1: many distances are equal but for their last digit.
    X = np.random.RandomState(seed).randint(4, size=(60, 9)) * 0.1
    tree, brute = (
        others(query, X, 5) for query in (TreeSearch(X, 1, measured=True), BruteSearch(X))
    )
    np.testing.assert_array_equal(tree, brute)
