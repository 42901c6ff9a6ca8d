import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.exceptions import SuspicionWarning
from errata.feature_selection import knn_entropy
from errata.feature_selection._estimates import log_ball_volume
from strategies import seeds

GAUSSIAN = 0.5 * np.log(2 * np.pi * np.e)


def test_three_numbers_by_hand():
    # Distances 1, 1, 2; so H = psi(3) - psi(1) + (log 2 + log 2 + log 4) / 3.
    np.testing.assert_allclose(
        knn_entropy([0, 1, 3], n_neighbors=1), 1.5 + 4 / 3 * np.log(2), rtol=0, atol=1e-12
    )


@pytest.mark.parametrize(
    ("d", "volume"), [(1, 1.0), (2, np.pi / 4), (3, np.pi / 6), (10, 0.00249039457)]
)
def test_volumes_of_balls_of_diameter_one(d, volume):
    np.testing.assert_allclose(np.exp(log_ball_volume(d)), volume, rtol=1e-9)


@pytest.mark.parametrize(
    ("draw", "truth", "within"),
    [
        (lambda rng: rng.normal(size=(2000, 1)), GAUSSIAN, 0.08),
        (lambda rng: rng.normal(size=(2000, 2)), 2 * GAUSSIAN, 0.10),
        (lambda rng: rng.normal(size=(2000, 3)), 3 * GAUSSIAN, 0.19),
        (lambda rng: rng.normal(size=(2000, 5)), 5 * GAUSSIAN, 0.22),
        (lambda rng: rng.uniform(size=2000), 0.0, 0.05),
        (lambda rng: rng.exponential(size=2000), 1.0, 0.08),
        (lambda rng: rng.laplace(size=2000), 1 + np.log(2), 0.10),
        (lambda rng: rng.standard_t(5, size=2000), 1.627503, 0.11),
    ],
    ids=["normal 1", "normal 2", "normal 3", "normal 5", "uniform", "exponential", "Laplace", "t"],
)
def test_entropies_that_are_known(draw, truth, within):
    for seed in range(3):
        assert abs(knn_entropy(draw(np.random.RandomState(seed))) - truth) < within


@given(seeds, st.integers(1, 4), st.floats(0.1, 10))
def test_scale_shifts_the_entropy_and_nothing_else_does(seed, d, scale):
    rng = np.random.RandomState(seed)
    X = rng.normal(size=(40, d))
    rotation = np.linalg.qr(rng.normal(size=(d, d)))[0]
    moved = scale * (X @ rotation)[rng.permutation(40)] + 3
    np.testing.assert_allclose(
        knn_entropy(moved), knn_entropy(X) + d * np.log(scale), rtol=0, atol=1e-9
    )


def test_bits():
    x = [0, 1, 3, 7, 20]
    np.testing.assert_allclose(
        knn_entropy(x, n_neighbors=2, base=2),
        knn_entropy(x, n_neighbors=2) / np.log(2),
        rtol=1e-12,
    )


def test_many_rows_of_a_few_columns_are_searched_by_a_tree(monkeypatch):
    X = np.random.RandomState(0).normal(size=(300, 3))
    brute = knn_entropy(X)
    monkeypatch.setattr("errata.feature_selection._distances.TREE_ROWS", 1)
    np.testing.assert_allclose(knn_entropy(X), brute, rtol=1e-12)


def test_too_many_neighbours_are_cut():
    with pytest.warns(SuspicionWarning, match="using 3"):
        found = knn_entropy([0, 1, 3, 7], n_neighbors=8)
    assert found == knn_entropy([0, 1, 3, 7], n_neighbors=3)


def test_equal_rows_have_no_density():
    with pytest.raises(ValueError, match="3 or more rows have as many equals as neighbours"):
        knn_entropy([1, 1, 1, 2, 3, 4], n_neighbors=2)


@pytest.mark.parametrize(("base", "words"), [(1, "of no logarithm"), (-2, "finite number above 0")])
def test_bases_that_are_none(base, words):
    with pytest.raises(ValueError, match=words):
        knn_entropy([0, 1, 3], n_neighbors=1, base=base)


def test_one_row_is_too_few():
    with pytest.raises(ValueError, match="minimum of 2"):
        knn_entropy([[1.0, 2.0]])
