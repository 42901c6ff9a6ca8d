import numpy as np
import pytest
from sklearn.datasets import make_blobs

from errata._neighbors import _approximate, _search
from errata._neighbors._approximate import CellIndex, find_approximate
from errata._neighbors._exact import BruteSearch, find_nearest
from errata.hardness import NeighborDisagreement, nearest
from hardness.naive_hardness import naive_nearest

faiss = pytest.importorskip("faiss", reason="faiss is not installed")

N, D, K = 25_000, 12, 5


@pytest.fixture(scope="module")
def gaussian():
    return np.random.RandomState(0).normal(size=(N, D))


@pytest.fixture(scope="module")
def clustered():
    return make_blobs(N, D, centers=40, random_state=0)[0]


def approximately(X):
    """What is found, and how many rows the exact search was asked about."""
    exact, n_exact = BruteSearch(X), 0

    def counting(points, asked):
        nonlocal n_exact
        n_exact += len(points)
        return exact(points, asked)

    return find_approximate(X, K, counting, faiss=faiss, seed=0, n_jobs=1), n_exact


def recall(X, found, n_rows=1_000):
    """Fraction of the neighbours found that are no farther than the k-th nearest, on some rows."""
    rows = np.random.RandomState(9).choice(len(X), n_rows, replace=False)
    truth = find_nearest(BruteSearch(X), X[rows], found.shape[1], X, own=rows)[1]
    reach = np.linalg.norm(X[rows] - X[truth[:, -1]], axis=1)[:, None]
    return np.mean(np.linalg.norm(X[rows][:, None] - X[found[rows]], axis=2) <= reach * (1 + 1e-9))


@pytest.mark.parametrize("table", ["gaussian", "clustered"])
def test_nearly_all_neighbours_are_found(table, request):
    X = request.getfixturevalue(table)
    found, n_exact = approximately(X)
    assert recall(X, found) >= 0.98
    assert n_exact < 0.1 * N
    assert not (found == np.arange(N)[:, None]).any()
    assert (np.diff(np.sort(found, axis=1), axis=1) > 0).all()  # nobody twice
    distances = np.linalg.norm(X[:, None] - X[found], axis=2)
    assert (np.diff(distances, axis=1) >= -1e-12).all()


def test_the_same_seed_finds_the_same_whatever_the_threads(clustered, monkeypatch):
    monkeypatch.setattr(_approximate, "CHUNK", 2**20)  # several batches
    monkeypatch.setattr(_search, "APPROXIMATE_FROM", 5_000)
    X = clustered[:6_000]
    one, two = (nearest(X, K, approximate=True, random_state=3, n_jobs=n_jobs) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize(("factor", "offset"), [(1e-25, 0), (1e30, 0), (1, 1e6)])
def test_units_and_offsets_cost_nothing(clustered, factor, offset):
    X = clustered[:6_000] * factor + offset
    found, n_exact = approximately(X)
    assert recall(X, found, 300) >= 0.98
    assert n_exact <= 600  # the sample, not all rows


def test_heavy_tails_are_left_to_the_exact_search(monkeypatch):
    monkeypatch.setattr(_search, "APPROXIMATE_FROM", 2_000)
    X = np.random.RandomState(0).standard_cauchy(size=(2_000, D)) ** 3
    assert approximately(X)[0] is None
    np.testing.assert_array_equal(nearest(X, K, approximate=True), naive_nearest(X, K))


def test_few_distinct_rows_have_their_twins_for_neighbours():
    X = np.random.RandomState(0).randint(2, size=(4_000, 1)) * np.ones(D)
    found, _ = approximately(X)
    assert (X[found] == X[:, None]).all()
    assert not (found == np.arange(4_000)[:, None]).any()


def test_rows_with_too_few_in_their_cells_ask_the_exact_search(gaussian, monkeypatch):
    X = gaussian[:4_000]
    index = CellIndex(faiss, X, seed=0)
    index.build(packed=False, n_probe=1)
    distances, _ = index.nearest(X, np.arange(4_000), 60)  # cells hold some 63 rows
    n_short = np.isinf(distances[:, -1]).sum()
    assert 0 < n_short < 4_000
    monkeypatch.setattr(_approximate, "_build_promising_index", lambda *_: index)
    found = find_approximate(X, 60, BruteSearch(X), faiss=faiss, seed=0, n_jobs=1)
    short = np.isinf(distances[:, -1])
    np.testing.assert_array_equal(found[short], naive_nearest(X, 60)[short])


def test_as_many_cells_are_searched_as_hold_the_neighbours_of_a_sample(clustered):
    X, rows = clustered[:4_000], np.arange(300)
    truth = find_nearest(BruteSearch(X), X[rows], K, X, own=rows)[1]
    index = CellIndex(faiss, X, seed=0)
    n_probe = index.cells_that_hold(rows, truth)
    # The plain way: sort all centres for each row, look each neighbour's cell up in the list.
    centres = index.centres.reconstruct_n(0, index.n_cells)
    to_centres = np.linalg.norm(index.vectors[:, None] - centres, axis=2)
    ranks = [
        list(np.argsort(to_centres[i])).index(to_centres[j].argmin())
        for i in rows
        for j in truth[i]
    ]
    assert np.mean(np.array(ranks) < n_probe) >= _approximate.CELL_RECALL
    assert np.mean(np.array(ranks) < n_probe - 1) < _approximate.CELL_RECALL


def test_a_detector_can_be_approximate(gaussian, monkeypatch):
    monkeypatch.setattr(_search, "APPROXIMATE_FROM", 5_000)
    X, y = gaussian[:6_000], np.arange(6_000) % 3
    exact, near = (
        NeighborDisagreement(n_neighbors=K, approximate=a, random_state=0).fit(X, y).suspicion_
        for a in (False, True)
    )
    assert 0 < np.mean(exact != near) < 0.1


@pytest.mark.parametrize(
    ("share", "expected"),
    [(0.01, [False]), (0.1, [True, False]), (0.3, [True]), (0.6, [])],
)
def test_what_is_tried_depends_on_how_many_cells_are_searched(share, expected):
    assert _approximate._choose_packings(share) == expected
