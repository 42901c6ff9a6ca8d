"""Dates and times: told from text, turned into numbers."""

import datetime
import re

import numpy as np

from .._optional import require

_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(\D|$)")
_MONTH = re.compile(r"[12]\d{3}-(0[1-9]|1[0-2])")


def as_dates(values: np.ndarray, missing: np.ndarray) -> np.ndarray | None:
    """The column as datetime64 in UTC, NaT where missing; None when it holds anything but dates."""
    if values.dtype.kind == "M":
        return values.astype("M8[us]")
    if values.dtype.kind not in "OU":
        return None
    present = values[~missing].tolist()
    if all(isinstance(cell, datetime.date) for cell in present):
        found: np.ndarray | None = np.array(list(map(_in_utc, present)), dtype="M8[us]")
    elif all(isinstance(cell, str) and _DATE.match(cell.strip()) for cell in present):
        found = _parsed([cell.strip() for cell in present])
    elif all(isinstance(cell, str) and _MONTH.fullmatch(cell.strip()) for cell in present):
        found = np.array([cell.strip() for cell in present], dtype="M8[M]")
    else:
        return None
    return None if found is None else _spread(found, missing)


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


def _spread(found: np.ndarray, missing: np.ndarray) -> np.ndarray:
    dates = np.full(len(missing), np.datetime64("NaT"), dtype="M8[us]")
    dates[~missing] = found
    return dates


def _count(dates: np.ndarray, unit: str) -> np.ndarray:
    return np.where(np.isnat(dates), np.nan, dates.astype(f"M8[{unit}]").astype(np.int64))
