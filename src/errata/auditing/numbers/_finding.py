"""From targets to findings: rounds of models, rate, skill, and values that repeat.

A third round brings nothing and overestimates the rate.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import nnls
from scipy.special import expit, logit

from ..._format import join_names, number, percent
from ..._progress import Progress, count_models
from .._settings import LEAST_SKILL, MOST_WITHOUT_SKILL
from ..results._rates_by import NoiseRate
from ._models import (
    NOTHING_BROUGHT,
    BroughtPredictions,
    TargetData,
    TargetPredictor,
    robust_scale,
    row_weights,
)
from ._noise_model import (
    LocalScales,
    ScaleHypotheses,
    TargetPosterior,
    compute_posterior,
    fit_local_scales,
)
from ._settings import (
    CENTER_STEPS,
    CLEAR_KIND,
    FITTED_ROWS,
    HIDDEN,
    HUBER,
    HUBER_RIDGE,
    HUBER_STEPS,
    HUBER_TOLERANCE,
    INSIDE,
    LATER_CLIP,
    LEAST_LOG_GAIN,
    LEAST_ROW_WEIGHT,
    MOST_BELIEVED,
    MOST_TOLD,
    RATE_FACTOR,
    RATE_SLACK,
    SMALLEST_SCALE,
    TARGET_RATES,
)
from ._task import (
    GivenTargets,
    Membership,
    TargetTask,
    arrange,
    clip_far_targets,
    estimate_membership,
    find_atoms,
    make_task,
    may_be_logs,
)

NO_SKILL = "Nothing here predicts the target, so nobody can say which numbers are wrong."
NOT_UNDERSTOOD = "This audit does not understand the target, so it cannot say which are wrong."


class TargetFindings(NamedTuple):
    """What an audit of numeric targets finds; arrays have one value a row, in the order given.

    A row without a target has ``predicted``, ``low`` and ``high``; its ``p_wrong``, ``suspicion``
    and ``score`` are 0. Numbers are in the units of the target.
    """

    p_wrong: np.ndarray  # probability that the target is wrong
    suspicion: np.ndarray  # its log odds in the mean over hypotheses, which never saturate
    predicted: np.ndarray  # by the pool of models, none of which has learnt from the row
    low: np.ndarray  # between low and high lie nine tenths of right targets
    high: np.ndarray
    score: np.ndarray  # residual over the local scale, signed
    error_kind: np.ndarray  # "swap", "gross" or "unclear": what the target would be if wrong
    local_scale: np.ndarray  # how far right targets of such rows spread
    noise_rate: NoiseRate
    has_skill: bool  # whether the models predict better than the mean does, and are believed
    models: list[dict[str, Any]]  # name, weight in the pool, r2 on rows that are probably right
    tail: float  # degrees of freedom of Student's t that right residuals follow
    scale: float  # from 0, noise is even, upwards: how much noise varies between rows
    on_log_scale: bool  # whether residuals are differences of logarithms
    notes: list[str]

    def for_rows(self, rows: np.ndarray) -> "TargetFindings":
        """The same for some of the rows, or for all in another order."""
        told = self._asdict().items()
        return self._replace(**{n: v[rows] for n, v in told if isinstance(v, np.ndarray)})


def find_wrong_targets(
    X: np.ndarray | None,
    targets: np.ndarray,
    *,
    table: Any = None,
    groups: np.ndarray | None = None,
    brought: BroughtPredictions = NOTHING_BROUGHT,
    known: np.ndarray | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> TargetFindings:
    """Find wrong targets.

    Parameters
    ----------
    X : array of float of shape (n, d) or None
        Numeric features, each with mean 0 and standard deviation 1; None with predictions alone.
    targets : array of float of shape (n,)
        The targets; NaN where a row has none.
    table : table, optional
        What an ``estimator`` of the user learns from; ``X`` when not given.
    groups : array of int of shape (n,), optional
        The number of each row's group where rows must be left out together.
    brought : BroughtPredictions
        The models that the user brings.
    known : array of bool of shape (n,), optional
        Targets that are certain.
    seed : int, default=0
    n_jobs : int, optional
    progress : callable, optional
        It is told each stage in a few words.
    """
    given = GivenTargets(X, targets, table, groups, brought, known, seed, n_jobs)
    given, order = arrange(given)
    return find_wrong_among(given, progress).for_rows(np.argsort(order))


def find_wrong_among(given: GivenTargets, progress: Progress | None = None) -> TargetFindings:
    """Judge targets; where many rows share a value, that value on its own."""
    atoms = find_atoms(given.targets)
    if not len(atoms):
        return withdraw_promise(gather_findings(*judge_targets(given, progress)), given.targets)
    held = np.isin(given.targets, atoms)
    others = replace(given, targets=np.where(held, np.nan, given.targets))
    found = gather_findings(*judge_targets(others, progress))
    found = add_atoms(found, given.targets, given.known, estimate_membership(given, atoms))
    return withdraw_promise(found, given.targets)


def withdraw_promise(found: TargetFindings, targets: np.ndarray) -> TargetFindings:
    """Nothing is promised where more of the targets look wrong than an audit may believe."""
    looks_wrong = float(np.mean(found.p_wrong[np.isfinite(targets)] > 0.5))
    looks_wrong = max(looks_wrong, found.noise_rate.estimate)
    if not found.has_skill or looks_wrong <= MOST_BELIEVED:
        return found
    note = (
        f"{looks_wrong:.0%} of the targets are far from what is predicted for such rows. That more "
        "than a third are wrong is less likely than that the columns tell too little of them or "
        "that they follow a rule the models cannot learn, so nothing is flagged."
    )
    return found._replace(
        p_wrong=np.minimum(found.p_wrong, MOST_WITHOUT_SKILL),
        noise_rate=NoiseRate(MOST_WITHOUT_SKILL, 0.0, 1.0),
        has_skill=False,
        notes=[
            NOT_UNDERSTOOD,
            note,
            *(n for n in found.notes if n not in rate_notes(found.noise_rate)),
        ],
    )


class TargetRound(NamedTuple):
    """What one round found, on the scale of the targets."""

    predictions: np.ndarray  # (models, n + m)
    predicted: np.ndarray  # (n + m,), by all models together
    weights: np.ndarray  # (models,)
    scales: LocalScales
    residuals: np.ndarray
    posterior: TargetPosterior
    told: TargetPosterior  # the same, if right residuals are as skewed as most of them are


def gather_findings(task: TargetTask, first: TargetRound, last: TargetRound) -> TargetFindings:
    """What the last round found, in the units of the targets and the order of the rows.

    Errors on one side look like skew. They are ranked as if there were none, so that they come
    first, and how probable they are is told as if skew were right.
    """
    n = len(task.data)
    rows = last.posterior
    f = last.predicted
    skill = measure_skill(first.residuals, first.predicted, task.data.groups) >= LEAST_SKILL
    models = score_models(last, task.data.targets, task.models)
    rate = estimate_rate(last.told.hypotheses, max(model["r2"] for model in models))
    p_wrong = np.where(task.known, 0.0, last.told.p_wrong)
    if not skill:
        p_wrong = np.minimum(p_wrong, MOST_WITHOUT_SKILL)
        rate = NoiseRate(min(rate.estimate, MOST_WITHOUT_SKILL), 0.0, 1.0)
    of_tails = np.sum([found.of_tails for found in rows.hypotheses], axis=0)
    undo = task.scale.undo
    ordered = task.in_given_order
    return TargetFindings(
        p_wrong=ordered(p_wrong),
        suspicion=ordered(np.where(task.known, rows.suspicion.min(), rows.suspicion)),
        predicted=ordered(undo(f)),
        low=ordered(undo(f - rows.reach)),
        high=ordered(undo(f + rows.reach)),
        score=ordered(last.residuals / rows.spread[:n]),
        error_kind=ordered(error_kinds(rows.swap_share), "unclear"),
        local_scale=ordered((undo(f + rows.spread) - undo(f - rows.spread)) / 2),
        noise_rate=rate,
        has_skill=skill,
        models=models,
        tail=rows.hypotheses[0].noises[int(of_tails.argmax())].tail,
        scale=last.scales.power,
        on_log_scale=task.scale.logs,
        notes=[*([] if skill else [NO_SKILL]), *task.notes, *rate_notes(rate)],
    )


def error_kinds(swap_share: np.ndarray) -> np.ndarray:
    """Another row's value, a gross error, or unclear which of the two."""
    clear = [swap_share >= CLEAR_KIND, swap_share <= 1 - CLEAR_KIND]
    return np.select(clear, ["swap", "gross"], "unclear")


