import os
import subprocess
import sys

import pytest

from errata import _files
from errata._files import atomic_folder, atomic_path, make_temporary_prefix, remove_litter

pytestmark = pytest.mark.skipif(os.name == "nt", reason="nothing is swept on Windows")


@pytest.fixture(scope="module")
def gone():
    """The beginning of a name whose process has ended."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return make_temporary_prefix().replace(f"-{os.getpid()}-", f"-{process.pid}-")


def test_what_a_dead_process_left_is_removed(gone, tmp_path):
    (tmp_path / f"{gone}abcd_123.csv.gz").write_text("half")
    (tmp_path / f"{gone}abcd_456" / "new").mkdir(parents=True)
    (tmp_path / f"{gone}abcd_456" / "new" / "rows.parquet").write_text("half")
    removed, left = remove_litter(tmp_path)
    assert [path.name for path in removed] == [f"{gone}abcd_123.csv.gz", f"{gone}abcd_456"]
    assert left == []
    assert os.listdir(tmp_path) == []


def test_what_runs_is_left_alone(tmp_path):
    with atomic_path(tmp_path / "a.csv") as file, atomic_folder(tmp_path / "a.audit") as folder:
        folder.mkdir()
        assert remove_litter(tmp_path) == ([], [])
        assert file.exists()


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


def test_what_was_about_to_be_replaced_is_never_removed(gone, tmp_path):
    workshop = tmp_path / f"{gone}abcd_123"
    (workshop / "old").mkdir(parents=True)
    assert remove_litter(tmp_path) == ([], [workshop])
    assert (workshop / "old").exists()


def test_on_windows_nobody_is_asked_whether_a_process_runs(monkeypatch):
    def ends_the_process(pid, number):
        raise AssertionError

    monkeypatch.setattr(os, "kill", ends_the_process)
    with monkeypatch.context() as patch:
        patch.setattr(os, "name", "nt")
        running = _files._is_running(os.getpid())
    assert running


def test_a_folder_that_is_not_there_holds_no_litter(tmp_path):
    assert remove_litter(tmp_path / "nowhere") == ([], [])
