"""Learning from the drawn rows, and judging any rows of the table by what was learnt."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._blocks import blocks
from .._compat import take_rows
from .._kernels._probabilities import Findings, find_largest, normalise
from .._progress import Progress
from .._random import clone_keeping_seeds
from ..tables._columns import without_columns
from ._self_check import SelfCheck, run_self_check
from ._settings import CACHED, JUDGED_ROWS, LEARN_ROWS, NOISE_ROWS, TREE_ROWS
from .classes import (
    NoisePosterior,
    Posterior,
    gathered_posterior,
    noise_posterior,
    posterior_of,
    set_aside,
)
from .inputs._duplicates import Ties, copies_among, copies_note, copy_groups, mix_bits
from .inputs._groups import group_folds, join_groups, places_among
from .inputs._inputs import Inputs, TableRows
from .inputs._labels import are_among, codes_among
from .models._base import (
    NewRows,
    OutOfFoldModel,
    TrainingData,
    all_columns,
    certain_or_uniform,
    cross_fit_proba,
)
from .models._default import (
    AsGiven,
    CrossFitted,
    GivenProbabilities,
    KernelAndTrees,
    check_classifier,
    default_models,
    estimator_table,
)
from .models._pooling import Pool, compute_logs, pool_models, pool_new_rows, some_rows
from .results._flags import Rows
from .sequences import sequence_models

if TYPE_CHECKING:
    from ._audit import Options

PROBABILITIES_ARE_OLDER = (
    "The self-check plants errors that your probabilities have never seen. It cannot show whether "
    "the model behind them had learnt the labels it checks."
)


# The most probable class of rows without a label and its probability, by their scaled features
# (n, d), or by what the user says of the classes that could be audited (n, K).
Filler = Callable[[Any, np.ndarray | None], tuple[np.ndarray, np.ndarray]]


class Learnt:
    """All that an audit knows before it judges rows that it has not learnt from.

    The models are fitted and pooled, and the noise is learnt.

    Parameters
    ----------
    inputs : Inputs
        Of all rows, or of those that were drawn.
    options : Options
        The models of the user, seed and threads.
    pred_proba : array of shape (n, K), optional
        The user's probabilities of the rows to learn from, checked.
    fills : bool, default=False
        Whether some rows have no label.
    judged : bool, default=True
        Whether to judge the rows that are learnt from, too.
    progress : callable
        As for :func:`errata.audit`.

    Attributes
    ----------
    inputs : Inputs
    models : list of OutOfFoldModel
    data : TrainingData
    ties : Ties
    pool : Pool
    posterior : Posterior
        Of the rows that were learnt from.
    filler : callable or None
        None where every row has a label.
    """

    filler: Filler | None = None

    def __init__(
        self,
        inputs: Inputs,
        options: "Options",
        *,
        pred_proba: np.ndarray | None = None,
        fills: bool = False,
        judged: bool = True,
        progress: Progress,
    ) -> None:
        self.inputs = inputs
        self.models = choose_models(inputs, options, pred_proba)
        data = _training_data(inputs, options.seed, options.n_jobs)
        self.ties = Ties(recordings=inputs.recordings)
        # A copy of a drawn row was hardly drawn, too, and a signal may stand still.
        if not data.more_rows and inputs.recordings is None:
            equal = None if inputs.X is None else copy_groups(inputs.X)
            self.ties = Ties(equal, copies_among(data, equal))
            data = without_copies(data, self.ties.copies, inputs.notes)
        self.data = data
        self.pool = pool_models(data, self.models, equal=self.ties.equal, progress=progress)
        progress("computing the posterior")
        known = inputs.audited_known
        self.posterior = posterior_of(
            self.pool.logs,
            data.codes,
            np.random.default_rng(options.seed),
            **self.ties.evidence(data.codes),
            known=known,
            certain=self.pool.certain,
            judged=judged,
        )
        if fills:
            self.filler = fit_filler(data, self.pool, self.posterior, known)

    def forget_features(self) -> None:
        """Let go of what only models look at, so that the table is not held twice."""
        self.inputs = self.inputs.without_features()

    def gather(
        self, found: Findings, n_rows: int | None = None, rate: float | None = None
    ) -> Posterior:
        """The posterior of all rows that were judged, see :func:`gathered_posterior`."""
        known = self.inputs.audited_known
        return gathered_posterior(
            found,
            self.posterior.noise,
            self.posterior.skill,
            n_rows=n_rows,
            rate=rate,
            certain=0.0 if known is None else set_aside(self.data.codes, known),
        )

    def inject_errors(self, progress: Progress) -> SelfCheck | None:
        """Audit copies of the labels with injected errors; of a large table, some of its rows."""
        data = self.data
        models = self.models
        ties = self.ties
        first = self.posterior
        known = self.inputs.audited_known
        random = np.random.default_rng(data.random_state + 1)
        rows = ties.some_rows(len(data.codes), random)
        if rows is not None:
            data = data.for_rows(rows)
            ties = ties.for_rows(rows)
            models = [m.for_rows(rows) if hasattr(m, "for_rows") else m for m in models]
            first = first._replace(p_wrong=first.p_wrong[rows])
            known = None if known is None else known[rows]
        data = replace(data, more_rows=False, folds=None)
        models = [m.lighter() if hasattr(m, "lighter") else m for m in models]

        def audit_again(codes: np.ndarray, seed: int) -> Posterior:
            again = replace(data, codes=codes, random_state=seed)
            pool = pool_models(again, models, equal=ties.equal, progress=progress)
            return posterior_of(
                pool.logs,
                codes,
                np.random.default_rng(seed),
                **ties.evidence(codes),
                known=known,
                certain=pool.certain,
            )

        together = ties.changed_together(data.codes)
        check = run_self_check(data.codes, first, audit_again, random, together, known)
        if check is None:
            return None
        planted = check.planted_rows if rows is None else rows[check.planted_rows]
        planted = self.inputs.audited[planted]
        if self.inputs.drawn is not None:
            planted = np.asarray(self.inputs.drawn)[planted]
        return check._replace(
            planted_rows=planted,
            planted_labels=self.inputs.present[check.planted_labels],
            planted_classes=self.inputs.present[check.planted_classes],
        )

    def note_check(self) -> list[str]:
        """A note on what the self-check cannot show."""
        given = all(isinstance(model, GivenProbabilities) for model in self.models)
        return [PROBABILITIES_ARE_OLDER] if given else []


def choose_models(
    inputs: Inputs, options: "Options", pred_proba: np.ndarray | None
) -> list[OutOfFoldModel]:
    """The default models unless others are passed instead, and what the user brings besides."""
    if options.estimators is not None:
        models = name_models(options.estimators)
    elif inputs.recordings is not None:
        models = sequence_models(inputs.recordings)
    elif inputs.X is not None:
        models = default_models(len(inputs.audited), len(inputs.present))
    else:
        models = []
    models = [*models, *models_of_user(inputs, options.estimator, pred_proba)]
    if not models:
        raise ValueError("no model is left to check the labels: pass a table, or pred_proba.")
    return models


def models_of_user(
    inputs: Inputs, estimator: Any, pred_proba: np.ndarray | None
) -> list[OutOfFoldModel]:
    """The classifier and the probabilities, which were checked, that the user brings, as models."""
    models: list[OutOfFoldModel] = []
    if estimator is not None:
        models.append(_model_of_user(inputs, estimator))
    if pred_proba is not None:
        are_some = len(inputs.audited) < len(pred_proba)
        pred_proba = pred_proba.take(inputs.audited, axis=0).take(inputs.present, axis=1)
        if are_some:
            pred_proba = certain_or_uniform(pred_proba)
        models.append(GivenProbabilities(pred_proba))
    return models


def _model_of_user(inputs: Inputs, estimator: Any) -> CrossFitted:
    check_classifier("estimator", estimator)
    if inputs.model_table is None:
        raise ValueError("an estimator needs a table to learn from, but X is None.")
    features = None if inputs.features is None else inputs.features.X
    table = take_rows(estimator_table(inputs.model_table, features), inputs.audited)
    return CrossFitted("your model", estimator, table, inputs.classes[inputs.present])


def name_models(estimators: Sequence[Any]) -> list[OutOfFoldModel]:
    """Classifiers, pairs of name and classifier, and models of the user's own kind, as models."""
    if isinstance(estimators, str) or not isinstance(estimators, Sequence):
        raise ValueError(
            f"estimators={estimators!r} must be a list of classifiers or of (name, classifier) "
            "pairs."
        )
    models: list[OutOfFoldModel] = []
    for entry in estimators:
        models.append(entry if hasattr(entry, "out_of_fold_proba") else _name_model(entry, models))
    repeated = [name for name, times in Counter(m.name for m in models).items() if times > 1]
    if repeated:
        raise ValueError(f"the names of estimators must differ, but {repeated[0]!r} is repeated.")
    return models


