import json
import shutil

import numpy as np
import pytest

from cli.command_line import invoke
from decision_cases import said
from errata.review import Decisions, as_text, read_audited
from errata.tables import read_table, write_table

pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pytest.importorskip("jinja2", reason="jinja2 is not installed")

WRONG = [3, 40]


@pytest.fixture(scope="module")
def audited(tmp_path_factory):
    folder = tmp_path_factory.mktemp("audited")
    random = np.random.default_rng(0)
    dog = np.arange(60) % 2
    columns = {
        "weight": (4 + 20 * dog + random.normal(size=60)).round(3),
        "ears": (5 + 5 * dog + random.normal(size=60)).round(3),
        "pet": np.where((dog == 1) != np.isin(np.arange(60), WRONG), "dog", "cat"),
    }
    write_table(folder / "pets.csv", columns)
    done = invoke("audit", folder / "pets.csv", "-l", "pet", "--no-self-check")
    assert done.exit_code == 0, done.output
    return folder


@pytest.fixture
def here(audited, tmp_path):
    shutil.copytree(audited, tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.fixture
def rows(here):
    return read_audited(here / "pets.audit")


def verdict(rows, kind, row, reviewer="ann", **other):
    """An event about a row of the audit."""
    label, suggested = as_text(rows.labels[row]), as_text(rows.suggested[row])
    text = {"label": label, "suggestion": suggested}.get(kind)
    seen = {"row_key": rows.keys[row], "label": label, "suggested": suggested, "class_text": text}
    return said(kind, row, reviewer, **seen | other)


def decide(here, *events):
    with Decisions(here / "pets.decisions") as decisions:
        for event in events:
            decisions.record(event)


def run(here, *arguments):
    return invoke("decisions", here / "pets.audit", *arguments)


def refused(result, sentence):
    assert result.exit_code == 2, result.output
    assert sentence in " ".join(result.output.split())
    assert "Traceback" not in result.output


def test_it_tells_what_was_decided_by_whom_and_what_is_left(here, rows):
    decide(
        here,
        verdict(rows, "suggestion", 3),
        verdict(rows, "suggestion", 3, "bob"),
        verdict(rows, "label", 5),
        verdict(rows, "ambiguous", 6),
        verdict(rows, "label", 7),
        verdict(rows, "unusable", 7, "bob"),
    )
    result = run(here)
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert lines[0] == f"{here / 'pets.decisions'}: 6 events; verdicts by ann 4, bob 2."
    assert lines[1] == "2 rows decided: 1 label wrong, 1 right; 1 ambiguous, 1 disputed."
    assert lines[2] == "Of 2 flagged rows, 1 is not decided."
    assert lines[3] == "ann and bob agree on 1 of 2 rows (kappa 0.00)."
    assert lines[4] == "They do not agree on: row 7 (counted from 0)."


def test_everything_as_json(here, rows):
    decide(here, verdict(rows, "suggestion", 3), said(row=99, row_key="ffff.0"))
    told = json.loads(run(here, "--json").output)
    assert told["reviewers"] == {"ann": 2}
    assert told["rows"] == {"decided": 1}
    assert told["labels"] == {"wrong": 1, "right": 0}
    assert told["flagged"] == {"rows": 2, "undecided": 1}
    assert told["elsewhere"] == 1
    assert told["agreement"] == []


def test_decisions_on_rows_that_are_gone_are_counted(here):
    decide(here, said(row=99, row_key="ffff.0"))
    assert "1 further row is not in this audit: changed since, or gone" in run(here).output


def test_an_audit_that_nobody_reviewed_says_how_to_begin(here):
    refused(run(here), f"begin with: errata review {here / 'pets.audit'}")
    refused(invoke("decisions", here), "is not an audit that errata has written (it has no")


def test_an_audit_of_another_version_is_refused(here):
    numbers = here / "pets.audit" / "audit.json"
    told = json.loads(numbers.read_text())
    numbers.write_text(json.dumps(told | {"version": told["version"] - 1}))
    refused(run(here), "was written by an older errata, in version")


def test_what_is_no_audit_is_told(here):
    nothing, file = here / "nothere", here / "pets.csv"
    sentence = "give the folder that errata audit has written."
    refused(invoke("decisions", nothing), f"Error: {nothing} does not exist; {sentence}")
    refused(invoke("decisions", file), f"Error: {file} is a file; {sentence}")


def test_ways_to_export_without_a_file_are_told(here, rows):
    decide(here, verdict(rows, "suggestion", 3))
    for options in (["--events"], ["--format", "csv"], ["--json", "--events"]):
        result = run(here, *options)
        refused(result, "says how to export; name the file with --export.")
        assert "1 event" not in result.output


def test_the_table_is_exported_wherever_its_rows_stand_now(here, rows):
    decide(here, verdict(rows, "suggestion", 3, note="ears"))
    table = read_table(here / "pets.csv").to_pydict()
    order = np.random.default_rng(1).permutation(60)
    moved = {name: [cells[row] for row in order] for name, cells in table.items()}
    write_table(here / "moved.csv", moved)
    out = here / "out.csv"
    result = run(here, "--export", out, "--table", here / "moved.csv")
    assert f"Wrote {out}: 1 row of it was looked at." in result.output
    found = read_table(out).to_pydict()
    assert {name: found[name] for name in table} == moved
    place = order.tolist().index(3)
    assert [row for row, verdict in enumerate(found["errata_verdict"]) if verdict != "unseen"] == [
        place
    ]
    assert (found["errata_class"][place], found["errata_note"][place]) == ("dog", "ears")
    p_wrong = np.array(found["errata_p_wrong"], dtype=float)
    np.testing.assert_allclose(p_wrong, rows.p_wrong[order], rtol=0, atol=1e-4)


def test_events_are_exported(here, rows):
    decide(here, verdict(rows, "suggestion", 3))
    assert "1 event." in run(here, "--export", here / "out.jsonl", "--events").output
    assert json.loads((here / "out.jsonl").read_text())["row"] == 3


def test_to_label_studio_and_back(here, rows):
    decide(here, verdict(rows, "label", 5))
    result = run(here, "--export", here / "tasks.json")
    config = here / "tasks.xml"
    assert f"Wrote {here / 'tasks.json'}: 3 tasks; their labelling config is {config}." in " ".join(
        result.output.split()
    )
    tasks = json.loads((here / "tasks.json").read_text())
    task = next(task for task in tasks if task["data"]["errata_row"] == 3)
    task["annotations"][0]["result"][0]["value"]["choices"] = ["dog"]
    task["annotations"][0] |= {"lead_time": 3, "completed_by": 1}
    (here / "back.json").write_text(json.dumps(tasks))
    result = run(here, "--import", here / "back.json")
    assert "1 new decision, 0 known; passed over: 2 as they were exported." in result.output
    assert "2 rows decided: 1 label wrong, 1 right." in result.output


def test_a_review_may_begin_in_label_studio(here):
    result = run(here, "--export", here / "tasks.json")
    assert result.exit_code == 0, result.output
    assert f"Wrote {here / 'tasks.json'}: 2 tasks" in result.output
    tasks = json.loads((here / "tasks.json").read_text())
    assert [task["data"]["errata_row"] for task in tasks] == WRONG
    assert not (here / "pets.decisions").exists()
    refused(run(here, "--export", here / "out.csv"), "nobody has decided anything")


def test_files_are_merged(here, rows):
    with Decisions(here / "other.decisions") as other:
        other.record(verdict(rows, "label", 5, "bob"))
    result = run(here, "--merge", here / "other.decisions")
    assert f"{here / 'other.decisions'}: 1 new event, 0 known." in result.output
    assert "1 row decided: 0 labels wrong, 1 right." in result.output


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--export", "out.doc"], "out.doc does not end as its format does; known: .csv"),
        (["--export", "out.csv", "--format", "parquet"], "format does; known: .parquet, .feather."),
        (["--export", "t.json", "--events"], "--events are a table"),
        (["--export", "pets.csv", "--table", "pets.csv"], "is the audited table itself"),
        (["--export", "taken.csv"], "taken.csv exists already"),
        (["--merge", "taken.csv"], "taken.csv is not a file of decisions"),
        (["--merge", "none.decisions"], "none.decisions does not exist."),
        (
            ["--merge", "pet.decisions"],
            "pet.decisions does not exist; did you mean 'pets.decisions'",
        ),
        (["--import", "taken.csv"], "is not a list of tasks with annotations"),
        (["--import", "none.json"], "none.json does not exist."),
    ],
)
def test_what_cannot_be_done_is_one_sentence(here, rows, monkeypatch, arguments, sentence):
    monkeypatch.chdir(here)
    decide(here, verdict(rows, "suggestion", 3))
    (here / "taken.csv").write_text("a\n")
    refused(run(here, *arguments), sentence)
    assert (here / "taken.csv").read_text() == "a\n"
    assert not list(here.glob("out*"))


