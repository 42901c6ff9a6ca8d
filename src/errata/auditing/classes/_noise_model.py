"""Noise hypotheses: ways in which labels may have become what they are, fitted to the labels.

The calibrated out-of-fold probabilities q speak of *labels*. Under a hypothesis a row's class has
the probability p = softmax(slope log q + offsets), for class-to-class noise with q T⁻¹ in place of
q, and its label is drawn from row c of the transition matrix T, so that P(label) = p T. Labels that
keep being wrong however sure the models are tell of noise; labels that are wrong only where they
are unsure tell of classes that overlap. How far the two can be told apart shows in the likelihood,
which is computed for all noise rates worth it and two patterns of noise (uniform; and the one the
rows themselves suggest), and for noise that flows from class to class.

Every hypothesis gives a row's class a probability before its label is looked at, and, but for
boundary noise, the probability of each label given the class. Arrays have the shape (K, n).
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from ..._kernels import kernels
from ..._kernels._probabilities import compute_unnormalised, find_largest, log_product
from .._settings import (
    ANCHORS,
    BOUNDARY_SLOPE,
    BOUNDARY_SPREAD,
    FEWEST_ANCHORS,
    FEWEST_SUREST,
    FIT_PASSES,
    FLOW_CLASSES,
    KEPT_ROWS,
    LEAST_UNMIXED,
    MOST_OF_A_CLASS,
    OFFSET_PRECISION,
    OFFSETS_UP_TO,
    PATTERN_FRACTION,
    PATTERN_ROWS,
    PATTERN_STEPS,
    PRIOR_SPREAD,
    RATES,
    REACH,
    SLOPE_PRECISION,
    SUREST,
    TEMPER,
    WORTH_COMPILING,
)

UNIFORM = "uniform"
PATTERN = "pattern"
CLASS_TO_CLASS = "class to class"
BOUNDARY = "boundary"


def ambiguity(p: np.ndarray) -> float:
    """One less the balanced fraction of class probability where that class is the most probable.

    A class that is never the most probable counts as fully ambiguous.
    """
    top, p_top = find_largest(p)
    recognised = np.bincount(top, weights=p_top, minlength=len(p))
    return float(1 - np.mean(recognised / np.maximum(p.sum(axis=1), 1e-12)))


class Hypothesis(NamedTuple):
    """A noise rate, its transition matrix, and how far classes overlap."""

    kind: str
    rate: float
    transition: np.ndarray
    slope: float
    offsets: np.ndarray
    log_likelihood: float  # of the labels, tempered
    ambiguity: float  # of the classes
    variance: float  # of the rate, besides that of counting rows
    grid_rate: float  # the noise rate that was asked for
    inverse: np.ndarray | None = None  # of the transition matrix, where noise is to be undone

    def classes(self, logs: np.ndarray) -> np.ndarray:
        """Probabilities of the classes before the label is looked at, shape (K, n)."""
        proba = self._unnormalised(logs)
        proba /= proba.sum(axis=0)
        return proba

    def classes_given_labels(self, logs: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Probabilities of the classes once it is, shape (K, n).

        Under boundary noise the label of a row says nothing more: the models know as much.
        """
        joint = self._unnormalised(logs)
        if self.kind != BOUNDARY:
            joint *= self.transition.astype(logs.dtype).take(codes, axis=1)
        joint /= joint.sum(axis=0)
        return joint

    def _unnormalised(self, logs: np.ndarray) -> np.ndarray:
        if self.inverse is not None:
            logs = unmixed(logs, self.inverse)
        return compute_unnormalised(logs, self.slope, self.offsets)


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
    suggested = anchor_pattern(np.exp(logs), codes)
    best = len(rates) // 2
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
        top = max(map(weight, found))
        place = start
        while 0 <= place + step < len(rates) and weight(place) >= top - reach:
            near = found[place]
            place = place + step
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
    classes = compute_unnormalised(logs, np.exp(x[0]), x[1:])
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
    likely = kernels("probabilities", compiled=worth).label_likelihood
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