def _name_model(entry: Any, others: Sequence[OutOfFoldModel]) -> CrossFitted:
    """The classifier under its own name, or under that of its class, which is made unique."""
    if isinstance(entry, tuple) and len(entry) == 2:
        name, classifier = entry
    else:
        name, classifier = type(entry).__name__, entry
        taken = sum(model.name.partition(" ")[0] == name for model in others)
        name = f"{name} {taken + 1}" if taken else name
    check_classifier("estimators", classifier)
    return CrossFitted(name, classifier)


def rows_to_learn_from(n: int, seed: int) -> np.ndarray:
    """The places of the rows to learn from, in order; all of them where they are few.

    Examples
    --------
    >>> len(rows_to_learn_from(1_000_000, seed=0)), len(rows_to_learn_from(10, seed=0))
    (200000, 10)
    """
    if n <= LEARN_ROWS:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, LEARN_ROWS, replace=False))


def _training_data(inputs: Inputs, seed: int, n_jobs: int | None) -> TrainingData:
    codes = inputs.audited_codes
    return TrainingData(
        X=np.empty((len(codes), 0)) if inputs.X is None else inputs.X,
        codes=codes,
        n_classes=len(inputs.present),
        groups=inputs.groups,
        random_state=seed,
        n_jobs=n_jobs,
        folds=inputs.folds,
        more_rows=inputs.drawn is not None,
    )


