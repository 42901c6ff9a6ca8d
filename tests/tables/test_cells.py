import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.tables import is_missing, numbers
from errata.tables._cells import missing_cells

cells = st.one_of(
    st.none(), st.floats(), st.text(max_size=4), st.sampled_from(["NA", " null ", "n/a", "none"])
)


def test_numbers_are_told_from_text():
    np.testing.assert_array_equal(numbers(np.array(["1", " ", "-2e3"])), [1, np.nan, -2000])
    assert numbers(np.array(["1", "one"])) is None
    np.testing.assert_array_equal(numbers(np.array([1, 2])), [1.0, 2.0])
    np.testing.assert_array_equal(numbers(np.array([1.5, None], dtype=object)), [1.5, np.nan])
    np.testing.assert_array_equal(numbers(np.array(["NA", "1", "null"])), [np.nan, 1, np.nan])
    assert numbers(np.array(["2020-01-01"], dtype="M8[D]")) is None


@given(st.lists(cells, min_size=1, max_size=12))
def test_a_column_is_missing_where_its_cells_are(values):
    column = np.empty(len(values), dtype=object)
    column[:] = values
    assert missing_cells(column).tolist() == [is_missing(cell) for cell in values]


@given(st.lists(st.text(st.characters(exclude_characters="\0"), max_size=4), min_size=1))
def test_text_is_missing_alike_in_both_types(values):
    column = np.array(values)
    assert missing_cells(column).tolist() == [is_missing(cell) for cell in column.tolist()]


def test_missing_values_of_other_libraries_are_known():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    assert is_missing(pandas.NA)
    assert is_missing(pandas.NaT)
    assert is_missing(np.datetime64("NaT"))
    assert not is_missing([])
