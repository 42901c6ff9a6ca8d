"""What becomes of rows whose label is probably wrong, and of those that people decided."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from auditing.made_audits import cell_audit, class_audit, target_audit
from decision_cases import said
from errata.review import Decisions

LABELS = np.array(["a", "a", "a", "a", "b", "b", "b", "b"])
SUGGESTED = np.array(["b", "a", "a", "a", "a", "a", "b", "b"])
P_WRONG = np.array([0.9, 0.1, 0.1, 0.1, 0.95, 0.6, 0.1, 0.1])
P_SUGGESTED = np.array([0.9, 0.9, 0.9, 0.9, 0.95, 0.6, 0.9, 0.9])
PETS = class_audit(LABELS, SUGGESTED, P_WRONG, P_SUGGESTED)


def acted(action, **options):
    return PETS.clean(action, **options)


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(0, 1)), min_size=1, max_size=40))
def test_never_more_than_half_of_a_class_is_dropped_nor_its_last_two_rows(rows):
    codes, p_wrong = (np.array(column) for column in zip(*rows, strict=True))
    wrong = p_wrong > 0.5
    dropped = ~class_audit(codes, codes, p_wrong, p_wrong).clean("drop").kept
    assert not (dropped & ~wrong).any()
    for code in np.unique(codes):
        own = codes == code
        assert dropped[own].sum() <= own.sum() / 2
        if dropped[own].any():
            assert (own & ~dropped).sum() >= 2
            spared = own & wrong & ~dropped
            assert p_wrong[own & dropped].min() >= p_wrong[spared].max(initial=0)


def test_drop_leaves_out_what_is_probably_wrong():
    cleaned = acted("drop")
    assert cleaned.kept.tolist() == [False, True, True, True, False, False, True, True]
    assert cleaned.weight.tolist() == cleaned.kept.astype(float).tolist()
    assert cleaned.did[0] == "dropped"
    X, y = cleaned.apply(np.arange(16).reshape(8, 2))
    assert X[:, 0].tolist() == [2, 4, 6, 12, 14]
    assert y.tolist() == ["a", "a", "a", "b", "b"]


def test_relabel_changes_sure_rows_and_keeps_the_others():
    cleaned = acted("relabel")
    assert cleaned.labels.tolist() == ["b", "a", "a", "a", "a", "b", "b", "b"]
    assert cleaned.did.tolist() == ["relabelled"] + 3 * ["kept"] + ["relabelled"] + 3 * ["kept"]
    assert cleaned.kept.all()


def test_relabel_drops_unsure_rows_when_asked_to():
    assert acted("relabel", unsure="drop").did[5] == "dropped"


def test_what_relabelling_leaves_of_a_class_is_spared():
    p_wrong, sure = np.array([0.9] * 4 + [0.1] * 4), np.array([0.9, 0.9, 0.6, 0.6] + [0.9] * 4)
    cleaned = class_audit(LABELS, np.repeat("b", 8), p_wrong, sure).clean("relabel", unsure="drop")
    assert cleaned.labels[cleaned.kept].tolist().count("a") == 2


def test_a_row_whose_own_label_is_suggested_is_not_said_to_be_relabelled():
    assert acted("relabel", threshold=0.05).did[1] == "kept"


def test_weights_are_the_probabilities_of_right_labels():
    cleaned = acted("weight")
    np.testing.assert_allclose(cleaned.weight, 1 - P_WRONG, rtol=0, atol=0)
    assert cleaned.kept.all()
    assert set(cleaned.did) == {"weighted"}


def test_unlabel_takes_labels_away():
    cleaned = acted("unlabel")
    assert cleaned.labels.tolist() == [None, "a", "a", "a", None, None, "b", "b"]
    assert LABELS[0] == "a"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"action": "burn"}, "action='burn' is not known; choose from drop, relabel, weight"),
        ({"action": "drop", "threshold": 2}, "threshold=2 must be a number between 0 and 1"),
        ({"action": "drop", "sure": -1}, "sure=-1 must be a number between 0 and 1"),
        ({"action": "drop", "unsure": "ask"}, "unsure='ask' is not known; choose from keep, drop"),
    ],
)
def test_bad_wishes_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        acted(**options)


@pytest.mark.parametrize("kind", [np.asarray, list], ids=["array", "list"])
def test_a_mapping_of_columns_stays_one(kind):
    cleaned = acted("drop")
    table, labels = cleaned.apply({"a": kind(range(8)), "b": kind(list("abcdefgh"))})
    rows = np.flatnonzero(cleaned.kept).tolist()
    assert len(rows) < 8
    assert list(table["a"]) == rows
    assert list(table["b"]) == ["abcdefgh"[row] for row in rows]
    assert len(labels) == len(rows)


@pytest.mark.parametrize("rows", [7, 9])
@pytest.mark.parametrize("kind", [np.asarray, np.ndarray.tolist], ids=["array", "list"])
def test_a_table_of_other_length_is_refused(rows, kind):
    sentence = f"X has {rows} rows, but 8 were audited; pass the same rows in the same order"
    with pytest.raises(ValueError, match=sentence):
        acted("drop").apply(kind(np.zeros((rows, 2))))


ACTIONS = ["drop", "relabel", "weight", "unlabel"]
CODES = np.repeat([0, 1], 4)
DOUBTED = np.array([0.9, 0.9, 0.1, 0.1, 0.95, 0.6, 0.1, 0.1])


def doubted_pets(names=("cat", "dog"), blank=()):
    """Four cats and four dogs; those without a label have none."""
    names = np.array(names)
    labels = names[CODES]
    if len(blank):
        labels = labels.astype(object)
        labels[blank] = None
    return class_audit(labels, names[1 - CODES], DOUBTED, np.full(8, 0.9), names)


@pytest.fixture
def decisions(tmp_path):
    with Decisions(tmp_path / "pets.decisions") as opened:
        yield opened


def decided(decisions, action="drop", audit=None, **options):
    return (doubted_pets() if audit is None else audit).clean(
        action, decisions=decisions, **options
    )


@pytest.mark.parametrize("action", ACTIONS)
def test_without_decisions_nothing_is_different(decisions, action):
    for part, other in zip(decided(decisions, action), doubted_pets().clean(action), strict=True):
        assert part.tolist() == other.tolist()


@pytest.mark.parametrize("action", ACTIONS)
def test_classes_that_people_gave_win_over_every_action(decisions, action):
    decisions.record(said("label", 0))  # 0.9 wrong, they say
    decisions.record(said("suggestion", 2))  # 0.1 wrong, they say
    done = decided(decisions, action)
    assert done.kept[[0, 2]].tolist() == [True, True]
    assert done.labels[[0, 2]].tolist() == ["cat", "dog"]
    assert done.weight[[0, 2]].tolist() == [1, 1]
    assert done.did[[0, 2]].tolist() == ["kept", "relabelled"]
    assert np.flatnonzero(done.decided).tolist() == [0, 2]
    others = [1, 3, 6, 7]
    assert done.did[others].tolist() == doubted_pets().clean(action).did[others].tolist()


def test_unusable_rows_go_even_if_they_are_most_of_a_class(decisions):
    decisions.record_all([said("unusable", row) for row in (0, 1, 2)])
    done = decided(decisions)
    assert done.kept[:4].tolist() == [False, False, False, True]
    assert done.did[:4].tolist() == ["dropped"] * 3 + ["kept"]
    assert done.weight[:4].tolist() == [0, 0, 0, 1]


def test_what_people_leave_of_a_class_is_spared_by_the_action(decisions):
    # Two of four dogs are more likely wrong than right and would go; one is gone, one is a cat.
    decisions.record(said("unusable", 6))
    decisions.record(said("other", 7, class_text='"cat"', label='"dog"'))
    done = decided(decisions)
    assert done.labels[done.kept].tolist().count("dog") == 2


def test_ambiguous_rows_stay_at_half_their_weight_or_go(decisions):
    decisions.record(said("ambiguous", 0))
    done = decided(decisions)
    assert (done.kept[0], done.weight[0], done.did[0]) == (True, 0.5, "weighted")
    assert done.labels[0] == "cat"
    assert decided(decisions, "weight").weight[0] == 0.5
    gone = decided(decisions, ambiguous="drop")
    assert (gone.kept[0], gone.weight[0], gone.did[0]) == (False, 0, "dropped")
    assert gone.decided[0]


def test_skipped_and_disputed_rows_are_as_if_nobody_had_looked(decisions):
    decisions.record(said("skip", 0))
    decisions.record(said("label", 4))
    decisions.record(said("suggestion", 4, "bob"))
    done = decided(decisions)
    assert done.did.tolist() == doubted_pets().clean("drop").did.tolist()
    assert not done.decided.any()


def test_a_new_class_is_not_cut_to_the_length_of_the_others(decisions):
    decisions.record(said("other", 0, class_text='"crocodile"'))
    assert decided(decisions).labels[0] == "crocodile"


def test_a_class_of_another_type_is_refused(decisions):
    decisions.record(said("other", 3, class_text="1"))
    with pytest.raises(ValueError, match="row 3 was decided to be 1, but labels of this audit are"):
        decided(decisions)


def test_a_table_of_which_nothing_is_left_is_refused(decisions):
    decisions.record_all([said("unusable", row) for row in range(8)])
    with pytest.raises(ValueError, match="people found every row unusable"):
        decided(decisions)


def test_decisions_may_be_given_by_their_path(decisions):
    decisions.record(said("unusable", 3))
    assert np.flatnonzero(decided(decisions.path, undecided="keep").did == "dropped").tolist() == [
        3
    ]


def test_rows_that_nobody_decided_may_be_left_alone(decisions):
    decisions.record(said("suggestion", 2))
    done = decided(decisions, undecided="keep")
    assert done.did.tolist() == ["kept", "kept", "relabelled", *["kept"] * 5]


def test_numbers_stay_numbers(decisions):
    decisions.record(said("other", 0, class_text="7", label="3"))
    labels = decided(decisions, audit=doubted_pets((3, 7))).labels
    assert labels.dtype.kind == "i"
    assert labels[0] == 7


@pytest.mark.parametrize("action", ACTIONS)
def test_rows_without_a_label_get_the_class_that_people_gave(decisions, action):
    decisions.record(said("suggestion", 0, label="null"))
    done = decided(decisions, action, doubted_pets(blank=[0, 1]))
    assert (done.labels[0], done.did[0], done.weight[0]) == ("dog", "relabelled", 1)
    assert np.flatnonzero(done.decided).tolist() == [0]
    assert done.labels[1] == ("dog" if action == "relabel" else None)


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        ({"undecided": "ask"}, "undecided='ask' is not known; choose from act, keep"),
        ({"ambiguous": "ask"}, "ambiguous='ask' is not known; choose from keep, drop"),
    ],
)
def test_unknown_wishes_about_decisions_are_named(option, sentence):
    with pytest.raises(ValueError, match=sentence):
        acted("drop", **option)


def test_without_skill_nothing_changes_that_nobody_decided(decisions):
    decisions.record(said("unusable", 3))
    audit = doubted_pets()
    audit.has_skill = False
    done = decided(decisions, "relabel", audit)
    assert done.did.tolist() == ["kept"] * 3 + ["dropped"] + ["kept"] * 4


HOMES = target_audit(
    np.array([1.0, 20.0, 3.0, 4.0]), np.array([9.0, 2.0, 9.0, 9.0]), np.array([0.0, 0.9, 0.2, 0.5])
)


def test_wrong_targets_are_dropped():
    found = HOMES.clean()
    assert found.kept.tolist() == [True, False, True, True]
    assert found.weight.tolist() == [1, 0, 1, 1]
    assert found.did.tolist() == ["kept", "dropped", "kept", "kept"]


def test_no_more_than_half_of_the_targets_are_dropped_the_worst_first():
    doubted = target_audit(HOMES.targets, HOMES.predicted, np.array([0.9, 0.99, 0.7, 0.8]))
    assert doubted.clean().kept.tolist() == [False, False, True, True]


def test_wrong_targets_are_replaced_or_emptied():
    assert HOMES.clean("replace").labels.tolist() == [1, 2, 3, 4]
    assert HOMES.clean("replace", threshold=0.1).labels.tolist() == [1, 2, 9, 9]
    assert_array_equal(HOMES.clean("unlabel").labels, [1, np.nan, 3, 4])
    assert HOMES.targets[1] == 20.0


def test_targets_count_by_the_probability_that_they_are_right():
    np.testing.assert_allclose(HOMES.clean("weight").weight, 1 - HOMES.p_wrong, rtol=1e-12)
    assert HOMES.clean("weight").did.tolist() == ["kept", "weighted", "weighted", "weighted"]


def test_numbers_are_replaced_and_not_relabelled():
    with pytest.raises(ValueError, match="'relabel' is not known; choose from drop, replace"):
        HOMES.clean("relabel")


@pytest.mark.parametrize("action", ["drop", "replace", "unlabel", "weight"])
def test_numbers_that_people_gave_win_over_every_action(decisions, action):
    decisions.record(said("other", 0, class_text="1.25"))
    decisions.record(said("label", 1, class_text="20"))  # 0.9 wrong, they say
    done = HOMES.clean(action, decisions=decisions)
    assert done.labels[:2].tolist() == [1.25, 20.0]
    assert done.did[:2].tolist() == ["replaced", "kept"]
    assert done.weight[:2].tolist() == [1, 1]
    assert done.decided.tolist() == [True, True, False, False]


def test_unusable_and_ambiguous_targets(decisions):
    decisions.record(said("unusable", 0))
    decisions.record(said("ambiguous", 3))
    kept = HOMES.clean("replace", decisions=decisions)
    assert kept.did.tolist() == ["dropped", "replaced", "kept", "weighted"]
    gone = HOMES.clean("replace", decisions=decisions, ambiguous="drop")
    assert gone.kept.tolist() == [False, True, True, False]


def test_a_class_is_no_number(decisions):
    decisions.record(said("other", 2))
    with pytest.raises(ValueError, match="row 2 was decided to be 'cow', which is no number"):
        HOMES.clean(decisions=decisions)


CELLS = cell_audit(
    np.array([[1, 0], [0, 1], [1, 1], [0, 0]]),
    ["cat", "dog"],
    np.array([[0.9, 0.1], [0.2, 0.6], [0.0, 0.0], [0.4, 0.3]]),
)


def test_rows_with_a_wrong_cell_are_dropped():
    found = CELLS.clean("drop")
    assert_array_equal(found.kept, [False, False, True, True])
    assert_array_equal(found.weight, [0, 0, 1, 1])
    assert_array_equal(found.labels, CELLS.labels)


def test_no_more_than_half_of_the_rows_go_the_worst_first():
    assert_array_equal(CELLS.clean("drop", threshold=0.25).kept, [False, False, True, True])


def test_only_sure_cells_are_changed():
    found = CELLS.clean("relabel")
    assert_array_equal(found.labels, [[0, 0], [0, 1], [1, 1], [0, 0]])
    assert found.did.tolist() == ["relabelled", "kept", "kept", "kept"]


def test_cells_may_lose_their_label():
    found = CELLS.clean("unlabel")
    assert_array_equal(np.isnan(found.labels), CELLS.p_wrong_cells > 0.5)
    assert found.did.tolist() == ["unlabelled", "unlabelled", "kept", "kept"]


def test_rows_count_as_their_worst_cell_is_right():
    np.testing.assert_allclose(CELLS.clean("weight").weight, [0.1, 0.4, 1.0, 0.6], rtol=1e-12)


def test_a_label_that_the_columns_do_not_tell_is_left_alone():
    labels = [{"label": "cat", "has_skill": False}, {"label": "dog", "has_skill": True}]
    blind = cell_audit(CELLS.labels, CELLS.names, CELLS.p_wrong_cells)
    blind.per_label = labels
    assert blind.clean("drop").did.tolist() == ["kept", "dropped", "kept", "kept"]


@pytest.mark.parametrize("action", ACTIONS)
def test_sets_of_labels_that_people_gave_win_over_every_action(decisions, action):
    decisions.record(said("label", 0, class_text='["cat"]'))  # 0.9 wrong, they say
    decisions.record(said("other", 3, class_text='["cat", "dog"]'))
    decisions.record(said("unusable", 2))
    done = CELLS.clean(action, decisions=decisions)
    assert done.did[[0, 2, 3]].tolist() == ["kept", "dropped", "relabelled"]
    assert_array_equal(done.labels[[0, 3]], [[1, 0], [1, 1]])
    assert_array_equal(done.decided, [True, False, True, True])


@pytest.mark.parametrize("given", ['["ant"]', '"ant"'])
def test_labels_of_another_table_are_told(decisions, given):
    decisions.record(said("other", 1, class_text=given))
    with pytest.raises(ValueError, match="row 1 was decided to have 'ant', which is none"):
        CELLS.clean(decisions=decisions)
