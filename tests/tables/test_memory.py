import pytest

from errata.tables.stored._sources import parse_memory


@pytest.mark.parametrize(
    ("size", "n_bytes"),
    [
        ("2GB", 2 * 10**9),
        ("500MB", 500 * 10**6),
        ("1.5 GiB", 3 << 29),
        (" 64 kib ", 1 << 16),
        ("3t", 3 * 10**12),
        ("12", 12),
        ("100 b", 100),
        (1 << 30, 1 << 30),
        (1.5e9, 1_500_000_000),
    ],
)
def test_sizes_as_people_write_them(size, n_bytes):
    assert parse_memory(size) == n_bytes


@pytest.mark.parametrize("size", ["", "lots", "2 GB!", "2XB", "-1GB", None, True, float("nan")])
def test_nonsense_gets_a_sentence(size):
    with pytest.raises(ValueError, match=r'is not a size; write it as in "2GB" or in bytes'):
        parse_memory(size)


@pytest.mark.parametrize("size", ["0", 0, -5, "0.1"])
def test_no_memory_is_too_little(size):
    with pytest.raises(ValueError, match="is no memory at all"):
        parse_memory(size)
