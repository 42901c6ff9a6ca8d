"""Columns that name rows instead of describing them."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

_ENOUGH = 20  # in fewer rows, values may all differ by chance
_NAME = re.compile(
    r"(unnamed: \d+|index|idx|row|row.?names?|row.?num(ber)?|uuid|guid|(.*[\W_])?id|)"
)
_CAMEL = re.compile(r".*[a-z]I[dD]")
_TOKEN = re.compile(r"[!-~]{1,64}")  # no space; no script that writes sentences without any


def is_identifier_name(name: str) -> bool:
    """Whether a column is called as identifiers are.

    Examples
    --------
    >>> [is_identifier_name(name) for name in ("patient_id", "rowId", "Unnamed: 0", "humid")]
    [True, True, True, False]
    """
    return bool(_NAME.fullmatch(name.strip().lower()) or _CAMEL.fullmatch(name.strip()))


def may_be_consecutive(spread: Any, n: int) -> Any:
    """Whether n whole numbers over such a range (or ranges) may be a count with few gaps."""
    return (n >= _ENOUGH) & (n - 1 <= spread) & (spread < 2 * n)


def are_identifying_numbers(values: np.ndarray, name: str) -> bool:
    """Whether numbers (none missing) are distinct and whole, and run on or are named so.

    Measurements that happen to differ in every row are not: whole numbers that leave out fewer
    values than they take, without repeating one, are not a coincidence.
    """
    spread = float(values.max()) - float(values.min())
    if not (is_identifier_name(name) or may_be_consecutive(spread, len(values))):
        return False
    whole = bool((values == np.floor(values)).all())
    return whole and len(values) > 1 and len(np.unique(values)) == len(values)


def are_identifying_words(words: Sequence[str], n: int, name: str) -> bool:
    """Whether the distinct words of n cells are as many, and without spaces, as in a uuid."""
    if len(words) < n or n < 2:
        return False
    if n < _ENOUGH and not is_identifier_name(name):
        return False
    return all(map(_TOKEN.fullmatch, words))
