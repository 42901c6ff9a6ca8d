import numpy as np
import pytest

from ensemble.limited_random import LimitedRandom
from errata.ensemble.bagging import _pools
from errata.ensemble.bagging._pools import _draw_orders


def visited(multipliers, offsets, n):
    """The places of a bag in the order of each pair of numbers."""
    return (multipliers[..., None] * np.arange(n) + offsets[..., None]) % n


@pytest.mark.parametrize("n", [1, 2, 6, 7, 30, 210])  # of 1 to 209, 48 share no factor with 210
@pytest.mark.parametrize("redraws", [0, 1, 100])
def test_every_order_visits_every_row_once_however_few_draws_are_left(monkeypatch, n, redraws):
    monkeypatch.setattr(_pools, "_REDRAWS", redraws)
    random = LimitedRandom(0, redraws + 2)
    places = visited(*_draw_orders(8, 32, n, random), n)
    np.testing.assert_array_equal(np.sort(places), np.broadcast_to(np.arange(n), places.shape))


def test_orders_differ():
    multipliers, offsets = _draw_orders(4, 8, 101, np.random.RandomState(0))
    assert len(np.unique(np.column_stack([multipliers.ravel(), offsets.ravel()]), axis=0)) == 32
