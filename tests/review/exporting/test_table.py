import json
from types import SimpleNamespace

import numpy as np
import pytest

from decision_cases import said
from errata.review import Audited, Decisions, export_events, export_table
from errata.tables import read_table, write_table

pytest.importorskip("pyarrow", reason="pyarrow is not installed")

PETS = {"weight": ["4.10", "30", "05.0"], "pet": ["cat", "dog", "cat"], "=note": ["-x", "", "@y"]}


def audited(label="pet", labels=("cat", "dog", "cat")):
    rows = len(labels)
    return Audited(
        fingerprint="5f0c5f0c5f0c",
        table=None,
        columns=[] if label is None else [label],
        keys=[f"row.{row}" for row in range(rows)],
        labels=list(labels),
        suggested=["dog", "dog", "cat"][:rows],
        p_wrong=np.array([0.93, 0.2, 0.01])[:rows],
        p_suggested=np.array([0.9, 0.8, 0.99])[:rows],
        flagged=np.array([True, False, False])[:rows],
        suspicion=np.array([0.93, 0.2, 0.01])[:rows],
    )


@pytest.fixture
def here(tmp_path):
    write_table(tmp_path / "pets.csv", PETS)
    with Decisions(tmp_path / "pets.decisions") as decisions:
        yield SimpleNamespace(folder=tmp_path, table=tmp_path / "pets.csv", decisions=decisions)


def exported(here, name):
    target = here.folder / name
    number = export_table(audited(), here.decisions.verdicts(), here.table, target)
    return number, read_table(target).to_pydict()


@pytest.mark.parametrize("name", ["out.csv", "out.tsv.gz", "out.jsonl", "out.parquet"])
def test_the_table_is_as_it_was_and_six_columns_more(here, name):
    here.decisions.record(said(row=0, note="a dog"))
    here.decisions.record(said("suggestion", row=0, reviewer="bob"))
    here.decisions.record(said("skip", row=2))
    number, found = exported(here, name)
    assert number == 2
    assert {column: found[column] for column in PETS} == PETS
    none = "" if "sv" in name else None
    at = here.decisions.verdicts()["row.0"].at
    assert found["errata_class"] == ["dog", none, none]
    assert found["errata_verdict"] == ["decided", "unseen", "skipped"]
    assert found["errata_reviewers"] == ["ann, bob", none, "ann"]
    assert found["errata_at"][:2] == [at, none]
    assert found["errata_note"] == ["a dog", none, none]
    assert [float(p) for p in found["errata_p_wrong"]] == [0.93, 0.2, 0.01]
    assert list(found) == [*PETS, *(name for name in found if name.startswith("errata_"))]


def test_types_are_kept_in_parquet_also_where_nothing_was_decided(here):
    source = here.folder / "pets.parquet"
    write_table(source, {"weight": [4.1, 30.0], "pet": [3, 7]})
    rows = audited(labels=[3, 7])
    export_table(rows, here.decisions.verdicts(), source, here.folder / "out.parquet")
    kinds = {
        field.name: str(field.type) for field in read_table(here.folder / "out.parquet").schema
    }
    assert kinds["errata_class"] == kinds["pet"] == "int64"
    assert kinds["errata_note"] == "string"
    here.decisions.record(said("other", row=1, class_text="3", label="7", suggested="3"))
    export_table(rows, here.decisions.verdicts(), source, here.folder / "out.parquet")
    assert read_table(here.folder / "out.parquet")["errata_class"].to_pylist() == [None, 3]


def test_notes_and_names_are_no_formulas_in_a_spreadsheet(here):
    here.decisions.record(said(reviewer="@ann", note="=1+1"))
    _, found = exported(here, "out.csv")
    assert found["errata_note"][0] == "'=1+1"
    assert found["errata_reviewers"][0] == "'@ann"
    assert found["=note"] == PETS["=note"]
    _, found = exported(here, "out.jsonl")
    assert found["errata_note"][0] == "=1+1"


def test_classes_are_no_formulas_and_command_no_terminal(here):
    classes = ["=cmd|'/c calc'!A1", "\x1b[2Jcat", "-"]
    for row, name in enumerate(classes):
        here.decisions.record(said("other", row=row, class_text=json.dumps(name), note="\x07"))
    _, found = exported(here, "out.csv")
    assert found["errata_class"] == ["'=cmd|'/c calc'!A1", r"\x1b[2Jcat", "-"]
    assert found["errata_note"][0] == r"\x07"
    _, found = exported(here, "out.parquet")
    assert found["errata_class"] == classes


def test_a_column_of_ours_in_the_table_is_refused(here):
    write_table(here.table, PETS | {"errata_note": ["", "", ""]})
    with pytest.raises(ValueError, match="has a column 'errata_note' already; rename it to export"):
        exported(here, "out.csv")
    assert not (here.folder / "out.csv").exists()


def test_another_table_is_refused(here):
    write_table(here.table, {"pet": ["cat"], "weight": [1]})
    with pytest.raises(ValueError, match="has 1 row, but 3 were audited"):
        exported(here, "out.csv")
    write_table(here.table, {"weight": [1, 2, 3]})
    with pytest.raises(ValueError, match="has no column 'pet'; it is not the audited table"):
        exported(here, "out.csv")


def test_events_are_one_row_each(here):
    here.decisions.record(said(note="=x", seconds=1.5))
    here.decisions.undo("ann")
    assert export_events(here.decisions, here.folder / "events.jsonl") == 2
    lines = (here.folder / "events.jsonl").read_text().splitlines()
    first, second = map(json.loads, lines)
    assert (first["id"], first["kind"], first["class"], first["note"]) == (
        1,
        "suggestion",
        '"dog"',
        "=x",
    )
    assert (second["kind"], second["undoes"]) == ("undo", 1)
    export_events(here.decisions, here.folder / "events.csv")
    assert read_table(here.folder / "events.csv")["note"].to_pylist() == ["'=x", ""]
