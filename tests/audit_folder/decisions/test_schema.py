import sqlite3

import pytest

from decision_cases import said
from errata.audit_folder.decisions._file import use_journal
from errata.review import Decisions


@pytest.fixture
def database(tmp_path):
    """The file of one event, by the back door."""
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
