"""From targets to findings: rounds of models, rate, skill, values that repeat; the self-check.

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
from .._self_check import count_found, count_hits, count_to_inject, inject_errors, measure_lift
from .._settings import CHECK_SAMPLE, CHECKED_ROWS, CLEAN_THRESHOLD, LEAST_SKILL, MOST_WITHOUT_SKILL
from ..results._rates_by import NoiseRate
from ._models import (
    SMALLEST_SCALE,
    Predict,
    TargetData,
    predict_by_trees,
    robust_scale,
    row_weights,
)
from ._noise_model import (
    FITTED_ROWS,
    INSIDE,
    SCALE_TREES,
    TARGET_RATES,
    TargetPosterior,
    find_ends,
    fit_local_scales,
    skew_scales,
    widen_scales,
)
from ._task import TargetRows, TargetTask, arrange, clip_far_targets, find_repeated_values

# Logarithms of targets, which the likelihood decides on
MOSTLY_POSITIVE = 0.95  # of the targets; a sign may be wrong
SKEW_QUANTILES = (0.2, 0.5, 0.8)
LEAST_SKEW = 1.4  # upper over lower side, to be worth a try
LEAST_LOG_GAIN = 0.085  # in log likelihood of a row: errors on one side bring up to that

# Repeated values: single ones that many rows share
ATOM_LEAF = (2, 20)  # of trees
TRUST_IN_TREES = 2.0 ** np.arange(9)  # rows that what trees say of a row counts for

# Rounds
LATER_CLIP = 50.0  # local scales from the prediction
LEAST_ROW_WEIGHT = 1e-3

# Pool
HUBER = 1.345  # times the smallest robust scale of a model's residuals
HUBER_RIDGE = 1e-3
HUBER_STEPS = 500
HUBER_TOLERANCE = 1e-9  # of the change of a weight
LEAST_FOREST = 0.01  # added to the weights of forests, where how far trees are apart is averaged

CLEAR_KIND = 2 / 3  # share of an error's kind from which it is named
CENTER_STEPS = 50  # of the search for the best constant prediction
MOST_TOLD = 0.25  # rate beyond which errors and right targets of uneven spread look alike
MOST_BELIEVED = 1 / 3  # of the targets: where more look wrong, the target is not understood
# Of the interval: the tail of real residuals is no Student t.
RATE_FACTOR = 1.5
RATE_SLACK = 0.02
HIDDEN = 0.1  # rate of errors that may hide in a table of which nothing is explained

# Self-check
MOVED = 0.1  # robust scales of the targets: a smaller change is no error
PLANTING_TRIES = 10

NO_SKILL = "Nothing here predicts the target, so nobody can say which numbers are wrong."
NOT_UNDERSTOOD = "This audit does not understand the target, so it cannot say which are wrong."


class TargetFindings(NamedTuple):
    """Findings of an audit of numeric targets; arrays have one value a row, in the order given.

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
        values = self._asdict().items()
        return self._replace(**{n: v[rows] for n, v in values if isinstance(v, np.ndarray)})


def find_wrong_targets(rows: TargetRows, progress: Progress | None = None) -> TargetFindings:
    """Find wrong targets, whatever the order of the rows."""
    rows, order = arrange(rows)
    return find_wrong_among(rows, progress).for_rows(np.argsort(order))


def find_wrong_among(rows: TargetRows, progress: Progress | None = None) -> TargetFindings:
    """Judge targets; where many rows share a value, that value on its own."""
    repeated = find_repeated_values(rows.targets)
    held = np.isin(rows.targets, repeated)
    others = rows
    if len(repeated):
        others = replace(rows, targets=np.where(held, np.nan, rows.targets), repeated=repeated)
    findings = gather_findings(*judge_targets(others, progress))
    if len(repeated):
        findings = add_repeated_values(findings, rows, repeated)
    return flag_nothing_if_too_many(findings, rows.targets)


