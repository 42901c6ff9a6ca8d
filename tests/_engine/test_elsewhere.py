import os

import pytest

from engine_cases import two_workers
from errata._engine import map_elsewhere


@pytest.fixture(scope="module")
def client():
    with two_workers() as client:
        yield client


def product(item, factor):
    return item * factor, os.getpid()


@pytest.mark.parametrize("by_address", [False, True])
def test_items_are_measured_by_workers_and_nothing_stays(client, tmp_path, by_address):
    engine = client.scheduler.address if by_address else client
    found = map_elsewhere(engine, product, [3, 4], 10, stage="tens", folder=tmp_path)
    number, (result, pid) = next(found)
    assert result == [30, 40][number]
    assert pid != os.getpid()
    assert len(list(tmp_path.iterdir())) == 1
    assert [result for _, (result, _) in found] == [[40, 30][number]]
    assert list(tmp_path.iterdir()) == []


def test_what_is_left_half_way_is_tidied_up(client, tmp_path):
    found = map_elsewhere(client, product, [3, 4], 10, stage="tens", folder=tmp_path)
    next(found)
    found.close()
    assert list(tmp_path.iterdir()) == []


def test_without_work_nobody_is_asked(tmp_path):
    assert list(map_elsewhere("tcp://nowhere:1", None, [], 0, stage="x", folder=tmp_path)) == []
