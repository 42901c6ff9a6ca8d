import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata._kernels import _weighted_neighbors as plain
from strategies import seeds


@pytest.fixture(params=["plain", "compiled"])
def twin(request):
    return plain if request.param == "plain" else compiled()


def compiled():
    return pytest.importorskip(
        "errata._kernels._weighted_neighbors_numba", reason="numba is not installed"
    )


def naive(base, extra, sign, rows, k, weights, targets, wanted, self_count):
    """Row by row, class by class: walk along the sorted neighbours until there are enough."""
    shape = (len(extra), len(rows), weights.shape[1])
    nearest = np.empty(shape[:2])
    reached, mass = np.full(shape, np.inf), np.zeros(shape)
    n = len(weights)
    for q, i in np.ndindex(*shape[:2]):
        row = rows[i]
        squares = ((base - base[:, [row]]) ** 2).sum(axis=0)
        squares = np.maximum(squares + sign * (extra[q] - extra[q, row]) ** 2, 0)
        others = sorted((j for j in range(n) if j != row), key=lambda j: (squares[j], j))
        nearest[q, i] = squares[others[k - 1]]
        for s in np.flatnonzero(wanted[row]):
            total = 0.0
            for j in [row] * self_count + others:
                if weights[j, s] > 0 and (total == 0 or total < targets[row, s]):
                    total += weights[j, s]
                    reached[q, i, s], mass[q, i, s] = -1 if j == row else squares[j], total
    return nearest, reached, mass


@st.composite
def problems(draw, most_rows=25):
    """Coordinates are whole numbers and weights eighths: ties are common, and sums exact."""
    random = np.random.RandomState(draw(seeds))
    n, k = draw(st.integers(3, most_rows)), draw(st.integers(1, 6))
    sign = draw(st.sampled_from([-1, 0, 1]))
    base = random.randint(draw(st.integers(2, 30)), size=(draw(st.integers(1, 3)), n)).astype(float)
    extra = base if sign < 0 else random.randint(9, size=(2, n)).astype(float)
    base[0, random.randint(n)] += draw(st.sampled_from([0, 1e8]))  # somebody may be far away
    weights = random.randint(draw(st.integers(0, 1)), 9, (n, k)) / 8
    targets = random.randint(1, 1 + draw(st.integers(1, 40)), (n, k)) / 8 - 1e-9
    rows = random.permutation(n)[: draw(st.integers(1, n))]
    neighbors = draw(st.integers(1, n - 1))
    wanted = random.rand(n, k) < 0.8
    return base, extra, sign, rows, neighbors, weights, targets, wanted, draw(st.booleans())


def assert_same(found, expected):
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)


@given(problems())
def test_plain_twin_equals_a_walk_along_the_neighbours(problem):
    assert_same(plain.find_weighted_neighbors(*problem), naive(*problem))


@given(problems())
def test_compiled_twin_equals_a_walk_along_the_neighbours(problem):
    assert_same(compiled().find_weighted_neighbors(*problem), naive(*problem))


@pytest.mark.parametrize("outlier", [0.0, 1e3])
@pytest.mark.parametrize("d", [1, 6])
def test_twins_agree_on_many_rows(outlier, d):
    random = np.random.RandomState(0)
    n, k = 700, 5
    X = random.normal(size=(d + 1, n))
    X[0, 3] += outlier
    weights = random.dirichlet(np.full(k, 0.1), size=n)
    targets = np.minimum(8, weights.sum(axis=0) - weights) - 0.5
    wanted = weights > 1e-6
    problem = (X, X[:2].copy(), -1, np.arange(100, 250), 8, weights, targets, wanted, False)
    assert_same(
        compiled().find_weighted_neighbors(*problem), plain.find_weighted_neighbors(*problem)
    )


