import ast
import re
from dataclasses import fields, is_dataclass
from pathlib import Path
from pkgutil import resolve_name

import pytest

import errata
from cli.command_line import invoke
from errata._kinds import KINDS, NOTED, SEQUENCES, kind_of

ROOT = Path(errata.__file__).parent


def named_in(value):
    """Every dotted path in a kind, at whatever depth."""
    if isinstance(value, str) and re.fullmatch(r"errata\.[\w.]+:\w+", value):
        yield value
    if is_dataclass(value):
        for each in fields(value):
            yield from named_in(getattr(value, each.name))


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_what_a_kind_names_exists(kind):
    paths = list(named_in(kind))
    assert len(paths) >= 6
    assert all(callable(resolve_name(path)) for path in paths)
    assert resolve_name(kind.result).kind == kind.name


def test_recordings_are_known_by_their_stretches():
    assert kind_of({"kind": "classes", "stretches": {"count": 0}}) is SEQUENCES
    assert kind_of({"kind": "classes", "stretches": None}) is KINDS["classes"]
    assert SEQUENCES.name == "classes"


def compared_names(path):
    """Names of kinds that a module compares something called a kind with."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Compare) and "kind" in ast.unparse(node.left):
            texts = [ast.unparse(each) for each in node.comparators]
            yield from (text for text in texts if text.strip("'") in KINDS)


def test_nobody_asks_which_kind_it_has():
    sinners = [str(path) for path in ROOT.rglob("*.py") if any(compared_names(path))]
    assert sinners == []


def test_every_option_that_is_noted_is_one_of_the_command():
    known = re.findall(r"--([a-z-]+)", invoke("audit", "--help-all").output)
    assert set(NOTED.values()) <= set(known)