def unmixed(logs: np.ndarray, inverse: np.ndarray) -> np.ndarray:
    """Logarithms of q T⁻¹: probabilities of classes from those of labels, never quite zero.

    No slope can make (0.63, 0.37) and (0.98, 0.02) sharp at once; undoing the noise of each class
    does. Where classes overlap, q T⁻¹ falls below zero, is cut, and the labels become less likely.
    """
    return log_product(logs, inverse, LEAST_UNMIXED)


def boundary_noise(logs: np.ndarray, codes: np.ndarray) -> Hypothesis:
    """Classes hardly overlap; labels are wrong where they meet."""
    n_classes, n = logs.shape
    nothing = Hypothesis(
        BOUNDARY, 0.0, np.eye(n_classes), BOUNDARY_SLOPE, np.zeros(n_classes), 0.0, 0.0, 0.0, 0.0
    )
    classes = nothing.classes(logs)
    joint = np.array([np.bincount(codes, weights=row, minlength=n_classes) for row in classes])
    rate = float(1 - np.trace(joint) / n)
    return nothing._replace(
        rate=rate,
        variance=(BOUNDARY_SPREAD * rate) ** 2,
        transition=joint / joint.sum(axis=1, keepdims=True),
        ambiguity=ambiguity(classes),
    )


def transition_of(pattern: np.ndarray, rate: float) -> np.ndarray:
    """The transition matrix with this pattern of errors at this rate."""
    return _limited(rate * pattern)


def _limited(wrong: np.ndarray) -> np.ndarray:
    """Rows that sum to one, from what is wrong in each, at most half."""
    wrong = wrong * np.minimum(1, MOST_OF_A_CLASS / np.maximum(wrong.sum(axis=1), 1e-12))[:, None]
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
        surest = np.argsort(-q[c], kind="stable")[: max(FEWEST_ANCHORS, int(ANCHORS * sizes[c]))]
        wrong[c] = q[:, surest].mean(axis=1)
    wrong += 1e-4 / n_classes
    np.fill_diagonal(wrong, 0)
    return wrong / (sizes / len(codes) @ wrong.sum(axis=1))


def expected_pattern(hypothesis: Hypothesis, logs: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The pattern of the expected errors under a hypothesis, drawn a little towards uniform."""
    n_classes = len(logs)
    given = hypothesis.classes_given_labels(logs, codes)
    counts = np.array([np.bincount(codes, weights=row, minlength=n_classes) for row in given])
    rate = 1 - np.trace(counts) / len(codes)
    uniform = max(PATTERN_ROWS, PATTERN_FRACTION * len(codes))
    wrong = counts + uniform * rate * uniform_pattern(n_classes)
    np.fill_diagonal(wrong, 0)
    wrong /= counts.sum(axis=1, keepdims=True) + uniform
    overall = hypothesis.classes(logs).mean(axis=1) @ wrong.sum(axis=1)
    return wrong / max(overall, 1e-9)


def class_to_class(
    q: np.ndarray, codes: np.ndarray, fraction: float
) -> tuple[np.ndarray, np.ndarray]:
    """A transition matrix from labels of the surest rows of each class, and how many these were.

    They are the surest ``fraction`` of the rows whose most probable label is that class. Without
    noise they have no wrong labels, and the matrix is nearly the identity.
    """
    n_classes = len(q)
    top = q.argmax(axis=0)
    counts = np.diag(np.full(n_classes, KEPT_ROWS))
    used = np.ones(n_classes)
    for c in range(n_classes):
        members = np.flatnonzero(top == c)
        enough = max(FEWEST_SUREST, int(fraction * len(members)))
        surest = members[np.argsort(-q[c, members], kind="stable")[:enough]]
        counts[c] += np.bincount(codes[surest], minlength=n_classes)
        used[c] = max(len(surest), 1)
    wrong = counts / counts.sum(axis=1, keepdims=True)
    np.fill_diagonal(wrong, 0)
    return _limited(wrong), used
