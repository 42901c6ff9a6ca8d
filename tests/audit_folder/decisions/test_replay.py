import shutil
from collections import defaultdict
from itertools import permutations
from random import Random
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decision_cases import said, standing
from errata.exceptions import ConflictingEvent
from errata.review import Decisions

steps = st.lists(
    st.tuples(
        st.sampled_from(["say", "say", "say", "batch", "undo", "undo", "redo"]),
        st.sampled_from(["ann", "bob"]),
        st.sampled_from(["suggestion", "label", "other", "ambiguous", "unusable", "skip", "note"]),
        st.integers(0, 3),
    ),
    max_size=40,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("replays")


def fresh(folder):
    return Decisions(folder / f"{uuid4().hex}.decisions")


class Stacks:
    """What undo and redo mean to a person: a pile of what was said, and one of what was undone."""

    def __init__(self):
        self.done, self.undone = defaultdict(list), defaultdict(list)

    def say(self, reviewer, events):
        self.done[reviewer].append(events)
        self.undone[reviewer].clear()

    def undo(self, reviewer):
        if self.done[reviewer]:
            self.undone[reviewer].append(self.done[reviewer].pop())

    def redo(self, reviewer):
        if self.undone[reviewer]:
            self.done[reviewer].append(self.undone[reviewer].pop())

    def events(self):
        return [event for piles in self.done.values() for events in piles for event in events]


def play(decisions, script):
    stacks = Stacks()
    for number, (step, reviewer, kind, row) in enumerate(script):
        if step in ("undo", "redo"):
            getattr(decisions, step)(reviewer)
            getattr(stacks, step)(reviewer)
            continue
        events = [said(kind, row, reviewer, note="so" if kind == "note" else None)]
        if step == "batch":
            batch = f"batch {number}"
            events = [said("label", row + i, reviewer, batch=batch) for i in range(3)]
        ids = decisions.record_all(events)
        stacks.say(reviewer, [event for event in decisions.events() if event.id in ids])
    return stacks


@settings(max_examples=40, deadline=None)
@given(script=steps)
def test_undo_and_redo_leave_what_a_replay_without_them_would(folder, script):
    with fresh(folder) as played, fresh(folder) as plain:
        stacks = play(played, script)
        plain.record_all(sorted(stacks.events(), key=lambda event: event.order))
        verdicts, last, agreement = standing(played)
        seen = {key: verdict for key, verdict in verdicts.items() if verdict.state != "seen"}
        plain_verdicts, plain_last, plain_agreement = standing(plain)
        assert seen == {k: v for k, v in plain_verdicts.items() if v.state != "seen"}
        assert (last, agreement) == (plain_last, plain_agreement)


@settings(max_examples=20, deadline=None)
@given(script=steps)
def test_what_is_kept_up_to_date_is_what_a_new_reading_finds(folder, script):
    with fresh(folder) as decisions:
        play(decisions, script)
        with Decisions(decisions.path, read_only=True) as again:
            assert standing(again) == standing(decisions)


@pytest.fixture
def decisions(tmp_path):
    with Decisions(tmp_path / "pets.decisions") as opened:
        yield opened


def state(decisions, row=0):
    return decisions.verdicts()[f"row.{row}"].state


def test_a_batch_is_undone_and_redone_as_one(decisions):
    decisions.record(said("skip", row=1))
    decisions.record_all([said(row=row, batch="b") for row in range(500)])
    undo = decisions.undo("ann")
    assert undo.kind == "undo"
    assert undo.row == 499
    assert {state(decisions, row) for row in range(500)} == {"seen", "skipped"}
    assert decisions.redo("ann").undoes == undo.id
    assert {state(decisions, row) for row in range(500)} == {"decided"}


def test_batches_of_two_reviewers_with_one_name_are_two(decisions):
    decisions.record(said(reviewer="ann", batch="b"))
    decisions.record(said(row=1, reviewer="bob", batch="b"))
    decisions.undo("ann")
    assert (state(decisions, 0), state(decisions, 1)) == ("seen", "decided")


def test_undo_reaches_back_without_limit_and_redo_forward(decisions):
    decisions.record_all([said(row=row) for row in range(50)])
    undone = [decisions.undo("ann").row for _ in range(50)]
    assert undone == list(range(49, -1, -1))
    assert decisions.undo("ann") is None
    assert [decisions.redo("ann").row for _ in range(50)] == list(range(50))
    assert decisions.redo("ann") is None


def test_nobody_undoes_what_another_said(decisions):
    decisions.record(said())
    assert decisions.undo("bob") is None
    assert decisions.redo("bob") is None
    with pytest.raises(ValueError, match="event 1 is none that 'bob' could take back"):
        decisions.undo("bob", of=1)


def test_something_new_ends_what_could_be_redone(decisions):
    decisions.record(said())
    decisions.undo("ann")
    decisions.record(said(row=1))
    assert decisions.redo("ann") is None


def test_any_event_can_be_taken_back_by_its_number(decisions):
    first = decisions.record(said())
    decisions.record(said(row=1))
    decisions.undo("ann", of=first)
    assert (state(decisions, 0), state(decisions, 1)) == ("seen", "decided")
    with pytest.raises(ValueError, match="event 1 has been taken back already"):
        decisions.undo("ann", of=first)
    with pytest.raises(ValueError, match="event 3 is none that 'ann' could take back"):
        decisions.undo("ann", of=3)


def test_history_says_what_stands(decisions):
    decisions.record(said())
    decisions.undo("ann")
    decisions.record(said("label"))
    told = [(event.kind, stands) for event, stands in decisions.history("row.0")]
    assert told == [("suggestion", False), ("label", True)]
    assert decisions.history("row.9") == []


KINDS = ["suggestion", "label", "other", "ambiguous", "unusable", "skip", "note"]


def review(path, reviewer, count, seed):
    """One person deciding, undoing, redoing, changing their mind; rows overlap with others'."""
    random = Random(seed)
    with Decisions(path) as decisions:
        for number in range(count):
            step = random.choices(["say", "undo", "redo", "batch"], [6, 2, 1, 1])[0]
            if step in ("undo", "redo"):
                getattr(decisions, step)(reviewer)
            elif step == "say":
                decisions.record(said(random.choice(KINDS), random.randrange(count // 3), reviewer))
            else:
                batch = [said("label", row, reviewer, batch=f"b{number}") for row in range(3)]
                decisions.record_all(batch)


def merged(folder, order):
    target = folder / f"{'-'.join(order)}.decisions"
    shutil.copy(folder / f"{order[0]}.decisions", target)
    with Decisions(target) as decisions:
        for name in order[1:]:
            decisions.merge(folder / f"{name}.decisions")
        return standing(decisions)


def same_in_any_order(folder, count, seed):
    for place, name in enumerate(("ann", "bob", "cat")):
        review(folder / f"{name}.decisions", name, count, seed + place)
    # One of them goes on from a copy of another's file, as its own reviewer, and as the other.
    shutil.copy(folder / "ann.decisions", folder / "late.decisions")
    review(folder / "late.decisions", "bob", count // 3, seed)
    review(folder / "late.decisions", "ann", count // 3, seed)
    names = ("ann", "bob", "cat", "late")
    states = [merged(folder, order) for order in permutations(names)]
    assert all(state == states[0] for state in states)


@pytest.mark.parametrize("seed", [0, 10])
def test_files_become_one_in_any_order(tmp_path, seed):
    same_in_any_order(tmp_path, 40, seed)


@pytest.mark.slow
def test_large_files_become_one_in_any_order(tmp_path):
    same_in_any_order(tmp_path, 1000, 0)


@pytest.fixture
def two(tmp_path):
    with Decisions(tmp_path / "a.decisions") as a, Decisions(tmp_path / "b.decisions") as b:
        yield a, b


def test_merging_twice_is_merging_once(two):
    ours, theirs = two
    ours.record(said(reviewer="ann"))
    theirs.record(said(row=1, reviewer="bob"))
    theirs.undo("bob")
    assert ours.merge(theirs) == (2, 0)
    assert ours.merge(theirs.path) == (0, 2)
    assert ours.verdicts()["row.1"].state == "seen"
    assert ours.redo("bob").row == 1


def test_an_undo_takes_back_the_same_event_though_its_number_is_another(two):
    ours, theirs = two
    ours.record_all([said(row=row) for row in range(5)])
    theirs.record(said(row=7, reviewer="bob"))
    theirs.undo("bob")
    ours.merge(theirs)
    assert [verdict.state for verdict in ours.verdicts().values()] == [*["decided"] * 5, "seen"]


def test_a_conflict_merges_nothing(two):
    ours, theirs = two
    ours.record(said(key="k"))
    theirs.record(said(row=3))
    theirs.record(said("label", key="k"))
    with pytest.raises(ConflictingEvent, match="event 'k' is known as 'suggestion'"):
        ours.merge(theirs)
    assert len(list(ours.events())) == 1


def test_decisions_about_another_table_are_refused(two):
    ours, theirs = two
    ours.describe({"table": "pets.csv"})
    theirs.describe({"table": "wine.csv"})
    with pytest.raises(ValueError, match=r"decisions about the table 'pets.csv', not about 'wine"):
        ours.merge(theirs)


def test_what_is_merged_says_what_it_is_about(two):
    ours, theirs = two
    theirs.describe({"table": "wine.csv"})
    ours.merge(theirs)
    assert ours.about == {"table": "wine.csv"}


def test_what_comes_later_in_time_counts_though_it_was_merged_earlier(two):
    ours, theirs = two
    ours.record(said("label", at="2026-01-02"))
    theirs.record(said("suggestion", at="2026-01-01"))
    ours.merge(theirs)
    assert ours.verdicts()["row.0"].class_text == '"cat"'
    ours.record(said("suggestion", at="2026-01-03"))
    assert ours.verdicts()["row.0"].class_text == '"dog"'


def test_what_is_said_after_merging_a_clock_ahead_is_still_later(two):
    ours, theirs = two
    theirs.record(said("label", at="2999-01-01"))
    ours.merge(theirs)
    ours.record(said("suggestion"))
    assert ours.verdicts()["row.0"].class_text == '"dog"'


def test_copies_that_both_brought_the_same_back_become_one(tmp_path):
    ours, theirs = tmp_path / "ours.decisions", tmp_path / "theirs.decisions"
    with Decisions(ours) as decisions:
        decisions.record(said(row=0))
        decisions.record(said(row=1))
        decisions.undo("ann")
    shutil.copy(ours, theirs)
    for path in (ours, theirs):
        with Decisions(path) as decisions:
            decisions.redo("ann")
    with Decisions(ours) as decisions:
        assert decisions.merge(theirs)[0] == 1
        assert [verdict.state for verdict in decisions.verdicts().values()] == ["decided"] * 2
        decisions.undo("ann")
        assert decisions.verdicts()["row.1"].state == "seen"
        assert decisions.redo("ann").row == 1
    with Decisions(ours, read_only=True) as again:
        assert [verdict.state for verdict in again.verdicts().values()] == ["decided"] * 2


def test_a_gold_row_is_answered_and_never_decided(decisions):
    decisions.record(said("label", row=1, queue="gold"))
    decisions.record(said("suggestion", row=2))
    decisions.record(said("other", row=2, queue="gold"))
    assert list(decisions.verdicts()) == ["row.2"]
    assert decisions.verdicts()["row.2"].class_text == '"dog"'
    assert list(decisions.by_reviewer()) == [("row.2", "ann")]
    assert {place: event.kind for place, event in decisions.tests().items()} == {
        ("row.1", "ann"): "label",
        ("row.2", "ann"): "other",
    }
    decisions.undo("ann")
    assert list(decisions.tests()) == [("row.1", "ann")]
    decisions.redo("ann")
    assert len(decisions.tests()) == 2
