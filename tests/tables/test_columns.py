import datetime

import numpy as np
import pytest

from errata.tables._columns import (
    column_array,
    column_names,
    columns_of,
    count_rows,
    drop_columns,
    pick_columns,
    without_columns,
)


def test_arrays_have_positions_and_names():
    columns = columns_of([[1, 2], [3, 4]])
    assert [(c.key, c.name, c.values.tolist()) for c in columns] == [
        (0, "x0", [1, 3]),
        (1, "x1", [2, 4]),
    ]


def frame(library, columns):
    module = pytest.importorskip(library, reason=f"{library} is not installed")
    return module.table(columns) if library == "pyarrow" else module.DataFrame(columns)


LIBRARIES = pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])


@LIBRARIES
def test_dataframes(library):
    day = datetime.datetime(2020, 1, 2)
    table = frame(
        library,
        {"n": [1, None], "x": [1.5, None], "s": ["x", None], "d": [day, None], "l": [[1], None]},
    )
    columns = columns_of(table)
    assert [c.name for c in columns] == column_names(table) == ["n", "x", "s", "d", "l"]
    n, x, s, d, nested = (c.array() for c in columns)
    np.testing.assert_array_equal(n, [1, np.nan])
    np.testing.assert_array_equal(x, [1.5, np.nan])
    assert s.tolist() == ["x", None]
    np.testing.assert_array_equal(d, np.array([day, "NaT"], dtype="M8[us]"))
    assert list(nested[0]) == [1]


@LIBRARIES
def test_a_column_and_a_table_without_it(library):
    table = frame(library, {"a": [1, 2], "b": ["x", None], "c": [3, 4]})
    assert column_array(table, "b").tolist() == ["x", None]
    left = without_columns(table, ["b"])
    assert type(left) is type(table)
    assert column_names(left) == ["a", "c"]
    assert count_rows(left) == 2
    assert without_columns(table, []) is table


def test_the_same_of_mappings_and_arrays():
    table = {"a": [1, 2], "b": ["x", None]}
    assert column_array(table, "b").tolist() == ["x", None]
    assert without_columns(table, ["a"]) == {"b": ["x", None]}
    assert (column_names(table), count_rows(table)) == (["a", "b"], 2)
    array = np.arange(6).reshape(2, 3)
    assert without_columns(array, [1]).tolist() == [[0, 2], [3, 5]]
    assert (column_names(array), count_rows(array)) == ([], 2)


@pytest.mark.parametrize(
    "cells", [["a", 1], ["a", b"b", 1.5], ["a", [1]], ["a", "\ud800"], [("a",), ("b",)]]
)
def test_text_among_other_things_stays_objects(cells):
    values = columns_of({"c": cells})[0].values
    assert values.dtype == object
    assert values.tolist() == cells


def test_no_array_is_as_wide_as_its_longest_cell():
    cells = ["a"] * 1000 + ["x" * 5000]
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    for table in ({"c": cells}, [[cell] for cell in cells], np.array([cells], dtype=object).T):
        (column,) = columns_of(table)
        assert column.values.nbytes < 20_000
        assert column.array().dtype == object
        assert column.array(np.array([1, 1000])).tolist() == ["a", "x" * 5000]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_categories_of_text_are_text(library):
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    module = pytest.importorskip(library, reason="not installed")
    cells = ["b", None, "a", "b"]
    table = {
        "pandas": lambda: module.DataFrame({"c": module.Categorical(cells)}),
        "polars": lambda: module.DataFrame({"c": cells}, schema={"c": module.Categorical}),
        "pyarrow": lambda: module.table({"c": module.array(cells).dictionary_encode()}),
    }[library]()
    values = columns_of(table)[0].values
    assert values.type == arrow.large_string()
    assert values.to_pylist() == cells


def test_columns_called_by_name_are_read_one_at_a_time():
    columns = pick_columns({"a": [1], "b": [2.5], "c": object()}, ["b", "a", "z"])
    assert [next(columns).values.tolist() for _ in range(2)] == [[2.5], [1]]
    with pytest.raises(ValueError, match="no column 'z', which features were made of; "):
        next(columns)


def test_an_arrow_table_is_not_copied():
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    text = arrow.chunked_array([["a"], ["b"]])
    assert columns_of(arrow.table({"c": text}))[0].values.num_chunks == 2


def test_odd_names_become_distinct_text():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame([[1, 2, 3]], columns=[0, "0", "a"])
    columns = columns_of(frame)
    assert [c.name for c in columns] == ["0", "0 (2)", "a"]
    assert [c.values.tolist() for c in columns] == [[1], [2], [3]]
    twins = pandas.DataFrame([[1, "u"], [2, "v"]], columns=["a", "a"])
    assert [c.name for c in columns_of(twins)] == ["a", "a (2)"]
    assert columns_of(twins)[1].array().tolist() == ["u", "v"]


def test_columns_are_dropped_by_either_name():
    columns = columns_of(np.zeros((2, 3)))
    assert [c.key for c in drop_columns(columns, [0, "x2"])] == [1]
    assert [c.key for c in drop_columns(columns, "x1")] == [0, 2]
    with pytest.raises(ValueError, match="there is no column 'y' to drop; the columns are x0, x1"):
        drop_columns(columns, ["y"])


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ({"a": [1, 2], "b": [1]}, r"not of one length, but of \[1, 2\]"),
        ({}, "the table is empty"),
        ({"a": []}, "the table is empty"),
        (np.empty((0, 2)), "the table is empty"),
        ([1, 2], r"has rows and columns, but this one has the shape \(2,\)"),
    ],
)
def test_what_is_no_table_gets_a_sentence(table, sentence):
    with pytest.raises(ValueError, match=sentence):
        columns_of(table)
