import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.tables import write_table
from errata.tables.stored._sources import is_stored, open_source, take_source_rows

arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

N = 57
COLUMNS = {"i": list(range(N)), "word": [f"w{i % 5}" for i in range(N)]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stored")
    for number, (start, stop) in enumerate([(0, 20), (20, 21), (21, N)]):
        piece = {name: cells[start:stop] for name, cells in COLUMNS.items()}
        for ending in ("parquet", "csv.gz", "jsonl", "feather"):
            write_table(folder / f"visits-{8 + number}.{ending}", piece)
    return folder


@pytest.mark.parametrize("ending", ["parquet", "csv.gz", "jsonl", "feather"])
@pytest.mark.parametrize("rows_per_part", [1, 8, 1_000])
def test_files_of_any_format_are_one_table(folder, tmp_path, ending, rows_per_part):
    source = open_source(
        f"{folder}/*.{ending}", scratch=tmp_path / "new", rows_per_part=rows_per_part
    )
    assert source.n_rows == N
    assert source.columns == ["i", "word"]
    whole = arrow.concat_tables(part.read() for part in source.parts)
    assert list(map(int, whole["i"].to_pylist())) == COLUMNS["i"]
    assert whole["word"].to_pylist() == COLUMNS["word"]
    assert [file.rpartition("/")[2] for file in source.files] == [
        f"visits-{number}.{ending}" for number in (8, 9, 10)
    ]
    assert source.parts[0].name.startswith(f"{folder}/visits-8.{ending}, rows 0 to ")


@given(rows=st.sets(st.integers(0, N - 1)).map(sorted), rows_per_part=st.integers(1, 60))
def test_rows_are_taken_by_their_position(folder, rows, rows_per_part):
    source = open_source(f"{folder}/*.parquet", scratch=folder, rows_per_part=rows_per_part)
    found = take_source_rows(source, np.array(rows, dtype=int), ["i"])
    assert found.to_pydict() == {"i": rows}


def test_only_parts_with_rows_to_take_are_read(folder, monkeypatch):
    source = open_source(f"{folder}/*.parquet", scratch=folder, rows_per_part=10)
    read = []
    plain = type(source.parts[0])._read
    monkeypatch.setattr(
        type(source.parts[0]), "_read", lambda part, names: read.append(part) or plain(part, names)
    )
    take_source_rows(source, [0, 3, N - 1])
    assert read == [source.parts[0], source.parts[-1]]


def test_rows_of_files_with_other_types_have_one(tmp_path):
    write_table(tmp_path / "a.parquet", {"x": [1, 2], "y": [1, 2]})
    write_table(tmp_path / "b.parquet", {"x": [0.5], "y": ["three"]})
    source = open_source(tmp_path, scratch=tmp_path, rows_per_part=10)
    found = take_source_rows(source, [1, 2])
    assert found.to_pydict() == {"x": [2.0, 0.5], "y": ["2", "three"]}


def test_the_fingerprint_changes_with_the_files(tmp_path):
    def fingerprint():
        return open_source(tmp_path, scratch=tmp_path / "s", rows_per_part=10).fingerprint()

    write_table(tmp_path / "a.parquet", {"x": [1, 2]})
    first = fingerprint()
    assert first == fingerprint()
    assert (first["rows"], first["columns"]) == (2, ["x"])
    write_table(tmp_path / "a.parquet", {"x": [1, 3]})
    assert first != fingerprint()


def test_a_table_without_rows_gets_a_sentence(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n")
    (tmp_path / "b.csv").write_text("")
    with pytest.raises(ValueError, match="holds no rows"):
        open_source(f"{tmp_path}/*.csv", scratch=tmp_path / "s", rows_per_part=10)


def test_parts_of_no_rows_are_refused(folder):
    with pytest.raises(ValueError, match="rows_per_part=0 leaves no rows"):
        open_source(folder, scratch=folder, rows_per_part=0)


def test_damaged_files_are_named(tmp_path):
    write_table(tmp_path / "a.parquet", {"x": [1, 2]})
    (tmp_path / "b.parquet").write_bytes(b"PAR1 nothing PAR1")
    with pytest.raises(ValueError, match=r"b.parquet is not a parquet file"):
        open_source(tmp_path, scratch=tmp_path, rows_per_part=10)


def test_what_is_in_memory_is_not_stored():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    for table in (np.zeros((2, 2)), {"x": [1]}, arrow.table({"x": [1]}), ["a text", "another"]):
        assert not is_stored(table)
    assert not is_stored(pandas.DataFrame({"x": [1]}))
    assert is_stored("visits/")