def without_copies(data: TrainingData, copies: np.ndarray | None, notes: list[str]) -> TrainingData:
    """Data whose groups keep copies together, unless they link all of the user's groups to one."""
    if copies is None:
        return data
    notes.append(copies_note(copies))
    if data.groups is None:
        return replace(data, groups=copies)
    groups = join_groups(copies, data.groups)
    return replace(data, groups=groups) if groups.max() > 0 else data


class JudgedSums(NamedTuple):
    """Sums over judged rows; those of two blocks, merged, are those of both."""

    ranking: np.ndarray  # (4, bins), of :func:`rank_in_bins`
    audited: int
    wrong: float  # of the audited rows, expected to be wrong
    joint: np.ndarray  # (K, K), expected number of rows of class c with label l
    right: np.ndarray  # expected number of right labels under each hypothesis
    unread: Counter[str]  # cells of a column that are of another kind than those learnt from

    @property
    def rate(self) -> float:
        """Fraction of the audited rows that is expected to be wrong."""
        return self.wrong / self.audited

    def merge(self, other: "JudgedSums") -> "JudgedSums":
        """Add up two parts."""
        pairs: Iterable[tuple[Any, Any]] = zip(self, other, strict=True)
        return JudgedSums(*(mine + theirs for mine, theirs in pairs))


