"""Cells of a column: which of them are missing, whether they are numbers, which words they hold.

A column of text is an Arrow array where pyarrow is installed. Everything that takes Python to find
out is found out about its distinct words, once each. Other columns are NumPy arrays.
"""

from collections.abc import Callable
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from .._optional import require
from .._validation import MISSING_WORDS, is_missing

# Types of cells of which NumPy itself knows which float they are, and that None is NaN.
_PLAIN = frozenset({float, int, bool, Decimal, type(None)})


class Words(NamedTuple):
    """The distinct words of a column, sorted and without blanks around, and which one is where."""

    codes: np.ndarray  # -1 where a cell is missing
    words: list[str]


def words_of(values: Any) -> Words:
    """The words of a column: an Arrow array of text, or a NumPy array.

    Examples
    --------
    >>> words_of(np.array(["b", None, " a", "NA", "b "], dtype=object))
    Words(codes=array([ 1, -1,  0, -1,  1]), words=['a', 'b'])
    """
    codes, found = unsorted_words(values)
    words = sorted(set(found))
    place = {word: code for code, word in enumerate(words)}
    places = [place[word] for word in found]
    return Words(np.array([*places, -1])[codes], words)  # code -1 is the entry at the end


def unsorted_words(values: Any) -> Words:
    """The same in any order, which takes a fourth of the time; a word may be there twice."""
    codes, distinct = _codes(values)
    stripped = [None if is_missing(word, text=True) else word.strip() for word in distinct]
    words = [word for word in stripped if word is not None]
    present = np.array([*(word is not None for word in stripped), False])
    return Words(np.where(present, np.cumsum(present) - 1, -1)[codes], words)


def numbers(values: Any) -> np.ndarray | None:
    """The column as floats, missing cells as NaN; None when it holds anything but numbers.

    Examples
    --------
    >>> numbers(np.array(["1.5", "", "NA", "2"]))
    array([1.5, nan, nan, 2. ])
    >>> numbers(np.array(["1.5", "red"])) is None
    True
    """
    found = quick_numbers(values)
    if found is not None or not is_arrow(values):
        return found
    codes, words = words_of(values)
    found = floats(words)
    return None if found is None else spread(found, codes)


def quick_numbers(values: Any) -> np.ndarray | None:
    """The same, but of text only what Arrow takes for numbers: not ``1_000``, nor Arabic digits."""
    if is_arrow(values):
        return _cast(values)
    if values.dtype.kind in "cmM":
        return None
    if values.dtype.kind not in "biuf" and not _PLAIN.issuperset(map(type, values.tolist())):
        values = np.where(missing_cells(values), np.nan, values.astype(object))
    return floats(values)


def floats(cells: Any) -> np.ndarray | None:
    """A list or an array as floats, or None when a cell is not a number."""
    cells = cells if isinstance(cells, np.ndarray) else np.array(cells, dtype=object)
    try:
        return cells.astype(float)
    except (TypeError, ValueError, OverflowError):
        return None


def spread(found: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """What was found for each word, for each cell; NaN or NaT where the code is -1."""
    nothing = np.array(["NaT" if found.dtype.kind == "M" else np.nan]).astype(found.dtype)
    return np.concatenate([found, nothing])[codes]


def times(values: np.ndarray) -> np.ndarray:
    """Dates or durations as floats in their own unit, NaT as NaN.

    Examples
    --------
    >>> times(np.array(["1970-01-03", "NaT"], dtype="M8[D]"))
    array([ 2., nan])
    """
    return np.where(np.isnat(values), np.nan, values.astype(np.int64))


def missing_cells(values: Any) -> np.ndarray:
    """Where a column has no value."""
    if is_arrow(values):
        return words_of(values).codes < 0
    if values.dtype.kind in "biu":
        return np.zeros(len(values), dtype=bool)
    if values.dtype.kind in "fcmM":
        return values != values
    cells = (is_missing(cell, text=True) for cell in values.tolist())
    return np.fromiter(cells, dtype=bool, count=len(values))


def is_arrow(values: Any) -> bool:
    """Whether a column is an Arrow array of text; a NumPy array otherwise."""
    return not isinstance(values, np.ndarray)


def _cast(values: Any) -> np.ndarray | None:
    return first_cast(lambda: values, lambda: _without_missing_words(values))


def first_cast(*attempts: Callable[[], Any]) -> np.ndarray | None:
    """The first of some Arrow arrays of text that holds nothing but numbers, as floats."""
    invalid = require("pyarrow", extra="tables").ArrowInvalid
    for cells in attempts:
        try:
            return cells().cast("float64").to_numpy()  # null becomes NaN
        except invalid:
            continue
    return None


def _without_missing_words(values: Any) -> Any:
    compute = require("pyarrow.compute", extra="tables")
    stripped = compute.utf8_trim_whitespace(values)
    words = require("pyarrow", extra="tables").array(MISSING_WORDS, stripped.type)
    missing = compute.is_in(compute.utf8_lower(stripped), value_set=words)
    return compute.if_else(missing, None, stripped)


def _codes(values: Any) -> tuple[np.ndarray, list[Any]]:
    """A code for each cell, -1 where it has none, and what the codes stand for."""
    if is_arrow(values):
        return _text_codes(values)
    return _number_codes(values) if values.dtype.kind in "iuf" else _object_codes(values)


def _number_codes(values: np.ndarray) -> tuple[np.ndarray, list[str | None]]:
    """Numbers among words, in the way that Arrow would write them: 1.0 is the word "1"."""
    distinct, codes = np.unique(values, return_inverse=True)
    written = [
        int(number) if number == np.floor(number) and abs(number) < 1e15 else number
        for number in distinct.tolist()
    ]
    return codes, [None if number != number else str(number) for number in written]


def _text_codes(values: Any) -> tuple[np.ndarray, list[str]]:
    """A code for each cell, -1 for null, and what the codes stand for."""
    encoded = values.dictionary_encode().unify_dictionaries()
    chunks = [chunk.indices.fill_null(-1).to_numpy() for chunk in encoded.chunks]
    return np.concatenate(chunks), encoded.chunk(0).dictionary.to_pylist()


def _object_codes(values: np.ndarray) -> tuple[np.ndarray, list[str]]:
    place: dict[str, int] = {}
    codes = [
        -1 if is_missing(cell) else place.setdefault(str(cell), len(place))
        for cell in values.tolist()
    ]
    return np.array(codes, dtype=int), list(place)
