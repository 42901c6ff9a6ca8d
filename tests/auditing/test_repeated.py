import numpy as np
import pytest

from errata.auditing.inputs import _duplicates
from errata.auditing.inputs._duplicates import duplicates_by_bits


def cut(bits, codes, size=700):
    for start in range(0, len(bits), size):
        yield start, bits[start : start + size], codes[start : start + size]


@pytest.mark.parametrize("map_bits", [4, 12, 26], ids=["many rounds", "a few", "one"])
def test_rounds_find_what_sorting_finds(map_bits, monkeypatch):
    monkeypatch.setattr(_duplicates, "BITMAP_BITS", map_bits)
    monkeypatch.setattr(_duplicates, "_SHIFT", np.uint64(64 - map_bits))
    random = np.random.default_rng(0)
    bits = random.integers(2**64, size=5_000, dtype=np.uint64)
    bits[3_000:3_400] = bits[:400]
    bits[4_900] = bits[0]
    codes = random.integers(-1, 3, size=5_000)
    labelled = np.flatnonzero(codes >= 0)
    wanted = duplicates_by_bits(bits[labelled], codes[labelled], labelled)
    assert len(wanted) > 100
    found = _duplicates.find_repeated_rows(lambda: cut(bits, codes), len(bits))
    assert list(map(list, found)) == list(map(list, wanted))


def test_no_more_rows_are_compared_than_fit(monkeypatch):
    monkeypatch.setattr(_duplicates, "MOST_REPEATED", 100)
    bits, codes = np.zeros(5_000, dtype=np.uint64), np.arange(5_000) % 2
    (group,) = _duplicates.find_repeated_rows(lambda: cut(bits, codes), len(bits))
    assert group.tolist() == list(range(100))
