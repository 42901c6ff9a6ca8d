"""Files that errata writes are as their schemas say, for every kind of audit."""

import csv
import json
from importlib.resources import files

import numpy as np
import pytest

import errata
from cli.command_line import invoke
from decision_cases import said
from errata.audit_folder.decisions import KINDS as EVENTS
from kind_cases import KINDS

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pytest.importorskip("jinja2", reason="jinja2 is not installed")

NAMES = ("audit", "diff", "event", "metrics", "ranked")
NUMBERS = ("row", "p_wrong", "flagged", "target", "low", "high", "n_votes", "p_consensus")


def schema(name):
    return json.loads((files("errata") / "schemas" / f"{name}.schema.json").read_text("utf-8"))


def check(name, document):
    jsonschema.validate(document, schema(name), jsonschema.Draft202012Validator)


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_one(name):
    jsonschema.Draft202012Validator.check_schema(schema(name))
    assert schema(name)["$id"] == f"errata/{name}"


@pytest.mark.parametrize("kind", KINDS)
def test_files_of_every_kind_are_as_their_schemas_say(kind, audit_of):
    folder = audit_of(kind)
    check("audit", read(folder / "audit.json"))
    check("metrics", read(folder / "metrics.json"))
    with (folder / "ranked.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows
    for row in rows:
        check("ranked", {name: _typed(name, cell) for name, cell in row.items()})


def _typed(name, cell):
    return json.loads(cell or "null") if name in NUMBERS else cell


@pytest.mark.parametrize("kind", KINDS)
def test_what_diff_prints_is_as_its_schema_says(kind, audit_of):
    old, new = (errata.auditing.load_audit(audit_of(kind)) for _ in range(2))
    new.flagged = ~new.flagged
    told = errata.diff(old, new).to_dict()
    assert told["newly_flagged"]
    assert told["resolved"]
    check("diff", told)
    printed = invoke("diff", audit_of(kind), audit_of(kind), "--json")
    check("diff", json.loads(printed.stdout))


def test_rows_that_are_new_or_gone_are_as_the_schema_says(audit_of):
    old, new = (errata.auditing.load_audit(audit_of("classes")) for _ in range(2))
    new._ids = np.array([f"new {name}" for name in new._ids])
    told = errata.diff(old, new).to_dict()
    assert {row["why"] for row in told["newly_flagged"]} == {"new row"}
    assert {row["why"] for row in told["resolved"]} == {"row gone"}
    check("diff", told)


def test_events_are_as_their_schema_says(audit_of, tmp_path):
    with errata.review.Decisions(tmp_path / "pets.decisions") as decisions:
        for kind in ("suggestion", "label", "other", "ambiguous", "unusable", "skip"):
            decisions.record(said(kind, note="why", seconds=1.5))
        decisions.record(said("note", note="a remark", batch="b"))
        decisions.undo("ann")
        decisions.redo("ann")
        assert errata.review.export_events(decisions, tmp_path / "events.jsonl") == 9
    lines = (tmp_path / "events.jsonl").read_text(encoding="utf-8").splitlines()
    found = [json.loads(line) for line in lines]
    for event in found:
        check("event", event)
    assert {event["kind"] for event in found} == set(EVENTS)


def test_kinds_are_those_of_the_code():
    assert set(schema("event")["properties"]["kind"]["enum"]) == set(
        errata.audit_folder.decisions.KINDS
    )
    assert set(schema("audit")["properties"]["kind"]["enum"]) == set(KINDS)


@pytest.mark.parametrize(
    ("name", "file", "change"),
    [
        ("audit", "audit.json", {"kind": "heights"}),
        ("audit", "audit.json", {"hypotheses": None}),
        ("metrics", "metrics.json", {"noise_rate": None}),
        ("metrics", "metrics.json", {"n_rows": 0.5}),
        ("metrics", "metrics.json", {"accuracy": 1}),
    ],
)
def test_a_file_that_is_otherwise_is_noticed(name, file, change, audit_of):
    with pytest.raises(jsonschema.ValidationError):
        check(name, read(audit_of("classes") / file) | change)