class Judge:
    """A judge of rows, without the rows that it was learnt from: small, and able to travel.

    It judges all rows of the table that these were drawn from.
    """

    def __init__(self, learnt: Learnt) -> None:
        inputs = learnt.inputs
        pool = learnt.pool
        self.plan = None if inputs.features is None else inputs.features.plan
        self.scale = inputs.scale
        self.leaks = list(inputs.leaks)
        self.fitted = pool.fitted
        self.weights = pool.weights
        self.rule = learnt.posterior.rule
        self.present = inputs.present  # codes of the classes that could be learnt
        self.filler = learnt.filler
        self.seed = learnt.data.random_state
        # Whether a model of the user looks at the table itself.
        self.shows_table = any(getattr(m, "table", None) is not None for m in learnt.models)
        # Whether more than the user's probabilities speaks of a row.
        self.asks_models = not all(isinstance(predictor, AsGiven) for predictor in pool.fitted)
        # Places of the rows that were learnt from, none if no model is asked, and what models that
        # did not learn from a row say of it: (K, learnt) and (models, learnt).
        places = np.asarray(inputs.drawn)[inputs.audited]
        in_table = np.argsort(places if self.asks_models else places[:0])
        self.learnt = places[in_table]
        self.logs = pool.logs.take(in_table, axis=1)
        self.predicted = pool.predicted.take(in_table, axis=1)

    def pool_all(self, given: TableRows) -> np.ndarray:
        """Logarithms of the user's probabilities of all audited rows, (K, audited)."""
        parts = []
        for block in blocks(len(given.codes), JUDGED_ROWS):
            rows = given.for_rows(block)
            asked = _some(self.read_rows(rows)[0], are_among(rows.codes, self.present))
            parts.append(self.pool(np.asarray(rows.places), asked)[0])
        return np.concatenate(parts, axis=1)

    def read_rows(self, rows: TableRows) -> tuple[NewRows, np.ndarray | None, Counter[str]]:
        """Rows as models see them, what they can be known again by, and cells that do not fit."""
        given = rows.pred_proba
        folds = None
        table = None
        if given is not None:
            are_some = given.shape[1] > len(self.present)
            given = given.take(self.present, axis=1)
            given = certain_or_uniform(given) if are_some else given
        if rows.groups is not None:
            folds = group_folds(rows.groups, self.seed)
        if self.plan is None or self.scale is None:
            return NewRows(np.empty((len(rows.codes), 0)), None, given, folds), None, Counter()
        applied = self.plan.apply(rows.table if rows.embeddings is None else rows.embeddings)
        if self.shows_table:
            kept = without_columns(rows.table, self.leaks) if self.leaks else rows.table
            table = estimator_table(kept, applied.X)
        new = NewRows(self.scale.transform(applied.X), table, given, folds)
        return new, mix_bits(applied.X), applied.unread

    def pool(self, places: np.ndarray, rows: NewRows) -> tuple[np.ndarray, np.ndarray]:
        """Pooled probabilities, and predictions of each model, for rows at places of the table.

        Of those that were learnt from it is what was said then: models are asked of all others.
        """
        if not self.asks_models:  # the same of all rows
            return pool_new_rows(self.fitted, self.weights, rows, dtype=self.logs.dtype)
        at, is_learnt = places_among(self.learnt, places)
        logs = self.logs[:, at]
        predicted = self.predicted[:, at]
        is_new = ~is_learnt
        if is_new.any():
            found = pool_new_rows(self.fitted, self.weights, _some(rows, is_new))
            logs[:, is_new], predicted[:, is_new] = found
        return logs, predicted