def first_round(
    models: Sequence[TargetPredictor],
    data: TargetData,
    known: np.ndarray,
    *,
    progress: Progress | None = None,
) -> TargetRound:
    """Learn from all targets alike, and judge them, both as clipped at the start."""
    clipped = clip_far_targets(data.targets)
    trusted = np.ones(len(data), dtype=bool)
    return _round(models, replace(data, targets=clipped), clipped, trusted, known, progress)


def next_round(
    models: Sequence[TargetPredictor],
    data: TargetData,
    known: np.ndarray,
    p_wrong: np.ndarray,
    predicted: np.ndarray,
    spread: np.ndarray,
    *,
    progress: Progress | None = None,
) -> TargetRound:
    """Learn less from targets that are probably wrong, and judge them as they are.

    ``p_wrong``, ``predicted`` and ``spread`` are what an earlier round found of the rows.
    """
    p_wrong = np.where(known, 0.0, p_wrong)
    weight = np.maximum(1 - p_wrong, LEAST_ROW_WEIGHT)
    reach = LATER_CLIP * spread
    clipped = np.clip(data.targets, predicted - reach, predicted + reach)
    as_they_are = (p_wrong < 0.5) & _predicted_far(data.targets, predicted)
    learnt = replace(data, targets=np.where(as_they_are, data.targets, clipped), weight=weight)
    return _round(models, learnt, data.targets, p_wrong < 0.5, known, progress)


