import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.tables import copy_with_column, copy_with_rows, read_table, write_table

pytest.importorskip("pyarrow", reason="pyarrow is not installed")

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)
rows = st.dictionaries(st.text(max_size=3), values, max_size=4)


def test_values_keep_their_types(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text(
        '{"n": 1, "x": 1.5, "b": true, "s": "a", "m": 1}\n\n'
        '{"x": 2, "n": 2, "b": false, "s": null, "m": "one"}\n{"n": 3, "b": true}\n'
    )
    found = read_table(path)
    assert found.column_names == ["n", "x", "b", "s", "m"]
    assert [str(kind) for kind in found.schema.types[:4]] == ["int64", "double", "bool", "string"]
    assert found["x"].to_pylist() == [1.5, 2, None]
    assert found["b"].to_pylist() == [True, False, True]
    assert found["s"].to_pylist() == ["a", None, None]
    assert found["m"].to_pylist() == [1, "one", None]


def test_a_copy_keeps_spaces_escapes_digits_and_order(tmp_path):
    source, target = tmp_path / "in.ndjson", tmp_path / "out.ndjson"
    source.write_text(
        '{ "y" :"a" ,"x":1.50, "t": "\\u00e9"}\r\n\n{"x": [{"y": 1}, "y"], "y": "b"}\n'
        '{"x":1e5 }\n{}'
    )
    copy_with_column(source, target, "y", ["b", "b", "é", None])
    assert target.read_bytes().decode() == (
        '{ "y" :"b" ,"x":1.50, "t": "\\u00e9"}\r\n\n{"x": [{"y": 1}, "y"], "y": "b"}\n'
        '{"x":1e5 , "y": "é"}\n{}'
    )
    copy_with_rows(source, target, [False, False, True, True])
    assert target.read_text() == '{"x":1e5 }\n{}'


@given(st.lists(rows, min_size=1, max_size=5), st.booleans())
def test_one_value_changes_and_nothing_else(tmp_path_factory, objects, ascii_only):
    folder = tmp_path_factory.mktemp("copy")
    objects = [{**row, "label": "old"} for row in objects]
    lines = [json.dumps(row, ensure_ascii=ascii_only) for row in objects]
    (folder / "in.jsonl").write_bytes(("\n".join(lines) + "\n").encode("utf-8", "surrogatepass"))
    copy_with_column(folder / "in.jsonl", folder / "out.jsonl", "label", ["new"] * len(lines))
    expected = "\n".join(line[: line.rindex('"old"')] + '"new"}' for line in lines) + "\n"
    assert (folder / "out.jsonl").read_bytes().decode() == expected


def test_what_json_cannot_say_is_null(tmp_path):
    write_table(tmp_path / "t.jsonl", {"x": [1.0, float("nan")], "ü": ["a", "b"]})
    assert (tmp_path / "t.jsonl").read_text() == '{"x": 1.0, "ü": "a"}\n{"x": null, "ü": "b"}\n'


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ('[{"x": 1}]', "line 1 of .* holds a JSON array; JSON lines hold one object per line"),
        ('{"x": 1}\n3\n', "line 2 of .* holds a JSON number or null"),
        ("x,y\n1,2\n", "line 1 of .* is not JSON"),
        ('{\n"x": 1\n}\n', "line 1 of .* is not JSON"),
        ('{"x": 1, "x": 2}\n', "line 1 of .* has the key 'x' twice"),
        ("[" * 100_000, "line 1 of .* more than 32 levels deep"),
        ('{"x":\n' * 20_000 + "1" + "}\n" * 20_000, "line 1 of .* is not JSON"),
        ('{"x": 1}\n{"x": ' + "[" * 32 + "]" * 32 + "}", "line 2 of .* more than 32 levels deep"),
        ('{"x": "]]' + '\\"' + '", "y": ' + "[" * 32 + "]" * 32 + "}", "line 1 .* levels deep"),
        ("\n", "is empty"),
        ("{}\n{}\n", "holds no columns"),
        ('{"a": 1, "b": 2}\n', "has no column 'x'; the columns are a, b"),
    ],
)
def test_bad_lines_get_a_sentence(tmp_path, content, sentence):
    path = tmp_path / "bad.jsonl"
    path.write_text(content)
    with pytest.raises(ValueError, match=sentence):
        read_table(path, ["x"])


@pytest.mark.parametrize(
    "nested", ["[" * 31 + "]" * 31, '"' + "[" * 500 + '"', "[[]" + ", []" * 500 + "]"]
)
def test_lines_with_many_brackets_that_nest_little_are_read(tmp_path, nested):
    (tmp_path / "t.jsonl").write_text('{"x": ' + nested + "}\n")
    assert read_table(tmp_path / "t.jsonl")["x"].to_pylist() == [json.loads(nested)]


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["2020-01-01", "2020-01-02"], "string"),  # a date is text in JSON, and stays it
        ([1, 2.5], "double"),
        ([2**70, 1], "double"),
        ([None, None], "null"),
        ([[1], None], "list<item: int64>"),
    ],
)
def test_arrow_takes_the_types_of_json(tmp_path, cells, kind):
    (tmp_path / "t.jsonl").write_text("".join(json.dumps({"x": cell}) + "\n" for cell in cells))
    found = read_table(tmp_path / "t.jsonl")["x"]
    assert str(found.type) == kind
    assert found.to_pylist() == cells


@pytest.mark.parametrize(
    ("cells", "found"),
    [
        ([1, "one", None, True, 2.5], [1, "one", None, True, 2.5]),
        ([[1], "a", {"b": 2}], [b"[1]", "a", b'{"b": 2}']),
        ([2**70, "a", -5], [float(2**70), "a", -5]),
        ([[1, "a"]], [b'[1, "a"]']),
    ],
)
def test_several_types_in_a_column_keep_theirs(tmp_path, cells, found):
    (tmp_path / "t.jsonl").write_text("".join(json.dumps({"x": cell}) + "\n" for cell in cells))
    column = read_table(tmp_path / "t.jsonl")["x"]
    assert column.to_pylist() == found
    assert [type(cell) for cell in column.to_pylist()] == [type(cell) for cell in found]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "cp1252", "utf-16"])
def test_json_in_other_encodings(tmp_path, encoding):
    (tmp_path / "t.jsonl").write_bytes('{"x": "é"}\n\n{"x": "ü", "n": 1}\n'.encode(encoding))
    assert read_table(tmp_path / "t.jsonl").to_pydict() == {"x": ["é", "ü"], "n": [None, 1]}


def test_two_objects_on_a_line_are_no_lines(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"x": 1}{"x": 2}\n')
    with pytest.raises(ValueError, match=r"line 1 of .* is not JSON"):
        read_table(tmp_path / "t.jsonl")


def test_half_a_surrogate_is_no_text(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"x": "\\ud800"}\n')
    with pytest.raises(ValueError, match="holds half a surrogate pair in 'x', which is not text"):
        read_table(tmp_path / "t.jsonl")
