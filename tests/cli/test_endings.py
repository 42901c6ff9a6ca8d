import io
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import click
import numpy as np
import pytest
from joblib import Parallel, delayed
from rich.console import Console
from rich.table import Table

from cli.command_line import invoke
from errata._files import is_pattern
from errata.auditing import NoiseRate
from errata.cli.__main__ import UserError, handle_errors, handle_signals, show
from errata.cli._audit import check_rate
from errata.cli._common import explain_resuming, make_console, name_audit, say, show_bar
from errata.cli._diff import check_newly_flagged
from waiting import LONG

# A command that starts to write a folder, says so, and waits. It minds signals even when the tests
# run in the background, where they are ignored.
WAITING = """
import signal, sys
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)
from pathlib import Path
import click
from errata.cli.__main__ import main
from errata.cli._audit import make_folder

@main.command()
def wait():
    with make_folder(Path("pets.audit"), force=False) as folder:
        folder.mkdir()
        print("ready", flush=True)
        sys.stdin.read()

main(["wait"])
"""
posix = pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX")


def started(folder):
    process = subprocess.Popen(
        [sys.executable, "-c", WAITING],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
    )
    assert process.stdout.readline() == "ready\n"
    return process


@posix
@pytest.mark.parametrize(
    ("name", "code", "told"),
    [("SIGTERM", 143, ""), ("SIGHUP", 129, ""), ("SIGINT", 130, "Stopped; nothing was written.\n")],
)
def test_a_run_that_is_told_to_end_leaves_nothing(name, code, told, tmp_path):
    process = started(tmp_path)
    assert len(os.listdir(tmp_path)) == 1
    process.send_signal(getattr(signal, name))
    assert process.communicate(timeout=LONG)[1] == told
    assert process.returncode == code
    assert os.listdir(tmp_path) == []


@posix
def test_the_next_run_sweeps_after_one_that_was_killed(tmp_path):
    process = started(tmp_path)
    process.kill()
    process.communicate(timeout=LONG)
    assert len(os.listdir(tmp_path)) == 1
    process = started(tmp_path)
    assert len(os.listdir(tmp_path)) == 1  # its own
    process.terminate()
    told = process.communicate(timeout=LONG)[1]
    assert told == "Removed from .: 1 temporary file of a run that was killed.\n"


@posix
def test_signals_that_are_ignored_stay_so():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        with handle_signals():
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize(
    "printing", ["print('a' * 100_000)", "make_console().print('a' * 100_000)"]
)
def test_a_closed_pipe_ends_with_its_own_code_and_nothing_to_read(printing, tmp_path):
    code = (
        "from errata.cli.__main__ import main\n"
        "from errata.cli._common import make_console\n"
        "@main.command()\n"
        f"def much():\n    for _ in range(100): {printing}\n"
        "main(['much'])"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait(timeout=LONG) == 141


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (ValueError("over\n  two lines"), "over two lines"),
        (OSError("ours"), "ours"),
        (OSError(28, "No space left on device", "a.csv"), "No space left on device: a.csv"),
        (OSError(28, "No space left on device"), "No space left on device"),
        (ImportError("no pyarrow"), "no pyarrow"),
    ],
)
def test_errors_are_one_sentence(error, sentence):
    with pytest.raises(UserError) as caught, handle_errors():
        raise error
    assert caught.value.message == sentence
    assert caught.value.exit_code == 2


def allocate_in_arrow():
    import pyarrow

    pyarrow.allocate_buffer(1 << 62)


def fail_to_load():
    raise OSError("libmany.so: failed to map segment from shared object")


def kill_a_worker():
    Parallel(n_jobs=2)(delayed(os._exit)(9) for _ in range(2))


@pytest.mark.parametrize(
    ("fail", "sentence"),
    [
        (lambda: np.empty(1 << 57), "the memory does not suffice: Unable to allocate 1.00 EiB"),
        (
            allocate_in_arrow,
            "the memory does not suffice: malloc of size 46116",
        ),
        (lambda: [0] * (1 << 60), "the memory does not suffice; give fewer rows"),
        (fail_to_load, "the memory does not suffice; give fewer rows"),
        (kill_a_worker, "a worker process was killed, most likely for lack of memory"),
    ],
)
def test_memory_that_does_not_suffice_is_one_sentence(fail, sentence, monkeypatch):
    monkeypatch.setattr("errata.cli.__main__._get_memory_limit", lambda: None)
    with pytest.raises(UserError) as caught, handle_errors():
        fail()
    assert caught.value.message.startswith(sentence)
    assert caught.value.exit_code == 2


