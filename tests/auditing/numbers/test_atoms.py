import numpy as np
import pytest

from errata.auditing.numbers import BroughtPredictions
from errata.auditing.numbers._task import GivenTargets, estimate_membership, find_atoms


def test_an_atom_is_frequent_and_stands_out():
    random = np.random.default_rng(0)
    amounts = random.exponential(size=200)
    assert find_atoms(amounts).tolist() == []
    assert find_atoms(np.where(np.arange(200) < 9, 0, amounts)).tolist() == []  # too few
    assert find_atoms(np.where(np.arange(200) < 11, 0, amounts)).tolist() == [0]
    assert find_atoms(np.r_[amounts, np.full(90, np.nan), np.zeros(20)]).tolist() == [0]
    assert find_atoms(np.minimum(amounts, 1)).tolist() == [1]
    both = np.where(np.arange(200) < 60, 0, np.minimum(amounts, 2))
    assert find_atoms(both).tolist() == [0, 2]


@pytest.mark.parametrize("targets", [np.arange(300) % 10, np.arange(300) % 3 // 2, np.ones(300)])
def test_ratings_classes_and_constants_hold_none(targets):
    assert find_atoms(targets.astype(float)).tolist() == []


def test_so_many_rows_are_left_that_they_can_be_judged():
    rest = np.arange(1.0, 30.0)
    assert find_atoms(np.r_[np.zeros(50), rest]).tolist() == []
    assert find_atoms(np.r_[np.zeros(50), rest, 30.0]).tolist() == [0]


def told_by_a_column(n=400, noise=0.0):
    random = np.random.default_rng(0)
    X = random.normal(size=(n, 4))
    at_zero = X[:, 1] + noise * random.normal(size=n) > 0.3
    return X, np.where(at_zero, 0.0, 20 + X[:, 0] + random.normal(size=n))


def test_trees_are_believed_where_they_know():
    X, y = told_by_a_column()
    members = estimate_membership(GivenTargets(X, y), np.array([0.0]))
    assert members.kinds.tolist() == (y != 0).astype(int).tolist()
    np.testing.assert_allclose(members.share, [np.mean(y == 0), np.mean(y != 0)], rtol=1e-12)
    np.testing.assert_allclose(members.p.sum(axis=1), 1, rtol=1e-12)
    assert np.mean(members.p.argmax(axis=1) == members.kinds) > 0.95
    assert members.p[X[:, 1] > 1, 0].min() > 0.9


def test_and_not_where_nothing_tells():
    X, y = told_by_a_column()
    members = estimate_membership(
        GivenTargets(np.random.default_rng(1).normal(size=X.shape), y), [0.0]
    )
    assert np.abs(members.p - members.share).max() < 0.35
    assert np.abs(members.log_ratio).mean() < 0.3


def test_a_row_has_no_say_in_what_it_should_hold():
    X, y = told_by_a_column()
    row = int(X[:, 1].argmin())
    other = y.copy()
    other[row] = 0.0
    one, changed = (estimate_membership(GivenTargets(X, t), np.array([0.0])) for t in (y, other))
    assert one.p[row, 0] < 0.05
    assert changed.p[row, 0] < 0.1
    assert changed.log_ratio[row] > 1.5 > 0 > one.log_ratio[row]


def test_rows_without_a_target_and_predictions_alone():
    X, y = told_by_a_column()
    y[:20] = np.nan
    given = GivenTargets(None, y, brought=BroughtPredictions(predictions=X[:, 1]))
    members = estimate_membership(given, np.array([0.0]))
    assert members.p.shape == (400, 2)
    assert np.mean((members.p[:20, 0] > 0.5) == (X[:20, 1] > 0.3)) > 0.8


def test_without_any_column_every_row_is_like_all_others():
    _, y = told_by_a_column()
    members = estimate_membership(GivenTargets(np.empty((400, 0)), y), np.array([0.0]))
    assert np.abs(members.p - members.share).max() < 0.1
