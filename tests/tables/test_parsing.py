import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.tables._columns import columns_of
from errata.tables.features._encoders import (
    convert_dates,
    parse_dates,
    parse_numbers,
    read_dates,
    read_numbers,
    split_dates,
)


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


@given(st.datetimes(datetime.datetime(1700, 1, 1), datetime.datetime(2200, 1, 1)))
def test_the_calendar_agrees_with_python(moment):
    parts = split_dates(np.array([moment], dtype="M8[us]"))
    since = moment - datetime.datetime(1970, 1, 1)
    expected = [since.total_seconds(), moment.month, moment.weekday(), moment.hour]
    np.testing.assert_allclose([v[0] for v in parts.values()], expected, rtol=0, atol=1e-5)


def test_a_missing_date_has_no_parts():
    parts = split_dates(np.array(["NaT", "2020-01-01"], dtype="M8[us]"))
    assert all(np.isnan(values[0]) and np.isfinite(values[1]) for values in parts.values())


@pytest.mark.parametrize(
    "texts",
    [
        ["2020-02-01", "2020-02-13"],
        ["2020-02-01T00:00:00Z", "2020-02-13T02:00:00+02:00"],
        ["01/02/2020", "13/02/2020"],
        ["2020/02/01 00:00", "2020/02/13 00:00"],
    ],
)
def test_dates_in_text_are_recognised(texts):
    pytest.importorskip("skrub", reason="skrub is not installed")
    expected = np.array(["2020-02-01", "2020-02-13"], dtype="M8[us]")
    np.testing.assert_array_equal(parse_dates(texts)[0], expected)


@pytest.mark.parametrize("texts", [["1.2.3", "1.2.4"], ["2020-01-01", "soon"], ["2020", "2021"]])
def test_other_texts_are_no_dates(texts):
    if "1.2.3" in texts:
        pytest.importorskip("skrub", reason="skrub is not installed")
    assert parse_dates(texts) == (None, None)


def test_months():
    np.testing.assert_array_equal(
        parse_dates(["2020-02", "2021-12"])[0],
        np.array(["2020-02-01", "2021-12-01"], dtype="M8[us]"),
    )
    assert parse_dates(["2020-02", "2021-13"]) == (None, None)


def test_objects():
    zone = datetime.timezone(datetime.timedelta(hours=2))
    moments = [datetime.datetime(2020, 1, 1, 1, tzinfo=zone), datetime.date(2020, 1, 1), None]
    np.testing.assert_array_equal(
        convert_dates(np.array(moments, dtype=object)),
        np.array(["2019-12-31T23", "2020-01-01", "NaT"], dtype="M8[us]"),
    )
    assert convert_dates(np.array([*moments, "2020-01-01"], dtype=object)) is None


def test_other_cells_are_read_in_the_format_learnt():
    pytest.importorskip("skrub", reason="skrub is not installed")
    dates, how = parse_dates(["01/02/2020", "13/02/2020"])
    cells = ["01/02/2020", "2020-02-01", "", None, datetime.date(2020, 2, 3), 7, "32/01/2020"]
    found, unread = read_dates(np.array(cells, dtype=object), how)
    expected = ["2020-02-01", "NaT", "NaT", "NaT", "2020-02-03", "NaT", "NaT"]
    np.testing.assert_array_equal(found, np.array(expected, dtype="M8[us]"))
    assert found[0] == dates[0]
    assert unread == 3


def test_cells_of_one_type_are_read_whole():
    days = np.array(["2020-01-01", "NaT"], dtype="M8[D]")
    found, unread = read_dates(days, "%d/%m/%Y")
    np.testing.assert_array_equal(found, days)
    assert (found.dtype, unread) == ("M8[us]", 0)
    found, unread = read_dates(np.array([1.0, np.nan, 3.0]), None)
    assert (np.isnat(found).all(), unread) == (True, 2)


def test_where_dates_were_dates_text_is_read_by_the_standard():
    pytest.importorskip("pandas", reason="pandas is not installed")
    cells = np.array(["2020-01-31", "2020-01-31T01:00:00+01:00", "31.1.2020"], dtype=object)
    found, unread = read_dates(cells, None)
    expected = np.array(["2020-01-31", "2020-01-31", "NaT"], dtype="M8[us]")
    np.testing.assert_array_equal(found, expected)
    assert unread == 1