def test_a_limit_of_memory_is_named():
    code = (
        "import resource\n"
        "from errata.cli.__main__ import main\n"
        "@main.command()\n"
        "def much():\n"
        "    resource.setrlimit(resource.RLIMIT_AS, (3 << 30, -1))\n"
        "    bytes(4 << 30)\n"
        "main(['much'])"
    )
    pytest.importorskip("resource", reason="Windows has no limits of memory")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2
    assert "this process may have 3.3 GB, see ulimit -v" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("reading", "arguments"),
    [
        ("errata.tables.read_table", ["compare", "pets.csv", "--label", "pet"]),
        (
            "errata.auditing._planting.flip_labels",
            ["noise", "pets.csv", "-l", "pet", "--rate", "0.1", "-o", "n.csv"],
        ),
        ("errata.auditing.load_audit", ["clean", "pets.audit", "-o", "c.csv"]),
        ("errata.auditing._audit_file.read_table", ["audit", "pets.csv", "--label", "pet"]),
    ],
)
def test_every_command_says_so(reading, arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pets.csv").write_text("weight,pet\n" + "4,cat\n5,dog\n" * 10)
    monkeypatch.setattr(reading, lambda *_, **__: np.empty(1 << 57))
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert result.output.startswith("Error: the memory does not suffice: Unable to allocate")
    assert os.listdir(tmp_path) == ["pets.csv"]


def test_a_mistake_of_ours_keeps_its_traceback():
    with pytest.raises(ZeroDivisionError), handle_errors():
        assert 1 / 0


@pytest.mark.parametrize("kind", [ImportError, SystemError])
def test_ctrl_c_that_an_import_turned_into_another_error_is_still_ctrl_c(kind, capsys):
    def fail_to_import():
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt:
            raise kind("initialization failed") from None

    with pytest.raises(SystemExit) as caught, handle_errors():
        fail_to_import()
    assert caught.value.code == 130
    assert capsys.readouterr().err == "Stopped; nothing was written.\n"


def test_errors_of_click_show_what_the_user_wrote(capsys):
    show(click.BadParameter("\u202e is not valid"))
    assert capsys.readouterr().err == "Error: Invalid value: \\u202e is not valid\n"


def audit(*rate, has_skill=True):
    found = {"kind": "classes", "has_skill": has_skill}
    return SimpleNamespace(noise_rate=NoiseRate(*rate), has_skill=has_skill, summary=lambda: found)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (audit(0.06, 0, 0.2), "Too many labels are wrong: 6.0%, more than --fail-above 5.0%.\n"),
        (audit(0.05, 0, 0.2), None),
        (
            audit(0.0, 0, 0.2, has_skill=False),
            "Whether more than --fail-above 5.0% of the labels are wrong cannot be judged.\n",
        ),
        (audit(0.2, 0, 0.05, has_skill=False), None),
    ],
)
def test_a_rate_above_the_limit_or_unknown_ends_with_one(found, said, capsys):
    if said is None:
        check_rate(found, 0.05)
    else:
        with pytest.raises(SystemExit, match="1"):
            check_rate(found, 0.05)
        assert capsys.readouterr().err == said


def test_rows_newly_flagged_beyond_the_limit_end_with_one(capsys):
    found = SimpleNamespace(kind="votes", newly_flagged=[{}, {}])
    check_newly_flagged(found, 2)
    with pytest.raises(SystemExit, match="1"):
        check_newly_flagged(found, 1)
    assert capsys.readouterr().err == "2 items are newly flagged, more than --fail-on-new 1.\n"


