r"""Which cells are wrong: models of every label, noise that labels share, the self-check.

In the first pass models look at the columns alone. In the second they look at the other labels of
the row besides, as far as they are believed: at P(set | columns, label) of each, which knows
nothing of the label that is judged. A label that should go with others, and does not, shows then.

Each label by itself has a posterior over noise hypotheses, as the audit of two classes has. A few
hundred rows leave it broad, and where classes overlap its mean is above zero even if nothing is
wrong: over many labels these small errors add up. So the two error rates of a label, a = T[0, 1]
(set, although it should not be) and b = T[1, 0] (missing, although it should be set), are taken to
be drawn from distributions that all labels share:

.. math:: a_l \sim Beta(s m, s (1 - m)),\quad b_l \sim Beta(s' m', s' (1 - m'))

with means and strengths on a grid. For a single label the prior over its hypotheses is that of the
audit of classes: hypothesis h of label l weighs

.. math:: w_l(h) \sum_{m, s, m', s'} P(m, s, m', s' | labels)
    \frac{P(m, s | a_h) P(m', s' | b_h)}{P(m, s) P(m', s') Z_l(m, s, m', s')}

where Z makes the weights of a label sum to one; with one label all stays as it is. Labels are told
by the same columns of the same rows, and each asks the same question, noise or overlap: together L
of them count as much as sqrt(L) that had nothing in common. Boundary noise
looks the same as overlap in every label, so no number of labels tells them apart: it is in the
interval of the noise rate and not in the probabilities, as a row is near the border of some label
all too often.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import logsumexp
from scipy.stats import beta

from ..._kernels._probabilities import score_between
from ..._progress import Progress, count_models
from .._self_check import SelfCheck
from .._settings import COVERAGE
from ..classes import NoisePosterior, posterior_given_noise, posterior_of
from ..inputs._features import FeatureScaler
from ..models._base import OutOfFoldModel, TrainingData, certain_or_uniform
from ..models._default import Forest, GivenProbabilities, GradientBoosting, default_models
from ..models._pooling import Pool, pool_models
from ..results._rates_by import NoiseRate

# Several labels per row. `python benchmarks/multilabel.py`; the grid was set by hand
SHARED_RATES = np.geomspace(0.002, 0.4, 12)  # means of error rates that labels share
SHARED_STRENGTHS = np.array([10.0, 50.0, 250.0])  # rows' worth: how alike labels are
RATE_DRAWS = 4_000  # from the posterior, for the intervals of rates

Predictions = list[list[GivenProbabilities]]  # for each label, of each model

MEANS, STRENGTHS = (
    axis.ravel() for axis in np.meshgrid(SHARED_RATES, SHARED_STRENGTHS, indexing="ij")
)


Rates = dict[str, NoiseRate]  # of wrong cells; missing, of those to be set; wrongly set ones


def take_label(rows: TrainingData, label: int, X: np.ndarray | None = None) -> TrainingData:
    """Rows of several labels as two classes: with this label, and without it.

    ``X`` are other features.
    """
    codes = rows.codes[:, label].astype(np.intp)
    return replace(rows, codes=codes, X=rows.X if X is None else X)


class JudgedCells:
    """Every cell judged: the noise of each label is learnt, then that of all together.

    ``pools`` say what models tell of each label, ``equal`` numbers the groups of equal rows, which
    vote where they differ.

    Attributes
    ----------
    posteriors : list of Posterior
        Of each label.
    boundary : array of shape (L,)
        Wrong cells if labels near the borders are noisy.
    joint, given : array of shape (C, C), list of arrays of shape (H, C, C)
        Error rates are drawn from distributions that labels share, one each way: how probable each
        pair of them is, and under it the weights of the hypotheses of each label that can be
        judged.
    models : list of dict
        Name, weight and agreement on the mean over labels.
    """

    joint = np.empty((0, 0))
    given: Sequence[np.ndarray] = ()

    def __init__(
        self, pools: Sequence[Pool], Y: np.ndarray, seed: int, equal: np.ndarray | None = None
    ) -> None:
        codes = [column.astype(np.intp) for column in Y.T]
        self.posteriors = [
            posterior_of(pool.logs, own, np.random.default_rng(seed), equal)
            for pool, own in zip(pools, codes, strict=True)
        ]
        noises = [posterior.noise for posterior in self.posteriors]
        self.boundary = np.array(
            [noise.hypotheses[-1].rate if noise.boundary > 0 else 0.0 for noise in noises]
        )
        self.models = _mean_models(pools)
        judged = [label for label, own in enumerate(self.posteriors) if own.skill.enough]
        if judged:
            shared, self.joint, self.given = share_noise([noises[label] for label in judged])
            for label, noise in zip(judged, shared, strict=True):
                self.posteriors[label] = posterior_given_noise(
                    noise, pools[label].logs, codes[label], equal
                )

    @cached_property
    def judged(self) -> np.ndarray:
        """Which labels can be judged by the columns."""
        return np.array([posterior.skill.enough for posterior in self.posteriors])

    @cached_property
    def p_wrong(self) -> np.ndarray:
        """Of every cell, (n, L)."""
        return np.column_stack([posterior.p_wrong for posterior in self.posteriors])

    @cached_property
    def suspicion(self) -> np.ndarray:
        """For ranking, (n, L): between p_wrong and what it would be if there surely were noise."""
        ranked = np.column_stack([posterior.suspicion for posterior in self.posteriors])
        return np.where(self.judged, score_between(self.p_wrong, ranked, 0.5), 0.0)

    @property
    def transition(self) -> np.ndarray:
        """T[c, l] = P(label = l | class = c) of each label, (L, 2, 2); 1 is set."""
        return np.array([posterior.transition for posterior in self.posteriors])

    @property
    def overlap(self) -> float:
        """How ambiguous classes are, on the mean over labels that can be judged."""
        ambiguity = [p.noise.ambiguity for p in self.posteriors if p.skill.enough]
        return float(np.mean(ambiguity)) if ambiguity else 1.0

    def estimate_rates(self, Y: np.ndarray, seed: int) -> tuple[Rates, list[Rates]]:
        """The rates of all labels that can be judged, and of each label.

        Of a label that the columns do not tell, anything may be wrong, either way.
        """
        anything = {"missing": NoiseRate(0.0, 0.0, 1.0), "wrongly_set": NoiseRate(0.0, 0.0, 1.0)}
        wrong = [NoiseRate(p.rate, 0.0, 1 - p.skill.largest_frequency) for p in self.posteriors]
        label_rates: list[Rates] = [{"wrong": rate, **anything} for rate in wrong]
        labels = np.flatnonzero(self.judged)
        if not len(labels):
            return {"wrong": NoiseRate(*np.mean(wrong, axis=0).tolist()), **anything}, label_rates
        p_wrong = self.p_wrong
        draws = draw_rates(
            [self.posteriors[label].noise for label in labels],
            self.joint,
            self.given,
            Y[:, labels].mean(axis=0),
            len(Y),
            np.random.default_rng(seed),
        )
        for column, label in enumerate(labels):
            one = slice(label, label + 1)
            label_rates[label] = cell_rates(
                draws[:, :, [column]], p_wrong[:, one], Y[:, one], self.boundary[one]
            )
        rates = cell_rates(draws, p_wrong[:, labels], Y[:, labels], self.boundary[labels])
        return rates, label_rates


def find_wrong_cells(
    rows: TrainingData,
    user_models: Sequence[list[OutOfFoldModel]],
    *,
    beside: np.ndarray | None = None,
    equal: np.ndarray | None = None,
    progress: Progress,
) -> JudgedCells:
    """Judge every cell.

    Parameters
    ----------
    rows : TrainingData
        Features, and zeros and ones of every label as codes, (n, L); every label is set in two rows
        or more, and not set in two or more.
    user_models : sequence of lists of models
        For each label, the models that the user passes.
    beside : array of shape (n, L), optional
        What the user's model says, for the second pass.
    equal : array of int of shape (n,), optional
        For each row the number of its group of equal rows.
    progress : callable
        Called with a few words at every stage.
    """
    predictions = predict_from_columns(rows, user_models, progress)
    return judge_in_two_passes(rows, predictions, beside=beside, equal=equal, progress=progress)


def judge_in_two_passes(
    rows: TrainingData,
    predictions: Predictions,
    *,
    beside: np.ndarray | None = None,
    equal: np.ndarray | None = None,
    progress: Progress,
) -> JudgedCells:
    """Judge every cell by models that looked at the columns, then beside other labels."""
    Y = rows.codes
    seed = rows.random_state
    cells = JudgedCells(pool_labels(rows, predictions), Y, seed, equal)
    if Y.shape[1] == 1:
        return cells
    seen = rows.X if beside is None else np.column_stack([rows.X, beside])
    p_set = np.where(Y == 1, 1 - cells.p_wrong, cells.p_wrong)
    scaled = FeatureScaler(seed).fit_transform(p_set)
    slow = (Forest, GradientBoosting)
    quick = [model for model in default_models(len(Y), 2) if not isinstance(model, slow)]
    both = []
    for label, before in enumerate(predictions):
        progress(f"looking at label {label + 1} of {len(predictions)} beside the others")
        others = np.delete(scaled, label, axis=1)
        data = take_label(rows, label, np.column_stack([seen, others]))
        told = [
            GivenProbabilities(model.out_of_fold_proba(data), f"{model.name}, other labels")
            for model in quick
        ]
        both.append([*before, *told])
    return JudgedCells(pool_labels(rows, both), Y, seed, equal)


def pool_labels(rows: TrainingData, predictions: Predictions) -> list[Pool]:
    """Pooled probabilities of each label."""
    return [pool_models(take_label(rows, label), own) for label, own in enumerate(predictions)]


def predict_from_columns(
    rows: TrainingData, user_models: Sequence[list[OutOfFoldModel]], progress: Progress
) -> Predictions:
    """Out-of-fold probabilities of every label by the default models, and by the user's.

    ``user_models`` are those that the user passes for each label. Forests cost as much as one
    forest for one label, a few times that with many labels; but where groups are left out
    together, one is grown for each label.
    """
    models = default_models(len(rows.codes), 2) if rows.X.shape[1] else []
    predictions: Predictions = [[] for _ in user_models]
    for model in count_models(models, progress):
        for label, proba in enumerate(_predict_all_labels(model, rows)):
            predictions[label].append(GivenProbabilities(proba, model.name))
    for label, own in enumerate(user_models):
        data = take_label(rows, label)
        predictions[label] += [GivenProbabilities(m.out_of_fold_proba(data), m.name) for m in own]
    return predictions


def _predict_all_labels(model: OutOfFoldModel, rows: TrainingData) -> Sequence[np.ndarray]:
    """Of a forest, votes of one whose leaves tell of all labels, by trees grown without the row."""
    labels = range(rows.codes.shape[1])
    if not isinstance(model, Forest) or rows.groups is not None:
        return [model.out_of_fold_proba(take_label(rows, label)) for label in labels]
    votes = model.votes_outside(rows).reshape(*rows.codes.shape, 2)
    return [certain_or_uniform(votes[:, label]) for label in labels]


def _mean_models(pools: Sequence[Pool]) -> list[dict[str, Any]]:
    """Describe each model by the mean over labels."""
    of_labels = [pool.describe() for pool in pools]
    return [
        {
            "name": same[0]["name"],
            "weight": round(float(np.mean([model["weight"] for model in same])), 4),
            "agreement": round(float(np.mean([model["agreement"] for model in same])), 4),
        }
        for same in zip(*of_labels, strict=True)
    ]


def share_noise(
    noises: Sequence[NoisePosterior],
) -> tuple[list[NoisePosterior], np.ndarray, list[np.ndarray]]:
    """Weigh the hypotheses of every label by what all labels tell of the error rates.

    Returns the posteriors, how probable each pair of shared distributions is, and the weights of
    the hypotheses of each label under each pair; see :class:`JudgedCells`.

    Takes O(H C²) for each label with H hypotheses, and C points of the grid of each direction.
    """
    weights = [noise.weights[:-1] / noise.weights[:-1].sum() for noise in noises]  # no boundary
    joints = []
    for noise, weight in zip(noises, weights, strict=True):
        set_wrongly, missing = (believed(rates) for rates in rates_each_way(noise))
        joints.append(np.einsum("h,hc,hd->hcd", weight, set_wrongly, missing))
    logs = np.sum([np.log(joint.sum(axis=0)) for joint in joints], axis=0) / np.sqrt(len(joints))
    shared = np.exp(logs - logsumexp(logs))
    given = [joint / joint.sum(axis=0) for joint in joints]
    reweighed = []
    for noise, before, each in zip(noises, weights, given, strict=True):
        after = np.einsum("hcd,cd->h", each, shared)
        # Weights of the ranking change by the same factors.
        ranking = noise.ranking[:-1] * (after / np.maximum(before, np.finfo(float).tiny))
        boundary = noise.ranking[-1]
        ranking *= (1 - boundary) / max(ranking.sum(), np.finfo(float).tiny)
        new = noise._replace(weights=np.r_[after, 0.0], ranking=np.r_[ranking, boundary])
        reweighed.append(new)
    return reweighed, shared, given


def rates_each_way(noise: NoisePosterior) -> tuple[np.ndarray, np.ndarray]:
    """T[0, 1] and T[1, 0] of each hypothesis but boundary noise."""
    transitions = np.array([h.transition for h in noise.hypotheses[:-1]])
    return transitions[:, 0, 1], transitions[:, 1, 0]


def believed(rates: np.ndarray) -> np.ndarray:
    """P(m, s | rate) / P(m, s) of the points of the grid, for each of the rates: (H, C).

    A rate of zero counts as the smallest of the grid, where densities are still finite.
    """
    rates = np.clip(rates, SHARED_RATES[0], 0.5)[:, None]
    density = beta.logpdf(rates, MEANS * STRENGTHS, (1 - MEANS) * STRENGTHS)
    return np.exp(density - logsumexp(density, axis=1, keepdims=True)) * len(MEANS)


def draw_rates(
    noises: Sequence[NoisePosterior],
    joint: np.ndarray,
    given: Sequence[np.ndarray],
    ones: np.ndarray,
    n_rows: int,
    random: np.random.Generator,
) -> np.ndarray:
    """Draw a hypothesis for each label, all of them under one draw of what labels share.

    Returns fractions of rows, (3, draws, labels): wrongly set, missing, and expected to be set.
    ``ones`` are the fractions of rows that have each label. Counting rows spreads each draw.
    """
    points = random.choice(joint.size, size=RATE_DRAWS, p=joint.ravel())
    columns = []
    for noise, weights, fraction in zip(noises, given, ones, strict=True):
        below = np.cumsum(weights.reshape(len(weights), -1)[:, points], axis=0)
        chosen = (random.random(RATE_DRAWS) * below[-1] > below).sum(axis=0)
        set_wrongly, missing = (rates[chosen] for rates in rates_each_way(noise))
        to_be_set = np.clip((fraction - set_wrongly) / (1 - set_wrongly - missing), 0, 1)
        wrong = (1 - to_be_set) * set_wrongly, to_be_set * missing
        columns.append([*(_counted(part, n_rows, random) for part in wrong), to_be_set])
    return np.stack(columns, axis=-1)


def _counted(fraction: np.ndarray, n_rows: int, random: np.random.Generator) -> np.ndarray:
    return random.binomial(n_rows, np.clip(fraction, 0, 1)) / n_rows


def cell_rates(
    draws: np.ndarray, p_wrong: np.ndarray, Y: np.ndarray, boundary: np.ndarray
) -> Rates:
    """The rates of these labels: estimates that add up to ``p_wrong``, intervals from the draws.

    ``boundary`` are the fractions of wrong cells if labels near the borders are noisy, 0 where that
    is out of the question: the interval reaches as far.
    """
    is_set = Y == 1
    wrongly_set = float(p_wrong[is_set].sum())
    missing = float(p_wrong[~is_set].sum())
    to_be_set = is_set.sum() - wrongly_set + missing
    drawn_set, drawn_missing, drawn_to_be_set = draws
    return {
        "wrong": _interval(
            float(p_wrong.mean()),
            (drawn_set + drawn_missing).mean(axis=1),
            float(np.mean(boundary)),
        ),
        "missing": _interval(
            missing / max(to_be_set, 1e-9),
            drawn_missing.sum(axis=1) / np.maximum(drawn_to_be_set.sum(axis=1), 1e-9),
        ),
        "wrongly_set": _interval(
            wrongly_set / max(is_set.sum(), 1),
            drawn_set.sum(axis=1) / max(is_set.mean(axis=0).sum(), 1e-9),
        ),
    }


def _interval(estimate: float, draws: np.ndarray, reach: float = 0.0) -> NoiseRate:
    tail = (1 - COVERAGE) / 2
    low, high = np.quantile(draws, [tail, 1 - tail])
    high = min(1.0, max(high, estimate, reach))
    return NoiseRate(estimate, min(float(low), estimate), float(high))


class CellCheck(SelfCheck):
    """As :class:`SelfCheck`, of cells: ``top``, ``rank`` and the rest count labels of rows.

    ``suggested_right`` is the fraction of the injected errors that are more likely wrong than not.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        text = super().__repr__().replace("SelfCheck", "CellCheck")
        return text.replace("most suspicious rows", "most suspicious cells")

    def _sentence(self) -> str:
        """A sentence for the report."""
        text = (
            f"We planted {self.injected:,} errors, half of them labels taken away and half of them "
            f"labels added; {self.found:,} are among the {self.top:,} most suspicious labels of "
            f"rows. Knowing which labels are set and nothing else, {self.by_label:,} would be."
        )
        return text if self.lift else f"{text} Planted errors do not stand out."
