import numpy as np
import pytest

from errata.auditing.numbers._audit import find_hints, undo_slips
from errata.auditing.numbers._result import SLIPS

TRUE = np.array([19.0, 20.0, 21.5])
MAKE = {
    "sign": lambda y: -y,
    "x10": lambda y: 10 * y,
    "/10": lambda y: y / 10,
    "x100": lambda y: 100 * y,
    "/100": lambda y: y / 100,
    "x1000": lambda y: 1000 * y,
    "/1000": lambda y: y / 1000,
    "x2.54": lambda y: 2.54 * y,
    "/2.54": lambda y: y / 2.54,
}


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_is_named_and_undone(slip):
    wrong = MAKE[slip](TRUE)
    hints = find_hints(wrong, TRUE - 1, TRUE + 1)
    assert hints.tolist() == [slip] * 3
    np.testing.assert_allclose(undo_slips(wrong, hints), TRUE, rtol=1e-12)


def test_nothing_is_named_where_no_slip_leads_to_what_is_expected():
    assert find_hints(np.array([70.0]), np.array([18.0]), np.array([22.0])).tolist() == [""]


def test_an_interval_so_wide_that_anything_fits_names_nothing():
    assert find_hints(np.array([50.0]), np.array([-60.0]), np.array([40.0])).tolist() == [""]


def test_the_simplest_slip_is_named_and_none_that_ends_outside_of_the_interval():
    target, low, high = np.array([7.1]), np.array([1.145]), np.array([3.36])
    assert find_hints(target, low, high).tolist() == [""]  # 0.71 is less than expected
    # Ten times 2.0 is as expected, and so would 20.32 be, of inches for centimetres twice over.
    assert find_hints(np.array([2.0]), np.array([19.0]), np.array([21.0])).tolist() == ["/10"]


def test_positive_numbers_are_compared_by_ratio():
    low, high = np.array([20_909.0]), np.array([50_400.0])
    assert find_hints(np.array([360.0]), low, high).tolist() == ["/100"]
    assert find_hints(np.array([69.0]), np.array([5.0]), np.array([32.0])).tolist() == [""]


@pytest.mark.parametrize(
    ("slip", "factor", "widths", "named"),
    [
        ("x10", 10, 1.9, False),
        ("x10", 10, 2.1, True),
        ("x10", 10, 2.9, True),
        ("x2.54", 2.54, 2.1, False),
        ("x2.54", 2.54, 2.9, False),
        ("x2.54", 2.54, 3.1, True),
    ],
)
def test_a_slip_leads_twice_as_far_as_the_interval_is_wide_a_unit_three_times(
    slip, factor, widths, named
):
    half = factor ** (0.5 / widths)  # of the interval, as a ratio
    hints = find_hints(np.array([20.0 * factor]), np.array([20 / half]), np.array([20 * half]))
    assert hints.tolist() == [slip if named else ""]
