import errno
import json
import os
import random
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from decision_cases import said, standing
from errata.audit_folder.decisions._file import WriterLock, explain_errors, time_after, use_journal
from errata.exceptions import BeingReviewed, ConflictingEvent
from errata.review import Decisions, decisions_path, open_decisions


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


def test_a_full_disk_keeps_nothing_of_the_event_and_all_of_the_others(tmp_path):
    path = tmp_path / "pets.decisions"
    with Decisions(path) as decisions:
        decisions.record(said())
        before = standing(decisions)
        pages = decisions._log.connection.execute("PRAGMA page_count").fetchone()[0]
        decisions._log.connection.execute(f"PRAGMA max_page_count={pages}")
        big = [said(row=row, note="x" * 4000) for row in range(20)]
        with pytest.raises(OSError, match=r"pets.decisions: no space is left") as caught:
            decisions.record_all(big)
        assert caught.value.errno == errno.ENOSPC
        assert standing(decisions) == before
        decisions._log.connection.execute("PRAGMA max_page_count=1000000")
        decisions.record_all(big)  # the same request again, when there is room
        assert len(list(decisions.events())) == 21


def test_a_file_that_can_only_be_read_is_said_to_be(tmp_path):
    with Decisions(tmp_path / "pets.decisions") as decisions:
        decisions._log.connection.execute("PRAGMA query_only=ON")
        with pytest.raises(PermissionError, match=r"pets.decisions: it can only be read"):
            decisions.record(said())


@pytest.mark.parametrize(
    ("name", "kind", "sentence"),
    [
        ("SQLITE_BUSY", OSError, "another program keeps it busy"),
        ("SQLITE_CANTOPEN", PermissionError, "is closed to you"),
        ("SQLITE_CORRUPT", ValueError, "or is damaged"),
        ("SQLITE_IOERR", OSError, "x cannot be used: broken"),
    ],
)
def test_other_errors_name_the_file(tmp_path, name, kind, sentence):
    error = sqlite3.OperationalError("broken")
    error.sqlite_errorcode = getattr(sqlite3, name) | 256  # codes come with details
    with pytest.raises(kind, match=sentence), explain_errors(tmp_path / "x"):
        raise error


ADDRESS = "http://127.0.0.1:8765"


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr("errata.audit_folder.decisions._file.WAIT", 0.01)


@pytest.mark.usefixtures("impatient")
def test_whoever_serves_is_the_only_one_who_writes(path):
    sentence = f"pets.decisions is being reviewed already, by process {os.getpid()} at {ADDRESS};"
    with Decisions(path) as other, Decisions(path) as server:
        server.keep_lock(ADDRESS)
        assert server.record(said()) == 1
        with pytest.raises(BeingReviewed, match=sentence):
            other.record(said())
        with pytest.raises(BeingReviewed, match=sentence):
            other.keep_lock("http://127.0.0.1:9999", wait=0)
        with pytest.raises(BeingReviewed, match=sentence):
            Decisions(path)
        with Decisions(path, read_only=True) as reader:
            assert len(list(reader.events())) == 1
        server.record(said())
        assert len(list(other.events())) == 2


def test_the_lock_goes_with_the_server(path):
    with Decisions(path) as server:
        server.keep_lock(ADDRESS)
    with Decisions(path) as next_server:
        next_server.keep_lock(ADDRESS, wait=0)