def test_decisions_about_another_table_are_refused(here):
    with Decisions(here / "pets.decisions") as decisions:
        decisions.describe({"table": "wine.csv"})
    refused(run(here), "holds decisions about the table 'wine.csv', not about 'pets.csv'")


def test_report_and_audit_take_in_what_was_decided(here, rows):
    decide(here, verdict(rows, "suggestion", 3), verdict(rows, "label", 5))
    before = {p.name: p.read_bytes() for p in (here / "pets.audit").iterdir()}
    told = run(here, "--update")
    assert told.exit_code == 0, told.output
    after = {p.name: p.read_bytes() for p in (here / "pets.audit").iterdir()}
    assert {name for name in after if after[name] != before[name]} == {"audit.json", "report.html"}
    assert set(after) == set(before)
    numbers = json.loads(after["audit.json"])
    assert numbers["reviewed"]["labels"] == {"wrong": 1, "right": 1}
    assert json.loads(before["audit.json"]) == numbers | {"reviewed": None}
    page = after["report.html"].decode()
    assert "What people decided" in page
    assert "2 rows decided: 1 label wrong, 1 right." in page
    assert "What people decided" not in before["report.html"].decode()


def test_without_being_asked_nothing_is_written(here, rows):
    decide(here, verdict(rows, "suggestion", 3))
    before = (here / "pets.audit" / "audit.json").read_bytes()
    assert run(here).exit_code == 0
    assert (here / "pets.audit" / "audit.json").read_bytes() == before
