"""Noise hypotheses: ways in which labels may have become what they are, fitted to the labels.

The calibrated out-of-fold probabilities q speak of *labels*. Under a hypothesis a row's class has
the probability p = softmax(slope log q + offsets), for class-to-class noise with q T⁻¹ in place of
q, and its label is drawn from row c of the transition matrix T, so that P(label) = p T. Labels that
keep being wrong however sure the models are tell of noise; labels that are wrong only where they
are unsure tell of classes that overlap. How far the two can be told apart shows in the likelihood,
which is computed for all noise rates worth it and two patterns of noise (uniform; and the one the
rows themselves suggest), and for noise that flows from class to class.

A matrix that was estimated from the labels would fit the same labels too well. So the label of a
row is explained by the matrix that the other rows give: ``left_out`` is, for each class and row,
what is left of the probability of its label when the row itself is not counted.

Every hypothesis gives a row's class a probability before its label is looked at, and, but for
boundary noise, the probability of each label given the class. Arrays have the shape (K, n).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from types import ModuleType
from typing import NamedTuple

import numpy as np

from ..._kernels import kernels
from ..._kernels._probabilities import (
    compute_unnormalised,
    find_largest,
    places_of_labels,
    undo_noise,
)
from .._settings import WORTH_COMPILING

# The noise model. `python benchmarks/detection.py detect --rows 600 --seeds 1 --alone`
TEMPER = 0.5  # rows share their models: each counts as half a row
LEAST_UNMIXED = 0.05  # of the calibrated probability: what undoing noise leaves of it at least

# Sizes: how much is learnt from at most. `python benchmarks/speed.py tables given`,
# `python benchmarks/speed.py stored million trees`
FIT_PASSES = 30  # over its rows that a fit makes, at the least

# The noise model. `python benchmarks/detection.py detect --rows 600 --seeds 1 --alone`
RATES = np.r_[0, 0.01, 0.02, 0.04, 0.06, 0.08, np.arange(10, 40, 2.5) / 100, 0.4, 0.45]
PRIOR_SPREAD = 0.25  # a tenth to a quarter of wrong labels is nothing unusual, half of them is

# `python benchmarks/honesty.py networks`, `pairs`, `tables`
ENTROPY_LEFT = 0.6  # of the labels' entropy: what undoing noise saves below counts
EXCUSED_NATS = 0.5  # of likelihood that class-to-class noise may lack for a nat it saves
NATS_OF_A_ROW_SAVED = 40.0  # that a nat saved in every row adds to noise the surest rows show

# The noise model. `python benchmarks/detection.py detect --rows 600 --seeds 1 --alone`
MOST_CONDITION = 1e6  # of a transition matrix that is undone
PRECISIONS = np.array([0.3, 0.5])  # of the logarithm of a slope, of offsets
SLOPES_AND_OFFSETS = np.array([[-2.0, -8.0], [4.0, 8.0]])  # logarithms of slopes; least and most
OFFSETS_UP_TO = 50  # classes; with more, offsets are left at zero
PATTERN_STEPS = 2  # times that the pattern of noise is estimated from the rows
PATTERN_ROWS = 20.0  # that speak for uniform noise
PATTERN_FRACTION = 0.02  # of all rows, where these are more
ANCHORS = 0.1  # fraction of the rows of a class that are surely of it
FEWEST_ANCHORS = 5
SUREST = (0.1, 0.2, 0.4)  # fractions of the rows of a class that estimate class-to-class noise
FEWEST_SUREST = 10  # of them at least
KEPT_ROWS = 2.0  # rows that speak for the class itself
EQUALLY_SURE = 1e-9  # difference of probabilities that is rounding
CERTAIN = 0.999  # of the log-odds that models can have at most: from there on they are certain
FLOW_CLASSES = 100  # up to which class-to-class noise is looked for: it costs O(n K²)
MOST_OF_A_CLASS = 0.49  # a class is labelled right more often than not, so T has an inverse
LEAST_RATE = 0.002  # added to noise rates whose logarithms are taken
REACH = 9.6  # in log weight: hypotheses further below the best are not looked for

# Boundary noise and ranking. `python benchmarks/detection.py real`, `detection.py` as above
BOUNDARY_SLOPE = 3.0  # how much sharper classes are if labels near their border are wrong
BOUNDARY_SPREAD = 0.2  # of its noise rate: `honesty.py claims synthetic`, older seeds

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


def total_entropy(p: np.ndarray) -> float:
    """Entropy of probabilities (K, n) in nats, summed over rows."""
    return float(-np.sum(p * np.log(np.maximum(p, 1e-300))))


@dataclass(frozen=True)
class LabelEvidence:
    """Evidence of noise: calibrated probabilities of the labels, and the labels."""

    logs: np.ndarray  # (K, n)
    codes: np.ndarray  # (n,)

    @cached_property
    def fitted(self) -> np.ndarray:
        """The logarithms that hypotheses are fitted to, in single precision if compiled loops do.

        Rounding moves a likelihood by some 1e-4 nats of thousands there.
        """
        worth = FIT_PASSES * self.logs.size >= WORTH_COMPILING
        return self.logs.astype(np.float32) if worth else self.logs

    @cached_property
    def loops(self) -> ModuleType:
        """The functions that fit hypotheses, compiled or plain."""
        return kernels("label_fit", compiled=self.fitted.dtype == np.float32)

    @cached_property
    def q(self) -> np.ndarray:
        """Calibrated probabilities of the labels."""
        return np.exp(self.logs)

    @cached_property
    def entropy(self) -> float:
        """The entropy of the labels by these probabilities."""
        return total_entropy(self.q)

    @cached_property
    def _surest_first(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows by their most probable label, the surest first, with keys that rise so; its counts.

        The key of a row lies within one below twice the code of that label.
        """
        top, p_top = find_largest(self.q)
        keys = 2.0 * top - p_top
        order = np.argsort(keys)
        return order, keys[order], np.bincount(top, minlength=len(self.q))

    def surest(self, fraction: float) -> np.ndarray:
        """The most probable label of the rows that are the surest ``fraction`` of it, -1 of others.

        All rows that are as sure as the last of them are among them: their order says nothing.
        """
        order, keys, sizes = self._surest_first
        ends = np.cumsum(sizes)
        starts = ends - sizes
        enough = np.maximum(FEWEST_SUREST, (fraction * sizes).astype(int))
        last = starts + np.minimum(enough, sizes) - 1
        ends = np.searchsorted(keys, keys[last] + EQUALLY_SURE, side="right")
        are_sure = np.arange(len(order)) < ends.repeat(sizes)
        labels = np.arange(len(sizes)).repeat(sizes)
        found = np.full(len(order), -1)
        found[order[are_sure]] = labels[are_sure]
        return found

    def disagreement(self, fraction: float) -> float:
        """Part of the labels that differ from the class whose surest ``fraction`` of rows they are.

        Noise that does not depend on the columns shows at the surest rows as well; classes that
        overlap hardly differ there.
        """
        sizes = self._surest_first[2]
        surest = self.surest(fraction)
        of_all = np.bincount(1 + surest, minlength=1 + len(sizes))[1:]
        differ = np.bincount(1 + surest, surest != self.codes, minlength=1 + len(sizes))[1:]
        return float(sizes @ (differ / (of_all + KEPT_ROWS)) / len(surest))

    @cached_property
    def rate_at_the_surest(self) -> float:
        """Noise rate that the surest rows of each class show."""
        return self.disagreement(SUREST[0])

    @cached_property
    def flatness(self) -> float:
        """How far the surest rows disagree as often as all do: one if sureness tells nothing."""
        return min(1.0, self.rate_at_the_surest / max(self.disagreement(1.0), 1e-9)) ** 2

    def saturation(self, certain: float) -> float:
        """Part of the rows beyond the surest tenth whose log-odds are those of certainty.

        Models that take most rows for certain do not tell which of them they are right about.
        """
        first, second = np.partition(self.logs, -2, axis=0)[:-3:-1]
        share = np.mean(first - second >= CERTAIN * certain)
        return float(max(0.0, share - SUREST[0]) / (1 - SUREST[0]))

    def shown(self, hypothesis: "Hypothesis") -> float:
        """Part of the noise under a hypothesis that the surest rows show."""
        return min(1.0, self.rate_at_the_surest / max(hypothesis.rate, 1e-9))

    def saved_entropy(self, hypothesis: "Hypothesis") -> float:
        """Nats that undoing noise saves below ``ENTROPY_LEFT`` of the labels' entropy, if shown."""
        saved = ENTROPY_LEFT * self.entropy - hypothesis.entropy
        return self.flatness * self.shown(hypothesis) * max(0.0, saved)


