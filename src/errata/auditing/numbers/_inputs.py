"""Numeric targets and their table: read, checked, made into features, and written again."""

import re
from typing import Any

import numpy as np

from ..._blocks import blocks
from ..._format import count, join_names, percent, plural
from ..._validation import as_column
from ...audit_folder.decisions import as_text, differ, from_text
from ...tables._columns import (
    column_array,
    column_names,
    numbers,
    spread,
    without_columns,
    words_of,
)
from ...tables.features._encoders import parse_numbers
from .._settings import CACHED
from ..inputs._labels import labels_or_none, missing_column
from ._task import find_repeated_values

# Numeric targets as they are read and written: chosen by hand, without influence on any p_wrong.
FEWEST_TARGETS = 30  # rows
FEW_TARGETS = 100  # below which a note says so
MAYBE_CLASSES = 30  # different whole numbers that may be names of classes
CAPPED = 0.01  # of the rows at one end: it may be a limit
FEWEST_CAPPED = 5
WRITTEN_SO = 0.95  # of the numbers have no more digits than suggestions get
MOST_DECIMALS = 6
MOST_NOUGHTS = 3
LARGEST = 1e100  # of what is squared and summed on the way

# A number, perhaps with marks of thousands, and what stands before and behind it.
# Letters before a number are a unit only with a space between: h12 is a name.
_WITH_UNIT = re.compile(
    r"((?:[^\d+\-.,]*\s)?[^\w+\-.,]*)"
    r"([+-]?[\d.,](?:[\d.,\s'_]*\d)?(?:[eE][+-]?\d+)?)"
    r"(\D*)"
)
# Parentheses around, as accountants have them, a minus behind, or that of typesetters.
_OTHER_MINUS = re.compile(r"[^()]*\([^()]*0[^()]*\)[^()]*|[^0]*0\s*-\s*|[^0]*\u22120.*")


def read_targets(table: Any, y: Any) -> tuple[Any, np.ndarray, list[str]]:
    """Take the targets out of the table; raise for what cannot be audited, with what to do.

    Returns the table without them, the targets as numbers, NaN where a row has none, and notes.
    """
    name = "y"
    cells = y
    if isinstance(y, str):
        name = f"column {y!r}"
        if y not in column_names(table):
            raise ValueError(missing_column(y, "to take targets from", column_names(table)))
        cells = column_array(table, y)
        table = without_columns(table, [y])
    cells = as_column(cells)
    if cells.ndim != 1:
        raise ValueError(
            f"y must hold one target per row, but its shape is {cells.shape}; audit one column "
            "of targets after the other."
        )
    targets, notes = _as_numbers(cells, name)
    _check_targets(targets, name)
    present = targets[~np.isnan(targets)]
    missing = len(targets) - len(present)
    if missing:
        have = "row has" if missing == 1 else "rows have"
        notes.append(
            f"{count(missing)} {have} no target: nothing is learnt from there, and each gets one."
        )
    if len(present) < FEW_TARGETS:
        notes.append(f"There are {len(present)} rows only, so the answer is rough.")
    values = few_values(present, MAYBE_CLASSES)
    if values is None:
        notes += _note_limits(present)
    elif not np.any(values % 1):
        notes.append(
            f"{name[0].upper()}{name[1:]} holds {len(values)} different whole numbers. If they are "
            "names of classes, audit them with errata.audit, or --label on the command line."
        )
    return table, targets, notes


def few_values(present: np.ndarray, most: int) -> np.ndarray | None:
    """The distinct numbers of a column, sorted, or None for more than ``most``.

    Of a long column of measurements only the first rows are looked at.

    >>> few_values(np.array([3.0, 1.0, 3.0]), 2), few_values(np.arange(5.0), 2)
    (array([1., 3.]), None)
    """
    values = present[:0]
    for rows in blocks(len(present), CACHED):
        values = np.union1d(values, present[rows])
        if len(values) > most:
            return None
    return values


def _as_numbers(cells: np.ndarray, name: str) -> tuple[np.ndarray, list[str]]:
    """Cells as floats, and how text was read."""
    if cells.dtype.kind in "bmM":
        what = "true or false" if cells.dtype.kind == "b" else "dates or durations"
        raise ValueError(f"{name} holds {what}, not numbers; name a column of numbers.")
    plain = numbers(labels_or_none(cells))
    if plain is not None:
        return plain.astype(float), []
    codes, words = words_of(cells)
    values, _, remark = parse_with_units(name, words)
    if values is None:
        odd = [word for word in words if not _WITH_UNIT.fullmatch(word.strip())] or words
        raise ValueError(
            f"{name} holds values that are not numbers ({join_names(odd, most=3)}); name a "
            "column of numbers, or audit classes with errata.audit, or --label on the command "
            "line."
        )
    return spread(values, codes), [remark] if remark else []


def _check_targets(targets: np.ndarray, name: str) -> None:
    infinite = np.flatnonzero(np.isinf(targets))
    if len(infinite):
        raise ValueError(
            f"{name} holds {plural(len(infinite), 'infinite number')} (the first is in row "
            f"{infinite[0]}, counted from 0); correct such rows, or leave their targets empty."
        )
    _check_size(targets, name)
    present = targets[~np.isnan(targets)]
    if len(present) < FEWEST_TARGETS:
        raise ValueError(
            f"{name} holds {plural(len(present), 'target')}, and fewer than {FEWEST_TARGETS} tell "
            "too little; audit a larger table."
        )
    if present.min() == present.max():
        digits = ", to 15 digits" if abs(present[0]) >= 2**53 else ""
        raise ValueError(
            f"{name} holds the number {present[0] + 0.0:g} only{digits}: nothing can be learnt "
            "about it; name another column."
        )


