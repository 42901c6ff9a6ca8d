"""Judgement: from evidence to the probability that each label is wrong, and to flags."""

from typing import NamedTuple

import numpy as np

from ._noise_model import read_noise
from ._pool import blocks, largest, some_rows
from ._readings import NoiseReadings, hidden_noise

UNEVEN = 0.08  # spread of the classes' noise rates from which plain surprise counts for little
LEAST_FLAGGED = 0.1  # a label that is wrong with less than this is not worth a look,
HARDLY_ANY, LEAST_OF_FEW = 0.02, 0.3  # nor with less than this where hardly any label is wrong


class Judgement(NamedTuple):
    """What is thought of every label."""

    p_wrong: np.ndarray  # (n,)
    suspicion: np.ndarray  # (n,), for ranking
    other: np.ndarray  # (n,), code of the most probable class besides the label
    p_other: np.ndarray  # (n,), its probability
    prior: np.ndarray  # (K,), expected shares of the classes
    readings: NoiseReadings
    low: float  # of the noise rate
    high: float

    @property
    def rate(self) -> float:
        """Expected share of wrong labels."""
        return float(self.p_wrong.mean())


class Flags(NamedTuple):
    """The list of suspects, and what may be expected of it."""

    flagged: np.ndarray
    expected_precision: float
    expected_recall: float
    rule: str


def judge(logs: np.ndarray, codes: np.ndarray, random: np.random.Generator) -> Judgement:
    """Read the noise from some of the rows, then judge all of them."""
    rows = some_rows(len(codes), len(logs), random, at_most=5_000)
    readings = read_noise(logs.take(rows, axis=1).astype(float), codes[rows])
    return judge_by(readings, logs, codes)


def judge_by(readings: NoiseReadings, logs: np.ndarray, codes: np.ndarray) -> Judgement:
    """Judge every label by readings of the noise, a block of rows at a time."""
    n_classes, n = logs.shape
    p_wrong, suspicion, p_other = np.empty(n), np.empty(n), np.empty(n, dtype=np.float32)
    other, prior, hidden_rate = np.empty(n, dtype=np.int16), np.zeros(n_classes), 0.0
    uneven = float(np.diag(readings.transition).std())
    for block in blocks(n, n_classes):
        here = readings.calibration.apply(logs[:, block])
        own = (codes[block], np.arange(here.shape[1]))
        hidden = hidden_noise(here)
        given = readings.classes_given_labels(here, codes[block], hidden)
        prior += given.sum(axis=1, dtype=float)
        hidden_rate += float((1 - hidden[own]).sum(dtype=float)) / n
        p_wrong[block] = np.maximum(1 - given[own], 0)
        suspicion[block] = between(p_wrong[block], -np.expm1(here[own].astype(float)), uneven)
        given[own] = -1
        other[block], p_other[block] = largest(given)
    low, high = readings.interval(hidden_rate)
    rate = p_wrong.mean()
    return Judgement(
        p_wrong=p_wrong,
        suspicion=suspicion,
        other=other,
        p_other=p_other,
        prior=prior / n,
        readings=readings,
        low=min(low, rate),
        high=max(high, rate),
    )


def between(p_wrong: np.ndarray, surprise: np.ndarray, uneven: float) -> np.ndarray:
    """A place between the log-odds of a wrong label and those of any other label.

    The first know the noise, but only as well as it could be read; the second know none. Together
    they rank better than either over many data sets and kinds of noise. It is the middle when all
    classes are wrong as often; the more they differ, the less plain surprise can tell.
    """
    part = np.exp(-((uneven / UNEVEN) ** 2)) / 2
    return 1 / (1 + np.exp(-(1 - part) * log_odds(p_wrong) - part * log_odds(surprise)))


def log_odds(p: np.ndarray) -> np.ndarray:
    """Logarithms of p / (1 - p), finite: this is faster than scipy's logit."""
    p = p.clip(1e-9, 1 - 1e-9)
    return np.log(p / (1 - p))


def draw_flags(p_wrong: np.ndarray, suspicion: np.ndarray, precision: float | None = None) -> Flags:
    """Flag the most suspicious rows, as many as promise most.

    Without a precision, the list with the largest expected F1 score; with one, the longest list
    whose expected share of wrong labels reaches it.
    """
    least = LEAST_FLAGGED if p_wrong.mean() >= HARDLY_ANY else LEAST_OF_FEW
    worth = p_wrong >= (least if precision is None else 0)
    listed = np.flatnonzero(suspicion >= suspicion[worth].min(initial=np.inf))
    order = listed[np.argsort(-suspicion[listed], kind="stable")]
    found = np.cumsum(p_wrong[order])
    length = np.arange(1, len(order) + 1)
    total = p_wrong.sum()
    if precision is None:
        score = 2 * found / (length + total)
        last = np.flatnonzero(worth[order])[-1:]  # others may be as suspicious as the last
        count = min(int(score.argmax()), last[0]) + 1 if len(last) else 0
        rule = "The list is as long as promises the largest F1 score."
    else:
        enough = np.flatnonzero(found / length >= precision)
        count = enough[-1] + 1 if len(enough) else 0
        rule = f"The list is as long as keeps {precision:.0%} of it expected to be wrong."
    flagged = np.zeros(len(p_wrong), dtype=bool)
    flagged[order[:count]] = True
    expected = float(p_wrong[flagged].mean()) if count else float("nan")
    recall = float(p_wrong[flagged].sum() / total) if total > 0 else float("nan")
    return Flags(flagged, expected, recall, rule)
