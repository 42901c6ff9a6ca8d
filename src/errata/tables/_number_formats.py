"""Numbers as people write them: with a word where one is missing, with commas."""

import re
from typing import Any, NamedTuple

import numpy as np

from .._optional import require
from .._validation import MISSING_WORDS, is_missing
from ._cells import first_cast, floats, is_arrow, quick_numbers, spread, unsorted_words

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


class Formatted(NamedTuple):
    """Each distinct word of a column as a float, or None; what to put for a comma; a sentence."""

    values: np.ndarray | None
    comma: str = ","
    remark: str = ""


def formatted_numbers(name: str, words: list[str]) -> Formatted:
    """Each distinct word of a column as a float; and a sentence when that took some reading.

    None when one of them is not a number. A word that stands for a missing number gives NaN.

    Examples
    --------
    >>> formatted_numbers("price", ["1,5", "?", "22,75"]).remark
    "In 'price', read '?' as missing, commas as decimal points."
    """
    found = floats(words)
    if found is not None:
        return Formatted(found)
    marks = [word.lower() in _PLACEHOLDERS for word in words]
    present = [word for word, mark in zip(words, marks, strict=True) if not mark]
    comma = _comma(present)
    placeholders = ", ".join(repr(word) for word, mark in zip(words, marks, strict=True) if mark)
    readings = [f"{placeholders} as missing"] if placeholders else []
    readings += [_READINGS[comma]] if comma in _READINGS else []
    read = floats([word.replace(",", comma) for word in present])
    if not present or not readings or read is None:
        return Formatted(None)
    found = np.full(len(words), np.nan)
    found[~np.array(marks)] = read
    return Formatted(found, comma, f"In {name!r}, read {', '.join(readings)}.")


def _comma(words: list[str]) -> str:
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
        found = first_cast(lambda: values, lambda: _without_marks(values))
        if found is not None:
            return found, 0
    return _read_what_fits(values, comma)


def _without_marks(values: Any) -> Any:
    """Text without the words for a missing number, in the usual ways of writing them."""
    compute = require("pyarrow.compute", extra="tables")
    marks = require("pyarrow", extra="tables").array(_MARKS, values.type)
    return compute.if_else(compute.is_in(values, value_set=marks), None, values)


def _read_what_fits(values: Any, comma: str) -> tuple[np.ndarray, int]:
    """What has the shape of a number is read by Arrow, the rest word by word."""
    compute = require("pyarrow.compute", extra="tables")
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
    codes, words = unsorted_words(values)
    read = [_number(word, comma) for word in words]
    unread = np.array([*(number is None for number in read), False])[codes]
    return spread(np.array(read, dtype=float), codes), int(unread.sum())


def _read_objects(values: np.ndarray, comma: str) -> tuple[np.ndarray, int]:
    read = [_number(cell, comma) for cell in values.tolist()]
    return np.array(read, dtype=float), sum(number is None for number in read)


def _number(cell: Any, comma: str) -> float | None:
    """A cell as a float, NaN where it is missing; None when it is not a number."""
    if is_missing(cell, text=True):
        return np.nan
    if isinstance(cell, str):
        return _number_in_word(cell.strip(), comma)
    return None if isinstance(cell, NESTED_CELLS) else _float(cell)


def _number_in_word(word: str, comma: str) -> float | None:
    if word.lower() in _PLACEHOLDERS:
        return np.nan
    if comma in _SHAPES and not _SHAPES[comma].fullmatch(word):
        return None
    return _float(word.replace(",", comma))


def _float(cell: Any) -> float | None:
    try:
        return float(cell)
    except (TypeError, ValueError, OverflowError):
        return None
