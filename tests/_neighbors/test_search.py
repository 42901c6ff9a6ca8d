import pickle
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csr_array, csr_matrix
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs
from sklearn.neighbors import NearestNeighbors

from errata import _neighbors
from errata._neighbors import (
    BruteSearch,
    CellIndex,
    NeighborIndex,
    TreeSearch,
    choose_query,
    find_approximate,
    find_commonest,
    find_nearest,
    measure_distances,
    measure_pairs,
    nearest_in,
    pick_nearest,
    vote_margins,
)
from errata.exceptions import MissingExtraError, SuspicionWarning
from errata.hardness import NeighborDisagreement, nearest
from filters.neighbor_cases import naive_margin
from hardness.naive_hardness import naive_nearest
from strategies import seeds


@given(
    hnp.arrays(float, st.tuples(st.integers(3, 25), st.integers(1, 3)), elements=st.integers(0, 3)),
    st.sampled_from(["euclidean", "manhattan", "chebyshev"]),
    st.data(),
)
def test_nearest_equals_sorting_all_distances_even_with_ties(X, metric, data):
    k = data.draw(st.integers(1, len(X) - 1))
    cdist_name = {"manhattan": "cityblock"}.get(metric, metric)
    np.testing.assert_array_equal(nearest(X, k, metric=metric), naive_nearest(X, k, cdist_name))


@pytest.mark.parametrize("d", [2, 8, 9, 30])
def test_nearest_agrees_with_scikit_learn(d):
    X = np.random.RandomState(0).normal(size=(400, d))
    expected = NearestNeighbors(n_neighbors=6).fit(X).kneighbors(return_distance=False)
    np.testing.assert_array_equal(nearest(X, 6, n_jobs=2), expected)


def test_parallel_rows_are_no_twins_to_the_cosine():
    X = np.array([[1.0, 0], [2, 0], [1, 0], [3, 0], [1, 0], [1, 0], [1, 0], [0, 1], [0, 2], [0, 3]])
    np.testing.assert_array_equal(
        nearest(X, 2, metric="cosine")[:7],
        [[1, 2], [0, 2], [0, 1], [0, 1], [0, 1], [0, 1], [0, 1]],
    )


def test_a_metric_of_ones_own_is_accepted():
    X = np.array([[0.0, 9], [1, 0], [3, 9], [3, 1]])
    assert nearest(X, 1, metric=lambda a, b: abs(a - b).max()).ravel().tolist() == [2, 3, 0, 1]


def test_a_row_is_not_its_own_neighbour_even_where_others_share_no_feature_with_it():
    X = [[0.0, np.nan], [np.nan, 0.0], [np.nan, 1.0], [1.0, np.nan]]
    found = nearest(X, 3, metric="nan_euclidean")
    np.testing.assert_array_equal(found, [[3, 1, 2], [2, 0, 3], [1, 0, 3], [0, 1, 2]])


def test_sparse_matrices_give_the_same_answer():
    X = np.random.RandomState(0).poisson(0.7, size=(60, 5)).astype(float)
    np.testing.assert_array_equal(nearest(csr_matrix(X), 4), naive_nearest(X, 4))


def test_whole_numbers_and_lists_are_tables_too():
    np.testing.assert_array_equal(nearest([[0], [1], [3]], 1), [[1], [0], [1]])


def test_more_neighbours_than_rows_are_cut_with_a_warning():
    with pytest.warns(SuspicionWarning, match=r"more neighbours than there are other rows \(2\)"):
        assert nearest([[0.0], [1.0], [5.0]], 3).shape == (3, 2)
    with pytest.warns(SuspicionWarning, match=r"using 0"):
        assert nearest([[0.0]], 3).shape == (1, 0)


@pytest.mark.parametrize(
    ("X", "sentence"),
    [([[0.0], [np.nan], [1.0]], "contains NaN"), ([0.0, 1.0, 2.0], "Expected 2D array")],
)
def test_bad_tables_get_a_sentence(X, sentence):
    with pytest.raises(ValueError, match=sentence):
        nearest(X, 1)


@pytest.mark.parametrize("k", [0, -1, 1.5, "3"])
def test_bad_counts_get_a_sentence(k):
    with pytest.raises(ValueError, match="must be a whole number at least 1"):
        nearest([[0.0], [1.0]], k)


