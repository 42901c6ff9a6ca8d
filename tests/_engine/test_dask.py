"""Workers that die in the middle, of clusters of their own; it takes them a while to come back."""

import asyncio
import os
import re
import signal
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from engine_cases import (
    Traced,
    close_the_folder,
    cut,
    fail_at_twenty,
    full_disk,
    has_run,
    hiccup,
    join,
    kill_worker,
    late_first,
    leave_trace,
    open_the_folder,
    positions,
    pretend_other_numpy,
    tell_the_truth,
    tenth_sum,
    two_workers,
    wait_for_gate,
    who,
)
from errata._engine import (
    Here,
    Ledger,
    OnDask,
    check_client,
    check_workers,
    get_versions,
    load_shared,
    look,
    make_engine,
    make_opener,
    pack_call,
    start_local_client,
    write_shared,
)
from waiting import LONG, wait_until

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def client():
    with two_workers() as client:
        yield client


@pytest.fixture
def ledger(tmp_path):
    return Ledger.open(tmp_path / "work", {"rows": 50}, resume=True)


def traces(folder):
    return {path.name: path.read_text() for path in folder.glob("ran-*")}


@pytest.mark.parametrize("task", [positions, tenth_sum])
def test_the_same_to_the_last_bit_as_in_one_process(client, ledger, task):
    parts = cut(50, 7)
    found = OnDask(client, ledger).reduce(task, join, parts, 0.1, stage="scan")
    here = Here().reduce(task, join, parts, 0.1, stage="scan")
    assert np.asarray(found).tobytes() == np.asarray(here).tobytes()
    kept = sorted(path.name for path in ledger.folder.iterdir())
    assert kept == sorted(["fingerprint.json", *(f"scan-{p.start}-{p.stop}.pickle" for p in parts)])


def test_a_map_keeps_the_order_of_items_and_tells_how_far_it_is(client, ledger):
    seen = []
    engine = OnDask(client, ledger, seen.append)
    assert engine.map(lambda item, by: item * by, [3, 1, 2], 10, stage="tens") == [30, 10, 20]
    assert [(stage.name, stage.done, stage.total) for stage in seen] == [
        ("tens", done, 3) for done in range(4)
    ]


def test_a_part_that_comes_late_is_merged_in_its_place(client, ledger, tmp_path):
    def open_when_the_other_is_done(stage):
        if stage.done == 10:
            (tmp_path / "open").touch()

    engine = OnDask(client, ledger, open_when_the_other_is_done)
    assert engine.reduce(late_first, join, cut(20, 10), tmp_path, stage="scan") == [0, 10]


def test_what_comes_early_is_given_early(client, ledger, tmp_path):
    engine = OnDask(client, ledger)
    finished = engine.map_unordered(late_first, cut(20, 10), tmp_path, stage="scan")
    assert next(finished)[0] == 1
    (tmp_path / "open").touch()
    assert [number for number, _ in finished] == [0]


def test_every_process_reads_what_is_shared_once(client, ledger, tmp_path):
    shared = Traced(tmp_path)
    pids = OnDask(client, ledger).reduce(who, join, cut(50, 5), shared, stage="scan")
    assert os.getpid() not in pids
    read = {path.name: path.read_text() for path in tmp_path.glob("read-*")}
    assert read == {f"read-{pid}": "x" for pid in set(pids)}


def test_a_mistake_is_told_at_once_and_not_tried_again(client, ledger, tmp_path):
    with pytest.raises(ValueError, match=r"^scan, table.parquet, rows 20 to 29: column 'age'") as e:
        OnDask(client, ledger).reduce(fail_at_twenty, join, cut(50, 10), tmp_path, stage="scan")
    assert traces(tmp_path)["ran-20"] == "x"
    assert "in fail_at_twenty" in e.value.__notes__[0]  # where it was raised, on the worker
    assert not list(ledger.folder.glob("shared-*"))


def test_a_disk_that_fails_for_a_moment_is_tried_again(client, ledger, tmp_path):
    found = OnDask(client, ledger).reduce(hiccup, join, cut(50, 10), tmp_path, stage="scan")
    assert found == [0, 10, 20, 30, 40]
    assert traces(tmp_path)["ran-20"] == "xx"


def test_a_full_disk_is_not_tried_again_and_says_how_to_go_on(client, ledger, tmp_path):
    with pytest.raises(OSError, match=r"rows 0 to 9: .*Free some space; .*same call goes on"):
        OnDask(client, ledger).reduce(full_disk, join, cut(10, 10), tmp_path, stage="scan")
    assert traces(tmp_path) == {"ran-0": "x"}


