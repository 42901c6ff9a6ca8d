import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.feature_selection.information import (
    failure_statistics,
    loss_bound,
    sample_discrete_features,
)
from strategies import seeds

# A right choice, a failure that costs 0.1, one that costs 0.3, equal errors, equal information.
INFORMATION = np.array([[0.5, 0.2], [0.6, 0.4], [0.1, 0.3], [0.5, 0.2], [0.4, 0.4]])
ERROR = np.array([[0.1, 0.3], [0.3, 0.2], [0.1, 0.4], [0.2, 0.2], [0.1, 0.3]])


def test_a_failure_is_more_information_and_more_errors():
    found = failure_statistics(INFORMATION, ERROR)
    assert found.n_pairs == 5
    assert found.failing.tolist() == [False, True, True, False, False]
    assert found.selected.tolist() == [0, 0, 1, 0, 0]
    assert (found.failure_rate, found.published_convention) == (0.4, 0.2)
    assert found.tie_rate == 0.2
    np.testing.assert_allclose(found.losses, [0.1, 0.3], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.gaps, [0.2, 0.2], rtol=0, atol=1e-12)
    assert found.loss_95 == pytest.approx(0.1 + 0.95 * 0.2, abs=1e-12)


def test_small_failures_are_left_out_where_that_is_asked_for():
    assert failure_statistics(INFORMATION, ERROR, min_loss=0.2).failing.sum() == 1
    assert failure_statistics(INFORMATION, ERROR, min_gap=0.3).failing.sum() == 0


def test_differences_of_rounding_are_none():
    found = failure_statistics([[0.5, 0.5 - 1e-14], [0.5, 0.3]], [[0.3, 0.2], [0.2 + 1e-14, 0.2]])
    assert not found.failing.any()
    assert np.isnan(found.loss_95)
    assert found.tie_rate == 0.5


def test_bins_are_those_of_the_selected_feature():
    found = failure_statistics(
        INFORMATION, ERROR, information_bins=[0, 0.35, 0.55, 1], error_bins=[0, 0.25, 0.35, 1]
    )
    assert found.by_information.pairs.tolist() == [1, 3, 1]
    assert found.by_information.failures.tolist() == [1, 0, 1]
    assert found.by_information.features.tolist() == [4, 5, 1]
    np.testing.assert_array_equal(found.by_information.published_convention(), [1 / 4, 0, 1])
    assert found.by_error.pairs.tolist() == [3, 1, 1]
    assert found.by_error.failures.tolist() == [0, 1, 1]
    np.testing.assert_array_equal(found.by_information.probability(), [1, 0, 1])
    empty = failure_statistics(INFORMATION, ERROR, information_bins=[0, 0.01, 1])
    assert np.isnan(empty.by_information.probability()[0])


@given(seeds, st.integers(1, 50))
def test_the_order_within_pairs_does_not_matter(seed, n_pairs):
    random = np.random.default_rng(seed)
    information, error = random.random((2, n_pairs, 2))
    one = failure_statistics(information, error)
    other = failure_statistics(information[:, ::-1], error[:, ::-1])
    np.testing.assert_array_equal(one.failing, other.failing)
    np.testing.assert_array_equal(one.losses, other.losses)
    assert one.by_error.failures.sum() == one.failing.sum()


def test_no_loss_is_above_its_bound():
    features = sample_discrete_features(50_000, random_state=0)
    found = failure_statistics(features.mutual_information, features.error)
    chosen = features.mutual_information.max(axis=1)[found.failing]
    assert np.all(found.losses <= loss_bound(chosen, 1.0, 2) + 1e-12)


def test_per_feature_failures_are_rare_at_both_ends_and_per_pair_at_one():
    features = sample_discrete_features(50_000, n_values=2, alpha=4, random_state=0)
    found = failure_statistics(
        features.mutual_information, features.error, information_bins=[0, 0.0007, 0.05, 0.3, 1]
    )
    low, middle, high, highest = found.by_information.published_convention()
    assert low < 0.5 * middle
    assert highest < 0.5 * high < 0.5 * middle
    assert found.by_information.probability()[0] > 0.8 * found.by_information.probability()[1]


# The published rates are half of these; see docs/evidence/reproductions/mi-failures.md.
@pytest.mark.parametrize(
    ("n_values", "alpha", "half_rate", "loss_95"), [(2, 4, 0.6, 1.5), (8, 1, 4.6, 4.3)]
)
def test_published_rates_come_out(n_values, alpha, half_rate, loss_95):
    features = sample_discrete_features(200_000, n_values=n_values, alpha=alpha, random_state=0)
    found = failure_statistics(features.mutual_information, features.error)
    assert 100 * found.published_convention == pytest.approx(half_rate, abs=0.1)
    assert 100 * found.loss_95 == pytest.approx(loss_95, abs=0.1)


def test_what_is_no_list_of_pairs_is_refused():
    with pytest.raises(ValueError, match=r"their shapes are \(3,\) and \(3,\)"):
        failure_statistics(np.ones(3), np.ones(3))
    with pytest.raises(ValueError, match=r"shapes are \(5, 2\) and \(4, 2\)"):
        failure_statistics(INFORMATION, ERROR[:4])
    with pytest.raises(ValueError, match="there is no pair of features"):
        failure_statistics(np.empty((0, 2)), np.empty((0, 2)))
    with pytest.raises(ValueError, match="NaN or infinite somewhere"):
        failure_statistics(INFORMATION, np.where(ERROR == 0.4, np.nan, ERROR))
    with pytest.raises(ValueError, match="bins=0 must be a whole number at least 1"):
        failure_statistics(INFORMATION, ERROR, information_bins=0)
