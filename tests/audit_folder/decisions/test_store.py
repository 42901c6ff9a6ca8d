import threading

import pytest

from decision_cases import said, standing
from errata.exceptions import ConflictingEvent
from errata.review import Decisions


@pytest.fixture
def path(tmp_path):
    return tmp_path / "pets.decisions"


@pytest.fixture
def decisions(path):
    with Decisions(path) as opened:
        yield opened


def test_what_is_recorded_is_there_the_next_time(path):
    with Decisions(path) as decisions:
        number = decisions.record(said(note="über ✓", seconds=1.5, batch="b"))
        before = standing(decisions)
        (event,) = decisions.events()
    with Decisions(path) as decisions:
        assert list(decisions.events()) == [event]
        assert standing(decisions) == before
    assert event.id == number == 1
    assert (event.note, event.seconds, event.batch) == ("über ✓", 1.5, "b")


def test_only_the_file_and_its_lock_stay_behind(path):
    with Decisions(path) as decisions:
        decisions.record(said())
    assert {file.name for file in path.parent.iterdir()} == {path.name, f"{path.name}.lock"}


def test_a_request_sent_again_is_one_event(decisions):
    event = said(key="k")
    assert decisions.record(event) == decisions.record(event) == 1
    assert decisions.record_all([event, said(key="l"), said(key="l")]) == [1, 2, 2]
    assert len(list(decisions.events())) == 2


def test_an_undo_sent_again_is_one_undo(decisions):
    decisions.record(said())
    decisions.record(said(row=1))
    assert decisions.undo("ann", key="u") == decisions.undo("ann", key="u")
    assert decisions.redo("ann", key="r") == decisions.redo("ann", key="r")
    assert len(list(decisions.events())) == 4


def test_one_key_for_two_things_is_a_conflict(decisions):
    decisions.record(said(key="k"))
    before = standing(decisions)
    sentence = "event 'k' is known as 'suggestion' by 'ann' and now says something else"
    for event in (said("label", key="k"), said(row=1, key="k"), said(reviewer="bob", key="k")):
        with pytest.raises(ConflictingEvent, match=sentence):
            decisions.record_all([said(row=7), event])
    with pytest.raises(ConflictingEvent, match=sentence):
        decisions.undo("ann", key="k")
    assert standing(decisions) == before


def test_events_after_a_number(decisions):
    decisions.record_all([said(row=row) for row in range(5)])
    assert [event.row for event in decisions.events(after=3)] == [3, 4]
    assert list(decisions.events(after=5)) == []


def test_who_only_looks_sees_what_is_written_and_writes_nothing(decisions, path):
    with Decisions(path, read_only=True) as reader:
        assert dict(reader.verdicts()) == {}
        decisions.record(said())
        assert standing(reader) == standing(decisions)
        with pytest.raises(PermissionError, match="was opened to be read only"):
            reader.record(said())


def test_two_connections_see_each_other(decisions, path):
    with Decisions(path) as other:
        for row in range(4):
            (decisions if row % 2 else other).record(said(row=row))
        assert decisions.undo("ann").row == 3
        assert standing(other) == standing(decisions)


def test_threads_share_a_store(decisions):
    def work(reviewer):
        for row in range(25):
            decisions.record(said(row=row, reviewer=reviewer))

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(list(decisions.events())) == 100
    assert {verdict.reviewers for verdict in decisions.verdicts().values()} == {tuple("abcd")}


def test_places_that_cannot_be_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"x.decisions does not exist"):
        Decisions(tmp_path / "x.decisions", read_only=True)
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        Decisions(tmp_path / "none" / "x.decisions")
    with pytest.raises(IsADirectoryError, match="is a folder; give a file"):
        Decisions(tmp_path)


def test_what_decisions_are_about_is_said_once(decisions):
    decisions.describe({"table": "pets.csv", "label": "pet"})
    decisions.describe({"table": "other.csv", "made by": "errata 1"})
    assert decisions.about == {"label": "pet", "made by": "errata 1", "table": "pets.csv"}
    decisions.check_about({"table": "pets.csv"})
    with pytest.raises(ValueError, match="decisions about the column 'pet', not about 'kind'"):
        decisions.check_about({"label": "kind"})


def test_it_says_what_it_is(decisions):
    decisions.record(said())
    assert repr(decisions) == f"<Decisions: 1 event in {decisions.path}>"
