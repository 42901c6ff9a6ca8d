import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from errata.hardness._trees import GrownTree, estimate_errors, grow_and_prune, grow_tree, prune
from hardness.naive_hardness import naive_prune
from strategies import seeds


def random_table(seed, n=80, n_classes=3):
    rng = np.random.RandomState(seed)
    return rng.randint(6, size=(n, 3)).astype(float), rng.randint(n_classes, size=n)


def path_lengths(tree):
    """Depth of each node, by walking down from the root."""
    depths, waiting = {}, [(0, 0)]
    while waiting:
        node, depth = waiting.pop()
        depths[node] = depth
        if tree.left[node] >= 0:
            waiting += [(tree.left[node], depth + 1), (tree.right[node], depth + 1)]
    return depths


def test_expected_errors_of_the_book():
    # Quinlan (1993), section 4.2: U25%(0, 6) = 0.206, U(0, 9) = 0.143, U(0, 1) = 0.750. For one
    # error among 16 he has 0.157, by an approximation; the exact limit is 0.160.
    counts = np.array([[6, 0], [9, 0], [0, 1], [15, 1]])
    sizes = counts.sum(axis=1)
    np.testing.assert_allclose(
        estimate_errors(counts, 0.25) / sizes, [0.206, 0.143, 0.750, 0.160], rtol=0, atol=6e-4
    )


@given(st.integers(0, 30), st.integers(1, 30), st.floats(0.01, 0.5))
def test_the_upper_limit_leaves_the_confidence_below(errors, right, confidence):
    counts = np.array([[max(errors, right), min(errors, right)]])
    n, e = counts.sum(), counts.min()
    upper = estimate_errors(counts, confidence)[0] / n
    assert binom.cdf(e, n, upper) == pytest.approx(confidence, abs=1e-9)


def test_the_subtree_of_the_book_becomes_a_leaf():
    # 6 + 9 + 1 rows in three pure leaves expect 3.273 errors, one leaf of 16 some 2.5.
    counts = np.array([[15, 1], [6, 0], [9, 1], [9, 0], [0, 1]])
    tree = GrownTree(
        left=np.array([1, -1, 3, -1, -1]),
        right=np.array([2, -1, 4, -1, -1]),
        counts=counts,
        leaves=np.repeat([1, 3, 4], [6, 9, 1]),
    )
    pruned = prune(tree, 0.25)
    assert set(pruned.leaves) == {0}
    assert pruned.commonest(np.repeat([0, 0, 1], [6, 9, 1])).tolist() == [0] * 16
    assert tree.left[0] == 1  # the tree itself is left alone


@given(seeds, st.sampled_from([1, 2, 5]), st.sampled_from([0.001, 0.1, 0.25, 0.5]))
def test_pruning_equals_its_plain_twin(seed, min_samples_leaf, confidence):
    X, codes = random_table(seed)
    tree = grow_tree(X, codes, 0, min_samples_leaf=min_samples_leaf)
    pruned = prune(tree, confidence)
    leaves, _ = naive_prune(tree.left, tree.right, estimate_errors(tree.counts, confidence))
    assert set(pruned.leaves) == set(leaves)
    for leaf in leaves:
        np.testing.assert_array_equal(
            np.bincount(codes[pruned.leaves == leaf], minlength=3), tree.counts[leaf]
        )


@given(seeds)
def test_counts_and_depths_are_those_of_the_rows(seed):
    X, codes = random_table(seed)
    tree = grow_tree(X, codes, 0)
    for leaf in np.unique(tree.leaves):
        np.testing.assert_array_equal(
            np.bincount(codes[tree.leaves == leaf], minlength=3), tree.counts[leaf]
        )
    for pruned in (tree, prune(tree, 0.25)):
        depths = path_lengths(pruned)
        assert [depths[leaf] for leaf in pruned.leaves] == pruned.depths[pruned.leaves].tolist()


@given(seeds)
def test_less_confidence_prunes_more(seed):
    tree = grow_tree(*random_table(seed), 0)
    sizes = [len(np.unique(prune(tree, c).leaves)) for c in (0.001, 0.05, 0.25, 0.5)]
    assert sizes == sorted(sizes)


def test_a_full_tree_parts_what_can_be_parted():
    X, codes = np.array([[0.0], [1], [1], [2]]), np.array([0, 0, 1, 1])
    tree = grow_tree(X, codes, 0)
    assert len(set(tree.leaves[[0, 1, 3]])) == 3
    assert tree.leaves[1] == tree.leaves[2]  # the same place, different labels
    assert tree.commonest(codes).tolist() == codes.tolist()  # one each: nobody is outvoted


def test_constant_features_leave_one_leaf():
    tree = grow_and_prune(np.ones((9, 2)), np.arange(9) % 2, 0)
    assert set(tree.leaves) == {0}
    assert tree.counts.tolist() == [[5, 4]]
    assert tree.depths.tolist() == [0]
