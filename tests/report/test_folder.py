import csv
import tempfile

import numpy as np
import pytest

import errata
from auditing.stored_cases import stored_audit
from cli.command_line import invoke
from errata.report import write_audit
from errata.tables import write_table


def ranked(folder):
    with (folder / "ranked.csv").open(encoding="utf-8", newline="") as stream:
        return [int(row["row"]) for row in csv.DictReader(stream)]


@pytest.mark.parametrize("most", [1_000, 20])
def test_of_a_large_table_flagged_rows_are_listed(most, tmp_path, monkeypatch):
    monkeypatch.setattr("errata.auditing._settings.EXACT_ROWS", 500)
    monkeypatch.setattr("errata.report._folder.MOST_RANKED", most)
    audit = stored_audit(tmp_path)
    words = write_audit(audit, tmp_path / "pets.audit")
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


def small_audit():
    X = [[value % 7, value] for value in range(60)]
    return errata.audit(X, [int(row[0] > 3) for row in X], self_check=False, random_state=0)


def test_a_folder_that_is_no_audit_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("keep")
    with pytest.raises(FileExistsError, match="is there already and is not an audit"):
        write_audit(small_audit(), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_an_audit_stays_where_the_new_one_cannot_be_written_whole(tmp_path, monkeypatch):
    audit = small_audit()
    place = tmp_path / "small.audit"
    write_audit(audit, place)
    before = {path.name: path.read_bytes() for path in place.iterdir()}

    def fail(*_):
        raise OSError("no space left on device")

    monkeypatch.setattr("errata.report._folder._write_list", fail)
    with pytest.raises(OSError, match="no space"):
        write_audit(audit, place)
    assert {path.name: path.read_bytes() for path in place.iterdir()} == before
    assert [path.name for path in tmp_path.iterdir()] == ["small.audit"]


def test_an_audit_is_written_once_and_put_in_place(tmp_path, monkeypatch):
    made = []
    make = tempfile.mkdtemp

    def note(**how):
        made.append(make(**how))
        return made[-1]

    monkeypatch.setattr(tempfile, "mkdtemp", note)
    audit = small_audit()
    write_audit(audit, tmp_path / "small.audit")
    assert len(made) == 1
    x = np.arange(60) % 7
    pets = {"x": x, "y": np.arange(60), "pet": np.where(x > 3, "cat", "dog")}
    write_table(tmp_path / "pets.csv", pets)
    assert invoke("audit", tmp_path / "pets.csv", "-l", "pet", "--no-self-check").exit_code == 0
    assert len(made) == 2
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["pets.audit", "pets.csv", "small.audit"]


def test_what_changed_is_told_in_the_summary(tmp_path):
    audit = small_audit()
    since = errata.diff(audit, audit)
    write_audit(audit, tmp_path / "small.audit", since=since)
    assert since.markdown() in (tmp_path / "small.audit" / "summary.md").read_text("utf-8")
