import numpy as np
import pytest
from scipy.special import digamma

from errata._kernels import kernels
from errata.feature_selection.label_noise import _densities as module
from errata.feature_selection.label_noise._densities import (
    ClassDensities,
    NeighborhoodRule,
    log_ball,
)


def soft_rows(n=60, d=3, k=3, seed=0):
    random = np.random.RandomState(seed)
    return random.normal(size=(n, d)), random.dirichlet(np.full(k, 0.3), size=n)


def test_volume_of_balls():
    volumes = np.exp([log_ball(d) for d in (1, 2, 3)])
    np.testing.assert_allclose(volumes, [2, np.pi, 4 / 3 * np.pi], rtol=1e-12)


def test_hard_labels_give_the_density_of_the_kth_neighbour_in_the_class():
    random = np.random.RandomState(0)
    X, codes, k = random.normal(size=(30, 2)), np.arange(30) % 3, 4
    found = ClassDensities(X, NeighborhoodRule(k))(np.eye(3)[codes])
    for i, s in np.ndindex(30, 3):
        members = np.flatnonzero((codes == s) & (np.arange(30) != i))
        radius = np.sort(np.linalg.norm(X[members] - X[i], axis=1))[k - 1]
        expected = digamma(k) - digamma(len(members) + 1) - np.log(np.pi * radius**2)
        assert found[i, s] == pytest.approx(expected, rel=1e-12)


def test_a_class_with_less_than_one_other_member_has_no_density():
    X, _ = soft_rows(4, 1)
    memberships = np.array([[0.6, 0.4], [0.1, 0.9], [0.2, 0.8], [0.3, 0.7]])
    found = ClassDensities(X, NeighborhoodRule(2))(memberships)
    # 1.2 in all: without the row itself that is 0.6, 1.1, 1 and 0.9.
    np.testing.assert_array_equal(np.isneginf(found[:, 0]), [True, False, False, True])
    assert np.isfinite(found[:, 1]).all()


@pytest.mark.parametrize("self_count", [False, True])
def test_threads_make_no_difference(self_count):
    X, memberships = soft_rows()
    rule = NeighborhoodRule(3, self_count=self_count)
    whole = ClassDensities(X, rule)(memberships)
    np.testing.assert_array_equal(ClassDensities(X, rule, n_jobs=2)(memberships), whole)


@pytest.mark.parametrize("self_count", [False, True])
@pytest.mark.parametrize("listed", [60, 600, 1200])
def test_rows_whose_lists_are_too_short_are_searched_anew(monkeypatch, self_count, listed):
    X, memberships = soft_rows()
    rule = NeighborhoodRule(3, self_count=self_count)
    whole = ClassDensities(X, rule)(memberships)
    monkeypatch.setattr(module, "LISTED", listed)
    np.testing.assert_allclose(ClassDensities(X, rule)(memberships), whole, rtol=1e-12)


def test_neighbours_are_put_in_order_once_for_all_memberships(monkeypatch):
    X, memberships = soft_rows()
    lists = kernels("weighted_neighbors").list_neighbors
    sorted_ = []
    monkeypatch.setattr(
        kernels("weighted_neighbors"),
        "list_neighbors",
        lambda *args: sorted_.append(1) or lists(*args),
    )
    densities = ClassDensities(X, NeighborhoodRule(3))
    first, second = densities(memberships), densities(memberships[:, ::-1].copy())
    np.testing.assert_allclose(second, first[:, ::-1], rtol=1e-12)
    assert sorted_ == [1]


def test_copies_of_a_row_are_refused():
    X = np.array([[0.0], [0.0], [0.0], [1.0], [2.0], [4.0]])
    codes = np.array([0, 0, 0, 1, 1, 1])
    with pytest.raises(ValueError, match=r"^3 or more rows have as many equals as neighbours"):
        ClassDensities(X, NeighborhoodRule(2))(np.eye(2)[codes])
