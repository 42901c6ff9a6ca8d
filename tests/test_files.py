import errno
import os
import shutil
from pathlib import Path

import pytest

from errata._files import atomic_folder, atomic_path, readable


def test_a_failure_keeps_the_old_file_and_removes_the_new(tmp_path):
    path = tmp_path / "result.csv"
    path.write_text("old")

    def write_and_fail():
        with atomic_path(path) as temporary:
            temporary.write_text("half")
            raise RuntimeError("power cut")

    with pytest.raises(RuntimeError, match="power cut"):
        write_and_fail()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["result.csv"]


def test_success_replaces_the_file_with_ordinary_permissions(tmp_path):
    path = tmp_path / "result.csv.gz"
    with atomic_path(path) as temporary:
        assert temporary.name.endswith(".csv.gz")
        temporary.write_text("new")
    assert path.read_text() == "new"
    plain = tmp_path / "plain"
    plain.write_text("")
    assert path.stat().st_mode == plain.stat().st_mode


def test_a_missing_folder_is_named(tmp_path):
    with (
        pytest.raises(FileNotFoundError, match="there is no folder"),
        atomic_path(tmp_path / "no" / "result.csv"),
    ):
        pass


def test_what_cannot_be_read_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"missing\.csv does not exist\.$"):
        readable(tmp_path / "missing.csv").__enter__()
    for name in ("mising.audit", "mising.csv", "other.csv"):
        (tmp_path / name).touch()
    with pytest.raises(FileNotFoundError, match=r"does not exist; did you mean 'mising.csv'\?$"):
        readable(tmp_path / "missing.csv").__enter__()
    with pytest.raises(IsADirectoryError, match="is a folder; give a file"):
        readable(tmp_path).__enter__()


@pytest.mark.parametrize("atomic", [atomic_path, atomic_folder])
def test_a_full_disk_is_told_with_the_name_that_was_given(atomic, tmp_path):
    with (
        pytest.raises(
            OSError, match=r"cannot write .*result: no space is left on the disk\."
        ) as full,
        atomic(tmp_path / "result"),
    ):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "temporary")
    assert full.value.errno == errno.ENOSPC
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("content", [None, "theirs"])
def test_what_appears_while_a_folder_is_made_stays_unless_forced(content, tmp_path):
    path = tmp_path / "a.audit"

    def make(**how):
        with atomic_folder(path, **how) as folder:
            folder.mkdir()
            (folder / "ours").touch()
            path.mkdir(exist_ok=True)
            if content:
                (path / content).touch()

    with pytest.raises(FileExistsError, match=r"a.audit appeared while it was being made"):
        make()
    assert os.listdir(path) == ([content] if content else [])
    shutil.rmtree(path)
    make(force=True)
    assert os.listdir(path) == ["ours"]
    assert os.listdir(tmp_path) == ["a.audit"]


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="there is no /proc")
def test_a_folder_that_takes_no_files_is_named():
    sentence = r"^cannot write /proc/x: /proc takes no files or folders"
    with pytest.raises(OSError, match=sentence), atomic_folder("/proc/x"):
        pass