def test_approximate_search_of_few_rows_is_exact():
    pytest.importorskip("faiss", reason="faiss is not installed")
    X = np.random.RandomState(0).normal(size=(500, 12))
    np.testing.assert_array_equal(nearest(X, 5, approximate=True), naive_nearest(X, 5))


@pytest.mark.parametrize(
    ("X", "metric", "sentence"),
    [
        (np.eye(3), "manhattan", "not metric='manhattan'; leave it out"),
        (csr_matrix(np.eye(3)), "euclidean", "not a sparse matrix; leave it out"),
    ],
)
def test_approximate_search_says_what_it_cannot_do(X, metric, sentence):
    with pytest.raises(ValueError, match=sentence):
        nearest(X, 1, metric=metric, approximate=True)


def test_a_missing_faiss_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(MissingExtraError, match=r"pip install .*faiss-cpu>="):
        nearest(np.eye(3), 1, approximate=True)


@pytest.mark.parametrize("d", [2, 12])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_query_rows_are_looked_for_among_the_reference_rows(d, metric):
    random = np.random.RandomState(0)
    reference, query = random.normal(size=(80, d)), random.normal(size=(30, d))
    expected = NearestNeighbors(n_neighbors=4, metric=metric).fit(reference).kneighbors(query)
    for form in (np.asarray, csr_matrix):
        index = NeighborIndex(form(reference), metric=metric, n_points=30)
        distances, found = index.find(form(query), 4)
        np.testing.assert_array_equal(found, expected[1])
        np.testing.assert_allclose(distances, expected[0], rtol=1e-9, atol=0)


def test_a_query_row_that_is_a_reference_row_finds_itself_and_ties_go_to_the_smaller_index():
    X = np.array([[1.0], [0.0], [2.0], [1.0], [3.0]])
    distances, found = nearest_in(X, X[3:4], 4)
    assert found.tolist() == [[0, 3, 1, 2]]
    assert distances.tolist() == [[0, 0, 1, 1]]


def test_all_reference_rows_can_be_asked_for_and_no_more():
    X = np.arange(3.0)[:, None]
    assert nearest_in(X, [[2.2]], 3)[1].tolist() == [[2, 1, 0]]
    with pytest.raises(ValueError, match="n_neighbors=4 must be a whole number between 1 and 3"):
        nearest_in(X, X, 4)
    with pytest.raises(ValueError, match="n_neighbors=3 must be a whole number between 1 and 2"):
        NeighborIndex(X).others(3)


@pytest.mark.parametrize("d", [2, 12])
def test_an_index_answers_again_and_survives_pickling(d):
    X = np.random.RandomState(0).randint(4, size=(60, d)).astype(float)
    index = pickle.loads(pickle.dumps(NeighborIndex(X)))
    np.testing.assert_array_equal(index.others(5)[1], nearest(X, 5))
    for points in (X[:9] + 0.25, X.astype(np.float32)):
        for found, expected in zip(index.find(points, 5), nearest_in(X, points, 5), strict=True):
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("d", [2, 7, 12])
def test_rows_in_single_precision_are_held_so_and_compared_in_double(d):
    X = (1000 + 10 * np.random.RandomState(0).normal(size=(300, d))).astype(np.float32)
    X[5] = X[9]
    index = NeighborIndex(X)
    exact = NeighborIndex(X.astype(float))
    assert index.X.dtype == np.float32
    for found, expected in (
        (index.find(X[:50], 5), exact.find(X[:50].astype(float), 5)),
        (index.others(5), exact.others(5)),
    ):
        np.testing.assert_array_equal(found, expected)


def test_few_distinct_rows_are_found_by_asking_once():
    X = np.tile(np.random.RandomState(0).normal(size=(5, 3)), (400, 1))
    index, asked = NeighborIndex(X), []
    search = index.query
    index.query = lambda points, k: asked.append(k) or search(points, k)
    distances, found = index.find(X[:5], 7)
    assert asked == [8]
    np.testing.assert_array_equal(distances, 0)
    np.testing.assert_array_equal(found, np.arange(5)[:, None] + 5 * np.arange(7))


X = np.random.RandomState(0).randint(5, size=(12, 3)).astype(float)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("container", [np.asarray, csr_array])
def test_all_distances_are_what_scipy_has(metric, container):
    found = measure_pairs(container(X[:5]), container(X), metric)
    expected = cdist(X[:5], X, {"manhattan": "cityblock"}.get(metric, metric))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-7)


