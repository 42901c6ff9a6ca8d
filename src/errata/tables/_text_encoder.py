"""A column of free text as features."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .._optional import require
from ._cells import unsorted_words
from ._encoders import Block, Kind

_DIMENSIONS = 30  # axes of pieces of words, and as many of whole words


class Embedded(NamedTuple):
    """The place of each cell's text, -1 where it is missing, and the axes of each text."""

    codes: np.ndarray
    axes: np.ndarray


@dataclass(frozen=True)
class Texts(Kind):
    """Texts that share words, or pieces of them, come near each other: tf-idf, and its first axes.

    Pieces of words forgive typing errors and endings; whole words, where texts are sentences, say
    more than their pieces. Every distinct text is encoded once, so a frequent one costs and counts
    no more than a rare one.
    """

    pieces: Any = None
    words: Any = None  # None where texts are no sentences, or repeat no word

    @classmethod
    def learn(
        cls, name: str, codes: np.ndarray, texts: Sequence[str], *, seed: int
    ) -> tuple["Texts", Block]:
        """From the place of each cell's text among the texts, -1 where it is missing."""
        pieces, axes = _piece_axes(texts, seed)
        words = _word_axes(texts, seed) if are_sentences(texts) else None
        encoder = cls(name, pieces=pieces, words=words)
        if words is not None:
            axes = np.hstack([axes, words.transform(texts)])
        return encoder.keeping(encoder.parts(Embedded(codes, axes)))

    def read(self, values: Any) -> tuple[Embedded, int]:
        codes, texts = unsorted_words(values)
        return Embedded(codes, self._axes(texts)), 0

    def _axes(self, texts: Sequence[str]) -> np.ndarray:
        n_words = 0 if self.words is None else self.words[-1].n_components
        if not texts:
            return np.empty((0, self.pieces.n_components_ + n_words))
        axes = self.pieces.transform(_series(texts)).to_numpy(dtype=float)
        return axes if self.words is None else np.hstack([axes, self.words.transform(texts)])

    def parts(self, cells: Embedded) -> Block:
        codes, axes = cells
        axes = np.vstack([axes, np.zeros(axes.shape[1])]).T  # code -1 is the row of zeros
        parts = {f"{self.name} {place}": axis[codes] for place, axis in enumerate(axes)}
        return parts | {f"{self.name} missing": codes < 0}


def are_sentences(texts: Sequence[str]) -> bool:
    """Whether texts are of three words or more on the mean."""
    return sum(text.count(" ") for text in texts) >= 2 * len(texts)


def _piece_axes(texts: Sequence[str], seed: int) -> tuple[Any, np.ndarray]:
    fitted = require("skrub", extra="tables").StringEncoder(
        n_components=min(_DIMENSIONS, len(texts) - 1), random_state=seed
    )
    with warnings.catch_warnings():
        # It warns when there are fewer pieces than axes, and then keeps all of them: fine.
        warnings.simplefilter("ignore")
        return fitted, fitted.fit_transform(_series(texts)).to_numpy(dtype=float)


def _word_axes(texts: Sequence[str], seed: int) -> Any:
    """A fitted pipeline that gives the axes of words; None where hardly a word occurs twice."""
    # Here, as importing errata should not wait for them.
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline

    counted = TfidfVectorizer(min_df=2, sublinear_tf=True, token_pattern=r"(?u)\b\w+\b")
    try:
        weights = counted.fit_transform(texts)
    except ValueError:  # no word is left
        return None
    n_axes = min(_DIMENSIONS, len(texts) - 1, weights.shape[1] - 1)
    if n_axes < 1:
        return None
    with np.errstate(invalid="ignore"):  # of texts that have all their words in common
        axes = TruncatedSVD(n_axes, random_state=seed).fit(weights)
    return make_pipeline(counted, axes)


def _series(words: Sequence[str]) -> Any:
    return require("pandas", extra="tables").Series(words, name="text")
