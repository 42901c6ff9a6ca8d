"""Ours beside theirs: the difference, and whether chance explains it."""

from collections import defaultdict
from collections.abc import Iterable
from statistics import fmean, stdev
from typing import Any, NamedTuple

from ._experiment import Cell
from ._published import Published

Key = tuple[str, float | None, str, str]


class BesidePublished(NamedTuple):
    """One published number beside ours; None where a spread is unknown, or what follows from it."""

    dataset: str
    noise_level: float | None
    method: str
    metric: str
    ours: float
    ours_std: float | None
    repetitions: int
    published: float
    published_std: float | None
    difference: float
    standard_error: float | None
    within: bool | None


def beside_published(
    results: Iterable[dict[str, Any]], published: Published
) -> list[BesidePublished]:
    """Put the mean of our repetitions beside the published number, wherever both exist.

    ``within`` tells whether the difference is at most two standard errors: the error of our mean
    and of theirs. Where no spread was published, ours stands in for it. Where the table says by how
    much a printed number may be rounded, that much is added.

    Examples
    --------
    >>> from errata.bench._beside_published import beside_published
    >>> from errata.bench._published import Published
    >>> results = [
    ...     {"dataset": "pima", "noise_level": 0.0, "method": "Bagging", "repetition": i,
    ...      "accuracy_percent": accuracy}
    ...     for i, accuracy in enumerate([76.5, 77.1, 76.2])
    ... ]
    >>> row = beside_published(results, Published("walmsley_2017_accuracy", repetitions=10))[0]
    >>> row.published, round(row.ours, 2), round(row.difference, 2), row.within
    (76.93, 76.6, -0.33, True)
    """
    values = _by_cell(results)
    rows = []
    for row in published.rows():
        key = (row["dataset"], row.get("noise_level"), row["method"], row["metric"])
        if key in values:
            # What must have been meant, where the paper misprints a number.
            corrected = row.get("mean_corrected")
            theirs = row["mean"] if corrected is None else corrected
            spread, rounding = row.get("std"), row.get("rounding") or 0.0
            rows.append(_beside(key, values[key], theirs, spread, published.repetitions, rounding))
    return rows


def _by_cell(results: Iterable[dict[str, Any]]) -> dict[Key, list[float]]:
    values = defaultdict(list)
    for row in results:
        # Results keep the order of the columns of their file: the cell, then the metrics.
        for metric in list(row)[len(Cell._fields) :]:
            key = (row["dataset"], row["noise_level"], row["method"], metric)
            values[key].append(row[metric])
    return values


def _beside(
    key: Key,
    values: list[float],
    theirs: float,
    their_std: float | None,
    their_n: int,
    rounding: float,
) -> BesidePublished:
    ours, n = fmean(values), len(values)
    difference = ours - theirs
    our_std = stdev(values) if n > 1 else None
    error, within = None, None  # one repetition has no spread, and nothing is claimed
    if our_std is not None:
        spread = our_std if their_std is None else their_std
        error = (our_std**2 / n + spread**2 / their_n) ** 0.5
        within = abs(difference) <= 2 * error + rounding
    dataset, noise_level, method, metric = key
    return BesidePublished(
        dataset, noise_level, method, metric,
        ours, our_std, n, theirs, their_std, difference, error, within,
    )  # fmt: skip
