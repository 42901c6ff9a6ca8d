"""Each kind of column as a block of numbers; a column of 0 and 1 says where values were missing."""

import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .._optional import require
from ._dates import calendar

_DIMENSIONS = 30


class Block(NamedTuple):
    """Some of the features: an array of shape (rows, features) and what they are called."""

    values: np.ndarray
    names: list[str]


def numeric_block(name: str, values: np.ndarray) -> Block:
    """Numbers, the median where one is missing."""
    return _varying({name: _filled(values)}, name, np.isnan(values))


def date_block(name: str, dates: np.ndarray) -> Block:
    """Seconds since 1970, and month, weekday and hour where they vary."""
    parts = {f"{name} {part}": _filled(values) for part, values in calendar(dates).items()}
    return _varying(parts, name, np.isnat(dates))


def category_block(name: str, codes: np.ndarray, words: Sequence[str]) -> Block:
    """A column of 0 and 1 for each word; one is enough for two. Code -1 is a missing cell."""
    chosen = range(1, 2) if len(words) == 2 else range(len(words))
    parts = {f"{name}={words[code]}": (codes == code).astype(float) for code in chosen}
    return _varying(parts, name, codes < 0)


def text_block(name: str, codes: np.ndarray, words: Sequence[str], *, seed: int) -> Block:
    """Texts that share pieces of words come near each other: tf-idf, then the first axes of it.

    Every distinct text is encoded once, so a frequent one costs and counts no more than a rare one.
    """
    embedded = _embedded(words, seed)
    known = codes >= 0
    values = np.zeros((len(codes), embedded.shape[1]))
    values[known] = embedded[codes[known]]
    parts = {f"{name} {i}": column for i, column in enumerate(values.T)}
    return _varying(parts, name, ~known)


def _embedded(words: Sequence[str], seed: int) -> np.ndarray:
    pandas = require("pandas", extra="tables")
    encoder = require("skrub", extra="tables").StringEncoder(
        n_components=min(_DIMENSIONS, len(words) - 1), random_state=seed
    )
    with warnings.catch_warnings():
        # It warns when there are fewer pieces than axes, and then keeps all of them: fine.
        warnings.simplefilter("ignore")
        return encoder.fit_transform(pandas.Series(words, name="text")).to_numpy(dtype=float)


def _filled(values: np.ndarray) -> np.ndarray:
    missing = np.isnan(values)
    return np.where(missing, np.median(values[~missing]), values) if missing.any() else values


def _varying(parts: dict[str, np.ndarray], name: str, missing: np.ndarray) -> Block:
    """Those of the parts that vary, and where the column was missing if it ever was."""
    kept = {part: values for part, values in parts.items() if values.min() < values.max()}
    if missing.any():
        kept[f"{name} missing"] = missing.astype(float)
    kept = kept or parts  # texts that differ only in capitals have the same numbers
    return Block(np.column_stack(list(kept.values())), list(kept))
