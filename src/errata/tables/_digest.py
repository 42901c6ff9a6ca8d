"""Rows known by their contents: eight bytes each, the same wherever the row stands in the file."""

import re
from contextlib import suppress
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np

_ROWS = 1 << 14  # whose text is in memory at a time
_BETWEEN = "\x1f"  # what separates cells

# What formats write in several ways, and one of these: 5.0 and 5, 1e-07 and 1e-7, TRUE and true,
# a day with and without the hours of midnight.
_SPELLINGS = (
    (r"^-0(\.0*)?$", "0"),
    (r"^(-?[0-9]+|.*:[0-9]{2})\.0*$", r"\1"),
    (r"^(-?[0-9]+\.[0-9]*[1-9]|.*:[0-9]{2}\.[0-9]*[1-9])0+$", r"\1"),
    (r"^(-?[0-9.]+)[eE]([+-])0*([0-9]+)$", r"\1e\2\3"),
    (r"^[Tt][Rr][Uu][Ee]$", "true"),
    (r"^[Ff][Aa][Ll][Ss][Ee]$", "false"),
    (r"^([0-9]{4}-[0-9]{2}-[0-9]{2})T([0-9:.]+)$", r"\1 \2"),
    (r"^([0-9]{4}-[0-9]{2}-[0-9]{2}) 00:00:00$", r"\1"),
)


class RowDigests(NamedTuple):
    """A number for each row of a table, and the columns it was made of."""

    columns: list[str]
    values: np.ndarray  # of int64

    def places_of(self, other: "RowDigests") -> np.ndarray:
        """For each row of another table the row here with the same contents, or -1.

        Rows that are equal in everything are taken in their order, each of them once.

        Examples
        --------
        >>> then = RowDigests(["pet"], np.array([7, 5, 7, 6]))
        >>> then.places_of(RowDigests(["pet"], np.array([6, 7, 7, 7])))
        array([ 3,  0,  2, -1])
        """
        order = np.argsort(self.values, kind="stable")
        values = self.values[order]
        place = np.searchsorted(values, other.values) + count_before(other.values)
        found = place < np.searchsorted(values, other.values, side="right")
        return np.where(found, order[np.where(found, place, 0)], -1)


def row_digests(table: Any) -> RowDigests:
    """The digests of an Arrow table, as :func:`read_table` gives.

    Cells count as the text that they are or would be written as: neither quotes and line ends nor
    compression matter, nor the order of the columns. A table has the same digests in every format:
    5.0 counts as 5, TRUE as true, midnight as the day, and a missing value as an empty text. Of two
    rows that differ, one in 10^19 pairs has the same digest.

    Examples
    --------
    >>> import pyarrow
    >>> pets = pyarrow.table({"pet": ["cat", "dog", "cat"], "legs": [4, 4, 4]})
    >>> first, second, third = row_digests(pets).values
    >>> bool(first == third), bool(first == second)
    (True, False)
    """
    columns = sorted(table.column_names)
    cells = table.select(columns)
    batches = (cells.slice(start, _ROWS) for start in range(0, table.num_rows, _ROWS))
    digests = b"".join(map(_digest_rows, batches))
    return RowDigests(columns, np.frombuffer(digests, dtype="<i8").astype(np.int64))


def row_keys(table: Any, *labels: str) -> np.ndarray:
    """A name for each row of an Arrow table that outlives sorting and a change of its labels.

    It is the digest of the cells other than the labels, and after a point how many rows before have
    the same: rows that are equal in all but these have names of their own.

    Examples
    --------
    >>> import pyarrow
    >>> pets = pyarrow.table({"legs": [4, 2, 4], "pet": ["cat", "bird", "dog"]})
    >>> names = row_keys(pets, "pet")
    >>> names[2] == names[0].replace(".0", ".1")
    True
    """
    values = row_digests(table.drop_columns(list(labels))).values
    texts = zip(values.view(np.uint64).tolist(), count_before(values).tolist(), strict=True)
    return np.array([f"{value:016x}.{times}" for value, times in texts], dtype=object)


def _digest_rows(table: Any) -> bytes:
    import pyarrow as arrow
    import pyarrow.compute

    cells = [_spell_plainly(_format_cells(column)) for column in table.itercolumns()]
    rows = pyarrow.compute.binary_join_element_wise(
        *cells,
        arrow.scalar(_BETWEEN, arrow.large_string()),
        null_handling="replace",
        null_replacement="",  # as a text has it
    )
    raw = rows.cast(arrow.large_binary()).to_pylist()
    return b"".join([blake2b(row, digest_size=8).digest() for row in raw])


def _format_cells(column: Any) -> Any:
    import pyarrow as arrow

    # Bytes may be text in one batch and not in the next, and each row has one digest.
    if "binary" not in str(column.type):
        with suppress(arrow.ArrowNotImplementedError, arrow.ArrowInvalid):  # lists, objects, unions
            return column.cast(arrow.large_string())
    texts = [None if cell is None else repr(cell) for cell in column.to_pylist()]
    return arrow.chunked_array([arrow.array(texts, arrow.large_string())])


def _spell_plainly(texts: Any) -> Any:
    """Texts as :func:`plain_spelling` has them."""
    from pyarrow import compute

    # Most cells have one spelling, and one pass finds the others; of these, many are the same.
    several = compute.match_substring_regex(texts, "|".join(p for p, _ in _SPELLINGS))
    several = compute.fill_null(several, False)
    if not compute.any(several).as_py():
        return texts
    texts, several = texts.combine_chunks(), several.combine_chunks()
    coded = texts.filter(several).dictionary_encode()
    words = coded.dictionary
    for pattern, one in _SPELLINGS:
        words = compute.replace_substring_regex(words, pattern, one)
    return compute.replace_with_mask(texts, several, words.take(coded.indices))


def plain_spelling(text: str) -> str:
    """One way to write a number, a truth value or a day that formats write in several ways.

    Examples
    --------
    >>> [plain_spelling(text) for text in ("5.0", "2.50", "1e-07", "True", "2024-03-01 00:00:00")]
    ['5', '2.5', '1e-7', 'true', '2024-03-01']
    """
    for pattern, one in _SPELLINGS:
        text = re.sub(pattern, one, text)
    return text


def count_before(values: np.ndarray) -> np.ndarray:
    """How often each value has occurred before."""
    order = np.argsort(values, kind="stable")
    times = np.empty(len(values), dtype=np.intp)
    times[order] = np.arange(len(values)) - np.searchsorted(values[order], values[order])
    return times
