import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist

from errata._neighbors import measure_pairs

X = np.random.RandomState(0).randint(5, size=(12, 3)).astype(float)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("container", [np.asarray, csr_array])
def test_all_distances_are_what_scipy_has(metric, container):
    found = measure_pairs(container(X[:5]), container(X), metric)
    expected = cdist(X[:5], X, {"manhattan": "cityblock"}.get(metric, metric))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-7)


def test_rows_that_differ_by_little_far_from_zero_are_told_apart():
    A = 1e8 + np.array([[0.0, 0.0], [1e-6, 0.0]])
    assert measure_pairs(A, A, "euclidean")[0, 1] > 0
