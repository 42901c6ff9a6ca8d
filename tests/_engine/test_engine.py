import errno
import json
import os
import signal
import subprocess
import sys
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine_cases import (
    cut,
    fail_at_twenty,
    has_run,
    join,
    leave_trace,
    positions,
    tenth_sum,
    two_workers,
    wait_for_gate,
)
from errata._engine import Here, Ledger, Stage, map_elsewhere, release_memory
from errata.exceptions import MissingExtraError
from waiting import wait_until

TESTS = Path(__file__).parents[1]


def ledger_in(folder):
    return Ledger.open(folder / "work", {"rows": 50}, resume=True)


@given(st.integers(1, 40), st.integers(1, 50))
def test_results_are_merged_in_the_order_of_parts(n, size):
    parts = cut(n, size)
    assert Here().reduce(positions, join, parts, "s", stage="scan") == [("s", i) for i in range(n)]
    assert Here().map(positions, parts, "s", stage="scan") == [positions(p, "s") for p in parts]


def test_parts_are_merged_as_they_come_so_that_one_is_held():
    seen = []
    Here().reduce(
        lambda part, _: seen.append(part.start) or [part.start],
        lambda left, right: seen.append("merge") or left + right,
        cut(30, 10),
        None,
        stage="scan",
    )
    assert seen == [0, 10, "merge", 20, "merge"]


def test_the_same_numbers_with_and_without_a_ledger_and_a_second_time(tmp_path):
    plain = Here().reduce(tenth_sum, join, cut(50, 7), 0.1, stage="scan")
    for _ in range(2):
        kept = Here(ledger_in(tmp_path)).reduce(tenth_sum, join, cut(50, 7), 0.1, stage="scan")
        assert np.float64(kept).tobytes() == np.float64(plain).tobytes()


def test_what_was_finished_before_an_error_is_not_done_again(tmp_path):
    with pytest.raises(ValueError, match="rows 20 to 29: column 'age' is odd"):
        Here(ledger_in(tmp_path)).reduce(fail_at_twenty, join, cut(50, 10), tmp_path, stage="scan")
    before = times(tmp_path)
    assert len(before) == 2
    seen = []
    engine = Here(ledger_in(tmp_path), seen.append)
    found = engine.reduce(leave_trace, join, cut(50, 10), tmp_path, stage="scan")
    assert found == [0, 10, 20, 30, 40]
    assert [(tmp_path / f"ran-{start}").read_text() for start in (0, 10, 30)] == ["x", "x", "x"]
    assert before.items() <= times(tmp_path).items()
    assert [(stage.done, stage.kept) for stage in seen] == [
        (0, 0), (10, 10), (20, 20), (30, 20), (40, 20), (50, 20),
    ]  # fmt: skip


def times(folder):
    """When each finished part was written."""
    return {p.name: p.stat().st_mtime_ns for p in (folder / "work").glob("scan-*.pickle")}


def test_items_of_a_map_are_kept_too(tmp_path):
    assert Here(ledger_in(tmp_path)).map(pow, [2, 3], 2, stage="squares") == [4, 9]
    assert Here(ledger_in(tmp_path)).map(None, [2, 3], 2, stage="squares") == [4, 9]


def test_stages_do_not_mix(tmp_path):
    engine = Here(ledger_in(tmp_path))
    engine.reduce(positions, join, cut(20, 10), 1, stage="scan")
    assert engine.reduce(positions, join, cut(20, 10), 2, stage="judge")[0] == (2, 0)


class Odd(Exception):
    """Cannot be made again from its text."""

    def __init__(self, first, second):
        super().__init__(f"{first} and {second}")


@pytest.mark.parametrize(
    ("raised", "kind", "text"),
    [
        (ValueError("is odd."), ValueError, "is odd."),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "no"), ValueError, "can't decode"),
        (
            FileNotFoundError(errno.ENOENT, "No such file", "a.csv"),
            FileNotFoundError,
            "file: a.csv",
        ),
        (TimeoutError("too long"), OSError, "too long"),
        (MissingExtraError("install it"), MissingExtraError, "install it"),
        (MemoryError(), MemoryError, "MemoryError"),
        (KeyError("age"), RuntimeError, "KeyError: 'age'"),
        (Odd(1, 2), RuntimeError, "Odd: 1 and 2"),
    ],
)
def test_errors_name_stage_and_part_and_stay_of_their_kind(raised, kind, text):
    def task(part, shared):
        raise raised

    told = rf"scan, table.parquet, rows 0 to 9: .*{text}"
    with pytest.raises(kind, match=told) as caught:
        Here().reduce(task, join, cut(10, 10), None, stage="scan")
    assert caught.value.__cause__ is raised