def flag_nothing_if_too_many(findings: TargetFindings, targets: np.ndarray) -> TargetFindings:
    """Flag nothing where more of the targets look wrong than an audit may believe."""
    looks_wrong = float(np.mean(findings.p_wrong[np.isfinite(targets)] > 0.5))
    looks_wrong = max(looks_wrong, findings.noise_rate.estimate)
    if not findings.has_skill or looks_wrong <= MOST_BELIEVED:
        return findings
    note = (
        f"{looks_wrong:.0%} of the targets are far from what is predicted for such rows. That more "
        "than a third are wrong is less likely than that the columns tell too little of them or "
        "that they follow a rule the models cannot learn, so nothing is flagged."
    )
    return findings._replace(
        p_wrong=np.minimum(findings.p_wrong, MOST_WITHOUT_SKILL),
        noise_rate=NoiseRate(MOST_WITHOUT_SKILL, 0.0, 1.0),
        has_skill=False,
        notes=[
            NOT_UNDERSTOOD,
            note,
            *(n for n in findings.notes if n not in rate_notes(findings.noise_rate)),
        ],
    )


class TargetRound:
    """One round: models learn from ``data``, and the targets that are ``judged`` by all of them.

    Attributes
    ----------
    predictions : array of shape (models, n + m)
    predicted : array of shape (n + m,)
        By all models together, each with its weight in ``weights``.
    power : float
        Of the local scales.
    residuals : array of shape (n,)
    posterior, cautious : TargetPosterior
        The second if right residuals are as skewed as most of them are, wider where trees are far
        apart, and end where targets do.
    """

    def __init__(
        self,
        models: Sequence[tuple[str, Predict]],
        data: TargetData,
        judged: np.ndarray,
        trusted: np.ndarray,
        known: np.ndarray,
        progress: Progress | None,
    ) -> None:
        of_models = []
        for _, predict in count_models(models, progress):
            of_models.append(np.atleast_2d(predict(data)))
        self.models = models
        self.predictions = np.stack([told[0] for told in of_models])
        weight = row_weights(data)
        random = np.random.default_rng(data.random_state)
        self.predicted, self.weights = pool_predictions(
            self.predictions, data.targets, weight, random, data.smallest_scale
        )
        self.residuals = judged - self.predicted[: len(data)]
        if progress is not None:
            progress("computing the posterior")
        scales, self.power, skew = fit_local_scales(
            data, self.predictions, self.predicted, self.residuals, weight
        )
        least = data.smallest_scale
        apart = mean_distance_of_trees(of_models, self.weights)
        wider = widen_scales(scales, apart, self.residuals, weight, least)
        self.posterior = TargetPosterior(self.residuals, judged, scales, trusted, ~known, random)
        self.cautious = self.posterior
        ends = find_ends(judged[trusted], data.repeated, least)
        if skew or wider is not scales or np.isfinite(ends).any():
            wider = skew_scales(wider, skew, self.residuals, least)
            self.cautious = TargetPosterior(
                self.residuals, judged, wider, trusted, ~known, random, ends
            )

    def score_models(self, targets: np.ndarray) -> list[dict[str, Any]]:
        """Name, weight and R² of each model, on rows in so far as they are right.

        Weights are fractions of their sum, which the pool leaves free.
        """
        right = 1 - self.posterior.p_if_any
        total = right @ (targets - np.average(targets, weights=right)) ** 2
        sum_of_weights = float(self.weights.sum()) or 1.0
        return [
            {
                "name": name,
                "weight": float(weight) / sum_of_weights,
                "r2": float(1 - right @ (targets - f[: len(targets)]) ** 2 / total),
            }
            for (name, _), weight, f in zip(
                self.models, self.weights, self.predictions, strict=True
            )
        ]


def mean_distance_of_trees(of_models: Sequence[np.ndarray], weights: np.ndarray) -> np.ndarray:
    """How far the trees of each forest are apart, mostly of those that the pool believes."""
    forests = [k for k, told in enumerate(of_models) if len(told) > 1]
    if not forests:
        return np.zeros(of_models[0].shape[1])
    apart = np.stack([of_models[k][1] for k in forests])
    return np.average(apart, axis=0, weights=weights[forests] + LEAST_FOREST)


