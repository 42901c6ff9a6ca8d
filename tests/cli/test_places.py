from pathlib import Path

import pytest

from errata._files import is_pattern
from errata.cli._folder import name_audit, resolve_path


def test_names_beside_folders_and_patterns(tmp_path, monkeypatch):
    (tmp_path / "visits.2024").mkdir()
    monkeypatch.chdir(tmp_path / "visits.2024")
    folder = tmp_path / "visits.2024"
    assert name_audit(folder, ".audit", ending="") == tmp_path / "visits.2024.audit"
    assert name_audit(Path("."), ".audit") == tmp_path / "visits.2024.audit"
    assert name_audit(Path("*.csv"), ".audit") == tmp_path / "visits.2024.audit"
    assert name_audit(Path("a-[0-9]?.csv"), ".clean") == Path("a.clean")
    assert name_audit(Path("**/v_*.csv"), ".audit") == Path("v.audit")
    with pytest.raises(ValueError, match="has no name to call anything by"):
        name_audit(Path("/"), ".audit")


def test_a_file_may_look_like_a_pattern(tmp_path):
    file = tmp_path / "a[1].csv"
    assert is_pattern(file)
    file.touch()
    assert not is_pattern(file)
    assert name_audit(file, ".audit", ending="").name == "a[1].audit"


def test_a_pattern_is_known_from_anywhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert resolve_path(Path("v-*.csv")) == str(tmp_path / "v-*.csv")
    assert resolve_path(Path(".")) == str(tmp_path.resolve())
