import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata._kernels import _distances, kernels
from strategies import seeds


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
        fast.find_nearest_squares(*problem), _distances.find_nearest_squares(*problem)
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