def gather_findings(task: TargetTask, first: TargetRound, last: TargetRound) -> TargetFindings:
    """Put findings of the last round in the units of the targets and the order of the rows.

    Errors on one side look like skew, and errors keep trees apart. They are ranked as if there were
    neither, so that they come first, and how probable they are is told as if both were right.
    """
    n = len(task.data)
    rows = last.posterior
    f = last.predicted
    skill = measure_skill(first.residuals, first.predicted, task.data.groups) >= LEAST_SKILL
    models = last.score_models(task.data.targets)
    rate = estimate_rate(last.cautious.rates, max(model["r2"] for model in models))
    p_wrong = np.where(task.known, 0.0, last.cautious.p_wrong)
    if not skill:
        p_wrong = np.minimum(p_wrong, MOST_WITHOUT_SKILL)
        rate = NoiseRate(min(rate.estimate, MOST_WITHOUT_SKILL), 0.0, 1.0)
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
        tail=rows.tail,
        scale=last.power,
        on_log_scale=task.scale.logs,
        notes=[*([] if skill else [NO_SKILL]), *task.notes, *rate_notes(rate)],
    )


def error_kinds(swap_share: np.ndarray) -> np.ndarray:
    """Another row's value, a gross error, or unclear which of the two."""
    clear = [swap_share >= CLEAR_KIND, swap_share <= 1 - CLEAR_KIND]
    return np.select(clear, ["swap", "gross"], "unclear")


