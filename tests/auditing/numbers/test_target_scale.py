import numpy as np
import pytest

from errata.auditing.numbers._task import clip_far_targets, fit_target_scale, may_be_logs


@pytest.mark.parametrize("logs", [False, True])
def test_undoing_gives_the_targets_back(logs):
    y = np.random.default_rng(0).lognormal(size=100)
    scale = fit_target_scale(y, logs=logs)
    np.testing.assert_allclose(scale.undo(scale.apply(y)), y, rtol=1e-12)
    assert np.median(scale.apply(y)) == pytest.approx(0, abs=1e-12)


def test_normal_targets_keep_their_deviation():
    y = 5 + 3 * np.random.default_rng(0).normal(size=20_000)
    assert fit_target_scale(y).spread == pytest.approx(3, rel=0.03)


def test_of_many_equal_targets_the_deviation_is_the_scale():
    y = np.r_[np.zeros(90), np.arange(10.0)]
    assert fit_target_scale(y).spread == pytest.approx(y.std())


def test_far_values_start_from_ten_scales_beyond_the_quartiles():
    values = np.r_[np.linspace(-1, 1, 101), 1e6]
    clipped = clip_far_targets(values)
    np.testing.assert_allclose(clipped[:-1], values[:-1], rtol=0, atol=0)
    assert clipped[-1] == pytest.approx(np.quantile(values, 0.75) + 10)


def test_slopes_are_derivatives():
    y = np.random.default_rng(0).lognormal(size=50)
    for logs in (False, True):
        scale = fit_target_scale(y, logs=logs)
        slope = (scale.apply(y * (1 + 1e-6)) - scale.apply(y)) / (1e-6 * y)
        np.testing.assert_allclose(np.exp(scale.log_slope(y)), slope, rtol=1e-4)


def test_targets_that_are_not_positive_count_as_a_small_one():
    y = np.r_[np.random.default_rng(0).lognormal(size=99), -5.0]
    scale = fit_target_scale(y, logs=True)
    assert np.isfinite(scale.apply(y)).all()
    assert scale.apply(y).argmin() == 99


def test_logarithms_are_tried_where_targets_are_positive_and_skewed():
    random = np.random.default_rng(0)
    skewed = random.lognormal(size=200)
    assert may_be_logs(skewed)
    assert may_be_logs(np.r_[skewed, -1.0])  # a sign may be wrong
    assert not may_be_logs(np.r_[skewed, np.zeros(50)])
    assert not may_be_logs(10 + random.normal(size=5000))
    assert not may_be_logs(100 - skewed)
