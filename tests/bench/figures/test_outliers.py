import numpy as np
import pytest

from errata.bench.figures import (
    make_mislabelled_extreme,
    make_outlying_cloud,
    make_outlying_line,
    make_outlying_sine,
)

MAKERS = [make_outlying_line, make_outlying_sine, make_outlying_cloud, make_mislabelled_extreme]


@pytest.mark.parametrize("make", MAKERS)
def test_the_last_row_is_the_bad_one_and_draws_repeat(make):
    X, *_, bad = make(40, random_state=1)
    assert np.flatnonzero(bad).tolist() == [39]
    assert len(X) == 40
    np.testing.assert_array_equal(make(40, random_state=1)[0], X)
    here, there = (np.column_stack(make(40, random_state=seed)) for seed in (1, 2))
    assert not np.array_equal(here, there)


@pytest.mark.parametrize(
    ("make", "curve", "noise"),
    [
        (make_outlying_line, lambda x: 1 + 2 * x, 0.2),
        (make_outlying_sine, lambda x: np.sin(2 * np.pi * x), 0.1),
    ],
)
def test_rows_lie_around_their_curve_but_for_the_last(make, curve, noise):
    X, y, bad = make(10_001, random_state=0)
    residuals = y - curve(X[:, 0])
    # Four standard errors of a standard deviation estimated from 10 000 normal draws.
    assert residuals[~bad].std() == pytest.approx(noise, rel=4 / np.sqrt(2 * 10_000))
    assert abs(residuals[bad][0]) > 16 * noise


def test_the_cloud_has_the_axes_of_the_paper():
    X, bad = make_outlying_cloud(100_001, random_state=0)
    variances, axes = np.linalg.eigh(np.cov(X[~bad].T))
    np.testing.assert_allclose(variances, [0.04, 1.0], rtol=0.02)
    first = axes[:, 1] * np.sign(axes[0, 1])
    np.testing.assert_allclose(first, [np.cos(np.pi / 6), np.sin(np.pi / 6)], rtol=0, atol=0.01)
    np.testing.assert_allclose(X[~bad].mean(axis=0), [-0.5, 0.5], rtol=0, atol=0.02)


def test_only_the_farthest_label_is_wrong():
    X, y, flipped = make_mislabelled_extreme(10_000, random_state=0)
    assert y.sum() == 4_999
    true = np.where(flipped, 1, y)
    assert X[flipped, 0] == X[true == 1].max()
    for c, mean in [(0, -2), (1, 2)]:
        assert X[true == c].mean() == pytest.approx(mean, abs=4 * 1.7 / np.sqrt(5_000))
        assert X[true == c].std() == pytest.approx(1.7, rel=0.04)
