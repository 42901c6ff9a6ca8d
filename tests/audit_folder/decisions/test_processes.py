"""Several processes write; processes are killed while they do: nothing acknowledged is lost."""

import random
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from errata.review import Decisions

# What a writer prints is on disk: the key of each event, after record has returned.
WRITER = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from decision_cases import said
from errata.review import Decisions
from errata.audit_folder.decisions import _log
_log._SECONDS = 300  # to wait for the others, however busy the machine is
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
