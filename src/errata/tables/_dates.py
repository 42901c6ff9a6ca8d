"""Dates and times: told from text, turned into numbers."""

import datetime
import re

import numpy as np

from .._optional import require
from ._cells import missing_cells

_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(\D|$)")
_MONTH = re.compile(r"[12]\d{3}-(0[1-9]|1[0-2])")


def date_objects(values: np.ndarray) -> np.ndarray | None:
    """Python's dates as datetime64 in UTC, NaT where missing; None when anything else is there."""
    missing = missing_cells(values)
    present = values[~missing].tolist()
    if not all(isinstance(cell, datetime.date) for cell in present):
        return None
    dates = np.full(len(values), np.datetime64("NaT"), dtype="M8[us]")
    dates[~missing] = np.array(list(map(_in_utc, present)), dtype="M8[us]")
    return dates


def dates_in_words(words: list[str]) -> np.ndarray | None:
    """Each distinct word of a column as datetime64 in UTC; None when one is not a date."""
    if all(map(_DATE.match, words)):
        return _parsed(words)
    if all(map(_MONTH.fullmatch, words)):
        return np.array([np.datetime64(word, "M") for word in words], dtype="M8[us]")
    return None


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


def _parsed(texts: list[str]) -> np.ndarray | None:
    """Dates in whatever format skrub finds that suits them all."""
    pandas = require("pandas", extra="tables")
    series = require("skrub", extra="tables").to_datetime(pandas.Series(texts, dtype=object))
    if not isinstance(series.dtype, np.dtype):  # it knows its time zone
        series = series.dt.tz_convert("UTC").dt.tz_localize(None)
    return series.to_numpy().astype("M8[us]") if series.dtype.kind == "M" else None


def _count(dates: np.ndarray, unit: str) -> np.ndarray:
    return np.where(np.isnat(dates), np.nan, dates.astype(f"M8[{unit}]").astype(np.int64))
