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


def may_be_consecutive(spread: Any, n: int, stands_for: float = 1.0) -> Any:
    """Whether n whole numbers over such a range (or ranges) may be a count with few gaps.

    ``stands_for`` is the number of cells that each of them was drawn from.
    """
    cells = n * stands_for
    return (n >= _ENOUGH * stands_for) & (cells <= 2 * spread) & (spread < 2 * cells)


def are_identifying_numbers(values: np.ndarray, name: str, stands_for: float = 1.0) -> bool:
    """Whether numbers (none missing) are distinct and whole, and run on or are named so.

    Measurements that happen to differ in every row are not: whole numbers that leave out fewer
    values than they take, without repeating one, are not a coincidence.

    Notes
    -----
    Where n numbers were drawn from N = n * ``stands_for``, a count shows by its range, which holds
    N different numbers but not twice as many, and by not repeating. Numbers that take the values of
    a range of R < 2 N at random would repeat in about n^2 / 2 R pairs of those drawn, and in none
    with a chance of exp(-n^2 / 2 R) < exp(-n / 4 ``stands_for``); with less, if some values are
    more frequent than others. So n >= 20 ``stands_for`` is asked for: n = 200,000 tell up to N =
    2e9, with a chance of at most 0.7 % to be wrong there and of 5e-5 at N = 1e9. In larger
    tables it cannot be told, and a column is an identifier by its name only.
    """
    spread = float(values.max()) - float(values.min())
    if not (is_identifier_name(name) or may_be_consecutive(spread, len(values), stands_for)):
        return False
    whole = bool((values == np.floor(values)).all())
    return whole and len(values) > 1 and len(np.unique(values)) == len(values)


def are_identifying_words(words: Sequence[str], n: int, name: str, stands_for: float = 1.0) -> bool:
    """Whether the distinct words of n cells are as many, and without spaces, as in a uuid.

    Where they were drawn from N = n * ``stands_for`` cells, n^2 / 2 N of them would repeat if every
    word stood there twice. So n >= 20 ``stands_for`` is asked for here, too: at least 10 would.
    Words of which only a few repeat name rows nearly as well, and are left out like identifiers.
    """
    if len(words) < n or n < 2:
        return False
    if n < _ENOUGH * stands_for and not is_identifier_name(name):
        return False
    return all(map(_TOKEN.fullmatch, words))
