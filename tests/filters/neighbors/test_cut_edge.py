import numpy as np
import pytest
from sklearn.datasets import load_digits, make_blobs

from errata.exceptions import ClassRetentionWarning
from errata.filters import CutEdgeFilter
from errata.noise import flip_labels
from filters.neighbor_cases import PLANTED, TINY_X, TINY_Y


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
