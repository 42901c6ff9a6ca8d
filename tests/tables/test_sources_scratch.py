import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.tables import read_table, write_table
from errata.tables.formats import _csv, _json
from errata.tables.stored import _frames
from errata.tables.stored._frames import convert_to_parquet

arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
feather = pytest.importorskip("pyarrow.feather", reason="pyarrow is not installed")


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
            texts = _frames.cast_table(expected, found.schema)
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
    monkeypatch.setattr(_frames, "GROUP_ROWS", 50)
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
