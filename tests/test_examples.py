"""Examples run as they stand, and leave nothing behind but a picture on the screen."""

import ast
import multiprocessing
import re
from pathlib import Path

import pytest

from following import IMPORTED, run_example
from public_estimators import public_estimators

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
SCRIPTS = sorted(EXAMPLES.rglob("*.py"))
DRAWING = [path for path in SCRIPTS if path.name.startswith("plot_")]


def name_of(path):
    return str(path.relative_to(EXAMPLES))


@pytest.fixture(scope="module")
def processes():
    """Each process is forked from one that has imported the libraries: that halves the time."""
    method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    context = multiprocessing.get_context(method)
    context.set_forkserver_preload(IMPORTED)
    return context


def run(path, folder, processes):
    """Run an example in a process of its own: what it printed, and how many figures it drew."""
    receiver, sender = processes.Pipe(duplex=False)
    process = processes.Process(target=run_example, args=(path, folder, sender))
    process.start()
    sender.close()  # so that a process that dies is noticed
    told = receiver.recv()
    process.join()
    assert not isinstance(told, str), told
    return told


@pytest.mark.parametrize("path", DRAWING, ids=name_of)
def test_an_example_draws_and_leaves_nothing(path, processes, tmp_path):
    printed, n_figures = run(path, tmp_path, processes)
    assert printed.strip(), "it prints no number"
    assert n_figures > 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "left"),
    [
        pytest.param("planted_digits.py", ["demo.audit"], marks=pytest.mark.slow),
        ("scripts/votes_of_annotators.py", []),
    ],
)
def test_a_script_runs_and_leaves_what_it_says(name, left, processes, tmp_path):
    printed, _ = run(EXAMPLES / name, tmp_path, processes)
    assert printed.strip(), "it prints no number"
    assert [path.name for path in tmp_path.iterdir()] == left


def begins_with_a_title(path):
    """Whether the docstring is a title, a line below it as long, and an empty line."""
    title, line, blank, *_ = ast.get_docstring(ast.parse(path.read_text("utf-8"))).splitlines()
    return line == "=" * len(title) and not blank


def test_examples_begin_with_a_title():
    assert [name_of(path) for path in SCRIPTS if not begins_with_a_title(path)] == []


def test_folders_of_examples_have_a_header():
    """Without it the gallery leaves the folder out."""
    headers = [folder / "GALLERY_HEADER.rst" for folder in {path.parent for path in SCRIPTS}]
    empty = [name_of(path) for path in headers if not path.exists() or not path.stat().st_size]
    assert empty == []


def test_every_public_estimator_is_in_an_example_or_a_how_to():
    pages = [*SCRIPTS, *ROOT.glob("docs/howto/*.md")]
    used = set(re.findall(r"\w+", " ".join(page.read_text("utf-8") for page in pages)))
    assert {c.__name__ for c in public_estimators()} - used == set()
