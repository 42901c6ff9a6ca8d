"""One column as features, or the reason why it gives none."""

from typing import NamedTuple

import numpy as np

from ._cells import is_arrow, numbers, quick_numbers, spread, words_of
from ._columns import Column
from ._dates import date_objects, dates_in_words
from ._encoders import Block, category_block, date_block, numeric_block, text_block
from ._identifiers import are_identifying_numbers, are_identifying_words
from ._number_formats import formatted_numbers

EMPTY = "no value in any row"
CONSTANT = "the same value in every row"
IDENTIFIER = "every value is different, as in an identifier"
NESTED = "cells that hold lists, objects, bytes or complex numbers"

_FEW = 30  # distinct words that get a feature each
_NESTED = (list, tuple, dict, set, np.ndarray, bytes, complex)


class Encoded(NamedTuple):
    """A block of features, or why there is none; a remark when cells were read in a special way."""

    block: Block | None = None
    reason: str = ""
    remark: str = ""


def encode(column: Column, seed: int) -> Encoded:
    """Look at a column alone, never at labels, and turn it into numbers."""
    _, name, values = column
    if is_arrow(values):
        found = quick_numbers(values)
        return _encode_words(name, column, seed) if found is None else _encode_numbers(name, found)
    if values.dtype.kind == "m":
        values = values / np.timedelta64(1, "s")  # NaT becomes NaN
    if values.dtype.kind == "M":
        return _encode_dates(name, values.astype("M8[us]"))
    if values.dtype.kind in "biuf":
        return _encode_numbers(name, values.astype(float, copy=False))
    return _encode_objects(name, column, seed)


def _encode_objects(name: str, column: Column, seed: int) -> Encoded:
    values = column.values.astype(object, copy=False)
    if any(isinstance(cell, _NESTED) for cell in values):
        return Encoded(reason=NESTED)
    found = numbers(values)
    if found is not None:
        return _encode_numbers(name, found)
    dates = date_objects(values)
    return _encode_words(name, column, seed) if dates is None else _encode_dates(name, dates)


def _encode_numbers(name: str, values: np.ndarray) -> Encoded:
    infinite = np.flatnonzero(np.isinf(values))
    if len(infinite):
        raise ValueError(
            f"column {name!r} holds {values[infinite[0]]} in row {infinite[0]} (counted from 0); "
            "replace infinite numbers by finite ones or leave them empty."
        )
    present = values[~np.isnan(values)]
    if not len(present):
        return Encoded(reason=EMPTY)
    if len(present) == len(values) and present.min() == present.max():
        return Encoded(reason=CONSTANT)
    if are_identifying_numbers(present, name):
        return Encoded(reason=IDENTIFIER)
    return Encoded(numeric_block(name, values))


def _encode_dates(name: str, dates: np.ndarray) -> Encoded:
    if np.isnat(dates).all():
        return Encoded(reason=EMPTY)
    if (dates == dates[0]).all():
        return Encoded(reason=CONSTANT)
    return Encoded(date_block(name, dates))


def _encode_words(name: str, column: Column, seed: int) -> Encoded:
    """Text: numbers in some way of writing them, dates, categories or free text."""
    codes, words = words_of(column.values)
    if not words:
        return Encoded(reason=EMPTY)
    found, remark = formatted_numbers(name, words)
    if found is not None:
        return _encode_numbers(name, spread(found, codes))._replace(remark=remark)
    dates = dates_in_words(words)
    if dates is not None:
        return _encode_dates(name, spread(dates, codes))
    present = int(np.sum(codes >= 0))
    if len(words) == 1 and present == len(codes):
        return Encoded(reason=CONSTANT)
    if are_identifying_words(words, present, name):
        return Encoded(reason=IDENTIFIER)
    if _are_texts(words, present):
        return Encoded(text_block(name, codes, words, seed=seed))
    return Encoded(category_block(name, codes, words))


def _are_texts(words: list[str], n: int) -> bool:
    """Many words, or sentences that hardly ever repeat."""
    sentences = sum(word.count(" ") for word in words) >= 2 * len(words)
    return len(words) > _FEW or (sentences and 2 * len(words) > n)
