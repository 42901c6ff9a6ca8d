r"""From probabilities of labels to probabilities of classes: the noise model, with its doubts.

The evidence q gives the probability of each *label*. A row's class is taken to have the probability
p = softmax(slope log q + offsets), and its label is drawn from row c of the transition matrix T, so
that P(label) = p T. Labels that keep being wrong however sure the evidence is tell of noise; labels
that are wrong only where it is unsure tell of classes that overlap. How far the two can be told
apart is read off the likelihood: it is computed for many noise rates and two patterns of noise
(uniform; and the one the rows themselves suggest), and all these *readings* are kept with their
weights. Where the data cannot tell, many readings weigh alike, and the interval is wide.

One more reading is that of noise which hides where classes meet. The likelihood cannot tell it from
overlap, so it has a fixed weight.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import softmax

from ._calibrate import Calibration, calibrate

RATES = np.r_[0, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1:0.4:0.025, 0.4, 0.45]
MOST_OF_A_CLASS = 0.5  # a class is labelled right more often than not
ANCHORS = 0.1  # the share of a class's rows that is taken to be surely of it
EM_STEPS = 2  # times that the pattern of noise is read off the rows
EM_ROWS, EM_SHARE = 20.0, 0.02  # so many rows, or of all of them, speak for uniform noise
TEMPER = 0.5  # rows share their evidence: each counts as half a row
HIDDEN, HIDDEN_SHARPNESS = 0.15, 3.0  # weight of the reading of noise that hides, and its slope
MOST_OF_THE_WEIGHT = 0.9
SMALLEST_LOG = -80.0  # of a share of a class; single precision ends a little below
OFFSETS_UP_TO = 50  # classes; with more, offsets are left at zero
SLOPE_PRIOR, OFFSET_PRIOR = 0.3, 0.5
LEAST_WEIGHT = 0.01  # of the best reading's: lighter ones are not kept
REACH = 2 - np.log(LEAST_WEIGHT)  # how far below the best, in logarithms, readings are looked for
PRIOR_SPREAD = 0.25  # a tenth to a quarter of wrong labels is nothing unusual, half of them is


class Reading(NamedTuple):
    """One way to read the labels. Arrays of evidence are transposed, (K, n): that is faster."""

    weight: float
    rate: float
    transition: np.ndarray
    slope: float
    offsets: np.ndarray

    def classes(self, logs: np.ndarray) -> np.ndarray:
        """Probabilities of the classes before the label is looked at, shape (K, n)."""
        return shares_of(logs, self.slope, self.offsets)

    def classes_given_labels(self, logs: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Probabilities of the classes once it is, shape (K, n)."""
        joint = unnormalised(logs, self.slope, self.offsets)
        joint *= self.transition.astype(logs.dtype).take(codes, axis=1)
        joint /= joint.sum(axis=0)
        return joint


class NoiseReadings(NamedTuple):
    """All readings with a weight worth counting, the weightiest first.

    They are readings of evidence that was put right by ``calibration``.
    """

    readings: list[Reading]
    calibration: Calibration

    @property
    def transition(self) -> np.ndarray:
        """The mean transition matrix."""
        return np.einsum(
            "r,rcl->cl", [r.weight for r in self.readings], [r.transition for r in self.readings]
        )

    def classes_given_labels(
        self, logs: np.ndarray, codes: np.ndarray, hidden: np.ndarray
    ) -> np.ndarray:
        """Probabilities of the classes of labelled rows, over all readings, shape (K, n).

        ``hidden`` are those of :func:`hidden_noise`. The weightiest readings that make up nine
        tenths stand for all of them here: every one costs as much as the first.
        """
        weights = np.cumsum([r.weight for r in self.readings])
        heard = self.readings[: int(np.searchsorted(weights, MOST_OF_THE_WEIGHT)) + 1]
        total = sum(r.weight for r in heard)
        given = HIDDEN * hidden
        for reading in heard:
            part = reading.classes_given_labels(logs, codes)
            part *= (1 - HIDDEN) * reading.weight / total
            given += part
        return given

    def interval(self, hidden_rate: float, coverage: float = 0.9) -> tuple[float, float]:
        """Quantiles of the noise rate over the readings, that of hidden noise among them."""
        rates = np.array([*(r.rate for r in self.readings), hidden_rate])
        weights = np.array([*((1 - HIDDEN) * r.weight for r in self.readings), HIDDEN])
        order = np.argsort(rates)
        below = np.cumsum(weights[order])
        tail = (1 - coverage) / 2
        low, high = np.searchsorted(below, [tail, 1 - tail]).clip(max=len(order) - 1)
        return float(rates[order[low]]), float(rates[order[high]])


