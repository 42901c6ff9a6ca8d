import numpy as np

from errata._detector import (
    compute_margin,
    drop_own_class,
    find_favourite_other,
    measure_doubt,
    split_own_and_best_other,
)


def test_margins_by_hand():
    proba = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.4, 0.35, 0.25], [1 / 3, 1 / 3, 1 / 3]])
    margins = compute_margin(proba, np.array([0, 0, 1, 2]))
    np.testing.assert_allclose(margins, [0.25, 0.85, 0.525, 0.5], rtol=1e-12)


def test_own_and_the_best_other():
    own, other = split_own_and_best_other(
        np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]]), np.array([0, 1])
    )
    assert own.tolist() == [0.5, 0.2]
    assert other.tolist() == [0.3, 0.7]


def test_others_keep_digits_that_one_minus_a_probability_would_lose():
    sure = np.array([[1.0, 1e-30]])
    np.testing.assert_array_equal(drop_own_class(sure, np.array([0])), [[0, 1e-30]])
    np.testing.assert_array_equal(measure_doubt(sure, np.array([0])), [1e-30])
    assert sure[0, 0] == 1  # as it was


def test_doubt_is_a_probability_whatever_the_rounding():
    np.testing.assert_array_equal(measure_doubt(np.array([[0.0, 1 + 1e-15]]), np.array([0])), [1])


def test_the_label_itself_where_nobody_votes_otherwise():
    votes = np.array([[5.0, 1.0, 2.0], [0.0, 4.0, 0.0]])
    assert find_favourite_other(votes, np.array([0, 1])).tolist() == [2, 1]
