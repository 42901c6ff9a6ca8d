"""Numbers, dates and times as people write them, told from other text."""

import datetime
import re
from typing import Any

import numpy as np

from ..._validation import MISSING_WORDS, is_missing
from .._columns import (
    cast_first,
    convert_to_floats,
    encode_words,
    is_arrow,
    is_missing_cell,
    quick_numbers,
    spread,
)

NESTED_CELLS = (list, tuple, dict, set, np.ndarray, bytes, complex)

_PLACEHOLDERS = {"?", "-", "--", ".", "*", "none", "missing", "unknown", "<na>", "#n/a"}
_FORMS = (str, str.upper, str.title)
_MARKS = ["NaN", *(form(word) for word in (*MISSING_WORDS, *_PLACEHOLDERS) for form in _FORMS)]
# What numbers look like, by what is put for a comma in them. A group of thousands never starts
# with 0: 0,125 has a decimal comma.
_SHAPES = {
    "": re.compile(r"[+-]?(\d+|[1-9]\d{0,2}(,\d{3})+)(\.\d+)?"),
    ".": re.compile(r"[+-]?\d+(,\d+)?([eE][+-]?\d+)?"),
}
_READINGS = {"": "commas as marks of thousands", ".": "commas as decimal points"}
_PLAIN = r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"

_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(\D|$)")
_MONTH = re.compile(r"[12]\d{3}-(0[1-9]|1[0-2])")


def parse_numbers(name: str, words: list[str]) -> tuple[np.ndarray | None, str, str]:
    """Each distinct word of a column as a float, what to put for a comma, and a sentence.

    None when one of them is not a number. A word that stands for a missing number gives NaN. The
    sentence is empty where numbers took no reading.

    Examples
    --------
    >>> parse_numbers("fee", ["1,5", "?", "22,75"])
    (array([ 1.5 ,   nan, 22.75]), '.', "In 'fee', read '?' as missing, commas as decimal points.")
    """
    found = convert_to_floats(words)
    if found is not None:
        return found, ",", ""
    marks = [word.lower() in _PLACEHOLDERS for word in words]
    present = [word for word, mark in zip(words, marks, strict=True) if not mark]
    comma = _find_comma(present)
    placeholders = ", ".join(repr(word) for word, mark in zip(words, marks, strict=True) if mark)
    readings = [f"{placeholders} as missing"] if placeholders else []
    readings += [_READINGS[comma]] if comma in _READINGS else []
    read = convert_to_floats([word.replace(",", comma) for word in present])
    if not present or not readings or read is None:
        return None, ",", ""
    found = np.full(len(words), np.nan)
    found[~np.array(marks)] = read
    return found, comma, f"In {name!r}, read {', '.join(readings)}."


def _find_comma(words: list[str]) -> str:
    """What to put for a comma in these words; a comma when that makes no numbers of them.

    Where every comma has three digits behind it, 1,234 is more than a thousand.
    """
    if any("," in word for word in words):
        for comma, shape in _SHAPES.items():
            if all(map(shape.fullmatch, words)):
                return comma
    return ","


def read_numbers(values: Any, comma: str = ",") -> tuple[np.ndarray, int]:
    """Cells of any kind as numbers, and how many of them are none.

    NaN stands for a missing cell, for a word that means one, and for what is not read: other words,
    infinite numbers, dates. ``comma`` is what to put for a comma in text.

    Examples
    --------
    >>> read_numbers(np.array(["1,5", "?", "", "red", 2], dtype=object), comma=".")
    (array([1.5, nan, nan, nan, 2. ]), 1)
    """
    found, unread = _read(values, comma)
    if np.isfinite(found).all():
        return found, unread
    infinite = np.isinf(found)
    return np.where(infinite, np.nan, found), unread + int(infinite.sum())


def _read(values: Any, comma: str) -> tuple[np.ndarray, int]:
    if is_arrow(values):
        return _read_text(values, comma)
    kind = values.dtype.kind
    if kind == "m":
        return values / np.timedelta64(1, "s"), 0  # NaT becomes NaN
    if kind == "M":
        return np.full(len(values), np.nan), int((~np.isnat(values)).sum())
    # Where commas stand for something, also words without any are to have the shape learnt.
    found = quick_numbers(values) if comma == "," or kind in "biuf" else None
    return _read_objects(values, comma) if found is None else (found, 0)


def _read_text(values: Any, comma: str) -> tuple[np.ndarray, int]:
    if comma == ",":
        found = cast_first(lambda: values, lambda: _drop_marks(values))
        if found is not None:
            return found, 0
    return _read_what_fits(values, comma)


def _drop_marks(values: Any) -> Any:
    """Text without the words for a missing number, in the usual ways of writing them."""
    import pyarrow
    from pyarrow import compute

    marks = pyarrow.array(_MARKS, values.type)
    return compute.if_else(compute.is_in(values, value_set=marks), None, values)


def _read_what_fits(values: Any, comma: str) -> tuple[np.ndarray, int]:
    """What has the shape of a number is read by Arrow, the rest word by word."""
    from pyarrow import compute

    cells = compute.utf8_trim_whitespace(values)
    shape = _SHAPES[comma].pattern if comma in _SHAPES else _PLAIN
    fits = compute.match_substring_regex(cells, f"^({shape})$")
    plain = cells if comma == "," else compute.replace_substring(cells, ",", comma)
    found = np.array(compute.if_else(fits, plain, None).cast("float64").to_numpy())
    rest = np.flatnonzero(~compute.fill_null(fits, True).to_numpy())
    unread = 0
    if len(rest):
        found[rest], unread = _read_words(values.take(rest), comma)
    return found, unread


