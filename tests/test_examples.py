"""Examples run as they stand, quickly, and leave nothing behind but a picture on the screen."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
FOLDERS = sorted(path for path in EXAMPLES.iterdir() if path.is_dir())
SCRIPTS = sorted(EXAMPLES.rglob("*.py"))
DRAWING = [path for path in SCRIPTS if path.name.startswith("plot_")]
SECONDS = 20  # of the processor

RUN_AND_DRAW = """
import runpy, sys
import matplotlib.pyplot as plt
plt.show = lambda: None  # the figures are counted, and nobody is there to look at them
runpy.run_path(sys.argv[1], run_name="__main__")
assert plt.get_fignums(), "no figure was drawn"
"""


def name_of(path):
    return str(path.relative_to(EXAMPLES))


def run(path, folder):
    """Run an example in a process of its own; the processor time it took."""
    before = os.times()
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", RUN_AND_DRAW, str(path)],
        cwd=folder,
        env=os.environ | {"MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    after = os.times()
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.strip(), "it prints no number"
    return sum(after[2:4]) - sum(before[2:4])  # of children: user and system


@pytest.mark.parametrize("path", DRAWING, ids=name_of)
def test_an_example_draws_in_little_time_and_leaves_nothing(path, tmp_path):
    seconds = run(path, tmp_path)
    if seconds > SECONDS:
        seconds = run(path, tmp_path)  # the first run may have compiled loops and kept them on disk
    assert seconds < SECONDS
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", SCRIPTS, ids=name_of)
def test_an_example_begins_with_a_title(path):
    title, line, blank, *_ = ast.get_docstring(ast.parse(path.read_text("utf-8"))).splitlines()
    assert line == "=" * len(title)
    assert blank == ""


@pytest.mark.parametrize("folder", [EXAMPLES, *FOLDERS], ids=lambda path: path.name)
def test_a_folder_of_examples_has_a_header(folder):
    """Without it the gallery leaves the folder out."""
    assert (folder / "GALLERY_HEADER.rst").read_text("utf-8").strip()
