import csv
import datetime
import gzip

import numpy as np
import pandas
import pyarrow as arrow
import pyarrow.parquet as parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from errata.tables import copy_with_column, copy_with_rows, read_table, write_table
from errata.tables._table import read_beside

words = st.text(
    st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8
)  # a cell, line ends and quotes below


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "pets.csv"
    path.write_text('id,weight,note,pet\n1,4.00,"small, grey",cat\n2,31.5,,dog\n\n3,,loud,dog\n')
    return path


@pytest.mark.parametrize(
    "name", ["t.csv", "t.tsv", "t.csv.gz", "t.jsonl", "t.ndjson.gz", "t.parquet", "t.FEATHER"]
)
def test_what_is_written_is_read_again(tmp_path, name):
    columns = {"a": ["x", 'y "q"', "z,;\t|"], "b": ["1", "2", "3"]}
    write_table(tmp_path / name, columns)
    found = read_table(tmp_path / name)
    assert found.to_pydict() == columns
    assert read_table(tmp_path / name, ["b"]).to_pydict() == {"b": columns["b"]}


@given(st.lists(st.tuples(words, words), min_size=1, max_size=10))
def test_any_text_survives_a_round_trip(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("round") / "t.csv"
    first, second = map(list, zip(*rows, strict=True))
    write_table(path, {"first": first, "second": second})
    found = read_table(path)
    assert found.to_pydict() == {"first": first, "second": second}


def test_copy_changes_one_column_and_keeps_every_other_cell_as_text(table, tmp_path):
    copy_with_column(table, tmp_path / "out.csv", "pet", ["dog", "dog", "cat"])
    assert (tmp_path / "out.csv").read_text() == (
        'id,weight,note,pet\n1,4.00,"small, grey",dog\n2,31.5,,dog\n\n3,,loud,cat\n'
    )


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_delimiter_and_line_ends_are_kept(tmp_path, delimiter, line_end):
    source = tmp_path / "in.csv"
    lines = [delimiter.join(cells) for cells in (["x", "y"], ["1", "a"], ["2", "b"])]
    source.write_bytes((line_end.join(lines) + line_end).encode())
    copy_with_column(source, tmp_path / "out.csv", "y", ["b", "b"])
    expected = (line_end.join(lines) + line_end).encode().replace(b"a", b"b")
    assert (tmp_path / "out.csv").read_bytes() == expected


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "cp1252", "utf-16"])
def test_encoding_is_kept_to_the_byte(tmp_path, encoding):
    source = tmp_path / "in.csv"
    source.write_bytes("naïve,label\né,ü\n".encode(encoding))
    name = "naïve"
    assert read_table(source, [name])[name].to_pylist() == ["é"]
    copy_with_column(source, tmp_path / "out.csv", "label", ["ü"])
    assert (tmp_path / "out.csv").read_bytes() == source.read_bytes()


def test_gzip_tables_are_copied_compressed(tmp_path):
    with gzip.open(tmp_path / "in.csv.gz", "wt") as stream:
        stream.write("x,y\n1,a\n")
    copy_with_column(tmp_path / "in.csv.gz", tmp_path / "out.csv.gz", "y", ["b"])
    with gzip.open(tmp_path / "out.csv.gz", "rt") as stream:
        assert stream.read() == "x,y\n1,b\n"


def test_parquet_keeps_its_types(tmp_path):
    schema = arrow.schema([("x", arrow.int16()), ("y", arrow.int8())])
    parquet.write_table(
        arrow.table({"x": [1, 2], "y": [0, 1]}, schema=schema), tmp_path / "in.parquet"
    )
    copy_with_column(tmp_path / "in.parquet", tmp_path / "out.parquet", "y", [1, 1])
    out = parquet.read_table(tmp_path / "out.parquet")
    assert out.schema == schema
    assert out.to_pydict() == {"x": [1, 2], "y": [1, 1]}


