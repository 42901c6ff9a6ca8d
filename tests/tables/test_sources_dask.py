import pickle

import numpy as np
import pytest

from errata.tables._table import is_stored
from errata.tables.stored._sources import Source, take_source_rows
from waiting import LONG

pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pandas = pytest.importorskip("pandas", reason="pandas is not installed")
dask = pytest.importorskip("dask", reason="dask is not installed")
dd = pytest.importorskip("dask.dataframe", reason="dask is not installed")


@pytest.fixture
def frame():
    frame = pandas.DataFrame(
        {"x": np.arange(100.0), 7: ["a", "b"] * 50}, index=np.arange(100) + 1_000
    )
    return dd.from_pandas(frame, npartitions=4)


def opened(frame, tmp_path):
    assert is_stored(frame)
    return Source(frame, scratch=tmp_path, rows_per_part=10)


def test_partitions_are_parts_without_their_index(frame, tmp_path):
    source = opened(frame, tmp_path)
    assert source.columns == ["x", "7"]
    assert [(part.start, part.stop) for part in source.parts] == [
        (0, 25),
        (25, 50),
        (50, 75),
        (75, 100),
    ]
    found = source.parts[1].read()
    assert found.column_names == ["x", "7"]
    assert found["x"].to_pylist() == list(range(25, 50))
    assert take_source_rows(source, [3, 99], ["x"])["x"].to_pylist() == [3, 99]
    assert source.parts[1].name == "partition 1, rows 0 to 24"


def test_a_part_takes_along_what_it_needs_and_no_more(frame, tmp_path):
    x = pandas.DataFrame({"x": np.zeros(80_000)})
    parts = opened(dd.from_pandas(x, npartitions=8), tmp_path).parts
    raw = pickle.dumps(parts[3])
    assert len(raw) < 2 * 10_000 * 8
    assert pickle.loads(raw).read().num_rows == 10_000


def test_empty_partitions_are_passed_over(frame, tmp_path):
    source = opened(frame[(frame.x < 10) | (frame.x > 80)], tmp_path)
    assert [(part.start, part.stop) for part in source.parts] == [(0, 10), (10, 29)]
    with pytest.raises(ValueError, match="the dask dataframe holds no rows"):
        opened(frame[frame.x < 0], tmp_path)


def test_one_partition_is_computed_at_a_time(tmp_path):
    computed = []

    def seen(piece):
        if len(piece) > 2:  # not the example that dask makes to see what comes out
            computed.append(len(piece))
        return piece

    frame = dd.from_pandas(pandas.DataFrame({"x": range(100)}), npartitions=4)
    source = opened(frame.map_partitions(seen), tmp_path)
    computed.clear()  # counting goes through all of them once
    source.parts[2].read()
    assert computed == [25]


def test_a_column_of_several_types_is_text(tmp_path):
    with dask.config.set({"dataframe.convert-string": False}):
        frame = dd.from_pandas(pandas.DataFrame({"x": [1, "two", None, 3.5]}), npartitions=1)
        assert opened(frame, tmp_path).parts[0].read()["x"].to_pylist() == ["1", "two", None, "3.5"]


def test_the_fingerprint_tells_frames_apart(frame, tmp_path):
    one = opened(frame, tmp_path).fingerprint()
    assert one == opened(frame, tmp_path).fingerprint()
    assert one != opened(frame[frame.x >= 0], tmp_path).fingerprint()


def read_part(part):
    return part.read()["x"].to_pylist()


def test_what_the_cluster_holds_is_read_there(frame, tmp_path):
    distributed = pytest.importorskip("distributed", reason="distributed is not installed")
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        kept = frame.persist()
        for held in (kept, kept[kept.x >= 0]):
            part = opened(held, tmp_path).parts[2]
            assert client.submit(read_part, part).result(LONG) == list(range(50, 75))
            assert read_part(part) == list(range(50, 75))