def test_rows_that_differ_by_little_far_from_zero_are_told_apart():
    A = 1e8 + np.array([[0.0, 0.0], [1e-6, 0.0]])
    assert measure_pairs(A, A, "euclidean")[0, 1] > 0


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
    monkeypatch.setattr(_neighbors, "CHUNK", 300)
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
    ("n", "d", "n_points", "expected"),
    [
        (100, 3, None, "tree"),
        (100, 20, None, "brute"),
        (5_000, 8, None, "tree"),
        (5_000, 9, None, "brute"),
        (20_000, 60, None, "brute"),
        (20_000, 10, None, "pilot"),
        (20_000, 10, 1_025, "pilot"),
        (20_000, 10, 1_024, "brute"),
        (20_000, 8, 10, "tree"),
    ],
)
def test_the_shape_decides_on_the_search(n, d, n_points, expected, monkeypatch):
    monkeypatch.setattr(_neighbors, "TreeSearch", lambda X, n_jobs, measured=False: "tree")
    monkeypatch.setattr(_neighbors, "BruteSearch", lambda X, n_jobs: "brute")
    monkeypatch.setattr(_neighbors, "_pick_quicker", lambda tree, brute, X: "pilot")
    assert choose_query(np.zeros((n, d)), "euclidean", None, n_points) == expected


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


@pytest.mark.parametrize(
    ("votes", "expected"),
    [
        ([2, 1, 1], 1),  # the majority
        ([2, 1, 1, 2], 2),  # as many each: the nearest decides
        ([0, 1, 1, 0], 0),
        ([3, 2, 1], 3),
        ([1, 2, 2, 3, 3, 1, 0], 1),
    ],
)
def test_the_commonest_label_wins_and_the_nearest_decides_between_equals(votes, expected):
    assert find_commonest(np.array([votes])).tolist() == [expected]


@pytest.mark.parametrize(
    ("votes", "label", "expected"),
    [([0, 1, 2], 0, 1 / 2), ([1, 1, 2], 2, 2 / 3), ([0, 1, 1], 0, 2 / 3), ([1, 2, 2], 2, 1 / 3)],
)
def test_margins_by_hand(votes, label, expected):
    found = vote_margins(np.array([votes]), np.array([label]))[0, -1]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-15)


@given(seeds, st.integers(1, 9), st.integers(2, 5))
def test_every_number_of_neighbours_has_the_margin_that_counting_gives(seed, k, n_classes):
    rng = np.random.RandomState(seed)
    votes, codes = rng.randint(n_classes, size=(20, k)), rng.randint(n_classes, size=20)
    expected = [
        [naive_margin(row[: j + 1], label) for j in range(k)]
        for row, label in zip(votes, codes, strict=True)
    ]
    np.testing.assert_allclose(vote_margins(votes, codes), expected, rtol=0, atol=1e-15)


def test_a_tie_is_exactly_one_half():
    for k in range(2, 40, 2):
        votes = np.arange(k)[None] % 2
        assert vote_margins(votes, np.array([0]))[0, -1] == 0.5


faiss = pytest.importorskip("faiss", reason="faiss is not installed")

N, D, K = 25_000, 12, 5


@pytest.fixture(scope="module")
def gaussian():
    return np.random.RandomState(0).normal(size=(N, D))


@pytest.fixture(scope="module")
def clustered():
    return make_blobs(N, D, centers=40, random_state=0)[0]


def approximately(X):
    """What is found, and how many rows the exact search was asked about."""
    exact, n_exact = BruteSearch(X), 0

    def counting(points, asked):
        nonlocal n_exact
        n_exact += len(points)
        return exact(points, asked)

    return find_approximate(X, K, counting, faiss=faiss, seed=0, n_jobs=1), n_exact


def recall(X, found, n_rows=1_000):
    """Fraction of the neighbours found that are no farther than the k-th nearest, on some rows."""
    rows = np.random.RandomState(9).choice(len(X), n_rows, replace=False)
    truth = find_nearest(BruteSearch(X), X[rows], found.shape[1], X, own=rows)[1]
    reach = np.linalg.norm(X[rows] - X[truth[:, -1]], axis=1)[:, None]
    return np.mean(np.linalg.norm(X[rows][:, None] - X[found[rows]], axis=2) <= reach * (1 + 1e-9))


