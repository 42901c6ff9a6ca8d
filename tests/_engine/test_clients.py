import asyncio

import pytest

from engine_cases import cut, join, positions
from errata._engine import Here, Ledger, OnDask, make_engine, start_local_client
from errata._engine._dask import check_client

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")


@pytest.fixture
def ledger(tmp_path):
    return Ledger.open(tmp_path / "work", {"rows": 50}, resume=True)


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


def test_nothing_asked_for_is_this_process(ledger):
    seen = []
    with make_engine(None, ledger, seen.append) as engine:
        assert isinstance(engine, Here)
        engine.map(max, [1], 2, stage="scan")
    assert seen
    assert (ledger.folder / "scan-0.pickle").exists()


def test_a_client_is_left_open(client, ledger):
    with make_engine(client, ledger) as engine:
        assert len(engine.reduce(positions, join, cut(50, 10), 0, stage="scan")) == 50
    assert client.status == "running"


def test_an_address_is_a_client_that_is_closed_in_the_end(client, ledger):
    with make_engine(client.scheduler.address, ledger) as engine:
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


def test_an_asynchronous_client_is_refused(client):
    async def ask():
        async with distributed.Client(
            client.scheduler.address, asynchronous=True, set_as_default=False
        ) as one:
            check_client(one)

    with pytest.raises(ValueError, match="is asynchronous"):
        asyncio.run(ask())


def test_a_closed_client_is_refused(client, ledger):
    # In the loop that runs already: a new one must start within ten seconds, on any machine.
    address, loop = client.scheduler.address, client.loop
    with distributed.Client(address, set_as_default=False, loop=loop) as closed:
        engine = make_engine(closed, ledger)
    with pytest.raises(ValueError, match="the Dask client is closed"):
        engine.reduce(positions, join, cut(50, 10), 0, stage="scan")


def test_a_cluster_of_this_machine(ledger):
    with start_local_client(1) as client:
        assert set(client.nthreads().values()) == {1}
        assert len(OnDask(client, ledger).map(max, [1, 2, 3], 2, stage="scan")) == 3
    assert client.status == "closed"