def _predicted_far(targets: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Whether a row that was clipped at the start was predicted to be out there.

    That is how a rare regime, however far, shows after a round of clipped targets.
    """
    clipped = clip_far_targets(targets)
    return (clipped != targets) & (predicted * np.sign(clipped) > np.abs(clipped) / 2)


def _round(
    models: Sequence[TargetPredictor],
    data: TargetData,
    judged: np.ndarray,
    trusted: np.ndarray,
    known: np.ndarray,
    progress: Progress | None,
) -> TargetRound:
    """``judged`` are the targets that residuals are taken of, ``data`` has those to learn from."""
    told = []
    for model in count_models(models, progress):
        told.append(model.predict_unseen(data))
    predictions = np.stack(told)
    weight = row_weights(data)
    random = np.random.default_rng(data.random_state)
    predicted, weights = pool_predictions(
        predictions, data.targets, weight, random, data.smallest_scale
    )
    residuals = judged - predicted[: len(data)]
    if progress is not None:
        progress("computing the posterior")
    scales = fit_local_scales(data, predictions, predicted, residuals, weight)
    posterior = skewed = compute_posterior(residuals, judged, scales, trusted, ~known, random)
    if scales.skew:
        sided = scales.skewed(residuals)
        skewed = compute_posterior(residuals, judged, sided, trusted, ~known, random)
    return TargetRound(predictions, predicted, weights, scales, residuals, posterior, skewed)


def judge_targets(
    given: GivenTargets, progress: Progress | None
) -> tuple[TargetTask, TargetRound, TargetRound]:
    """Judge targets in two rounds, as they are or, where these are likelier, by their logarithms.

    On the wrong scale the long side of skewed targets looks wrong. Both are judged to the end
    before they are compared: errors that are all on one side look like skew until they are known.
    """
    judged = _run_rounds(make_task(given), progress)
    if not may_be_logs(given.targets[np.isfinite(given.targets)]):
        return judged
    by_logs = _run_rounds(make_task(given, logs=True), progress)
    gain = compute_evidence(by_logs, given.targets) - compute_evidence(judged, given.targets)
    return by_logs if gain > LEAST_LOG_GAIN * len(judged[0].data) else judged


def _run_rounds(
    task: TargetTask, progress: Progress | None
) -> tuple[TargetTask, TargetRound, TargetRound]:
    """The task, and what the first and the second round found."""
    n = len(task.data)
    first = first_round(task.models, task.data, task.known, progress=progress)
    rows = first.posterior
    start = (rows.p_if_any, first.predicted[:n], rows.spread[:n])
    last = next_round(task.models, task.data, task.known, *start, progress=progress)
    return task, first, last


def compute_evidence(
    judged: tuple[TargetTask, TargetRound, TargetRound], targets: np.ndarray
) -> float:
    """How likely positive targets are, right or wrong, in densities of their own units."""
    task, _, last = judged
    recorded = targets[task.order[: len(task.data)]]
    told = last.posterior.log_density + task.scale.log_slope(recorded)
    return float(np.sum(told[recorded > 0]))


def pool_predictions(
    predictions: np.ndarray,
    targets: np.ndarray,
    weight: np.ndarray,
    random: np.random.Generator,
    smallest_scale: float = SMALLEST_SCALE,
) -> tuple[np.ndarray, np.ndarray]:
    """Pool predictions of shape (models, n + m) into one a row, and the weights of the models.

    The first n rows have targets and weights. What is pooled are distances from the mean target.

    A median of rounded targets is one of them and often hits: by its own scale, nought, no other
    model would count.
    """
    center = float(np.average(targets, weights=weight))
    n = len(targets)
    rows = np.arange(n) if n <= FITTED_ROWS else random.choice(n, FITTED_ROWS, replace=False)
    scales = [robust_scale(told[rows] - targets[rows], weight[rows]) for told in predictions]
    delta = max(HUBER * min(scales), smallest_scale)
    weights = huber_weights(
        predictions[:, rows].T - center, targets[rows] - center, weight[rows], delta
    )
    return center + weights @ (predictions - center), weights


def huber_weights(
    F: np.ndarray, t: np.ndarray, w: np.ndarray, delta: float, ridge: float = HUBER_RIDGE
) -> np.ndarray:
    """Weights ``a >= 0`` with the smallest sum of w huber(t - F a), beside a small ridge.

    By reweighted least squares, which ends at the minimum itself: a search along gradients would
    stop wherever rounding lets it when one model is nearly perfect.
    """
    k = F.shape[1]
    small = np.sqrt(ridge * w.sum()) * delta * np.sqrt(2)
    a = np.full(k, 1 / k)
    for _ in range(HUBER_STEPS):
        size = np.abs(t - F @ a)
        root = np.sqrt(w * delta / np.maximum(size, delta))
        both = np.vstack([np.column_stack([F, t]) * root[:, None], np.eye(k, k + 1) * small])
        R: Any = np.linalg.qr(both, mode="r")
        before = a
        a = nnls(R[:, :k], R[:, k], maxiter=100 * k)[0]
        if np.abs(a - before).max() <= HUBER_TOLERANCE:
            break
    return a


def estimate_rate(hypotheses: Sequence[ScaleHypotheses], r2: float) -> NoiseRate:
    """The posterior mean, and an interval wider than the posterior's own.

    The tail of real residuals is no Student t, which the posterior does not know; and the less of
    the targets is explained (``r2``), the more errors may hide in what is not. A rate beyond a
    quarter may be none: so many targets that are far off may as well be right and spread unevenly.
    """
    estimate = float(np.mean([found.mean_rate for found in hypotheses]))
    low = min(_quantile(found, 0.05) for found in hypotheses)
    high = max(_quantile(found, 0.95) for found in hypotheses)
    return NoiseRate(
        estimate,
        0.0 if estimate > MOST_TOLD else max(0.0, low / RATE_FACTOR - RATE_SLACK),
        min(1.0, high * RATE_FACTOR + RATE_SLACK + HIDDEN * float(np.clip(1 - r2, 0, 1))),
    )


def rate_notes(rate: NoiseRate) -> list[str]:
    """What must be said of a rate that the noise model can hardly tell."""
    if rate.estimate <= MOST_TOLD:
        return []
    return [
        f"{rate.estimate:.0%} of the targets look wrong. So many errors look like right targets "
        "that spread unevenly or have long tails: part or all of them may be right and unusual."
    ]


def _quantile(found: ScaleHypotheses, level: float) -> float:
    """Of the posterior, which may hold that nothing is wrong."""
    weights = np.r_[1 - found.p_errors, found.p_errors * found.weights.sum(axis=0)]
    return float(np.r_[0.0, TARGET_RATES][np.searchsorted(np.cumsum(weights), level)])


def measure_skill(
    residuals: np.ndarray, predicted: np.ndarray, units: np.ndarray | None = None
) -> float:
    """Mean gain in Huber's loss over the best constant, in standard errors.

    It should be that of the first round: the second has left out what was predicted badly, and
    whatever is left looks predictable. Rows of one of the ``units`` share their fate: the standard
    error counts units, not rows.
    """
    targets = residuals + predicted[: len(residuals)]
    gain = _huber(targets - _best_constant(targets)) - _huber(residuals)
    units = np.arange(len(gain)) if units is None else units
    sums = np.bincount(units, weights=gain - gain.mean())
    error = float(np.sqrt(np.sum(sums**2)) / len(gain))
    return float(gain.mean() / error) if error > 1e-12 else 0.0


def _best_constant(targets: np.ndarray) -> float:
    """That with the smallest loss; a mean would lose against medians without any skill."""
    center = float(np.median(targets))
    for _ in range(CENTER_STEPS):
        center += float(np.clip(targets - center, -1, 1).mean())
    return center


def _huber(residuals: np.ndarray) -> np.ndarray:
    inside = np.clip(residuals, -1, 1)
    return inside * (residuals - inside / 2)


def score_models(
    found: TargetRound, targets: np.ndarray, models: list[TargetPredictor]
) -> list[dict[str, Any]]:
    """Name, weight and R² of each model, on rows in so far as they are right.

    Weights are fractions of their sum, which the pool leaves free.
    """
    right = 1 - found.posterior.p_if_any
    total = right @ (targets - np.average(targets, weights=right)) ** 2
    sum_of_weights = float(found.weights.sum()) or 1.0
    return [
        {
            "name": model.name,
            "weight": float(weight) / sum_of_weights,
            "r2": float(1 - right @ (targets - f[: len(targets)]) ** 2 / total),
        }
        for model, weight, f in zip(models, found.weights, found.predictions, strict=True)
    ]


def add_atoms(
    found: TargetFindings, targets: np.ndarray, known: np.ndarray | None, members: Membership
) -> TargetFindings:
    """Findings of all rows, from those of the rows that hold no atom.

    A wrong target holds an atom as often as any row does, a right one as often as rows like it do.
    The odds are multiplied by that ratio, for the other rows those by how far they are off.
    """
    held = members.kinds < len(members.atoms)
    recorded = np.isfinite(targets)
    known = np.zeros(len(targets), dtype=bool) if known is None else known
    rate = found.noise_rate.estimate
    ratio = members.log_ratio
    suspicion = np.where(held, logit(rate), found.suspicion) + ratio
    p_wrong = expit(logit(np.where(held, rate, found.p_wrong)) + ratio)
    p_wrong = np.where(recorded & ~known, p_wrong, 0.0)
    suspicion = np.where(known, suspicion[recorded].min(), suspicion)
    return found._replace(
        p_wrong=p_wrong if found.has_skill else np.minimum(p_wrong, MOST_WITHOUT_SKILL),
        suspicion=np.where(recorded, suspicion, 0.0),
        error_kind=np.where(held, "swap", found.error_kind),
        notes=[*found.notes, atoms_note(members)],
        **_expected(found, targets, members),
    )


def _expected(found: TargetFindings, targets: np.ndarray, members: Membership) -> dict[str, Any]:
    """What is predicted: an atom where that is likeliest; bounds hold all that is probable."""
    n = len(targets)
    atoms = members.atoms
    likeliest = members.p.argmax(axis=1)
    probable = members.p > 1 - INSIDE
    probable[np.arange(n), likeliest] = True
    values = np.broadcast_to(atoms, (n, len(atoms)))
    predicted = np.column_stack([values, found.predicted])[np.arange(n), likeliest]
    away = np.where(np.isfinite(targets), targets - predicted, 0.0) / found.local_scale
    as_before = (likeliest == len(atoms)) & (members.kinds == len(atoms))
    return {
        "predicted": predicted,
        "low": np.where(probable, np.column_stack([values, found.low]), np.inf).min(axis=1),
        "high": np.where(probable, np.column_stack([values, found.high]), -np.inf).max(axis=1),
        "score": np.where(as_before, found.score, away),
    }


def atoms_note(members: Membership) -> str:
    """Which values are judged on their own."""
    told = [
        f"{number(float(atom))} ({percent(float(share))} of the targets)"
        for atom, share in zip(members.atoms, members.share, strict=False)
    ]
    return (
        f"Many rows share {join_names(told)}: whether a row holds such a value is judged on its "
        "own, beside how far all others are off."
    )
