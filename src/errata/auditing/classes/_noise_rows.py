"""The rows that the noise is learnt from."""

import numpy as np

from .._pooling import some_rows
from .._settings import FEWEST_NOISE_ROWS, LEAST_DOUBTFUL, NOISE_ROWS, ROWS_OF_A_UNIT


def noise_rows(
    codes: np.ndarray,
    n_classes: int,
    random: np.random.Generator,
    units: np.ndarray | None,
    known: np.ndarray | None,
) -> np.ndarray:
    """Some of the rows; without those whose label is certain, as far as that is fair."""
    rows = np.arange(len(codes))
    if known is not None and doubtful_are_like_all(codes, known):
        rows = np.flatnonzero(~known)
    most = NOISE_ROWS if units is None else _rows_of_units(units)
    return rows[some_rows(len(rows), n_classes, random, at_most=most)]


def doubtful_are_like_all(codes: np.ndarray, known: np.ndarray) -> bool:
    """Whether the labels that are not certain hold every label about as often as all of them do.

    Otherwise they are no sample of the table: were all labels of a class certain, the others would
    seem to say that nothing is of that class, and no wrong label that belongs there were found.
    """
    every, doubtful = np.bincount(codes), np.bincount(codes[~known], minlength=codes.max() + 1)
    expected = every * np.mean(~known)
    return bool(np.all(doubtful >= LEAST_DOUBTFUL * expected) and doubtful.sum())


def set_aside(codes: np.ndarray, known: np.ndarray) -> float:
    """Fraction of the rows that nothing is learnt about the noise from, as they are certain."""
    return float(known.mean()) if doubtful_are_like_all(codes, known) else 0.0


def _rows_of_units(units: np.ndarray) -> int:
    return int(np.clip(ROWS_OF_A_UNIT * (units.max() + 1), FEWEST_NOISE_ROWS, NOISE_ROWS))