def _read_words(values: Any, comma: str) -> tuple[np.ndarray, int]:
    codes, words = encode_words(values)
    read = [_parse_number(word, comma) for word in words]
    unread = np.array([*(number is None for number in read), False])[codes]
    return spread(np.array(read, dtype=float), codes), int(unread.sum())


def _read_objects(values: np.ndarray, comma: str) -> tuple[np.ndarray, int]:
    read = [_parse_number(cell, comma) for cell in values.tolist()]
    return np.array(read, dtype=float), sum(number is None for number in read)


def _parse_number(cell: Any, comma: str) -> float | None:
    """A cell as a float, NaN where it is missing; None when it is not a number."""
    if is_missing(cell, text=True):
        return np.nan
    if isinstance(cell, str):
        word = cell.strip()
        if word.lower() in _PLACEHOLDERS:
            return np.nan
        if comma in _SHAPES and not _SHAPES[comma].fullmatch(word):
            return None
        cell = word.replace(",", comma)
    if isinstance(cell, NESTED_CELLS):
        return None
    try:
        return float(cell)
    except (TypeError, ValueError, OverflowError):
        return None


def convert_dates(values: np.ndarray) -> np.ndarray | None:
    """Python's dates as datetime64 in UTC, NaT where missing; None when anything else is there."""
    missing = is_missing_cell(values)
    present = values[~missing].tolist()
    if not all(isinstance(cell, datetime.date) for cell in present):
        return None
    return _fill_gaps(np.array(list(map(_convert_to_utc, present)), dtype="M8[us]"), ~missing)


def parse_dates(words: list[str]) -> tuple[np.ndarray | None, str | None]:
    """Each distinct word of a column as datetime64 in UTC, and their format.

    None when one of the words is not a date.
    """
    if all(map(_DATE.match, words)):
        return _detect_dates(words)
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
        return _read_date_words(values, how)
    if values.dtype.kind == "M":
        return values.astype("M8[us]"), 0
    if values.dtype.kind in "OU":
        return _read_date_objects(values, how)
    unread = int((~is_missing_cell(values)).sum())  # numbers
    return _fill_gaps(np.empty(0, "M8[us]"), np.zeros(len(values), dtype=bool)), unread


def _read_date_objects(values: np.ndarray, how: str | None) -> tuple[np.ndarray, int]:
    """Dates and whatever else, which is taken for text."""
    present = ~is_missing_cell(values)
    dates = [isinstance(cell, datetime.date) for cell in values.tolist()]
    dates = present & np.array(dates, dtype=bool)
    moments = list(map(_convert_to_utc, values[dates].tolist()))
    found = _fill_gaps(np.array(moments, dtype="M8[us]"), dates)
    found[present & ~dates], unread = _read_date_words(values[present & ~dates], how)
    return found, unread


def _read_date_words(values: Any, how: str | None) -> tuple[np.ndarray, int]:
    codes, words = encode_words(values)
    dates = spread(_parse_format(words, how or "ISO8601"), codes)
    return dates, int((np.isnat(dates) & (codes >= 0)).sum())


def split_dates(dates: np.ndarray) -> dict[str, np.ndarray]:
    """What the clock and the calendar say of dates, as floats with NaN for NaT.

    Examples
    --------
    >>> parts = split_dates(np.array(["1970-01-02T03"], "M8[us]"))
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


def _convert_to_utc(cell: datetime.date) -> datetime.date:
    if isinstance(cell, datetime.datetime) and cell.tzinfo is not None:
        return cell.astimezone(datetime.UTC).replace(tzinfo=None)
    return cell


def _fill_gaps(dates: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Dates where ``places`` is true, NaT elsewhere."""
    found = np.full(len(places), np.datetime64("NaT"), dtype="M8[us]")
    found[places] = dates
    return found


def _detect_dates(texts: list[str]) -> tuple[np.ndarray | None, str | None]:
    """Dates in whatever format skrub finds that suits them all, and the format."""
    import pandas
    import skrub

    reader = skrub.ToDatetime()
    try:
        return _convert_to_numpy(
            reader.fit_transform(pandas.Series(texts, dtype=object))
        ), reader.format_
    except ValueError:  # no format does
        return None, None


def _parse_format(texts: list[str], how: str) -> np.ndarray:
    """Dates in that format, NaT for other texts."""
    if not texts:
        return np.empty(0, dtype="M8[us]")
    import pandas

    series = pandas.Series(texts, dtype=object)
    return _convert_to_numpy(pandas.to_datetime(series, format=how, errors="coerce", utc=True))


def _convert_to_numpy(series: Any) -> np.ndarray:
    if not isinstance(series.dtype, np.dtype):  # it knows its time zone
        series = series.dt.tz_convert("UTC").dt.tz_localize(None)
    return series.to_numpy().astype("M8[us]")


def _count(dates: np.ndarray, unit: str) -> np.ndarray:
    return np.where(np.isnat(dates), np.nan, dates.astype(f"M8[{unit}]").astype(np.int64))
