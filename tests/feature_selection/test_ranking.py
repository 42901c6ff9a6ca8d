import numpy as np

from errata.feature_selection._selector import choose_size, mask_kept_columns, rank_columns

PATH = {1: np.array([4]), 2: np.array([1, 4]), 3: np.array([0, 1, 4])}
SEARCHED = np.array([0, 1, 3, 4])  # column 2 is constant; a forward search did not come to 3


def mask(*columns):
    return np.isin(np.arange(5), columns)


def test_the_smallest_of_the_best_sizes():
    assert choose_size({3: 1.0, 1: 0.5, 2: 1.0}) == 2


def test_columns_are_kept_by_the_path_and_constant_ones_fill_up():
    np.testing.assert_array_equal(mask_kept_columns(PATH, SEARCHED, 5, 2), mask(1, 4))
    full = {**PATH, 4: SEARCHED}
    np.testing.assert_array_equal(mask_kept_columns(full, SEARCHED, 5, 5), np.ones(5, dtype=bool))


def test_ranks_are_steps_until_a_column_enters():
    np.testing.assert_array_equal(
        rank_columns(PATH, SEARCHED, mask(4), nested=True), [3, 2, 5, 4, 1]
    )
    np.testing.assert_array_equal(
        rank_columns(PATH, SEARCHED, mask(0, 1, 4), nested=True), [1, 1, 3, 2, 1]
    )


def test_ranks_are_one_and_two_where_subsets_are_not_nested():
    np.testing.assert_array_equal(
        rank_columns(PATH, SEARCHED, mask(4), nested=False), [2, 2, 3, 2, 1]
    )
