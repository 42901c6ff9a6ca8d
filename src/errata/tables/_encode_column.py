"""One column as features, or the reason why it gives none."""

from typing import NamedTuple

import numpy as np

from ._cells import is_arrow, numbers, quick_numbers, spread, words_of
from ._columns import Column
from ._dates import date_objects, dates_in_words
from ._encoders import Block, Categories, Dates, Encoder, Numbers
from ._identifiers import are_identifying_numbers, are_identifying_words
from ._number_formats import NESTED_CELLS, formatted_numbers
from ._picture_encoder import Pictures, described_cells, unread_remark
from ._pictures import holds_pictures
from ._text_encoder import Texts, are_sentences

EMPTY = "no value in any row"
CONSTANT = "the same value in every row"
IDENTIFIER = "every value is different, as in an identifier"
NO_PICTURE = "names of pictures that are not there, or cannot be read"
NESTED = "cells that hold lists, objects, bytes or complex numbers"

_FEW = 30  # distinct words that get a feature each


class Encoded(NamedTuple):
    """What was learnt of a column and its features, or why there are none.

    A remark when cells were read in a special way.
    """

    encoder: Encoder | None = None
    block: Block | None = None
    reason: str = ""
    remark: str = ""


def encode(column: Column, seed: int, stands_for: float = 1.0) -> Encoded:
    """Look at a column alone, never at labels, and turn it into numbers.

    ``stands_for`` is how many rows of the whole table each row was drawn from.
    """
    values = column.values
    if is_arrow(values):
        found = quick_numbers(values)
        if found is not None:
            return _encode_numbers(column.name, found, stands_for)
        if holds_pictures(column):
            return _encode_pictures(column)
        return _encode_words(column, seed, stands_for)
    if values.dtype.kind == "m":
        values = values / np.timedelta64(1, "s")  # NaT becomes NaN
    if values.dtype.kind == "M":
        return _encode_dates(column.name, values.astype("M8[us]"))
    if values.dtype.kind in "biuf":
        return _encode_numbers(column.name, values.astype(float, copy=False), stands_for)
    return _encode_objects(column, seed, stands_for)


def _encode_objects(column: Column, seed: int, stands_for: float) -> Encoded:
    values = column.values.astype(object, copy=False)
    if holds_pictures(column):
        return _encode_pictures(column)
    if any(isinstance(cell, NESTED_CELLS) for cell in values):
        return Encoded(reason=NESTED)
    found = numbers(values)
    if found is not None:
        return _encode_numbers(column.name, found, stands_for)
    dates = date_objects(values)
    if dates is not None:
        return _encode_dates(column.name, dates)
    return _encode_words(column, seed, stands_for)


def _encode_numbers(
    name: str, values: np.ndarray, stands_for: float, comma: str = ",", remark: str = ""
) -> Encoded:
    values = _finite(name, values, stands_for)
    present = values[~np.isnan(values)]
    if not len(present):
        return Encoded(reason=EMPTY, remark=remark)
    if len(present) == len(values) and present.min() == present.max():
        return Encoded(reason=CONSTANT, remark=remark)
    if are_identifying_numbers(present, name, stands_for):
        return Encoded(reason=IDENTIFIER, remark=remark)
    return Encoded(*Numbers.learn(name, values, comma), remark=remark)


def _finite(name: str, values: np.ndarray, stands_for: float) -> np.ndarray:
    """Numbers none of which is infinite: an error, or among drawn rows a missing number.

    Whether an error comes up must not depend on which rows were drawn.
    """
    infinite = np.flatnonzero(np.isinf(values))
    if len(infinite) and stands_for == 1:
        raise ValueError(
            f"column {name!r} holds {values[infinite[0]]} in row {infinite[0]} (counted from 0); "
            "replace infinite numbers by finite ones or leave them empty."
        )
    return np.where(np.isinf(values), np.nan, values) if len(infinite) else values


def _encode_dates(name: str, dates: np.ndarray, how: str | None = None) -> Encoded:
    if np.isnat(dates).all():
        return Encoded(reason=EMPTY)
    if (dates == dates[0]).all():
        return Encoded(reason=CONSTANT)
    return Encoded(*Dates.learn(name, dates, how))


def _encode_pictures(column: Column) -> Encoded:
    described = described_cells(column.values)
    if np.isnan(described[:, 0]).all():
        return Encoded(reason=NO_PICTURE)
    remark = unread_remark(column.name, column.values, described)
    return Encoded(*Pictures.learn(column.name, described), remark=remark)


def _encode_words(column: Column, seed: int, stands_for: float) -> Encoded:
    """Text: numbers in some way of writing them, dates, categories or free text."""
    name, (codes, words) = column.name, words_of(column.values)
    if not words:
        return Encoded(reason=EMPTY)
    found, comma, remark = formatted_numbers(name, words)
    if found is not None:
        return _encode_numbers(name, spread(found, codes), stands_for, comma, remark)
    dates, how = dates_in_words(words)
    if dates is not None:
        return _encode_dates(name, spread(dates, codes), how)
    present = int(np.sum(codes >= 0))
    if len(words) == 1 and present == len(codes):
        return Encoded(reason=CONSTANT)
    if are_identifying_words(words, present, name, stands_for):
        return Encoded(reason=IDENTIFIER)
    if _are_texts(words, present):
        return Encoded(*Texts.learn(name, codes, words, seed=seed))
    return Encoded(*Categories.learn(name, codes, words))


def _are_texts(words: list[str], n: int) -> bool:
    """Many words, or sentences that hardly ever repeat; a single one has nothing to be near to."""
    return len(words) > _FEW or (are_sentences(words) and 2 * len(words) > n and len(words) > 1)
