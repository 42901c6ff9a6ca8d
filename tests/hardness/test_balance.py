import numpy as np
import pytest
from hypothesis import given

from errata.hardness import ClassBalance, MinorityValue
from errata.hardness._measure import compute_class_balance, compute_minority_value
from strategies import label_arrays


def test_values_by_hand():
    y = np.repeat([0, 1, 2], [6, 3, 1])
    np.testing.assert_allclose(
        compute_minority_value(y)[[0, 6, 9]], [0, 1 / 2, 5 / 6], rtol=0, atol=1e-15
    )
    # CB = share - 1/3, moved from [-1, 1] to [0, 1] and turned round.
    expected = [(1 - (share - 1 / 3)) / 2 for share in (0.6, 0.3, 0.1)]
    np.testing.assert_allclose(compute_class_balance(y)[[0, 6, 9]], expected, rtol=0, atol=1e-15)


@given(label_arrays())
def test_the_rarer_the_harder(y):
    _, codes, sizes = np.unique(y, return_inverse=True, return_counts=True)
    order = np.argsort(sizes[codes])
    for measure in (compute_minority_value, compute_class_balance):
        assert np.all(np.diff(measure(codes)[order]) <= 1e-15)
        assert np.all((measure(codes) >= 0) & (measure(codes) < 1))


@given(label_arrays())
def test_balance_averages_to_half_over_classes(y):
    _, first, codes = np.unique(y, return_index=True, return_inverse=True)
    assert compute_class_balance(codes)[first].mean() == pytest.approx(0.5, abs=1e-12)


@given(label_arrays())
def test_repeating_the_table_changes_nothing(y):
    codes = np.unique(y, return_inverse=True)[1]
    for measure in (compute_minority_value, compute_class_balance):
        np.testing.assert_allclose(
            measure(np.tile(codes, 3)), np.tile(measure(codes), 3), rtol=0, atol=1e-15
        )


def test_equal_classes_are_equally_easy():
    assert not compute_minority_value(np.tile([0, 1, 2], 4)).any()
    np.testing.assert_allclose(
        compute_class_balance(np.tile([0, 1, 2], 4)), 0.5, rtol=0, atol=1e-15
    )


def test_one_class_has_nobody_to_compare_with():
    assert compute_minority_value(np.zeros(2, dtype=int)).tolist() == [0, 0]
    assert compute_class_balance(np.zeros(2, dtype=int)).tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    ("detector", "function"),
    [(MinorityValue, compute_minority_value), (ClassBalance, compute_class_balance)],
)
def test_detectors_ignore_features_and_doubt_nobody_unless_told(detector, function):
    X, y = np.random.RandomState(0).normal(size=(10, 2)), np.array([0] * 7 + [1] * 3)
    model = detector().fit(X, y)
    np.testing.assert_array_equal(model.suspicion_, function(y))
    np.testing.assert_array_equal(model.suspicion_, detector().fit(-X, y).suspicion_)
    assert not model.flagged_.any()
    told = detector(contamination=0.3).fit(X, y)
    np.testing.assert_array_equal(told.flagged_, y == 1)
    np.testing.assert_array_equal(told.suggested_, y)
