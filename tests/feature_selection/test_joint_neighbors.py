import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata.feature_selection import _kraskov
from errata.feature_selection._kraskov import JointNeighbors, count_tree_neighbors, count_within


def rows(n=120, p=5, digits=12, seed=0):
    random = np.random.RandomState(seed)
    columns = np.round(random.normal(size=(p, n)), digits)
    return columns, np.round(columns[0] * columns[1] + random.normal(size=n) / 3, digits)


@given(st.integers(0, 10_000), st.sampled_from([0, 1, 12]))
@settings(deadline=None, max_examples=60)
def test_count_within_counts_strictly(seed, digits):
    random = np.random.RandomState(seed)
    values = np.round(random.normal(size=random.randint(1, 60)), digits)
    radii = np.abs(values - random.choice(values, len(values)))  # exactly as far as some value
    gaps = np.abs(values[:, None] - values)
    np.fill_diagonal(gaps, np.inf)
    np.testing.assert_array_equal(count_within(values, radii), (gaps < radii[:, None]).sum(axis=1))


@pytest.mark.parametrize("digits", [1, 12])
@pytest.mark.parametrize("chosen", [[0], [1, 0], [4, 2, 1]])
def test_a_tree_finds_what_blocks_find(monkeypatch, chosen, digits):
    columns, target = rows(digits=digits)
    by_tree = count_tree_neighbors(columns[chosen], target, 4)
    monkeypatch.setattr(_kraskov, "TREE_COLUMNS", -1)
    by_blocks = JointNeighbors(columns, target, 4).with_each(chosen[:-1], chosen[-1:])
    np.testing.assert_array_equal(by_tree, np.squeeze(by_blocks, axis=1))


@pytest.mark.parametrize("subset", [[0, 1], [3, 0, 1], [4, 3, 2, 1, 0]])
def test_a_set_has_the_same_neighbors_however_it_was_come_by(subset):
    neighbors = JointNeighbors(*rows(), 3)
    without = neighbors.without_each(subset)
    for place in range(len(subset)):
        *rest, last = np.delete(subset, place)
        with_last = neighbors.with_each(rest, [last])
        np.testing.assert_array_equal(np.squeeze(with_last, 1), [part[place] for part in without])


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_blocks_of_any_size_give_the_same(monkeypatch, n_jobs):
    whole = JointNeighbors(*rows(), 3).without_each([0, 1, 2, 3])
    monkeypatch.setattr(_kraskov, "CHUNK", 7 * 120)
    cut = JointNeighbors(*rows(), 3, n_jobs)
    assert len(list(cut._blocks())) > 10
    np.testing.assert_array_equal(cut.without_each([0, 1, 2, 3]), whole)
