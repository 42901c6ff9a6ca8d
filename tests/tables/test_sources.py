import gzip
import json
import pickle

import numpy as np
import pyarrow as arrow
import pyarrow.dataset as dataset
import pyarrow.feather as feather
import pyarrow.fs as fs
import pyarrow.parquet as parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.tables import read_table, write_table
from errata.tables._table import is_stored
from errata.tables.formats import _csv, _json
from errata.tables.stored import _files, _sources
from errata.tables.stored._files import stack_tables
from errata.tables.stored._sources import (
    Source,
    SourcePart,
    _split_groups,
    convert_to_parquet,
    take_source_rows,
)

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
    source = Source(f"{folder}/*.{ending}", scratch=tmp_path / "new", rows_per_part=rows_per_part)
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
    source = Source(f"{folder}/*.parquet", scratch=folder, rows_per_part=rows_per_part)
    found = take_source_rows(source, np.array(rows, dtype=int), ["i"])
    assert found.to_pydict() == {"i": rows}


def test_only_parts_with_rows_to_take_are_read(folder, monkeypatch):
    source = Source(f"{folder}/*.parquet", scratch=folder, rows_per_part=10)
    read = []
    plain = SourcePart.read
    monkeypatch.setattr(
        SourcePart, "read", lambda part, names: read.append(part) or plain(part, names)
    )
    take_source_rows(source, [0, 3, N - 1])
    assert read == [source.parts[0], source.parts[-1]]


def test_rows_of_files_with_other_types_have_one(tmp_path):
    write_table(tmp_path / "a.parquet", {"x": [1, 2], "y": [1, 2]})
    write_table(tmp_path / "b.parquet", {"x": [0.5], "y": ["three"]})
    source = Source(tmp_path, scratch=tmp_path, rows_per_part=10)
    found = take_source_rows(source, [1, 2])
    assert found.to_pydict() == {"x": [2.0, 0.5], "y": ["2", "three"]}


def test_the_fingerprint_changes_with_the_files(tmp_path):
    def fingerprint():
        return Source(tmp_path, scratch=tmp_path / "s", rows_per_part=10).fingerprint()

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
        Source(f"{tmp_path}/*.csv", scratch=tmp_path / "s", rows_per_part=10)


def test_parts_of_no_rows_are_refused(folder):
    with pytest.raises(ValueError, match="rows_per_part=0 leaves no rows"):
        Source(folder, scratch=folder, rows_per_part=0)


def test_damaged_files_are_named(tmp_path):
    write_table(tmp_path / "a.parquet", {"x": [1, 2]})
    (tmp_path / "b.parquet").write_bytes(b"PAR1 nothing PAR1")
    with pytest.raises(ValueError, match=r"b.parquet is not a parquet file"):
        Source(tmp_path, scratch=tmp_path, rows_per_part=10)


def test_what_is_in_memory_is_not_stored():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    for table in (np.zeros((2, 2)), {"x": [1]}, arrow.table({"x": [1]}), ["a text", "another"]):
        assert not is_stored(table)
    assert not is_stored(pandas.DataFrame({"x": [1]}))
    assert is_stored("visits/")


def parts_of(files, rows_per_part):
    return Source(files, scratch=files[0].parent, rows_per_part=rows_per_part).parts


