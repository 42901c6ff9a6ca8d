"""What is done to rows and cells whose labels are probably wrong."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from decision_cases import said
from errata.auditing.multilabel._result import clean_cells, decided_cells
from errata.review import Decisions

LABELS = np.array([[1, 0], [0, 1], [1, 1], [0, 0]])
KEYS = np.array([f"row.{row}" for row in range(4)], dtype=object)
P = np.array([[0.9, 0.1], [0.2, 0.6], [0.0, 0.0], [0.4, 0.3]])


def cleaned(action, **how):
    return clean_cells(LABELS, P, action, **{"threshold": 0.5, "sure": 0.8} | how)


def test_rows_with_a_wrong_cell_are_dropped():
    found = cleaned("drop")
    assert_array_equal(found.kept, [False, False, True, True])
    assert_array_equal(found.weight, [0, 0, 1, 1])
    assert_array_equal(found.labels, LABELS)


def test_no_more_than_half_of_the_rows_go_the_worst_first():
    assert_array_equal(cleaned("drop", threshold=0.25).kept, [False, False, True, True])


def test_only_sure_cells_are_changed():
    found = cleaned("relabel")
    assert_array_equal(found.labels, [[0, 0], [0, 1], [1, 1], [0, 0]])
    assert found.did.tolist() == ["relabelled", "kept", "kept", "kept"]


def test_cells_may_lose_their_label():
    found = cleaned("unlabel")
    assert_array_equal(np.isnan(found.labels), P > 0.5)
    assert found.did.tolist() == ["unlabelled", "unlabelled", "kept", "kept"]


def test_rows_count_as_their_worst_cell_is_right():
    np.testing.assert_allclose(cleaned("weight").weight, [0.1, 0.4, 1.0, 0.6], rtol=1e-12)


def test_an_unknown_action_gets_a_sentence():
    with pytest.raises(ValueError, match="action"):
        cleaned("burn")


@pytest.mark.parametrize("action", ["drop", "relabel", "unlabel", "weight"])
def test_labels_that_people_gave_win_over_every_action(tmp_path, action):
    with Decisions(tmp_path / "pets.decisions") as decisions:
        decisions.record(said("label", 0, class_text='["cat"]'))  # 0.9 wrong, they say
        decisions.record(said("other", 3, class_text='["cat", "dog"]'))
        decisions.record(said("unusable", 2))
        people = decided_cells(decisions, KEYS, LABELS, ["cat", "dog"], drop_ambiguous=False)
    how = {"threshold": 0.5, "sure": 0.8}
    done = people.over(clean_cells(people.labels[people.left], people.doubts(P), action, **how))
    assert done.did[[0, 2, 3]].tolist() == ["kept", "dropped", "relabelled"]
    assert_array_equal(done.labels[[0, 3]], [[1, 0], [1, 1]])
    assert_array_equal(done.decided, [True, False, True, True])


def test_labels_of_another_table_are_told(tmp_path):
    with Decisions(tmp_path / "pets.decisions") as decisions:
        decisions.record(said("other", 1, class_text='["ant"]'))
        with pytest.raises(ValueError, match="row 1 was decided to have 'ant', which is none"):
            decided_cells(decisions, KEYS, LABELS, ["cat", "dog"], drop_ambiguous=False)
