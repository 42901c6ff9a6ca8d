"""One posterior over noise hypotheses, and the probability of every label to be wrong.

The likelihood of the labels weighs none, uniform, patterned and class-to-class noise. Two questions
it cannot answer, and what is taken for the answer is derived from the table itself:

- *Noise or overlap?* Calibrated models forecast the labels as well without any noise. Noise is
  believed in so far as it makes the classes recognisable: ``prior_none`` is the third power of the
  ambiguity of the classes under the best hypotheses over that of the labels; and as far as the
  surest rows of each class show it. Where equal rows have different labels, overlap was counted.
  Where classes stay ambiguous and the likelihood leaves it open, the interval begins at no noise.
- *Boundary noise or overlap?* Both look alike. Its weight ``boundary`` grows with what the others
  leave unexplained, with the fraction of contradicted labels that are surely contradicted, and of
  those that are contradicted both ways, and falls where even then classes stay unrecognisable, and
  where so few labels would be wrong that a good model errs as often.
"""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri, softmax

from ..._kernels import kernels
from ..._kernels._probabilities import (
    Findings,
    Hypotheses,
    find_largest,
    places_of_labels,
    set_wrong,
)
from .._settings import (
    COVERAGE,
    MOST_WITHOUT_SKILL,
    NOISE_ROWS,
    OVERLAP,
    WORTH_COMPILING_OF_MANY,
)
from ..inputs._duplicates import count_overlap, group_vote, measure_unexplained
from ..models._pooling import Calibration, Skill, calibrate, skill_of, some_rows
from ._noise_model import (
    BOUNDARY,
    CLASS_TO_CLASS,
    LEAST_UNMIXED,
    PATTERN,
    TEMPER,
    UNIFORM,
    Hypothesis,
    LabelEvidence,
    ambiguity,
    boundary_noise,
    fit_hypotheses,
    log_prior,
    noise_rates,
)

# Of each label, this much of its share among all rows must be left among those that are not known,
# for the noise to be learnt from these alone. Set by hand.
LEAST_DOUBTFUL = 0.5

# Numbers from which rows are judged by compiled loops: those save 13 ms of a million numbers, take
# 12 to load, and once on a machine 4 s to compile. `python benchmarks/speed.py given first`
WORTH_JUDGING = 2 * 10**6

# Sequences. `benchmarks/sequences.py audit` compared pools of models; sizes were set by hand.
ROWS_OF_A_UNIT = 2  # that the noise model is fitted to
FEWEST_NOISE_ROWS = 200  # of all units together

# The noise model. `python benchmarks/detection.py detect --rows 600 --seeds 1 --alone`
RARE_NOISE = 0.02  # mean of the prior where noise does not make classes recognisable
AMBIGUITY_POWER = 3.0  # how fast belief in noise falls when it does not

# `python benchmarks/honesty.py networks`, `pairs`, `tables`
SAVED_BY_A_VIEW = 0.5  # of a nat of likelihood, where it is decided whether to calibrate
HEAVY = 0.01  # weight of hypotheses that speak for others
SATURATED = 0.7  # weight of no noise where models take all for certain: `honesty.py single`
COUNTED_OVERLAP = 0.5  # weight of no noise, times the rows in groups of equals that differ
AGAINST_NONE = 10.0  # nats of likelihood from which ambiguous classes hardly speak for no noise

# The noise model. `python benchmarks/detection.py detect --rows 600 --seeds 1 --alone`
COMPARABLE = 0.2  # of the largest weight: hypotheses that speak for how ambiguous classes are
LEAST_WEIGHT = 1e-3  # of the largest: lighter hypotheses are not kept
MOST_OF_THE_WEIGHT = 0.98  # of the hypotheses that rows are scored by: each costs as much

# Boundary noise and ranking. `python benchmarks/detection.py real`, `detection.py` as above
BOUNDARY_IN_RANKING = 0.15  # its fixed weight in the ranking
FLOWS_RANK = 0.1  # weight of class-to-class noise from which its own view ranks: `honesty.py`
FLOWS_TELL = 0.3  # from which surprise tells nothing beyond: `python benchmarks/honesty.py pairs`

