import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.tables import copy_with_column, copy_with_rows, read_columns, write_columns

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
    found = read_columns(path)
    assert list(found) == ["n", "x", "b", "s", "m"]
    assert found["n"].dtype.kind == "i"
    np.testing.assert_array_equal(found["x"], [1.5, 2, np.nan])
    assert found["b"].tolist() == [True, False, True]
    assert found["b"].dtype == bool
    assert found["s"].tolist() == ["a", None, None]
    assert found["m"].tolist() == [1, "one", None]


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
    write_columns(tmp_path / "t.jsonl", {"x": [1.0, float("nan")], "ü": ["a", "b"]})
    assert (tmp_path / "t.jsonl").read_text() == '{"x": 1.0, "ü": "a"}\n{"x": null, "ü": "b"}\n'


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ('[{"x": 1}]', "line 1 of .* holds a JSON array; JSON lines hold one object per line"),
        ('{"x": 1}\n3\n', "line 2 of .* holds a JSON number or null"),
        ("x,y\n1,2\n", "line 1 of .* is not JSON"),
        ('{\n"x": 1\n}\n', "line 1 of .* is not JSON"),
        ('{"x": 1, "x": 2}\n', "line 1 of .* has the key 'x' twice"),
        ("[" * 100_000, "line 1 of .* is not JSON"),
        ("\n", "is empty"),
        ("{}\n{}\n", "holds no columns"),
        ('{"a": 1, "b": 2}\n', "has no column 'x'; its columns are a, b"),
    ],
)
def test_bad_lines_get_a_sentence(tmp_path, content, sentence):
    path = tmp_path / "bad.jsonl"
    path.write_text(content)
    with pytest.raises(ValueError, match=sentence):
        read_columns(path, ["x"])
