import numpy as np
import pytest
from sklearn.datasets import make_blobs

from errata.hardness import ClusterDisagreement, NeighborDisagreement
from errata.noise import flip_labels


def test_shares_are_those_counted_row_by_row():
    random = np.random.RandomState(0)
    groups, y = np.repeat(np.arange(6), 10), random.randint(3, size=60)
    X = 100.0 * groups[:, None] + random.normal(size=(60, 2))
    # Twice as many clusters as classes: the six groups.
    found = ClusterDisagreement(n_clusterings=1, random_state=0).fit(X, y)
    for i in range(60):
        together = y[groups == groups[i]]
        assert found.suspicion_[i] == pytest.approx(np.mean(together != y[i]), abs=1e-15)


def test_one_clustering_of_separate_groups_counts_their_labels():
    X = np.r_[np.zeros(5), np.full(5, 10.0), np.full(5, 20.0), np.full(5, 30.0)][:, None]
    X = X + 0.01 * np.arange(20)[:, None]
    y = np.repeat(["a", "a", "b", "b"], 5)
    y[3] = "b"
    model = ClusterDisagreement(n_clusterings=1, random_state=3).fit(X, y)
    # Twice as many clusters as classes: the four groups. One of five in the first is wrong.
    assert model.suspicion_[3] == pytest.approx(0.8)
    np.testing.assert_allclose(np.delete(model.suspicion_[:5], 3), 0.2, rtol=1e-12)
    np.testing.assert_allclose(model.suspicion_[5:], 0, atol=1e-12)
    assert model.flagged_.nonzero()[0].tolist() == [3]
    assert model.suggested_[3] == "a"


def test_it_outvotes_errors_that_few_neighbours_do_not():
    gains = []
    for seed in range(5):
        X, y = make_blobs(200, centers=3, cluster_std=1.5, random_state=seed)
        labels, wrong = flip_labels(y, 0.35, random_state=seed)
        found = [
            wrong[np.argsort(-detector.fit(X, labels).suspicion_)[: wrong.sum()]].mean()
            for detector in (ClusterDisagreement(random_state=seed), NeighborDisagreement())
        ]
        gains.append(found[0] - found[1])
    assert np.mean(gains) > 0.02


def test_few_rows_have_few_clusters():
    model = ClusterDisagreement(random_state=0).fit([[0.0], [1.0], [5.0]], [0, 1, 1])
    np.testing.assert_allclose(model.suspicion_, [2 / 3, 1 / 3, 1 / 3], rtol=1e-12)
    with pytest.raises(ValueError, match="n_clusterings"):
        ClusterDisagreement(n_clusterings=0).fit([[0.0], [1.0]], [0, 1])
