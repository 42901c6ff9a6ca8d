import numpy as np
import pytest

from errata.feature_selection.label_noise._memberships import (
    estimate_error_rates,
    keep_labels,
    search_memberships,
)

CODES = np.repeat([0, 1], 5)
HOW = {"least_members": 2, "max_iter": 10, "tol": 1e-3}


def script(*rounds):
    """Log-densities (of the two classes at every row) for one round after the other."""
    rest = iter(rounds)
    return lambda memberships: np.tile(next(rest), (len(memberships), 1))


def test_the_first_memberships_come_from_error_rates_and_label_frequencies():
    codes, seen = np.repeat([0, 1], [6, 2]), []

    def watch(memberships):
        seen.append(memberships)
        return np.zeros((8, 2))

    search_memberships(watch, codes, np.array([0.3, 0.3]), **HOW)
    # P(class 0 | label 0) = 0.7 * 0.75 / (0.7 * 0.75 + 0.3 * 0.25)
    np.testing.assert_allclose(seen[0][0], [0.875, 0.125], rtol=1e-12)
    np.testing.assert_allclose(seen[0][-1], [0.5625, 0.4375], rtol=1e-12)


def test_the_best_round_is_kept_and_not_the_last():
    found = search_memberships(
        script([-3, -3.0], [-1, -1.2], [-2, -2.0]), CODES, np.array([0.2, 0.2]), **HOW
    )
    assert found.converged
    assert len(found.log_likelihood) == 3
    assert found.best.log_likelihood == max(found.log_likelihood) == found.log_likelihood[1]


def test_a_fall_of_the_likelihood_ends_the_search_and_a_rise_does_not():
    rising = [[level, level] for level in (-5.0, -4.0, -3.0, -2.9999)]
    found = search_memberships(script(*rising), CODES, np.array([0.2, 0.2]), **HOW)
    assert found.converged
    assert len(found.log_likelihood) == 4


def test_rounds_are_limited():
    found = search_memberships(
        script([-5, -5.0], [-4, -4.0]), CODES, np.array([0.2, 0.2]), **{**HOW, "max_iter": 2}
    )
    assert not found.converged
    assert not found.collapsed
    assert len(found.log_likelihood) == 2


def test_a_round_that_empties_a_class_is_thrown_away():
    found = search_memberships(script([-3, -3.0], [-1, -9.0]), CODES, np.array([0.2, 0.2]), **HOW)
    assert found.collapsed
    assert not found.converged
    assert len(found.log_likelihood) == 1
    assert found.best.memberships.sum(axis=0).min() >= 2


def test_labels_are_believed_when_the_first_round_empties_a_class():
    found = search_memberships(script([-1, -9.0]), CODES, np.array([0.2, 0.2]), **HOW)
    assert found.collapsed
    np.testing.assert_array_equal(found.best.memberships, np.eye(2)[CODES])
    np.testing.assert_array_equal(found.best.error_rates, 0)


def test_rows_at_which_no_class_has_a_density_keep_their_label():
    seen = []

    def densities(memberships):
        seen.append(memberships)
        found = np.zeros((10, 2))
        found[3] = -np.inf
        return found

    search_memberships(densities, CODES, np.array([0.2, 0.2]), **{**HOW, "max_iter": 2})
    np.testing.assert_array_equal(seen[1][3], [1, 0])


def test_error_rates_are_the_fraction_of_a_class_with_another_label():
    memberships = np.array([[1, 0, 0], [0.9, 0.1, 0], [0.1, 0.3, 0.6], [0, 0, 1]])
    codes = np.array([0, 0, 1, 2])
    np.testing.assert_allclose(
        estimate_error_rates(memberships, codes), [0.05, 0.25, 0.375], rtol=1e-12
    )


@pytest.mark.parametrize("n_classes", [2, 3])
def test_error_rates_do_not_exceed_chance(n_classes):
    codes = np.arange(6) % n_classes
    rates = estimate_error_rates(np.eye(n_classes)[(codes + 1) % n_classes], codes)
    np.testing.assert_allclose(rates, 1 - 1 / n_classes, rtol=1e-12)


def test_a_class_that_nobody_is_in_errs_never():
    np.testing.assert_array_equal(
        estimate_error_rates(np.eye(3)[[0, 1, 1]], np.array([0, 1, 1])), 0
    )


def test_believed_labels():
    found = keep_labels(np.array([0, 2, 2]), 3)
    np.testing.assert_array_equal(found.memberships, np.eye(3)[[0, 2, 2]])
    np.testing.assert_allclose(found.prior, [1 / 3, 0, 2 / 3], rtol=1e-12)
