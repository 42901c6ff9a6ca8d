"""Dates and times: told from text, turned into numbers."""

import datetime
import re
from typing import Any

import numpy as np

from .._optional import require
from ._cells import is_arrow, missing_cells, spread, unsorted_words

_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(\D|$)")
_MONTH = re.compile(r"[12]\d{3}-(0[1-9]|1[0-2])")


def date_objects(values: np.ndarray) -> np.ndarray | None:
    """Python's dates as datetime64 in UTC, NaT where missing; None when anything else is there."""
    missing = missing_cells(values)
    present = values[~missing].tolist()
    if not all(isinstance(cell, datetime.date) for cell in present):
        return None
    return _with_gaps(np.array(list(map(_in_utc, present)), dtype="M8[us]"), ~missing)


def dates_in_words(words: list[str]) -> tuple[np.ndarray | None, str | None]:
    """Each distinct word of a column as datetime64 in UTC, and their format.

    None when one of the words is not a date.
    """
    if all(map(_DATE.match, words)):
        return _recognised(words)
    if all(map(_MONTH.fullmatch, words)):
        return np.array([np.datetime64(word, "M") for word in words], dtype="M8[us]"), "%Y-%m"
    return None, None


def read_dates(values: Any, how: str | None) -> tuple[np.ndarray, int]:
    """Cells of any kind as datetime64 in UTC, and how many of them are no dates.

    NaT stands for a missing cell and for what is not read. Dates in text are read in the format
    ``how``; in that of ISO 8601 where no other is known.

    Examples
    --------
    >>> read_dates(np.array([datetime.date(2020, 1, 31), None, 31.5], dtype=object), None)
    (array(['2020-01-31T00:00:00.000000', 'NaT', 'NaT'], dtype='datetime64[us]'), 1)
    """
    if is_arrow(values):
        return _read_words(values, how)
    if values.dtype.kind == "M":
        return values.astype("M8[us]"), 0
    if values.dtype.kind in "OU":
        return _read_objects(values, how)
    unread = int((~missing_cells(values)).sum())  # numbers
    return _with_gaps(np.empty(0, "M8[us]"), np.zeros(len(values), dtype=bool)), unread


def _read_objects(values: np.ndarray, how: str | None) -> tuple[np.ndarray, int]:
    """Dates and whatever else, which is taken for text."""
    present = ~missing_cells(values)
    dates = [isinstance(cell, datetime.date) for cell in values.tolist()]
    dates = present & np.array(dates, dtype=bool)
    moments = list(map(_in_utc, values[dates].tolist()))
    found = _with_gaps(np.array(moments, dtype="M8[us]"), dates)
    found[present & ~dates], unread = _read_words(values[present & ~dates], how)
    return found, unread


def _read_words(values: Any, how: str | None) -> tuple[np.ndarray, int]:
    codes, words = unsorted_words(values)
    dates = spread(_parsed(words, how or "ISO8601"), codes)
    return dates, int((np.isnat(dates) & (codes >= 0)).sum())


def calendar(dates: np.ndarray) -> dict[str, np.ndarray]:
    """What the clock and the calendar say of dates, as floats with NaN for NaT.

    Examples
    --------
    >>> parts = calendar(np.array(["1970-01-02T03"], "M8[us]"))
    >>> {name: float(values[0]) for name, values in parts.items()}
    {'seconds': 97200.0, 'month': 1.0, 'weekday': 4.0, 'hour': 3.0}
    """
    days = _count(dates, "D")
    return {
        "seconds": _count(dates, "us") / 1e6,
        "month": _count(dates, "M") % 12 + 1,
        "weekday": (days + 3) % 7,  # the first of January 1970 was a Thursday; Monday is 0
        "hour": _count(dates, "h") % 24,
    }


def _in_utc(cell: datetime.date) -> datetime.date:
    if isinstance(cell, datetime.datetime) and cell.tzinfo is not None:
        return cell.astimezone(datetime.UTC).replace(tzinfo=None)
    return cell


def _with_gaps(dates: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Dates where ``places`` is true, NaT elsewhere."""
    found = np.full(len(places), np.datetime64("NaT"), dtype="M8[us]")
    found[places] = dates
    return found


def _recognised(texts: list[str]) -> tuple[np.ndarray | None, str | None]:
    """Dates in whatever format skrub finds that suits them all, and the format."""
    pandas = require("pandas", extra="tables")
    reader = require("skrub", extra="tables").ToDatetime()
    try:
        return _in_numpy(reader.fit_transform(pandas.Series(texts, dtype=object))), reader.format_
    except ValueError:  # no format does
        return None, None


def _parsed(texts: list[str], how: str) -> np.ndarray:
    """Dates in that format, NaT for other texts."""
    if not texts:
        return np.empty(0, dtype="M8[us]")
    pandas = require("pandas", extra="tables")
    series = pandas.Series(texts, dtype=object)
    return _in_numpy(pandas.to_datetime(series, format=how, errors="coerce", utc=True))


def _in_numpy(series: Any) -> np.ndarray:
    if not isinstance(series.dtype, np.dtype):  # it knows its time zone
        series = series.dt.tz_convert("UTC").dt.tz_localize(None)
    return series.to_numpy().astype("M8[us]")


def _count(dates: np.ndarray, unit: str) -> np.ndarray:
    return np.where(np.isnat(dates), np.nan, dates.astype(f"M8[{unit}]").astype(np.int64))
