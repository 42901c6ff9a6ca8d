"""Votes: what is read, in which order, and what is said about it."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from errata.auditing.votes import read_votes

ITEMS = ["a", "a", "a", "b", "b", "c"]
WORKERS = ["x", "y", "z", "x", "y", "z"]
LABELS = ["cat", "dog", "dog", "cat", "dog", "cat"]


def same_votes(votes, other):
    for name in ("item", "worker", "label", "items", "workers", "classes"):
        assert_array_equal(getattr(votes, name), getattr(other, name))


def test_every_kind_of_table_gives_the_same_votes():
    votes = read_votes((ITEMS, WORKERS, LABELS))
    import pandas as pd

    columns = {"task": ITEMS, "who": WORKERS, "answer": LABELS}
    for table in (columns, pd.DataFrame(columns), pd.DataFrame(columns).iloc[::-1]):
        same_votes(read_votes(table, "task", "who", "answer"), votes)
    assert len(votes) == 6
    assert votes.notes == []


def test_an_array_of_items_times_workers_has_gaps_where_nobody_voted():
    wide = read_votes(np.array([[0, 1, 1], [0, 1, np.nan], [np.nan, np.nan, 0]]))
    assert_array_equal(wide.counts, [[1, 2], [1, 1], [1, 0]])
    assert_array_equal(wide.classes, [0, 1])
    assert wide.classes.dtype.kind == "i"
    assert len(wide.notes) == 1


def test_ties_go_to_the_class_with_more_votes_whatever_it_is_called():
    votes = read_votes(([*ITEMS, "d"], [*WORKERS, "x"], [*LABELS, "dog"]))
    assert votes.classes[votes.majority].tolist() == ["dog", "dog", "cat", "dog"]
    even = read_votes((ITEMS, WORKERS, LABELS))  # three votes each
    renamed = read_votes((ITEMS, WORKERS, [{"cat": "pup", "dog": "kit"}[each] for each in LABELS]))
    names = {"pup": "cat", "kit": "dog"}
    majority = even.classes[even.majority].tolist()
    assert majority[::2] == ["dog", "cat"]
    assert majority == [names[name] for name in renamed.classes[renamed.majority]]
    alike = read_votes((["a", "a", "b", "b"], list("xyxy"), ["cat", "dog", "dog", "cat"]))
    assert alike.classes[alike.majority].tolist() == ["cat", "cat"]  # then to the first


def test_shares_divide_ties_and_rule_out_no_class():
    votes = read_votes((ITEMS, WORKERS, LABELS), classes=["cat", "dog", "owl"])
    np.testing.assert_allclose(votes.shares, np.array([2, 2, 0.5]) / 4.5, rtol=1e-12, atol=0)


def test_agreement_is_the_share_of_the_majority():
    votes = read_votes((ITEMS, WORKERS, LABELS)).for_items(["a", "b", "c", "without"])
    np.testing.assert_allclose(votes.agreement, [2 / 3, 1 / 2, 1, np.nan], rtol=1e-12, atol=0)


def test_for_items_follows_the_rows_of_a_table():
    votes = read_votes((ITEMS, WORKERS, LABELS))
    other = votes.for_items(["c", "new", "a", "b"])
    assert_array_equal(other.counts, [[1, 0], [0, 0], [1, 2], [1, 1]])
    assert_array_equal(other.majority, [0, -1, 1, 0])
    assert (np.diff(other.item) >= 0).all()
    with pytest.raises(ValueError, match="2 items with votes are not in the table: b, c"):
        votes.for_items(["a", "d"])
    with pytest.raises(ValueError, match="several rows of one item: a"):
        votes.for_items(["a", "a", "b", "c"])


def test_equal_votes_count_once_and_different_ones_twice():
    votes = read_votes(([*ITEMS, "a", "b"], [*WORKERS, "x", "x"], [*LABELS, "cat", "dog"]))
    assert_array_equal(votes.counts, [[1, 2], [1, 2], [1, 0]])
    assert votes.notes == [
        "1 vote repeats what the same worker said of the same item; that counts once.",
        "Once a worker said different things of one item; each counts as a vote.",
    ]


def test_votes_without_label_item_or_worker_are_left_out():
    items, labels = [*ITEMS, None, "a", "b"], [*LABELS, "cat", None, None]
    votes = read_votes((items, [*WORKERS, "x", "w", "z"], labels))
    same_votes(votes, read_votes((ITEMS, WORKERS, LABELS)))
    assert votes.notes == [
        "2 votes have no label and were left out.",
        "1 vote has no item or no worker and was left out.",
    ]


def test_workers_who_meet_nobody_are_told():
    votes = read_votes(([*ITEMS, "d"], [*WORKERS, "hermit"], [*LABELS, "cat"]))
    assert "1 worker shares no item with anyone (hermit)" in votes.notes[0]
    single = read_votes((["a", "b", "c", "d"], ["x", "y", "x", "y"], [0, 1, 1, 0]))
    assert "Every item has one vote" in single.notes[0]
    assert len(single.notes) == 1


@pytest.mark.parametrize(
    ("votes", "said"),
    [
        ({"item": ITEMS, "worker": WORKERS}, "no column 'label' among the votes; the columns are"),
        ((ITEMS, WORKERS), r"three arrays, \(items, workers, labels\), but 2"),
        ((ITEMS, WORKERS, LABELS[:3]), "as many, but are 6, 6, 3"),
        (np.zeros(4), r"but this has the shape \(4,\)"),
        (([], [], []), "there are no votes"),
        ((ITEMS, ["x"] * 6, LABELS), r"all votes are by one worker \(x\).*errata.audit"),
        ((ITEMS, WORKERS, ["cat"] * 6), r"all votes name one class \(cat\)"),
        ((np.arange(12), [1, 2] * 6, list("abcdefghijkl")), "look like text"),
        ((np.arange(60), [1, 2] * 30, np.linspace(0, 1, 60)), "fractions|measurement"),
        ((np.array([1, "a"], dtype=object), ["x", "y"], ["p", "q"]), "items are of several kinds"),
    ],
)
def test_bad_votes_are_refused_in_a_sentence(votes, said):
    with pytest.raises(ValueError, match=said):
        read_votes(votes)


def test_classes_given_may_be_more_than_votes_name_but_not_fewer():
    votes = read_votes((ITEMS, WORKERS, ["cat"] * 6), classes=["owl", "cat"])
    assert votes.classes.tolist() == ["cat", "owl"]
    with pytest.raises(ValueError, match="votes name dog, which classes does not hold"):
        read_votes((ITEMS, WORKERS, LABELS), classes=["owl", "cat"])


def test_minus_one_is_no_vote_where_labels_count_from_zero():
    wide = np.array([[0, 0, -1], [1, -1, 1], [-1, -1, -1], [2, 2, 0]])
    votes = read_votes(wide)
    assert votes.classes.tolist() == [0, 1, 2]
    assert len(votes) == 7
    assert votes.unvoted.tolist() == [2]
    assert "5 answers of -1 were taken for no vote" in votes.notes[0]


@pytest.mark.parametrize(
    ("labels", "classes"),
    [([-1, 1, 1, -1], None), ([-1, 0, 1, 1], [-1, 0, 1]), ([-2, -1, 0, 0], None)],
)
def test_minus_one_may_be_a_class(labels, classes):
    votes = read_votes((["a", "a", "b", "b"], [1, 2, 1, 2], labels), classes=classes)
    assert votes.classes.tolist() == sorted(set(labels))
    assert len(votes) == 4
