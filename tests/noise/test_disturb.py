import numpy as np
import pytest

from errata.noise import disturb_targets
from strategies import SEEDS

Y = np.random.default_rng(3).normal(50, 10, 300)
KINDS = ("swap", "gross", "shift", "unit")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_fraction_asked_for_is_changed_and_told(kind, seed):
    noisy, changed = disturb_targets(Y, 0.1, kind=kind, random_state=seed)
    np.testing.assert_array_equal(changed, noisy != Y)
    assert changed.sum() == 30
    again, _ = disturb_targets(Y, 0.1, kind=kind, random_state=seed)
    np.testing.assert_array_equal(noisy, again)


def test_swaps_are_values_of_other_rows():
    noisy, changed = disturb_targets(Y, 0.2, random_state=0)
    assert np.isin(noisy[changed], Y).all()


def test_a_value_swapped_for_an_equal_one_is_no_error():
    y = np.repeat([1.0, 2.0], 100)
    noisy, changed = disturb_targets(y, 0.5, random_state=0)
    np.testing.assert_array_equal(changed, noisy != y)
    assert 20 < changed.sum() < 80


def test_shifts_and_gross_errors_are_as_large_as_told():
    noisy, changed = disturb_targets(Y, 0.2, kind="shift", random_state=0)
    np.testing.assert_allclose(np.abs(noisy - Y)[changed], 1.5 * Y.std(), rtol=1e-9)
    noisy, changed = disturb_targets(Y, 0.5, kind="gross", random_state=0)
    ratio, off = noisy[changed] / Y[changed], np.abs(noisy - Y)[changed] / Y.std()
    slip = np.isclose(ratio[:, None], [10, 0.1, -1]).any(axis=1)
    assert 0.55 < slip.mean() < 0.95
    assert (off[~slip] >= 3).all()
    assert (off[~slip] <= 10).all()


def test_units_are_confused_in_one_part_of_the_table():
    by = np.arange(300)
    noisy, changed = disturb_targets(Y, 0.1, kind="unit", by=by, random_state=0)
    assert by[changed].min() >= 200
    np.testing.assert_allclose(noisy[changed], 2.54 * Y[changed], rtol=1e-12)


def test_missing_targets_stay_missing_and_zero_noise_changes_nothing():
    y = Y.copy()
    y[:100] = np.nan
    noisy, changed = disturb_targets(y, 0.1, kind="gross", random_state=0)
    assert np.isnan(noisy[:100]).all()
    assert changed.sum() == 20
    same, none = disturb_targets(Y, 0.0, random_state=0)
    np.testing.assert_array_equal(same, Y)
    assert not none.any()


def test_what_cannot_be_is_told():
    with pytest.raises(ValueError, match="kind"):
        disturb_targets(Y, 0.1, kind="flip")
    with pytest.raises(ValueError, match="rate"):
        disturb_targets(Y, 1.5)
