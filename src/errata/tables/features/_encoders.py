"""One small class for each kind of column: how its cells are read, and which features they give.

Before them, numbers, dates and times as people write them, told from other text. An encoder
holds what was learnt from some rows (a median, words, axes of texts, the features worth keeping)
and none of the rows. Learning and applying go through the same ``parts``.
"""

import datetime
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any, Self

import numpy as np

from ..._format import join_names, plural
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

_NUMBER = re.compile(rf"{_PLAIN}|[+-]?\d[\d.,]*")
FEWEST_NUMBERS = 30  # different ones, from which a column of numbers and words is not of codes
MOST_ODD = 0.05  # of the cells may be words among numbers

_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(\D|$)")
_MONTH = re.compile(r"[12]\d{3}-(0[1-9]|1[0-2])")

_MEDIAN_ROWS = 1000  # rows that a median is taken of when it stands for no cell of them

# Features by name, each of shape (rows,). They are put side by side once, with those of the other
# columns: a table of many categories is never held twice as floats.
Block = dict[str, np.ndarray]

_DIMENSIONS = 30  # axes of pieces of words, and as many of whole words
_ROUNDING = 1e-5  # of the largest number: an axis along which texts differ by less says nothing
_NEARLY = 0.999  # of the largest number, from which another is as large but for rounding


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


def parse_most_numbers(
    name: str, codes: np.ndarray, words: list[str]
) -> tuple[np.ndarray | None, str, str]:
    """The same of a column of which a few cells are words: these are missing then.

    None where they are more than one cell in twenty, or the numbers so few that they may be codes.

    Examples
    --------
    >>> words = [*map(str, range(40)), "1O"]
    >>> values, _, sentence = parse_most_numbers("age", np.arange(41), words)
    >>> values[[7, 40]], sentence
    (array([ 7., nan]), "In 'age', read 1 cell that is no number ('1O') as missing.")
    """
    fits = [bool(_NUMBER.fullmatch(word)) or word.lower() in _PLACEHOLDERS for word in words]
    if sum(fits) < FEWEST_NUMBERS:
        return None, ",", ""
    found, comma, sentence = parse_numbers(name, list(compress(words, fits)))
    number = np.array([*fits, True])[codes]  # or a gap
    n_odd = int(np.sum(~number))
    if found is None or n_odd > MOST_ODD * np.sum(codes >= 0):
        return None, ",", ""
    values = np.full(len(words), np.nan)
    values[fits] = found
    cells = plural(n_odd, "cell that is no number", "cells that are no numbers")
    odd = join_names((repr(word) for word, fit in zip(words, fits, strict=True) if not fit), most=3)
    return values, comma, f"{sentence} In {name!r}, read {cells} ({odd}) as missing.".lstrip()


def _find_comma(words: list[str]) -> str:
    """The sign to put for a comma in these words; a comma when none makes numbers of them.

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
    """Let Arrow read what has the shape of a number, and read the rest word by word."""
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
    """Clock and calendar of dates, as floats with NaN for NaT.

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


@dataclass(frozen=True)
class Encoder(ABC):
    """The base of encoders: the name of the column, and of the features that were kept."""

    name: str
    kept: tuple[str, ...] = ()

    @abstractmethod
    def read(self, values: Any) -> tuple[Any, int]:
        """Cells of a column as ``parts`` takes them, and how many are not of this kind."""

    @abstractmethod
    def parts(self, cells: Any) -> Block:
        """All features by name; the last says where a cell is missing."""

    def encode(self, values: Any) -> tuple[Block, int]:
        """The features of a column that were kept, and how many of its cells were not read."""
        cells, unread = self.read(values)
        parts = self.parts(cells)
        return {name: parts[name] for name in self.kept}, unread

    def keeping(self, parts: Block) -> tuple[Self, Block]:
        """The encoder with those of the features that vary, and these features."""
        varying = {name: values for name, values in parts.items() if values.min() < values.max()}
        # Texts that differ only in capitals have the same numbers; none of them is missing.
        block = varying or dict(list(parts.items())[:-1])
        return replace(self, kept=tuple(block)), block


