"""From the page to what comes next: exports of a real audit, and a second audit."""

import csv
import io
import json
from types import SimpleNamespace

import numpy as np
import pytest

from cli.command_line import invoke
from review.reviewing import LONG, PART, Page


@pytest.fixture(scope="module")
def audited(tmp_path_factory, few_trees):
    """A table of two clouds with some labels swapped, and its audit."""
    folder = tmp_path_factory.mktemp("clouds")
    random = np.random.default_rng(0)
    truth = np.arange(120) % 2
    x = random.normal(size=(120, 2)) + 4 * truth[:, None]
    labels = np.where(np.arange(120) % 15 == 0, 1 - truth, truth)
    lines = [
        f"{a:.3f},{b:.3f},{'=cat' if c else 'dog'}" for (a, b), c in zip(x, labels, strict=True)
    ]
    (folder / "pets.csv").write_text("\n".join(["height,weight,species", *lines]) + "\n")
    done = invoke("audit", folder / "pets.csv", "--label", "species", "--no-self-check")
    assert done.exit_code == 0, done.output
    return folder / "pets.audit"


@pytest.fixture
def page(audited):
    with Page(audited, table=audited.parent / "pets.csv") as page:
        row = int(page.review.folder.rows[0])
        page.decide(row, key="first", note="=1+1")
        yield page


def test_an_audit_of_errata_is_shown(page):
    text = page.get("/card/" + str(page.review.folder.rows[0])).text
    assert "height" in text
    assert "Rows most like it" in text
    assert page.review.folder.title == "pets.csv"


@pytest.mark.parametrize(
    ("form", "name"),
    [
        ("csv", "pets.decided.csv"),
        ("jsonl", "pets.decided.jsonl"),
        ("parquet", "pets.decided.parquet"),
        ("label-studio", "pets.tasks.json"),
        ("label-studio-config", "pets.tasks.xml"),
        ("events", "pets.events.csv"),
    ],
)
def test_everything_can_be_taken_along(page, form, name):
    answer = page.get(f"/export?format={form}")
    assert answer.status_code == 200
    assert f'filename="{name}"' in answer.headers["content-disposition"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    CHECKS[form](answer.content)


def check_csv(content):
    rows = list(csv.DictReader(io.StringIO(content.decode())))
    assert len(rows) == 120
    decided = [row for row in rows if row["errata_verdict"] == "decided"]
    assert [row["errata_note"] for row in decided] == ["'=1+1"]  # no spreadsheet runs it


def check_parquet(content):
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(io.BytesIO(content))
    assert table.num_rows == 120
    assert "errata_class" in table.column_names


CHECKS = {
    "csv": check_csv,
    "jsonl": lambda content: json.loads(content.splitlines()[0])["errata_verdict"],
    "parquet": check_parquet,
    "label-studio": lambda content: json.loads(content)[0]["data"],
    "label-studio-config": lambda content: content.index(b"<Choices"),
    "events": lambda content: content.index(b"ann"),
}


def test_an_export_that_cannot_be_is_told(audited):
    with Page(audited) as page:
        answer = page.get("/export?format=csv")
        assert (answer.status_code, "--table" in answer.text) == (422, True)
        assert page.get("/export?format=xls").status_code == 422
        assert page.post("/reaudit", {}).status_code == 422


@pytest.mark.parametrize("state", ["running", "failed"])
def test_there_is_no_report_of_a_second_audit_that_is_not_done(page, audited, state):
    page.app.state.reaudit = SimpleNamespace(state=state, folder=audited)
    answer = page.get("/reaudit/report")
    assert (answer.status_code, answer.text) == (404, "there is no new audit yet.")


def test_a_person_is_refused_on_a_page_with_a_way_back(page):
    browser = {"accept": "text/html,application/xhtml+xml"}
    answer = page.get("/export?format=xls", headers=browser)
    assert answer.status_code == 422
    assert answer.headers["content-type"].startswith("text/html")
    assert 'href="/">Back to the rows</a>' in answer.text
    for script in ({"accept": "*/*"}, browser | PART):
        answer = page.get("/export?format=xls", headers=script)
        assert answer.status_code == 422
        assert answer.headers["content-type"].startswith("text/plain")


def end_of_second_audit(page):
    """Wait for the audit that the page has started; what the page says then."""
    page.app.state.reaudit.process.wait(timeout=LONG)
    return page.get("/reaudit").text


def test_a_second_audit_ends_in_a_link(page, audited):
    assert page.get("/reaudit/report").status_code == 404
    assert page.post("/reaudit", {}).headers["location"] == "/reaudit"
    text = end_of_second_audit(page)
    assert 'href="/reaudit/report"' in text, text
    answer = page.get("/reaudit/report")
    assert answer.headers["content-security-policy"] == (
        "sandbox allow-scripts; default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
        "script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    assert "Label audit" in answer.text
    numbers = json.loads((audited.with_name("pets.2.audit") / "audit.json").read_text())
    assert numbers["about"]["decisions"] == str(page.decisions.path)


def test_a_second_audit_runs_no_code_that_lies_beside_the_table(page, audited, monkeypatch):
    folder = audited.parent
    for name in ("click", "errata"):
        (folder / f"{name}.py").write_text(f"open('{name}.ran', 'w')")
    monkeypatch.chdir(folder)
    page.post("/reaudit", {})
    assert 'href="/reaudit/report"' in end_of_second_audit(page)
    assert list(folder.glob("*.ran")) == []


@pytest.mark.parametrize("name", ["scheduler", "engine", "out"])
def test_a_second_audit_takes_no_argument_that_an_audit_does_not_note(page, monkeypatch, name):
    noted = page.review.folder.about["arguments"]
    monkeypatch.setitem(page.review.folder.about, "arguments", noted | {name: "dask"})
    answer = page.post("/reaudit", {})
    assert answer.status_code == 422
    assert f"an argument '{name}', which errata audit does not" in answer.text
    assert page.app.state.reaudit is None


def test_a_second_audit_imports_no_model_that_a_stranger_named(page, monkeypatch):
    named = {"model": "antigravity:geohash"}
    monkeypatch.setitem(page.review.folder.about, "arguments", named)
    answer = page.post("/reaudit", {})
    assert answer.status_code == 422
    assert "made with antigravity:geohash, and the code of a model is only run" in answer.text
    assert page.app.state.reaudit is None


def test_a_second_audit_has_no_model_that_was_passed_in_python(page, monkeypatch):
    monkeypatch.setitem(page.review.folder.about, "arguments", {"estimator": None})
    answer = page.post("/reaudit", {})
    assert answer.status_code == 422
    assert "made with a model of your own; audit the table again in Python" in answer.text
