import numpy as np
import pytest

from errata.exceptions import SuspicionWarning
from errata.feature_selection._distances import find_varying_columns, prepare_columns, sort_by_class


def test_columns_of_one_scale_and_a_little_noise():
    X = np.random.RandomState(0).normal(5, 3, size=(500, 2)).round()
    ready = prepare_columns(X, standardize=True, jitter=1e-3, random_state=0)
    still = prepare_columns(X, standardize=True, jitter=0, random_state=0)
    np.testing.assert_allclose(still.mean(axis=0), 0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(still.std(axis=0), 1, rtol=1e-12)
    np.testing.assert_allclose((ready - still).std(), 1e-3, rtol=0.1)
    np.testing.assert_array_equal(
        prepare_columns(X, standardize=False, jitter=0, random_state=0), X
    )


def test_constant_columns_are_told_and_left_out():
    X = np.array([[1.0, 2, 3], [1, 5, 3], [1, 4, 3]])
    with pytest.warns(SuspicionWarning, match=r"ranked last: 2 columns of X .* \(0, 2\)"):
        np.testing.assert_array_equal(find_varying_columns(X), [1])
    with pytest.raises(ValueError, match="every column of X is constant"):
        find_varying_columns(X[:, [0, 2]])


def test_rows_stand_by_class_and_know_where_they_stood():
    X, codes = np.arange(7.0)[:, None], np.array([2, 0, 2, 1, 0, 2, 3])
    with pytest.warns(SuspicionWarning) as told:
        rows = sort_by_class(X, codes, 2)
    assert "2 rows alone in a class" in str(told[0].message)
    assert "other rows in 1 class;" in str(told[1].message)
    np.testing.assert_array_equal(rows.columns, [[1, 4, 0, 2, 5]])
    np.testing.assert_array_equal(rows.order, [1, 4, 0, 2, 5])
    np.testing.assert_array_equal(rows.codes, [0, 0, 1, 1, 1])
    np.testing.assert_array_equal(rows.present, [0, 2])
    np.testing.assert_array_equal(rows.sizes, [2, 3])
    np.testing.assert_array_equal(rows.own_neighbors, [1, 2])
    np.testing.assert_array_equal(rows.other_neighbors, [2, 2])
