"""A pytest plugin: a session in which something wrote new files into the checkout fails.

Only new files that git neither tracks nor ignores count, so that whoever edits files meanwhile is
not disturbed. Of several processes (pytest-xdist), the one that hands out the tests looks.
"""

import shutil
import subprocess

import pytest

BEFORE = pytest.StashKey()
NEW = pytest.StashKey()


def untracked(folder):
    """The names of the files that git would add; None where there is no checkout."""
    if shutil.which("git") is None:
        return None
    command = ["git", "ls-files", "--others", "--exclude-standard", "-z"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return set(done.stdout.split("\0")) - {""} if done.returncode == 0 else None


def pytest_sessionstart(session):
    if not hasattr(session.config, "workerinput"):
        session.config.stash[BEFORE] = untracked(session.config.rootpath)


def pytest_report_header(config):
    if not hasattr(config, "workerinput") and untracked(config.rootpath) is None:
        return "checkout: not checked for new files, as this is no checkout of git"
    return None


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    before = session.config.stash.get(BEFORE, None)
    if before is None:
        return
    new = sorted((untracked(session.config.rootpath) or set()) - before)
    session.config.stash[NEW] = new
    if new and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter, config):
    for name in config.stash.get(NEW, []):
        terminalreporter.write_line(
            f"ERROR: {name} was written into the checkout; write to a temporary folder.", red=True
        )
