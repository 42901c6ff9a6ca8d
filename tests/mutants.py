"""Break lines of errata one at a time and see whether a test notices: ``make mutants``.

All happens in a copy of the repository that is deleted at the end. A broken line is tried on the
test file that mirrors its module and on the module's own examples, then on the other files of that
folder of tests and of the folders above it, those first that name what is in it, and at last on the
files of other folders that name most of it, and on those of docstrings. A test only counts if it
passes again once the line is mended.
"""

import argparse
import ast
import copy
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).resolve().parents[1]
SOURCES = Path("src/errata")
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", ".*_cache", ".hypothesis", "_build", "dist")
OPPOSITES = {
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
}
OTHER_NAMES = {"any": "all", "all": "any", "min": "max", "max": "min", "maximum": "minimum"}
EITHER_ORDER = {"max", "maximum", "fmax", "min", "minimum", "fmin", "isclose"}
ELSEWHERE = 8  # files of other folders that are tried
NOT_RUN = (ast.JoinedStr, ast.Raise)  # texts, which are only read
NO_WORK = ("annotation", "returns", "decorator_list")


class Break(NamedTuple):
    """A piece of a file, from one byte to another, and what is put there instead."""

    path: Path
    line: int
    start: int
    end: int
    instead: str


def broken(node: ast.AST) -> Iterator[ast.AST]:
    """What could stand in place of a node, each different from it by one slip."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in OPPOSITES:
        yield changed(node, ops=[OPPOSITES[type(node.ops[0])](), *node.ops[1:]])
    elif isinstance(node, ast.BinOp) and type(node.op) in OPPOSITES:
        yield changed(node, op=OPPOSITES[type(node.op)]())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.Invert):
        yield node.operand
    elif isinstance(node, ast.BoolOp):
        yield node.values[0]
        yield changed(node, values=node.values[1:]) if len(node.values) > 2 else node.values[1]
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield ast.Constant(node.value + 1)
    elif isinstance(node, ast.Call) and len(node.args) > 1 and not_starred(node):
        name = ast.unparse(node.func).rpartition(".")[2]
        if name not in EITHER_ORDER:
            yield changed(node, args=[node.args[1], node.args[0], *node.args[2:]])
    elif isinstance(node, ast.Attribute) and node.attr in OTHER_NAMES:
        yield changed(node, attr=OTHER_NAMES[node.attr])
    elif isinstance(node, ast.AugAssign):
        yield ast.Pass()


def changed(node: ast.AST, **fields: object) -> ast.AST:
    """The same node with other values in some fields."""
    other = copy.copy(node)
    for name, value in fields.items():
        setattr(other, name, value)
    return other


def not_starred(call: ast.Call) -> bool:
    return not any(isinstance(argument, ast.Starred) for argument in call.args[:2])


def run_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes below one that do something when the program runs."""
    for field, value in ast.iter_fields(node):
        if field in NO_WORK:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, NOT_RUN):
                yield child
                yield from run_nodes(child)


def breaks_in(path: Path) -> Iterator[Break]:
    """All that can be broken in a file of the repository, by its path there."""
    source = (REPOSITORY / path).read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node in run_nodes(ast.parse(source)):
        for instead in broken(node):
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[node.end_lineno - 1] + node.end_col_offset
            yield Break(path, node.lineno, start, end, ast.unparse(instead))


def nearest_tests(path: Path) -> list[list[str]]:
    """Paths to hand to pytest, the nearest first."""
    folder = REPOSITORY / "tests" / path.relative_to(SOURCES).parent
    own = folder / f"test_{path.stem.removesuffix('_numba').strip('_')}.py"
    nearest = [own, REPOSITORY / path] if own.exists() else [REPOSITORY / path]
    rounds = [nearest]
    names = re.findall(r"^(?:class|def) (\w+)", (REPOSITORY / path).read_text(), re.MULTILINE)
    words = {
        file: {*names} & {*re.findall(r"\w+", file.read_text())}
        for file in sorted((REPOSITORY / "tests").rglob("test_*.py"))
        if file != own
    }
    # A name that few files hold says more than one such as "fit".
    files_of = Counter(name for found in words.values() for name in found)
    weights = {file: sum(1 / files_of[name] for name in found) for file, found in words.items()}
    others = sorted(words, key=lambda file: -weights[file])
    while folder != REPOSITORY / "tests":
        rounds.append([file for file in others if file.parent == folder])
        folder = folder.parent
    tried = [file for files in rounds for file in files]
    elsewhere = [file for file in others if words[file] and file not in tried]
    rounds.append([*elsewhere[:ELSEWHERE], REPOSITORY / "tests" / "test_docs.py"])
    return [[str(file.relative_to(REPOSITORY)) for file in files] for files in rounds if files]


