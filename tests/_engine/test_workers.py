import re
import tempfile
from pathlib import Path

import pytest

from engine_cases import cut, join, leave_trace
from errata._engine import Ledger, OnDask
from errata._engine._dask import check_workers, look
from errata._engine._shared import get_versions, load_shared, write_shared

OURS = get_versions()


def test_a_fit_worker(tmp_path):
    with write_shared(tmp_path, "anything") as path:
        seen = look(path)
        assert seen == (OURS, None)
        check_workers({"tcp://a:1": seen}, tmp_path)
        assert list(tmp_path.iterdir()) == [path]  # it has tidied up
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("seen", "kind", "told"),
    [
        ((OURS | {"numpy": "0"}, None), ValueError, f"has numpy 0 instead of {OURS['numpy']}"),
        ((OURS, "does not see"), OSError, "does not see visits.audit; choose a folder on a"),
        (ModuleNotFoundError("No module named 'errata'"), ValueError, "cannot run errata (No mod"),
    ],
)
def test_a_worker_that_is_not_fit_is_named_with_what_to_do(seen, kind, told):
    with pytest.raises(kind, match=re.escape(f"worker tcp://b:2 {told}")):
        check_workers({"tcp://a:1": (OURS, None), "tcp://b:2": seen}, Path("visits.audit"))


def test_a_folder_that_a_worker_does_not_see(tmp_path):
    assert look(tmp_path / "elsewhere" / "shared.pickle")[1] == "does not see"


def test_a_folder_that_a_worker_cannot_write(tmp_path, monkeypatch):
    def closed(**_):
        raise PermissionError(13, "Permission denied")

    with write_shared(tmp_path, "anything") as path:
        monkeypatch.setattr(tempfile, "NamedTemporaryFile", closed)
        assert look(path)[1] == "cannot write (Permission denied)"


def test_a_worker_that_joins_later_is_asked_too(tmp_path, monkeypatch):
    with write_shared(tmp_path, "anything") as path:
        monkeypatch.setattr("errata._engine._shared.get_versions", lambda: OURS | {"errata": "0.0"})
        with pytest.raises(ValueError, match=r"a worker has errata 0.0 instead of"):
            load_shared(path)
        monkeypatch.undo()
        assert load_shared(path) == "anything"  # the error was not taken for an answer


def test_what_is_shared_is_read_once_until_the_next(tmp_path):
    with write_shared(tmp_path, [1]) as one, write_shared(tmp_path, [2]) as two:
        first = load_shared(one)
        assert load_shared(one) is first
        assert load_shared(two) == [2]
        assert load_shared(one) is not first


class AskedClient:
    """A cluster of one worker that says something of itself, and would fail at work."""

    asynchronous, status = False, "running"

    def __init__(self, seen):
        self.seen = seen

    def nthreads(self):
        return {"tcp://b:2": 1}

    def run(self, *_, on_error):
        return {"tcp://b:2": self.seen}


@pytest.mark.parametrize("seen", [(OURS | {"errata": "0"}, None), (OURS, "does not see")])
def test_all_is_checked_before_any_work(tmp_path, monkeypatch, seen):
    monkeypatch.setattr("errata._engine._dask.check_client", lambda client: None)
    ledger = Ledger.open(tmp_path / "work", {}, resume=True)
    with pytest.raises((ValueError, OSError), match=r"^worker tcp://b:2 "):
        OnDask(AskedClient(seen), ledger).reduce(leave_trace, join, cut(9, 3), 0, stage="scan")
    assert [path.name for path in ledger.folder.iterdir()] == ["fingerprint.json"]