# `python benchmarks/honesty.py networks`, `tables`, `made`
BOUNDARY_UNLIKELY = 0.2  # weight up to which the interval need not reach as far as it would
BOUNDARY_USUAL = 0.1  # noise rate below which it is the less likely the rarer it is
SURELY = 0.65  # probability of another label from which one is contradicted
RATHER = 0.5

# Boundary noise and ranking. `python benchmarks/detection.py real`, `detection.py` as above
UNEVEN = 0.08  # spread of the classes' noise rates from which plain surprise counts for little

KIND_WEIGHT = 0.02  # of a kind of noise in the posterior from which it is listed

NONE = "none"  # what hypotheses without noise are called


class NoisePosterior(NamedTuple):
    """Noise hypotheses and their weights; boundary noise is the last of them.

    ``weights`` say what is believed, and give rate, interval and p_wrong. ``ranking`` weighs the
    same hypotheses for the order of rows alone: without doubts whether there is noise at all, which
    move every row alike but cost precision at the top.
    """

    hypotheses: list[Hypothesis]
    weights: np.ndarray
    ranking: np.ndarray
    calibration: Calibration
    ambiguity: float  # of the classes under the best hypotheses
    left_open: float = 0.0  # weight of no noise at the lower end of the interval, at least
    other_view: "NoisePosterior | None" = None  # with the calibration, or without

    def times(self, log_likelihoods: Sequence[float]) -> "NoisePosterior":
        """The posterior after more was learnt, such as verdicts of a person on some rows.

        Takes one log-likelihood for each hypothesis. The ranking stays as it was.
        """
        with np.errstate(divide="ignore"):
            weights = softmax(np.log(self.weights) + np.asarray(log_likelihoods))
        return self._replace(weights=weights)

    def with_overlap(self, least: float) -> "NoisePosterior":
        """The posterior that believes in no noise at least so far, whatever the likelihood says."""
        none = np.array([kind_of(h) == NONE for h in self.hypotheses])
        believed = float(self.weights[none].sum())
        if believed >= least:
            return self
        shares = (self.weights + 1e-12) * none
        weights = shares * least / shares.sum() + self.weights * ~none * (1 - least) / (
            1 - believed
        )
        return self._replace(weights=weights)

    @property
    def rate(self) -> float:
        """Expected fraction of wrong labels among the rows that the hypotheses were fitted to."""
        return float(self.weights @ [h.rate for h in self.hypotheses])

    @property
    def transition(self) -> np.ndarray:
        """The mean transition matrix."""
        return np.einsum("h,hcl->cl", self.weights, [h.transition for h in self.hypotheses])

    @property
    def boundary(self) -> float:
        """Weight of boundary noise."""
        return float(self.weights[-1])

    @property
    def unevenness(self) -> float:
        """Spread of the noise rates of the classes, in the eyes of the ranking."""
        spread = [np.diag(h.transition).std() for h in self.hypotheses[:-1]]
        return float(self.ranking[:-1] @ spread / self.ranking[:-1].sum())

    def classes_before_labels(self, logs: np.ndarray) -> np.ndarray:
        """Probabilities of the classes of rows that have no label, shape (K, n)."""
        logs = self.calibration.apply(logs)
        heavy, weights, _ = weightiest(self)
        classes = [self.hypotheses[place].classes(logs) for place in heavy]
        return np.sum([w * of for w, of in zip(weights, classes, strict=True)], axis=0)

    def interval(self, n_rows: int, coverage: float = COVERAGE) -> tuple[float, float]:
        """Quantiles of the noise rate: each hypothesis is spread by the counting of rows.

        A matrix that was learnt from few rows of each class knows their labels by heart, and finds
        more errors among them than the rate it stands for: the interval begins where either does,
        and at none where overlap may explain the labels as well. No data can choose between
        boundary noise and overlap, so unless boundary noise is unlikely the interval reaches as far
        as it would; and it holds what the other view says.
        """
        tail = (1 - coverage) / 2
        rates = np.array([h.expected for h in self.hypotheses])
        of_matrices = np.array([h.rate for h in self.hypotheses])
        cautious = self.with_overlap(self.left_open)
        low = min(cautious._quantiles(of, n_rows, [tail])[0] for of in (rates, of_matrices))
        high = self._quantiles(rates, n_rows, [1 - tail])[0]
        if self.boundary > BOUNDARY_UNLIKELY:
            spread = self._spread(rates, n_rows)
            high = max(high, min(1.0, rates[-1] + ndtri(1 - tail) * spread[-1]))
        if self.other_view is not None:
            other = self.other_view.interval(n_rows, coverage)
            low = min(low, other[0])
            high = max(high, other[1])
        return float(low), float(high)

    def _quantiles(self, rates: np.ndarray, n_rows: int, parts: Sequence[float]) -> np.ndarray:
        """Quantiles of the rate in the mixture of the hypotheses, each with its own."""
        grid = np.linspace(0, 1, 2001)
        spread = np.maximum(self._spread(rates, n_rows), 1e-6)

        def below(rate: float) -> float:
            return ndtr((rate - rates) / spread) @ self.weights

        places = [bisect_left(grid, part, hi=len(grid) - 1, key=below) for part in parts]
        return grid[places]

    def _spread(self, rates: np.ndarray, n_rows: int) -> np.ndarray:
        return np.sqrt(rates * (1 - rates) / n_rows + [h.variance for h in self.hypotheses])

    def by_kind(self, rates: np.ndarray) -> list[dict[str, Any]]:
        """Weight and noise rate of each kind of noise, the weightiest first.

        ``rates`` are those of the table under each hypothesis. They may differ from the rate that
        a hypothesis starts from: where all labels look right, none is wrong even if 1 % might be.
        """
        kinds: list[dict[str, Any]] = []
        for kind in (NONE, UNIFORM, PATTERN, CLASS_TO_CLASS, BOUNDARY):
            rows = [i for i, h in enumerate(self.hypotheses) if kind_of(h) == kind]
            weight = float(self.weights[rows].sum())
            if weight >= KIND_WEIGHT:
                rate = float(self.weights[rows] @ rates[rows]) / weight
                kinds.append({"kind": kind, "weight": round(weight, 4), "rate": round(rate, 4)})
        return sorted(kinds, key=lambda kind: -kind["weight"])


