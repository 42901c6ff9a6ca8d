import json

import pytest
from click.testing import CliRunner

from errata.cli.__main__ import main
from kind_cases import OPTIONS, audited_kind, classes, written_kind

pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pytest.importorskip("jinja2", reason="jinja2 is not installed")


@pytest.fixture
def corrected(tmp_path):
    pet = classes()["pet"]
    pet[3] = "dog"
    return written_kind("classes", tmp_path, pet=pet)


def refused(result, sentence):
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"Error: {sentence}")
    assert len(result.stderr.splitlines()) == 1


def test_an_earlier_audit_is_compared_to_in_terminal_summary_and_json(audit_of, corrected):
    told = ["--compare-to", audit_of("classes"), "--no-self-check"]
    folder, result = audited_kind("classes", corrected, *told)
    assert "Since the audit compared to:\n60 rows are in both audits" in result.stdout
    summary = (folder / "summary.md").read_text(encoding="utf-8")
    assert "### What changed since the last audit" in summary
    assert "`t3` | `cat` → `dog`" in summary
    _, result = audited_kind("classes", corrected, *told, "--json", "--force")
    assert [row["id"] for row in json.loads(result.stdout)["diff"]["resolved"]] == ["t3"]


def test_it_may_be_the_one_that_is_replaced(corrected):
    folder, _ = audited_kind("classes", corrected, "--no-self-check")
    more = ("--compare-to", folder, "--force", "--no-self-check")
    _, result = audited_kind("classes", corrected, *more)
    assert "No row is newly flagged.\n1 row is still flagged." in result.stdout


def test_what_cannot_be_compared_to_is_said_before_the_work(audit_of, corrected):
    asked = ["audit", str(corrected), *OPTIONS["classes"], "--compare-to"]
    other = CliRunner().invoke(main, [*asked, str(audit_of("votes"))])
    refused(other, f"--compare-to {audit_of('votes')} is an audit of votes, and this one is of")
    refused(CliRunner().invoke(main, [*asked, "nowhere"]), "nowhere does not exist; give the")
    assert [path.name for path in corrected.parent.iterdir()] == ["classes.csv"]


def test_read_in_parts_it_must_not_be_replaced(audit_of, corrected):
    folder, _ = audited_kind("classes", corrected, "--no-self-check")
    asked = ["audit", str(corrected), *OPTIONS["classes"], "--memory", "1GB", "--force"]
    result = CliRunner().invoke(main, [*asked, "--compare-to", str(folder)])
    refused(result, f"--compare-to {folder} would be replaced before it is compared")
