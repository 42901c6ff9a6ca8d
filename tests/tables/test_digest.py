from hashlib import blake2b

import numpy as np
import pandas
import pytest

from errata.tables import RowDigests, read_table, row_digests, row_keys, write_table
from errata.tables._digest import plain_spelling

arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

PETS = {
    "pet": ["cat", "dog", "cat", "emu"],
    "legs": ["4", "4", "4", "2"],
    "note": ["", "a", "", "b"],
}


def digests(**changes):
    return row_digests(arrow.table(PETS | changes))


def test_a_digest_is_that_of_the_contents_and_does_not_change_between_versions():
    found = digests()
    assert found.columns == ["legs", "note", "pet"]
    assert found.values.dtype == np.int64
    assert found.values[0] == found.values[2]
    assert len(set(found.values.tolist())) == 3
    # blake2b of the cells, joined by the unit separator: folders that were written stay readable.
    raw = blake2b(b"2\x1fb\x1femu", digest_size=8).digest()
    assert found.values[3] == int.from_bytes(raw, "little", signed=True)


@pytest.mark.parametrize("name", PETS)
def test_every_cell_counts(name):
    cells = list(PETS[name])
    cells[1] = "x"
    changed = digests(**{name: cells}).values != digests().values
    assert changed.tolist() == [False, True, False, False]


def test_cells_do_not_run_into_each_other():
    one = row_digests(arrow.table({"a": ["ab", None], "b": ["c", "d"]}))
    other = row_digests(arrow.table({"a": ["a", "d"], "b": ["bc", None]}))
    assert (one.values != other.values).all()


def test_the_order_of_columns_and_the_way_cells_are_written_do_not_count(tmp_path):
    (tmp_path / "a.csv").write_bytes(
        b'pet,legs,note\r\n"cat",4,\r\ndog,4,a\r\n\r\ncat,4,""\r\nemu,2,b'
    )
    write_table(tmp_path / "b.tsv.gz", {name: PETS[name] for name in reversed(PETS)})
    write_table(tmp_path / "c.parquet", PETS | {"legs": [4, 4, 4, 2]})
    write_table(tmp_path / "d.jsonl", PETS | {"legs": [4.0, 4.0, 4.0, 2.0]})
    for path in tmp_path.iterdir():
        np.testing.assert_array_equal(row_digests(read_table(path)).values, digests().values)


@pytest.mark.parametrize("ending", ["tsv", "xlsx", "parquet", "jsonl"])
def test_a_cell_is_the_same_in_every_format(ending, tmp_path):
    day = np.datetime64("2024-03-01")
    table = {
        "whole": [5.0, 600_000.0, -0.0, 7.0],
        "part": [2.5, 1e-7, 123456.125, 1e22],
        "gap": [1.0, None, 3.0, 4.0],
        "is_old": [True, False, True, True],
        "born": np.array([day] * 4, dtype="M8[us]").tolist(),
        "seen": (day + np.arange(4).astype("m8[h]")).astype("M8[us]").tolist(),
        "code": ["007", "a", None, " x"],
    }
    frame = pandas.DataFrame(table)
    frame.to_csv(tmp_path / "table.csv", index=False)
    frame.to_csv(tmp_path / "table.tsv", index=False, sep="\t")
    frame.to_excel(tmp_path / "table.xlsx", index=False)
    frame.to_parquet(tmp_path / "table.parquet")
    frame.to_json(tmp_path / "table.jsonl", orient="records", lines=True, date_format="iso")
    expected = row_digests(read_table(tmp_path / "table.csv")).values
    found = row_digests(read_table(tmp_path / f"table.{ending}")).values
    np.testing.assert_array_equal(found, expected)
    assert len(set(expected.tolist())) == 4


def test_codes_keep_their_noughts():
    codes = ["007", "7", "07", "1_0", "10", "1.0.0", "1.0.00", "v2.0", "v2"]
    found = row_digests(arrow.table({"code": codes})).values
    assert len(set(found.tolist())) == len(codes)


@pytest.mark.parametrize("note", [PETS["note"], [b"a", b"b", b"c", b"\xff"]], ids=["text", "bytes"])
def test_batches_are_joined_in_order(note, monkeypatch):
    whole = digests(note=note).values
    monkeypatch.setattr("errata.tables._digest._ROWS", 3)
    np.testing.assert_array_equal(digests(note=note).values, whole)


@pytest.mark.parametrize(
    "cells",
    [
        [[1], [2, 3], None],
        [{"a": 1}, {"a": 2}, None],
        [b"\xff", b"a", None],
        [1.5, float("nan"), None],
        [True, False, None],
        np.array(["2020-01-01", "2020-01-02", "NaT"], dtype="datetime64[s]"),
        arrow.array(["a", "b", None]).dictionary_encode(),
        arrow.UnionArray.from_dense(
            arrow.array([0, 1, 0], arrow.int8()),
            arrow.array([0, 0, 1], arrow.int32()),
            [arrow.array([1, None]), arrow.array(["a"])],
        ),
    ],
    ids=["lists", "objects", "bytes", "floats", "booleans", "dates", "dictionary", "union"],
)
def test_cells_of_any_type(cells):
    assert len(set(row_digests(arrow.table({"a": cells})).values.tolist())) == 3


def test_rows_are_found_wherever_they_went():
    random = np.random.default_rng(0)
    then = RowDigests(["a"], random.integers(40, size=60))  # with many equal rows
    order = random.permutation(60)
    rows = then.places_of(RowDigests(["a"], then.values[order]))
    np.testing.assert_array_equal(then.values[rows], then.values[order])
    assert sorted(rows) == list(range(60))
    assert then.places_of(then).tolist() == list(range(60))


def test_a_row_is_found_as_often_as_it_was_there():
    then = RowDigests(["a"], np.array([5, 6, 5]))
    assert then.places_of(RowDigests(["a"], np.array([5, 5, 5, 9]))).tolist() == [0, 2, -1, -1]


def test_keys_outlive_sorting_and_a_change_of_the_label():
    table = arrow.table({"a": ["1", "2", "1", "1"], "b": ["x"] * 4, "pet": list("cddc")})
    keys = row_keys(table, "pet")
    assert [key.partition(".")[2] for key in keys] == ["0", "0", "1", "2"]
    assert len(set(keys)) == 4
    assert all(len(key.partition(".")[0]) == 16 for key in keys)
    order = [1, 0, 2, 3]
    changed = table.take(order).set_column(2, "pet", [list("zzzz")]).select(["pet", "b", "a"])
    assert row_keys(changed, "pet").tolist() == keys[order].tolist()


def test_texts_of_a_column_are_spelt_as_single_ones_are():
    texts = "5.0 -0.00 2.50 1E-07 TRUE False 12:30:05.100 2024-03-01T00:00:00 v1.0 1.2.0 cat"
    spelt = [*texts.split(), "2024-03-01 00:00:00", "", "5.0"]
    column = arrow.table({"a": arrow.chunked_array([spelt, [None, *spelt]])})
    plain = [plain_spelling(text) for text in spelt]
    assert plain[:5] == ["5", "0", "2.5", "1e-7", "true"]
    expected = row_digests(arrow.table({"a": [*plain, "", *plain]}))
    np.testing.assert_array_equal(row_digests(column).values, expected.values)
