"""One column as features, or the reason why it gives none."""

from typing import NamedTuple

import numpy as np

from ._blocks import Block, category_block, date_block, numeric_block, text_block
from ._cells import missing_cells
from ._columns import Column
from ._dates import as_dates
from ._identifiers import are_identifying_numbers, are_identifying_words
from ._written import written_numbers

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
    if values.dtype.kind not in "biufmMOU":
        values = values.astype(object)
    if values.dtype.kind == "O" and any(isinstance(cell, _NESTED) for cell in values):
        return Encoded(reason=NESTED)
    missing = missing_cells(values)
    if missing.all():
        return Encoded(reason=EMPTY)
    if values.dtype.kind == "m":
        values = np.where(missing, np.nan, values / np.timedelta64(1, "s"))
    found, remark = written_numbers(name, values, missing)
    if found is not None:
        return _encode_numbers(name, found)._replace(remark=remark)
    dates = as_dates(values, missing)
    if dates is not None:
        return _encode_dates(name, dates)
    return _encode_words(name, values, missing, seed)


def _encode_numbers(name: str, values: np.ndarray) -> Encoded:
    endless = np.flatnonzero(np.isinf(values))
    if len(endless):
        raise ValueError(
            f"column {name!r} holds {values[endless[0]]} in row {endless[0]} (counted from 0); "
            "replace infinite numbers by finite ones or leave them empty."
        )
    present = values[~np.isnan(values)]
    if len(present) == len(values) and present.min() == present.max():
        return Encoded(reason=CONSTANT)
    if are_identifying_numbers(present, name):
        return Encoded(reason=IDENTIFIER)
    return Encoded(numeric_block(name, values))


def _encode_dates(name: str, dates: np.ndarray) -> Encoded:
    if (dates == dates[0]).all():
        return Encoded(reason=CONSTANT)
    return Encoded(date_block(name, dates))


def _encode_words(name: str, values: np.ndarray, missing: np.ndarray, seed: int) -> Encoded:
    present = [str(cell).strip() for cell in values[~missing].tolist()]
    words = sorted(set(present))
    if len(words) == 1 and not missing.any():
        return Encoded(reason=CONSTANT)
    if are_identifying_words(present, len(words), name):
        return Encoded(reason=IDENTIFIER)
    place = {word: code for code, word in enumerate(words)}
    codes = np.full(len(values), -1)
    codes[~missing] = [place[word] for word in present]
    if _are_texts(words, len(present)):
        return Encoded(text_block(name, codes, words, seed=seed))
    return Encoded(category_block(name, codes, words))


def _are_texts(words: list[str], n: int) -> bool:
    """Many words, or sentences that hardly ever repeat."""
    sentences = sum(word.count(" ") for word in words) >= 2 * len(words)
    return len(words) > _FEW or (sentences and 2 * len(words) > n)
