import numpy as np
import pytest

from errata.elm import _hidden_layer as module
from errata.elm._hidden_layer import HiddenLayer, HiddenRows

random = np.random.RandomState(0)
X, T, W = random.normal(size=(23, 3)), random.normal(size=(23, 2)), random.random_sample(23)
LAYER = HiddenLayer(random.normal(size=(3, 5)), random.normal(size=5), "tanh")


@pytest.fixture(params=[True, False], ids=["kept", "computed anew"])
def rows(request, monkeypatch):
    if not request.param:
        monkeypatch.setattr(module, "KEPT_BYTES", 0)
    return HiddenRows(LAYER, X, T, W, block_size=4)


def gathered(blocks):
    """All blocks in one; copied one by one, since a block lives until the next one."""
    copies = [[np.copy(array) for array in block[1:]] for block in blocks]
    return [np.concatenate(parts) for parts in zip(*copies, strict=True)]


def test_blocks_together_are_the_table(rows):
    for _ in range(2):  # a second pass is the same as the first
        hidden, target, weight = gathered(rows.blocks())
        np.testing.assert_allclose(hidden, LAYER(X), rtol=0, atol=1e-15)
        np.testing.assert_array_equal(target, T)
        np.testing.assert_array_equal(weight, W)


def test_blocks_of_some_rows_come_in_their_order(rows):
    some = np.array([20, 3, 4, 11, 0, 22])
    hidden, target, weight = gathered(rows.blocks(some))
    np.testing.assert_allclose(hidden, LAYER(X)[some], rtol=0, atol=1e-15)
    np.testing.assert_array_equal(target, T[some])
    np.testing.assert_array_equal(weight, W[some])
    np.testing.assert_array_equal(np.concatenate([b.rows for b in rows.blocks(some)]), some)


def test_rows_can_be_taken_at_once(rows):
    np.testing.assert_allclose(rows.take().hidden, LAYER(X), rtol=0, atol=1e-15)
    np.testing.assert_array_equal(rows.take(np.array([5, 1])).target, T[[5, 1]])


def test_blocks_are_of_about_the_same_size_and_none_is_larger_than_asked_for(rows):
    sizes = [len(block.target) for block in rows.blocks()]
    assert len(sizes) == 6
    assert set(sizes) == {3, 4}


def test_large_activations_are_not_kept(monkeypatch):
    assert HiddenRows(LAYER, X, T)._kept is not None
    monkeypatch.setattr(module, "KEPT_BYTES", 8 * 23 * 5 - 1)
    assert HiddenRows(LAYER, X, T)._kept is None
