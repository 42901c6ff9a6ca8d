"""Numbers as people write them: with a word where one is missing, with commas."""

import re

import numpy as np

from ._cells import floats

_PLACEHOLDERS = {"?", "-", "--", ".", "*", "none", "missing", "unknown", "<na>", "#n/a"}
# A group of thousands never starts with 0: 0,125 has a decimal comma.
_THOUSANDS = re.compile(r"[+-]?(\d+|[1-9]\d{0,2}(,\d{3})+)(\.\d+)?")
_DECIMALS = re.compile(r"[+-]?\d+(,\d+)?([eE][+-]?\d+)?")


def formatted_numbers(name: str, words: list[str]) -> tuple[np.ndarray | None, str]:
    """Each distinct word of a column as a float; and a sentence when that took some reading.

    None when one of them is not a number. A word that stands for a missing number gives NaN.

    Examples
    --------
    >>> formatted_numbers("price", ["1,5", "?", "22,75"])
    (array([ 1.5 ,   nan, 22.75]), "In 'price', read '?' as missing, commas as decimal points.")
    """
    found = floats(words)
    if found is not None:
        return found, ""
    marks = [word.lower() in _PLACEHOLDERS for word in words]
    present = [word for word, mark in zip(words, marks, strict=True) if not mark]
    replacement, commas = _commas(present)
    placeholders = ", ".join(repr(word) for word, mark in zip(words, marks, strict=True) if mark)
    readings = [r for r in (f"{placeholders} as missing" if placeholders else "", commas) if r]
    read = floats([word.replace(",", replacement) for word in present])
    if not present or not readings or read is None:
        return None, ""
    found = np.full(len(words), np.nan)
    found[~np.array(marks)] = read
    return found, f"In {name!r}, read {', '.join(readings)}."


def _commas(words: list[str]) -> tuple[str, str]:
    """What to put for a comma in these words, and what that reading is called.

    Where every comma has three digits behind it, 1,234 is more than a thousand.
    """
    if any("," in word for word in words):
        if all(map(_THOUSANDS.fullmatch, words)):
            return "", "commas as marks of thousands"
        if all(map(_DECIMALS.fullmatch, words)):
            return ".", "commas as decimal points"
    return ",", ""