def written(path, columns, row_group_size=None):
    parquet.write_table(arrow.table(columns), path, row_group_size=row_group_size)
    return path


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
    monkeypatch.setattr("errata.tables.stored._sources._BATCH", 5)
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
    found = [part.name.removeprefix(f"{tmp_path}/") for part in parts_of(files, 2000)]
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
        (
            {"x": [1]},
            r"b.parquet has no column 'y', but .*a.parquet has; all files of a table need",
        ),
        ({"x": [1], "y": [1], "z": [1]}, r"b.parquet has a column 'z', but .*a.parquet has none"),
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
    found = parts_of([file], lambda n_columns: 12 // n_columns)
    assert [(part.start, part.stop) for part in found] == [(0, 4), (4, 8), (8, 12)]


def joined(*tables):
    return stack_tables(tables)["x"]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ([1], [2.5], [1.0, 2.5]),
        ([1], [None], [1, None]),
        ([1], ["a"], ["1", "a"]),
        ([True], [2], ["true", "2"]),
        ([2.0], ["a"], ["2", "a"]),
        ([[1, 2]], ["a"], ["[1, 2]", "a"]),
        ([{"a": 1}], [{"b": "c"}], [{"a": 1, "b": None}, {"a": None, "b": "c"}]),
        ([{}], [{}], ["{}", "{}"]),
    ],
)
def test_one_type_for_all(one, other, expected):
    found = joined(arrow.table({"x": one}), arrow.table({"x": other}))
    assert found.to_pylist() == expected
    assert list(map(type, found.to_pylist())) == list(map(type, expected))


def test_text_and_categories_are_text():
    words = arrow.table({"x": arrow.array(["a", "b"]).dictionary_encode()})
    assert joined(words, arrow.table({"x": ["c"]})).to_pylist() == ["a", "b", "c"]


def test_a_column_that_is_not_there_is_missing():
    found = joined(arrow.table({"x": [1]}), arrow.table({"y": [2]}))
    assert found.to_pylist() == [1, None]


def through_scratch(file):
    return parquet.ParquetFile(convert_to_parquet([file], file.parent / "scratch")[0]).read()


@pytest.mark.parametrize(
    "text",
    [
        'weight,pet\n4.00,cat\n,"a\nb, ""c"""\n 01,dog\n',
        "weight;pet\r\n4,0;cat\r\n\r\n;\r\n",
        "pet\n\ncat\n",
        "\ufeffpet\tname\ncat\tTom\n",
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("packed", [False, True])
def test_text_is_what_read_table_gives(tmp_path, text, encoding, packed):
    file = tmp_path / ("t.csv.gz" if packed else "t.csv")
    raw = text.encode(encoding)
    file.write_bytes(gzip.compress(raw) if packed else raw)
    assert through_scratch(file).equals(read_table(file))


def test_windows_text_is_read_as_such(tmp_path):
    (tmp_path / "t.csv").write_bytes("a;b\né;ü\n".encode("cp1252"))
    assert through_scratch(tmp_path / "t.csv").to_pydict() == {"a": ["é"], "b": ["ü"]}


def test_rows_longer_than_a_block_come_once(tmp_path, monkeypatch):
    monkeypatch.setattr(_csv, "_BLOCKS", (64, 4096))
    rows = [f"{i},{'x' * (500 if i == 90 else 3)}" for i in range(100)]
    (tmp_path / "t.csv").write_text("\n".join(["i,x", *rows]))
    assert through_scratch(tmp_path / "t.csv").equals(read_table(tmp_path / "t.csv"))


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("t.csv", "a,b\n1,2\n3\n", "line 3 of .*t.csv has 1 cell, but the header has 2"),
        ("t.csv", "a,a\n1,2\n", "t.csv has 2 columns named 'a'; rename one"),
        ("t.jsonl", '{"a": 1}\n{"a": }\n', "line 2 of .*t.jsonl is not JSON"),
        ("t.jsonl", '{"a": 1}\n[1]\n', "line 2 of .*t.jsonl holds a JSON array"),
        ("t.csv", "\x00\x01", "is not a text table"),
        ("t.feather", "a,b\n", "is not a feather file, whatever its name says"),
    ],
)
def test_bad_files_get_the_sentences_of_read_table(tmp_path, name, text, sentence):
    (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=sentence):
        read_table(tmp_path / name)
    with pytest.raises(ValueError, match=sentence):
        convert_to_parquet([tmp_path / name], tmp_path / "scratch")
    assert list((tmp_path / "scratch").glob("*")) == []


values = st.none() | st.integers(-9, 9) | st.floats(-1, 1) | st.text("ab1", max_size=3)
rows = st.lists(st.dictionaries(st.sampled_from("xyz"), values, min_size=1), min_size=1)


