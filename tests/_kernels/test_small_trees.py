import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata._kernels import _trees as plain
from strategies import seeds

compiled = pytest.importorskip("errata._kernels._trees_numba")


def grown(random, first, n_leaves, cuts):
    """A tree with leaves from ``first`` on, cut at random; its cuts are added to a list."""
    if n_leaves == 1:
        return first
    n_left = int(random.integers(1, n_leaves))
    feature, threshold = int(random.integers(3)), int(random.integers(-3, 4))
    cuts.append((feature, threshold, int(plain.ALL) ^ (((1 << n_left) - 1) << first)))
    left = grown(random, first, n_left, cuts)
    right = grown(random, first + n_left, n_leaves - n_left, cuts)
    return feature, threshold, left, right


def walk(x, tree):
    while not isinstance(tree, int):
        feature, threshold, left, right = tree
        tree = right if x[feature] > threshold else left
    return tree


@given(seeds, st.integers(0, 40), st.integers(1, 4), st.integers(1, 3), st.integers(1, 32))
def test_the_first_leaf_in_reach_is_where_a_walk_ends(seed, n, n_trees, n_outputs, n_leaves):
    random = np.random.default_rng(seed)
    columns = random.integers(-4, 5, size=(3, n)).astype(np.float32)  # many on a threshold
    values = random.random((n_trees, 32))
    cuts, starts, expected = [], [0], np.zeros((n_outputs, n))
    for t in range(n_trees):
        own = []
        tree = grown(random, 0, n_leaves, own)
        cuts += [own[place] for place in random.permutation(len(own))]  # any order will do
        starts.append(len(cuts))
        expected[t % n_outputs] += [values[t, walk(x, tree)] for x in columns.T]
    features, thresholds, masks = np.array(cuts, dtype=np.int64).reshape(-1, 3).T
    arguments = (
        *(columns, np.array(starts), features, thresholds.astype(np.float32)),
        *(masks.astype(np.uint32), values, n_outputs),
    )
    for twin in (plain, compiled):
        np.testing.assert_array_equal(twin.sum_values(*arguments), expected)


def test_more_rows_than_a_block():
    columns = np.linspace(-1, 1, 1500, dtype=np.float32)[None]
    masks, values = np.array([plain.ALL ^ 1], dtype=np.uint32), np.arange(32.0)[None]
    cut = np.array([0, 1]), np.array([0]), np.zeros(1, dtype=np.float32)
    for twin in (plain, compiled):
        found = twin.sum_values(columns, *cut, masks, values, 1)
        np.testing.assert_array_equal(found[0], columns[0] > 0)
