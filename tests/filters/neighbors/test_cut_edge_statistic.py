import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from errata.filters.neighbors._graph_filters import (
    Edges,
    compute_uniform_tails,
    compute_weighted_tails,
    cut_edges,
    find_heaviest_class,
    find_knn_edges,
)
from strategies import seeds


def random_graph(seed, n=30, k=3, n_classes=3):
    rng = np.random.RandomState(seed)
    edges = find_knn_edges(rng.normal(size=(n, 2)), k, mutual=bool(seed % 2))
    codes = rng.permutation(np.arange(n) % n_classes)
    return edges, rng.choice([0.5, 1.0, 2.0], size=len(edges.source)), codes


@given(seeds)
def test_sums_are_those_of_a_matrix(seed):
    edges, weight, codes = random_graph(seed)
    W = np.zeros((30, 30))
    W[edges.source, edges.target] = weight
    found = cut_edges(edges, weight, codes)
    expected = [
        (W > 0).sum(axis=1),
        (W * (codes[:, None] != codes)).sum(axis=1),
        W.sum(axis=1),
        (W**2).sum(axis=1),
    ]
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)


def test_uniform_tails_are_those_of_shuffled_labels_dealt_independently():
    # By enumeration: two edges, each cut with probability 1/4.
    p = {0: 9 / 16, 1: 6 / 16, 2: 1 / 16}
    star = Edges(np.array([0, 0]), np.array([1, 2]), np.ones(2))
    for cut, codes in [(0, [0, 0, 0]), (1, [0, 0, 1]), (2, [0, 1, 1])]:
        cuts = cut_edges(star, np.ones(2), np.array(codes))
        tails = compute_uniform_tails(cuts, np.full(3, 0.25))
        np.testing.assert_allclose(tails.less[0], sum(p[j] for j in range(cut)), rtol=0, atol=1e-12)
        np.testing.assert_allclose(tails.same[0], p[cut], rtol=0, atol=1e-12)


def test_weighted_tails_are_normal_with_mean_and_variance_of_the_cut_weight():
    star = Edges(np.array([0, 0]), np.array([1, 2]), np.ones(2))
    cuts = cut_edges(star, np.array([1.0, 2.0]), np.array([0, 0, 1]))
    tails = compute_weighted_tails(cuts, np.full(3, 0.3))
    expected = norm.cdf(2, loc=0.3 * 3, scale=np.sqrt(0.3 * 0.7 * 5))
    np.testing.assert_allclose(tails.suspicion[0], expected, rtol=0, atol=1e-12)


def test_a_row_without_edges_is_doubtful_and_half_suspicious():
    none = Edges(np.array([], dtype=int), np.array([], dtype=int), np.array([]))
    cuts = cut_edges(none, np.array([]), np.array([0, 1]))
    for tails in (
        compute_uniform_tails(cuts, np.full(2, 0.5)),
        compute_weighted_tails(cuts, np.full(2, 0.5)),
    ):
        assert tails.suspicion.tolist() == [0.5, 0.5]
        assert tails.categories(0.5).tolist() == ["doubtful", "doubtful"]


def test_as_many_cut_as_not_is_a_tie_in_spite_of_rounding():
    for k in range(2, 60, 2):
        star = Edges(np.zeros(k, dtype=int), np.arange(1, k + 1), np.ones(k))
        cuts = cut_edges(star, np.ones(k), np.r_[0, np.arange(k) % 2])
        assert compute_uniform_tails(cuts, np.full(k + 1, 0.5)).suspicion[0] == 0.5


def test_categories_are_the_two_tails_at_the_level():
    star = Edges(np.repeat([0, 1], 4), np.r_[2:6, 6:10], np.ones(8))
    codes = np.r_[0, 0, np.zeros(4, dtype=int), np.ones(4, dtype=int)]
    tails = compute_uniform_tails(cut_edges(star, np.ones(8), codes), np.full(10, 0.5))
    assert tails.categories(0.07)[:2].tolist() == ["good", "bad"]  # 1/16 either way
    assert tails.categories(0.06)[:2].tolist() == ["doubtful", "doubtful"]


@given(seeds, st.integers(2, 4))
def test_the_class_with_most_weight_wins_and_the_nearest_decides_between_equals(seed, n_classes):
    edges, weight, codes = random_graph(seed, n_classes=n_classes)
    expected = codes.copy()
    for i in range(len(codes)):
        mine = np.flatnonzero(edges.source == i)
        classes = codes[edges.target[mine]].tolist()  # the nearest first
        total = {c: weight[mine][np.array(classes) == c].sum() for c in classes}
        if classes:
            expected[i] = max(total, key=total.get)  # the first of equals
    np.testing.assert_array_equal(find_heaviest_class(edges, weight, codes), expected)
