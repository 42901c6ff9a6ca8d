import pytest

from errata._optional import require
from errata.exceptions import MissingExtraError


def test_what_is_there_is_imported():
    assert require("json.decoder", extra="all").JSONDecoder


def test_what_is_missing_names_the_command_that_installs_it():
    with pytest.raises(MissingExtraError, match=r"pip install .openpyxl>="):
        require("no_such_library.workbook", extra="excel")


def test_a_package_that_is_there_but_broken_is_another_problem(tmp_path, monkeypatch):
    (tmp_path / "broken_package.py").write_text("import no_such_dependency_of_it")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="no_such_dependency_of_it") as caught:
        require("broken_package", extra="excel")
    assert not isinstance(caught.value, MissingExtraError)
