import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import StandardScaler

from errata.exceptions import SuspicionWarning
from errata.feature_selection import mutual_information
from feature_selection.naive_information import naive_information
from strategies import seeds

SIX = [0, 1, 3, 7, 8, 10]


@pytest.mark.parametrize(
    ("x", "y", "k", "nats"),
    [
        ([0, 1, 10, 12], [0, 0, 1, 1], 1, 5 / 6),  # more than log 2, the entropy of y
        ([0, 1, 10, 12], [0, 1, 0, 1], 1, -1.170333259283),
        (SIX, [0, 0, 0, 1, 1, 1], 1, 0.783333333333),
        (SIX, [0, 0, 0, 1, 1, 1], 2, 0.783333333333),
        (SIX, [0, 0, 1, 1, 1, 1], 1, 0.612253247684),
    ],
)
def test_small_tables_by_hand(x, y, k, nats):
    np.testing.assert_allclose(mutual_information(x, y, n_neighbors=k), nats, rtol=0, atol=1e-11)


def test_a_small_class_takes_the_neighbours_it_has():
    with pytest.warns(SuspicionWarning, match="other rows in 1 class; all of them"):
        found = mutual_information(SIX, [0, 0, 1, 1, 1, 1], n_neighbors=2)
    np.testing.assert_allclose(found, 0.607933418688, rtol=0, atol=1e-11)


@pytest.mark.parametrize(("load", "nats"), [(load_iris, 0.9937), (load_wine, 0.9427)])
def test_tables_that_everybody_knows(load, nats):
    X, y = load(return_X_y=True)
    found = mutual_information(StandardScaler().fit_transform(X), y)
    np.testing.assert_allclose(found, nats, rtol=0, atol=5e-5)


@pytest.mark.parametrize(
    ("separation", "truth"), [(0, 0.0), (1, 0.111421), (2, 0.336831), (3, 0.526777)]
)
@pytest.mark.parametrize("d", [1, 2, 5])
def test_two_gaussians(separation, truth, d):
    y = np.repeat([0, 1], 1000)
    for seed in range(2):
        X = np.random.RandomState(seed).normal(size=(2000, d))
        X[:, 0] += separation * y
        assert abs(mutual_information(X, y) - truth) < 0.07


def test_labels_without_meaning_have_none_on_average():
    rng = np.random.RandomState(0)
    X, y = rng.normal(size=(300, 3)), np.arange(300) % 3
    found = [mutual_information(X, rng.permutation(y)) for _ in range(30)]
    assert abs(np.mean(found)) < 0.02


@given(seeds, st.integers(1, 4), st.integers(1, 9))
def test_it_is_what_a_reader_computes_by_hand(seed, d, k):
    rng = np.random.RandomState(seed)
    y = np.concatenate([[0, 0, 1, 1, 2], rng.randint(2, size=20)])
    X = rng.normal(size=(len(y), d)) + y[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = mutual_information(X, y, n_neighbors=k)
    np.testing.assert_allclose(found, naive_information(X, y, k), rtol=0, atol=1e-10)


@given(seeds, st.integers(1, 4), st.floats(0.1, 10))
def test_scale_rotation_order_and_names_do_not_matter(seed, d, scale):
    rng = np.random.RandomState(seed)
    y = np.arange(45) % 3
    X = rng.normal(size=(45, d)) + y[:, None]
    rotation, order = np.linalg.qr(rng.normal(size=(d, d)))[0], rng.permutation(45)
    names = np.array(["gamma", "alpha", "beta"])
    np.testing.assert_allclose(
        mutual_information(scale * (X @ rotation)[order] - 2, names[y][order]),
        mutual_information(X, y),
        rtol=0,
        atol=1e-9,
    )


def test_a_column_of_noise_costs_information():
    rng = np.random.RandomState(0)
    y = np.repeat([0, 1], 200)
    x = rng.normal(size=400) + 3 * y
    assert mutual_information(np.column_stack([x, x]), y) < mutual_information(x, y)


def test_many_rows_of_a_few_columns_are_searched_by_a_tree(monkeypatch):
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)[:, :4]
    brute = mutual_information(X, y)
    monkeypatch.setattr("errata.feature_selection._distances.TREE_ROWS", 1)
    np.testing.assert_allclose(mutual_information(X, y), brute, rtol=1e-12)


def test_a_row_alone_in_its_class_is_left_out():
    with pytest.warns(SuspicionWarning, match="left out of the estimate: 1 row alone in a class"):
        found = mutual_information([*SIX, 50], [0, 0, 0, 1, 1, 1, 2], n_neighbors=1)
    np.testing.assert_allclose(found, 0.783333333333, rtol=0, atol=1e-11)


def test_one_class_of_two_rows_is_not_enough():
    with pytest.raises(ValueError, match="y has 1 class of two rows or more"):
        mutual_information([0, 1, 3, 7], ["a", "a", "b", "c"], n_neighbors=1)


def test_equal_rows_have_no_density():
    with pytest.raises(ValueError, match="2 or more rows have as many equals"):
        mutual_information([1, 1, 2, 3, 4, 5], [0, 0, 0, 1, 1, 1], n_neighbors=1)


def test_rows_and_labels_must_be_as_many():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        mutual_information(SIX, [0, 1])
