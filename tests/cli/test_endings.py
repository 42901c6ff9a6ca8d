import os
import signal
import subprocess
import sys

import click
import numpy as np
import pytest
from click.testing import CliRunner
from joblib import Parallel, delayed

from errata.cli.__main__ import main
from errata.cli._endings import UserError, handle_errors, handle_signals, show
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
from errata.cli._folder import make_folder

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
        "from errata.cli._console import make_console\n"
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
    monkeypatch.setattr("errata.cli._endings._get_memory_limit", lambda: None)
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
            "errata.noise.flip_labels",
            ["noise", "pets.csv", "-l", "pet", "--rate", "0.1", "-o", "n.csv"],
        ),
        ("errata.auditing.load_audit", ["clean", "pets.audit", "-o", "c.csv"]),
        ("errata.tables.read_table", ["audit", "pets.csv", "--label", "pet"]),
    ],
)
def test_every_command_says_so(reading, arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pets.csv").write_text("weight,pet\n" + "4,cat\n5,dog\n" * 10)
    monkeypatch.setattr(reading, lambda *_, **__: np.empty(1 << 57))
    result = CliRunner().invoke(main, arguments)
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
