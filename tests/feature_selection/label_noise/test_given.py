import numpy as np
import pytest

from errata.exceptions import SuspicionWarning
from errata.feature_selection.label_noise._tolerant_criterion import (
    check_memberships,
    find_rows_with_density,
)


def test_memberships_are_made_to_sum_to_one():
    printed = [[0.3333333, 0.6666666], [1, 0]]
    found = check_memberships(printed, 2)
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    ("memberships", "message"),
    [
        ([[0.5, 0.6], [1, 0]], r"^memberships\[0\] = \[0.5, 0.6\] are not probabilities"),
        ([[1, 0], [1.5, -0.5]], r"^memberships\[1\] = .* none may be negative"),
        ([[1, 0], [np.nan, 1]], r"^memberships\[1\] = \[nan, 1.0\]"),
        ([[1, 0]], r"a row for each of the 2 rows .* the shape is \(1, 2\)"),
        ([[1, 0, 0], [0, 1, 0]], r"a column for each class, 2; the shape is \(2, 3\)"),
        ([1, 0], r"the shape is \(2,\)"),
    ],
)
def test_what_is_no_membership_is_refused(memberships, message):
    with pytest.raises(ValueError, match=message):
        check_memberships(memberships, 2, 2)


def test_nothing_is_lost_where_every_class_has_a_density():
    memberships = np.eye(2)[[0, 0, 1, 1]]
    rows, gamma = find_rows_with_density(memberships)
    np.testing.assert_array_equal(rows, range(4))
    np.testing.assert_array_equal(gamma, memberships)


def test_a_row_alone_in_its_class_is_left_out():
    with pytest.warns(SuspicionWarning, match="^1 row alone in a class"):
        rows, gamma = find_rows_with_density(np.eye(3)[[0, 2, 0, 1, 1]])
    np.testing.assert_array_equal(rows, [0, 2, 3, 4])
    np.testing.assert_array_equal(gamma, np.eye(3)[[0, 0, 1, 1]])


def test_what_rows_have_of_a_class_without_density_goes_to_their_other_classes():
    memberships = np.array([[0.6, 0.2, 0.2], [0.8, 0.2, 0], [0.2, 0.8, 0], [0, 1, 0], [1, 0, 0]])
    rows, gamma = find_rows_with_density(memberships)
    np.testing.assert_array_equal(rows, range(5))
    np.testing.assert_allclose(gamma[0], [0.75, 0.25, 0], rtol=1e-12)


def test_one_class_is_too_few():
    with pytest.raises(ValueError, match="fewer than two classes have two rows"):
        find_rows_with_density(np.eye(2)[[0, 0, 0, 1]])