def kind_of(hypothesis: Hypothesis) -> str:
    """The name of a hypothesis: noise at a rate of zero is none."""
    found = hypothesis.kind != BOUNDARY and hypothesis.grid_rate == 0
    return NONE if found else hypothesis.kind


def noise_posterior(logs: np.ndarray, codes: np.ndarray, certain: float = np.inf) -> NoisePosterior:
    """Fit all hypotheses and weigh them, with calibrated probabilities and with those given.

    The calibration is fitted to the labels, and may explain noise away; without it, overlap may
    look like noise. The view that explains more is kept; the interval holds what both say. Where
    models take most rows for certain, labels that contradict them may show their own mistakes.

    Parameters
    ----------
    logs : array of shape (K, n)
        Logarithms of the pooled probabilities of labels; a few thousand rows are enough.
    codes : array of shape (n,)
        The labels.
    certain : float, optional
        Log-odds of a row that all models take for certain.
    """
    plain = LabelEvidence(logs, codes)
    without = _posterior_of_view(Calibration(), plain)
    own_mistakes = SATURATED * plain.saturation(certain) ** 0.5
    calibration = calibrate(logs, codes)
    if calibration.matrix is None:
        return without.with_overlap(own_mistakes)
    calibrated = LabelEvidence(calibration.apply(logs), codes)
    within = _posterior_of_view(calibration, calibrated)
    numbers = len(logs) * (len(logs) + 1) / 2
    explained = _explained(within, calibrated, plain.entropy) - numbers
    is_better = explained > _explained(without, plain, plain.entropy)
    within = within.with_overlap(own_mistakes)
    without = without.with_overlap(own_mistakes)
    if is_better:
        return within._replace(other_view=without)
    return without._replace(other_view=within)


