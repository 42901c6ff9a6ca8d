import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from errata.auditing._duplicates import conflicting_duplicates

KINDS = {
    "dense": np.asarray,
    "columns first": np.asfortranarray,
    "sparse matrix": sparse.csr_matrix,
    "sparse array": sparse.csr_array,
}


def naive(X, codes):
    groups = {}
    for row, cells in enumerate(X.tolist()):
        groups.setdefault(tuple(cells), []).append(row)
    return [rows for rows in groups.values() if len(set(codes[rows])) > 1]


@pytest.mark.parametrize("kind", KINDS)
@given(st.integers(1, 40), st.integers(1, 9), st.integers(0, 20))
def test_equal_rows_with_different_labels_are_found(kind, n, d, seed):
    random = np.random.default_rng(seed)
    X = random.normal(size=(1 + n // 3, d))[random.integers(1 + n // 3, size=n)]
    X[random.random(X.shape) < 0.2] = 0
    codes = random.integers(2, size=n)
    found = conflicting_duplicates(KINDS[kind](X), codes)
    assert [group.tolist() for group in found] == naive(X, codes)


def test_both_zeros_are_equal():
    (group,) = conflicting_duplicates(np.array([[0.0, 1.0], [-0.0, 1.0]]), np.array([0, 1]))
    assert group.tolist() == [0, 1]


def test_a_cell_given_twice_counts_as_its_sum():
    twice = sparse.csr_array((np.ones(3), [0, 0, 0], [0, 2, 3]), shape=(2, 1))
    assert conflicting_duplicates(twice, np.array([0, 1])) == []
