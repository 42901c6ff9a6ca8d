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
