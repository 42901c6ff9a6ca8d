import numpy as np
import pytest
from sklearn.datasets import make_blobs

from errata.exceptions import ClassRetentionWarning
from errata.filters import EditedNeighborsFilter
from filters.neighbor_cases import PLANTED, TINY_X, TINY_Y


def test_planted_errors_on_a_line_are_flagged_and_corrected():
    editor = EditedNeighborsFilter(n_neighbors=3).fit(TINY_X, TINY_Y)
    expected = np.full(10, 1 / 3)
    expected[PLANTED] = 1
    np.testing.assert_allclose(editor.suspicion_, expected, rtol=0, atol=1e-15)
    assert np.flatnonzero(editor.flagged_).tolist() == PLANTED
    assert editor.suggested_[PLANTED].tolist() == [0, 1]
    assert editor.sample_indices_.tolist() == [0, 1, 3, 4, 5, 6, 7, 9]


def test_a_tie_keeps_the_label():
    # The neighbours of the row at 0 carry three labels, one of them its own.
    X, y = [[0.0], [1.0], [-1.1], [1.2]], [0, 0, 1, 2]
    with pytest.warns(ClassRetentionWarning, match="fewer than 2 rows"):
        editor = EditedNeighborsFilter(n_neighbors=3).fit(X, y)
    assert editor.suspicion_[0] == 0.5
    assert not editor.flagged_[0]


@pytest.mark.parametrize("k", [1, 3, 5])
def test_imbalanced_learn_agrees_once_it_is_told_wilson_s_rule(k):
    imblearn = pytest.importorskip(
        "imblearn.under_sampling", reason="imbalanced-learn is not installed"
    )
    peer = imblearn.EditedNearestNeighbours(sampling_strategy="all", kind_sel="mode", n_neighbors=k)
    blobs = make_blobs(200, centers=2, cluster_std=4, random_state=0)
    for X, y in [(TINY_X, TINY_Y), blobs]:
        peer.fit_resample(X, y)
        ours = EditedNeighborsFilter(n_neighbors=k).fit(X, y)
        np.testing.assert_array_equal(ours.sample_indices_, np.sort(peer.sample_indices_))
