import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.metrics import average_precision_score, f1_score
from sklearn.preprocessing import scale

from errata.filters import CutEdgeFilter, EditedNeighborsFilter, ModeFilter
from errata.filters.neighbors._graph_filters import compute_similarity, find_knn_edges
from errata.noise import flip_labels
from filters.neighbor_cases import PLANTED, TINY_X, TINY_Y
from strategies import seeds


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