def test_what_is_finished_is_not_done_again_here_or_there(client, ledger, tmp_path):
    with pytest.raises(ValueError, match="column 'age' is odd"):
        OnDask(client, ledger).reduce(fail_at_twenty, join, cut(50, 10), tmp_path, stage="scan")
    Here(ledger).reduce(leave_trace, join, cut(30, 10), tmp_path, stage="scan")
    assert traces(tmp_path).pop("ran-20") == "xx"
    seen = []
    engine = OnDask(client, ledger, seen.append)
    found = engine.reduce(leave_trace, join, cut(50, 10), tmp_path, stage="scan")
    assert found == [0, 10, 20, 30, 40]
    assert {traces(tmp_path)[f"ran-{start}"] for start in (0, 10, 30, 40)} == {"x"}
    assert seen[-1].done == 50
    assert seen[-1].kept >= 30
    client = None  # all is done: nobody is asked
    assert OnDask(client, ledger).reduce(None, join, cut(50, 10), tmp_path, stage="scan") == found


@pytest.mark.parametrize(
    ("spoil", "mend", "told"),
    [
        (pretend_other_numpy, tell_the_truth, "has numpy 0.1 instead of"),
        (close_the_folder, open_the_folder, r"cannot write \(Permission denied\) "),
    ],
)
def test_one_worker_that_is_not_fit_stops_all_before_any_work(
    client, ledger, tmp_path, spoil, mend, told
):
    spoilt = list(client.nthreads())[-1:]
    client.run(spoil, workers=spoilt)
    with pytest.raises((ValueError, OSError), match=rf"^worker {spoilt[0]} {told}"):
        OnDask(client, ledger).reduce(leave_trace, join, cut(50, 10), tmp_path, stage="scan")
    client.run(mend, workers=spoilt)
    assert not traces(tmp_path)
    assert [path.name for path in ledger.folder.iterdir()] == ["fingerprint.json"]
    OnDask(client, ledger).reduce(leave_trace, join, cut(50, 10), tmp_path, stage="scan")


def test_a_killed_worker_costs_what_it_was_at(client, ledger, tmp_path):
    def kill_in_the_middle(stage):
        if stage.done == 40:  # of 50: the last part waits for the gate
            wait_until(partial(has_run, tmp_path, 40), "the fifth part runs")
            (busy,) = [worker for worker, keys in client.processing().items() if keys]
            os.kill(client.run(os.getpid, workers=[busy])[busy], signal.SIGKILL)
            (tmp_path / "open").touch()

    engine = OnDask(client, ledger, kill_in_the_middle)
    found = engine.reduce(wait_for_gate, join, cut(50, 10), tmp_path, stage="scan")
    assert found == [0, 10, 20, 30, 40]
    assert traces(tmp_path) == {f"ran-{start}": "x" for start in (0, 10, 20, 30)} | {"ran-40": "xx"}


def test_a_part_that_kills_its_workers_is_named(client, ledger, monkeypatch):
    monkeypatch.setattr(client.cluster.scheduler, "allowed_failures", 0)  # not four of them
    with pytest.raises(OSError, match=r"^scan, table.parquet, rows 20 to 29: every worker .* died"):
        OnDask(client, ledger).reduce(kill_worker, join, cut(30, 10)[2:], None, stage="scan")


def test_work_that_others_cancel_is_told(client, ledger, tmp_path):
    def cancel(stage):
        if stage.done == 40:
            pending = [key for key, state in client.futures.items() if state.status == "pending"]
            client.cancel([distributed.Future(key, client) for key in pending])
            (tmp_path / "open").touch()

    engine = OnDask(client, ledger, cancel)
    with pytest.raises(OSError, match="cancelled on the cluster; 4 of 5 parts were done"):
        engine.reduce(wait_for_gate, join, cut(50, 10), tmp_path, stage="scan")


def test_patience_has_an_end_when_nothing_is_finished(client, ledger, tmp_path):
    engine = OnDask(client, ledger, patience=1.0)
    told = r"scan: nothing was finished for 1 seconds; 4 of 5 parts were done\. .*goes on from"
    with pytest.raises(TimeoutError, match=told):
        engine.reduce(wait_for_gate, join, cut(50, 10), tmp_path, stage="scan")
    (tmp_path / "open").touch()
    found = OnDask(client, ledger).reduce(wait_for_gate, join, cut(50, 10), tmp_path, stage="scan")
    assert found == [0, 10, 20, 30, 40]


def test_patience_has_an_end_when_no_worker_comes(ledger):
    with (
        distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        engine = OnDask(client, ledger, patience=1.0)
        with pytest.raises(TimeoutError, match="no Dask worker has been there for 1 seconds"):
            engine.reduce(positions, join, cut(50, 10), 0, stage="scan")


def test_a_cluster_that_grows_with_the_work_gets_some_first(ledger):
    with (
        distributed.LocalCluster(
            n_workers=0, threads_per_worker=1, processes=False, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        cluster.adapt(minimum=0, maximum=1, interval="50ms")
        found = OnDask(client, ledger, patience=60).reduce(
            positions, join, cut(50, 10), 0, stage="scan"
        )
        assert len(found) == 50


dask = pytest.importorskip("dask")


@pytest.fixture(scope="module")
def own_client():
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as own_client,
    ):
        yield own_client


def test_a_worker_that_gives_all_back_keeps_it_while_it_is_at_a_part(
    own_client, ledger, monkeypatch
):
    done = []
    named = {"mallopt": lambda *what: done.append(what), "malloc_trim": done.append}
    monkeypatch.setattr("errata._engine.find_c_function", named.get)
    monkeypatch.delenv("MALLOC_TRIM_THRESHOLD_", raising=False)
    OnDask(own_client, ledger).reduce(positions, join, cut(50, 50), 0.1, stage="alone")
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "")
    OnDask(own_client, ledger).reduce(positions, join, cut(50, 50), 0.1, stage="empty")
    assert done == []
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "65536")  # as Dask starts its own
    OnDask(own_client, ledger).reduce(positions, join, cut(50, 50), 0.1, stage="scan")
    assert done == [(-3, 1 << 25), (-1, 1 << 26), (-3, 1 << 17), (-1, 65536), 0]


