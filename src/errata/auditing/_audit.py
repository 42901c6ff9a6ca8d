"""The audit, one stage after the other."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .._random import draw_seed
from .._validation import check_fraction
from ._assembly import assemble
from ._copies import are_copies, copies_note, copy_groups
from ._default_models import RBFRidge, default_models
from ._groups import joined, renumbered
from ._inputs import Display, Inputs, read_inputs
from ._models import (
    GivenProbabilities,
    OutOfFoldModel,
    TrainingData,
    models_of_user,
    named_models,
)
from ._notes import PROBABILITIES_ARE_OLDER
from ._pooling import pool_models
from ._result import Audit
from ._row_index import row_index
from ._self_check import SelfCheck, run_self_check
from ._settings import CHECK_SAMPLE, CHECKED_ROWS, MEDIUM, MOST_COPIES
from .classes import Posterior, posterior_of


def audit(
    X: Any,
    y: Any,
    *,
    estimator: Any = None,
    pred_proba: Any = None,
    embeddings: Any = None,
    estimators: Sequence[Any] | None = None,
    groups: Any = None,
    trust: Sequence[Any] = (),
    ids: Any = None,
    precision: float | None = None,
    self_check: bool = True,
    image_shape: tuple[int, ...] | None = None,
    title: str | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: Callable[[str], None] | None = None,
) -> Audit:
    """Find out which labels are wrong, how many, which way, and how sure that is.

    Several quick models of different kinds give each row's label a probability without having
    learnt from that row. A posterior over noise hypotheses turns these into the probability that
    the label is wrong. Where the columns do not tell the labels apart, it says so and flags
    nothing. Then errors are injected into a copy of the labels and looked for in the same way,
    which shows how far the answer can be trusted on this very table.

    Parameters
    ----------
    X : table of shape (n, d)
        A pandas or polars dataframe, a mapping of names to columns, an array, a sparse matrix.
        Numbers, categories, text, dates and missing cells are accepted. None when ``pred_proba`` is
        all there is.
    y : array-like of shape (n,) or str
        The labels, or the name of their column in ``X``.
    estimator : classifier with ``predict_proba``, optional
        A model of yours, cross-fitted to ``X`` as you gave it, with your labels, and pooled with
        the other models.
    pred_proba : array-like or dataframe of shape (n, K), optional
        Out-of-fold probabilities of the labels by a model of yours, pooled with the others. The
        columns of an array are in the order of the sorted labels, those of a dataframe are matched
        to the labels by name.
    embeddings : array-like of shape (n, d), optional
        What models should look at instead of ``X``.
    estimators : sequence of classifiers or of (name, classifier) pairs, optional
        Models to use in place of errata's own, cross-fitted to errata's features of ``X`` (numeric,
        scaled); empty for none but ``estimator`` and ``pred_proba``. An :class:`OutOfFoldModel` may
        stand for a classifier.
    groups : array-like of shape (n,), optional
        Rows of one group (a patient, a document) are never predicted from each other. Copies of
        a row are found and treated so without being named.
    trust : sequence of column names or positions, optional
        Columns that were measured independently of the label. A column that alone gives nearly
        every label, when the others cannot, looks made from the label and is left out unless it is
        named here.
    ids : array-like of shape (n,), optional
        What to call the rows in reports; by default what the index of a pandas dataframe does.
    precision : float, optional
        Flag as many rows as keep this fraction of them expected to be wrong. By default as many as
        promise the largest F1 score.
    self_check : bool, default=True
        Whether to inject errors and look for them. It about doubles the time; above 10,000 rows it
        is done on 5,000 of them.
    image_shape : tuple of int, optional
        For rows that are pixels: height and width, to show them.
    title : str, optional
        How reports call the data.
    random_state : int, RandomState or None
        Fix it to get the same audit again.
    n_jobs : int, optional
        Threads for forests and neighbours, -1 for all.
    progress : callable, optional
        Called with a few words at every stage.

    Returns
    -------
    Audit
        ``p_wrong``, ``suggested``, ``flagged``, ``noise_rate`` and more, with ``clean``, ``report``
        and ``save``.

    Notes
    -----
    Time grows about linearly with the rows, memory stays within a few times the table plus
    O(n K) for K classes. Wrong labels near the border between classes look like classes that
    overlap: no method can tell them apart from labels alone, and the interval of the noise rate is
    the wider for it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import errata
    >>> X, y = load_iris(return_X_y=True)
    >>> y[[3, 100]] = 2, 0                      # a setosa and a virginica change places
    >>> result = errata.audit(X, y, self_check=False, random_state=0)
    >>> sorted(int(row) for row in result.suspicion.argsort()[::-1][:2])
    [3, 100]
    >>> result.suggested[[3, 100]].tolist()
    [0, 2]
    """
    tell = progress or _silent
    tell("reading the table")
    if precision is not None:
        check_fraction("precision", precision)
    seed = draw_seed(random_state)
    inputs = read_inputs(
        X, y, embeddings=embeddings, groups=groups, trust=trust, seed=seed, n_jobs=n_jobs
    )
    display = Display(ids, image_shape, title, y, random_state, row_index(inputs.table))
    display.check(inputs)
    models = _models(inputs, estimator, pred_proba, estimators)
    data = _training_data(inputs, seed, n_jobs)
    equal = None if inputs.X is None else copy_groups(inputs.X)
    copies = _copies(data, equal)
    data = _without_copies(data, copies, inputs.notes)
    pool = pool_models(data, models, progress=tell)
    tell("computing the posterior")
    posterior = posterior_of(pool.logs, data.codes, np.random.default_rng(seed), equal)
    tell("planting errors and looking for them" if self_check else "summing up")
    check = _self_check(data, models, posterior, equal, copies) if self_check else None
    if self_check and all(isinstance(model, GivenProbabilities) for model in models):
        inputs.notes.append(PROBABILITIES_ARE_OLDER)
    return assemble(inputs, data, pool, posterior, check, precision=precision, display=display)


def _silent(stage: str) -> None:
    """Nobody wants to know."""


def _models(
    inputs: Inputs, estimator: Any, pred_proba: Any, estimators: Sequence[Any] | None
) -> list[OutOfFoldModel]:
    if estimators is not None:
        models = named_models(estimators)
    elif inputs.X is not None:
        models = default_models(len(inputs.audited), len(inputs.present))
    else:
        models = []
    models = [*models, *models_of_user(inputs, estimator, pred_proba)]
    if not models:
        raise ValueError("no model is left to check the labels: pass a table, or pred_proba.")
    return models


def _training_data(inputs: Inputs, seed: int, n_jobs: int | None) -> TrainingData:
    codes = inputs.audited_codes
    X = np.empty((len(codes), 0)) if inputs.X is None else inputs.X
    return TrainingData(X, codes, len(inputs.present), inputs.groups, seed, n_jobs)


def _copies(data: TrainingData, equal: np.ndarray | None) -> np.ndarray | None:
    """The groups of equal rows if they are copies of each other, and None otherwise.

    Equal rows may also be different rows that coarse columns cannot tell apart, and then each of
    them tells about the others. There are few distinct rows then, or labels of equal rows differ as
    often as a quick model expects that has seen none of them, or all others.
    """
    if equal is None or not len(equal) / MOST_COPIES <= equal.max() + 1 < len(equal):
        return None
    model = RBFRidge("RBF features", MEDIUM)
    both = (model.out_of_fold_proba(replace(data, groups=groups)) for groups in (equal, None))
    return equal if all(are_copies(equal, data.codes, q.T) for q in both) else None


def _without_copies(
    data: TrainingData, copies: np.ndarray | None, notes: list[str]
) -> TrainingData:
    """Data whose groups keep copies together, unless they link all of the user's groups to one."""
    if copies is None:
        return data
    notes.append(copies_note(copies))
    if data.groups is None:
        return replace(data, groups=copies)
    groups = joined(copies, data.groups)
    return replace(data, groups=groups) if groups.max() > 0 else data


def _self_check(
    data: TrainingData,
    models: Sequence[OutOfFoldModel],
    first: Posterior,
    equal: np.ndarray | None,
    copies: np.ndarray | None,
) -> SelfCheck | None:
    """Audit copies of the labels with injected errors; of a large table, some of its rows."""
    random = np.random.default_rng(data.random_state + 1)
    if len(data.codes) > CHECKED_ROWS:
        rows = np.sort(random.choice(len(data.codes), CHECK_SAMPLE, replace=False))
        data = data.for_rows(rows)
        models = [m.for_rows(rows) if hasattr(m, "for_rows") else m for m in models]
        first = first._replace(p_wrong=first.p_wrong[rows])
        equal, copies = renumbered(equal, rows), renumbered(copies, rows)

    def audit_again(codes: np.ndarray, seed: int) -> Posterior:
        again = replace(data, codes=codes, random_state=seed)
        logs = pool_models(again, models).logs
        return posterior_of(logs, codes, np.random.default_rng(seed), equal)

    return run_self_check(data.codes, first, audit_again, random, copies)
