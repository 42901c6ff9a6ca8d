import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import digamma

from errata._kernels import kernels
from errata.exceptions import SuspicionWarning
from errata.feature_selection import _estimates
from errata.feature_selection._distances import (
    ClassRows,
    Segments,
    find_nearest_on_line,
    prepare_columns,
)
from errata.feature_selection._estimates import JointNeighbors, count_tree_neighbors, count_within
from errata.feature_selection.label_noise import ClassDensities, SoftClasses, log_ball
from strategies import seeds


def test_columns_of_one_scale_and_a_little_noise():
    X = np.random.RandomState(0).normal(5, 3, size=(500, 2)).round()
    ready = prepare_columns(X, standardize=True, jitter=1e-3, random_state=0)
    still = prepare_columns(X, standardize=True, jitter=0, random_state=0)
    np.testing.assert_allclose(still.mean(axis=0), 0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(still.std(axis=0), 1, rtol=1e-12)
    np.testing.assert_allclose((ready - still).std(), 1e-3, rtol=0.1)
    np.testing.assert_array_equal(
        prepare_columns(X, standardize=False, jitter=0, random_state=0), X
    )


def test_rows_stand_by_class_and_know_where_they_stood():
    X, codes = np.arange(7.0)[:, None], np.array([2, 0, 2, 1, 0, 2, 3])
    with pytest.warns(SuspicionWarning) as told:
        rows = ClassRows(X, codes, 2)
    assert "2 rows alone in a class" in str(told[0].message)
    assert "other rows in 1 class;" in str(told[1].message)
    np.testing.assert_array_equal(rows.columns, [[1, 4, 0, 2, 5]])
    np.testing.assert_array_equal(rows.order, [1, 4, 0, 2, 5])
    np.testing.assert_array_equal(rows.codes, [0, 0, 1, 1, 1])
    np.testing.assert_array_equal(rows.present, [0, 2])
    np.testing.assert_array_equal(rows.sizes, [2, 3])
    np.testing.assert_array_equal(rows.own_neighbors, [1, 2])
    np.testing.assert_array_equal(rows.other_neighbors, [2, 2])


@given(seeds, st.integers(1, 6), st.sampled_from([0, 1, 9]))
def test_nearest_on_a_line_are_those_of_a_search_through_all(seed, k, digits):
    rng = np.random.RandomState(seed)
    codes = np.concatenate([np.repeat(np.arange(3), 2), rng.randint(3, size=rng.randint(3, 30))])
    x = rng.normal(size=len(codes)).round(digits)
    rows = sort_silently(x[:, None], codes, k)
    one = np.ones((1, 1), dtype=int)
    everywhere = Segments(np.zeros(rows.n, int), 0 * one, rows.n * one, rows.n_neighbors * one)
    for segments in (rows.split_all_and_own(), rows.split_by_class(), everywhere):
        squares = (rows.columns[0][:, None] - rows.columns[0]) ** 2
        np.fill_diagonal(squares, np.inf)
        expected = [
            [
                np.sort(squares[i, segments.starts[y, g] : segments.stops[y, g]])[count - 1]
                for g, count in enumerate(segments.counts[y])
            ]
            for i, y in enumerate(segments.kinds)
        ]
        found = find_nearest_on_line(rows.columns[0], segments)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=0)


def sort_silently(X, codes, k):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ClassRows(X, codes, k)


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
    monkeypatch.setattr(_estimates, "TREE_COLUMNS", -1)
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
    monkeypatch.setattr(_estimates, "CHUNK", 7 * 120)
    cut = JointNeighbors(*rows(), 3, n_jobs)
    assert len(list(cut._blocks())) > 10
    np.testing.assert_array_equal(cut.without_each([0, 1, 2, 3]), whole)


def soft_rows(n=60, d=3, k=3, seed=0):
    random = np.random.RandomState(seed)
    return random.normal(size=(n, d)), random.dirichlet(np.full(k, 0.3), size=n)