def test_the_lock_of_a_killed_server_is_gone_and_its_name_with_it(path):
    code = (
        "import sys, os, signal; from errata.review import Decisions\n"
        f"d = Decisions(sys.argv[1]); d.keep_lock({ADDRESS!r}); os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=False)
    assert json.loads(path.with_name("pets.decisions.lock").read_text())["address"] == ADDRESS
    with Decisions(path) as decisions:
        decisions.record(said())
    assert path.with_name("pets.decisions.lock").read_text() == ""


def test_who_writes_for_a_moment_is_not_taken_for_a_server(path):
    sentence = "is being written by another process"
    with (
        closing(WriterLock(path)) as first,
        closing(WriterLock(path)) as second,
        first.held(0),
        pytest.raises(BeingReviewed, match=sentence),
    ):
        second.keep(ADDRESS, 0)


def test_a_folder_that_takes_no_lock_is_said_to(path):
    path.with_name("pets.decisions.lock").mkdir()
    with pytest.raises(OSError, match=r"cannot write beside .*pets.decisions: Is a directory"):
        Decisions(path)


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "pets.audit"
    folder.mkdir()
    about = {"table": "/data/pets.csv", "label": "pet", "version": "0.1.0"}
    (folder / "audit.json").write_text(json.dumps({"about": about, "fingerprint": "5f0c"}))
    return folder


@pytest.mark.parametrize(
    ("audit", "name"),
    [("a/pets.audit", "pets"), ("pets.audit/", "pets"), ("out", "out"), ("a.b.audit", "a.b")],
)
def test_decisions_are_beside_the_audit(audit, name):
    assert decisions_path(audit) == Path(audit).parent / f"{name}.decisions"


def test_a_folder_without_a_name_has_one_all_the_same(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert decisions_path(".") == folder.parent / "pets.decisions"


def test_a_new_file_says_what_it_is_about(folder):
    with open_decisions(folder) as decisions:
        decisions.record(said())
        assert decisions.about == {
            "audit": "5f0c",
            "label": "pet",
            "made by": "errata 0.1.0",
            "table": "pets.csv",
        }
    assert (folder.parent / "pets.decisions").is_file()
    with open_decisions(folder, read_only=True) as decisions:
        assert len(list(decisions.events())) == 1


def test_decisions_of_another_table_are_refused(folder, tmp_path):
    with open_decisions(folder, tmp_path / "mine.decisions"):
        pass
    about = {"table": "wine.csv", "label": "pet"}
    (folder / "audit.json").write_text(json.dumps({"about": about}))
    with pytest.raises(ValueError, match=r"about the table 'pets.csv', not about 'wine.csv'"):
        open_decisions(folder, tmp_path / "mine.decisions")


def test_a_folder_that_is_no_audit_is_refused(tmp_path):
    with pytest.raises(ValueError, match="is not an audit that errata has written"):
        open_decisions(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def database(tmp_path):
    """The file of one event, past the store."""
    with Decisions(tmp_path / "pets.decisions") as decisions:
        decisions.record(said())
    connection = sqlite3.connect(tmp_path / "pets.decisions", isolation_level=None)
    connection.execute("PRAGMA foreign_keys=ON")
    yield connection
    connection.close()


def test_the_file_is_marked_as_ours_and_written_ahead(database):
    assert database.execute("PRAGMA application_id").fetchone() == (0x65727261,)
    assert database.execute("PRAGMA user_version").fetchone() == (1,)
    assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    strict = database.execute("SELECT name FROM pragma_table_list WHERE strict").fetchall()
    assert {name for (name,) in strict} >= {"about", "event"}


def test_commits_wait_for_the_disk(tmp_path):
    with Decisions(tmp_path / "pets.decisions") as decisions:
        assert decisions._log.connection.execute("PRAGMA synchronous").fetchone() == (2,)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"reviewer": "''"}, "CHECK constraint failed: reviewer"),
        ({"kind": "'maybe'"}, "CHECK constraint failed: kind IN"),
        ({"kind": "'skip'"}, "CHECK constraint failed: .*class IS NOT NULL"),
        ({"class": "NULL"}, "CHECK constraint failed: .*class IS NOT NULL"),
        ({"kind": "'undo'", "class": "NULL"}, "CHECK constraint failed: .*undoes IS NOT NULL"),
        ({"undoes": "1"}, "CHECK constraint failed: .*undoes IS NOT NULL"),
        ({"undoes": "99", "kind": "'undo'", "class": "NULL"}, "FOREIGN KEY constraint failed"),
        ({"note": "printf('%4001d', 1)"}, r"CHECK constraint failed: length\(note\)"),
        ({"key": "key"}, "UNIQUE constraint failed: event.key"),
        ({"p_wrong": "NULL"}, "NOT NULL constraint failed: event.p_wrong"),
        ({"row": "'first'"}, "cannot store TEXT value in INTEGER column event.row"),
    ],
)
def test_the_database_refuses_what_the_rules_forbid(database, change, complaint):
    names = [row[1] for row in database.execute("PRAGMA table_info(event)")]
    values = dict(zip(names, names, strict=True)) | {"id": "2", "key": "'other'"} | change
    copy = f"INSERT INTO event SELECT {', '.join(values.values())} FROM event WHERE id = 1"
    with pytest.raises(sqlite3.IntegrityError, match=complaint):
        database.execute(copy)


def test_events_are_never_changed_nor_deleted(database):
    with pytest.raises(sqlite3.IntegrityError, match="events are never changed"):
        database.execute("UPDATE event SET kind = 'label'")
    with pytest.raises(sqlite3.IntegrityError, match="events are never deleted"):
        database.execute("DELETE FROM event")