def test_a_full_disk_says_how_to_go_on_and_does(tmp_path):
    def full_at_twenty(part, shared):
        if part.start == 20:
            raise OSError(errno.ENOSPC, "No space left on device")
        return leave_trace(part, shared)

    engine = Here(ledger_in(tmp_path))
    with pytest.raises(
        OSError, match=r"rows 20 to 29: .*Free some space; .*same call goes on"
    ) as caught:
        engine.reduce(full_at_twenty, join, cut(50, 10), tmp_path, stage="scan")
    assert caught.value.errno == errno.ENOSPC
    found = Here(ledger_in(tmp_path)).reduce(leave_trace, join, cut(50, 10), tmp_path, stage="scan")
    assert found == [0, 10, 20, 30, 40]
    assert (tmp_path / "ran-10").read_text() == "x"


STOPPED = """
import sys
from pathlib import Path
from engine_cases import cut, join, wait_for_gate
from errata._engine import Here, Ledger

folder = Path(sys.argv[1])
ledger = Ledger.open(folder / "work", {"rows": 50}, resume=True)
Here(ledger).reduce(wait_for_gate, join, cut(50, 10), folder, stage="scan")
"""


def test_a_killed_process_goes_on_after_what_it_had_finished(tmp_path):
    killed = subprocess.Popen([sys.executable, "-c", STOPPED, str(tmp_path)], cwd=TESTS)
    wait_until(partial(has_run, tmp_path, 40), "the fifth part runs", alive=killed)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    before = times(tmp_path)
    assert len(before) == 4
    (tmp_path / "open").touch()
    engine = Here(ledger_in(tmp_path))
    found = engine.reduce(wait_for_gate, join, cut(50, 10), tmp_path, stage="scan")
    assert found == [0, 10, 20, 30, 40]
    assert before.items() <= times(tmp_path).items()
    assert [(tmp_path / f"ran-{start}").read_text() for start in (30, 40)] == ["x", "xx"]


def test_rate_and_rest_count_what_this_call_has_done():
    stage = Stage("judge", done=600, total=1000, seconds=4.0, kept=400)
    assert stage.rows_per_second == pytest.approx(50, rel=1e-12)
    assert stage.seconds_left == pytest.approx(8, rel=1e-12)
    assert str(stage) == "judge: 600 of 1,000 rows, 50 a second, 8 s left"


@pytest.mark.parametrize("stage", [Stage("scan", 0, 10, 0.0), Stage("scan", 5, 10, 3.0, kept=5)])
def test_nothing_is_foretold_before_something_is_done(stage):
    assert stage.rows_per_second is None
    assert stage.seconds_left is None
    assert str(stage) == f"scan: {stage.done} of 10 rows"


def test_in_the_end_nothing_is_left():
    assert Stage("scan", 10, 10, 2.0).seconds_left == 0
    assert str(Stage("scan", 10, 10, 2.0)) == "scan: 10 of 10 rows, 5 a second"
    assert Stage("scan", 10, 10, 2.0, kept=10).seconds_left == 0


def test_a_stage_is_told_at_the_start_and_after_every_part():
    seen = []
    Here(progress=seen.append).reduce(positions, join, cut(25, 10), 0, stage="scan")
    assert [(stage.name, stage.done, stage.total) for stage in seen] == [
        ("scan", done, 25) for done in (0, 10, 20, 25)
    ]
    assert all(a.seconds <= b.seconds for a, b in pairwise(seen))


def test_items_are_counted_as_such():
    seen = []
    Here(progress=seen.append).map(max, [3, 7], 5, stage="trees")
    assert str(seen[0]) == "trees: 0 of 2 items"
    assert (seen[-1].done, seen[-1].unit) == (2, "items")


FINGERPRINT = {"rows": 5, "files": ["a", "b"], "versions": {"numpy": "2.0"}}


def opened(folder, resume=True, **changes):
    return Ledger.open(folder / "work", FINGERPRINT | changes, resume=resume)


def test_what_is_kept_is_not_made_again_even_if_it_is_nothing(tmp_path):
    assert opened(tmp_path).kept("a", lambda: None) is None
    assert opened(tmp_path).kept("a", lambda: pytest.fail("made again")) is None


def test_an_error_keeps_nothing(tmp_path):
    with pytest.raises(ZeroDivisionError):
        opened(tmp_path).kept("a", lambda: 1 / 0)
    assert [path.name for path in (tmp_path / "work").iterdir()] == ["fingerprint.json"]
    assert opened(tmp_path).kept("a", lambda: 3) == 3


