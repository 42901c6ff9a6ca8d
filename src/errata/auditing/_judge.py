"""Judgement: from evidence to the probability that each label is wrong, and to flags."""

from typing import NamedTuple

import numpy as np

from .._validation import check_fraction
from ._noise_model import NoiseReadings, hidden_noise, read_noise
from ._pool import some_rows

BLOCK = 2**20  # probabilities held at once
LEAST_FLAGGED = 0.25  # a label that is wrong with less than this is not worth a look


class Judgement(NamedTuple):
    """What is thought of every label."""

    p_wrong: np.ndarray  # (n,)
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
    rows = some_rows(len(codes), logs.shape[1], random)
    readings = read_noise(logs[rows].astype(float), codes[rows])
    return judge_by(readings, logs, codes)


def judge_by(readings: NoiseReadings, logs: np.ndarray, codes: np.ndarray) -> Judgement:
    """Judge every label by readings of the noise, a block of rows at a time."""
    n, n_classes = logs.shape
    p_wrong, p_other = np.empty(n), np.empty(n)
    other, prior, hidden = np.empty(n, dtype=np.intp), np.zeros(n_classes), 0.0
    step = max(1, BLOCK // n_classes)
    for start in range(0, n, step):
        block = slice(start, start + step)
        own = (np.arange(len(codes[block])), codes[block])
        given = readings.classes_given_labels(logs[block], codes[block])
        prior += given.sum(axis=0, dtype=float)
        p_wrong[block] = 1 - given[own]
        hidden += float((1 - hidden_noise(logs[block])[own]).sum())
        given[own] = -1
        other[block] = given.argmax(axis=1)
        p_other[block] = given[own[0], other[block]]
    p_wrong = p_wrong.clip(0, 1)
    low, high = readings.interval(hidden / n)
    rate = p_wrong.mean()
    return Judgement(p_wrong, other, p_other, prior / n, readings, min(low, rate), max(high, rate))


def draw_flags(p_wrong: np.ndarray, precision: float | None = None) -> Flags:
    """Flag the most suspicious rows, as many as promise most.

    Without a precision, the list with the largest expected F1 score; with one, the longest list
    whose expected share of wrong labels reaches it.
    """
    order = np.argsort(-p_wrong, kind="stable")
    found = np.cumsum(p_wrong[order])
    length = np.arange(1, len(order) + 1)
    if precision is None:
        score = 2 * found / (length + found[-1])
        worth = p_wrong[order] >= LEAST_FLAGGED
        count = min(int(score.argmax()) + 1, int(worth.sum()))
        rule = "The list is as long as promises the largest F1 score."
    else:
        check_fraction("precision", precision)
        count = int(np.sum(found / length >= precision))
        rule = f"The list is as long as keeps {precision:.0%} of it expected to be wrong."
    flagged = np.zeros(len(order), dtype=bool)
    flagged[order[:count]] = True
    expected = float(p_wrong[flagged].mean()) if count else float("nan")
    recall = float(p_wrong[flagged].sum() / found[-1]) if found[-1] > 0 else float("nan")
    return Flags(flagged, expected, recall, rule)