class Hypothesis(NamedTuple):
    """A noise rate, its transition matrix, and how far classes overlap."""

    kind: str
    rate: float
    transition: np.ndarray
    slope: float
    offsets: np.ndarray
    log_likelihood: float = 0.0  # of the labels, tempered
    excused: float = 0.0  # of what the likelihood lacks, as classes become recognisable
    plausible: float = 0.0  # added for noise that the surest rows show, where they do
    entropy: float = 0.0  # of the classes, summed over rows
    ambiguity: float = 0.0  # of the classes
    variance: float = 0.0  # of the rate, besides that of counting rows
    grid_rate: float = 0.0  # the noise rate that was asked for
    inverse: np.ndarray | None = None  # of the transition matrix, where noise is to be undone
    among_labels: float | None = None  # fraction of these labels that are wrong, if looked at

    @property
    def score(self) -> float:
        """Log-likelihood of the labels, as far as it counts."""
        return self.log_likelihood + self.excused

    @property
    def expected(self) -> float:
        """The noise rate among these labels, or that of all that might have been drawn."""
        return self.rate if self.among_labels is None else self.among_labels

    def classes(self, logs: np.ndarray) -> np.ndarray:
        """Probabilities of the classes before the label is looked at, shape (K, n)."""
        proba = self._unnormalised(logs)
        proba /= proba.sum(axis=0)
        return proba

    def classes_given_labels(self, logs: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Probabilities of the classes once it is, shape (K, n).

        Under boundary noise the label of a row says nothing more: the models know as much.
        """
        joint = self._joint(logs, codes)
        joint /= joint.sum(axis=0)
        return joint

    def right_given_labels(self, logs: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Of these, that each label is right, shape (n,)."""
        joint = self._joint(logs, codes)
        return joint.take(places_of_labels(codes)) / joint.sum(axis=0)

    def _joint(self, logs: np.ndarray, codes: np.ndarray) -> np.ndarray:
        joint = self._unnormalised(logs)
        if self.kind != BOUNDARY:
            joint *= self.transition.astype(logs.dtype).take(codes, axis=1)
        return joint

    def _unnormalised(self, logs: np.ndarray) -> np.ndarray:
        if self.inverse is not None:
            logs = unmixed(logs, self.inverse)
        return compute_unnormalised(logs, self.slope, self.offsets)


def fit_hypotheses(evidence: LabelEvidence) -> list[Hypothesis]:
    """All noise hypotheses worth a weight, with the best slope and offsets of each.

    A few thousand rows are enough.
    """
    n_classes = len(evidence.logs)
    rates = noise_rates(n_classes)
    suggested, left_out, best, near = _suggested_pattern(evidence, rates)
    pattern = fit_rates(
        evidence, PATTERN, suggested, rates, best, reach=REACH, near=near, left_out=left_out
    )
    uniform = fit_rates(
        evidence, UNIFORM, uniform_pattern(n_classes), rates, best, reach=REACH, near=near
    )
    if 0 not in uniform:
        uniform[0] = _fitted(evidence, UNIFORM, np.eye(n_classes), 0.0)
    nothing = uniform[0]
    pattern.setdefault(0, nothing._replace(kind=PATTERN))
    flows = _fit_flows(evidence)
    return credit_recognised(evidence, [*uniform.values(), *pattern.values(), *flows])


def credit_recognised(
    evidence: LabelEvidence, hypotheses: Sequence[Hypothesis]
) -> list[Hypothesis]:
    """Hypotheses with what is added to their likelihood for making classes recognisable.

    Overlap and noise that flows from class to class give labels the same probabilities, so the
    likelihood cannot choose: a tiny misfit in every row would. Where undoing the noise leaves
    little entropy of the classes, and the surest rows show the noise, two things are added.
    Class-to-class noise is excused what its likelihood falls short of the others, up to a part of
    the entropy saved. And noise as frequent as the surest rows show is the more plausible the more
    is saved.
    """
    saved = [evidence.saved_entropy(h) for h in hypotheses]
    most_saved = max(saved) / len(evidence.codes)
    best = max(h.log_likelihood for h in hypotheses if h.kind != CLASS_TO_CLASS)
    credited = []
    for hypothesis, nats in zip(hypotheses, saved, strict=True):
        excused = 0.0
        if hypothesis.kind == CLASS_TO_CLASS:
            missing = max(0.0, best - hypothesis.log_likelihood)
            excused = min(missing, TEMPER * EXCUSED_NATS * nats)
        as_frequent = min(1.0, hypothesis.rate / max(evidence.rate_at_the_surest, 1e-9))
        plausible = NATS_OF_A_ROW_SAVED * most_saved * as_frequent
        credited.append(hypothesis._replace(excused=excused, plausible=plausible))
    return credited


def noise_rates(n_classes: int) -> np.ndarray:
    """The grid of noise rates; half of all labels of two classes cannot be wrong."""
    return RATES[:-1] if n_classes == 2 else RATES


def log_prior(rates: np.ndarray) -> np.ndarray:
    """Logarithm of the prior mass of noise rates on a grid, where noise is plausible."""
    return _log_prior(tuple(rates.tolist()))


@cache
def _log_prior(grid: tuple[float, ...]) -> np.ndarray:
    rates = np.array(grid)
    return np.log(0.02 + rates) - (rates / PRIOR_SPREAD) ** 2 / 2 + np.log(np.gradient(rates))


def _suggested_pattern(
    evidence: LabelEvidence, rates: np.ndarray
) -> tuple[np.ndarray, np.ndarray | None, int, Hypothesis]:
    """The pattern of errors that the rows suggest, the place of the best rate, and a fit there."""
    suggested = anchor_pattern(evidence.q, evidence.codes)
    best = int(np.abs(rates[1:] - evidence.rate_at_the_surest).argmin())
    left_out: np.ndarray | None = None
    near: Hypothesis | None = None
    prior = log_prior(rates[1:])
    for _ in range(PATTERN_STEPS):
        tried = fit_rates(
            evidence,
            PATTERN,
            suggested,
            rates[1:],
            best,
            reach=1,
            near=near,
            left_out=left_out,
            summed=False,
        )
        best = max(tried, key=lambda place: tried[place].score + prior[place])
        near = tried[best]
        suggested, left_out = expected_pattern(near, evidence.fitted, evidence.codes)
    return suggested, left_out, best + 1, tried[best]


def fit_rates(
    evidence: LabelEvidence,
    kind: str,
    pattern: np.ndarray,
    rates: np.ndarray,
    start: int,
    *,
    reach: float,
    near: Hypothesis | None = None,
    left_out: np.ndarray | None = None,
    summed: bool = True,
) -> dict[int, Hypothesis]:
    """Hypotheses with one pattern for noise rates, by their place among ``rates``.

    But for little the weight rises to one top and falls beyond, so rates are tried from the place
    ``start`` up and down until the weight is more than ``reach`` below the best seen. A fit starts
    where those before it lead, the first at the hypothesis ``near`` it, if there is one. What
    classes are like under each is only computed if it is to be ``summed`` up.
    """
    prior = log_prior(rates)
    transitions = transition_of(pattern, rates[:, None, None])

    def fit(place: int, near: Hypothesis | None) -> Hypothesis:
        return _fitted(
            evidence,
            kind,
            transitions[place],
            float(rates[place]),
            near,
            left_out=left_out,
            summed=summed,
        )

    found = {start: fit(start, near)}

    def weight(place: int) -> float:
        return found[place].score + prior[place]

    for step in (1, -1):
        top = max(map(weight, found))
        place = start
        while 0 <= place + step < len(rates) and weight(place) >= top - reach:
            last = [found[at] for at in (place, place - step, place - 2 * step) if at in found]
            place = place + step
            found[place] = fit(place, _extrapolate(last, float(rates[place])))
            top = max(top, weight(place))
    return found


def _extrapolate(last: Sequence[Hypothesis], rate: float) -> Hypothesis:
    """Slope and offsets where a polynomial through up to three hypotheses leads.

    It is one of the logarithm of the rate: the fewer labels are wrong, the more a rate changes.
    """
    to = math.log(LEAST_RATE + rate)
    at = [math.log(LEAST_RATE + h.grid_rate) for h in last]
    slope = 0.0
    offsets = np.zeros_like(last[0].offsets)
    for place, hypothesis in enumerate(last):
        others = at[:place] + at[place + 1 :]
        share = math.prod((to - other) / (at[place] - other) for other in others)
        slope += share * math.log(hypothesis.slope)
        offsets += share * hypothesis.offsets
    return last[0]._replace(slope=math.exp(slope), offsets=offsets)


def _fit_flows(evidence: LabelEvidence) -> list[Hypothesis]:
    """Class-to-class noise, from the surest rows of each class and from the confident joint."""
    if len(evidence.logs) > FLOW_CLASSES:
        return []
    found: list[Hypothesis] = []
    near = None
    for fraction in SUREST:
        counted = class_to_class(evidence, fraction)
        if _has_errors(counted[0]):
            near = _flow(evidence, *counted, near)
            found.append(near)
    transition, used, left_out = confident_joint(evidence.q, evidence.codes)
    if _has_errors(transition) and np.linalg.cond(transition) < MOST_CONDITION:
        near = _flow(evidence, transition, used, left_out, near)
        found.append(near)
    if _has_errors(transition):
        found.append(
            _fitted(evidence, CLASS_TO_CLASS, transition, None, near, used=used, left_out=left_out)
        )
    return found


def _has_errors(transition: np.ndarray) -> bool:
    """Whether any class flows into another: otherwise it is no noise, which is looked at anyway."""
    return bool(np.any(np.diag(transition) < 1))


def _flow(
    evidence: LabelEvidence,
    transition: np.ndarray,
    used: np.ndarray,
    left_out: np.ndarray,
    near: Hypothesis | None,
) -> Hypothesis:
    """Class-to-class noise with a matrix that was estimated from ``used`` rows of each class."""
    inverse = np.linalg.inv(transition)
    return _fitted(
        evidence, CLASS_TO_CLASS, transition, None, near, inverse, used=used, left_out=left_out
    )


def _fitted(
    evidence: LabelEvidence,
    kind: str,
    transition: np.ndarray,
    grid_rate: float | None,
    near: Hypothesis | None = None,
    inverse: np.ndarray | None = None,
    used: np.ndarray | None = None,
    left_out: np.ndarray | None = None,
    *,
    summed: bool = True,
) -> Hypothesis:
    """The hypothesis with this transition matrix, fitted starting from one with a rate nearby.

    The rate varies if the matrix was counted: from so many ``used`` rows of each class. Without
    being ``summed`` up it has the rate asked for, and tells nothing of the classes.
    """
    logs = evidence.fitted if inverse is None else unmixed(evidence.fitted, inverse)
    n_classes, n = logs.shape
    start = np.zeros(1 + n_classes)
    if near is not None:
        start[0] = np.log(near.slope)
        start[1:] = near.offsets
    to_label = transition.astype(logs.dtype).take(evidence.codes, axis=1)
    if left_out is not None:
        to_label *= left_out
    loss, x = evidence.loops.fit_labels(
        logs,
        to_label,
        start,
        precision=PRECISIONS.repeat([1, n_classes]),
        box=SLOPES_AND_OFFSETS.repeat([1, n_classes], axis=1),
        free=n_classes <= OFFSETS_UP_TO,
    )
    slope = float(np.exp(x[0]))
    hypothesis = Hypothesis(
        kind=kind,
        rate=0.0 if grid_rate is None else grid_rate,
        transition=transition,
        slope=slope,
        offsets=x[1:],
        log_likelihood=-TEMPER * float(loss),
        grid_rate=0.0 if grid_rate is None else grid_rate,
        inverse=inverse,
    )
    if not summed:
        return hypothesis
    sums, recognised, entropy = evidence.loops.summarise_classes(logs, slope, x[1:])
    wrong = 1 - np.diag(transition)
    rate = float(sums @ wrong) / n
    return hypothesis._replace(
        rate=rate,
        entropy=float(entropy),
        ambiguity=float(1 - np.mean(recognised / np.maximum(sums, 1e-12))),
        variance=0.0 if used is None else float((sums / n) ** 2 @ (wrong * (1 - wrong) / used)),
        grid_rate=rate if grid_rate is None else grid_rate,
    )


def unmixed(logs: np.ndarray, inverse: np.ndarray) -> np.ndarray:
    """Logarithms of q T⁻¹: probabilities of classes from those of labels, never quite zero.

    No slope can make (0.63, 0.37) and (0.98, 0.02) sharp at once; undoing the noise of each class
    does. Where classes overlap, q T⁻¹ falls below zero, is cut, and the labels become less likely.
    """
    return undo_noise(np.exp(logs), inverse, LEAST_UNMIXED)


def boundary_noise(logs: np.ndarray, codes: np.ndarray) -> Hypothesis:
    """Classes hardly overlap; labels are wrong where they meet."""
    n_classes, n = logs.shape
    nothing = Hypothesis(
        kind=BOUNDARY,
        rate=0.0,
        transition=np.eye(n_classes),
        slope=BOUNDARY_SLOPE,
        offsets=np.zeros(n_classes),
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


def transition_of(pattern: np.ndarray, rate: float | np.ndarray) -> np.ndarray:
    """The transition matrix with this pattern of errors at this rate, or one for each rate."""
    return _limited(rate * pattern)


def _limited(wrong: np.ndarray) -> np.ndarray:
    """Rows that sum to one, from what is wrong in each, at most half."""
    of_class = wrong.sum(axis=-1, keepdims=True)
    wrong = wrong * np.minimum(1, MOST_OF_A_CLASS / np.maximum(of_class, 1e-12))
    return wrong + np.eye(wrong.shape[-1]) * (1 - wrong.sum(axis=-1, keepdims=True))


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
        enough = min(len(codes), max(FEWEST_ANCHORS, int(ANCHORS * sizes[c])))
        likely = np.flatnonzero(q[c] >= np.partition(q[c], -enough)[-enough])
        surest = likely[np.argsort(-q[c, likely], kind="stable")[:enough]]
        wrong[c] = q[:, surest].mean(axis=1)
    wrong += 1e-4 / n_classes
    np.fill_diagonal(wrong, 0)
    return wrong / (sizes / len(codes) @ wrong.sum(axis=1))


def expected_pattern(
    hypothesis: Hypothesis, logs: np.ndarray, codes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The pattern of the expected errors under a hypothesis, drawn a little towards uniform.

    With it, for each class and row, the fraction that is left when the row itself is not counted.
    """
    n_classes = len(logs)
    classes = hypothesis.classes(logs)
    given = classes * hypothesis.transition.astype(logs.dtype).take(codes, axis=1)
    given /= given.sum(axis=0)
    counts = np.array([np.bincount(codes, weights=row, minlength=n_classes) for row in given])
    rate = 1 - np.trace(counts) / len(codes)
    uniform = max(PATTERN_ROWS, PATTERN_FRACTION * len(codes))
    wrong = counts + uniform * rate * uniform_pattern(n_classes)
    others = wrong.astype(given.dtype).take(codes, axis=1)
    left_out = others - given
    left_out /= np.maximum(others, 1e-12)
    left_out[codes, np.arange(len(codes))] = 1
    np.fill_diagonal(wrong, 0)
    wrong /= counts.sum(axis=1, keepdims=True) + uniform
    overall = classes.mean(axis=1) @ wrong.sum(axis=1)
    return wrong / max(overall, 1e-9), left_out


def class_to_class(
    evidence: LabelEvidence, fraction: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A transition matrix from labels of the surest rows of each class, and how many these were.

    They are the surest ``fraction`` of the rows whose most probable label is that class. Without
    noise they have no wrong labels, and the matrix is nearly the identity.
    """
    counts, used, left_out = _counted(evidence.surest(fraction), evidence.codes, len(evidence.logs))
    np.fill_diagonal(counts, 0)
    return _limited(counts), used, left_out


def _counted(
    classed: np.ndarray, codes: np.ndarray, n_classes: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Fractions of labels among rows of each class (-1 for none), how many rows, and what is left.

    The last is, for each class and row, the fraction that is left when the row is not counted.
    """
    rows = np.flatnonzero(classed >= 0)
    cells = classed[rows] * n_classes + codes[rows]
    counts = np.bincount(cells, minlength=n_classes**2).reshape(n_classes, n_classes)
    used = np.maximum(counts.sum(axis=1), 1)
    counts = counts + np.diag(np.full(n_classes, KEPT_ROWS))
    totals = counts.sum(axis=1)
    seen = counts[classed[rows], codes[rows]]
    of_class = totals[classed[rows]]
    left_out = np.ones((n_classes, len(codes)))
    again = np.maximum(seen - 1, 1 / n_classes) / (of_class - 1)
    left_out[classed[rows], rows] = again / (seen / of_class)
    return counts / totals[:, None], used, left_out


def confident_joint(q: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A transition matrix from confidently classed rows, and how many there are of each class.

    A row is of the most probable among the classes that are at least as probable as they are on
    the mean of the rows labelled so (Northcutt et al., 2021). More than half of a class may be
    labelled wrong.
    """
    n_classes, n = q.shape
    sizes = np.bincount(codes, minlength=n_classes)
    own = np.bincount(codes, weights=q[codes, np.arange(n)], minlength=n_classes)
    thresholds = own / np.maximum(sizes, 1)
    top, p_top = find_largest(np.where(q >= thresholds[:, None], q, 0.0))
    classed = np.where(p_top > 0, top, -1)
    return _counted(classed, codes, n_classes)
