import os
import signal

import pytest

import errata
from auditing.large_tables import (
    HOW,
    TABLE,
    N,
    assert_same,
    equal_cuts,
    in_memory,
    lower_limits,
    write,
)
from engine_cases import two_workers

pytest.importorskip("pyarrow", reason="the tables extra is not installed")
pytest.importorskip("distributed", reason="the scale extra is not installed")
pandas = pytest.importorskip("pandas")
pytestmark = pytest.mark.usefixtures("low_limits")


@pytest.fixture(scope="module")
def client():
    with two_workers() as client:
        yield client


@pytest.mark.parametrize(
    "exact",
    [
        pytest.param(10**6, id="in memory", marks=pytest.mark.slow),
        pytest.param(N - 1, id="on disk"),
    ],
)
def test_workers_give_the_same_audit_as_this_process(exact, client, tmp_path, monkeypatch):
    lower_limits(monkeypatch, exact=exact)
    folder = write(tmp_path / "pets", equal_cuts(7))
    found = errata.audit(folder, "pet", out=tmp_path / "a.audit", engine=client, **HOW)
    assert_same(found, in_memory())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.audit", "pets"]


def test_a_dask_dataframe_is_audited_where_its_partitions_are(client, tmp_path):
    frames = pytest.importorskip("dask.dataframe")
    frame = frames.from_pandas(pandas.DataFrame(TABLE), npartitions=5)
    address = client.scheduler.address
    found = errata.audit(frame, "pet", out=tmp_path / "a.audit", engine=address, **HOW)
    assert_same(found, in_memory())


class Killer:
    """Kills workers when some parts of a stage are done, and others at work."""

    def __init__(self, client, stage, how_many):
        self.client, self.stage, self.how_many, self.killed = client, stage, how_many, []

    def __call__(self, told):
        here = getattr(told, "name", None) == self.stage
        if here and 0 < told.done < told.total and not self.killed:
            self.killed = list(self.client.run(os.getpid).values())[: self.how_many]
            for pid in self.killed:
                os.kill(pid, signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.parametrize(("stage", "how_many"), [("scanning", 1), ("judging", 1), ("judging", 2)])
def test_lost_workers_cost_what_they_were_at(stage, how_many, tmp_path):
    folder = write(tmp_path / "pets", equal_cuts(60))
    with two_workers() as client:
        killer = Killer(client, stage, how_many)
        how = HOW | {"engine": client, "progress": killer, "out": tmp_path / "a.audit"}
        found = errata.audit(folder, "pet", **how)
    assert len(killer.killed) == how_many
    assert_same(found, in_memory())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.audit", "pets"]
