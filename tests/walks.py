"""Count the files of errata that one call passes through: what a stranger opens to follow it.

    python tests/walks.py [audit] [cli] [targets] [decision] [filter] [--list]

Every walk is taken twice, and the second one is counted: imports and compiled loops are no part of
it. Without names, all walks are taken; ``--list`` shows their functions in the order of the visit.
"""

import argparse
import sys
import tempfile
import threading
import warnings
from pathlib import Path

from sklearn.datasets import load_iris

import errata

SOURCES = Path(errata.__file__).parent


def audit(folder):
    """An audit of iris in memory, without the self-check."""
    X, y = load_iris(return_X_y=True)
    return lambda: errata.audit(X, y, self_check=False, random_state=0)


def command_line(folder):
    """``errata audit iris.csv``, up to the report."""
    from cli.command_line import invoke

    table = folder / "iris.csv"
    frame = load_iris(as_frame=True).frame
    frame.assign(target=frame["target"].map("kind {}".format)).to_csv(table, index=False)
    command = ["audit", str(table), "-l", "target", "--no-self-check", "--force"]

    def call():
        result = invoke(*command)
        assert result.exit_code == 0, result.output

    return call


def targets(folder):
    """An audit of numbers: one column of iris."""
    X, _ = load_iris(return_X_y=True)
    return lambda: errata.audit_targets(X[:, :3], X[:, 3], self_check=False, random_state=0)


def decision(folder):
    """A key on the page of a review, and the next row."""
    from review.reviewing import Page

    audit(folder)().save(folder / "iris.audit")
    page = Page(folder / "iris.audit")
    rows = iter(range(150))
    return lambda: page.decide(next(rows))


def fit_filter(folder):
    """The simplest filter."""
    X, y = load_iris(return_X_y=True)
    return lambda: errata.filters.CrossValFilter().fit(X, y)


WALKS = {
    "audit": audit,
    "cli": command_line,
    "targets": targets,
    "decision": decision,
    "filter": fit_filter,
}


def follow(call):
    """The functions of errata that a call enters, as (file, name), in the order of the visit."""
    seen = {}

    def note(frame, event, _):
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(SOURCES):
            seen[str(path.relative_to(SOURCES)), frame.f_code.co_qualname] = None

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return list(seen)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("walks", nargs="*", choices=[*WALKS, []], metavar="WALK")
    parser.add_argument("--list", action="store_true", help="show the functions, too")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in arguments.walks or WALKS:
        with tempfile.TemporaryDirectory() as folder:
            call = WALKS[name](Path(folder))
            call()
            seen = follow(call)
        files = {file for file, _ in seen}
        print(f"{name:9} {len(files):4} files {len(seen):5} functions")
        if arguments.list:
            print(*(f"    {file}  {function}" for file, function in seen), sep="\n")


if __name__ == "__main__":
    main()