@pytest.mark.parametrize("y", ["zstd", "gzip", "snappy", "brotli", "lz4", "none"])
def test_parquet_keeps_its_compression(tmp_path, y):
    table = arrow.table({"x": [1, 2], "y": ["a", "b"], "z": [{"a": 1, "b": [2]}] * 2})
    codecs = {"x": "zstd", "y": y, "z.a": y, "z.b.list.element": y}
    parquet.write_table(table, tmp_path / "in.parquet", compression=codecs)
    new = {"name": "weight", "values": [0.5, 1], "is_new": True}
    copy_with_rows(tmp_path / "in.parquet", tmp_path / "out.parquet", [True, True], **new)
    before, after = (
        parquet.read_metadata(tmp_path / name).row_group(0).to_dict()["columns"]
        for name in ("in.parquet", "out.parquet")
    )
    now = {column["path_in_schema"]: column["compression"] for column in after}
    was = {column["path_in_schema"]: column["compression"] for column in before}
    assert now == was | {"weight": "ZSTD"}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "bad.csv is empty"),
        (b"  \n \n", "bad.csv is empty"),
        (b"x,y\n", "has a header but no rows"),
        (b"x,y\n1,2\n1,2,3\n", "line 3 of .*bad.csv has 3 cells, but the header has 2"),
        (b"x,x,y\n1,2,3\n", "has 2 columns named 'x'; rename one of them"),
        (b"a,b\n1,2\n", "has no column 'x'; the columns are a, b"),
        (b"PK\x03\x04\0\0", "is a zip archive or an Excel workbook, whatever its name says"),
        (b"\x89PNG\r\n\x1a\n\0", "is a PNG image, whatever its name says"),
        (b"PAR1\x15\0", "is a Parquet file, whatever its name says"),
        (b"\n<!DOCTYPE html>\n<html>", "is a web page, whatever its name says"),
        (b"x,y\n\0,2\n", "holds binary data"),
        (b"\xef\xbb\xbf", "bad.csv is empty"),
        ("x,y\n1,2\n".encode("utf-16") + b"3", "starts as utf-16-le text, but does not go on so"),
    ],
)
def test_bad_tables_get_a_sentence(tmp_path, content, sentence):
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=sentence):
        read_table(path, ["x"])


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("bad.csv.gz", b"x,y\n", "is not a whole gzip file"),
        ("bad.parquet", b"x,y\n1,2\n", "is not a parquet file, whatever its name says"),
        ("bad.feather", b"x,y\n1,2\n", "is not a feather file, whatever its name says"),
        ("bad.parquet", b"PAR1" + bytes(40) + b"PAR1", "or it is damaged"),
        ("bad.parquet", b"", "bad.parquet is empty"),
        ("bad.jsonl.gz", b"{}\n", "is not a whole gzip file"),
        ("bad.docx", b"", "bad.docx has no ending that errata knows"),
        ("bad.parquet.gz", b"", r"has no ending that errata knows .*also with \.gz\)\."),
        ("bad.json", b"[]", r"\.gz; JSON of one object a line is \.jsonl\)"),
    ],
)
def test_files_that_are_not_what_their_name_says_get_a_sentence(tmp_path, name, content, sentence):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ValueError, match=sentence):
        read_table(path)


def test_a_cut_off_gzip_file_gets_a_sentence(tmp_path):
    whole = gzip.compress(b"x,y\n" + b"1,2\n" * 5000)
    (tmp_path / "cut.csv.gz").write_bytes(whole[:-20])
    with pytest.raises(ValueError, match="is not a whole gzip file"):
        read_table(tmp_path / "cut.csv.gz")


def test_damaged_bytes_in_a_gzip_file_get_a_sentence(tmp_path):
    whole = bytearray(gzip.compress(b"x,y\n" + b"".join(b"%d,2\n" % i for i in range(9000))))
    whole[2000:2050] = bytes(50)
    (tmp_path / "bad.csv.gz").write_bytes(whole)
    with pytest.raises(ValueError, match=r"is not a whole gzip file|not a text table"):
        read_table(tmp_path / "bad.csv.gz")


def test_delimiters_inside_quotes_do_not_count(tmp_path):
    (tmp_path / "t.csv").write_text('"weight, in kg, dry";y\n1;a\n')
    assert read_table(tmp_path / "t.csv").column_names == ["weight, in kg, dry", "y"]


def test_a_failed_copy_leaves_nothing_behind(tmp_path):
    source = tmp_path / "in.csv"
    source.write_text("x,y\n1,a\n2\n")
    (tmp_path / "out.csv").write_text("precious")
    with pytest.raises(ValueError, match="line 3"):
        copy_with_column(source, tmp_path / "out.csv", "y", ["b", "b"])
    assert (tmp_path / "out.csv").read_text() == "precious"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.csv", "out.csv"]


