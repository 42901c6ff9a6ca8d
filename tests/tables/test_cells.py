import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata._validation import is_missing
from errata.tables._columns import encode_words, is_missing_cell, numbers, quick_numbers, words_of

arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
words = st.one_of(st.none(), text, st.sampled_from(["NA", " null ", "n/a", "none", "1", " 2.5"]))


def objects(values):
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def test_numbers_are_told_from_text():
    np.testing.assert_array_equal(numbers(np.array(["1", " ", "-2e3"])), [1, np.nan, -2000])
    assert numbers(np.array(["1", "one"])) is None
    np.testing.assert_array_equal(numbers(np.array([1, 2])), [1.0, 2.0])
    np.testing.assert_array_equal(numbers(np.array([1.5, None], dtype=object)), [1.5, np.nan])
    np.testing.assert_array_equal(numbers(np.array(["NA", "1", "null"])), [np.nan, 1, np.nan])
    assert numbers(np.array(["2020-01-01"], dtype="M8[D]")) is None


@pytest.mark.parametrize(
    "cells", [["1", " ", "-2e3"], ["NA", "+1", None], ["1_000", "٣"], ["1", "one"], ["", "null"]]
)
def test_arrow_and_python_read_the_same_numbers(cells):
    found, expected = numbers(arrow.chunked_array([cells])), numbers(objects(cells))
    assert (found is None) == (expected is None)
    if found is not None:
        np.testing.assert_array_equal(found, expected)


def test_ordinary_numbers_take_no_python_for_each_cell():
    column = arrow.chunked_array([["1", "-2.50"], ["NA", " 3e1", None]])
    np.testing.assert_array_equal(quick_numbers(column), [1, -2.5, np.nan, 30, np.nan])
    assert quick_numbers(arrow.chunked_array([["1_000"]])) is None


@given(st.lists(words, min_size=1, max_size=12), st.integers(0, 12))
def test_words_are_the_same_in_both_kinds_of_array(values, cut):
    chunks = [values[:cut], values[cut:]]
    codes, ours = words_of(arrow.chunked_array([c for c in chunks if c], arrow.string()))
    their_codes, theirs = words_of(objects(values))
    assert ours == theirs
    assert codes.tolist() == their_codes.tolist()
    cells = [None if code < 0 else ours[code] for code in codes]
    expected = [None if is_missing(v, text=True) else v.strip() for v in values]
    assert cells == expected
    codes, unsorted = encode_words(objects(values))
    assert [None if code < 0 else unsorted[code] for code in codes] == expected


@given(st.lists(st.one_of(words, st.floats()), min_size=1, max_size=12))
def test_a_column_is_missing_where_its_cells_are(values):
    missing = [is_missing(cell, text=True) for cell in values]
    assert is_missing_cell(objects(values)).tolist() == missing
    if all(cell is None or isinstance(cell, str) for cell in values):
        assert is_missing_cell(arrow.chunked_array([values], arrow.string())).tolist() == missing


def test_numbers_among_words_are_written_as_arrow_writes_them():
    values = np.array([2.0, np.nan, 0.5, 2.0, -1.0])
    codes, words = words_of(values)
    assert words == ["-1", "0.5", "2"]
    assert codes.tolist() == [2, -1, 1, 2, 0]
    assert words == sorted(arrow.array([-1.0, 0.5, 2.0]).cast("string").to_pylist())


def test_a_long_cell_costs_no_more_than_itself():
    column = arrow.chunked_array([["a"] * 20_000 + ["x" * 5_000]])
    codes, found = words_of(column)
    assert sum(map(len, found)) + codes.nbytes < 200_000
