"""One small class for each kind of column: how its cells are read, and which features they give.

An encoder holds what was learnt from some rows (a median, words, axes of texts, the features worth
keeping) and none of the rows. Learning and applying go through the same ``parts``.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from .._columns import encode_words
from ._parsing import read_dates, read_numbers, split_dates

_MEDIAN_ROWS = 1000  # rows that a median is taken of when it stands for no cell of them

# Features by name, each of shape (rows,). They are put side by side once, with those of the other
# columns: a table of many categories is never held twice as floats.
Block = dict[str, np.ndarray]

_DIMENSIONS = 30  # axes of pieces of words, and as many of whole words
_ROUNDING = 1e-5  # of the largest number: an axis along which texts differ by less says nothing
_NEARLY = 0.999  # of the largest number, from which another is as large but for rounding


@dataclass(frozen=True)
class Encoder(ABC):
    """What all kinds have: the name of the column, and of the features that were kept."""

    name: str
    kept: tuple[str, ...] = ()

    @abstractmethod
    def read(self, values: Any) -> tuple[Any, int]:
        """Cells of a column as ``parts`` takes them, and how many are not of this kind."""

    @abstractmethod
    def parts(self, cells: Any) -> Block:
        """All features by name; the last says where a cell is missing."""

    def encode(self, values: Any) -> tuple[Block, int]:
        """The features of a column that were kept, and how many of its cells were not read."""
        cells, unread = self.read(values)
        parts = self.parts(cells)
        return {name: parts[name] for name in self.kept}, unread

    def keeping(self, parts: Block) -> tuple[Self, Block]:
        """The encoder with those of the features that vary, and these features."""
        varying = {name: values for name, values in parts.items() if values.min() < values.max()}
        # Texts that differ only in capitals have the same numbers; none of them is missing.
        block = varying or dict(list(parts.items())[:-1])
        return replace(self, kept=tuple(block)), block


def compute_median(values: np.ndarray) -> float:
    """Median of numbers, NaN left out.

    Where none is NaN it fills no gap of these rows. That of a thousand of them, evenly spread, will
    do for the few gaps that other rows may have, and takes no time.
    """
    missing = np.isnan(values)
    return float(np.median(values[~missing] if missing.any() else sample_rows(values)))


@dataclass(frozen=True)
class Numbers(Encoder):
    """Numbers, the median where one is missing; a feature of 0 and 1 says where that is."""

    median: float = 0.0
    comma: str = ","  # what to put for a comma in text

    @classmethod
    def learn(cls, name: str, values: np.ndarray, comma: str = ",") -> tuple["Numbers", Block]:
        """From numbers with NaN where one is missing."""
        encoder = cls(name, median=compute_median(values), comma=comma)
        return encoder.keeping(encoder.parts(values))

    def read(self, values: Any) -> tuple[np.ndarray, int]:
        return read_numbers(values, self.comma)

    def parts(self, cells: np.ndarray) -> Block:
        missing = np.isnan(cells)
        filled = _fill(cells, missing, self.median)
        return {self.name: filled, f"{self.name} missing": missing}


@dataclass(frozen=True)
class Dates(Encoder):
    """Seconds since 1970, and month, weekday and hour where they vary."""

    medians: tuple[float, ...] = ()
    how: str | None = None  # the format of dates in text

    @classmethod
    def learn(cls, name: str, dates: np.ndarray, how: str | None = None) -> tuple["Dates", Block]:
        """From datetime64 with NaT where one is missing."""
        medians = tuple(map(compute_median, split_dates(dates).values()))
        encoder = cls(name, medians=medians, how=how)
        return encoder.keeping(encoder.parts(dates))

    def read(self, values: Any) -> tuple[np.ndarray, int]:
        return read_dates(values, self.how)

    def parts(self, cells: np.ndarray) -> Block:
        missing = np.isnat(cells)
        filled = {
            f"{self.name} {part}": _fill(found, missing, middle)
            for (part, found), middle in zip(split_dates(cells).items(), self.medians, strict=True)
        }
        return filled | {f"{self.name} missing": missing}


@dataclass(frozen=True)
class Categories(Encoder):
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
        codes, words = encode_words(values)
        place = {word: code for code, word in enumerate(self.words)}
        places = [place.get(word, len(self.words)) for word in words]
        return np.array([*places, -1])[codes], 0

    def parts(self, cells: np.ndarray) -> Block:
        first = 1 if len(self.words) == 2 else 0
        chosen = {f"{self.name}={self.words[code]}": code for code in range(first, len(self.words))}
        parts = {name: cells == code for name, code in chosen.items()}
        return parts | {f"{self.name} missing": cells < 0}


def sample_rows(values: np.ndarray) -> np.ndarray:
    """About a thousand rows, evenly spread, of an array of many."""
    return values[:: len(values) // _MEDIAN_ROWS + 1]


def _fill(values: np.ndarray, missing: np.ndarray, middle: float) -> np.ndarray:
    return np.where(missing, middle, values) if missing.any() else values


@dataclass(frozen=True)
class Texts(Encoder):
    """Texts that share words, or pieces of them, come near each other: tf-idf, and its first axes.

    Pieces of words forgive typing errors and endings; whole words, where texts are sentences, say
    more than their pieces. Every distinct text is encoded once, so a frequent one costs and counts
    no more than a rare one.
    """

    axes: tuple[Any, ...] = ()  # fitted pipelines: pieces of words, then whole words
    turns: Any = None  # (axes, features): 1 or -1 where an axis is a feature

    @classmethod
    def learn(
        cls, name: str, codes: np.ndarray, texts: Sequence[str], *, seed: int
    ) -> tuple["Texts", Block]:
        """From the place of each cell's text among the texts, -1 where it is missing."""
        fitted = [_fit_axes(texts, seed, analyzer="char_wb", ngram_range=(3, 4))]
        if are_sentences(texts):
            words = {"min_df": 2, "sublinear_tf": True, "token_pattern": r"(?u)\b\w+\b"}
            fitted.append(_fit_axes(texts, seed, **words))
        encoder = cls(name, axes=tuple(pipeline for pipeline in fitted if pipeline is not None))
        axes = encoder._transform(texts)
        turns = choose_axes(axes)
        encoder = replace(encoder, turns=turns)
        return encoder.keeping(encoder.parts((codes, axes @ turns)))

    def read(self, values: Any) -> tuple[tuple[np.ndarray, np.ndarray], int]:
        """The number of each cell's text, -1 where it is missing, and the axes of each text."""
        codes, texts = encode_words(values)
        if not texts:
            return (codes, np.empty((0, self.turns.shape[1]))), 0
        return (codes, self._transform(texts) @ self.turns), 0

    def _transform(self, texts: Sequence[str]) -> np.ndarray:
        """Where texts stand along the axes; along one that is 0 throughout if there are none."""
        if not self.axes:
            return np.zeros((len(texts), 1))
        return np.hstack([pipeline.transform(texts) for pipeline in self.axes])

    def parts(self, cells: tuple[np.ndarray, np.ndarray]) -> Block:
        codes, axes = cells
        axes = np.vstack([axes, np.zeros(axes.shape[1])]).T  # code -1 is the row of zeros
        parts = {f"{self.name} {place}": axis[codes] for place, axis in enumerate(axes)}
        return parts | {f"{self.name} missing": codes < 0}


