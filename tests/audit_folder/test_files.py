import gc

import numpy as np
import pyarrow as arrow
import pytest
from pyarrow import parquet

from errata.audit_folder import (
    MISSING,
    CardFile,
    convert_numbers,
    encode_values,
    read_components,
    write_cards,
)
from errata.review import read_audited
from review.review_cases import write_audit


def kept(tmp_path, values, coded=False):
    """A column written in row groups of three, and read as the page does."""
    parquet.write_table(arrow.table({"x": values}), tmp_path / "x.parquet", row_group_size=3)
    read = ["x"] if coded else None
    with parquet.ParquetFile(tmp_path / "x.parquet", read_dictionary=read) as file:
        return file.read(["x"])["x"]


@pytest.mark.parametrize(
    "values",
    [[1, 5, 3, 2], [0.5, 0.25, 1.0, 2.0, 7.5], [True, False, False, True, True, False, True]],
)
def test_numbers_are_as_they_were(tmp_path, values):
    assert convert_numbers(kept(tmp_path, values)).tolist() == values


def test_a_number_that_is_missing_is_nan(tmp_path):
    found = convert_numbers(kept(tmp_path, [0.5, None, 2.0, None]))
    np.testing.assert_array_equal(found, [0.5, np.nan, 2.0, np.nan])


@pytest.mark.parametrize(
    ("values", "coded"),
    [
        (["b", "a", None, "c", "a", "b", None], True),
        ([3, 1, None, 2, 1, 3, None], False),
        ([3, 1, 2, 1], False),
        ([True, False, True, True], False),
        ([0.5, None, 0.25], False),
    ],
)
def test_values_are_sorted_and_rows_know_theirs(tmp_path, values, coded):
    found, codes = encode_values(kept(tmp_path, values, coded))
    assert found == sorted({value for value in values if value is not None})
    assert {type(value) for value in found} == {type(values[0])}  # 1 and 1.0 are two labels
    assert [None if code == MISSING else found[code] for code in codes] == values


@pytest.mark.parametrize("was_on", [True, False])
def test_cards_are_written_without_the_collector_which_is_then_as_it_was(tmp_path, was_on):
    seen = []

    def parts():
        seen.append(gc.isenabled())
        yield np.array([7, 3]), [{"row": 7}, {"row": 3}]

    def broken():
        raise OSError("no space left")
        yield

    (gc.enable if was_on else gc.disable)()
    try:
        write_cards(tmp_path / "cards.parquet", parts())
        after = gc.isenabled()
        with pytest.raises(OSError, match="no space left"):
            write_cards(tmp_path / "more.parquet", broken())
        after_error = gc.isenabled()
    finally:
        gc.enable()
    assert seen == [False]
    assert after == after_error == was_on
    assert CardFile(tmp_path / "cards.parquet").card(1) == {"row": 3}


def test_whole_numbers_beside_gaps_are_read_to_the_last_digit(tmp_path):
    values, codes = encode_values(kept(tmp_path, [2**53 + 1, None, 2**53, 7]))
    assert values == [7, 2**53, 2**53 + 1]
    assert codes.tolist() == [2, MISSING, 1, 0]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [(b"PAR1 and no more", "is damaged; audit the table again"), (None, "does not exist")],
)
@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("cards.parquet", lambda path: CardFile(path)),
        ("components.parquet", read_components),
        ("rows.parquet", lambda path: read_audited(path.parent)),
    ],
)
def test_a_file_that_is_damaged_or_gone_is_named(content, sentence, name, read, tmp_path):
    path = write_audit(tmp_path / "pets.audit") / name
    path.unlink() if content is None else path.write_bytes(content)
    with pytest.raises((ValueError, OSError), match=f"pets.audit/{name} {sentence}"):
        read(path)