@pytest.mark.parametrize("table", ["gaussian", "clustered"])
def test_nearly_all_neighbours_are_found(table, request):
    X = request.getfixturevalue(table)
    found, n_exact = approximately(X)
    assert recall(X, found) >= 0.98
    assert n_exact < 0.1 * N
    assert not (found == np.arange(N)[:, None]).any()
    assert (np.diff(np.sort(found, axis=1), axis=1) > 0).all()  # nobody twice
    distances = np.linalg.norm(X[:, None] - X[found], axis=2)
    assert (np.diff(distances, axis=1) >= -1e-12).all()


def test_the_same_seed_finds_the_same_whatever_the_threads(clustered, monkeypatch):
    monkeypatch.setattr(_neighbors, "CHUNK", 2**20)  # several batches
    monkeypatch.setattr(_neighbors, "APPROXIMATE_FROM", 5_000)
    X = clustered[:6_000]
    one, two = (nearest(X, K, approximate=True, random_state=3, n_jobs=n_jobs) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize(("factor", "offset"), [(1e-25, 0), (1e30, 0), (1, 1e6)])
def test_units_and_offsets_cost_nothing(clustered, factor, offset):
    X = clustered[:6_000] * factor + offset
    found, n_exact = approximately(X)
    assert recall(X, found, 300) >= 0.98
    assert n_exact <= 600  # the sample, not all rows


def test_heavy_tails_are_left_to_the_exact_search(monkeypatch):
    monkeypatch.setattr(_neighbors, "APPROXIMATE_FROM", 2_000)
    X = np.random.RandomState(0).standard_cauchy(size=(2_000, D)) ** 3
    assert approximately(X)[0] is None
    np.testing.assert_array_equal(nearest(X, K, approximate=True), naive_nearest(X, K))


def test_few_distinct_rows_have_their_twins_for_neighbours():
    X = np.random.RandomState(0).randint(2, size=(4_000, 1)) * np.ones(D)
    found, _ = approximately(X)
    assert (X[found] == X[:, None]).all()
    assert not (found == np.arange(4_000)[:, None]).any()


def test_rows_with_too_few_in_their_cells_ask_the_exact_search(gaussian, monkeypatch):
    X = gaussian[:4_000]
    index = CellIndex(faiss, X, seed=0)
    index.build(packed=False, n_probe=1)
    distances, _ = index.nearest(X, np.arange(4_000), 60)  # cells hold some 63 rows
    n_short = np.isinf(distances[:, -1]).sum()
    assert 0 < n_short < 4_000
    monkeypatch.setattr(_neighbors, "_build_promising_index", lambda *_: index)
    found = find_approximate(X, 60, BruteSearch(X), faiss=faiss, seed=0, n_jobs=1)
    short = np.isinf(distances[:, -1])
    np.testing.assert_array_equal(found[short], naive_nearest(X, 60)[short])


def test_as_many_cells_are_searched_as_hold_the_neighbours_of_a_sample(clustered):
    X, rows = clustered[:4_000], np.arange(300)
    truth = find_nearest(BruteSearch(X), X[rows], K, X, own=rows)[1]
    index = CellIndex(faiss, X, seed=0)
    n_probe = index.cells_that_hold(rows, truth)
    # The plain way: sort all centres for each row, look each neighbour's cell up in the list.
    centres = index.centres.reconstruct_n(0, index.n_cells)
    to_centres = np.linalg.norm(index.vectors[:, None] - centres, axis=2)
    ranks = [
        list(np.argsort(to_centres[i])).index(to_centres[j].argmin())
        for i in rows
        for j in truth[i]
    ]
    assert np.mean(np.array(ranks) < n_probe) >= _neighbors.CELL_RECALL
    assert np.mean(np.array(ranks) < n_probe - 1) < _neighbors.CELL_RECALL


def test_a_detector_can_be_approximate(gaussian, monkeypatch):
    monkeypatch.setattr(_neighbors, "APPROXIMATE_FROM", 5_000)
    X, y = gaussian[:6_000], np.arange(6_000) % 3
    exact, near = (
        NeighborDisagreement(n_neighbors=K, approximate=a, random_state=0).fit(X, y).suspicion_
        for a in (False, True)
    )
    assert 0 < np.mean(exact != near) < 0.1


@pytest.mark.parametrize(
    ("share", "expected"),
    [(0.01, [False]), (0.1, [True, False]), (0.3, [True]), (0.6, [])],
)
def test_what_is_tried_depends_on_how_many_cells_are_searched(share, expected):
    assert _neighbors._choose_packings(share) == expected