def run_next_round(
    models: Sequence[tuple[str, Predict]],
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
    # A rare regime, however far, shows after a round of clipped targets: it is predicted out there.
    at_start = clip_far_targets(data.targets)
    is_far = (at_start != data.targets) & (predicted * np.sign(at_start) > np.abs(at_start) / 2)
    as_they_are = (p_wrong < 0.5) & is_far
    learnt = replace(data, targets=np.where(as_they_are, data.targets, clipped), weight=weight)
    return TargetRound(models, learnt, data.targets, p_wrong < 0.5, known, progress)


def judge_targets(
    rows: TargetRows, progress: Progress | None
) -> tuple[TargetTask, TargetRound, TargetRound]:
    """Judge targets in two rounds, as they are or, where these are likelier, by their logarithms.

    On the wrong scale the long side of skewed targets looks wrong. Both are judged to the end
    before they are compared: errors that are all on one side look like skew until they are known.
    """
    judged = _run_rounds(TargetTask(rows), progress)
    if not may_be_logs(rows.targets[np.isfinite(rows.targets)]):
        return judged
    by_logs = _run_rounds(TargetTask(rows, logs=True), progress)
    gain = compute_evidence(by_logs, rows.targets) - compute_evidence(judged, rows.targets)
    return by_logs if gain > LEAST_LOG_GAIN * len(judged[0].data) else judged


def _run_rounds(
    task: TargetTask, progress: Progress | None
) -> tuple[TargetTask, TargetRound, TargetRound]:
    """The task, and what the first and the second round found.

    The first learns from all targets alike and judges them, both as clipped at the start.
    """
    n = len(task.data)
    clipped = clip_far_targets(task.data.targets)
    learnt = replace(task.data, targets=clipped)
    trusted = np.ones(n, dtype=bool)
    first = TargetRound(task.models, learnt, clipped, trusted, task.known, progress)
    rows = first.posterior
    start = (rows.p_if_any, first.predicted[:n], rows.spread[:n])
    last = run_next_round(task.models, task.data, task.known, *start, progress=progress)
    return task, first, last


def compute_evidence(
    judged: tuple[TargetTask, TargetRound, TargetRound], targets: np.ndarray
) -> float:
    """How likely positive targets are, right or wrong, in densities of their own units."""
    task, _, last = judged
    recorded = targets[task.order[: len(task.data)]]
    log_density = last.posterior.log_density + task.scale.log_slope(recorded)
    return float(np.sum(log_density[recorded > 0]))


def may_be_logs(targets: np.ndarray) -> bool:
    """Whether logarithms are worth a try: targets are positive, but for few, and skewed."""
    if np.mean(targets > 0) < MOSTLY_POSITIVE:
        return False
    low, middle, high = np.quantile(targets, SKEW_QUANTILES)
    return bool(high - middle > LEAST_SKEW * (middle - low))


def estimate_membership(
    rows: TargetRows, repeated: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Which repeated value each row holds, and how probable each is by trees without the row.

    Returns the kinds of the rows, the last kind being none of these; the probabilities of all
    kinds, (n, kinds), believed as far as that makes the rows' kinds likely; and the share of
    each kind.
    """
    kinds = np.full(len(rows.targets), len(repeated))
    for kind, value in enumerate(repeated):
        kinds[rows.targets == value] = kind
    if rows.X is None or not rows.X.shape[1]:  # trees look at predictions, where these are all
        X = np.zeros(len(kinds)) if rows.predictions is None else rows.predictions
        rows = replace(rows, X=np.asarray(X, dtype=float).reshape(len(kinds), -1))
    task = TargetTask(rows)
    held = kinds[task.order[: len(task.data)]]
    share = np.bincount(held, minlength=len(repeated) + 1) / len(held)
    leaf = int(np.clip(len(held) // 100, *ATOM_LEAF))
    of_values = []
    for kind in range(len(repeated)):
        holds = replace(task.data, targets=(held == kind).astype(float))
        of_values.append(predict_by_trees(holds, extra=True, n_trees=SCALE_TREES, leaf=leaf))
    by_trees = np.column_stack([*of_values, np.maximum(1 - np.sum(of_values, axis=0), 0)])
    by_trees /= by_trees.sum(axis=1, keepdims=True)
    mixed = [(k * by_trees + share) / (k + 1) for k in TRUST_IN_TREES]
    n = len(held)
    p = np.empty((len(kinds), len(share)))
    p[task.order] = max(mixed, key=lambda p: np.log(p[np.arange(n), held]).sum())
    return kinds, p, share


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
    scales = [robust_scale(f[rows] - targets[rows], weight[rows]) for f in predictions]
    delta = max(HUBER * min(scales), smallest_scale)
    weights = huber_weights(
        predictions[:, rows].T - center, targets[rows] - center, weight[rows], delta
    )
    return center + weights @ (predictions - center), weights


def huber_weights(F: np.ndarray, t: np.ndarray, w: np.ndarray, delta: float) -> np.ndarray:
    """Weights ``a >= 0`` with the smallest sum of w huber(t - F a), beside a small ridge.

    By reweighted least squares, which ends at the minimum itself: a search along gradients would
    stop wherever rounding lets it when one model is nearly perfect.
    """
    k = F.shape[1]
    small = np.sqrt(HUBER_RIDGE * w.sum()) * delta * np.sqrt(2)
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


def estimate_rate(rates: np.ndarray, r2: float) -> NoiseRate:
    """The posterior mean, and an interval wider than the posterior's own.

    ``rates`` are the probabilities of no error and of each of ``TARGET_RATES``, for each scale. The
    tail of real residuals is no Student t, which the posterior does not know; and the less of the
    targets is explained (``r2``), the more errors may hide in what is not. A rate beyond a quarter
    may be none: so many targets that are far off may as well be right and spread unevenly.
    """
    possible = np.r_[0.0, TARGET_RATES]
    estimate = float(np.mean(rates @ possible))
    reached = np.cumsum(rates, axis=1)
    low = min(float(possible[np.searchsorted(own, 0.05)]) for own in reached)
    high = max(float(possible[np.searchsorted(own, 0.95)]) for own in reached)
    return NoiseRate(
        estimate,
        0.0 if estimate > MOST_TOLD else max(0.0, low / RATE_FACTOR - RATE_SLACK),
        min(1.0, high * RATE_FACTOR + RATE_SLACK + HIDDEN * float(np.clip(1 - r2, 0, 1))),
    )


def rate_notes(rate: NoiseRate) -> list[str]:
    """Notes on a rate that the noise model can hardly tell."""
    if rate.estimate <= MOST_TOLD:
        return []
    return [
        f"{rate.estimate:.0%} of the targets look wrong. So many errors look like right targets "
        "that spread unevenly or have long tails: part or all of them may be right and unusual."
    ]


def measure_skill(
    residuals: np.ndarray, predicted: np.ndarray, units: np.ndarray | None = None
) -> float:
    """Mean gain in Huber's loss over the best constant, in standard errors.

    It should be that of the first round: the second has left out what was predicted badly, and
    whatever is left looks predictable. Rows of one of the ``units`` share their fate: the standard
    error counts units, not rows.
    """
    targets = residuals + predicted[: len(residuals)]
    center = float(np.median(targets))
    for _ in range(CENTER_STEPS):  # a mean would lose against medians without any skill
        center += float(np.clip(targets - center, -1, 1).mean())
    gain = _huber(targets - center) - _huber(residuals)
    units = np.arange(len(gain)) if units is None else units
    sums = np.bincount(units, weights=gain - gain.mean())
    error = float(np.sqrt(np.sum(sums**2)) / len(gain))
    return float(gain.mean() / error) if error > 1e-12 else 0.0


def _huber(residuals: np.ndarray) -> np.ndarray:
    inside = np.clip(residuals, -1, 1)
    return inside * (residuals - inside / 2)


def add_repeated_values(
    findings: TargetFindings, rows: TargetRows, repeated: np.ndarray
) -> TargetFindings:
    """Findings of all rows, from those of the rows that hold no repeated value.

    A wrong target holds such a value as often as any row does, a right one as often as rows like it
    do. The odds are multiplied by that ratio, for the other rows those by how far they are off. A
    value is predicted where that is likeliest, and bounds hold all that is probable.
    """
    targets = rows.targets
    n = len(targets)
    kinds, p, share = estimate_membership(rows, repeated)
    held = kinds < len(repeated)
    recorded = np.isfinite(targets)
    known = np.zeros(n, dtype=bool) if rows.known is None else rows.known
    rate = findings.noise_rate.estimate
    ratio = np.log(share[kinds] / p[np.arange(n), kinds])
    suspicion = np.where(held, logit(rate), findings.suspicion) + ratio
    p_wrong = expit(logit(np.where(held, rate, findings.p_wrong)) + ratio)
    p_wrong = np.where(recorded & ~known, p_wrong, 0.0)
    suspicion = np.where(known, suspicion[recorded].min(), suspicion)

    likeliest = p.argmax(axis=1)
    probable = p > 1 - INSIDE
    probable[np.arange(n), likeliest] = True
    values = np.broadcast_to(repeated, (n, len(repeated)))
    predicted = np.column_stack([values, findings.predicted])[np.arange(n), likeliest]
    away = np.where(recorded, targets - predicted, 0.0) / findings.local_scale
    as_before = (likeliest == len(repeated)) & ~held
    shares = [
        f"{number(float(value))} ({percent(float(fraction))} of the targets)"
        for value, fraction in zip(repeated, share, strict=False)
    ]
    note = (
        f"Many rows share {join_names(shares)}: whether a row holds such a value is judged on its "
        "own, beside how far all others are off."
    )
    return findings._replace(
        p_wrong=p_wrong if findings.has_skill else np.minimum(p_wrong, MOST_WITHOUT_SKILL),
        suspicion=np.where(recorded, suspicion, 0.0),
        predicted=predicted,
        low=np.where(probable, np.column_stack([values, findings.low]), np.inf).min(axis=1),
        high=np.where(probable, np.column_stack([values, findings.high]), -np.inf).max(axis=1),
        score=np.where(as_before, findings.score, away),
        error_kind=np.where(held, "swap", findings.error_kind),
        notes=[*findings.notes, note],
    )


class TargetSelfCheck(NamedTuple):
    """The fate of errors that were planted in a copy of the targets.

    Planted are swaps: targets of other rows that are probably right.
    """

    injected: int
    top: int  # so many of the most suspicious rows...
    found: int  # ... hold so many of the planted errors
    by_value: int  # and so many would be in a list of targets furthest from the median
    lift: bool  # whether planted errors are the more suspicious, beyond chance
    average_precision: float | None  # of finding the planted errors and those expected besides
    median_error: float  # of what is predicted for planted rows, in units of the target
    planted_error: float  # median distance of planted from true targets, to compare
    repeats: int

    def __repr__(self) -> str:
        return (
            f"<TargetSelfCheck: {self.found:,} of {self.injected:,} planted errors are among the "
            f"{self.top:,} most suspicious rows; {self.by_value:,} by values alone>"
        )

    def _sentence(self) -> str:
        """A sentence for the report."""
        sentence = (
            f"Of {self.injected:,} values we exchanged for those of other rows, {self.found:,} are "
            f"among the {self.top:,} most suspicious rows; {self.by_value:,} would be by how "
            "unusual the value is alone."
        )
        if not self.lift:
            return f"{sentence} Planted errors do not stand out."
        off = number(self.median_error)
        planted = number(self.planted_error)
        return (
            f"{sentence} What is predicted for them is off by {off}, the planted values by "
            f"{planted}."
        )


def check_targets(
    rows: TargetRows, found: TargetFindings, progress: Progress | None = None
) -> TargetSelfCheck | None:
    """Plant errors in a copy of the targets and look for them; None where rows are too few.

    ``found`` is what :func:`find_wrong_targets` found. Of a large table some rows are drawn.
    """
    random = np.random.default_rng(rows.seed + 1)
    rows, order = arrange(rows)
    drawn = np.flatnonzero(np.isfinite(rows.targets))
    if len(drawn) > CHECKED_ROWS:
        drawn = np.sort(random.choice(drawn, CHECK_SAMPLE, replace=False))
    rows = rows.for_rows(drawn)
    found = found.for_rows(order[drawn])
    has_repeated = len(find_repeated_values(rows.targets)) > 0
    task = TargetTask(rows, logs=found.on_log_scale and not has_repeated)
    scale = task.scale
    truth = task.data.targets

    def run_once() -> tuple[np.ndarray, ...] | None:
        count = count_to_inject(int(np.sum(~task.known)))
        swapped, planted = plant_swaps(truth, found.p_wrong, task.known, count, random)
        if planted.sum() < 2:
            return None
        new_seed = int(random.integers(2**31 - 1))
        if has_repeated:  # all anew, as rows hold such a value now that held none, and the reverse
            values, places = np.unique(truth, return_index=True)
            # Exactly what was recorded: repeated values are known by being equal.
            recorded = rows.targets[places[np.searchsorted(values, swapped)]]
            again = find_wrong_among(replace(rows, targets=recorded, seed=new_seed), progress)
            return planted, swapped, again.suspicion, scale.apply(again.predicted)
        spread = (scale.apply(found.high) - scale.apply(found.low)) / 4
        start = (found.p_wrong, scale.apply(found.predicted), spread)
        data = replace(task.data, targets=swapped, random_state=new_seed)
        last = run_next_round(task.models, data, task.known, *start, progress=progress)
        return planted, swapped, last.posterior.suspicion, last.predicted

    runs = inject_errors(run_once, len(truth))
    if runs is None:
        return None
    injected, planted, suspicion, predicted = runs
    alike = np.zeros(injected.shape, dtype=np.intp)  # compared with all other rows
    counts = count_found(
        injected, suspicion, found.p_wrong, measure_lift(injected, alike, suspicion)
    )
    by_value = count_hits(injected, np.abs(planted))[counts["top"] - 1]

    def measure_distance(values: np.ndarray) -> float:
        away = np.abs(scale.undo(values) - scale.undo(truth))
        return float(np.median(away[injected]))

    return TargetSelfCheck(
        **counts,
        by_value=round(float(by_value)),
        median_error=measure_distance(predicted),
        planted_error=measure_distance(planted),
    )


def plant_swaps(
    targets: np.ndarray,
    p_wrong: np.ndarray,
    known: np.ndarray,
    count: int,
    random: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Targets, ``count`` of them another row's, and which; a change too small is no error."""
    rows = random.choice(np.flatnonzero(~known), count, replace=False)
    donors = targets[p_wrong < CLEAN_THRESHOLD]
    changed = targets.copy()
    for _ in range(PLANTING_TRIES):
        near = rows[np.abs(changed[rows] - targets[rows]) <= MOVED]
        changed[near] = random.choice(donors, len(near))
    planted = np.abs(changed - targets) > MOVED
    return np.where(planted, changed, targets), planted
