import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from errata.auditing import Bumps, Case, Trees
from errata.auditing._groups import bagged_by_group, group_splits, joined
from errata.metrics import detection_average_precision


@given(st.integers(2, 60), st.integers(2, 12), st.integers(0, 50))
def test_folds_keep_groups_whole_and_hold_every_row_once(n, n_folds, seed):
    random = np.random.default_rng(seed)
    groups = np.unique(random.integers(max(2, n // 2), size=n), return_inverse=True)[1]
    splits = group_splits(groups, random.integers(3, size=n), n_folds, seed)
    assert sorted(np.concatenate([test for _, test in splits])) == list(range(n))
    for train, test in splits:
        assert not set(groups[train]) & set(groups[test])
        assert len(train) + len(test) == n


def test_folds_are_alike_in_size_and_labels():
    groups, codes = np.repeat(np.arange(200), 2), np.repeat(np.arange(200) % 4 == 0, 2).astype(int)
    for _, test in group_splits(groups, codes, 5, seed=0):
        assert len(test) == 80
        assert codes[test].sum() == 20


def test_rows_joined_by_either_kind_of_group_are_one_group():
    patients, copies = np.array([0, 0, 1, 2, 3]), np.array([0, 1, 1, 2, 3])
    np.testing.assert_array_equal(joined(copies, patients), [0, 0, 0, 1, 2])


def doubled(seed=0):
    """Every row twice, 15 % of the labels wrong in both copies."""
    random = np.random.default_rng(seed)
    codes = random.integers(2, size=150)
    X = random.normal(size=(150, 5)) + 1.5 * codes[:, None]
    wrong = random.random(150) < 0.15
    labels = np.where(wrong, 1 - codes, codes)
    return np.tile(X, (2, 1)), np.tile(labels, 2), np.tile(wrong, 2), np.tile(np.arange(150), 2)


@pytest.mark.parametrize(
    "model", [Trees("trees", True, 60, 1), Bumps("RBF features", 1.0)], ids=lambda m: m.name
)
def test_copies_left_out_together_cannot_confirm_each_other(model):
    X, labels, wrong, groups = doubled()
    own = labels, np.arange(len(labels))
    apart = 1 - model.testify(Case(X, labels, 2)).T[own]
    together = 1 - model.testify(Case(X, labels, 2, groups)).T[own]
    found = detection_average_precision(together, wrong)
    assert found > 0.7
    assert found > detection_average_precision(apart, wrong) + 0.1


def test_a_tree_never_votes_on_a_group_it_has_seen():
    X, labels, _, groups = doubled()
    votes = bagged_by_group(DecisionTreeClassifier(), 1, 10_000, Case(X, labels, 2, groups))
    drawn = votes.sum(axis=1) == 0
    assert 0.5 < drawn.mean() < 0.75  # 1 - 1/e of the groups are in a bootstrap
    np.testing.assert_array_equal(drawn[:150], drawn[150:])
    assert (votes.argmax(axis=1) == labels)[~drawn].mean() < 0.95  # it has learnt none by heart


def test_threads_change_nothing():
    X, labels, _, groups = doubled()
    tree = DecisionTreeClassifier(max_features="sqrt")
    one, two = (
        bagged_by_group(tree, 8, 100, Case(X, labels, 2, groups, 3, jobs)) for jobs in (1, 2)
    )
    np.testing.assert_allclose(one, two, rtol=0, atol=1e-12)
