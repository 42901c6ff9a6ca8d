import numpy as np
import pytest

from decision_cases import said
from errata.auditing.numbers._cleaning import clean_targets, decided_targets
from errata.review import Decisions

TARGETS, SUGGESTED = np.array([1.0, 20.0, 3.0, 4.0]), np.array([9.0, 2.0, 9.0, 9.0])
P_WRONG = np.array([0.0, 0.9, 0.2, 0.5])
KEYS = np.array([f"row.{row}" for row in range(4)], dtype=object)


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


@pytest.mark.parametrize("action", ["drop", "replace", "unlabel", "weight"])
def test_numbers_that_people_gave_win_over_every_action(tmp_path, action):
    with Decisions(tmp_path / "homes.decisions") as decisions:
        decisions.record(said("other", 0, class_text="1.25"))
        decisions.record(said("label", 1, class_text="20"))  # 0.9 wrong, they say
        people = decided_targets(decisions, KEYS, TARGETS, drop_ambiguous=False)
    done = people.over(act(people, action), "replaced")
    assert done.labels[:2].tolist() == [1.25, 20.0]
    assert done.did[:2].tolist() == ["replaced", "kept"]
    assert done.weight[:2].tolist() == [1, 1]
    assert done.decided.tolist() == [True, True, False, False]


def test_unusable_and_ambiguous_rows(tmp_path):
    with Decisions(tmp_path / "homes.decisions") as decisions:
        decisions.record(said("unusable", 0))
        decisions.record(said("ambiguous", 3))
        kept, gone = (
            decided_targets(decisions, KEYS, TARGETS, drop_ambiguous=drop) for drop in (False, True)
        )
    assert kept.over(act(kept, "replace"), "replaced").did.tolist() == [
        *("dropped", "replaced", "kept", "weighted")
    ]
    assert gone.over(act(gone, "replace"), "replaced").kept.tolist() == [False, True, True, False]


def test_a_class_is_no_number(tmp_path):
    with Decisions(tmp_path / "homes.decisions") as decisions:
        decisions.record(said("other", 2))
        with pytest.raises(ValueError, match="row 2 was decided to be 'cow', which is no number"):
            decided_targets(decisions, KEYS, TARGETS, drop_ambiguous=False)


def act(people, action):
    left = people.left
    doubts = people.doubts(P_WRONG)
    return clean_targets(people.labels[left], SUGGESTED[left], doubts, action, threshold=0.5)
