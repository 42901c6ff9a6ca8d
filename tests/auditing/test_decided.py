import numpy as np
import pytest

from decision_cases import said
from errata.auditing.inputs._decisions import decided_rows
from errata.auditing.results._cleaning import Scores, clean_labels
from errata.review import Decisions

KEYS = np.array([f"row.{row}" for row in range(8)], dtype=object)
CLASSES = np.array(["cat", "dog"])
CODES = np.repeat([0, 1], 4)
P_WRONG = np.array([0.9, 0.9, 0.1, 0.1, 0.95, 0.6, 0.1, 0.1])
SCORES = Scores(CLASSES[CODES], CODES, CLASSES[1 - CODES], P_WRONG, np.full(8, 0.9))


@pytest.fixture
def decisions(tmp_path):
    with Decisions(tmp_path / "pets.decisions") as opened:
        yield opened


def cleaned(decisions, action="drop", scores=SCORES, *, drop_ambiguous=False):
    people = decided_rows(decisions, KEYS, scores, CLASSES, drop_ambiguous=drop_ambiguous)
    done = clean_labels(people.undecided(scores), action, threshold=0.5, sure=0.8, unsure="keep")
    return people.over(done)


def plain(action="drop"):
    return clean_labels(SCORES, action, threshold=0.5, sure=0.8, unsure="keep")


@pytest.mark.parametrize("action", ["drop", "relabel", "weight", "unlabel"])
def test_without_decisions_nothing_is_different(decisions, action):
    for part, other in zip(cleaned(decisions, action), plain(action), strict=True):
        assert part.tolist() == other.tolist()


@pytest.mark.parametrize("action", ["drop", "relabel", "weight", "unlabel"])
def test_classes_that_people_gave_win_over_every_action(decisions, action):
    decisions.record(said("label", 0))  # 0.9 wrong, they say
    decisions.record(said("suggestion", 2))  # 0.1 wrong, they say
    done = cleaned(decisions, action)
    assert done.kept[[0, 2]].tolist() == [True, True]
    assert done.labels[[0, 2]].tolist() == ["cat", "dog"]
    assert done.weight[[0, 2]].tolist() == [1, 1]
    assert done.did[[0, 2]].tolist() == ["kept", "relabelled"]
    assert np.flatnonzero(done.decided).tolist() == [0, 2]
    others = [1, 3, 6, 7]
    assert done.did[others].tolist() == plain(action).did[others].tolist()


def test_unusable_rows_go_even_if_they_are_most_of_a_class(decisions):
    decisions.record_all([said("unusable", row) for row in (0, 1, 2)])
    done = cleaned(decisions)
    assert done.kept[:4].tolist() == [False, False, False, True]
    assert done.did[:4].tolist() == ["dropped"] * 3 + ["kept"]
    assert done.weight[:4].tolist() == [0, 0, 0, 1]


def test_what_people_leave_of_a_class_is_spared_by_the_action(decisions):
    # Two of four dogs are more likely wrong than right and would go; one is gone, one is a cat.
    decisions.record(said("unusable", 6))
    decisions.record(said("other", 7, class_text='"cat"', label='"dog"'))
    done = cleaned(decisions)
    assert done.labels[done.kept].tolist().count("dog") == 2


def test_ambiguous_rows_stay_at_half_their_weight_or_go(decisions):
    decisions.record(said("ambiguous", 0))
    done = cleaned(decisions)
    assert (done.kept[0], done.weight[0], done.did[0]) == (True, 0.5, "weighted")
    assert done.labels[0] == "cat"
    assert cleaned(decisions, "weight").weight[0] == 0.5
    gone = cleaned(decisions, drop_ambiguous=True)
    assert (gone.kept[0], gone.weight[0], gone.did[0]) == (False, 0, "dropped")
    assert gone.decided[0]


def test_skipped_and_disputed_rows_are_as_if_nobody_had_looked(decisions):
    decisions.record(said("skip", 0))
    decisions.record(said("label", 4))
    decisions.record(said("suggestion", 4, "bob"))
    done = cleaned(decisions)
    assert done.did.tolist() == plain().did.tolist()
    assert not done.decided.any()


def test_a_new_class_is_not_cut_to_the_length_of_the_others(decisions):
    decisions.record(said("other", 0, class_text='"crocodile"'))
    assert cleaned(decisions).labels[0] == "crocodile"


def test_a_class_of_another_type_is_refused(decisions):
    decisions.record(said("other", 3, class_text="1"))
    with pytest.raises(ValueError, match="row 3 was decided to be 1, but labels of this audit are"):
        cleaned(decisions)


def test_a_table_of_which_nothing_is_left_is_refused(decisions):
    decisions.record_all([said("unusable", row) for row in range(8)])
    with pytest.raises(ValueError, match="people found every row unusable"):
        cleaned(decisions)


def test_decisions_may_be_given_by_their_path(decisions):
    decisions.record(said("unusable", 3))
    people = decided_rows(decisions.path, KEYS, SCORES, CLASSES, drop_ambiguous=False)
    assert np.flatnonzero(people.gone).tolist() == [3]


def test_numbers_stay_numbers(decisions):
    decisions.record(said("other", 0, class_text="7", label="3"))
    scores = SCORES._replace(labels=np.array([3, 7])[CODES], suggested=np.array([7, 3])[CODES])
    people = decided_rows(decisions, KEYS, scores, np.array([3, 7]), drop_ambiguous=False)
    assert people.labels.dtype.kind == "i"
    assert people.labels[0] == 7


@pytest.mark.parametrize("action", ["drop", "relabel", "weight", "unlabel"])
def test_rows_without_a_label_get_the_class_that_people_gave(decisions, action):
    decisions.record(said("suggestion", 0, label="null"))
    labels, codes = SCORES.labels.astype(object), CODES.copy()
    labels[[0, 1]], codes[[0, 1]] = None, -1
    done = cleaned(decisions, action, SCORES._replace(labels=labels, codes=codes))
    assert (done.labels[0], done.did[0], done.weight[0]) == ("dog", "relabelled", 1)
    assert np.flatnonzero(done.decided).tolist() == [0]
    assert done.labels[1] == ("dog" if action == "relabel" else None)