def test_formats_are_not_mixed(table, tmp_path):
    with pytest.raises(ValueError, match="of another format"):
        copy_with_column(table, tmp_path / "out.parquet", "pet", ["a", "b", "c"])


def write_some(path):
    write_table(path, {"x": [1.5, 2.5, 3.5], "y": ["a", "b", "c"]})


@pytest.mark.parametrize("ending", ["csv", "tsv.gz", "jsonl", "ndjson.gz", "parquet", "feather"])
def test_rows_stay_or_go_and_a_column_changes_in_the_same_pass(tmp_path, ending):
    source, target = tmp_path / f"in.{ending}", tmp_path / f"out.{ending}"
    write_some(source)
    copy_with_rows(source, target, [True, False, True])
    assert read_table(target)["y"].to_pylist() == ["a", "c"]
    copy_with_rows(source, source, [False, True, True], name="y", values=["a", "b", "d"])
    found = read_table(source)
    assert found["y"].to_pylist() == ["b", "d"]
    assert [float(x) for x in found["x"].to_pylist()] == [2.5, 3.5]


@pytest.mark.parametrize("ending", ["csv", "tsv.gz", "jsonl", "parquet", "feather", "xlsx"])
def test_a_new_column_stands_behind_the_others(tmp_path, ending):
    source, target = tmp_path / f"in.{ending}", tmp_path / f"out.{ending}"
    write_some(source)
    new = {"name": "z", "values": [0.25, 1.0, None], "is_new": True}
    copy_with_rows(source, target, [True, False, True], **new)
    found = read_table(target)
    assert found.column_names == ["x", "y", "z"]
    assert found.select(["x", "y"]).equals(read_table(source).take([0, 2]))
    assert str(found["z"][0]) == "0.25"
    assert not str(found["z"][1]).strip("None")
    with pytest.raises(ValueError, match="has a column 'z' already; rename it"):
        copy_with_rows(target, target, [True, True], **new | {"values": [1.0, 2.0]})


def test_a_new_column_of_a_text_leaves_every_other_byte(tmp_path):
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_bytes(b'\xef\xbb\xbf\n"x;" ;y\r\n"1";"a"\n\n 2;"b;\nb"\r\n\r\n3;')
    copy_with_rows(source, target, [True] * 3, name="z", values=[1, 2, 3], is_new=True)
    expected = b'\xef\xbb\xbf\n"x;" ;y;z\r\n"1";"a";1\n\n 2;"b;\nb";2\r\n\r\n3;;3'
    assert target.read_bytes() == expected


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_the_number_of_rows_must_be_right(tmp_path, ending):
    source, target = tmp_path / f"in.{ending}", tmp_path / f"out.{ending}"
    write_some(source)
    for n in (2, 4):
        with pytest.raises(ValueError, match=f"has 3 rows, but {n} values were given"):
            copy_with_rows(source, target, [True] * n)
    with pytest.raises(ValueError, match="has no column 'z'"):
        copy_with_column(source, target, "z", ["a", "b", "c"])
    assert not target.exists()


def test_what_rows_to_keep_is_checked(table, tmp_path):
    out = tmp_path / "out.csv"
    with pytest.raises(ValueError, match="keep must hold True or False"):
        copy_with_rows(table, out, [0, 1, 2])
    with pytest.raises(ValueError, match="everywhere; a table needs at least one row"):
        copy_with_rows(table, out, [False] * 3)
    with pytest.raises(ValueError, match="give both name and values, or neither"):
        copy_with_rows(table, out, [True] * 3, name="pet")
    with pytest.raises(ValueError, match="keep has 3 entries, but values has 2"):
        copy_with_rows(table, out, [True] * 3, name="pet", values=["a", "b"])


def test_rows_keep_every_byte_and_blank_lines_go_with_the_row_before(tmp_path):
    source = tmp_path / "in.csv"
    source.write_bytes(b'\n"x" ,y\r\n"1","a"\n\n 2,"b\nb"\r\n\r\n3,c')
    copy_with_rows(source, tmp_path / "out.csv", [True, True, True])
    assert (tmp_path / "out.csv").read_bytes() == source.read_bytes()
    copy_with_rows(source, tmp_path / "out.csv", [False, True, True])
    assert (tmp_path / "out.csv").read_bytes() == b'\n"x" ,y\r\n 2,"b\nb"\r\n\r\n3,c'


