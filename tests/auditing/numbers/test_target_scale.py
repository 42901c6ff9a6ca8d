import numpy as np
import pytest

from errata.auditing.numbers._target_scale import scale_of, start_clipped


@pytest.mark.parametrize("logs", [False, True])
def test_undoing_gives_the_targets_back(logs):
    y = np.random.default_rng(0).lognormal(size=100)
    scale = scale_of(y, logs=logs)
    np.testing.assert_allclose(scale.undo(scale.apply(y)), y, rtol=1e-12)
    assert np.median(scale.apply(y)) == pytest.approx(0, abs=1e-12)


def test_normal_targets_keep_their_deviation():
    y = 5 + 3 * np.random.default_rng(0).normal(size=20_000)
    assert scale_of(y).spread == pytest.approx(3, rel=0.03)


def test_of_many_equal_targets_the_deviation_is_the_scale():
    y = np.r_[np.zeros(90), np.arange(10.0)]
    assert scale_of(y).spread == pytest.approx(y.std())


def test_far_values_start_from_ten_scales_beyond_the_quartiles():
    values = np.r_[np.linspace(-1, 1, 101), 1e6]
    clipped = start_clipped(values)
    np.testing.assert_allclose(clipped[:-1], values[:-1], rtol=0, atol=0)
    assert clipped[-1] == pytest.approx(np.quantile(values, 0.75) + 10)
