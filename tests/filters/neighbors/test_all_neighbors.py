import numpy as np
import pytest
from sklearn.datasets import make_blobs

from errata.filters import AllNeighborsFilter, EditedNeighborsFilter
from filters.neighbor_cases import TINY_X, TINY_Y


def test_worked_example_on_a_line():
    # Flagged are the errors at 2 and 8, and the rows they are nearest to.
    editor = AllNeighborsFilter(n_neighbors=3).fit(TINY_X, TINY_Y)
    expected = [1 / 2, 1 / 2, 1, 1, 1 / 2, 1 / 3, 1 / 3, 1, 1, 1]
    np.testing.assert_allclose(editor.suspicion_, expected, rtol=0, atol=1e-15)
    assert np.flatnonzero(editor.flagged_).tolist() == [2, 3, 7, 8, 9]


@pytest.mark.filterwarnings("ignore::errata.exceptions.ClassRetentionWarning")
@pytest.mark.parametrize("k", [1, 2, 3, 6])
def test_it_flags_what_any_number_of_neighbours_flags(k):
    X, y = make_blobs(90, centers=4, cluster_std=4, random_state=0)
    sizes = [EditedNeighborsFilter(n_neighbors=j) for j in range(1, k + 1)]
    each = [size.fit(X, y) for size in sizes]
    ours = AllNeighborsFilter(n_neighbors=k).fit(X, y)
    np.testing.assert_array_equal(ours.suspicion_, np.max([e.suspicion_ for e in each], axis=0))
    np.testing.assert_array_equal(ours.flagged_, np.any([e.flagged_ for e in each], axis=0))