def run_tests(where: Path, tests: list[str], until: float, **environment: str) -> str | None:
    """The first test that fails, empty if none does; None if time is up before."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    environment["PYTHONPATH"] = str(where / "src")
    environment["OMP_NUM_THREADS"] = environment["OPENBLAS_NUM_THREADS"] = "1"
    with subprocess.Popen(
        command,
        cwd=where,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate(timeout=max(until - time.monotonic(), 1))
        except BaseException as stopped:  # also when a user stops it
            os.killpg(process.pid, signal.SIGKILL)
            if isinstance(stopped, subprocess.TimeoutExpired):
                return None
            raise
    if process.returncode in (0, 5):  # all passed; there is none
        return ""
    failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - |$)", output, flags=re.MULTILINE)
    return failed[1] if failed else tests[0]  # where not even the set-up can be imported


def notice(where: Path, tried: Break, limit: float) -> str:
    """Whether and where a break is noticed, in words that :func:`main` counts."""
    file = where / tried.path
    source, times = file.read_bytes(), file.stat()
    until = time.monotonic() + limit
    # A stored loop does not see that one it calls was broken: with Numba, all are compiled again.
    compiled = {"NUMBA_CACHE_DIR": str(where / ".numba")} if b"numba" in source else {}
    try:
        file.write_bytes(source[: tried.start] + tried.instead.encode() + source[tried.end :])
        for tests in nearest_tests(tried.path):
            failed = run_tests(where, tests, until, **compiled)
            if failed != "":
                break
    finally:
        file.write_bytes(source)
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
        shutil.rmtree(where / ".numba", ignore_errors=True)
    if not failed:
        return "not noticed" if failed == "" else "out of time"
    if run_tests(where, [failed], time.monotonic() + limit) != "":
        return f"fails anyway: {failed}"
    return f"noticed by {failed}"


def chosen_breaks(arguments: argparse.Namespace) -> list[Break]:
    """All breaks of one line, or some at random."""
    if arguments.line:
        path, _, line = arguments.line.rpartition(":")
        return [each for each in breaks_in(Path(path)) if each.line == int(line)]
    files = sorted((REPOSITORY / SOURCES / arguments.only).rglob("*.py"))
    breaks = [each for file in files for each in breaks_in(file.relative_to(REPOSITORY))]
    return random.Random(arguments.seed).sample(breaks, min(arguments.number, len(breaks)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--number", type=int, default=20, help="how many breaks to try")
    parser.add_argument("--seed", type=int, default=0, help="of the draw of breaks")
    parser.add_argument("--only", default="", metavar="FOLDER", help="a folder of src/errata")
    parser.add_argument("--line", metavar="PATH:LINE", help="try all breaks of this line instead")
    parser.add_argument("--limit", type=float, default=300, help="seconds for the tests of a break")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # the copy goes, too
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        where = Path(folder) / "errata"
        shutil.copytree(REPOSITORY, where, ignore=LEFT_OUT)
        for tried in chosen_breaks(arguments):
            source = (REPOSITORY / tried.path).read_bytes()
            before = " ".join(source[tried.start : tried.end].decode().split())
            print(f"{tried.path}:{tried.line}: {before}  ->  {tried.instead}", flush=True)
            outcome = notice(where, tried, arguments.limit)
            counts[re.split(" by |:", outcome)[0]] += 1
            print(f"    {outcome}", flush=True)
    print(", ".join(f"{count} {outcome}" for outcome, count in counts.most_common()))


if __name__ == "__main__":
    main()