def shares_of(logs: np.ndarray, slope: float, offsets: Any = 0.0) -> np.ndarray:
    """Softmax of ``slope logs + offsets`` over the classes, shape (K, n), nowhere quite zero."""
    shares = unnormalised(logs, slope, offsets)
    shares /= shares.sum(axis=0)
    return shares


def unnormalised(logs: np.ndarray, slope: float, offsets: Any = 0.0) -> np.ndarray:
    """What the softmax is proportional to, one for the most probable class, nowhere quite zero.

    Were it zero, a label could be impossible under a reading, and what follows from it undefined.
    """
    scores = logs * logs.dtype.type(slope)
    if np.any(offsets):
        scores += np.asarray(offsets, dtype=logs.dtype)[:, None]
    scores -= scores.max(axis=0)
    np.maximum(scores, SMALLEST_LOG, out=scores)
    return np.exp(scores, out=scores)


def hidden_noise(logs: np.ndarray) -> np.ndarray:
    """Classes if they hardly overlap and noise hides where they meet, shape (K, n)."""
    return shares_of(logs, HIDDEN_SHARPNESS)


def read_noise(logs: np.ndarray, codes: np.ndarray) -> NoiseReadings:
    """Weigh noise rates and patterns by how likely they make the labels.

    Parameters
    ----------
    logs : array of shape (K, n)
        Logarithms of the pooled probabilities of labels; a few thousand rows are enough.
    codes : array of shape (n,)
        The labels.
    """
    calibration = calibrate(logs, codes)
    logs = calibration.apply(logs)
    n_classes = len(logs)
    rates = RATES[:-1] if n_classes == 2 else RATES
    pattern, best = anchor_pattern(np.exp(logs), codes), len(rates) // 2
    for _ in range(EM_STEPS):
        tried = profile(logs, codes, pattern, rates, best, reach=0)
        best = max(tried, key=lambda place: tried[place].weight)
        pattern = expected_pattern(tried[best], logs, codes)
    found = [
        reading
        for pattern in (uniform_pattern(n_classes), pattern)
        for reading in profile(logs, codes, pattern, rates, best, reach=REACH).values()
    ]
    weights = softmax([r.weight for r in found])
    order = np.argsort(-weights, kind="stable")
    kept = order[weights[order] > LEAST_WEIGHT * weights.max()]
    total = weights[kept].sum()
    weighed = [found[i]._replace(weight=weights[i] / total) for i in kept]
    return NoiseReadings(weighed, calibration)


def profile(
    logs: np.ndarray,
    codes: np.ndarray,
    pattern: np.ndarray,
    rates: np.ndarray,
    start: int,
    *,
    reach: float,
) -> dict[int, Reading]:
    """Readings with the best slope and offsets for noise rates, by their place among ``rates``.

    ``weight`` is logarithmic. It rises to one top and falls beyond, so that the way leads from
    ``start`` up and down the rates until it is more than ``reach`` below the best seen.
    """
    prior = np.log(0.02 + rates) - (rates / PRIOR_SPREAD) ** 2 / 2 + np.log(np.gradient(rates))
    nothing = Reading(0.0, 0.0, pattern, 1.0, np.zeros(len(logs)))
    found = {start: _fitted(logs, codes, pattern, rates[start], prior[start], nothing)}
    for step in (1, -1):
        top, place = max(r.weight for r in found.values()), start
        while 0 <= place + step < len(rates) and found[place].weight >= top - reach:
            near, place = found[place], place + step
            found[place] = _fitted(logs, codes, pattern, rates[place], prior[place], near)
            top = max(top, found[place].weight)
    return found