def test_what_is_no_database_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "pets.decisions"
    path.write_text("cat,dog\n" * 100)
    with pytest.raises(ValueError, match=r"pets.decisions is not a file of decisions, or is damag"):
        Decisions(path)
    assert path.read_text() == "cat,dog\n" * 100
    assert [file.name for file in tmp_path.iterdir()] == ["pets.decisions"]


def test_the_database_of_another_application_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "pets.decisions"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE t (x)")
    other.close()
    before = path.read_bytes()
    for read_only in (True, False):
        with pytest.raises(ValueError, match=r"is a database, but not one of decisions"):
            Decisions(path, read_only=read_only)
    assert path.read_bytes() == before


def test_a_file_of_a_newer_errata_is_refused(database, tmp_path):
    database.execute("PRAGMA user_version=2")
    database.close()
    with pytest.raises(ValueError, match="written by a newer errata, in version 2"):
        Decisions(tmp_path / "pets.decisions")


def test_a_file_system_without_shared_memory_gets_the_old_journal(tmp_path):
    address = f"{(tmp_path / 'old.decisions').as_uri()}?vfs=unix-dotfile"
    connection = sqlite3.connect(address, uri=True)
    assert use_journal(connection) == "delete"
    connection.close()


def test_a_file_where_nothing_can_be_put_beside_it_is_read_all_the_same(tmp_path):
    with Decisions(tmp_path / "pets.decisions") as decisions:
        decisions.record(said())
    (tmp_path / "pets.decisions-shm").mkdir()  # in the way, as a disk is that can only be read
    with Decisions(tmp_path / "pets.decisions", read_only=True) as decisions:
        assert len(list(decisions.events())) == 1


# What a writer prints is on disk: the key of each event, after record has returned.
WRITER = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from decision_cases import said
from errata.review import Decisions
from errata.audit_folder.decisions import _file
_file.WAIT = 300  # to wait for the others, however busy the machine is
path, name, count = sys.argv[1:]
with Decisions(path) as decisions:
    for row in range(int(count)):
        event = said(row=row, reviewer=name, key=f'{{name}}-{{row}}')
        decisions.record(event)
        print(event.key, flush=True)
"""


def start(path, name, count):
    command = [sys.executable, "-c", WRITER, str(path), name, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def is_whole(path):
    connection = sqlite3.connect(path)
    (answer,) = connection.execute("PRAGMA integrity_check").fetchone()
    connection.close()
    return answer == "ok"


def test_four_processes_write_at_once(tmp_path):
    path = tmp_path / "pets.decisions"
    writers = [start(path, name, 150) for name in "abcd"]
    keys = [key for writer in writers for key in writer.communicate()[0].split()]
    assert [writer.returncode for writer in writers] == [0] * 4
    with Decisions(path, read_only=True) as decisions:
        kept = [event.key for event in decisions.events()]
        assert len(decisions.verdicts()) == 150
    assert len(kept) == 600
    assert sorted(kept) == sorted(keys)
    assert is_whole(path)


def killed_writers(path, times):
    """Acknowledged keys of writers, each of which is killed at some moment."""
    chance, acknowledged = random.Random(0), []
    for number in range(times):
        writer = start(path, f"writer{number}", 10**6)
        said = [writer.stdout.readline() for _ in range(chance.randint(2, 20))]
        writer.kill()  # somewhere in what it does after that
        said += writer.stdout
        acknowledged += [line.strip() for line in said if line.endswith("\n")]
        writer.wait()
        writer.stdout.close()
    return acknowledged


def check_killed(path, times):
    acknowledged = killed_writers(path, times)
    with Decisions(path) as decisions:
        kept = [event.key for event in decisions.events()]
    assert len(acknowledged) > times
    assert set(acknowledged) <= set(kept)
    assert len(set(kept)) == len(kept)
    assert is_whole(path)


def test_killing_a_writer_loses_nothing_acknowledged(tmp_path):
    check_killed(tmp_path / "pets.decisions", 3)  # the server is killed more often


@pytest.mark.slow
def test_killing_a_writer_a_thousand_times_loses_nothing_acknowledged(tmp_path):
    check_killed(tmp_path / "pets.decisions", 1000)


def test_time_goes_on_even_if_the_clock_does_not():
    times = [time_after("")]
    for _ in range(500):
        times.append(time_after(times[-1]))
    assert times == sorted(set(times))
    assert {len(time) for time in times} == {27}


def test_a_clock_that_is_behind_still_goes_on():
    assert time_after("2999-12-31T23:59:59.999999Z") == "3000-01-01T00:00:00.000000Z"
