import datetime

import numpy as np
import pytest

from errata.tables._columns import columns_of
from errata.tables.features._parsing import parse_numbers, read_numbers


def read(cells):
    return parse_numbers("x", cells)


@pytest.mark.parametrize(
    ("cells", "expected", "remark"),
    [
        (["1", "2.5", "+3"], [1, 2.5, 3], ""),
        (["1", "?", "none"], [1, np.nan, np.nan], "In 'x', read '?', 'none' as missing."),
        (["1,5", "2"], [1.5, 2], "In 'x', read commas as decimal points."),
        (["0,500", "1,250"], [0.5, 1.25], "In 'x', read commas as decimal points."),
        (["1,200", "999", "1,000,000.5"], [1200, 999, 1e6 + 0.5], "commas as marks of thousands"),
    ],
)
def test_numbers_as_people_write_them(cells, expected, remark):
    found, _, said = read(cells)
    np.testing.assert_array_equal(found, expected)
    assert remark in said
    assert bool(said) == bool(remark)


@pytest.mark.parametrize("cells", [["1", "2", "3+"], ["?", "-"], ["a,b", "1,5"], ["1", "? ?"]])
def test_other_things_are_no_numbers(cells):
    assert read(cells) == (None, ",", "")


@pytest.mark.parametrize("in_arrow", [True, False])
@pytest.mark.parametrize(
    ("comma", "cells", "expected", "unread"),
    [
        (",", ["1", " 2.5 ", "+3e1", ".5", None], [1, 2.5, 30, 0.5, np.nan], 0),
        (",", ["1", "", "NaN", "n/a", "?", "None", "#N/A"], [1] + 6 * [np.nan], 0),
        (",", ["1", "red", "red", "1,5", " ? ", "nUlL"], [1] + 5 * [np.nan], 3),
        (",", ["1", "1_000", "\u0663", "red"], [1, 1000, 3, np.nan], 1),
        (",", ["1", "inf", "-Infinity", "1e400"], [1] + 3 * [np.nan], 3),
        (",", ["red", "1e400", "7"], [np.nan, np.nan, 7], 2),
        (".", ["1,5", "2", "3,5e2", "?", ""], [1.5, 2, 350, np.nan, np.nan], 0),
        (".", ["1.5", "1,2,3", ",5", "\u0663,5"], [np.nan, np.nan, np.nan, 3.5], 3),
        ("", ["1,200", "999", "-1,000,000.5", "-"], [1200, 999, -1e6 - 0.5, np.nan], 0),
        ("", ["1,5", "0,125", "1e3"], [np.nan] * 3, 3),
    ],
)
def test_text_is_read_as_was_learnt(comma, cells, expected, unread, in_arrow):
    values = columns_of({"x": cells})[0].values
    if not in_arrow:
        values = np.array(cells, dtype=object)
    found, missed = read_numbers(values, comma)
    np.testing.assert_array_equal(found, expected)
    assert missed == unread


@pytest.mark.parametrize("comma", [",", ".", ""])
def test_cells_that_are_no_text_are_what_they_are(comma):
    day = datetime.date(2020, 1, 1)
    cells = [1, 2.5, True, None, np.nan, "3", b"4", 5j, [6], day, -np.inf, 10**400]
    values = np.empty(len(cells), dtype=object)
    values[:] = cells
    found, unread = read_numbers(values, comma)
    np.testing.assert_array_equal(found, [1, 2.5, 1, np.nan, np.nan, 3] + 6 * [np.nan])
    assert unread == 6
    found, unread = read_numbers(np.array(["2020-01-01", "NaT"], dtype="M8[ns]"), comma)
    assert (np.isnan(found).all(), unread) == (True, 1)
    found, unread = read_numbers(np.array([60, "NaT"], dtype="m8[s]"), comma)
    np.testing.assert_array_equal(found, [60, np.nan])
    assert not unread
    assert read_numbers(np.array([1 + 2j]), comma)[1] == 1
