import json

import pytest
from click.testing import CliRunner

from errata.cli.__main__ import main
from kind_cases import KINDS, OPTIONS, audited_kind, written_kind

pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pytest.importorskip("jinja2", reason="jinja2 is not installed")


@pytest.mark.parametrize("kind", KINDS)
def test_standard_output_is_one_object_whatever_the_kind(kind, tmp_path):
    quick = () if kind == "votes" else ("--no-self-check",)
    folder, result = audited_kind(kind, written_kind(kind, tmp_path), "--json", *quick)
    told = json.loads(result.stdout)
    assert (told["kind"], told["folder"], told["diff"]) == (kind, str(folder), None)
    assert told["metrics"] == json.loads((folder / "metrics.json").read_text())
    assert told["answer"].endswith(".")
    assert "map" not in told
    assert set(told["examples"][0]) == {
        *("row", "id", "label", "suggested", "p_wrong", "flagged", "reasons"),
    }
    assert [f"Note: {note}" for note in told["notes"]] == result.stderr.splitlines()


def test_notes_are_on_standard_error_and_a_gate_still_closes(tmp_path):
    table = written_kind("classes", tmp_path, tag=["t"] * 60)
    asked = ["audit", str(table), *OPTIONS["classes"], "--no-self-check", "--json"]
    result = CliRunner().invoke(main, [*asked, "--fail-above", "0"])
    assert result.exit_code == 1
    assert json.loads(result.stdout)["metrics"]["n_flagged"] == 2
    first, last = result.stderr.splitlines()
    assert first.startswith("Note: 1 id in 'tag' stands for several rows")
    assert last.startswith("Too many labels are wrong: ")
