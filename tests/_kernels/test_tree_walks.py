import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata._kernels import _trees as plain
from strategies import seeds

compiled = pytest.importorskip("errata._kernels._trees_numba")


def grown(random, n_features, n_trees, n_classes):
    """Trees whose leaves are cut in two again and again, at random."""
    roots, nodes, n_leaves = [], [], 0
    for _ in range(n_trees):
        roots.append(len(nodes))
        leaves = [len(nodes)]
        nodes.append(None)
        for _ in range(random.integers(12)):
            place = leaves.pop(random.integers(len(leaves)))
            feature, threshold = random.integers(n_features), random.integers(-3, 4)
            nodes[place] = (len(nodes), feature, threshold, -1)
            leaves += [len(nodes), len(nodes) + 1]
            nodes += [None, None]
        for place in leaves:
            nodes[place] = (place, 0, np.inf, n_leaves)
            n_leaves += 1
    votes = random.random((n_leaves, n_classes)).astype(np.float32)
    return np.array(roots), np.array(nodes, dtype=plain.NODE), votes


def by_recursion(x, node, nodes, votes):
    child, feature, threshold, leaf = nodes[node]
    if child == node:
        return votes[leaf].astype(float)
    return by_recursion(x, child + (x[feature] > threshold), nodes, votes)


@given(seeds, st.integers(0, 11), st.integers(1, 4), st.integers(1, 5))
def test_rows_end_where_recursion_leads_them(seed, n, n_trees, n_classes):
    random = np.random.default_rng(seed)
    X = random.integers(-4, 5, size=(n, 3)).astype(np.float32)  # many on a threshold
    X[random.random(X.shape) < 0.1] = np.inf
    roots, nodes, votes = grown(random, 3, n_trees, n_classes)
    expected = np.zeros((n, n_classes))
    for root in roots:
        for i, x in enumerate(X):
            expected[i] += by_recursion(x, root, nodes, votes)
    for twin in (plain, compiled):
        np.testing.assert_array_equal(twin.sum_votes(X, roots, nodes, votes), expected)
