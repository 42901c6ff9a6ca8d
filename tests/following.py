"""Pages followed as a reader would, by errata as it is installed for some Python, and examples."""

import contextlib
import io
import os
import re
import runpy
import signal
import subprocess
import sys
import traceback
import warnings
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from pathlib import Path

from waiting import LONG

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)
# What all examples import.
IMPORTED = ["matplotlib.pyplot", "sklearn.ensemble", "sklearn.svm", "scipy.stats", "errata"]
DIGITS = """
from sklearn.datasets import load_digits
from errata.noise import flip_labels
digits = load_digits(as_frame=True)
labels, _ = flip_labels(digits.target.to_numpy(), 0.1, random_state=0)
digits.data.assign(species=labels).to_csv("train.csv", index=False)
"""


def follow_first_audit(folder, python):
    """Save the scripts of the page, run its commands; how many outputs are as it shows them."""
    page = (ROOT / "docs" / "start" / "first_audit.md").read_text(encoding="utf-8")
    printed = ""
    compared = 0
    for block in BLOCK.finditer(page):
        kind, text = block.groups()
        if kind == "python":
            name = re.search(r"`(\w+\.py)`:$", page[: block.start()].rstrip())[1]
            (folder / name).write_text(text, encoding="utf-8")
        elif kind == "sh":
            printed = run(text.strip(), folder, python)
        else:
            compare(text, printed)
            compared += 1
    return compared


def follow_readme(folder, python):
    """Run the three commands on the table that the text tells of, and the lines of Python."""
    readme = ROOT / "README.md"
    blocks = BLOCK.findall(readme.read_text(encoding="utf-8"))
    commands = [
        line.split("#")[0].removeprefix("uvx ").strip() for line in blocks[0][1].splitlines()
    ]
    (shown,) = (text for kind, text in blocks if kind == "text")
    call([python, "-c", DIGITS], folder)
    printed = [run(command, folder, python) for command in commands]
    compare(shown + "...", printed[0])
    options = ["-o", "ELLIPSIS", "-o", "NORMALIZE_WHITESPACE"]
    call([python, "-m", "doctest", *options, str(readme)], folder)


def compare(shown, printed):
    """Fail where a page shows something else than was printed."""
    alike = OutputChecker().check_output(shown, printed, ELLIPSIS | NORMALIZE_WHITESPACE)
    assert alike, f"The page shows\n{shown}\nand this is printed:\n{printed}"


def run(command, folder, python):
    """What a command of a page prints, where ``python`` and ``errata`` are those of ``python``."""
    tools = {"python": [python], "errata": [python, "-m", "errata.cli"]}
    name, *rest = command.split()
    if rest[0] == "review":
        return serve([*tools[name], *rest, "--no-browser"], folder)
    return call([*tools[name], *rest], folder)


def call(command, folder):
    """What a command prints; it must succeed."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"
    return done.stdout


def serve(command, folder):
    """Start the review, wait until it tells its address, and end it as Ctrl+C does."""
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env=environment, preexec_fn=heed_interrupts,
    ) as server:  # fmt: skip
        said = ""
        for line in server.stdout:  # which ends with the server, if it tells no address
            said += line
            if "http://127.0.0.1" in line:
                break
        server.send_signal(signal.SIGINT)
        assert server.wait(LONG) in (0, 130), said  # 130: before it answered anybody
    assert "http://127.0.0.1" in said
    return said


def heed_interrupts():
    """Let Ctrl+C end a process, also one of a job in the background, which ignores it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def run_example(path, folder, connection):
    """Run an example; send what it prints and the number of its figures, or the traceback."""
    os.chdir(folder)
    try:
        connection.send(_outcome(path))
    except Exception:
        connection.send(traceback.format_exc())


def _outcome(path):
    import matplotlib.pyplot as plt

    plt.switch_backend("Agg")
    plt.show = lambda: None  # figures are counted, and nobody is there to look at them
    warnings.simplefilter("error")
    sys.argv = [str(path)]
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        runpy.run_path(str(path), run_name="__main__")
    return printed.getvalue(), len(plt.get_fignums())
