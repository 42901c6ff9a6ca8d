import numpy as np
import pytest
from numpy.testing import assert_allclose

from errata.projections._linear import (
    compute_between_scatter,
    compute_within_scatter,
    find_leading_directions,
    rank,
    shrink,
)


def cloud(n=60, d=5, n_classes=3, seed=0):
    random = np.random.RandomState(seed)
    codes = np.arange(n) % n_classes
    return random.normal(size=(n, d)) + codes[:, None] * np.arange(d), codes


def test_scatter_between_and_within_make_up_the_whole():
    X, codes = cloud()
    total = np.cov(X.T, bias=True)
    assert_allclose(
        compute_between_scatter(X, codes) + compute_within_scatter(X, codes), total, atol=1e-12
    )


@pytest.mark.parametrize("share", [0, 0.3, 1])
def test_shrinking_keeps_the_trace_and_ends_with_a_sphere(share):
    S = np.cov(cloud()[0].T)
    assert np.trace(shrink(S, share)) == pytest.approx(np.trace(S))
    if share == 1:
        assert_allclose(shrink(S, share), np.trace(S) / 5 * np.eye(5), atol=1e-12)


def test_rank_counts_what_is_not_negligible():
    assert rank(np.diag([3, 1e-3, 1e-12])) == 2
    assert rank(np.zeros((3, 3))) == 1


def test_directions_solve_the_generalised_problem_largest_first():
    X, codes = cloud()
    sought, avoided = compute_between_scatter(X, codes), compute_within_scatter(X, codes)
    values, vectors = find_leading_directions(sought, avoided, 3)
    assert np.all(np.diff(values) <= 0)
    assert_allclose(sought @ vectors, avoided @ vectors * values, atol=1e-9)
    assert_allclose(vectors.T @ avoided @ vectors, np.eye(3), atol=1e-9)
    assert np.all(vectors[np.abs(vectors).argmax(axis=0), range(3)] > 0)


def test_nothing_to_avoid_leaves_the_principal_directions():
    values, vectors = find_leading_directions(np.diag([1.0, 3.0, 2.0]), np.zeros((3, 3)), 2)
    assert_allclose(values, [3, 2])
    assert_allclose(vectors, [[0, 0], [1, 0], [0, 1]], atol=1e-12)
