"""One small class for each kind of column: how its cells are read, and which features they give.

An encoder holds what was learnt from some rows (a median, words, axes of texts, the features worth
keeping) and none of the rows. Learning and applying go through the same ``parts``.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

import numpy as np

from ._cells import unsorted_words
from ._dates import calendar, read_dates
from ._number_formats import read_numbers

_MEDIAN_ROWS = 1000  # rows that a median is taken of when it stands for no cell of them

# Features by name, each of shape (rows,). They are put side by side once, with those of the other
# columns: a table of many categories is never held twice as floats.
Block = dict[str, np.ndarray]


class Encoder(Protocol):
    """What a kind of column can do; ``kept`` names the features that the rows learnt from gave."""

    @property
    def name(self) -> str: ...

    @property
    def kept(self) -> tuple[str, ...]: ...

    def read(self, values: Any) -> tuple[Any, int]:
        """Cells of a column as ``parts`` takes them, and how many are not of this kind."""
        ...

    def parts(self, cells: Any) -> Block:
        """All features by name; the last says where a cell is missing."""
        ...


def encode_cells(encoder: Encoder, values: Any) -> tuple[Block, int]:
    """The features of a column that were kept, and how many of its cells were not read."""
    cells, unread = encoder.read(values)
    parts = encoder.parts(cells)
    return {name: parts[name] for name in encoder.kept}, unread


@dataclass(frozen=True)
class Kind:
    """What all kinds have: the name of the column, and of the features that were kept."""

    name: str
    kept: tuple[str, ...] = ()

    def keeping(self, parts: Block) -> tuple[Self, Block]:
        """The encoder with those of the features that vary, and these features."""
        varying = {name: values for name, values in parts.items() if values.min() < values.max()}
        # Texts that differ only in capitals have the same numbers; none of them is missing.
        block = varying or dict(list(parts.items())[:-1])
        return replace(self, kept=tuple(block)), block


@dataclass(frozen=True)
class Numbers(Kind):
    """Numbers, the median where one is missing; a feature of 0 and 1 says where that is."""

    median: float = 0.0
    comma: str = ","  # what to put for a comma in text

    @classmethod
    def learn(cls, name: str, values: np.ndarray, comma: str = ",") -> tuple["Numbers", Block]:
        """From numbers with NaN where one is missing."""
        encoder = cls(name, median=median(values), comma=comma)
        return encoder.keeping(encoder.parts(values))

    def read(self, values: Any) -> tuple[np.ndarray, int]:
        return read_numbers(values, self.comma)

    def parts(self, cells: np.ndarray) -> Block:
        missing = np.isnan(cells)
        filled = _filled(cells, missing, self.median)
        return {self.name: filled, f"{self.name} missing": missing}


@dataclass(frozen=True)
class Dates(Kind):
    """Seconds since 1970, and month, weekday and hour where they vary."""

    medians: tuple[float, ...] = ()
    how: str | None = None  # the format of dates in text

    @classmethod
    def learn(cls, name: str, dates: np.ndarray, how: str | None = None) -> tuple["Dates", Block]:
        """From datetime64 with NaT where one is missing."""
        medians = tuple(map(median, calendar(dates).values()))
        encoder = cls(name, medians=medians, how=how)
        return encoder.keeping(encoder.parts(dates))

    def read(self, values: Any) -> tuple[np.ndarray, int]:
        return read_dates(values, self.how)

    def parts(self, cells: np.ndarray) -> Block:
        missing = np.isnat(cells)
        filled = {
            f"{self.name} {part}": _filled(found, missing, middle)
            for (part, found), middle in zip(calendar(cells).items(), self.medians, strict=True)
        }
        return filled | {f"{self.name} missing": missing}


@dataclass(frozen=True)
class Categories(Kind):
    """A feature of 0 and 1 for each word; one is enough for two. Another word is none of them."""

    words: tuple[str, ...] = ()

    @classmethod
    def learn(
        cls, name: str, codes: np.ndarray, words: Sequence[str]
    ) -> tuple["Categories", Block]:
        """From the place of each cell's word among the words, -1 where it is missing."""
        encoder = cls(name, words=tuple(words))
        return encoder.keeping(encoder.parts(codes))

    def read(self, values: Any) -> tuple[np.ndarray, int]:
        codes, words = unsorted_words(values)
        place = {word: code for code, word in enumerate(self.words)}
        places = [place.get(word, len(self.words)) for word in words]
        return np.array([*places, -1])[codes], 0

    def parts(self, cells: np.ndarray) -> Block:
        first = 1 if len(self.words) == 2 else 0
        chosen = {f"{self.name}={self.words[code]}": code for code in range(first, len(self.words))}
        parts = {name: cells == code for name, code in chosen.items()}
        return parts | {f"{self.name} missing": cells < 0}


def median(values: np.ndarray) -> float:
    """Median of numbers, NaN left out.

    Where none is NaN it fills no gap of these rows. That of a thousand of them, evenly spread, will
    do for the few gaps that other rows may have, and takes no time.
    """
    missing = np.isnan(values)
    return float(np.median(values[~missing] if missing.any() else spread_rows(values)))


def spread_rows(values: np.ndarray) -> np.ndarray:
    """About a thousand rows, evenly spread, of an array of many."""
    return values[:: len(values) // _MEDIAN_ROWS + 1]


def _filled(values: np.ndarray, missing: np.ndarray, middle: float) -> np.ndarray:
    return np.where(missing, middle, values) if missing.any() else values
