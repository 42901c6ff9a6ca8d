import numpy as np
import pytest

from errata.auditing.inputs._groups import group_folds, group_numbers

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