def test_nothing_asked_for_is_this_process(ledger):
    seen = []
    with make_engine(None, ledger, seen.append) as engine:
        assert isinstance(engine, Here)
        engine.map(max, [1], 2, stage="scan")
    assert seen
    assert (ledger.folder / "scan-0.pickle").exists()


def test_a_client_is_left_open(own_client, ledger):
    with make_engine(own_client, ledger) as engine:
        assert len(engine.reduce(positions, join, cut(50, 10), 0, stage="scan")) == 50
    assert own_client.status == "running"


def test_an_address_is_a_client_that_is_closed_in_the_end(own_client, ledger):
    with make_engine(own_client.scheduler.address, ledger) as engine:
        assert isinstance(engine, OnDask)
        assert len(engine.reduce(positions, join, cut(50, 10), 0, stage="scan")) == 50
    assert engine.client.status == "closed"


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense://x", "127.0.0.1"])
def test_an_address_where_nobody_answers_is_told(ledger, address):
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "500ms"}),
        pytest.raises(OSError, match=f"no Dask scheduler answers at {address}"),
    ):
        make_engine(address, ledger)


@pytest.mark.parametrize("thing", [5, True, object])
def test_what_is_no_client_is_refused(ledger, thing):
    with pytest.raises(TypeError, match=r"is no Dask client; pass a distributed\.Client"):
        make_engine(thing, ledger)


def test_an_asynchronous_client_is_refused(own_client):
    async def ask():
        async with distributed.Client(
            own_client.scheduler.address, asynchronous=True, set_as_default=False
        ) as one:
            check_client(one)

    with pytest.raises(ValueError, match="is asynchronous"):
        asyncio.run(ask())


def test_a_closed_client_is_refused(own_client, ledger):
    # In the loop that runs already: a new one must start within ten seconds, on any machine.
    address, loop = own_client.scheduler.address, own_client.loop
    with distributed.Client(address, set_as_default=False, loop=loop) as closed:
        engine = make_engine(closed, ledger)
    with pytest.raises(ValueError, match="the Dask client is closed"):
        engine.reduce(positions, join, cut(50, 10), 0, stage="scan")


def test_a_cluster_of_this_machine(ledger):
    with start_local_client(1) as own_client:
        assert set(own_client.nthreads().values()) == {1}
        assert len(OnDask(own_client, ledger).map(max, [1, 2, 3], 2, stage="scan")) == 3
    assert own_client.status == "closed"


def in_the_middle(folder, act):
    """A progress that acts once, while the last of five parts is at work."""
    acted = []

    def progress(stage):
        if stage.done == 40 and not acted:
            wait_until(partial(has_run, folder, 40), "the fifth part runs")
            acted.append(act())

    return progress


@pytest.mark.slow
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


@pytest.mark.slow
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


cloudpickle = pytest.importorskip("cloudpickle", reason="cloudpickle is not installed")


def test_a_call_is_made_elsewhere():
    assert make_opener()(pack_call(max, 3, 5)) == 5


def test_what_opens_a_call_is_known_where_errata_is_not():
    code = (
        "import pickle, sys\n"
        "sys.modules['errata'] = None\n"
        "opener, call = map(bytes.fromhex, sys.argv[1:])\n"
        "print(pickle.loads(opener)(call))"
    )
    sent = cloudpickle.dumps(make_opener()).hex(), pack_call(max, 3, 5).hex()
    found = subprocess.run([sys.executable, "-c", code, *sent], capture_output=True, text=True)
    assert (found.stdout.strip(), found.stderr) == ("5", "")


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
        monkeypatch.setattr("errata._engine.get_versions", lambda: OURS | {"errata": "0.0"})
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
    monkeypatch.setattr("errata._engine.check_client", lambda client: None)
    ledger = Ledger.open(tmp_path / "work", {}, resume=True)
    with pytest.raises((ValueError, OSError), match=r"^worker tcp://b:2 "):
        OnDask(AskedClient(seen), ledger).reduce(leave_trace, join, cut(9, 3), 0, stage="scan")
    assert [path.name for path in ledger.folder.iterdir()] == ["fingerprint.json"]
