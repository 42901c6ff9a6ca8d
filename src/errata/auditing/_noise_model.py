r"""From probabilities of labels to probabilities of classes: the noise model, with its doubts.

The evidence q, once put right, gives the probability of each *label*. A row's class is taken to
have the probability p = softmax(slope log q + offsets), and its label is drawn from row c of the
transition matrix T, so that P(label) = p T. Labels that keep being wrong however sure the evidence
is tell of noise; labels that are wrong only where it is unsure tell of classes that overlap. How
far the two can be told apart is read off the likelihood: it is computed for all noise rates worth
it and two patterns of noise (uniform; and the one the rows themselves suggest), and these
*readings* are kept with their weights. Where the data cannot tell, many readings weigh alike, and
the interval is wide.

One more reading is that of noise which hides where classes meet. The likelihood cannot tell it from
overlap, so it has a fixed weight.
"""

import numpy as np
from scipy.optimize import minimize
from scipy.special import softmax

from ._calibrate import calibrate
from ._patterns import anchor_pattern, expected_pattern, transition_of, uniform_pattern
from ._readings import NoiseReadings, Reading, shares_of

RATES = np.r_[0, 0.01, 0.02, 0.04, 0.06, 0.08, np.arange(10, 40, 2.5) / 100, 0.4, 0.45]
PATTERN_STEPS = 2  # times that the pattern of noise is read off the rows
TEMPER = 0.5  # rows share their evidence: each counts as half a row
OFFSETS_UP_TO = 50  # classes; with more, offsets are left at zero
SLOPE_PRIOR, OFFSET_PRIOR = 0.3, 0.5
LEAST_WEIGHT = 0.01  # of the best reading's: lighter ones are not kept
REACH = 2 - np.log(LEAST_WEIGHT)  # as far, and some more: the best may belong to the other pattern
PRIOR_SPREAD = 0.25  # a tenth to a quarter of wrong labels is nothing unusual, half of them is


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
    suggested, best = anchor_pattern(np.exp(logs), codes), len(rates) // 2
    for _ in range(PATTERN_STEPS):
        tried = profile(logs, codes, suggested, rates[1:], best, reach=1)  # no noise, no pattern
        best = max(tried, key=lambda place: tried[place].weight)
        suggested = expected_pattern(tried[best], logs, codes)
    found = [
        reading
        for pattern in (uniform_pattern(n_classes), suggested)
        for reading in profile(logs, codes, pattern, rates, best + 1, reach=REACH).values()
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

    ``weight`` is logarithmic. But for little it rises to one top and falls beyond, so that the way
    leads from the place ``start`` up and down until it is more than ``reach`` below the best seen.
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