def test_plain_twin_is_the_same_in_small_pieces(monkeypatch):
    random = np.random.RandomState(0)
    X, weights = random.normal(size=(2, 40)), random.dirichlet(np.ones(3), size=40)
    problem = (X, X, -1, np.arange(3, 37), 4, weights, np.full((40, 3), 2.5), weights > 0, True)
    whole = plain.find_weighted_neighbors(*problem)
    monkeypatch.setattr(plain, "NUMBERS", 200)
    for a, b in zip(plain.find_weighted_neighbors(*problem), whole, strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_class_that_nobody_else_is_in_has_no_neighbourhood(twin):
    x, weights = np.array([[0.0, 1.0, 3.0]]), np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    found = twin.find_weighted_neighbors(
        x, np.zeros((1, 3)), 0, np.arange(3), 1, weights, np.full((3, 2), 0.5), weights > 0, False
    )
    np.testing.assert_array_equal(found[1][0], [[np.inf, np.inf], [np.inf, 4], [np.inf, 4]])
    np.testing.assert_array_equal(found[2][0], [[0, 0], [0, 1], [0, 1]])


def walk_lists(points, start, stop, weights, targets, wanted, self_count):
    """Row by row, class by class: walk along all sorted neighbours until there are enough."""
    n, k = weights.shape
    reached, mass = np.full((stop - start, k), np.inf), np.zeros((stop - start, k))
    for row in range(start, stop):
        squares = ((points - points[row]) ** 2).sum(axis=1)
        others = sorted((j for j in range(n) if j != row), key=lambda j: (squares[j], j))
        for s in np.flatnonzero(wanted[row]):
            total = 0.0
            for j in [row] * self_count + others:
                if weights[j, s] > 0 and (total == 0 or total < targets[row, s]):
                    total += weights[j, s]
                    reached[row - start, s], mass[row - start, s] = squares[j], total
    return reached, mass


@st.composite
def listed_problems(draw):
    """Coordinates are whole numbers and weights eighths: ties are common, and sums exact."""
    random = np.random.RandomState(draw(seeds))
    n, d, k = draw(st.integers(2, 25)), draw(st.integers(1, 6)), draw(st.integers(1, 5))
    points = random.randint(draw(st.integers(2, 30)), size=(n, d)).astype(float)
    points[random.randint(n), 0] += draw(st.sampled_from([0, 1e6]))  # somebody may be far away
    weights = random.randint(draw(st.integers(0, 1)), 9, (n, k)) / 8
    targets = random.randint(1, 1 + draw(st.integers(1, 40)), (n, k)) / 8 - 1e-9
    start = draw(st.integers(0, n - 1))
    stop = draw(st.integers(start + 1, n))
    return points, start, stop, weights, targets, random.rand(n, k) < 0.8, draw(st.booleans())


def along_lists(twin, size, points, start, stop, *classes):
    lists = twin.list_neighbors(points, start, stop, size)
    return twin.reach_along(lists, points, start, *classes)


@given(listed_problems())
def test_plain_lists_of_all_rows_equal_a_walk_along_the_neighbours(problem):
    assert_same(along_lists(plain, len(problem[0]) - 1, *problem), walk_lists(*problem))


@given(listed_problems())
def test_compiled_lists_of_all_rows_equal_a_walk_along_the_neighbours(problem):
    assert_same(along_lists(compiled(), len(problem[0]) - 1, *problem), walk_lists(*problem))


@given(listed_problems(), st.data())
def test_what_short_lists_find_is_right_and_the_rest_is_short(problem, data):
    size = data.draw(st.integers(1, len(problem[0]) - 1))
    expected, targets = walk_lists(*problem), problem[4][problem[1] : problem[2]]
    for twin in (plain, compiled()):
        reached, mass = along_lists(twin, size, *problem)
        enough = mass >= targets
        np.testing.assert_array_equal(reached[enough], expected[0][enough])
        assert (mass[~enough] <= expected[1][~enough]).all()


@pytest.mark.parametrize("outlier", [0.0, 1e3])
@pytest.mark.parametrize("d", [1, 6])
def test_lists_of_twins_agree_on_many_rows(outlier, d):
    random = np.random.RandomState(0)
    points, weights = random.normal(size=(700, d)), random.dirichlet(np.full(5, 0.1), size=700)
    points[3] += outlier
    targets = np.minimum(3, weights.sum(axis=0) - weights) - 0.5
    problem = (points, 100, 250, weights, targets, weights >= 0, False)
    assert_same(along_lists(compiled(), 699, *problem), along_lists(plain, 699, *problem))


def test_long_enough_lists_know_the_nearest(twin):
    points, one = np.array([[0.0], [1.0], [3.0], [7.0]]), np.ones((4, 1))
    reached, mass = along_lists(twin, 3, points, 0, 4, one, 2 * one, one > 0, False)
    np.testing.assert_array_equal(reached[:, 0], [9, 4, 9, 36])
    np.testing.assert_array_equal(mass[:, 0], [2, 2, 2, 2])


def test_lists_of_the_plain_twin_are_the_same_in_small_pieces(monkeypatch):
    random = np.random.RandomState(0)
    weights = random.dirichlet(np.ones(3), size=40)
    problem = random.normal(size=(40, 2)), 3, 37, weights, np.full((40, 3), 2.5), weights > 0, True
    whole = along_lists(plain, 39, *problem)
    monkeypatch.setattr(plain, "NUMBERS", 200)
    for a, b in zip(along_lists(plain, 39, *problem), whole, strict=True):
        np.testing.assert_array_equal(a, b)
