"""One function for each kind of column: what it makes of the cells, as named features."""

import warnings
from collections.abc import Sequence

import numpy as np

from .._optional import require
from ._dates import calendar

_DIMENSIONS = 30

# Features by name, each of shape (rows,). They are put side by side once, with those of the other
# columns: a table of many categories is never held twice as floats.
Block = dict[str, np.ndarray]


def numeric_block(name: str, values: np.ndarray) -> Block:
    """Numbers, the median where one is missing; a feature of 0 and 1 says where that is."""
    return _varying({name: _filled(values)}, name, np.isnan(values))


def date_block(name: str, dates: np.ndarray) -> Block:
    """Seconds since 1970, and month, weekday and hour where they vary."""
    parts = {f"{name} {part}": _filled(values) for part, values in calendar(dates).items()}
    return _varying(parts, name, np.isnat(dates))


def category_block(name: str, codes: np.ndarray, words: Sequence[str]) -> Block:
    """A feature of 0 and 1 for each word; one is enough for two. Code -1 is a missing cell."""
    chosen = range(1, 2) if len(words) == 2 else range(len(words))
    return _varying({f"{name}={words[code]}": codes == code for code in chosen}, name, codes < 0)


def text_block(name: str, codes: np.ndarray, words: Sequence[str], *, seed: int) -> Block:
    """Texts that share pieces of words come near each other: tf-idf, then the first axes of it.

    Every distinct text is encoded once, so a frequent one costs and counts no more than a rare one.
    """
    embedded = _embedded(words, seed)
    axes = np.vstack([embedded, np.zeros(embedded.shape[1])]).T  # code -1 is the row of zeros
    return _varying({f"{name} {i}": axis[codes] for i, axis in enumerate(axes)}, name, codes < 0)


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


def _varying(parts: Block, name: str, missing: np.ndarray) -> Block:
    """Those of the parts that vary, and where the column was missing if it ever was."""
    kept = {part: values for part, values in parts.items() if values.min() < values.max()}
    if missing.any():
        kept[f"{name} missing"] = missing
    return kept or parts  # texts that differ only in capitals have the same numbers
