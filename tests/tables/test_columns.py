import numpy as np
import pytest

from errata.tables._columns import columns_of, without


def test_arrays_have_positions_and_names():
    columns = columns_of([[1, 2], [3, 4]])
    assert [(c.key, c.name, c.values.tolist()) for c in columns] == [
        (0, "x0", [1, 3]),
        (1, "x1", [2, 4]),
    ]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_dataframes(library):
    frames = pytest.importorskip(library, reason=f"{library} is not installed")
    columns = columns_of(frames.DataFrame({"a": [1, 2], "b": ["x", None]}))
    assert [c.name for c in columns] == ["a", "b"]
    assert columns[1].values[0] == "x"


def test_odd_names_become_distinct_text():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame([[1, 2, 3]], columns=[0, "0", "a"])
    columns = columns_of(frame)
    assert [c.name for c in columns] == ["0", "0 (2)", "a"]
    assert [c.values.tolist() for c in columns] == [[1], [2], [3]]


def test_columns_are_dropped_by_either_name():
    columns = columns_of(np.zeros((2, 3)))
    assert [c.key for c in without(columns, [0, "x2"])] == [1]
    assert [c.key for c in without(columns, "x1")] == [0, 2]
    with pytest.raises(ValueError, match="there is no column 'y' to drop; the columns are x0, x1"):
        without(columns, ["y"])


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
