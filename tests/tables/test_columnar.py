import datetime

import pytest

from errata.tables import copy_with_column, copy_with_rows, read_table

arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
pandas = pytest.importorskip("pandas", reason="pandas is not installed")


def test_dates_come_as_dates(tmp_path):
    day = datetime.date(2020, 1, 2)
    parquet.write_table(arrow.table({"d": [day, None]}), tmp_path / "t.parquet")
    found = read_table(tmp_path / "t.parquet")["d"]
    assert found.type == arrow.date32()
    assert found.to_pylist() == [day, None]


def test_fewer_rows_of_a_pandas_table_are_a_pandas_table(tmp_path):
    frame = pandas.DataFrame({"x": [1, 2, 3], "y": pandas.Categorical(["a", "b", "a"])})
    frame.to_parquet(tmp_path / "in.parquet")
    copy_with_rows(tmp_path / "in.parquet", tmp_path / "out.parquet", [True, False, True])
    found = pandas.read_parquet(tmp_path / "out.parquet")
    assert found["x"].tolist() == [1, 3]
    assert found["y"].tolist() == ["a", "a"]


def test_values_of_another_type_get_a_sentence(tmp_path):
    parquet.write_table(arrow.table({"y": [1, 2]}), tmp_path / "in.parquet")
    with pytest.raises(ValueError, match="holds int64 values, and the new ones are not"):
        copy_with_column(tmp_path / "in.parquet", tmp_path / "out.parquet", "y", ["a", "b"])


def test_folders_are_no_columns(tmp_path):
    folder = tmp_path / "year=2020"
    folder.mkdir()
    parquet.write_table(arrow.table({"y": [1, 2]}), folder / "t.parquet")
    assert read_table(folder / "t.parquet").column_names == ["y"]


def test_twin_names_get_a_sentence(tmp_path):
    twins = arrow.Table.from_arrays([arrow.array([1]), arrow.array([2])], names=["a", "a"])
    parquet.write_table(twins, tmp_path / "t.parquet")
    with pytest.raises(ValueError, match="has 2 columns named 'a'; rename one of them"):
        read_table(tmp_path / "t.parquet")


def test_parquet_is_copied_some_rows_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr("errata.tables.formats._columnar.COPIED_ROWS", 4)
    words = arrow.array(list("abcabcabca")).dictionary_encode()
    table = arrow.table({"x": range(10), "word": words, "y": words})
    table = table.replace_schema_metadata({"made by": "hand"})
    parquet.write_table(table, tmp_path / "in.parquet", row_group_size=6)
    keep = [i not in (2, 6, 7) for i in range(10)]
    new = list("xbcabcabcz")
    copy_with_rows(tmp_path / "in.parquet", tmp_path / "out.parquet", keep, name="y", values=new)
    found = parquet.ParquetFile(tmp_path / "out.parquet")
    assert found.metadata.num_row_groups == 3  # of 4, 2 and 4 rows before some went
    assert found.read().to_pydict() == {
        "x": [0, 1, 3, 4, 5, 8, 9],
        "word": list("ababcca"),
        "y": list("xbabccz"),
    }
    assert found.schema_arrow.field("word").type == words.type
    assert found.schema_arrow.metadata[b"made by"] == b"hand"


def test_a_file_that_is_damaged_in_the_middle_leaves_no_copy(tmp_path):
    parquet.write_table(
        arrow.table({"y": [str(i) for i in range(999)]}), tmp_path / "in.parquet", compression=None
    )
    raw = bytearray((tmp_path / "in.parquet").read_bytes())
    raw[20:2000] = bytes(1980)
    (tmp_path / "in.parquet").write_bytes(raw)
    with pytest.raises(ValueError, match="or it is damaged"):
        copy_with_rows(tmp_path / "in.parquet", tmp_path / "out.parquet", [True] * 999)
    assert not (tmp_path / "out.parquet").exists()
