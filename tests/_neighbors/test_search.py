import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csr_matrix
from sklearn.neighbors import NearestNeighbors

from errata.exceptions import MissingExtraError, SuspicionWarning
from errata.hardness import nearest
from naive_hardness import naive_nearest


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


def test_a_metric_of_ones_own_is_welcome():
    X = np.array([[0.0, 9], [1, 0], [3, 9], [3, 1]])
    assert nearest(X, 1, metric=lambda a, b: abs(a - b).max()).ravel().tolist() == [2, 3, 0, 1]


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
    with pytest.raises(MissingExtraError, match=r"pip install 'errata\[scale\]'"):
        nearest(np.eye(3), 1, approximate=True)
