import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.stats import norm
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_blobs
from sklearn.metrics import average_precision_score, f1_score
from sklearn.preprocessing import scale

from errata.exceptions import ClassRetentionWarning
from errata.filters import CutEdgeFilter, EditedNeighborsFilter, ModeFilter
from errata.filters._neighbors import (
    Edges,
    categorise_by_chance,
    compute_similarity,
    compute_uniform_tails,
    compute_weighted_tails,
    find_gabriel_edges,
    find_heaviest_class,
    find_knn_edges,
    find_relative_edges,
    rank_among_chance,
    sum_edges,
)
from errata.noise import flip_labels
from filters.neighbor_cases import PLANTED, TINY_X, TINY_Y, naive_proximity_pairs
from hardness.naive_hardness import naive_nearest
from strategies import seeds

PROXIMITY = {"gabriel": find_gabriel_edges, "rng": find_relative_edges}


def pairs(edges):
    return list(zip(edges.source.tolist(), edges.target.tolist(), strict=True))


def check_order(edges, X):
    """Both ways, each once, by row and then by length."""
    found = pairs(edges)
    assert len(set(found)) == len(found)
    assert {(j, i) for i, j in found} == set(found)
    np.testing.assert_allclose(
        edges.distance, np.linalg.norm(X[edges.source] - X[edges.target], axis=1), rtol=1e-9, atol=0
    )
    order = np.lexsort((edges.distance, edges.source))
    np.testing.assert_array_equal(order, np.arange(len(found)))


@pytest.mark.parametrize("mutual", [False, True])
@given(seeds, st.integers(5, 30), st.integers(1, 4))
def test_rows_are_joined_where_one_or_both_are_near(mutual, seed, n, k):
    X = np.random.RandomState(seed).normal(size=(n, 2))
    near = np.zeros((n, n), dtype=bool)
    near[np.arange(n)[:, None], naive_nearest(X, k)] = True
    expected = near & near.T if mutual else near | near.T
    edges = find_knn_edges(X, k, mutual=mutual)
    assert sorted(pairs(edges)) == [tuple(pair) for pair in np.argwhere(expected).tolist()]
    check_order(edges, X)


@pytest.mark.parametrize("graph", PROXIMITY)
@given(seeds, st.integers(2, 40), st.integers(1, 4))
def test_no_third_row_stands_between(graph, seed, n, d):
    X = np.random.RandomState(seed).normal(size=(n, d))
    edges = PROXIMITY[graph](X)
    assert sorted(pairs(edges)) == naive_proximity_pairs(X, graph)
    check_order(edges, X)


@pytest.mark.parametrize("graph", PROXIMITY)
@given(hnp.arrays(float, st.tuples(st.integers(2, 15), st.just(2)), elements=st.integers(0, 3)))
def test_ties_and_copies_do_not_separate(graph, X):
    # On a lattice nearly all angles are right and nearly all triangles have equal sides.
    assert sorted(pairs(PROXIMITY[graph](X / 3))) == naive_proximity_pairs(X / 3, graph)


def test_more_rows_than_are_asked_first_give_the_same_graph():
    X = np.random.RandomState(0).normal(size=(140, 2))
    for graph, edges in PROXIMITY.items():
        assert sorted(pairs(edges(X))) == naive_proximity_pairs(X, graph)


def test_the_relative_neighbourhood_graph_is_part_of_the_gabriel_graph():
    X = np.random.RandomState(0).normal(size=(80, 3))
    assert set(pairs(find_relative_edges(X))) < set(pairs(find_gabriel_edges(X)))


@pytest.mark.parametrize("graph", PROXIMITY)
def test_on_a_line_it_is_the_path(graph):
    path = [(i, i + 1) for i in range(9)]
    assert sorted(pairs(PROXIMITY[graph](TINY_X))) == sorted(path + [(j, i) for i, j in path])


def test_ranks_count_from_the_shortest_edge():
    edges = find_knn_edges(np.array([[0.0], [1.0], [3.0], [3.5]]), 2, mutual=False)
    of_row = {i: edges.rank[edges.source == i].tolist() for i in range(4)}
    assert of_row == {0: [1, 2], 1: [1, 2, 3], 2: [1, 2, 3], 3: [1, 2]}
    near = edges.only(edges.rank == 1)
    assert pairs(near) == [(0, 1), (1, 0), (2, 3), (3, 2)]


