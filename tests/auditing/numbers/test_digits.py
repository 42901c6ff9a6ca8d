import numpy as np
import pytest

from errata.auditing.numbers._inputs import find_digits


@pytest.mark.parametrize(
    ("targets", "decimals"),
    [([1.25, 3.5, 2.0], 2), ([1, 2, 30], 0), ([1200, 3400], -2), ([1 / 3, 2 / 3], None)],
)
def test_suggestions_have_the_digits_of_the_column(targets, decimals):
    assert find_digits(np.array(targets, dtype=float)).decimals == decimals


def test_one_odd_number_does_not_change_how_numbers_are_written():
    targets = np.r_[np.arange(1.0, 100.0), 3.14159]
    assert find_digits(targets).decimals == 0


def test_no_sign_is_suggested_that_the_column_never_has():
    targets = np.array([0.5, 2.0, 9.5])
    assert find_digits(targets).write(np.array([-3.0]))[0] == 0.5
    assert find_digits(targets - 0.5).write(np.array([-3.0]))[0] == 0.0
    assert find_digits(targets - 5).write(np.array([-7.0]))[0] == -7.0


def test_bounds_have_a_digit_more():
    np.testing.assert_allclose(find_digits(np.array([1.5, 2.0])).finer(np.array([1.2345])), 1.23)
