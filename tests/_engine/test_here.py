import errno
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine_cases import cut, fail_at_twenty, join, leave_trace, positions, tenth_sum, wait_for_gate
from errata._engine import Here, Ledger
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
    with pytest.raises(OSError, match=r"rows 20 to 29: .*Make room; .*same call goes on") as caught:
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
    wait_until((tmp_path / "ran-40").exists, "the fifth part runs", alive=killed)
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
