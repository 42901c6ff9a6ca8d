"""Numbers in cells: text with units and marks of thousands read as numbers, and written again."""

import re
from typing import Any, NamedTuple

import numpy as np

from ..._format import listed
from ...tables._number_formats import formatted_numbers
from ._digits import Digits

# A number, perhaps with marks of thousands, and what stands before and behind it.
# Letters before a number are a unit only with a space between: h12 is a name.
_WITH_UNIT = re.compile(
    r"((?:[^\d+\-.,]*\s)?[^\w+\-.,]*)"
    r"([+-]?[\d.,](?:[\d.,\s'_]*\d)?(?:[eE][+-]?\d+)?)"
    r"(\D*)"
)


class ReadCells(NamedTuple):
    """Each distinct word of a column as a number, how it was read, and what a comma stands for."""

    values: np.ndarray | None  # None where a word is not a number
    remark: str = ""
    comma: str = ""
    odd: tuple[str, ...] = ()  # some words that are no numbers


def read_numeric_cells(told: str, words: list[str]) -> ReadCells:
    """Words as numbers; raise where they are in different units.

    Examples
    --------
    >>> read_numeric_cells("price", ["1,250 EUR", "80 EUR"]).values
    array([1250.,   80.])
    """
    read = formatted_numbers(told, words)
    if read.values is not None:
        return ReadCells(read.values, read.remark, read.comma)
    parts = [_WITH_UNIT.fullmatch(word.strip()) for word in words]
    whole = [part for part in parts if part is not None]
    if len(whole) < len(words):
        odd = [word for word, part in zip(words, parts, strict=True) if part is None]
        return ReadCells(None, odd=tuple(odd))
    units = sorted({"".join(part.group(1, 3)).strip() for part in whole} - {""})
    read = formatted_numbers(told, [re.sub(r"[\s'_]", "", part.group(2)) for part in whole])
    if read.values is None:
        return ReadCells(None, odd=tuple(words))
    if len(units) > 1:
        raise ValueError(
            f"{told} holds numbers in {len(units)} different units ({listed(units, most=3)}); "
            "convert them to one unit first."
        )
    unit = f" and {units[0]!r} as the unit" if units else ""
    return ReadCells(read.values, f"In {told}, cells were read as numbers{unit}.", read.comma)


def written_cells(
    cells: list[Any],
    changed: np.ndarray,
    values: np.ndarray,
    digits: Digits,
    typed: np.ndarray | None = None,
) -> list[Any]:
    """A column with some numbers put in place of others, written as its cells are.

    Cells that do not change stay what they were. NaN empties a cell. What people have ``typed``, a
    mask, keeps all its digits.

    Examples
    --------
    >>> written_cells(["12,5 kg", "130 kg"], np.array([False, True]), np.array([12.5, 13.04]),
    ...               Digits(1, 0.0))
    ['12,5 kg', '13,0 kg']
    """
    words = sorted({cell.strip() for cell in cells if isinstance(cell, str) and cell.strip()})
    is_comma = bool(words) and read_numeric_cells("", words).comma == "."
    new = [None if cell != cell else cell for cell in cells]  # NaN is a gap among numbers
    for row in np.flatnonzero(changed).tolist():
        value, is_typed = float(values[row]), typed is not None and typed[row]
        text = f"{value:.12g}" if is_typed else digits.text(value)
        new[row] = _written(cells[row], value, text.replace(".", "," if is_comma else "."))
    return new


def _written(cell: Any, value: float, text: str) -> Any:
    if np.isnan(value):
        return None
    if isinstance(cell, str):
        part = _WITH_UNIT.fullmatch(cell)
        return text if part is None else f"{part.group(1)}{text}{part.group(3)}"
    is_whole = isinstance(cell, int) and value == int(value)
    return int(value) if is_whole else value