def test_values_that_the_encoding_lacks_get_a_sentence(tmp_path):
    (tmp_path / "in.csv").write_bytes("x,y\n1,ü\n".encode("cp1252"))
    with pytest.raises(ValueError, match="in an encoding without 'ł'; save it as UTF-8"):
        copy_with_column(tmp_path / "in.csv", tmp_path / "out.csv", "y", ["ł"])
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_dataframes_are_written(tmp_path, library, ending):
    module = pytest.importorskip(library, reason=f"{library} is not installed")
    make = module.table if library == "pyarrow" else module.DataFrame
    write_table(tmp_path / f"t.{ending}", make({"x": [1, 2], "y": ["a", "b"]}))
    found = read_table(tmp_path / f"t.{ending}").to_pydict()
    assert found == {"x": ["1", "2"] if ending == "csv" else [1, 2], "y": ["a", "b"]}


def test_numbers_of_numpy_in_a_list_are_written(tmp_path):
    write_table(tmp_path / "t.jsonl", {"n": [np.int64(1)], "x": [np.float32(1.5)]})
    assert (tmp_path / "t.jsonl").read_text() == '{"n": 1, "x": 1.5}\n'


FORMULAS = ["=1+1", "+cat", "@SUM(A1)", "\t=1", "\r\n=1", "\n=1", "-1_000", "-inf", "+1;=2", "--1"]


def guarded(folder, cells):
    """What stands in the file for a spreadsheet in place of the cells."""
    write_table(folder / "guarded.csv", {"x": cells, "y": [1] * len(cells)}, guard_formulas=True)
    with open(folder / "guarded.csv", newline="", encoding="utf-8") as stream:
        return [row[0] for row in csv.reader(stream)][1:]


def test_what_begins_like_a_formula_gets_an_apostrophe(tmp_path):
    assert guarded(tmp_path, FORMULAS) == [f"'{text}" for text in FORMULAS]


NOT_CHANGED = ["-", "+", "-1", "+1.5", "-.5e-3", "1.", "cat", "a=b", "", "two\nlines", "a\tb",
               "caf\xe9", "\u0645\u06cc\u200c\u0634\u0648\u062f"]  # fmt: skip


def test_numbers_and_other_texts_stay(tmp_path):
    assert guarded(tmp_path, NOT_CHANGED) == NOT_CHANGED
    assert guarded(tmp_path, [-1.5, None]) == ["-1.5", ""]


def test_what_a_terminal_would_obey_is_written_out(tmp_path):
    shown = {
        "\x1b[31mcat": r"\x1b[31mcat",
        "=1\x1b": r"'=1\x1b",
        "\x00\x07\x7f\x9b": r"\x00\x07\x7f\x9b",
        "\r=1": r"\r=1",  # a line end that begins another line over this one
        "\x1b=1": r"\x1b=1",
        "\u202etac": r"\u202etac",
    }
    assert guarded(tmp_path, list(shown)) == list(shown.values())


@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz"])
def test_a_file_for_spreadsheets_is_guarded_when_asked_for(ending, tmp_path):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    columns = {"=pet": ["=1+1", "cat"], "weight": [-4.0, -1]}
    write_table(tmp_path / f"plain.{ending}", columns)
    write_table(tmp_path / f"guarded.{ending}", columns, guard_formulas=True)
    plain = read_table(tmp_path / f"plain.{ending}").to_pydict()
    assert plain == {"=pet": ["=1+1", "cat"], "weight": ["-4.0", "-1"]}
    shown = read_table(tmp_path / f"guarded.{ending}").to_pydict()
    assert shown == {"'=pet": ["'=1+1", "cat"], "weight": ["-4.0", "-1"]}


def test_other_formats_have_types_and_need_no_guard(tmp_path):
    write_table(tmp_path / "pets.jsonl", {"pet": ["=1+1"]}, guard_formulas=True)
    assert (tmp_path / "pets.jsonl").read_text() == '{"pet": "=1+1"}\n'