def test_volume_of_balls():
    volumes = np.exp([log_ball(d) for d in (1, 2, 3)])
    np.testing.assert_allclose(volumes, [2, np.pi, 4 / 3 * np.pi], rtol=1e-12)


def test_hard_labels_give_the_density_of_the_kth_neighbour_in_the_class():
    random = np.random.RandomState(0)
    X, codes, k = random.normal(size=(30, 2)), np.arange(30) % 3, 4
    found = ClassDensities(X, k)(np.eye(3)[codes])
    for i, s in np.ndindex(30, 3):
        members = np.flatnonzero((codes == s) & (np.arange(30) != i))
        radius = np.sort(np.linalg.norm(X[members] - X[i], axis=1))[k - 1]
        expected = digamma(k) - digamma(len(members) + 1) - np.log(np.pi * radius**2)
        assert found[i, s] == pytest.approx(expected, rel=1e-12)


def test_a_class_with_less_than_one_other_member_has_no_density():
    X, _ = soft_rows(4, 1)
    memberships = np.array([[0.6, 0.4], [0.1, 0.9], [0.2, 0.8], [0.3, 0.7]])
    found = ClassDensities(X, 2)(memberships)
    # 1.2 in all: without the row itself that is 0.6, 1.1, 1 and 0.9.
    np.testing.assert_array_equal(np.isneginf(found[:, 0]), [True, False, False, True])
    assert np.isfinite(found[:, 1]).all()


@pytest.mark.parametrize("self_count", [False, True])
def test_threads_make_no_difference(self_count):
    X, memberships = soft_rows()
    how = {"n_neighbors": 3, "self_count": self_count}
    whole = ClassDensities(X, **how)(memberships)
    np.testing.assert_array_equal(ClassDensities(X, **how, n_jobs=2)(memberships), whole)


@pytest.mark.parametrize("self_count", [False, True])
@pytest.mark.parametrize("listed", [60, 600, 1200])
def test_rows_whose_lists_are_too_short_are_searched_anew(monkeypatch, self_count, listed):
    X, memberships = soft_rows()
    how = {"n_neighbors": 3, "self_count": self_count}
    whole = ClassDensities(X, **how)(memberships)
    monkeypatch.setattr("errata.feature_selection.label_noise.LISTED", listed)
    np.testing.assert_allclose(ClassDensities(X, **how)(memberships), whole, rtol=1e-12)


def test_neighbours_are_put_in_order_once_for_all_memberships(monkeypatch):
    X, memberships = soft_rows()
    lists = kernels("weighted_neighbors").list_neighbors
    sorted_ = []
    monkeypatch.setattr(
        kernels("weighted_neighbors"),
        "list_neighbors",
        lambda *args: sorted_.append(1) or lists(*args),
    )
    densities = ClassDensities(X, 3)
    first, second = densities(memberships), densities(memberships[:, ::-1].copy())
    np.testing.assert_allclose(second, first[:, ::-1], rtol=1e-12)
    assert sorted_ == [1]


def test_copies_of_a_row_are_refused():
    X = np.array([[0.0], [0.0], [0.0], [1.0], [2.0], [4.0]])
    codes = np.array([0, 0, 0, 1, 1, 1])
    with pytest.raises(ValueError, match=r"^3 or more rows have as many equals as neighbours"):
        ClassDensities(X, 2)(np.eye(2)[codes])


def test_a_neighbourhood_is_to_hold_k_others_or_as_many_as_there_are():
    memberships = np.array([[1, 0], [0.5, 0.5], [1, 0], [1e-7, 1 - 1e-7]])
    classes = SoftClasses(memberships, 2, slack=0.5)
    assert classes.weights[3, 0] == 0  # too little to count
    expected = np.array([[1.5, 1.5], [2, 1], [1.5, 1.5], [2, 0.5]]) - 0.5
    np.testing.assert_allclose(classes.targets, expected, rtol=0, atol=1e-6)
    np.testing.assert_allclose(classes.log_size[0], digamma([2.5, 2.5]), rtol=1e-6)
    assert classes.log_size[3, 1] == np.inf  # half a member besides the row itself
