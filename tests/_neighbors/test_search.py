import pickle
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csr_matrix
from sklearn.neighbors import NearestNeighbors

from errata._neighbors import NeighborIndex, nearest_in
from errata.exceptions import MissingExtraError, SuspicionWarning
from errata.hardness import nearest
from hardness.naive_hardness import naive_nearest


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
        distances, found = nearest_in(form(reference), form(query), 4, metric=metric)
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


def test_few_distinct_rows_are_found_by_asking_once():
    X = np.tile(np.random.RandomState(0).normal(size=(5, 3)), (400, 1))
    index, asked = NeighborIndex(X), []
    search = index.query
    index.query = lambda points, k: asked.append(k) or search(points, k)
    distances, found = index.find(X[:5], 7)
    assert asked == [8]
    np.testing.assert_array_equal(distances, 0)
    np.testing.assert_array_equal(found, np.arange(5)[:, None] + 5 * np.arange(7))