def test_a_guarded_line_is_still_a_line_of_csv(tmp_path):
    write_table(tmp_path / "pets.csv", {"pet": ['=A1&"x",\n']}, guard_formulas=True)
    with open(tmp_path / "pets.csv", newline="") as stream:
        assert list(csv.reader(stream)) == [["pet"], ['\'=A1&"x",\n']]


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
    assert found.schema_arrow.field("y").type == words.type
    assert found.schema_arrow.metadata[b"made by"] == b"hand"


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_a_column_of_categories_keeps_them_and_their_order(tmp_path, ending):
    pandas = pytest.importorskip("pandas")
    source, target = tmp_path / f"in.{ending}", tmp_path / f"out.{ending}"
    levels = ["low", "middle", "high", "none yet"]
    words = pandas.Categorical(["low", "high", None, "low"], categories=levels, ordered=True)
    frame = pandas.DataFrame({"x": range(4), "y": words})
    getattr(frame, f"to_{ending}")(source)
    copy_with_column(source, target, "y", ["low", "new", None, "middle"])
    found = getattr(pandas, f"read_{ending}")(target)["y"]
    assert found.dtype.categories.tolist() == [*levels, "new"]
    assert found.dtype.ordered
    assert found.astype(object).where(found.notna(), None).tolist() == [
        "low",
        "new",
        None,
        "middle",
    ]


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


NUMBERS = np.arange(6.0).reshape(3, 2)


def test_arrays(tmp_path):
    np.save(tmp_path / "a.npy", NUMBERS)
    np.savez(tmp_path / "a.npz", only=NUMBERS)
    for name in ("a.npy", "a.npz"):
        assert_array_equal(read_beside(tmp_path / name, 3), NUMBERS)


def test_columns_of_a_table_come_by_name(tmp_path):
    write_table(tmp_path / "a.csv", {"x": NUMBERS[:, 0], "y": NUMBERS[:, 1]})
    found = read_beside(tmp_path / "a.csv", 3, name="id")
    assert list(found) == ["x", "y"]
    assert_array_equal(np.column_stack(list(found.values())), NUMBERS)


@pytest.mark.parametrize("ids", [[10, 20, 30], ["10", "20", "30"]])
def test_rows_are_found_by_their_ids(tmp_path, ids):
    write_table(tmp_path / "a.parquet", {"id": [30, 10, 20, 40], "x": [3.0, 1.0, 2.0, 4.0]})
    found = read_beside(tmp_path / "a.parquet", 3, name="id", ids=np.array(ids, dtype=object))
    assert found["x"].tolist() == [1, 2, 3]


def test_a_column_of_lists_is_an_array(tmp_path):
    table = arrow.table({"id": ["b", "a", "c"], "embedding": [[2, 3], [0, 1], [4, 5]]})
    parquet.write_table(table, tmp_path / "a.parquet")
    ids = np.array(["a", "b", "c"], dtype=object)
    assert_array_equal(read_beside(tmp_path / "a.parquet", 3, name="id", ids=ids), NUMBERS)


def saved(path, content):
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif isinstance(content, dict):
        write_table(path, content)
    elif isinstance(content, tuple):
        np.savez(path, *content)
    else:
        np.save(path, content)
    return path


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.npy", NUMBERS[:2], "has 2 rows, but the table has 3; it needs one for each"),
        ("a.npy", NUMBERS[:, 0], r"float64 of the shape \(3,\); numbers in rows and columns"),
        ("a.npy", np.array([["a"]]), "holds an array of <U1"),
        ("a.npy", b"nothing", "holds no array of numbers, or it is damaged"),
        ("a.npz", (NUMBERS, NUMBERS), r"holds 2 arrays \(arr_0, arr_1\); save the one"),
        ("a.pt", b"torch", "a.pt is no array"),
        ("a.csv", {"x": [1.0, 2.0]}, "has 2 rows, but the table has 3"),
        ("a.csv", {"x": [1.0, 2.0, 3.0], "y": ["a", "b", "c"]}, "column 'y' of .* not a number"),
        ("a.csv", {"id": ["a", "a", "b"], "x": [1, 2, 3]}, "has some ids twice"),
        ("a.csv", {"id": ["a", "x", "y"], "x": [1, 2, 3]}, "no row for 2 rows .* first is 'b'"),
    ],
)
def test_what_does_not_fit_gets_a_sentence(tmp_path, name, content, sentence):
    path = saved(tmp_path / name, content)
    with pytest.raises(ValueError, match=sentence):
        read_beside(path, 3, name="id", ids=np.array(["a", "b", "c"], dtype=object))


def test_lists_of_several_lengths_get_a_sentence(tmp_path):
    parquet.write_table(arrow.table({"e": [[1, 2], [3], [4, 5]]}), tmp_path / "a.parquet")
    with pytest.raises(ValueError, match=r"not of one length, but of \[1, 2\]"):
        read_beside(tmp_path / "a.parquet", 3)
