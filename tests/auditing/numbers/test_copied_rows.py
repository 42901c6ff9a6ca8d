import numpy as np

from auditing.target_cases import QUICK, straight
from errata.auditing.numbers import find_wrong_targets
from errata.auditing.numbers._task import find_copies, join_copies


def doubled(n=100):
    X, y = straight(n)
    return np.vstack([X, X]), np.r_[y, y]


def test_doubled_rows_are_copies():
    X, y = doubled()
    np.testing.assert_array_equal(find_copies(X, y), np.tile(np.arange(100), 2))


def test_rows_that_differ_are_not():
    assert find_copies(*straight(100)) is None


def test_equal_features_with_targets_of_their_own_are_not():
    X, y = doubled()
    assert find_copies(X, y + np.random.default_rng(0).normal(size=200)) is None
    coarse = np.random.default_rng(0).integers(0, 2, size=200).astype(float)
    assert find_copies(X, coarse) is None  # two of three such pairs are equal by chance, too


def test_copies_are_joined_with_the_groups_of_the_user():
    X, y = doubled(3)
    groups, copies = join_copies(X, y, np.array([0, 1, 1, 2, 3, 4]))
    np.testing.assert_array_equal(copies, [0, 1, 2, 0, 1, 2])
    np.testing.assert_array_equal(groups, [0, 1, 1, 0, 1, 1])
    groups, copies = join_copies(X, y, np.array([0, 0, 0, 0, 0, 1]))
    assert copies is None  # one group would be left, and nothing to learn from
    np.testing.assert_array_equal(groups, [0, 0, 0, 0, 0, 1])


def test_an_error_is_not_confirmed_by_its_copy():
    X, y = doubled()
    y[[7, 107]] += 20
    found = find_wrong_targets(X, y, brought=QUICK)
    assert found.p_wrong[[7, 107]].min() > 0.9
    assert set(np.argsort(found.suspicion)[-2:]) == {7, 107}
    assert found.notes[0].startswith("200 rows are equal to another row, or nearly (100 groups).")
    assert found.notes[0].endswith("confirm each other's target.")
