import json

import numpy as np
import pytest

from cli.command_line import invoke
from kind_cases import audited_kind, classes, written_kind

pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pytest.importorskip("jinja2", reason="jinja2 is not installed")


def run(*arguments):
    return invoke("diff", *arguments)


@pytest.fixture(scope="module")
def later(tmp_path_factory):
    """An audit of the animals, in another order, after one of the two errors was corrected."""
    columns = classes()
    columns["pet"][3] = "dog"
    order = np.random.default_rng(0).permutation(60)
    changes = {name: column[order] for name, column in columns.items()}
    table = written_kind("classes", tmp_path_factory.mktemp("later"), **changes)
    return audited_kind("classes", table)[0]


def test_what_changed_is_said_in_sentences(audit_of, later):
    result = run(audit_of("classes"), later)
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert lines[0] == "60 rows are in both audits, matched by their ids; 0 are new and 0 are gone."
    assert lines[1].endswith("the intervals overlap, so the difference may be chance.")
    assert lines[2:] == [
        "No row is newly flagged.",
        "1 row is no longer flagged, with another label now.",
        "1 row is still flagged.",
    ]


def test_rows_are_matched_by_contents_where_an_audit_has_no_ids(audit_of, later, tmp_path):
    table = written_kind("classes", tmp_path)
    out = tmp_path / "unnamed.audit"
    done = invoke("audit", table, "--label", "pet", "--drop", "tag", "-o", out)
    assert done.exit_code == 0, done.output
    result = run(out, later)
    assert "matched by all cells but the label" in result.output
    assert "1 row is no longer flagged, with another label now." in result.output
    assert "different options: --drop=tag before, --id=tag now." in result.output


def test_json_is_all_there_is_on_standard_output(audit_of, later):
    told = json.loads(run(audit_of("classes"), later, "--json").stdout)
    assert (told["matched_by"], told["still_flagged"], told["intervals_overlap"]) == ("id", 1, True)
    assert [row["id"] for row in told["resolved"]] == ["t3"]


def test_markdown_is_for_comments(audit_of, later):
    text = run(audit_of("classes"), later, "--markdown").stdout
    assert text.startswith("### What changed since the last audit\n")
    assert "`t3` | `cat` → `dog` |" in text


@pytest.mark.parametrize(("most", "code"), [(0, 1), (1, 0)])
def test_a_pipeline_can_fail_on_rows_newly_flagged(audit_of, later, most, code):
    result = run(later, audit_of("classes"), "--fail-on-new", most)
    assert result.exit_code == code
    assert result.stdout.startswith("60 rows are in both")
    said = "1 row is newly flagged, more than --fail-on-new 0.\n" if code else ""
    assert result.stderr == said


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["classes", "votes"], "the old audit is one of classes and the new one of votes"),
        (["classes", None], "nowhere.audit does not exist; give the folder"),
        (["classes", "classes", "--json", "--markdown"], "--json and --markdown are two forms"),
    ],
)
def test_errors_are_one_sentence(arguments, sentence, audit_of):
    given = [audit_of(a) if a in ("classes", "votes") else a or "nowhere.audit" for a in arguments]
    result = run(*given)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"Error: {sentence}")
    assert len(result.stderr.splitlines()) == 1
