import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csr_matrix
from sklearn.utils import get_tags

from errata.exceptions import SuspicionWarning
from errata.hardness import NeighborDisagreement, k_disagreeing_neighbors, nearest
from filters.neighbor_cases import TINY_X, TINY_Y
from hardness.naive_hardness import naive_nearest
from strategies import seeds


def test_worked_example():
    # By hand: the two neighbours of each row on the line.
    found = k_disagreeing_neighbors([[0], [1], [2], [10], [11], [12]], [0, 0, 1, 1, 1, 0], k=2)
    assert found.tolist() == [0.5, 0.5, 1, 0.5, 0.5, 1]


@pytest.mark.parametrize(("k", "others", "planted"), [(3, 1 / 3, 1), (5, 0.4, 0.8)])
def test_planted_errors_on_a_line_are_flagged_and_corrected(k, others, planted):
    detector = NeighborDisagreement(n_neighbors=k).fit(TINY_X, TINY_Y)
    expected = np.full(10, others)
    expected[[2, 8]] = planted
    np.testing.assert_allclose(detector.suspicion_, expected, rtol=0, atol=1e-15)
    assert np.flatnonzero(detector.flagged_).tolist() == [2, 8]
    assert detector.suggested_[[2, 8]].tolist() == [0, 1]


@given(seeds, st.integers(6, 40), st.integers(1, 5))
def test_hardness_follows_the_rows_and_ignores_names(seed, n, k):
    rng = np.random.RandomState(seed)
    X, codes, order = rng.normal(size=(n, 2)), rng.randint(3, size=n), rng.permutation(n)
    names = np.array(["pear", "apple", "fig"])[codes]
    np.testing.assert_array_equal(
        k_disagreeing_neighbors(X[order], names[order], k),
        k_disagreeing_neighbors(X, codes, k)[order],
    )


@given(hnp.arrays(float, st.tuples(st.integers(4, 25), st.just(2)), elements=st.integers(0, 9)))
def test_hardness_is_a_number_of_kths(X):
    y = np.arange(len(X)) % 2
    hardness = k_disagreeing_neighbors(X, y, k=3)
    np.testing.assert_allclose(hardness * 3, np.rint(hardness * 3), rtol=0, atol=1e-12)
    assert np.all((hardness >= 0) & (hardness <= 1))


@pytest.mark.parametrize(("other", "expected"), [("same", 0), ("different", 1)])
def test_a_row_is_never_its_own_neighbour(other, expected):
    X = np.repeat(np.random.RandomState(0).normal(size=(20, 3)), 2, axis=0)
    y = np.repeat(np.arange(20) % 2, 2)
    if other == "different":
        y[1::2] = 1 - y[1::2]
    assert np.all(k_disagreeing_neighbors(X, y, k=1) == expected)


def test_many_duplicates_do_not_crowd_out_the_row_itself():
    X, y = np.zeros((50, 2)), np.arange(50) % 2
    np.testing.assert_array_equal(nearest(X, 4), naive_nearest(X, 4))
    assert k_disagreeing_neighbors(X, y, k=4).shape == (50,)


def test_few_distinct_rows_cost_neither_memory_nor_time():
    rng = np.random.RandomState(0)
    X, y = rng.randint(2, size=(20_000, 3)).astype(float), rng.randint(2, size=20_000)
    tracemalloc.start()
    hardness = k_disagreeing_neighbors(X, y, k=5)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 200e6  # all distances between the rows would take 3.2 GB
    first = np.flatnonzero((X[19_999] == X).all(axis=1))[:5]  # its first five twins
    assert hardness[19_999] == np.mean(y[first] != y[19_999])


def test_one_class_gets_a_sentence():
    with pytest.raises(ValueError, match="one class only"):
        NeighborDisagreement().fit(TINY_X, np.zeros(10))


