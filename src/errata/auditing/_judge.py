"""Judgement: from evidence to the probability that each label is wrong, and to flags."""

from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit

from ._noise_model import NoiseReadings, hidden_noise, read_noise
from ._pool import some_rows

BLOCK = 2**18  # probabilities worked on at once, such that they stay in the cache
UNEVEN = 0.08  # spread of the classes' noise rates from which plain surprise counts for little
LEAST_FLAGGED = 0.15  # a label that is wrong with less than this is not worth a look


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
    rows = some_rows(len(codes), logs.shape[1], random, at_most=5_000)
    readings = read_noise(np.ascontiguousarray(logs[rows].T, dtype=float), codes[rows])
    return judge_by(readings, logs, codes)


def judge_by(readings: NoiseReadings, logs: np.ndarray, codes: np.ndarray) -> Judgement:
    """Judge every label by readings of the noise, a block of rows at a time."""
    n, n_classes = logs.shape
    p_wrong, p_other, surprise = np.empty(n), np.empty(n), np.empty(n)
    other, prior, hidden_rate = np.empty(n, dtype=np.intp), np.zeros(n_classes), 0.0
    step = max(1, BLOCK // n_classes)
    for start in range(0, n, step):
        block = slice(start, start + step)
        here = np.ascontiguousarray(logs[block].T)
        own = (codes[block], np.arange(here.shape[1]))
        hidden = hidden_noise(here)
        given = readings.classes_given_labels(here, codes[block], hidden)
        prior += given.sum(axis=1, dtype=float)
        hidden_rate += float((1 - hidden[own]).sum(dtype=float)) / n
        p_wrong[block] = 1 - given[own]
        surprise[block] = -np.expm1(here[own])
        given[own] = -1
        other[block] = given.argmax(axis=0)
        p_other[block] = given.max(axis=0)
    p_wrong = p_wrong.clip(0, 1)
    uneven = float(np.diag(readings.transition).std())
    suspicion = between(p_wrong, surprise.clip(0, 1), uneven)
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
    ends = (1e-9, 1 - 1e-9)
    part = np.exp(-((uneven / UNEVEN) ** 2)) / 2
    return expit((1 - part) * logit(p_wrong.clip(*ends)) + part * logit(surprise.clip(*ends)))


def draw_flags(p_wrong: np.ndarray, suspicion: np.ndarray, precision: float | None = None) -> Flags:
    """Flag the most suspicious rows, as many as promise most.

    Without a precision, the list with the largest expected F1 score; with one, the longest list
    whose expected share of wrong labels reaches it.
    """
    order = np.argsort(-suspicion, kind="stable")
    found = np.cumsum(p_wrong[order])
    length = np.arange(1, len(order) + 1)
    if precision is None:
        score = 2 * found / (length + found[-1])
        worth = np.flatnonzero(p_wrong[order] >= LEAST_FLAGGED)
        count = min(int(score.argmax()) + 1, worth[-1] + 1 if len(worth) else 0)
        rule = "The list is as long as promises the largest F1 score."
    else:
        enough = np.flatnonzero(found / length >= precision)
        count = enough[-1] + 1 if len(enough) else 0
        rule = f"The list is as long as keeps {precision:.0%} of it expected to be wrong."
    flagged = np.zeros(len(order), dtype=bool)
    flagged[order[:count]] = True
    expected = float(p_wrong[flagged].mean()) if count else float("nan")
    recall = float(p_wrong[flagged].sum() / found[-1]) if found[-1] > 0 else float("nan")
    return Flags(flagged, expected, recall, rule)
