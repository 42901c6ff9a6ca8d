import numpy as np
import pytest

from errata.auditing.numbers._target_cleaning import clean_targets

TARGETS, SUGGESTED = np.array([1.0, 20.0, 3.0, 4.0]), np.array([9.0, 2.0, 9.0, 9.0])
P_WRONG = np.array([0.0, 0.9, 0.2, 0.5])


def cleaned(action, threshold=0.5, p_wrong=P_WRONG):
    return clean_targets(TARGETS, SUGGESTED, p_wrong, action, threshold=threshold)


def test_wrong_targets_are_dropped():
    found = cleaned("drop")
    assert found.kept.tolist() == [True, False, True, True]
    assert found.weight.tolist() == [1, 0, 1, 1]
    assert found.did.tolist() == ["kept", "dropped", "kept", "kept"]


def test_no_more_than_half_are_dropped_the_worst_first():
    found = cleaned("drop", p_wrong=np.array([0.9, 0.99, 0.7, 0.8]))
    assert found.kept.tolist() == [False, False, True, True]


def test_wrong_targets_are_replaced_or_emptied():
    assert cleaned("replace").labels.tolist() == [1, 2, 3, 4]
    assert cleaned("replace", threshold=0.1).labels.tolist() == [1, 2, 9, 9]
    emptied = cleaned("unlabel").labels
    np.testing.assert_array_equal(emptied, [1, np.nan, 3, 4])
    assert TARGETS[1] == 20.0


def test_rows_count_by_the_probability_that_they_are_right():
    np.testing.assert_allclose(cleaned("weight").weight, 1 - P_WRONG, rtol=1e-12)
    assert cleaned("weight").did.tolist() == ["kept", "weighted", "weighted", "weighted"]


def test_an_action_that_is_not_known_is_told():
    with pytest.raises(ValueError, match="relabel"):
        cleaned("relabel")
