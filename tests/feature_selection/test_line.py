import warnings

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from errata.feature_selection._distances import (
    find_nearest_on_line,
    make_all_and_own,
    make_every_class,
    make_one_segment,
    sort_by_class,
)
from strategies import seeds


@given(seeds, st.integers(1, 6), st.sampled_from([0, 1, 9]))
def test_nearest_on_a_line_are_those_of_a_search_through_all(seed, k, digits):
    rng = np.random.RandomState(seed)
    codes = np.concatenate([np.repeat(np.arange(3), 2), rng.randint(3, size=rng.randint(3, 30))])
    x = rng.normal(size=len(codes)).round(digits)
    rows = sorted_by_class_silently(x[:, None], codes, k)
    for segments in (
        make_all_and_own(rows),
        make_every_class(rows),
        make_one_segment(rows.n, rows.n_neighbors),
    ):
        squares = (rows.columns[0][:, None] - rows.columns[0]) ** 2
        np.fill_diagonal(squares, np.inf)
        expected = [
            [
                np.sort(squares[i, segments.starts[y, g] : segments.stops[y, g]])[count - 1]
                for g, count in enumerate(segments.counts[y])
            ]
            for i, y in enumerate(segments.kinds)
        ]
        found = find_nearest_on_line(rows.columns[0], segments)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=0)


def sorted_by_class_silently(X, codes, k):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sort_by_class(X, codes, k)
