"""Workers that die in the middle, of clusters of their own; it takes them a while to come back."""

import os
import signal

import pytest

from engine_cases import cut, join, two_workers, wait_for_gate
from errata._engine import Here, Ledger, OnDask
from waiting import LONG, wait_until

pytestmark = pytest.mark.slow


def in_the_middle(folder, act):
    """A progress that acts once, while the last of five parts is at work."""
    acted = []

    def progress(stage):
        if stage.done == 40 and not acted:
            wait_until((folder / "ran-40").exists, "the fifth part runs")
            acted.append(act())

    return progress


@pytest.fixture
def ledger(tmp_path):
    return Ledger.open(tmp_path / "work", {"rows": 50}, resume=True)


def test_all_workers_killed_at_once_come_back_and_go_on(ledger, tmp_path):
    with two_workers() as client:

        def kill():
            for pid in client.run(os.getpid).values():
                os.kill(pid, signal.SIGKILL)
            (tmp_path / "open").touch()

        engine = OnDask(client, ledger, in_the_middle(tmp_path, kill), patience=LONG)
        found = engine.reduce(wait_for_gate, join, cut(50, 10), tmp_path, stage="scan")
    assert found == [0, 10, 20, 30, 40]
    assert [(tmp_path / f"ran-{start}").read_text() for start in (0, 10, 20, 30)] == ["x"] * 4
    assert not list(ledger.folder.glob(".errata-*"))


def test_workers_that_are_gone_for_good_end_patience_and_nothing_is_lost(ledger, tmp_path):
    with two_workers() as client:
        leave = in_the_middle(tmp_path, lambda: client.cluster.scale(0))
        engine = OnDask(client, ledger, leave, patience=5)
        told = r"scan: no Dask worker has been there for 5 seconds; 4 of 5 parts were done"
        with pytest.raises(TimeoutError, match=told):
            engine.reduce(wait_for_gate, join, cut(50, 10), tmp_path, stage="scan")
    (tmp_path / "open").touch()
    found = Here(ledger).reduce(wait_for_gate, join, cut(50, 10), tmp_path, stage="scan")
    assert found == [0, 10, 20, 30, 40]
    assert [(tmp_path / f"ran-{start}").read_text() for start in (0, 10, 20, 30)] == ["x"] * 4
