import json
from pathlib import Path

import pytest

from decision_cases import said
from errata.review import decisions_path, open_decisions


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "pets.audit"
    folder.mkdir()
    about = {"table": "/data/pets.csv", "label": "pet", "version": "0.1.0"}
    (folder / "audit.json").write_text(json.dumps({"about": about, "fingerprint": "5f0c"}))
    return folder


@pytest.mark.parametrize(
    ("audit", "name"),
    [("a/pets.audit", "pets"), ("pets.audit/", "pets"), ("out", "out"), ("a.b.audit", "a.b")],
)
def test_decisions_are_beside_the_audit(audit, name):
    assert decisions_path(audit) == Path(audit).parent / f"{name}.decisions"


def test_a_folder_without_a_name_has_one_all_the_same(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert decisions_path(".") == folder.parent / "pets.decisions"


def test_a_new_file_says_what_it_is_about(folder):
    with open_decisions(folder) as decisions:
        decisions.record(said())
        assert decisions.about == {
            "audit": "5f0c",
            "label": "pet",
            "made by": "errata 0.1.0",
            "table": "pets.csv",
        }
    assert (folder.parent / "pets.decisions").is_file()
    with open_decisions(folder, read_only=True) as decisions:
        assert len(list(decisions.events())) == 1


def test_decisions_of_another_table_are_refused(folder, tmp_path):
    with open_decisions(folder, tmp_path / "mine.decisions"):
        pass
    about = {"table": "wine.csv", "label": "pet"}
    (folder / "audit.json").write_text(json.dumps({"about": about}))
    with pytest.raises(ValueError, match=r"about the table 'pets.csv', not about 'wine.csv'"):
        open_decisions(folder, tmp_path / "mine.decisions")


def test_a_folder_that_is_no_audit_is_refused(tmp_path):
    with pytest.raises(ValueError, match="is not an audit that errata has written"):
        open_decisions(tmp_path)
    assert list(tmp_path.iterdir()) == []
