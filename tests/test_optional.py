import sys

import pytest

from errata.datasets import fetch_qtdb
from errata.exceptions import MissingExtraError


def test_what_is_missing_names_the_command_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "wfdb", None)
    with pytest.raises(MissingExtraError, match=r"this needs wfdb.*pip install .wfdb>="):
        fetch_qtdb("sel1")


def test_a_package_that_is_there_but_broken_is_another_problem(tmp_path, monkeypatch):
    (tmp_path / "wfdb.py").write_text("import no_such_dependency_of_it")
    monkeypatch.delitem(sys.modules, "wfdb", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="no_such_dependency_of_it") as caught:
        fetch_qtdb("sel1")
    assert not isinstance(caught.value, MissingExtraError)
