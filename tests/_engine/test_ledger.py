import errno
import json

import pytest

from errata._engine import Ledger

FINGERPRINT = {"rows": 5, "files": ["a", "b"], "versions": {"numpy": "2.0"}}


def opened(folder, resume=True, **changes):
    return Ledger.open(folder / "work", FINGERPRINT | changes, resume=resume)


def test_what_is_kept_is_not_made_again_even_if_it_is_nothing(tmp_path):
    assert opened(tmp_path).kept("a", lambda: None) is None
    assert opened(tmp_path).kept("a", lambda: pytest.fail("made again")) is None


def test_an_error_keeps_nothing(tmp_path):
    with pytest.raises(ZeroDivisionError):
        opened(tmp_path).kept("a", lambda: 1 / 0)
    assert [path.name for path in (tmp_path / "work").iterdir()] == ["fingerprint.json"]
    assert opened(tmp_path).kept("a", lambda: 3) == 3


@pytest.mark.parametrize("content", [b"", b"\0\0\0\0", b"\x80\x05\x95\x10"])
def test_a_file_that_lost_its_content_is_made_again(tmp_path, content):
    ledger = opened(tmp_path)
    ledger.kept("a", lambda: 1)
    (ledger.folder / "a.pickle").write_bytes(content)
    assert ledger.kept("a", lambda: 2) == 2
    assert ledger.kept("a", lambda: 3) == 2


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"rows": 6}, "rows was 5, is 6"),
        ({"files": ["a"]}, "other files"),
        ({"versions": {"numpy": "2.1"}}, 'versions numpy was "2.0", is "2.1"'),
        ({"seed": 1}, "seed was null, is 1"),
        ({"rows": 6, "versions": {}}, "rows was 5, is 6, versions numpy was"),
    ],
)
def test_another_fingerprint_is_refused_with_what_differs(tmp_path, changes, told):
    opened(tmp_path).kept("a", lambda: 1)
    with pytest.raises(ValueError, match=rf"{told}.*resume=False"):
        opened(tmp_path, **changes)
    assert opened(tmp_path).kept("a", lambda: 2) == 1  # nothing was lost by asking


def test_a_fingerprint_of_things_that_json_does_not_know(tmp_path):
    opened(tmp_path, files=(tmp_path,))
    opened(tmp_path, files=(tmp_path,)).close()


def test_without_resume_all_begins_anew(tmp_path):
    opened(tmp_path).kept("a", lambda: 1)
    again = opened(tmp_path, resume=False, rows=6)
    assert again.kept("a", lambda: 2) == 2
    assert json.loads((again.folder / "fingerprint.json").read_text())["rows"] == 6


@pytest.mark.parametrize("resume", [True, False])
def test_a_folder_of_other_things_is_left_alone(tmp_path, resume):
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "thesis.tex").write_text("years of work")
    with pytest.raises(ValueError, match="holds something else"):
        opened(tmp_path, resume=resume)
    assert (tmp_path / "work" / "thesis.tex").exists()


def test_an_empty_folder_will_do(tmp_path):
    (tmp_path / "work").mkdir()
    opened(tmp_path)


def test_closed_it_leaves_nothing(tmp_path):
    ledger = opened(tmp_path)
    ledger.kept("a", lambda: 1)
    ledger.close()
    assert list(tmp_path.iterdir()) == []


def test_the_folder_is_known_wherever_a_worker_stands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert Ledger.open("work", {}, resume=True).folder == tmp_path / "work"


def test_a_full_disk_is_told_and_leaves_the_ledger_whole(tmp_path, monkeypatch):
    ledger = opened(tmp_path)
    ledger.kept("a", lambda: 1)

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("errata._engine._ledger.dump", full)
        with pytest.raises(OSError, match=r"cannot write .*b.pickle: no space is left"):
            ledger.kept("b", lambda: 2)
    assert sorted(path.name for path in ledger.folder.iterdir()) == ["a.pickle", "fingerprint.json"]
    assert ledger.kept("b", lambda: 2) == 2
