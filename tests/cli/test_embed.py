import json
import sys

import numpy as np
import pytest

import errata
from cli.command_line import invoke
from errata.tables import read_table, write_table

MODULE = """
import numpy as np

CALLS = []


def lengths(cells):
    CALLS.append(len(cells))
    return [[len(cell), cell.count("a")] for cell in cells]


def fail(cells):
    raise RuntimeError("no such\\nmodel")


def flat(cells):
    return np.zeros(len(cells))


def few(cells):
    return np.zeros((3, 2))


def missing(cells):
    return np.full((len(cells), 2), np.nan)


NUMBER = 3
"""
WRONG = [3, 40]


@pytest.fixture
def here(tmp_path, monkeypatch):
    (tmp_path / "towns_embedded.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    random = np.random.default_rng(0)
    is_long = np.arange(80) % 2
    words = ["".join(random.choice(list("bcdefg"), 4 + 20 * long)) for long in is_long]
    kind = np.where((is_long == 1) != np.isin(np.arange(80), WRONG), "long", "short")
    columns = {"word": words, "noise": random.normal(size=80).round(3), "kind": kind}
    write_table(tmp_path / "words.csv", columns)
    yield tmp_path
    sys.modules.pop("towns_embedded", None)


def audit(here, *more):
    asked = ["-l", "kind", "--no-self-check", *more]
    return invoke("audit", here / "words.csv", *asked)


def test_models_look_at_what_the_function_returns_and_at_other_columns(here):
    done = audit(here, "--embed", "word=towns_embedded:lengths")
    assert done.exit_code == 0, done.output
    found = errata.Audit.load(here / "words.audit")
    assert set(np.argsort(-found.p_wrong)[:2]) == set(WRONG)
    seen = read_table(here / "words.embeddings" / "features.parquet")
    assert seen.column_names == ["word 0", "word 1", "noise"]
    assert seen["word 0"].to_pylist()[:2] == [4.0, 24.0]


def test_the_same_cells_are_embedded_once(here):
    assert audit(here, "--embed", "word=towns_embedded:lengths").exit_code == 0
    module = sys.modules["towns_embedded"]
    again = audit(here, "--embed", "word=towns_embedded:lengths", "--force", "--drop", "noise")
    assert again.exit_code == 0, again.output
    assert module.CALLS == [80]
    seen = read_table(here / "words.embeddings" / "features.parquet")
    assert seen.column_names == ["word 0", "word 1"]
    text = (here / "words.csv").read_text().replace("bc", "cb")
    (here / "words.csv").write_text(text)
    assert audit(here, "--embed", "word=towns_embedded:lengths", "--force").exit_code == 0
    assert module.CALLS == [80, 80]


def test_an_audit_names_no_code(here):
    assert audit(here, "--embed", "word=towns_embedded:lengths").exit_code == 0
    for path in (here / "words.audit").rglob("*"):
        assert b"towns_embedded" not in path.read_bytes(), path
    about = json.loads((here / "words.audit" / "audit.json").read_text())["about"]
    features = here / "words.embeddings" / "features.parquet"
    assert about["arguments"]["embeddings"] == str(features)
    del sys.modules["towns_embedded"]
    done = invoke("clean", here / "words.audit", "-o", here / "clean.csv")
    assert done.exit_code == 0, done.output
    explained = errata.Audit.load(here / "words.audit").explain(3)
    assert explained.suggested == "long"
    assert "towns_embedded" not in sys.modules


@pytest.mark.parametrize(
    ("embed", "told"),
    [
        ("word", "must be as in column=module:callable"),
        ("word=lengths", "must be as in column=module:callable"),
        ("wrd=towns_embedded:lengths", "has no column 'wrd'; did you mean 'word'?"),
        ("kind=towns_embedded:lengths", "this column is no feature"),
        ("word=towns_absent:lengths", "cannot be imported"),
        ("word=towns_embedded:absent", "names nothing in an installed module"),
        ("word=towns_embedded:NUMBER", "is no function"),
        ("word=towns_embedded:fail", "RuntimeError: no such model"),
        ("word=towns_embedded:flat", "an array of shape (80,) for 80 cells"),
        ("word=towns_embedded:few", "an array of shape (3, 2) for 80 cells"),
        ("word=towns_embedded:missing", "numbers that are not finite"),
    ],
)
def test_what_goes_wrong_is_a_sentence(here, embed, told):
    done = audit(here, "--embed", embed)
    assert done.exit_code == 2
    assert told in done.output
    assert done.output.count("\n") == 1
    assert not (here / "words.audit").exists()
    assert not (here / "words.embeddings").exists()


def test_what_does_not_go_with_it_is_said(here):
    embed = ("--embed", "word=towns_embedded:lengths")
    np.save(here / "e.npy", np.zeros((80, 2)))
    both = audit(here, *embed, "--embeddings", here / "e.npy")
    assert (both.exit_code, "cannot both be given" in both.output) == (2, True)
    parts = audit(here, *embed, "--memory", "1GB")
    assert (parts.exit_code, "read in parts" in parts.output) == (2, True)
    votes = invoke(
        "audit", here / "words.csv", "--item", "word", "--worker", "noise", "-l", "kind", *embed
    )
    assert (votes.exit_code, "an audit of votes" in votes.output) == (2, True)
