import shutil
from itertools import permutations
from random import Random

import pytest

from decision_cases import said, standing
from errata.exceptions import ConflictingEvent
from errata.review import Decisions, Merged

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
    assert ours.merge(theirs) == Merged(2, 0)
    assert ours.merge(theirs.path) == Merged(0, 2)
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
        assert decisions.merge(theirs).added == 1
        assert [verdict.state for verdict in decisions.verdicts().values()] == ["decided"] * 2
        decisions.undo("ann")
        assert decisions.verdicts()["row.1"].state == "seen"
        assert decisions.redo("ann").row == 1
    with Decisions(ours, read_only=True) as again:
        assert [verdict.state for verdict in again.verdicts().values()] == ["decided"] * 2