@given(rows)
def test_json_lines_have_the_types_of_all_lines(tmp_path_factory, rows):
    file = tmp_path_factory.mktemp("json") / "t.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_json, "_BLOCK", 20)  # a line or two
        found = through_scratch(file)
    expected = read_table(file)
    assert found.column_names == expected.column_names
    for name in expected.column_names:
        if "union" not in str(expected[name].type):
            assert found[name].to_pylist() == expected[name].to_pylist()
        else:
            texts = _files.cast_table(expected, found.schema)
            assert found[name].to_pylist() == texts[name].to_pylist()


def test_sentences_about_later_lines_name_the_line(tmp_path, monkeypatch):
    monkeypatch.setattr(_json, "_BLOCK", 20)
    (tmp_path / "t.jsonl").write_text('{"a": 1}\n\n' * 20 + '{"a": 1} {"a": 2}\n')
    with pytest.raises(ValueError, match=r"line 41 of .* is not JSON \(Extra data"):
        convert_to_parquet([tmp_path / "t.jsonl"], tmp_path)


def test_feather_keeps_its_types(tmp_path):
    table = arrow.table({"x": [1, 2, 3], "y": arrow.array(["a", "b", "a"]).dictionary_encode()})
    feather.write_feather(table, str(tmp_path / "t.feather"), chunksize=2)
    found = through_scratch(tmp_path / "t.feather")
    assert found.to_pydict() == table.to_pydict()
    assert found.schema.types == table.schema.types


def test_parquet_is_left_where_it_is(tmp_path):
    write_table(tmp_path / "t.parquet", {"x": [1]})
    files = [tmp_path / "t.parquet"]
    assert convert_to_parquet(files, tmp_path / "scratch") == files


def test_a_file_is_written_again_only_when_it_has_changed(tmp_path):
    file, scratch = tmp_path / "t.csv", tmp_path / "scratch"
    file.write_text("a\n1\n")
    first = convert_to_parquet([file], scratch)[0]
    before = first.stat().st_mtime_ns
    assert convert_to_parquet([file], scratch)[0] == first
    assert first.stat().st_mtime_ns == before
    file.write_text("a\n12\n")
    assert parquet.read_table(convert_to_parquet([file], scratch)[0])["a"].to_pylist() == ["12"]


def test_row_groups_are_of_middling_size(tmp_path, monkeypatch):
    monkeypatch.setattr(_csv, "_BLOCKS", (64,))
    monkeypatch.setattr(_sources, "GROUP_ROWS", 50)
    (tmp_path / "t.csv").write_text("i\n" + "\n".join(map(str, range(400))))
    found = parquet.ParquetFile(convert_to_parquet([tmp_path / "t.csv"], tmp_path)[0]).metadata
    sizes = [found.row_group(i).num_rows for i in range(found.num_row_groups)]
    assert sum(sizes) == 400
    assert max(sizes) <= 50
    assert len(sizes) <= 16  # a block holds some 16 rows, so that groups are not single blocks


@pytest.mark.parametrize("text", ["", "a,b\n"])
def test_a_text_without_rows_is_a_table_without_rows(tmp_path, text):
    (tmp_path / "t.csv").write_text(text)
    assert through_scratch(tmp_path / "t.csv").num_rows == 0


def test_progress_comes_to_an_end_and_knows_what_was_there(tmp_path):
    told = []
    files = [tmp_path / "a.csv", tmp_path / "b.csv.gz", tmp_path / "c.parquet"]
    for file in files:
        write_table(file, {"x": list(range(1000))})
    convert_to_parquet(files[:1], tmp_path)
    convert_to_parquet(files, tmp_path, told.append)
    size_a, size_b = (file.stat().st_size for file in files[:2])
    assert (told[-1].done, told[-1].total) == (size_a + size_b, size_a + size_b)
    assert told[-1].kept == size_a
    assert sorted(stage.done for stage in told) == [stage.done for stage in told]


