import errno
import sqlite3

import pytest

from decision_cases import said, standing
from errata.audit_folder.decisions._file import explained
from errata.review import Decisions


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
    with pytest.raises(kind, match=sentence), explained(tmp_path / "x"):
        raise error