def _check_size(values: np.ndarray, name: str) -> None:
    """Raise for numbers whose squares no computer can hold."""
    large = np.flatnonzero(np.abs(values) > LARGEST)
    if len(large):
        raise ValueError(
            f"{name} holds numbers that are too large to compute with, beyond {LARGEST:g} (the "
            f"first is {values[large[0]]:g} in row {large[0]}, counted from 0); correct them, or "
            "give the column in a larger unit."
        )


def _note_limits(present: np.ndarray) -> list[str]:
    """Values that rows share at an end of the range: a limit of what was recorded.

    What very many rows share is a repeated value, judged and told of on its own.
    """
    ends = {"smallest": present.min(), "largest": present.max()}
    repeated = find_repeated_values(present)
    shares = {end: float(np.mean(present == value)) for end, value in ends.items()}
    return [
        f"{percent(share)} of the targets are exactly {ends[end]:g}, the {end}: they may be cut "
        "off there, and rows whose true value lies beyond look wrong."
        for end, share in shares.items()
        if share > max(CAPPED, (FEWEST_CAPPED - 1) / len(present)) and ends[end] not in repeated
    ]


def parse_with_units(name: str, words: list[str]) -> tuple[np.ndarray | None, str, str]:
    """Words as numbers, None if they are not, what a comma stands for, and how they were read.

    Raises where numbers are in different units.

    Examples
    --------
    >>> parse_with_units("price", ["1,250 EUR", "80 EUR"])[0]
    array([1250.,   80.])
    """
    values, comma, remark = parse_numbers(name, words)
    if values is not None:
        return values, comma, remark.replace(repr(name), name)
    parts = [part for word in words if (part := _WITH_UNIT.fullmatch(word.strip()))]
    if len(parts) < len(words):
        return None, "", ""
    values, comma, _ = parse_numbers(name, [re.sub(r"[\s'_]", "", part.group(2)) for part in parts])
    if values is None:
        return None, "", ""
    negative = [part[0] for part in parts if _OTHER_MINUS.fullmatch(part[1] + "0" + part[3])]
    if negative:
        raise ValueError(
            f"{name} holds numbers that may be negative ({join_names(negative, most=3)}); write "
            "these with a hyphen in front, as in -5."
        )
    units = sorted({"".join(part.group(1, 3)).strip() for part in parts} - {""})
    if len(units) > 1:
        raise ValueError(
            f"{name} holds numbers in {len(units)} different units ({join_names(units, most=3)}); "
            "convert them to one unit first."
        )
    unit = f" and {units[0]!r} as the unit" if units else ""
    return values, comma, f"In {name}, cells were read as numbers{unit}."


class Digits:
    """How the targets of a column are written, of which at most a few are wrong.

    Attributes
    ----------
    decimals : int or None
        Behind the point; below 0 for round numbers; None for all there are.
    least : float
        A number below would have another sign than all that look right.

    Examples
    --------
    >>> Digits(np.array([12.5, 30.0, 17.25])).write(np.array([18.2179, -3.0]))
    array([18.22, 12.5 ])
    >>> Digits(np.array([1200, 300, 1700])).write(np.array([481.7]))
    array([500.])
    """

    decimals: int | None = None

    def __init__(self, targets: np.ndarray) -> None:
        for places in range(-MOST_NOUGHTS, MOST_DECIMALS + 1):
            off = np.abs(np.round(targets, places) - targets)
            if np.mean(off <= 1e-9 * np.maximum(1.0, np.abs(targets))) >= WRITTEN_SO:
                self.decimals = places
                break
        least = float(targets.min())
        self.least = -np.inf if least < 0 else least

    def write(self, values: np.ndarray) -> np.ndarray:
        """Numbers as the column would hold them."""
        values = np.maximum(values, self.least)
        return values if self.decimals is None else np.round(values, self.decimals)

    def finer(self, values: np.ndarray) -> np.ndarray:
        """Numbers with one digit more, as the bounds of an interval."""
        return values if self.decimals is None else np.round(values, self.decimals + 1)

    def text(self, value: float) -> str:
        """A number in the same digits, for people.

        >>> [Digits(np.array([like])).text(200 / 3) for like in (0.5, 60.0, 1 / 3)]
        ['66.7', '67', '66.6667']
        """
        return f"{value:.6g}" if self.decimals is None else f"{value:.{max(self.decimals, 0)}f}"


def write_numbers(
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
    >>> cells, values = ["12,5 kg", "130 kg"], np.array([12.5, 13.04])
    >>> write_numbers(cells, np.array([False, True]), values, Digits(values[:1]))
    ['12,5 kg', '13,0 kg']
    """
    words = sorted({cell.strip() for cell in cells if isinstance(cell, str) and cell.strip()})
    is_comma = bool(words) and parse_with_units("", words)[1] == "."
    new = [None if cell != cell else cell for cell in cells]  # NaN is a gap among numbers
    for row in np.flatnonzero(changed).tolist():
        value = float(values[row])
        is_typed = typed is not None and typed[row]
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


def give_numbers(
    targets: np.ndarray, rows: np.ndarray, texts: list[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Targets with the numbers that people typed, and which are other ones.

    Those that people kept stay to the last digit.
    """
    new = targets.copy()
    changed = np.zeros(len(targets), dtype=bool)
    for row, text in zip(rows.tolist(), texts, strict=True):
        if not differ(text, as_text(targets[row])):
            continue
        given = from_text(text)
        if isinstance(given, bool) or not isinstance(given, int | float):
            raise ValueError(
                f"row {row} was decided to be {given!r}, which is no number; these are decisions "
                "about another column."
            )
        new[row] = given
        changed[row] = True
    return new, changed