def _explained(noise: NoisePosterior, evidence: LabelEvidence, entropy: float) -> float:
    """Log-likelihood of all rows in a view, and what its classes save of this entropy."""
    total = 0.0
    heavy = np.where(noise.weights[:-1] > HEAVY, noise.weights[:-1], 0.0)
    for hypothesis, weight in zip(noise.hypotheses[:-1], heavy / heavy.sum(), strict=True):
        shown = evidence.flatness * evidence.shown(hypothesis)
        saved = SAVED_BY_A_VIEW * shown * (entropy - hypothesis.entropy)
        total += weight * (hypothesis.log_likelihood / TEMPER + saved)
    return total


def _posterior_of_view(calibration: Calibration, evidence: LabelEvidence) -> NoisePosterior:
    """All hypotheses fitted to calibrated probabilities of the labels, and weighed."""
    n_classes = len(evidence.logs)
    before = ambiguity(evidence.q)
    found = fit_hypotheses(evidence)
    scores = np.array([h.score for h in found])
    believed = scores + [h.plausible for h in found]
    noisy = _weigh(found, believed, n_classes, prior_none=0.0)
    comparable = noisy >= COMPARABLE * noisy.max()
    after = min(h.ambiguity for h, near in zip(found, comparable, strict=True) if near)
    prior_none = min(1.0, (after / max(before, 1e-9)) ** AMBIGUITY_POWER) if before > 0 else 0.0
    weights = _weigh(found, believed, n_classes, prior_none=prior_none)
    ranking = _weigh(found, scores, n_classes, prior_none=0.0)
    boundary = boundary_noise(evidence.logs, evidence.codes)
    heavy = np.flatnonzero(weights > HEAVY)
    right = np.zeros(len(evidence.codes))
    for place in heavy:
        given = found[place].right_given_labels(evidence.fitted, evidence.codes)
        right += weights[place] / weights[heavy].sum() * given
        found[place] = found[place]._replace(among_labels=float(1 - given.mean()))
    explained = float(weights @ [h.rate for h in found])
    weight = _boundary_weight(boundary, evidence, explained, right)
    worth = _worth_keeping(weights, ranking)
    kept = np.flatnonzero(worth | (np.arange(len(found)) == _without_noise(found)))
    return NoisePosterior(
        hypotheses=[*(found[i] for i in kept), boundary],
        weights=_beside_boundary((weights * worth)[kept], weight),
        ranking=_beside_boundary((ranking * worth)[kept], BOUNDARY_IN_RANKING),
        calibration=calibration,
        ambiguity=after,
        left_open=max(0.0, after - OVERLAP) * _likely_without(found),
    )


def _likely_without(hypotheses: Sequence[Hypothesis]) -> float:
    """One if the labels are as likely without noise as with any; hardly above zero if far less."""
    best = max(h.log_likelihood for h in hypotheses)
    without = max(h.log_likelihood for h in hypotheses if kind_of(h) == NONE)
    return float(np.exp((without - best) / AGAINST_NONE))


def _weigh(
    hypotheses: Sequence[Hypothesis], scores: np.ndarray, n_classes: int, *, prior_none: float
) -> np.ndarray:
    """Posterior weights: what rows say for a hypothesis, and the prior of its noise rate.

    The prior of rates is a mixture: hardly any noise, or any rate that is nothing unusual. Matrices
    of class-to-class noise are ways to estimate one, and share its prior.
    """
    rates = noise_rates(n_classes)
    hardly = np.exp(-rates / RARE_NOISE) * np.gradient(rates)
    usual = softmax(log_prior(rates))
    mass = prior_none * hardly / hardly.sum() + (1 - prior_none) * usual
    prior = np.log(np.interp([h.grid_rate for h in hypotheses], rates, mass) + 1e-300)
    flows = np.array([h.kind == CLASS_TO_CLASS for h in hypotheses])
    prior[flows] -= np.log(max(flows.sum(), 1))
    return softmax(scores + prior)


