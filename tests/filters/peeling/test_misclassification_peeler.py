import numpy as np
import pytest
from hypothesis import given

from errata.filters.peeling._peeling import compute_misclassification_rate
from filters.peeling_cases import agreements, peel_line


def test_accurate_rounds_count_more():
    # Two rounds are right on 3/4 of the rows, one on 1/4 only.
    agreement = np.array([[1, 1, 1], [1, -1, -1], [1, 1, -1], [-1, 1, -1]])
    expected = [0, 4 / 7, 1 / 7, 4 / 7]
    np.testing.assert_allclose(
        compute_misclassification_rate(agreement), expected, rtol=0, atol=1e-15
    )


def test_rounds_that_are_always_wrong_count_alike():
    np.testing.assert_array_equal(compute_misclassification_rate(-np.ones((4, 3))), 1)


@given(agreements())
def test_rates_keep_their_range(agreement):
    rate = compute_misclassification_rate(agreement)
    assert rate.min() >= 0
    assert rate.max() <= 1 + 1e-12


def test_the_worked_example():
    assert peel_line("misclassification", 3).suspicion_[1] == pytest.approx(0.631579, abs=1e-6)
