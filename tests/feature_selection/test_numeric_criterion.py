import numpy as np
import pytest

from errata.feature_selection import kraskov_mutual_information
from errata.feature_selection._criteria import NumericInformation


@pytest.fixture
def rows():
    random = np.random.RandomState(0)
    X = random.normal(size=(150, 6))
    return X, np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + random.normal(size=150) / 4


@pytest.mark.parametrize("subset", [(2,), (0, 4), (5, 1, 3), (0, 1, 2, 3, 4, 5)])
def test_every_way_to_a_set_gives_what_the_function_gives(rows, subset):
    X, target = rows
    criterion = NumericInformation(X, target, 3)
    expected = kraskov_mutual_information(X[:, list(subset)], target)
    assert criterion.score(subset) == expected
    assert criterion.scores_with(subset[1:], subset[:1]).item() == expected
    others = [j for j in range(6) if j not in subset]
    if others:
        assert criterion.scores_without((*subset, others[0]))[-1] == expected


def test_scores_stand_in_the_order_asked_for(rows):
    criterion = NumericInformation(*rows, 3)
    some = criterion.scores_with((0, 5), (3, 1, 2))
    np.testing.assert_array_equal(some, [criterion.score((0, 5, j)) for j in (3, 1, 2)])
    less = criterion.scores_without((4, 1, 0, 2))
    sets = [(1, 0, 2), (4, 0, 2), (4, 1, 2), (4, 1, 0)]
    np.testing.assert_array_equal(less, [criterion.score(columns) for columns in sets])


def test_no_column_tells_nothing(rows):
    criterion = NumericInformation(*rows, 3)
    assert criterion.score(()) == 0
    np.testing.assert_array_equal(criterion.scores_without((3,)), [0])
    assert criterion.scores_with((3,), ()).shape == (0,)


def test_two_threads_find_the_same(rows):
    one, two = (NumericInformation(*rows, 3, n_jobs=n_jobs) for n_jobs in (None, 2))
    every = tuple(range(6))
    np.testing.assert_array_equal(one.scores_without(every), two.scores_without(every))
    np.testing.assert_array_equal(one.scores_with((), every), two.scores_with((), every))


def test_columns_that_count_are_told_from_those_that_do_not(rows):
    criterion = NumericInformation(*rows, 3)
    assert criterion.score((0, 1, 2)) > criterion.score((3, 4, 5)) + 0.3
    assert np.argmin(criterion.scores_without((0, 1, 2, 3))) < 3