def test_a_title_is_shown_as_it_is_and_commands_nothing():
    terminal = Console(file=io.StringIO(), force_terminal=True, width=120)
    with show_bar(terminal, "[red]pets\x1b[2J.csv") as progress:
        progress(1, 2)
    shown = terminal.file.getvalue()
    assert r"[red]pets\x1b[2J.csv" in shown
    assert "1/2" in shown


def test_a_pipe_gets_no_bar():
    pipe = Console(file=io.StringIO())
    with show_bar(pipe, "pets") as progress:
        progress(1, 2)
    assert pipe.file.getvalue().strip() == ""


def test_who_stops_is_told_that_nothing_is_lost(capsys):
    with pytest.raises(SystemExit, match="130"), explain_resuming():
        raise KeyboardInterrupt
    assert capsys.readouterr().err == "Stopped. The same command goes on from here.\n"


def test_names_beside_folders_and_patterns(tmp_path, monkeypatch):
    (tmp_path / "visits.2024").mkdir()
    monkeypatch.chdir(tmp_path / "visits.2024")
    folder = tmp_path / "visits.2024"
    assert name_audit(folder, ".audit", ending="") == tmp_path / "visits.2024.audit"
    assert name_audit(Path("."), ".audit") == tmp_path / "visits.2024.audit"
    assert name_audit(Path("*.csv"), ".audit") == tmp_path / "visits.2024.audit"
    assert name_audit(Path("a-[0-9]?.csv"), ".clean") == Path("a.clean")
    assert name_audit(Path("**/v_*.csv"), ".audit") == Path("v.audit")
    with pytest.raises(ValueError, match="has no name to call anything by"):
        name_audit(Path("/"), ".audit")


def test_a_file_may_look_like_a_pattern(tmp_path):
    file = tmp_path / "a[1].csv"
    assert is_pattern(file)
    file.touch()
    assert not is_pattern(file)
    assert name_audit(file, ".audit", ending="").name == "a[1].audit"


HOSTILE = {
    "\x1b[2J": r"\x1b[2J",  # clears the screen
    "\x9b31m": r"\x9b31m",  # the same in one character
    "\x07\r": r"\x07\r",
    "\u202egnp.exe": r"\u202egnp.exe",  # reads exe.png from right to left
    "\u2066a\u2069": r"\u2066a\u2069",
    "\u2028": r"\u2028",
    "\udcff": r"\udcff",  # a byte of a file name that is not text
}


@pytest.mark.parametrize(
    ("variables", "seen"), [({}, "\x1b[31m!\x1b[0m\n"), ({"NO_COLOR": "1"}, "!\n")]
)
def test_colours_are_left_out_where_they_are_not_wanted(variables, seen, monkeypatch, capsys):
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in ({"FORCE_COLOR": "1", "TERM": "xterm"} | variables).items():
        monkeypatch.setenv(name, value)
    make_console().print("!", style="red")
    assert capsys.readouterr().out == seen


@pytest.mark.parametrize(("text", "seen"), HOSTILE.items(), ids=ascii)
def test_what_would_command_the_terminal_is_spelled_out(text, seen, capsys):
    say(f"a{text}b")
    assert capsys.readouterr().out == f"a{seen}b\n"


def test_tables_are_no_way_around(capsys):
    table = Table("\x1b[1mlabel")
    table.add_row("\u202egod [bold]:cat:")
    make_console().print(table)
    make_console().print("\x1b[31mred")
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert r"\x1b[1mlabel" in shown
    assert r"\u202egod [bold]:cat:" in shown
    assert r"\x1b[31mred" in shown


@pytest.mark.parametrize(
    "arguments",
    [
        ["\x1b[31maudit"],
        ["audit", "\x1b[31m.csv", "-l", "pet"],
        ["audit", "pets.csv", "-l", "pet", "--model", "\x1b[31m"],
        ["audit", "pets.csv", "-l", "pet", "--\x1b[31m"],
        ["noise", "pets.csv", "-l", "pet", "--pair", "\x1b[31m", "b", "-o", "noisy.csv"],
    ],
    ids=ascii,
)
def test_errors_are_no_way_around(arguments):
    result = invoke(*arguments, color=True)  # else click would take escapes away
    assert result.exit_code == 2
    assert "\x1b" not in result.output