@pytest.mark.parametrize("content", [b"", b"\0\0\0\0", b"\x80\x05\x95\x10"])
def test_a_file_that_lost_its_content_is_made_again(tmp_path, content):
    ledger = opened(tmp_path)
    ledger.kept("a", lambda: 1)
    (ledger.folder / "a.pickle").write_bytes(content)
    assert ledger.kept("a", lambda: 2) == 2
    assert ledger.kept("a", lambda: 3) == 2


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"rows": 6}, "rows was 5, is 6"),
        ({"files": ["a"]}, "other files"),
        ({"versions": {"numpy": "2.1"}}, 'versions numpy was "2.0", is "2.1"'),
        ({"seed": 1}, "seed was null, is 1"),
        ({"rows": 6, "versions": {}}, "rows was 5, is 6, versions numpy was"),
    ],
)
def test_another_fingerprint_is_refused_with_what_differs(tmp_path, changes, told):
    opened(tmp_path).kept("a", lambda: 1)
    with pytest.raises(ValueError, match=rf"{told}.*resume=False"):
        opened(tmp_path, **changes)
    assert opened(tmp_path).kept("a", lambda: 2) == 1  # nothing was lost by asking


def test_a_fingerprint_of_things_that_json_does_not_know(tmp_path):
    opened(tmp_path, files=(tmp_path,))
    opened(tmp_path, files=(tmp_path,)).close()


def test_without_resume_all_begins_anew(tmp_path):
    opened(tmp_path).kept("a", lambda: 1)
    again = opened(tmp_path, resume=False, rows=6)
    assert again.kept("a", lambda: 2) == 2
    assert json.loads((again.folder / "fingerprint.json").read_text())["rows"] == 6


@pytest.mark.parametrize("resume", [True, False])
def test_a_folder_of_other_things_is_left_alone(tmp_path, resume):
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "thesis.tex").write_text("years of work")
    with pytest.raises(ValueError, match="holds something else"):
        opened(tmp_path, resume=resume)
    assert (tmp_path / "work" / "thesis.tex").exists()


def test_an_empty_folder_will_do(tmp_path):
    (tmp_path / "work").mkdir()
    opened(tmp_path)


def test_closed_it_leaves_nothing(tmp_path):
    ledger = opened(tmp_path)
    ledger.kept("a", lambda: 1)
    ledger.close()
    assert list(tmp_path.iterdir()) == []


def test_the_folder_is_known_wherever_a_worker_stands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert Ledger.open("work", {}, resume=True).folder == tmp_path / "work"


def test_a_full_disk_is_told_and_leaves_the_ledger_whole(tmp_path, monkeypatch):
    ledger = opened(tmp_path)
    ledger.kept("a", lambda: 1)

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("errata._engine.dump", full)
        with pytest.raises(OSError, match=r"cannot write .*b.pickle: no space is left"):
            ledger.kept("b", lambda: 2)
    assert sorted(path.name for path in ledger.folder.iterdir()) == ["a.pickle", "fingerprint.json"]
    assert ledger.kept("b", lambda: 2) == 2


@pytest.fixture(scope="module")
def client():
    with two_workers() as client:
        yield client


def product(item, factor):
    return item * factor, os.getpid()


@pytest.mark.parametrize("by_address", [False, True])
def test_items_are_measured_by_workers_and_nothing_stays(client, tmp_path, by_address):
    engine = client.scheduler.address if by_address else client
    found = map_elsewhere(engine, product, [3, 4], 10, stage="tens", folder=tmp_path)
    number, (result, pid) = next(found)
    assert result == [30, 40][number]
    assert pid != os.getpid()
    assert len(list(tmp_path.iterdir())) == 1
    assert [result for _, (result, _) in found] == [[40, 30][number]]
    assert list(tmp_path.iterdir()) == []


def test_what_is_left_half_way_is_tidied_up(client, tmp_path):
    found = map_elsewhere(client, product, [3, 4], 10, stage="tens", folder=tmp_path)
    next(found)
    found.close()
    assert list(tmp_path.iterdir()) == []


def test_without_work_nobody_is_asked(tmp_path):
    assert list(map_elsewhere("tcp://nowhere:1", None, [], 0, stage="x", folder=tmp_path)) == []


def count_resident_bytes():
    pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not say what is resident")
def test_what_is_freed_between_objects_that_stay_goes_back_to_the_system():
    pieces = [b"x" * 2**16 for _ in range(1_000)]
    kept = pieces[-1]
    del pieces
    before = count_resident_bytes()
    release_memory()
    assert before - count_resident_bytes() > 30 * 2**20
    assert len(kept) == 2**16
