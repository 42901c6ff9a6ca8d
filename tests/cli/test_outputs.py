import csv

import pytest

from errata.auditing import _settings
from errata.cli import _audit_parts
from errata.cli._audit_parts import write_outputs
from stored_cases import stored_audit

pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pytest.importorskip("jinja2", reason="jinja2 is not installed")


def ranked(folder):
    with (folder / "ranked.csv").open(encoding="utf-8", newline="") as stream:
        return [int(row["row"]) for row in csv.DictReader(stream)]


@pytest.mark.parametrize("most", [1_000, 20])
def test_of_a_large_table_flagged_rows_are_listed(most, tmp_path, monkeypatch):
    monkeypatch.setattr(_settings, "EXACT_ROWS", 500)
    monkeypatch.setattr(_audit_parts, "MOST_RANKED", most)
    audit = stored_audit(tmp_path)
    words, _ = write_outputs(audit, tmp_path / "pets.audit")
    expected = [row for row in audit.table(flagged=False)["row"] if audit.flagged[row]]
    assert ranked(tmp_path / "pets.audit") == expected[:most]
    assert words == (
        "The flagged rows" if most == 1_000 else "The 20 most suspicious of the flagged rows"
    )
    assert len(expected) > 20
    names = sorted(path.name for path in (tmp_path / "pets.audit").iterdir())
    assert names == [
        "audit.json",
        "metrics.json",
        "ranked.csv",
        "report.html",
        "rows",
        "summary.md",
    ]
