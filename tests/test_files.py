import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from errata import _files
from errata._files import atomic_folder, atomic_path, make_temporary_prefix, readable, remove_litter


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


swept = pytest.mark.skipif(os.name == "nt", reason="nothing is swept on Windows")


@pytest.fixture(scope="module")
def gone():
    """The beginning of a name whose process has ended."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return make_temporary_prefix().replace(f"-{os.getpid()}-", f"-{process.pid}-")


@swept
def test_what_a_dead_process_left_is_removed(gone, tmp_path):
    (tmp_path / f"{gone}abcd_123.csv.gz").write_text("half")
    (tmp_path / f"{gone}abcd_456" / "new").mkdir(parents=True)
    (tmp_path / f"{gone}abcd_456" / "new" / "rows.parquet").write_text("half")
    removed, left = remove_litter(tmp_path)
    assert [path.name for path in removed] == [f"{gone}abcd_123.csv.gz", f"{gone}abcd_456"]
    assert left == []
    assert os.listdir(tmp_path) == []


@swept
def test_what_runs_is_left_alone(tmp_path):
    with atomic_path(tmp_path / "a.csv") as file, atomic_folder(tmp_path / "a.audit") as folder:
        folder.mkdir()
        assert remove_litter(tmp_path) == ([], [])
        assert file.exists()


@swept
@pytest.mark.parametrize(
    "name",
    [
        ".errata-notes",
        ".errata-{pid}-abcdefabcdef-abcd_123",  # of another machine
        "errata-{pid}-{machine}-abcd_123",
        ".errata-{pid}-{machine}-abcd_123_mine",
        ".errata-0-{machine}-abcd_123",
        ".errata-{huge}-{machine}-abcd_123",
    ],
)
def test_names_that_are_not_certainly_ours_are_left_alone(name, gone, tmp_path):
    _, _, pid, machine, _ = gone.replace(".", "-").split("-")
    path = tmp_path / name.format(pid=pid, machine=machine, huge=10**40)
    path.write_text("mine")
    assert remove_litter(tmp_path) == ([], [])
    assert path.read_text() == "mine"


@swept
def test_links_folders_with_other_things_and_files_of_others_are_left_alone(
    gone, tmp_path, monkeypatch
):
    (tmp_path / "thesis").mkdir()
    (tmp_path / f"{gone}abcd_123").symlink_to(tmp_path / "thesis")
    (tmp_path / f"{gone}abcd_456" / "thesis").mkdir(parents=True)
    assert remove_litter(tmp_path) == ([], [])
    (tmp_path / f"{gone}abcd_789").write_text("")
    monkeypatch.setattr(os, "getuid", lambda: -1)
    assert remove_litter(tmp_path) == ([], [])
    assert len(os.listdir(tmp_path)) == 4


@swept
def test_what_was_about_to_be_replaced_is_never_removed(gone, tmp_path):
    workshop = tmp_path / f"{gone}abcd_123"
    (workshop / "old").mkdir(parents=True)
    assert remove_litter(tmp_path) == ([], [workshop])
    assert (workshop / "old").exists()


@swept
def test_on_windows_nobody_is_asked_whether_a_process_runs(monkeypatch):
    def ends_the_process(pid, number):
        raise AssertionError

    monkeypatch.setattr(os, "kill", ends_the_process)
    with monkeypatch.context() as patch:
        patch.setattr(os, "name", "nt")
        running = _files._is_running(os.getpid())
    assert running


@swept
def test_a_folder_that_is_not_there_holds_no_litter(tmp_path):
    assert remove_litter(tmp_path / "nowhere") == ([], [])