def test_more_neighbours_than_rows_are_cut_with_a_warning():
    with pytest.warns(SuspicionWarning, match=r"more neighbours than there are other rows \(3\)"):
        found = k_disagreeing_neighbors(np.arange(4.0)[:, None], [0, 0, 0, 1], k=9)
    np.testing.assert_allclose(found, [1 / 3, 1 / 3, 1 / 3, 1])


def test_one_row_has_nobody_to_disagree_with():
    assert k_disagreeing_neighbors([[1.0]], ["a"]).tolist() == [0]


def test_sparse_matrices_give_the_same_answer():
    dense = NeighborDisagreement(n_neighbors=3).fit(TINY_X, TINY_Y)
    sparse = NeighborDisagreement(n_neighbors=3).fit(csr_matrix(TINY_X), TINY_Y)
    np.testing.assert_array_equal(sparse.suspicion_, dense.suspicion_)


def test_a_share_flags_exactly_that_many():
    detector = NeighborDisagreement(n_neighbors=3, contamination=0.3).fit(TINY_X, TINY_Y)
    assert detector.flagged_.sum() == 3
    assert detector.flagged_[[2, 8]].all()


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_neighbors": 0}, "n_neighbors=0 must be a whole number at least 1"),
        ({"n_neighbors": 2.5}, "n_neighbors=2.5 must be a whole number"),
        ({"threshold": 0.5, "contamination": 0.1}, "pass at most one of them"),
        ({"contamination": "estimate"}, "needs suspicions that are probabilities"),
        ({"contamination": 2.0}, r"contamination=2.0 must be a number between 0 and 1"),
    ],
)
def test_bad_parameters_get_a_sentence(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        NeighborDisagreement(**parameters).fit(TINY_X, TINY_Y)


def test_a_label_nobody_shares_is_corrected_among_many_neighbours():
    # With 60 neighbours the weights of the last ones vanish beside 1, but not their votes.
    X, y = np.arange(61.0)[:, None], np.r_[0, np.tile([1, 2], 30)]
    assert NeighborDisagreement(n_neighbors=60).fit(X, y).suggested_[0] == 1


def naive_disagreement_with_gaps(X, y, k):
    """kDN by distances over shared features, written out row by row."""
    found = np.zeros(len(X))
    for i in range(len(X)):
        far = []
        for j in range(len(X)):
            shared = ~np.isnan(X[i]) & ~np.isnan(X[j])
            square = np.inf
            if shared.any():
                square = ((X[i] - X[j])[shared] ** 2).sum() * X.shape[1] / shared.sum()
            far.append((j == i, square, j))
        found[i] = np.mean([y[j] != y[i] for _, _, j in sorted(far)[:k]])
    return found


@given(seeds, st.integers(1, 4))
def test_rows_with_missing_values_are_compared_by_what_they_share(seed, k):
    random = np.random.RandomState(seed)
    X, y = random.normal(size=(20, 4)), random.randint(2, size=20)
    X[random.rand(20, 4) < 0.5] = np.nan
    X[np.isnan(X).all(axis=1), 0] = 1.0
    y[:2] = 0, 1
    found = NeighborDisagreement(n_neighbors=k, metric="nan_euclidean").fit(X, y).suspicion_
    np.testing.assert_allclose(found, naive_disagreement_with_gaps(X, y, k), rtol=0, atol=1e-12)


def test_a_row_without_any_value_gets_a_sentence():
    X = [[0.0, 1.0], [np.nan, np.nan], [1.0, np.nan]]
    detector = NeighborDisagreement(n_neighbors=1, metric="nan_euclidean")
    with pytest.raises(ValueError, match="row 1 of X has no value at all"):
        detector.fit(X, [0, 1, 1])


def test_tags_say_that_only_one_metric_knows_missing_values():
    assert get_tags(NeighborDisagreement(metric="nan_euclidean")).input_tags.allow_nan
    assert not get_tags(NeighborDisagreement(metric="cityblock")).input_tags.allow_nan
    with pytest.raises(ValueError, match=r"contains NaN, but NeighborDisagreement does not accept"):
        NeighborDisagreement().fit([[0.0], [np.nan], [1.0]], [0, 1, 1])
