r"""Noise hypotheses fitted to the labels.

The calibrated out-of-fold probabilities q speak of *labels*. Under a hypothesis a row's class has
the probability p = softmax(slope log q + offsets), for class-to-class noise with q T⁻¹ in place of
q, and its label is drawn from row c of the transition matrix T, so that P(label) = p T. Labels that
keep being wrong however sure the models are tell of noise; labels that are wrong only where they
are unsure tell of classes that overlap. How far the two can be told apart shows in the likelihood,
which is computed for all noise rates worth it and two patterns of noise (uniform; and the one the
rows themselves suggest), and for noise that flows from class to class.
"""

import numpy as np
from scipy.optimize import minimize

from ..._kernels import kernels
from ..._kernels._judged_rows import unnormalised
from .._settings import (
    FIT_PASSES,
    FLOW_CLASSES,
    OFFSET_PRECISION,
    OFFSETS_UP_TO,
    PATTERN_STEPS,
    PRIOR_SPREAD,
    RATES,
    REACH,
    SLOPE_PRECISION,
    SUREST,
    TEMPER,
    WORTH_COMPILING,
)
from ._hypotheses import (
    CLASS_TO_CLASS,
    PATTERN,
    UNIFORM,
    Hypothesis,
    ambiguity,
    unmixed,
)
from ._patterns import (
    anchor_pattern,
    class_to_class,
    expected_pattern,
    transition_of,
    uniform_pattern,
)


def fit_hypotheses(logs: np.ndarray, codes: np.ndarray) -> list[Hypothesis]:
    """All noise hypotheses worth a weight, with the best slope and offsets of each.

    Parameters
    ----------
    logs : array of shape (K, n)
        Logarithms of the calibrated probabilities of labels; a few thousand rows are enough.
    codes : array of shape (n,)
        The labels.
    """
    rates = noise_rates(len(logs))
    suggested, best = _suggested_pattern(logs, codes, rates)
    uniform = fit_rates(logs, codes, UNIFORM, uniform_pattern(len(logs)), rates, best, reach=REACH)
    pattern = fit_rates(logs, codes, PATTERN, suggested, rates, best, reach=REACH)
    nothing = _fitted(logs, codes, UNIFORM, np.eye(len(logs)), 0.0)
    uniform.setdefault(0, nothing)
    pattern.setdefault(0, nothing._replace(kind=PATTERN))
    return [*uniform.values(), *pattern.values(), *_flows(logs, codes)]


def noise_rates(n_classes: int) -> np.ndarray:
    """The grid of noise rates; half of all labels of two classes cannot be wrong."""
    return RATES[:-1] if n_classes == 2 else RATES


def log_prior(rates: np.ndarray) -> np.ndarray:
    """Logarithm of the prior mass of noise rates on a grid, where noise is plausible."""
    return np.log(0.02 + rates) - (rates / PRIOR_SPREAD) ** 2 / 2 + np.log(np.gradient(rates))


def _suggested_pattern(
    logs: np.ndarray, codes: np.ndarray, rates: np.ndarray
) -> tuple[np.ndarray, int]:
    """The pattern of errors that the rows suggest, and the place of the best rate with it."""
    suggested, best = anchor_pattern(np.exp(logs), codes), len(rates) // 2
    for _ in range(PATTERN_STEPS):
        tried = fit_rates(logs, codes, PATTERN, suggested, rates[1:], best, reach=1)
        prior = log_prior(rates[1:])
        best = max(tried, key=lambda place: tried[place].log_likelihood + prior[place])
        suggested = expected_pattern(tried[best], logs, codes)
    return suggested, best + 1


