"""Decisions on numbers, on several labels per row and on votes, taken along and brought back."""

import csv
import json

import numpy as np
import pytest

from decision_cases import said
from errata._kinds import KINDS
from errata.review import (
    Audited,
    Decisions,
    as_text,
    export_label_studio,
    export_table,
    import_label_studio,
    read_audited,
)
from errata.tables import read_table, write_table

pytest.importorskip("pyarrow", reason="pyarrow is not installed")

SHARED = {
    "fingerprint": "5f0c5f0c5f0c",
    "table": None,
    "keys": ["row.0", "row.1", "row.2"],
    "p_wrong": np.array([0.93, 0.2, 0.1]),
    "flagged": np.array([True, False, False]),
    "suspicion": np.array([0.93, 0.2, 0.1]),
}
HOMES = Audited(
    columns=["price"],
    labels=[4202.0, 370.5, None],
    suggested=[420.2, 370.5, 390.0],
    kind=KINDS["numbers"],
    **SHARED,
)
PETS = Audited(
    columns=["tags"],
    labels=[["cat"], ["cat", "dog"], []],
    suggested=[["cat", "dog"], ["cat", "dog"], []],
    kind=KINDS["multilabel"],
    names=["cat", "dog", "owl"],
    **SHARED,
)
VOTES = Audited(
    columns=["answer"],
    labels=["cat", "dog", None],
    suggested=["dog", "dog", "cat"],
    kind=KINDS["votes"],
    items={"photo": ["a", "b", "c"]},
    **SHARED,
)
CASES = {
    "homes": (HOMES, {"price": ["4202 EUR", "370.5 EUR", ""]}, 420.25),
    "pets": (PETS, {"tags": ["cat", "dog;cat", ""]}, ["owl", "cat"]),
    "votes": (VOTES, {"photo": ["a", "a"], "answer": ["cat", "cat"]}, "cat"),
}


@pytest.fixture(params=list(CASES))
def case(request, tmp_path):
    audited, table, given = CASES[request.param]
    source = tmp_path / "table.csv"
    write_table(source, {"size": range(len(next(iter(table.values()))))} | table)
    with Decisions(tmp_path / "table.decisions") as decisions:
        text = as_text(given)
        decisions.record(said("other", 0, class_text=text, label=as_text(audited.labels[0])))
        yield audited, source, decisions, given


def exported(case, name):
    audited, source, decisions, _ = case
    target = source.with_name(name)
    assert export_table(audited, decisions.verdicts(), source, target) == 1
    return target


def test_what_was_decided_is_beside_the_rows(case):
    with exported(case, "out.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    audited, _, _, given = case
    shown = "; ".join(sorted(given)) if isinstance(given, list) else str(given)
    assert [row[audited.kind.review.column] for row in rows] == [shown, "", ""]
    assert [row["errata_verdict"] for row in rows] == ["decided", "unseen", "unseen"]
    assert [row["errata_p_wrong"] for row in rows] == ["0.93", "0.2", "0.1"]


def test_files_with_types_keep_numbers_and_lists(case):
    import pyarrow.parquet

    audited, *_, given = case
    value = sorted(given) if isinstance(given, list) else given
    table = pyarrow.parquet.read_table(exported(case, "out.parquet"))
    assert table[audited.kind.review.column].to_pylist() == [value, None, None]
    first = json.loads(exported(case, "out.jsonl").read_text().splitlines()[0])
    assert first[audited.kind.review.column] == value


def test_several_labels_are_no_formula(tmp_path):
    write_table(tmp_path / "pets.csv", {"tags": ["cat", "dog;cat", ""]})
    with Decisions(tmp_path / "pets.decisions") as decisions:
        decisions.record(said("other", row=0, class_text='["=x()", "dog"]'))
        verdicts = decisions.verdicts()
    several = PETS._replace(names=["=x()", "dog"])
    export_table(several, verdicts, tmp_path / "pets.csv", tmp_path / "out.csv")
    assert read_table(tmp_path / "out.csv")["errata_labels"].to_pylist()[0] == "'=x(); dog"


def test_labels_in_columns_of_their_own_are_known_by_these(audit_of):
    assert read_audited(audit_of("multilabel")).columns == ["is_ant", "is_bee", "is_cow"]


def test_votes_are_exported_by_item(tmp_path):
    source = tmp_path / "votes.csv"
    write_table(source, {"photo": ["a", "a"], "answer": ["cat", "dog"]})
    export_table(VOTES, {}, source, tmp_path / "items.csv")
    head, *rows = (tmp_path / "items.csv").read_text().splitlines()
    assert head.startswith("photo,answer,errata_class,errata_verdict")
    assert [row.partition(",errata")[0][:5] for row in rows] == ["a,cat", "b,dog", "c,,,u"]


def test_to_label_studio_and_back(case):
    audited, source, decisions, given = case
    path = source.with_name("tasks.json")
    assert export_label_studio(audited, decisions.verdicts(), source, path) == 1
    (task,) = json.loads(path.read_text())
    tag = "<Number" if audited is HOMES else 'choice="multiple"' if audited is PETS else "single"
    assert tag in path.with_suffix(".xml").read_text()
    kind = "number" if audited is HOMES else "choices"
    held = given if audited is HOMES else sorted(given) if audited is PETS else [given]
    (result,) = task["annotations"][0]["result"]
    assert (result["type"], result["value"]) == (kind, {kind: held})
    new, text = {
        "errata_number": (11.5, "11.5"),
        "errata_labels": (["dog"], '["dog"]'),
        "errata_class": (["dog"], '"dog"'),
    }[audited.kind.review.column]
    answer = {"from_name": audited.kind.review.column, "type": kind, "value": {kind: new}}
    task["annotations"] = [{"result": [answer], "completed_by": 7, "lead_time": 2.0}]
    path.write_text(json.dumps([task]))
    assert import_label_studio(decisions, audited, path)["added"] == 1
    (back,) = [event for event in decisions.events() if event.reviewer == "annotator 7"]
    assert back.class_text == text


def test_what_another_config_made_is_passed_over(tmp_path):
    task = {"data": {"errata_key": "row.0"}}
    wrong = [{"number": True}, {"number": "much"}, {"choices": ["cat"]}, {}]
    made = [
        {"result": [{"from_name": "errata_number", "value": value}], "lead_time": 1.0}
        for value in wrong
    ]
    path = tmp_path / "back.json"
    path.write_text(json.dumps([task | {"annotations": made}]))
    with Decisions(tmp_path / "homes.decisions") as decisions:
        assert import_label_studio(decisions, HOMES, path)["foreign"] == len(wrong)


def test_unknown_labels_among_several_are_foreign(tmp_path):
    value = {"choices": ["cat", "ant"]}
    made = {"result": [{"from_name": "errata_labels", "value": value}], "lead_time": 1.0}
    path = tmp_path / "back.json"
    path.write_text(json.dumps([{"data": {"errata_key": "row.0"}, "annotations": [made]}]))
    with Decisions(tmp_path / "pets.decisions") as decisions:
        assert import_label_studio(decisions, PETS, path)["foreign"] == 1