def test_no_progress_where_there_is_nothing_to_write(tmp_path):
    write_table(tmp_path / "a.parquet", {"x": [1]})
    convert_to_parquet([tmp_path / "a.parquet"], tmp_path, lambda stage: pytest.fail(str(stage)))


@pytest.fixture
def parquet_folder(tmp_path):
    parquet_folder = tmp_path / "stored"
    parquet_folder.mkdir()
    write_table(parquet_folder / "a.parquet", {"x": [1, 2, 3], "y": ["a", "b", "c"]})
    write_table(parquet_folder / "b.parquet", {"x": [4, 5], "y": ["d", "e"]})
    return parquet_folder


def read_all(X, tmp_path):
    assert is_stored(X)
    source = Source(X, scratch=tmp_path / "scratch", rows_per_part=2)
    return source, arrow.concat_tables(part.read() for part in source.parts).to_pydict()


def is_copied(tmp_path):
    return any((tmp_path / "scratch").glob("*"))


def test_parquet_of_a_dataset_is_read_in_place(parquet_folder, tmp_path):
    source, found = read_all(dataset.dataset(parquet_folder), tmp_path)
    assert found == {"x": [1, 2, 3, 4, 5], "y": ["a", "b", "c", "d", "e"]}
    assert not is_copied(tmp_path)
    assert source.files == [str(parquet_folder / "a.parquet"), str(parquet_folder / "b.parquet")]
    assert source.fingerprint() == read_all(parquet_folder, tmp_path)[0].fingerprint()


def test_files_of_another_filesystem_are_read_there(parquet_folder, tmp_path):
    elsewhere = fs.SubTreeFileSystem(str(parquet_folder), fs.LocalFileSystem())
    source, found = read_all(dataset.dataset("", filesystem=elsewhere), tmp_path)
    assert found["x"] == [1, 2, 3, 4, 5]
    assert not is_copied(tmp_path)
    assert source.files == ["a.parquet", "b.parquet"]


def test_a_filtered_dataset_is_filtered(parquet_folder, tmp_path):
    kept = dataset.dataset(parquet_folder).filter(dataset.field("x") > 2)
    source, found = read_all(kept, tmp_path)
    assert found == {"x": [3, 4, 5], "y": ["c", "d", "e"]}
    assert source.files == []
    assert source.parts[0].name == "the dataset, rows 0 to 0"


def test_folders_are_columns_when_the_dataset_says_so(tmp_path):
    for year in (2020, 2021):
        (tmp_path / f"year={year}").mkdir()
        write_table(tmp_path / f"year={year}" / "a.parquet", {"x": [year - 2000]})
    _, found = read_all(dataset.dataset(tmp_path, partitioning="hive"), tmp_path)
    assert found == {"x": [20, 21], "year": [2020, 2021]}


def test_text_of_a_dataset_has_the_types_it_has_there(tmp_path):
    write_table(tmp_path / "a.csv", {"x": [1, 2]})
    _, found = read_all(dataset.dataset(tmp_path / "a.csv", format="csv"), tmp_path)
    assert found == {"x": [1, 2]}


def test_a_lazy_frame_is_written_and_known_by_what_it_holds(tmp_path):
    polars = pytest.importorskip("polars", reason="polars is not installed")
    frame = polars.LazyFrame({"x": [1, 2, 3], "y": ["a", None, "c"]})
    source, found = read_all(frame.filter(polars.col("x") > 1), tmp_path)
    assert found == {"x": [2, 3], "y": [None, "c"]}
    same = read_all(frame.filter(polars.col("x") > 1), tmp_path)[0]
    other = read_all(frame.filter(polars.col("x") < 3), tmp_path)[0]
    assert source.fingerprint() == same.fingerprint()
    assert source.fingerprint() != other.fingerprint()


def test_an_empty_frame_gets_a_sentence(tmp_path):
    polars = pytest.importorskip("polars", reason="polars is not installed")
    with pytest.raises(ValueError, match="the frame holds no rows"):
        read_all(polars.LazyFrame({"x": []}), tmp_path)
