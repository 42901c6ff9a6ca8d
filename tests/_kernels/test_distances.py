import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata._kernels import _distances as plain
from errata._kernels import kernels
from strategies import seeds


@pytest.fixture(params=["plain", "compiled"], scope="module")
def twin(request):
    if request.param == "plain":
        return plain
    return pytest.importorskip("errata._kernels._distances_numba", reason="numba is not installed")


@st.composite
def problems(draw):
    """Rows in classes side by side, some equal, and a question about subsets of their columns."""
    rng = np.random.RandomState(draw(seeds))
    sizes = draw(st.lists(st.integers(2, 9), min_size=1, max_size=3))
    n, p = sum(sizes), draw(st.integers(2, 5))
    columns = rng.normal(size=(p, n)).round(draw(st.sampled_from([1, 9])))
    starts = np.concatenate([[0], np.cumsum(sizes)])
    kinds = np.repeat(np.arange(len(sizes)), sizes)
    k = draw(st.integers(1, 5))
    own = np.minimum(k, np.diff(starts) - 1)
    whole = np.full(len(sizes), min(k, n - 1))
    segments = (
        kinds,
        np.column_stack([0 * own, starts[:-1]]),
        np.column_stack([0 * own + n, starts[1:]]),
        np.column_stack([whole, own]),
    )
    order = rng.permutation(p)
    cut = draw(st.integers(1, p - 1))
    sign = draw(st.sampled_from([-1, 1]))
    subset, candidates = (order, order[:cut]) if sign < 0 else (order[:cut], order[cut:])
    first = draw(st.integers(0, n - 1))
    return (columns, first, draw(st.integers(first, n)), subset, candidates, sign, *segments)


@given(problems())
@settings(max_examples=150)
def test_the_compiled_twin_equals_the_plain_one(problem):
    fast = pytest.importorskip("errata._kernels._distances_numba", reason="numba is not installed")
    np.testing.assert_array_equal(
        fast.find_nearest_squares(*problem), plain.find_nearest_squares(*problem)
    )


@given(problems())
def test_a_column_more_or_less_is_the_distance_in_the_other_columns(problem):
    columns, first, last, subset, candidates, sign, kinds, starts, stops, counts = problem
    found = kernels("distances").find_nearest_squares(*problem)
    for c, j in enumerate(candidates):
        chosen = [*subset, j] if sign > 0 else [other for other in subset if other != j]
        for i in range(first, last):
            squares = ((columns[chosen] - columns[chosen, i][:, None]) ** 2).sum(axis=0)
            squares[i] = np.inf
            for g, (start, stop, k) in enumerate(
                zip(starts[kinds[i]], stops[kinds[i]], counts[kinds[i]], strict=True)
            ):
                direct = np.sort(squares[start:stop])[k - 1]
                np.testing.assert_allclose(found[c, i - first, g], direct, rtol=1e-10, atol=1e-14)


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


@given(seed=st.integers(0, 10_000), digits=st.sampled_from([1, 12]))
@settings(deadline=None, max_examples=40)
def test_neighbors_with_are_those_of_each_set_by_itself(twin, seed, digits):
    columns, target, order, k, *block = problem(seed, digits)
    subset, candidates = order[: len(order) // 2], order[len(order) // 2 :]
    found = twin.count_neighbors_with(columns, target, subset, candidates, k, *block)
    sets = [[*subset, j] for j in candidates]
    assert_found(found, sets, columns, target, k, *block)


@given(seed=st.integers(0, 10_000), digits=st.sampled_from([1, 12]))
@settings(deadline=None, max_examples=40)
def test_neighbors_without_are_those_of_each_set_by_itself(twin, seed, digits):
    columns, target, order, k, *block = problem(seed, digits)
    found = twin.count_neighbors_without(columns, target, order, k, *block)
    sets = [np.delete(order, place) for place in range(len(order))]
    assert_found(found, sets, columns, target, k, *block)


def test_no_candidates_give_no_results(twin):
    columns, nothing = np.zeros((2, 5)), np.zeros(0, dtype=np.intp)
    radii, counts = twin.count_neighbors_with(columns, columns[0], nothing, nothing, 2, 0, 5)
    assert radii.shape == counts.shape == (0, 5)