def are_sentences(texts: Sequence[str]) -> bool:
    """Whether texts are of three words or more on the mean."""
    return sum(text.count(" ") for text in texts) >= 2 * len(texts)


def choose_axes(axes: np.ndarray) -> np.ndarray:
    """Which axes are features, and which way round: by what texts are, never by rounding.

    Along each that is kept, the first text with the largest number, but for rounding, has a
    positive one. Where texts differ along none, one feature is 0 throughout.
    """
    size = np.abs(axes)
    kept = np.flatnonzero(np.ptp(axes, axis=0) > _ROUNDING * size.max())
    if not len(kept):
        return np.zeros((axes.shape[1], 1))
    first = (size[:, kept] >= _NEARLY * size[:, kept].max(axis=0)).argmax(axis=0)
    return np.eye(axes.shape[1])[:, kept] * np.sign(axes[first, kept])


def _fit_axes(texts: Sequence[str], seed: int, **counting: Any) -> Any:
    """A fitted pipeline from texts to the first axes of their tf-idf weights.

    None where what is counted tells no text from the others. In double precision: the order of rows
    is drawn from features, and must not hang on the last bit of a product.
    """
    # Here, as importing errata should not wait for them.
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline

    counted = TfidfVectorizer(**counting)
    try:
        weights = counted.fit_transform(texts)
    except ValueError:  # nothing is left to be counted
        return None
    n_axes = min(_DIMENSIONS, len(texts) - 1, weights.shape[1] - 1)
    differ = weights.max(axis=0).toarray() - weights.min(axis=0).toarray()
    if n_axes < 1 or differ.max() < _ROUNDING:
        return None
    return make_pipeline(counted, TruncatedSVD(n_axes, random_state=seed).fit(weights))
