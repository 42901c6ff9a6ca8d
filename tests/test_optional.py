import pytest

from errata._optional import require, require_all
from errata.exceptions import MissingExtraError


def test_what_is_there_is_imported():
    assert require("json.decoder", extra="all").JSONDecoder


def test_what_is_missing_names_the_command_that_installs_it():
    with pytest.raises(MissingExtraError, match=r"pip install .jinja2>=.*matplotlib>="):
        require("no_such_plotting_library.pyplot", extra="report")


def test_a_package_that_is_there_but_broken_is_another_problem(tmp_path, monkeypatch):
    (tmp_path / "broken_package.py").write_text("import no_such_dependency_of_it")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="no_such_dependency_of_it") as caught:
        require("broken_package", extra="report")
    assert not isinstance(caught.value, MissingExtraError)


def test_all_that_is_missing_is_named_at_once():
    extras = {"json": "fast", "no_such_a": "tables", "no_such_b": "tables", "no_such_c": "scale"}
    with pytest.raises(MissingExtraError, match="needs no_such_a, no_such_b and no_such_c") as told:
        require_all(extras)
    assert "numba" not in str(told.value)  # what is there brings nothing
    assert "skrub>=" in str(told.value)
    assert str(told.value).endswith("(errata's extras tables and scale)")
    require_all({"json": "fast"})
