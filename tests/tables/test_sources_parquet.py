import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.tables.stored._parquet import ParquetTable, _split_groups, make_parquet_parts

arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")


def parts_of(files, rows_per_part):
    return list(make_parquet_parts(files, lambda n_columns: rows_per_part))


def written(path, columns, row_group_size=None):
    parquet.write_table(arrow.table(columns), path, row_group_size=row_group_size)
    return ParquetTable(str(path), path.name)


@given(st.lists(st.integers(0, 30), max_size=8), st.integers(1, 12))
def test_runs_cover_every_row_once_in_parts_that_are_small_enough(sizes, most):
    rows = [(i, row) for i, size in enumerate(sizes) for row in range(size)]
    found = []
    for groups, skipped, n_rows in _split_groups(sizes, most):
        within = [(i, row) for i in groups for row in range(sizes[i])]
        found += within[skipped or 0 :][:n_rows]
        assert 0 < n_rows <= most
        assert (skipped is None) == (n_rows == len(within))
    assert found == rows


@pytest.mark.parametrize("rows_per_part", [1, 7, 30, 64, 1_000])
def test_parts_together_are_the_table(tmp_path, rows_per_part, monkeypatch):
    monkeypatch.setattr("errata.tables.stored._parquet._BATCH", 5)
    x = np.arange(100)
    files = [
        written(tmp_path / "a.parquet", {"x": x[:64], "y": 2 * x[:64]}, 30),
        written(tmp_path / "b.parquet", {"y": 2 * x[64:], "x": x[64:]}, 100),
    ]
    parts = parts_of(files, rows_per_part)
    tables = [pickle.loads(pickle.dumps(part)).read(["y", "x"]) for part in parts]
    assert [part.start for part in parts] == [0, *(part.stop for part in parts[:-1])]
    assert [len(table) for table in tables] == [part.stop - part.start for part in parts]
    whole = arrow.concat_tables(tables)
    assert whole.column_names == ["y", "x"]
    assert whole["x"].to_pylist() == x.tolist()
    assert whole["y"].to_pylist() == (2 * x).tolist()


def test_parts_are_named_by_file_and_rows(tmp_path):
    files = [
        written(tmp_path / "a.parquet", {"x": range(3)}),
        written(tmp_path / "b.parquet", {"x": range(2500)}),
    ]
    found = [part.name for part in parts_of(files, 2000)]
    assert found == [
        "a.parquet, rows 0 to 2",
        "b.parquet, rows 0 to 1,249",
        "b.parquet, rows 1,250 to 2,499",
    ]


def test_files_without_rows_have_no_part_and_types_may_differ(tmp_path):
    files = [
        written(tmp_path / "a.parquet", {"z": arrow.array([], arrow.int8())}),
        written(tmp_path / "b.parquet", {"x": [1]}),
        written(tmp_path / "c.parquet", {"x": ["one"]}),
    ]
    parts = parts_of(files, 10)
    assert [part.read()["x"].to_pylist() for part in parts] == [[1], ["one"]]


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"x": [1]}, "b.parquet has no column 'y', but a.parquet has; all files of a table need"),
        ({"x": [1], "y": [1], "z": [1]}, "b.parquet has a column 'z', but a.parquet has none"),
    ],
)
def test_other_columns_get_a_sentence(tmp_path, columns, sentence):
    files = [
        written(tmp_path / "a.parquet", {"x": [1], "y": [1]}),
        written(tmp_path / "b.parquet", columns),
    ]
    with pytest.raises(ValueError, match=sentence):
        parts_of(files, 10)


def test_a_column_with_a_point_in_its_name_is_no_other(tmp_path):
    file = written(tmp_path / "a.parquet", {"a.b": [1], "a": [2]})
    (part,) = parts_of([file], 10)
    assert part.read(["a"]).to_pydict() == {"a": [2]}
    assert part.read(["a.b"]).to_pydict() == {"a.b": [1]}


def test_a_column_that_is_not_there_gets_a_sentence(tmp_path):
    (part,) = parts_of([written(tmp_path / "a.parquet", {"weight": [1]})], 10)
    with pytest.raises(ValueError, match="has no column 'wieght'; did you mean 'weight'"):
        part.read(["wieght"])


def test_a_file_that_changed_meanwhile_is_noticed(tmp_path):
    (part,) = parts_of([written(tmp_path / "a.parquet", {"x": [1, 2]})], 10)
    written(tmp_path / "a.parquet", {"x": [1, 2, 3]})
    with pytest.raises(ValueError, match="rows 0 to 1: 3 rows are there now; the table"):
        part.read()


def test_how_many_rows_a_part_has_may_depend_on_the_columns(tmp_path):
    file = written(tmp_path / "a.parquet", {"x": range(12), "y": range(12), "z": range(12)})
    found = make_parquet_parts([file], lambda n_columns: 12 // n_columns)
    assert [(part.start, part.stop) for part in found] == [(0, 4), (4, 8), (8, 12)]