def compute_median(values: np.ndarray) -> float:
    """Median of numbers, NaN left out.

    Where none is NaN it fills no gap of these rows. That of a thousand of them, evenly spread, will
    do for the few gaps that other rows may have, and takes no time.
    """
    missing = np.isnan(values)
    return float(np.median(values[~missing] if missing.any() else sample_rows(values)))


@dataclass(frozen=True)
class Numbers(Encoder):
    """Numbers, the median where one is missing; a feature of 0 and 1 says where that is."""

    median: float = 0.0
    comma: str = ","  # what to put for a comma in text

    @classmethod
    def learn(cls, name: str, values: np.ndarray, comma: str = ",") -> tuple["Numbers", Block]:
        """From numbers with NaN where one is missing."""
        encoder = cls(name, median=compute_median(values), comma=comma)
        return encoder.keeping(encoder.parts(values))

    def read(self, values: Any) -> tuple[np.ndarray, int]:
        return read_numbers(values, self.comma)

    def parts(self, cells: np.ndarray) -> Block:
        missing = np.isnan(cells)
        filled = _fill(cells, missing, self.median)
        return {self.name: filled, f"{self.name} missing": missing}


@dataclass(frozen=True)
class Dates(Encoder):
    """Seconds since 1970, and month, weekday and hour where they vary."""

    medians: tuple[float, ...] = ()
    how: str | None = None  # the format of dates in text

    @classmethod
    def learn(cls, name: str, dates: np.ndarray, how: str | None = None) -> tuple["Dates", Block]:
        """From datetime64 with NaT where one is missing."""
        medians = tuple(map(compute_median, split_dates(dates).values()))
        encoder = cls(name, medians=medians, how=how)
        return encoder.keeping(encoder.parts(dates))

    def read(self, values: Any) -> tuple[np.ndarray, int]:
        return read_dates(values, self.how)

    def parts(self, cells: np.ndarray) -> Block:
        missing = np.isnat(cells)
        filled = {
            f"{self.name} {part}": _fill(found, missing, middle)
            for (part, found), middle in zip(split_dates(cells).items(), self.medians, strict=True)
        }
        return filled | {f"{self.name} missing": missing}


@dataclass(frozen=True)
class Categories(Encoder):
    """A feature of 0 and 1 for each word; one is enough for two. Another word is none of them."""

    words: tuple[str, ...] = ()

    @classmethod
    def learn(
        cls, name: str, codes: np.ndarray, words: Sequence[str]
    ) -> tuple["Categories", Block]:
        """From the place of each cell's word among the words, -1 where it is missing."""
        encoder = cls(name, words=tuple(words))
        return encoder.keeping(encoder.parts(codes))

    def read(self, values: Any) -> tuple[np.ndarray, int]:
        codes, words = encode_words(values)
        place = {word: code for code, word in enumerate(self.words)}
        places = [place.get(word, len(self.words)) for word in words]
        return np.array([*places, -1])[codes], 0

    def parts(self, cells: np.ndarray) -> Block:
        first = 1 if len(self.words) == 2 else 0
        chosen = {f"{self.name}={self.words[code]}": code for code in range(first, len(self.words))}
        parts = {name: cells == code for name, code in chosen.items()}
        return parts | {f"{self.name} missing": cells < 0}