def _fitted(
    logs: np.ndarray,
    codes: np.ndarray,
    pattern: np.ndarray,
    rate: float,
    log_prior: float,
    near: Reading,
) -> Reading:
    """The reading of this rate, sought from one with a rate nearby."""
    transition = transition_of(pattern, rate)
    likelihood, x = _fit(logs, codes, transition, np.r_[np.log(near.slope), near.offsets])
    weight = TEMPER * likelihood + log_prior
    reading = Reading(weight, 0.0, transition, float(np.exp(x[0])), x[1:])
    wrong = reading.classes(logs).mean(axis=1) @ (1 - np.diag(transition))
    return reading._replace(rate=float(wrong))


def _fit(
    logs: np.ndarray, codes: np.ndarray, transition: np.ndarray, start: np.ndarray
) -> tuple[float, np.ndarray]:
    """Maximise the likelihood of the labels over log slope and offsets; both returned."""
    to_label = transition[:, codes]
    free = len(logs) <= OFFSETS_UP_TO
    precision = np.r_[SLOPE_PRIOR, np.full(len(logs), OFFSET_PRIOR)]

    def loss(x: np.ndarray) -> tuple[float, np.ndarray]:
        slope = np.exp(x[0])
        p = shares_of(logs, slope, x[1:])
        joint = p * to_label
        label = joint.sum(axis=0)
        pull = joint / label - p
        slopes = np.r_[slope * np.vdot(pull, logs), free * pull.sum(axis=1)]
        return precision @ x**2 / 2 - np.log(label).sum(), precision * x - slopes

    box = [(-2.0, 4.0)] + [(-8.0, 8.0) if free else (0.0, 0.0)] * len(logs)
    found = minimize(
        loss, start, jac=True, method="L-BFGS-B", bounds=box, options={"maxiter": 80, "ftol": 1e-6}
    )
    return -float(found.fun), found.x


def transition_of(pattern: np.ndarray, rate: float) -> np.ndarray:
    """The transition matrix with this pattern of errors at this rate."""
    wrong = rate * pattern
    wrong *= np.minimum(1, MOST_OF_A_CLASS / np.maximum(wrong.sum(axis=1), 1e-12))[:, None]
    return wrong + np.diag(1 - wrong.sum(axis=1))


def uniform_pattern(n_classes: int) -> np.ndarray:
    """Any class is as often wrong as any other, for any other."""
    pattern = np.full((n_classes, n_classes), 1 / (n_classes - 1))
    np.fill_diagonal(pattern, 0)
    return pattern


def anchor_pattern(q: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The pattern seen at the rows most surely of each class, scaled to a rate of one."""
    n_classes = len(q)
    sizes = np.bincount(codes, minlength=n_classes)
    wrong = np.empty((n_classes, n_classes))
    for c in range(n_classes):
        surest = np.argsort(-q[c], kind="stable")[: max(5, int(ANCHORS * sizes[c]))]
        wrong[c] = q[:, surest].mean(axis=1)
    wrong += 1e-4 / n_classes
    np.fill_diagonal(wrong, 0)
    return wrong / (sizes / len(codes) @ wrong.sum(axis=1))


def expected_pattern(reading: Reading, logs: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The pattern of the expected errors under a reading, drawn a little towards uniform."""
    n_classes = len(logs)
    given = reading.classes_given_labels(logs, codes)
    counts = np.array([np.bincount(codes, weights=row, minlength=n_classes) for row in given])
    rate = 1 - np.trace(counts) / len(codes)
    uniform = max(EM_ROWS, EM_SHARE * len(codes))
    wrong = counts + uniform * rate * uniform_pattern(n_classes)
    np.fill_diagonal(wrong, 0)
    wrong /= counts.sum(axis=1, keepdims=True) + uniform
    overall = reading.classes(logs).mean(axis=1) @ wrong.sum(axis=1)
    return wrong / max(overall, 1e-9)
