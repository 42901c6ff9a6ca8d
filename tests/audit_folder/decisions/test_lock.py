import json
import os
import subprocess
import sys
from contextlib import closing

import pytest

from decision_cases import said
from errata.audit_folder.decisions._file import WriterLock
from errata.exceptions import BeingReviewed
from errata.review import Decisions

ADDRESS = "http://127.0.0.1:8765"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "pets.decisions"


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr("errata.audit_folder.decisions._log._SECONDS", 0.01)


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