def sample_rows(values: np.ndarray) -> np.ndarray:
    """About a thousand rows, evenly spread, of an array of many."""
    return values[:: len(values) // _MEDIAN_ROWS + 1]


def _fill(values: np.ndarray, missing: np.ndarray, middle: float) -> np.ndarray:
    return np.where(missing, middle, values) if missing.any() else values


@dataclass(frozen=True)
class Texts(Encoder):
    """Texts that share words, or pieces of them, come near each other: tf-idf, and its first axes.

    Pieces of words forgive typing errors and endings; whole words, where texts are sentences, say
    more than their pieces. Every distinct text is encoded once, so a frequent one costs and counts
    no more than a rare one.
    """

    axes: tuple[Any, ...] = ()  # fitted pipelines: pieces of words, then whole words
    turns: Any = None  # (axes, features): 1 or -1 where an axis is a feature

    @classmethod
    def learn(
        cls, name: str, codes: np.ndarray, texts: Sequence[str], *, seed: int
    ) -> tuple["Texts", Block]:
        """From the place of each cell's text among the texts, -1 where it is missing."""
        fitted = [_fit_axes(texts, seed, analyzer="char_wb", ngram_range=(3, 4))]
        if are_sentences(texts):
            words = {"min_df": 2, "sublinear_tf": True, "token_pattern": r"(?u)\b\w+\b"}
            fitted.append(_fit_axes(texts, seed, **words))
        encoder = cls(name, axes=tuple(pipeline for pipeline in fitted if pipeline is not None))
        axes = encoder._transform(texts)
        turns = choose_axes(axes)
        encoder = replace(encoder, turns=turns)
        return encoder.keeping(encoder.parts((codes, axes @ turns)))

    def read(self, values: Any) -> tuple[tuple[np.ndarray, np.ndarray], int]:
        """The number of each cell's text, -1 where it is missing, and the axes of each text."""
        codes, texts = encode_words(values)
        if not texts:
            return (codes, np.empty((0, self.turns.shape[1]))), 0
        return (codes, self._transform(texts) @ self.turns), 0

    def _transform(self, texts: Sequence[str]) -> np.ndarray:
        """Where texts stand along the axes; along one that is 0 throughout if there are none."""
        if not self.axes:
            return np.zeros((len(texts), 1))
        return np.hstack([pipeline.transform(texts) for pipeline in self.axes])

    def parts(self, cells: tuple[np.ndarray, np.ndarray]) -> Block:
        codes, axes = cells
        axes = np.vstack([axes, np.zeros(axes.shape[1])]).T  # code -1 is the row of zeros
        parts = {f"{self.name} {place}": axis[codes] for place, axis in enumerate(axes)}
        return parts | {f"{self.name} missing": codes < 0}


def are_sentences(texts: Sequence[str]) -> bool:
    """Whether texts are of three words or more on the mean."""
    return sum(text.count(" ") for text in texts) >= 2 * len(texts)


def choose_axes(axes: np.ndarray) -> np.ndarray:
    """Which axes are features, and which way round: by what texts are, never by rounding.

    Along each that is kept, the first text with the largest number, but for rounding, has a
    positive one. Where texts differ along none, one feature is 0 throughout.
    """
    size = np.abs(axes)
    kept = np.flatnonzero(np.ptp(axes, axis=0) > _ROUNDING * size.max())
    if not len(kept):
        return np.zeros((axes.shape[1], 1))
    first = (size[:, kept] >= _NEARLY * size[:, kept].max(axis=0)).argmax(axis=0)
    return np.eye(axes.shape[1])[:, kept] * np.sign(axes[first, kept])


def _fit_axes(texts: Sequence[str], seed: int, **counting: Any) -> Any:
    """A fitted pipeline from texts to the first axes of their tf-idf weights.

    None where what is counted tells no text from the others. In double precision: the order of rows
    is drawn from features, and must not hang on the last bit of a product.
    """
    # Here, as importing errata should not wait for them.
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline

    counted = TfidfVectorizer(**counting)
    try:
        weights = counted.fit_transform(texts)
    except ValueError:  # nothing is left to be counted
        return None
    n_axes = min(_DIMENSIONS, len(texts) - 1, weights.shape[1] - 1)
    differ = weights.max(axis=0).toarray() - weights.min(axis=0).toarray()
    if n_axes < 1 or differ.max() < _ROUNDING:
        return None
    return make_pipeline(counted, TruncatedSVD(n_axes, random_state=seed).fit(weights))
