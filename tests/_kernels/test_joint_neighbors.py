import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata._kernels import _distances as plain

compiled = pytest.importorskip("errata._kernels._distances_numba", reason="numba is not installed")
TWINS = [plain, compiled]


def problem(seed, digits):
    """Columns and a target, some gaps equal, a subset, candidates and a block of rows."""
    random = np.random.RandomState(seed)
    n, p = random.randint(3, 90), random.randint(2, 7)
    columns = np.round(random.normal(size=(p, n)), digits)
    target = np.round(columns[0] + random.normal(size=n), digits)
    order = random.permutation(p)
    start, stop = np.sort(random.choice(n + 1, 2, replace=False))
    return columns, target, order, random.randint(1, n), start, stop


def direct(columns, target, k, start, stop):
    """Radius and count of each row of a set of columns, one row after the other."""
    for i in range(start, stop):
        distances = np.delete(np.abs(columns - columns[:, [i]]).max(axis=0), i)
        joint = np.maximum(distances, np.delete(np.abs(target - target[i]), i))
        radius = np.sort(joint)[k - 1]
        yield radius, np.sum(distances < radius)


def assert_found(found, sets, columns, target, k, start, stop):
    for radii, counts, chosen in zip(*found, sets, strict=True):
        expected = list(direct(columns[chosen], target, k, start, stop))
        np.testing.assert_array_equal(np.column_stack([radii, counts]), expected)


@pytest.mark.parametrize("twin", TWINS)
@given(seed=st.integers(0, 10_000), digits=st.sampled_from([1, 12]))
@settings(deadline=None, max_examples=40)
def test_neighbors_with_are_those_of_each_set_by_itself(twin, seed, digits):
    columns, target, order, k, *block = problem(seed, digits)
    subset, candidates = order[: len(order) // 2], order[len(order) // 2 :]
    found = twin.count_neighbors_with(columns, target, subset, candidates, k, *block)
    sets = [[*subset, j] for j in candidates]
    assert_found(found, sets, columns, target, k, *block)


@pytest.mark.parametrize("twin", TWINS)
@given(seed=st.integers(0, 10_000), digits=st.sampled_from([1, 12]))
@settings(deadline=None, max_examples=40)
def test_neighbors_without_are_those_of_each_set_by_itself(twin, seed, digits):
    columns, target, order, k, *block = problem(seed, digits)
    found = twin.count_neighbors_without(columns, target, order, k, *block)
    sets = [np.delete(order, place) for place in range(len(order))]
    assert_found(found, sets, columns, target, k, *block)


@pytest.mark.parametrize("twin", TWINS)
def test_no_candidates_give_no_results(twin):
    columns, nothing = np.zeros((2, 5)), np.zeros(0, dtype=np.intp)
    radii, counts = twin.count_neighbors_with(columns, columns[0], nothing, nothing, 2, 0, 5)
    assert radii.shape == counts.shape == (0, 5)
