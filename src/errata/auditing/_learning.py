"""What is learnt from the drawn rows: models, their pool, the noise, and how far to trust it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ._copies import copies_note
from ._default_models import default_models
from ._groups import joined
from ._inputs import Inputs
from ._models import OutOfFoldModel, TrainingData
from ._notes import PROBABILITIES_ARE_OLDER
from ._pooling import Pool, pool_models
from ._self_check import SelfCheck, run_self_check
from ._ties import Ties, find_ties
from ._unlabelled import Filler, fit_filler
from ._user_models import GivenProbabilities, models_of_user, named_models
from .classes import Posterior, posterior_of
from .sequences import SequenceInputs, sequence_models


class Learnt(NamedTuple):
    """All that an audit knows before it judges rows that it has not learnt from."""

    inputs: Inputs  # of the rows that were learnt from
    data: TrainingData
    pool: Pool
    posterior: Posterior  # of these rows
    ties: Ties
    models: list[OutOfFoldModel]
    filler: Filler | None  # None where every row has a label


class Brought(NamedTuple):
    """Models that the user brings."""

    estimator: Any = None
    pred_proba: np.ndarray | None = None  # of the rows to learn from, checked
    estimators: Sequence[Any] | None = None


def learn(
    inputs: Inputs,
    brought: Brought,
    *,
    course: SequenceInputs | None = None,
    fills: bool = False,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Callable[[str], None],
) -> Learnt:
    """Fit and pool the models, and learn the noise.

    Parameters
    ----------
    inputs : Inputs
        Of all rows, or of those that were drawn.
    brought : Brought
        The models that the user brings.
    course : SequenceInputs, optional
        For rows that follow each other in time.
    fills : bool, default=False
        Whether some rows have no label.
    seed, n_jobs, progress
        As for :func:`errata.audit`.
    """
    models = _models(inputs, brought, course)
    data = _training_data(inputs, seed, n_jobs)
    ties = Ties()
    if not data.more_rows:  # a copy of a drawn row was hardly drawn, too
        ties = find_ties(data, inputs, None if course is None else course.audited)
        data = without_copies(data, ties.copies, inputs.notes)
    pool = pool_models(data, models, progress=progress)
    progress("computing the posterior")
    random, known = np.random.default_rng(seed), inputs.audited_known
    posterior = posterior_of(
        pool.logs, data.codes, random, **ties.evidence(data.codes), known=known
    )
    filler = fit_filler(data, pool, posterior, known) if fills else None
    return Learnt(inputs, data, pool, posterior, ties, models, filler)


def _models(
    inputs: Inputs, brought: Brought, course: SequenceInputs | None
) -> list[OutOfFoldModel]:
    if brought.estimators is not None:
        models = named_models(brought.estimators)
    elif course is not None:
        models = sequence_models(course.audited)
    elif inputs.X is not None:
        models = default_models(len(inputs.audited), len(inputs.present))
    else:
        models = []
    models = [*models, *models_of_user(inputs, brought.estimator, brought.pred_proba)]
    if not models:
        raise ValueError("no model is left to check the labels: pass a table, or pred_proba.")
    return models


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
    groups = joined(copies, data.groups)
    return replace(data, groups=groups) if groups.max() > 0 else data


def check_by_injecting(learnt: Learnt) -> SelfCheck | None:
    """Audit copies of the labels with injected errors; of a large table, some of its rows."""
    data, models, ties = learnt.data, learnt.models, learnt.ties
    first, known = learnt.posterior, learnt.inputs.audited_known
    random = np.random.default_rng(data.random_state + 1)
    rows = ties.some_rows(len(data.codes), random)
    if rows is not None:
        data, ties = data.for_rows(rows), ties.for_rows(rows)
        models = [m.for_rows(rows) if hasattr(m, "for_rows") else m for m in models]
        first = first._replace(p_wrong=first.p_wrong[rows])
        known = None if known is None else known[rows]
    data = replace(data, more_rows=False, folds=None)

    def audit_again(codes: np.ndarray, seed: int) -> Posterior:
        again = replace(data, codes=codes, random_state=seed)
        logs = pool_models(again, models).logs
        random = np.random.default_rng(seed)
        return posterior_of(logs, codes, random, **ties.evidence(codes), known=known)

    together = ties.changed_together(data.codes)
    return run_self_check(data.codes, first, audit_again, random, together, known)


def notes_on_check(learnt: Learnt) -> list[str]:
    """What the self-check cannot show."""
    given = all(isinstance(model, GivenProbabilities) for model in learnt.models)
    return [PROBABILITIES_ARE_OLDER] if given else []