def fit_rates(
    logs: np.ndarray,
    codes: np.ndarray,
    kind: str,
    pattern: np.ndarray,
    rates: np.ndarray,
    start: int,
    *,
    reach: float,
) -> dict[int, Hypothesis]:
    """Hypotheses with one pattern for noise rates, by their place among ``rates``.

    But for little the weight rises to one top and falls beyond, so rates are tried from the place
    ``start`` up and down until the weight is more than ``reach`` below the best seen.
    """
    prior = log_prior(rates)
    found = {start: _fitted(logs, codes, kind, transition_of(pattern, rates[start]), rates[start])}

    def weight(place: int) -> float:
        return found[place].log_likelihood + prior[place]

    for step in (1, -1):
        top, place = max(map(weight, found)), start
        while 0 <= place + step < len(rates) and weight(place) >= top - reach:
            near, place = found[place], place + step
            transition = transition_of(pattern, rates[place])
            found[place] = _fitted(logs, codes, kind, transition, rates[place], near)
            top = max(top, weight(place))
    return found


def _flows(logs: np.ndarray, codes: np.ndarray) -> list[Hypothesis]:
    """Class-to-class noise, estimated from fewer or more of the surest rows of each class."""
    if len(logs) > FLOW_CLASSES:
        return []
    q = np.exp(logs)
    return [_flow(logs, codes, *class_to_class(q, codes, fraction)) for fraction in SUREST]


def _flow(
    logs: np.ndarray, codes: np.ndarray, transition: np.ndarray, used: np.ndarray
) -> Hypothesis:
    """Class-to-class noise with a matrix that was estimated from ``used`` rows of each class."""
    inverse = np.linalg.inv(transition)
    fitted = _fitted(unmixed(logs, inverse), codes, CLASS_TO_CLASS, transition, 0.0)
    fitted = fitted._replace(inverse=inverse, grid_rate=fitted.rate)
    wrong = 1 - np.diag(transition)
    prior = fitted.classes(logs).mean(axis=1)
    return fitted._replace(variance=float(np.sum(prior**2 * wrong * (1 - wrong) / used)))


def _fitted(
    logs: np.ndarray,
    codes: np.ndarray,
    kind: str,
    transition: np.ndarray,
    grid_rate: float,
    near: Hypothesis | None = None,
) -> Hypothesis:
    """The hypothesis with this transition matrix, fitted starting from one with a rate nearby."""
    n_classes = len(logs)
    start = np.zeros(1 + n_classes) if near is None else np.r_[np.log(near.slope), near.offsets]
    likelihood, x = _fit(logs, codes, transition, start)
    classes = unnormalised(logs, np.exp(x[0]), x[1:])
    classes /= classes.sum(axis=0)
    return Hypothesis(
        kind=kind,
        rate=float(classes.mean(axis=1) @ (1 - np.diag(transition))),
        transition=transition,
        slope=float(np.exp(x[0])),
        offsets=x[1:],
        log_likelihood=TEMPER * likelihood,
        ambiguity=ambiguity(classes),
        variance=0.0,
        grid_rate=float(grid_rate),
    )


def _fit(
    logs: np.ndarray, codes: np.ndarray, transition: np.ndarray, start: np.ndarray
) -> tuple[float, np.ndarray]:
    """Maximise the likelihood of the labels over log slope and offsets; both returned."""
    to_label = transition[:, codes]
    free = len(logs) <= OFFSETS_UP_TO
    worth = FIT_PASSES * logs.size >= WORTH_COMPILING
    likely = kernels("label_likelihood", compiled=worth).label_likelihood
    precision = np.r_[SLOPE_PRECISION, np.full(len(logs), OFFSET_PRECISION)]

    def loss(x: np.ndarray) -> tuple[float, np.ndarray]:
        likelihood, by_slope, by_offsets = likely(logs, to_label, np.exp(x[0]), x[1:])
        slopes = np.r_[by_slope, free * by_offsets]
        return precision @ x**2 / 2 - likelihood, precision * x - slopes

    box = [(-2.0, 4.0)] + [(-8.0, 8.0) if free else (0.0, 0.0)] * len(logs)
    found = minimize(
        loss, start, jac=True, method="L-BFGS-B", bounds=box, options={"maxiter": 80, "ftol": 1e-6}
    )
    return -float(found.fun), found.x