def naive_mode(X, codes, k, max_iter):
    """Suspicion and label of the last round, row by row, straight from the formula."""
    n, edges = len(codes), find_knn_edges(X, k, mutual=False)
    width = np.median(edges.distance[edges.distance > 0])
    labels = codes.tolist()
    for _ in range(max_iter):
        voters, labels, suspicion = list(labels), [], []
        for i in range(n):
            support = np.zeros(codes.max() + 1)
            support[codes[i]] = 1
            for j, d in zip(*(part[edges.source == i] for part in edges[1:]), strict=True):
                support[voters[j]] += np.exp(-(d**2) / (2 * width**2))
            rivals = {q: support[q] for q in range(len(support)) if q != codes[i]}
            rival = max(rivals, key=rivals.get)
            lead = rivals[rival] - support[codes[i]]
            labels.append(rival if lead > 0 else codes[i])
            suspicion.append((lead + support.sum()) / (2 * support.sum()))
    return np.array(suspicion), np.array(labels)


@pytest.mark.filterwarnings("ignore::errata.exceptions.ClassRetentionWarning")
@given(seeds, st.integers(2, 4), st.integers(1, 4))
def test_it_is_the_formula(seed, n_classes, max_iter):
    rng = np.random.RandomState(seed)
    X, codes = rng.normal(size=(16, 2)), rng.permutation(np.arange(16) % n_classes)
    mode = ModeFilter(n_neighbors=4, max_iter=max_iter).fit(X, codes)
    suspicion, labels = naive_mode(X, codes, 4, max_iter)
    np.testing.assert_allclose(mode.suspicion_, suspicion, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(mode.suggested_, labels)


def test_planted_errors_on_a_line_are_flagged_and_corrected():
    mode = ModeFilter(n_neighbors=3).fit(TINY_X, TINY_Y)
    assert np.flatnonzero(mode.flagged_).tolist() == PLANTED
    assert mode.suggested_.tolist() == [0] * 5 + [1] * 5


def test_similarity_falls_with_distance_in_units_of_the_median():
    found = compute_similarity(np.array([0.0, 0.0, 1.0, 2.0, 4.0]))
    np.testing.assert_allclose(found, np.exp([0, 0, -1 / 8, -1 / 2, -2]), rtol=1e-12, atol=0)
    assert compute_similarity(np.zeros(3)).tolist() == [1, 1, 1]


def test_the_row_s_own_label_settles_a_close_vote():
    # Three rows in one place: the two others are of two minds, or agree against the first.
    X = np.r_[0, 0, 0, 50 + np.arange(12.0)][:, None]
    for others, flagged in [([0, 1], False), ([1, 1], True)]:
        y = np.r_[0, others, np.repeat([0, 1], 6)]
        mode = ModeFilter(n_neighbors=2, max_iter=1).fit(X, y)
        assert mode.flagged_[0] == flagged


def test_it_ends_when_no_label_changes():
    X, y = np.r_[np.arange(10.0), 100 + np.arange(10.0)][:, None], np.repeat([0, 1], 10)
    assert ModeFilter(n_neighbors=3, max_iter=50).fit(X, y).n_iter_ == 1
    y[4] = 1
    assert ModeFilter(n_neighbors=3, max_iter=50).fit(X, y).n_iter_ == 2
    with pytest.raises(ValueError, match="max_iter=0 must be a whole number at least 1"):
        ModeFilter(max_iter=0).fit(X, y)


def test_it_flags_better_than_the_other_neighbour_filters_do():
    found = {ModeFilter: [], EditedNeighborsFilter: [], CutEdgeFilter: []}
    for load in (load_iris, load_wine, load_breast_cancer, load_digits):
        X, y = (part[:500] for part in load(return_X_y=True))
        for seed in range(3):
            labels, flipped = flip_labels(y, 0.3, random_state=seed)
            for kind, scores in found.items():
                filter_ = kind(n_neighbors=10).fit(scale(X), labels)
                ap = average_precision_score(flipped, filter_.suspicion_)
                scores.append((f1_score(flipped, filter_.flagged_), ap))
    means = {kind: np.mean(scores, axis=0) for kind, scores in found.items()}
    assert means[ModeFilter][0] > max(m[0] for kind, m in means.items() if kind is not ModeFilter)
    assert means[ModeFilter][1] > 0.93


@pytest.mark.parametrize("graph", ["gabriel", "rng"])
def test_worked_example_on_a_path(graph):
    # Edges cut: 0 1 2 1 1 1 0 1 2 1, of two for each row and one at either end.
    cut = CutEdgeFilter(graph=graph).fit(TINY_X, TINY_Y)
    expected = [0.25, 0.5, 0.875, 0.5, 0.5, 0.5, 0.125, 0.5, 0.875, 0.75]
    np.testing.assert_allclose(cut.suspicion_, expected, rtol=0, atol=1e-12)
    assert np.flatnonzero(cut.flagged_).tolist() == [2, 8, 9]
    assert cut.n_edges_.tolist() == [1, 2, 2, 2, 2, 2, 2, 2, 2, 1]


def test_worked_example_with_three_neighbours():
    cut = CutEdgeFilter(n_neighbors=3).fit(TINY_X, TINY_Y)
    assert cut.n_edges_.tolist() == [3, 4, 4, 4, 3, 3, 4, 4, 4, 3]
    expected = np.where(cut.n_edges_ == 3, 0.3125, 0.1875)
    expected[PLANTED] = 0.96875
    np.testing.assert_allclose(cut.suspicion_, expected, rtol=0, atol=1e-12)
    assert np.flatnonzero(cut.flagged_).tolist() == PLANTED
    assert cut.suggested_.tolist() == [0] * 5 + [1] * 5


def test_a_rare_label_is_credible_where_it_is_commoner_than_elsewhere():
    # Four of ten neighbours carry the rare label: less than half, but far more than the 5 % of all.
    X = np.r_[np.zeros(11), 50 + np.arange(209.0)][:, None]
    y = np.r_[np.ones(5, dtype=int), np.zeros(215, dtype=int)]
    cut = CutEdgeFilter().fit(X, y)
    assert (cut.suspicion_[:5] < 0.1).all()
    assert not cut.flagged_[:5].any()


def test_rules_of_the_paper():
    X, y = make_blobs(200, centers=2, cluster_std=3, random_state=0)
    labels, _ = flip_labels(y, 0.1, random_state=0)
    bad, doubtful = (CutEdgeFilter(flag=flag).fit(X, labels) for flag in ("bad", "doubtful"))
    np.testing.assert_array_equal(bad.flagged_, bad.category_ == "bad")
    np.testing.assert_array_equal(doubtful.flagged_, doubtful.category_ != "good")
    assert set(bad.category_) == {"good", "doubtful", "bad"}
    assert bad.flagged_.sum() < doubtful.flagged_.sum()
    stricter = CutEdgeFilter(flag="bad", alpha=0.001).fit(X, labels)
    assert stricter.flagged_.sum() < bad.flagged_.sum()
    np.testing.assert_array_equal(stricter.suspicion_, bad.suspicion_)


def test_a_row_alone_is_not_judged():
    X, y = np.r_[np.zeros(10), np.ones(10), 50.0][:, None], np.r_[np.zeros(10), np.ones(10), 0]
    for flag in ("balance", "bad", "doubtful"):
        cut = CutEdgeFilter(graph="mutual_knn", n_neighbors=3, flag=flag).fit(X, y)
        assert cut.n_edges_[-1] == 0
        assert cut.suspicion_[-1] == 0.5
        assert not cut.flagged_[-1]


def test_with_many_classes_the_paper_s_rule_finds_nothing_and_the_balance_does():
    X, y = load_digits(return_X_y=True)
    labels, flipped = flip_labels(y[:500], 0.1, random_state=0)
    paper, ours = (CutEdgeFilter(flag=flag).fit(X[:500], labels) for flag in ("bad", "balance"))
    assert not paper.flagged_.any()
    assert ours.flagged_[flipped].mean() > 0.8


def test_rows_whose_neighbours_are_all_suspect_keep_their_label():
    with pytest.warns(ClassRetentionWarning, match="fewer than 2 rows"):
        cut = CutEdgeFilter(threshold=-1, n_neighbors=3).fit(TINY_X, TINY_Y)
    assert cut.flagged_.all()
    np.testing.assert_array_equal(cut.suggested_, TINY_Y)


def test_weights_favour_the_near():
    # The nearest three rows agree with the label of the first, the next three do not.
    X = np.r_[0, 1, 1.1, 1.2, 9, 9.1, 9.2, 100 + np.arange(20.0)][:, None]
    y = np.r_[0, 0, 0, 0, 1, 1, 1, np.ones(10), np.zeros(10)]
    uniform, distance, rank = (
        CutEdgeFilter(n_neighbors=6, weights=weights).fit(X, y).suspicion_[0]
        for weights in ("uniform", "distance", "rank")
    )
    assert distance < uniform - 0.1
    assert rank < uniform - 0.1


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"graph": "delaunay"}, "graph='delaunay' is not known; choose from knn, mutual_knn"),
        ({"weights": "heavy"}, "weights='heavy' is not known; choose from uniform, distance, rank"),
        ({"flag": "good"}, "flag='good' is not known; choose from balance, bad, doubtful"),
        ({"alpha": 0.7}, "alpha=0.7 must be a number between 0 and 0.5"),
    ],
)
def test_bad_parameters_get_a_sentence(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        CutEdgeFilter(**parameters).fit(TINY_X, TINY_Y)


def test_too_many_rows_for_a_cubic_graph_get_a_sentence():
    X, y = np.zeros((2001, 1)), np.arange(2001) % 2
    with pytest.raises(ValueError, match="for 2000 at most, not 2001; use graph="):
        CutEdgeFilter(graph="rng").fit(X, y)


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
    found = sum_edges(edges, weight, codes)
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
        sums = sum_edges(star, np.ones(2), np.array(codes))
        less, same = compute_uniform_tails(*sums, np.full(3, 0.25))
        np.testing.assert_allclose(less[0], sum(p[j] for j in range(cut)), rtol=0, atol=1e-12)
        np.testing.assert_allclose(same[0], p[cut], rtol=0, atol=1e-12)


def test_weighted_tails_are_normal_with_mean_and_variance_of_the_cut_weight():
    star = Edges(np.array([0, 0]), np.array([1, 2]), np.ones(2))
    sums = sum_edges(star, np.array([1.0, 2.0]), np.array([0, 0, 1]))
    tails = compute_weighted_tails(*sums, np.full(3, 0.3))
    expected = norm.cdf(2, loc=0.3 * 3, scale=np.sqrt(0.3 * 0.7 * 5))
    np.testing.assert_allclose(rank_among_chance(*tails)[0], expected, rtol=0, atol=1e-12)


def test_a_row_without_edges_is_doubtful_and_half_suspicious():
    none = Edges(np.array([], dtype=int), np.array([], dtype=int), np.array([]))
    sums = sum_edges(none, np.array([]), np.array([0, 1]))
    for compute_tails in (compute_uniform_tails, compute_weighted_tails):
        tails = compute_tails(*sums, np.full(2, 0.5))
        assert rank_among_chance(*tails).tolist() == [0.5, 0.5]
        assert categorise_by_chance(*tails, 0.5).tolist() == ["doubtful", "doubtful"]


def test_as_many_cut_as_not_is_a_tie_in_spite_of_rounding():
    for k in range(2, 60, 2):
        star = Edges(np.zeros(k, dtype=int), np.arange(1, k + 1), np.ones(k))
        sums = sum_edges(star, np.ones(k), np.r_[0, np.arange(k) % 2])
        tails = compute_uniform_tails(*sums, np.full(k + 1, 0.5))
        assert rank_among_chance(*tails)[0] == 0.5


def test_categories_are_the_two_tails_at_the_level():
    star = Edges(np.repeat([0, 1], 4), np.r_[2:6, 6:10], np.ones(8))
    codes = np.r_[0, 0, np.zeros(4, dtype=int), np.ones(4, dtype=int)]
    tails = compute_uniform_tails(*sum_edges(star, np.ones(8), codes), np.full(10, 0.5))
    assert categorise_by_chance(*tails, 0.07)[:2].tolist() == ["good", "bad"]  # 1/16 either way
    assert categorise_by_chance(*tails, 0.06)[:2].tolist() == ["doubtful", "doubtful"]


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