def _boundary_weight(
    boundary: Hypothesis, evidence: LabelEvidence, rate: float, right: np.ndarray
) -> float:
    """Weight of boundary noise, from what is left unexplained, both ways, surely and sharply.

    A label is contradicted by another class that is more probable than not, as far as it is right
    under the other hypotheses, whose noise rate is given: what they explain speaks for them alone.
    Errors at a border go both ways; where labels of a rare class are contradicted, and hardly any
    for it, it is hard to see. And a good model errs on some rows of any table: few contradictions
    are rather its own mistakes.
    """
    unexplained = max(0.0, 1 - rate / max(boundary.rate, 1e-9))
    own = (evidence.codes, np.arange(len(evidence.codes)))
    others = evidence.q.copy()
    others[own] = 0
    other, contradicted = find_largest(others)
    surely = right[contradicted > SURELY].sum() + 1
    rather = right[contradicted > RATHER].sum() + 3
    n_classes = len(evidence.q)
    doubted = contradicted > RATHER
    away = np.bincount(evidence.codes[doubted], minlength=n_classes)
    towards = np.bincount(other[doubted], minlength=n_classes)
    both_ways = (np.minimum(away, towards).sum() + 1) / (away.sum() + 1)
    sharper = boundary.ambiguity / max(ambiguity(evidence.q), 1e-9)
    usual = min(1.0, boundary.rate / BOUNDARY_USUAL)
    return float(usual * unexplained * both_ways * surely / rather * max(0.0, 1 - sharper**2))


def _worth_keeping(weights: np.ndarray, ranking: np.ndarray) -> np.ndarray:
    """Whether each hypothesis weighs something for either purpose."""
    return (weights > LEAST_WEIGHT * weights.max()) | (ranking > LEAST_WEIGHT * ranking.max())


def _without_noise(hypotheses: Sequence[Hypothesis]) -> int:
    """Where no noise is among hypotheses: kept even if it weighs nothing, as verdicts may do so."""
    return next(i for i, h in enumerate(hypotheses) if kind_of(h) == NONE)


def _beside_boundary(weights: np.ndarray, boundary: float) -> np.ndarray:
    """Weights of the hypotheses that are kept, and that of boundary noise, which stays as it is."""
    return np.r_[weights * (1 - boundary) / weights.sum(), boundary]


