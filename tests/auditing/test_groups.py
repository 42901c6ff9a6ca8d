import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from errata.auditing import TrainingData
from errata.auditing.inputs._groups import group_folds, group_numbers, join_groups, places_among
from errata.auditing.models._default import Forest, RBFRidge, draw_samples


def test_rows_joined_by_either_kind_of_group_are_one_group():
    patients, copies = np.array([0, 0, 1, 2, 3]), np.array([0, 1, 1, 2, 3])
    np.testing.assert_array_equal(join_groups(copies, patients), [0, 0, 0, 1, 2])


def doubled(seed=0):
    """Every row twice, 15 % of the labels wrong in both copies."""
    random = np.random.default_rng(seed)
    codes = random.integers(2, size=150)
    X = random.normal(size=(150, 5)) + 1.5 * codes[:, None]
    wrong = random.random(150) < 0.15
    labels = np.where(wrong, 1 - codes, codes)
    return np.tile(X, (2, 1)), np.tile(labels, 2), np.tile(wrong, 2), np.tile(np.arange(150), 2)


@pytest.mark.parametrize(
    "model", [Forest("trees", True, 60, 1), RBFRidge("RBF features", 1.0)], ids=lambda m: m.name
)
def test_copies_left_out_together_cannot_confirm_each_other(model):
    X, labels, wrong, groups = doubled()
    own = labels, np.arange(len(labels))
    apart = 1 - model.out_of_fold_proba(TrainingData(X, labels, 2)).T[own]
    together = 1 - model.out_of_fold_proba(TrainingData(X, labels, 2, groups)).T[own]
    found = average_precision_score(wrong, together)
    assert found > 0.7
    assert found > average_precision_score(wrong, apart) + 0.1


def test_a_tree_never_votes_on_a_group_it_has_seen():
    X, labels, _, groups = doubled()
    votes = Forest("a tree", False, 1, 1).votes_outside(TrainingData(X, labels, 2, groups))
    drawn = votes.sum(axis=1) == 0
    assert 0.5 < drawn.mean() < 0.75  # 1 - 1/e of the groups are in a bootstrap
    np.testing.assert_array_equal(drawn[:150], drawn[150:])
    assert (votes.argmax(axis=1) == labels)[~drawn].mean() < 0.95  # it has memorised none


@pytest.mark.parametrize("groups", [None, np.tile(np.arange(150), 2)], ids=["alone", "in groups"])
def test_threads_change_nothing(groups):
    X, labels, *_ = doubled()
    one, two = (
        Forest("trees", True, 8, 1).cross_fit(TrainingData(X, labels, 2, groups, 3, jobs))
        for jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.out_of_fold, two.out_of_fold)
    np.testing.assert_array_equal(one.predictor.nodes, two.predictor.nodes)


def test_a_sample_has_no_more_rows_than_it_may():
    X, labels, _, groups = doubled()
    for own in (None, groups):
        times, _ = draw_samples(5, 50, TrainingData(X, labels, 2, own))
        np.testing.assert_array_equal(times.sum(axis=1), 50)


def test_every_second_tree_leaves_a_fold_out():
    X, labels, _, groups = doubled()
    data = TrainingData(X, labels, 2, folds=2 * (groups % 4), more_rows=True)  # 0, 2, 4 and 6
    times, seen = draw_samples(7, 50, data)
    assert seen.shape == (7, 10)
    np.testing.assert_array_equal(seen.sum(axis=1), 2)
    assert not seen[:, [1, 3, 5, 7, 8, 9]].any()
    assert set(seen[:, [0, 2, 4, 6]].sum(axis=0)) <= {3, 4}
    np.testing.assert_array_equal(times.sum(axis=1), 50)
    for drawn, folds in zip(times, seen, strict=True):
        assert folds[data.folds[drawn > 0]].all()


GROUPS = np.array(["b", "a", "b", "z"])


def test_groups_are_numbered_among_the_rows_that_can_be_audited():
    np.testing.assert_array_equal(group_numbers(GROUPS, np.arange(3)), [1, 0, 1])
    with pytest.raises(ValueError, match="one group only"):
        group_numbers(GROUPS, np.array([0, 2]))


def test_a_group_falls_into_the_same_fold_whatever_rows_are_beside_it():
    groups = np.arange(400) // 4
    folds = group_folds(groups, seed=7)
    some = np.random.default_rng(0).permutation(400)[:90]
    np.testing.assert_array_equal(group_folds(groups[some], seed=7), folds[some])
    np.testing.assert_array_equal(np.unique(folds), np.arange(10))
    assert np.any(group_folds(groups, seed=8) != folds)


ROWS = st.lists(st.integers(0, 20), max_size=12)


@given(st.sets(st.integers(0, 20), min_size=1), ROWS)
def test_rows_are_found_among_those_in_order(ordered, rows):
    ordered, rows = np.array(sorted(ordered)), np.array(rows, dtype=int)
    at, there = places_among(ordered, rows)
    assert there.tolist() == np.isin(rows, ordered).tolist()
    assert ordered[at][there].tolist() == rows[there].tolist()
    assert len(ordered[at]) == len(rows)
