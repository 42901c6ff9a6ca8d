"""Numbers as people write them: with a word where one is missing, with commas."""

import re

import numpy as np

from ._cells import numbers

_PLACEHOLDERS = {"?", "-", "--", ".", "*", "none", "missing", "unknown", "<na>", "#n/a"}
_THOUSANDS = re.compile(r"[+-]?(\d+|[1-9]\d{0,2}(,\d{3})+)(\.\d+)?")
_DECIMALS = re.compile(r"[+-]?\d+(,\d+)?([eE][+-]?\d+)?")


def written_numbers(
    name: str, values: np.ndarray, missing: np.ndarray
) -> tuple[np.ndarray | None, str]:
    """The column as floats, or None; and a sentence when that took some reading.

    Examples
    --------
    >>> column = np.array(["1,5", "?", "22,75"])
    >>> written_numbers("price", column, np.zeros(3, dtype=bool))
    (array([ 1.5 ,   nan, 22.75]), "In 'price', read '?' as missing, commas as decimal points.")
    """
    found = numbers(values)
    if found is not None or values.dtype.kind not in "OU":
        return found, ""
    cells = np.array([str(cell).strip() for cell in values.tolist()], dtype=object)
    marks = ~missing & np.array([cell.lower() in _PLACEHOLDERS for cell in cells])
    present = ~(marks | missing)
    replacement, commas = _commas(cells[present].tolist())
    words = ", ".join(map(repr, sorted(set(cells[marks]))))
    readings = [reading for reading in (f"{words} as missing" if words else "", commas) if reading]
    if not present.any() or not readings:
        return None, ""
    found = np.full(len(cells), np.nan)
    read = numbers(np.array([cell.replace(",", replacement) for cell in cells[present]]))
    if read is None:
        return None, ""
    found[present] = read
    return found, f"In {name!r}, read {', '.join(readings)}."


def _commas(cells: list[str]) -> tuple[str, str]:
    """What to put for a comma in these cells, and what that reading is called.

    Where every comma has three digits behind it, 1,234 is more than a thousand.
    """
    if any("," in cell for cell in cells):
        if all(map(_THOUSANDS.fullmatch, cells)):
            return "", "commas as marks of thousands"
        if all(map(_DECIMALS.fullmatch, cells)):
            return ".", "commas as decimal points"
    return ",", ""
