import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

TEST = """
def test_it(tmp_path):
    {}
"""


def run(folder, body, *options):
    (folder / "conftest.py").write_text('pytest_plugins = ["checkout"]\n')
    (folder / "test_it.py").write_text(TEST.format(body))
    (folder / ".gitignore").write_text("*.pyc\n")
    (folder / "pytest.ini").write_text("[pytest]\n")
    path = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
    )


@pytest.fixture
def checkout(tmp_path):
    """An empty checkout of git."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    return tmp_path


@pytest.mark.parametrize("options", [[], ["-n", "2"]], ids=["one process", "several"])
def test_a_file_that_a_test_leaves_in_the_checkout_fails_the_session(checkout, options):
    if options and find_spec("xdist") is None:
        pytest.skip("pytest-xdist is not installed")
    done = run(checkout, "open('activity.csv', 'w').close()", *options)
    assert done.returncode == 1, done.stdout
    assert done.stdout.count("activity.csv was written into the checkout") == 1
    (checkout / "activity.csv").unlink()
    done = run(checkout, "open('left.pyc', 'w').close(); (tmp_path / 'a').touch()", *options)
    assert done.returncode == 0, done.stdout  # ignored, and elsewhere


def test_where_there_is_no_checkout_it_is_said(tmp_path):
    done = run(tmp_path, "open('activity.csv', 'w').close()")
    assert done.returncode == 0
    assert "not checked for new files, as this is no checkout of git" in done.stdout