class Posterior(NamedTuple):
    """Probabilities of every label, and rates of all of them together."""

    p_wrong: np.ndarray  # (n,)
    suspicion: np.ndarray  # (n,), for ranking
    other: np.ndarray  # (n,), code of the most probable class besides the label
    p_other: np.ndarray  # (n,), its probability
    p_elsewhere: np.ndarray  # (n,), p_wrong if labels near the borders of classes are not noisy
    joint: np.ndarray  # (K, K), expected fraction of rows of class c with label l
    noise: NoisePosterior
    rates: np.ndarray  # fraction of wrong labels of this table under each hypothesis
    skill: Skill
    rate: float  # expected fraction of wrong labels, the one that ``joint`` implies
    low: float  # of the noise rate
    high: float

    @property
    def prior(self) -> np.ndarray:
        """Expected fractions of the classes."""
        return self.joint.sum(axis=1)

    @property
    def transition(self) -> np.ndarray:
        """``T[c, l] = P(label = l | class = c)``, that of the expected errors."""
        prior = self.prior[:, None]
        return np.divide(self.joint, prior, out=np.eye(len(prior)), where=prior > 1e-12)

    def classes_of(self, logs: np.ndarray, codes: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Probabilities of the classes of some rows given all that is known, shape (K, rows).

        ``logs`` and ``codes`` are those of the whole table, as :func:`posterior_of` has seen them.
        """
        noise = self.noise
        codes = codes[rows]
        logs = noise.calibration.apply(logs.take(rows, axis=1))
        heavy, weights, _ = weightiest(noise)
        given = [noise.hypotheses[place].classes_given_labels(logs, codes) for place in heavy]
        classes = np.sum([w * of for w, of in zip(weights, given, strict=True)], axis=0)
        set_wrong(classes, places_of_labels(codes), self.p_wrong[rows])
        return classes

    def for_rows(self, rows: np.ndarray) -> "Posterior":
        """The same for some of the rows."""
        return self._replace(
            p_wrong=self.p_wrong[rows],
            suspicion=self.suspicion[rows],
            other=self.other[rows],
            p_other=self.p_other[rows],
            p_elsewhere=self.p_elsewhere[rows],
        )

    @property
    def rule(self) -> "RowRule":
        """How other rows are judged by the same knowledge."""
        return RowRule(self.noise, self.skill)


def posterior_of(
    logs: np.ndarray,
    codes: np.ndarray,
    random: np.random.Generator,
    equal: np.ndarray | None = None,
    units: np.ndarray | None = None,
    known: np.ndarray | None = None,
    certain: float = np.inf,
    *,
    judged: bool = True,
) -> Posterior:
    """Learn the noise from some of the rows, then compute the posterior of all of them.

    Parameters
    ----------
    logs : array of shape (K, n)
        Logarithms of the pooled probabilities of the labels.
    codes : array of shape (n,)
        The labels.
    random : Generator
        Draws the rows that the noise is learnt from, where there are many.
    equal : array of int of shape (n,), optional
        For each row the number of its group of equal rows.
    units : array of int of shape (n,), optional
        For each row the number of its unit, where rows are right or wrong together, as neighbours
        in time are. Evidence is counted by units: a thousand rows in ten units say no more than
        some ten rows do.
    known : array of bool of shape (n,), optional
        Labels that are certain. They are no draw from the noisy labels, so nothing is learnt about
        the noise from them, unless the others lack a label that is frequent among all; and they
        are right in all that is counted.
    certain : float, optional
        Log-odds of a row that all models take for certain. With units it is not looked at:
        neighbours make each other certain.
    judged : bool, default=True
        Whether to judge the rows; otherwise the posterior is one of no rows.
    """
    certain = certain if units is None else np.inf
    rows = noise_rows(codes, len(logs), random, units, known)
    noise = noise_posterior(logs.take(rows, axis=1).astype(float), codes[rows], certain)
    if equal is not None:
        q = np.exp(noise.calibration.apply(logs).astype(float))
        noise = noise.with_overlap(COUNTED_OVERLAP * count_overlap(equal, codes, q))
    if judged:
        return posterior_given_noise(noise, logs, codes, equal, units, known)
    skill = skill_of(logs, codes, units)
    nothing = RowRule(noise, skill).judge(logs[:, :0], codes[:0])
    return gathered_posterior(nothing, noise, skill, n_rows=len(codes), rate=noise.rate)


def posterior_given_noise(
    noise: NoisePosterior,
    logs: np.ndarray,
    codes: np.ndarray,
    equal: np.ndarray | None = None,
    units: np.ndarray | None = None,
    known: np.ndarray | None = None,
) -> Posterior:
    """The posterior of every label by what is known of the noise."""
    skill = skill_of(logs, codes, units)
    vote, vote_weight = _vote_of_equal_rows(noise, logs, codes, equal)
    rule = RowRule(noise, skill)
    rows = rule.judge(logs, codes, known, vote=vote, vote_weight=vote_weight)
    return gathered_posterior(
        rows,
        noise,
        skill,
        n_units=None if units is None else int(units.max()) + 1,
        certain=0.0 if known is None else set_aside(codes, known),
    )


def gathered_posterior(
    rows: Findings,
    noise: NoisePosterior,
    skill: Skill,
    *,
    n_rows: int | None = None,
    rate: float | None = None,
    n_units: int | None = None,
    certain: float = 0.0,
) -> Posterior:
    """The posterior of a table whose rows were judged block by block.

    Parameters
    ----------
    rows : Findings
        All rows; where they are too many to be held, sums over them alone.
    noise : NoisePosterior
        What is known of the noise.
    skill : Skill
        Only columns that tell something may narrow the interval of the noise rate.
    n_rows, rate : int and float, optional
        How many rows there are and which fraction is expected to be wrong, where only sums are
        given.
    n_units : int, optional
        Number of rows that count as evidence, where some are right or wrong together.
    certain : float, default=0.0
        Fraction of the rows whose label is certain, if the noise was learnt without them, see
        :func:`set_aside`: then it is the noise of the others.
    """
    n = len(rows.p_wrong) if n_rows is None else n_rows
    rate = float(rows.p_wrong.mean()) if rate is None else rate
    low = 0.0
    high = 1 - skill.largest_frequency
    if skill.enough:
        low, high = noise.interval(n if n_units is None else n_units)
    return Posterior(
        p_wrong=rows.p_wrong,
        suspicion=rows.suspicion,
        other=rows.other,
        p_other=rows.p_other,
        p_elsewhere=rows.p_elsewhere,
        joint=rows.joint / n,
        noise=noise,
        rates=np.where(rows.right > 0, 1 - rows.right / n, [h.rate for h in noise.hypotheses]),
        skill=skill,
        rate=rate,
        low=min((1 - certain) * low, rate),
        high=max((1 - certain) * high, rate),
    )


def _vote_of_equal_rows(
    noise: NoisePosterior, logs: np.ndarray, codes: np.ndarray, equal: np.ndarray | None
) -> tuple[np.ndarray | None, float]:
    """p_wrong by the vote of equal rows, NaN where their labels do not differ, and its weight.

    Part of the conflicts is overlap: labels of equal rows that models expect to differ. For the
    others the rows of a group vote.
    """
    if equal is None or equal.max() + 1 == len(equal):
        return None, 0.0
    several = np.flatnonzero(np.bincount(equal)[equal] > 1)
    groups = np.unique(equal[several], return_inverse=True)[1]
    q = np.exp(noise.calibration.apply(logs[:, several]).astype(float))
    p_wrong = np.full(len(codes), np.nan)
    p_wrong[several] = group_vote(groups, codes[several], q, noise.transition)
    return p_wrong, measure_unexplained(groups, codes[several], q)


class RowRule:
    """How rows are judged, whichever block they are in: all that is needed of what was learnt.

    Suspicion is a place between the log-odds of a wrong label and those of any other label. The
    first know the noise, but only as well as it could be learnt; the second know none. Together
    they rank better than either over many data sets and kinds of noise. It is the middle when all
    classes are wrong as often; the more they differ, the less plain surprise can tell, and where
    errors flow from class to class it tells nothing beyond. Calibrated probabilities rank better
    even where those given explain more, unless errors flow so: calibration has seen the labels, and
    explains such errors away.

    Attributes
    ----------
    calibration : Calibration
    places : array of int
        The weightiest among all hypotheses.
    hypotheses : Hypotheses
        These as arrays.
    n_hypotheses : int
        Those that are too light included.
    surprise : float
        The part of plain surprise in the suspicion.
    highest : float
        p_wrong that may be claimed.
    ranked_by : RowRule or None
        That of calibrated probabilities, whose suspicion is taken where these are not its own.
    """

    def __init__(self, noise: NoisePosterior, skill: Skill) -> None:
        self.places, weights, ranking = weightiest(noise)
        self.hypotheses = _stack([noise.hypotheses[i] for i in self.places], weights, ranking)
        self.calibration = noise.calibration
        self.n_hypotheses = len(noise.hypotheses)
        self.highest = 1.0 if skill.enough else MOST_WITHOUT_SKILL
        self.ranked_by: RowRule | None = None
        calibrated = noise.other_view
        flows = sum(
            weight
            for hypothesis, weight in zip(noise.hypotheses, noise.ranking, strict=True)
            if hypothesis.kind == CLASS_TO_CLASS
        )
        self.surprise = 0.0
        if flows < FLOWS_TELL:
            self.surprise = float(np.exp(-((noise.unevenness / UNEVEN) ** 2)) / 2)
        if noise.calibration.matrix is None and calibrated is not None and flows < FLOWS_RANK:
            self.ranked_by = RowRule(calibrated._replace(weights=calibrated.ranking), skill)

    def judge(
        self,
        logs: np.ndarray,
        codes: np.ndarray,
        known: np.ndarray | None = None,
        *,
        vote: np.ndarray | None = None,
        vote_weight: float = 0.0,
        of_many: bool = False,
    ) -> Findings:
        """Judge some rows, each by itself: where a table is cut into blocks changes nothing.

        Parameters
        ----------
        logs : array of shape (K, n)
            Logarithms of the pooled probabilities of the labels of these rows.
        codes : array of shape (n,)
            Their labels.
        known : array of bool of shape (n,), optional
            Labels that are certain.
        vote : array of shape (n,), optional
            p_wrong by the vote of equal rows, NaN where these do not differ.
        vote_weight : float, default=0.0
            Of the vote, against what models say.
        of_many : bool, default=False
            Whether other blocks of rows follow.
        """
        worth = logs.size >= (WORTH_COMPILING_OF_MANY if of_many else WORTH_JUDGING)
        judged = kernels("probabilities", compiled=worth).judge_rows(
            np.ascontiguousarray(logs),
            np.ascontiguousarray(codes, dtype=np.int64),
            self.calibration.map.astype(logs.dtype),
            self.hypotheses.astype(logs.dtype),
            highest=self.highest,
            surprise=self.surprise,
            vote=np.full(len(codes), np.nan) if vote is None else vote,
            vote_weight=vote_weight,
            known=np.zeros(len(codes), dtype=bool) if known is None else known,
        )
        right = np.zeros(self.n_hypotheses)
        right[self.places] = judged.right
        if self.ranked_by is not None:
            ranked = self.ranked_by.judge(
                logs, codes, known, vote=vote, vote_weight=vote_weight, of_many=of_many
            )
            judged = judged._replace(suspicion=ranked.suspicion)
        return judged._replace(right=right)


def _stack(found: Sequence[Hypothesis], weights: np.ndarray, ranking: np.ndarray) -> Hypotheses:
    """Hypotheses as arrays. Under boundary noise a label tells nothing more: models know it."""
    boundary = np.array([h.kind == BOUNDARY for h in found])
    undone = np.array([h.inverse is not None for h in found])
    k = len(found[0].offsets)
    return Hypotheses(
        slopes=np.array([h.slope for h in found]),
        offsets=np.array([h.offsets for h in found]),
        transitions=np.array(
            [np.ones((k, k)) if h.kind == BOUNDARY else h.transition for h in found]
        ),
        inverses=np.array([h.inverse for h in found if h.inverse is not None]).reshape(-1, k, k),
        inverse_of=np.where(undone, np.cumsum(undone) - 1, -1),
        weights=weights,
        ranking=ranking,
        elsewhere=weights * ~boundary / max(weights[~boundary].sum(), 1e-12),
        least_unmixed=LEAST_UNMIXED,
    )


def weightiest(noise: NoisePosterior) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Which hypotheses make up most of either weight, and both weights of these."""
    kept = _most(noise.weights) | _most(noise.ranking)
    weights = noise.weights * kept
    ranking = noise.ranking * kept
    return np.flatnonzero(kept), (weights / weights.sum())[kept], (ranking / ranking.sum())[kept]


def _most(weights: np.ndarray) -> np.ndarray:
    order = np.argsort(-weights, kind="stable")
    enough = int(np.searchsorted(np.cumsum(weights[order]), MOST_OF_THE_WEIGHT)) + 1
    heavy = np.zeros(len(weights), dtype=bool)
    heavy[order[:enough]] = True
    return heavy


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
    every = np.bincount(codes)
    doubtful = np.bincount(codes[~known], minlength=codes.max() + 1)
    expected = every * np.mean(~known)
    return bool(np.all(doubtful >= LEAST_DOUBTFUL * expected) and doubtful.sum())


def set_aside(codes: np.ndarray, known: np.ndarray) -> float:
    """Fraction of the rows that nothing is learnt about the noise from, as they are certain."""
    return float(known.mean()) if doubtful_are_like_all(codes, known) else 0.0


def _rows_of_units(units: np.ndarray) -> int:
    return int(np.clip(ROWS_OF_A_UNIT * (units.max() + 1), FEWEST_NOISE_ROWS, NOISE_ROWS))
