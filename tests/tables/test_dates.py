import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.tables.features._parsing import convert_dates, parse_dates, read_dates, split_dates


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
