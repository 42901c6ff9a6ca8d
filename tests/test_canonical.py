import numpy as np
import pytest
from scipy import sparse

from errata._canonical import measure_spread, order_rows, round_cells, sign_classes, sign_table


def table(seed=0, n=200, d=6):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d)) * 10.0 ** random.integers(-8, 8, size=d)
    X[:, 0] = random.integers(0, 4, size=n)  # few levels
    return X


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_rows_and_columns_are_known_again_wherever_they_stand(kind):
    X, random = table(), np.random.default_rng(1)
    X[X < 0] = 0
    rows, columns = sign_table(kind(X))
    i, j = random.permutation(len(X)), random.permutation(X.shape[1])
    moved_rows, moved_columns = sign_table(kind(X[np.ix_(i, j)]))
    np.testing.assert_array_equal(moved_rows, rows[i])
    np.testing.assert_array_equal(moved_columns, columns[j])
    assert len(set(columns.tolist())) == X.shape[1]
    assert len(set(rows.tolist())) == len(np.unique(X, axis=0))


def test_columns_with_the_same_cells_in_other_rows_are_told_apart():
    X = np.c_[np.arange(30.0), np.eye(30)[:, :8]]
    i, j = np.random.default_rng(0).permutation(30), np.random.default_rng(1).permutation(9)
    columns = sign_table(X)[1]
    assert len(set(columns.tolist())) == 9
    np.testing.assert_array_equal(sign_table(X[np.ix_(i, j)])[1], columns[j])


@pytest.mark.parametrize("seed", range(20))
def test_the_last_bits_do_not_count(seed):
    X, random = table(seed), np.random.default_rng(seed)
    shifted = X * (1 + 1e-13 * random.uniform(-1, 1, size=X.shape))
    np.testing.assert_array_equal(sign_table(shifted)[0], sign_table(X)[0])


@pytest.mark.parametrize(
    "values",
    [
        np.arange(-64, 65.0),
        np.arange(0, 1, 1 / 64),
        np.round(np.arange(0, 3, 0.01), 2),
        2.0 ** np.arange(-30, 31),
        np.array([1e308, -1e308, 5e-324, np.nan, np.inf]),
        np.zeros(3),
    ],
    ids=["whole", "binary", "decimal", "powers", "extreme", "zero"],
)
def test_round_numbers_do_not_lie_on_an_edge(values):
    below, above = values * (1 - 1e-13), values * (1 + 1e-13)
    np.testing.assert_array_equal(round_cells(below), round_cells(above))


def test_equal_rows_are_ordered_by_what_else_is_known_of_them():
    X = np.array([[1.0, 2.0]] * 4 + [[0.0, 0.0]])
    tie = np.array([3, 1, 2, 0, 9])
    order = order_rows(X, sign_table(X)[0], tie)
    assert [int(row) for row in order if row < 4] == [3, 1, 2, 0]


def test_classes_are_known_again_by_any_name():
    X, codes = table(), np.random.default_rng(0).integers(-1, 3, size=200)
    rows = sign_table(X)[0]
    renamed = np.array([2, 0, 1, -1])[codes]
    np.testing.assert_array_equal(
        sign_classes(rows, renamed, 3)[[2, 0, 1]], sign_classes(rows, codes, 3)
    )


@pytest.mark.parametrize("n", [2, 41, 100_000])
@pytest.mark.parametrize("value", [0.0, 0.3, -7.0, 1e5 / 3, 1e-9])
def test_what_differs_by_rounding_has_no_spread(n, value):
    random = np.random.default_rng(0)
    X = np.column_stack([np.full(n, value), value + random.normal(size=n)])
    X[:, 0] *= 1 + 1e-13 * random.uniform(-1, 1, size=n)
    for weights in (None, random.uniform(size=n)):
        mean, spread = measure_spread(X, weights)
        np.testing.assert_allclose(mean[0], value, rtol=1e-9)
        assert spread[0] == 0
        variance = np.cov(X[:, 1], aweights=weights, ddof=0)
        np.testing.assert_allclose(spread[1], np.sqrt(variance), rtol=1e-9)