class Judged:
    """Rows judged by what was learnt from others; of n of them, a labels could be audited.

    Those that were learnt from are judged by models that were not fitted to them.

    Attributes
    ----------
    audited : array of bool of shape (n,)
        Which could be.
    found : Findings
        Of these.
    logs : array of shape (K, a)
        Logarithms of the pooled probabilities.
    predicted : array of shape (models, a)
        The class that each model finds most probable.
    X : array of shape (a, d)
        Scaled features.
    filled : (array of int, array)
        Classes of rows without a label, and how probable these are.
    bits : array of shape (n,) or None
        Equal for rows with equal features.
    unread : Counter
        Cells of a column that are of another kind than those learnt from.
    """

    def __init__(self, judge: Judge, given: TableRows) -> None:
        self.given = given
        self.present = judge.present
        new, self.bits, self.unread = judge.read_rows(given)
        self.audited = are_among(given.codes, judge.present)
        at = slice(None) if self.audited.all() else self.audited  # all rows are not copied
        codes = codes_among(given.codes[at], judge.present)
        known = None if given.known is None else given.known[at]
        asked = _some(new, self.audited)
        self.X = asked.X
        self.logs, self.predicted = judge.pool(np.asarray(given.places)[at], asked)
        self.found = judge.rule.judge(self.logs, codes, known, of_many=True)
        blank = given.codes < 0
        self.filled = np.zeros(blank.sum(), dtype=np.intp), np.zeros(blank.sum())
        if judge.filler is not None and blank.any():
            unlabelled = _some(new, blank)
            places, p_filled = judge.filler(unlabelled.X, unlabelled.pred_proba)
            self.filled = judge.present[places], p_filled

    def rows(self) -> Rows:
        """An entry for each row."""
        given = self.given
        rows = Rows.judged(given.codes, given.known, self.audited, self.found, self.present)
        rows.fill(*self.filled)
        return rows

    def sums(self, rows: Rows) -> JudgedSums:
        """Sums over these rows."""
        found = self.found
        return JudgedSums(
            ranking=rows.ranking(),
            audited=len(found.p_wrong),
            wrong=float(found.p_wrong.sum()),
            joint=found.joint,
            right=found.right,
            unread=self.unread,
        )


def _some(rows: NewRows, chosen: np.ndarray) -> NewRows:
    return rows if chosen.all() else rows.take(np.flatnonzero(chosen))


def fit_filler(
    data: TrainingData, pool: Pool, posterior: Posterior, known: np.ndarray | None
) -> Filler:
    """Learn to predict rows without a label from those that have one.

    A classifier is fitted to 20,000 labelled rows at most. How far it can be trusted, and how the
    classes differ from labels that are partly wrong, is learnt from what it says of rows that it
    was not fitted to, as for the models of the audit. Without a table the user's probabilities
    stand for the classifier.
    """
    if not data.X.shape[1]:
        return partial(fill_by_probabilities, posterior.noise, float(pool.weights[-1]))
    random = np.random.default_rng(data.random_state + 3)
    n = len(data.codes)
    taught = np.arange(n) if n <= TREE_ROWS else np.sort(random.choice(n, TREE_ROWS, replace=False))
    part = replace(data.for_rows(taught), folds=None)
    classifier = clone_keeping_seeds(KernelAndTrees(n_jobs=data.n_jobs), data.random_state)
    logs = compute_logs(cross_fit_proba(classifier, part.X, part).astype(np.float32).T)
    doubtful = np.arange(len(taught)) if known is None else np.flatnonzero(~known[taught])
    chosen = doubtful[some_rows(len(doubtful), data.n_classes, random, at_most=NOISE_ROWS)]
    noise = noise_posterior(logs.take(chosen, axis=1).astype(float), part.codes[chosen])
    return partial(fill_by_classifier, noise, classifier.fit(part.X, part.codes), data.n_classes)


def fill_by_classifier(
    noise: NoisePosterior, classifier: KernelAndTrees, n_classes: int, X: np.ndarray, proba: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Classes that a classifier predicts for rows without a label; ``proba`` is not asked."""
    parts = [
        all_columns(classifier.predict_proba(X[block]), classifier.classes_, n_classes)
        for block in blocks(len(X), CACHED, width=n_classes)
    ]
    return _choose_classes(noise, compute_logs(np.concatenate(parts).astype(np.float32).T))


def fill_by_probabilities(
    noise: NoisePosterior, weight: float, X: Any, proba: Any
) -> tuple[np.ndarray, np.ndarray]:
    """The same by the user's probabilities, which weigh so much; there are no features ``X``."""
    logs = compute_logs(certain_or_uniform(proba).astype(np.float32).T)
    return _choose_classes(noise, normalise(logs * np.float32(weight)))


def _choose_classes(noise: NoisePosterior, logs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    codes, p = find_largest(noise.classes_before_labels(logs))
    return codes.astype(np.intp), np.minimum(p, 1.0)
