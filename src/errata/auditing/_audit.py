"""The audit, one stage after the other."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .._random import draw_seed
from .._validation import check_fraction
from ._assembly import assemble, show_rows, show_stretches
from ._copies import copies_note
from ._decided_labels import lay_over, row_names, verdicts_of
from ._default_models import default_models
from ._for_review import ForReview
from ._groups import joined
from ._inputs import Display, Inputs, read_inputs
from ._models import OutOfFoldModel, TrainingData
from ._notes import PROBABILITIES_ARE_OLDER
from ._pooling import pool_models
from ._result import Audit
from ._row_index import row_index
from ._self_check import SelfCheck, run_self_check
from ._ties import Ties, find_ties
from ._unlabelled import fill_in
from ._user_models import GivenProbabilities, models_of_user, named_models
from .classes import Posterior, posterior_of, with_verdicts
from .sequences import SequenceInputs, check_sequence, read_recordings, sequence_models


def audit(
    X: Any,
    y: Any,
    *,
    estimator: Any = None,
    pred_proba: Any = None,
    embeddings: Any = None,
    estimators: Sequence[Any] | None = None,
    groups: Any = None,
    sequence: Any = None,
    wavelets: Any = None,
    trust: Sequence[Any] = (),
    known: Any = None,
    decisions: Any = None,
    keys: Any = None,
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
        The labels, or the name of their column in ``X``. Where one is missing (None, NaN), the row
        teaches nothing and gets the most probable class as ``suggested``.
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
    sequence : array-like of shape (n,) or str, optional
        For rows that follow each other in time: the recording that each row belongs to, or the
        name of that column in ``X``. Rows of one recording are taken in the order of the table.
        Hidden Markov models then stand for errata's own models, a recording is read by models that
        were fitted to others (or to other parts, where there are fewer than five), and
        :meth:`Audit.stretches` tells from where to where labels are wrong. Only columns of numbers
        are looked at.
    wavelets : errata.sequence.WaveletFeatures, optional
        With ``sequence``: models look at these features of the signals instead of the signals.
    trust : sequence of column names or positions, optional
        Columns that were measured independently of the label. A column that alone gives nearly
        every label, when the others cannot, looks made from the label and is left out unless it is
        named here.
    known : array-like of bool of shape (n,) or str, optional
        Rows whose label is certain, or the name of a column of ``X`` that says so (1 or 0, true or
        false, yes or no). They teach like any others but are never flagged, and nothing is learnt
        about the noise from them.
    decisions : Decisions or path, optional
        What people decided about the rows in a review. The classes they gave replace the labels and
        are known; rows they found unusable are left out as if they had no label; which labels were
        wrong also tells what the noise is like.
    keys : array-like of str of shape (n,), optional
        What decisions know the rows by, see :func:`errata.tables.row_keys`; by default their
        places, as "row.12".
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
    tell, started = progress or _silent, time.perf_counter()
    tell("reading the table")
    if precision is not None:
        check_fraction("precision", precision)
    seed = draw_seed(random_state)
    check_sequence(
        sequence, wavelets, groups=groups, embeddings=embeddings, image_shape=image_shape
    )
    label, told = y, None
    if decisions is not None:
        # Time does not stand still where a row is unusable: a recording has no gaps.
        told = lay_over(X, y, known, decisions, keys, may_be_blank=sequence is None)
        X, y, known = told.table, told.labels, told.known
    if sequence is None:
        course = None
        inputs = read_inputs(
            *(X, y),
            embeddings=embeddings,
            groups=groups,
            trust=trust,
            known=known,
            seed=seed,
            n_jobs=n_jobs,
        )
    else:
        course = read_recordings(
            *(X, y, sequence), wavelets=wavelets, trust=trust, known=known, seed=seed
        )
        inputs = course.inputs
    inputs.notes.extend([] if told is None else told.notes)
    display = Display(ids, image_shape, title, label, random_state, row_index(inputs.table))
    display.check(inputs)
    models = _models(inputs, estimator, pred_proba, estimators, course)
    data = _training_data(inputs, seed, n_jobs)
    ties = find_ties(data, inputs, None if course is None else course.audited)
    data = _without_copies(data, ties.copies, inputs.notes)
    pool = pool_models(data, models, progress=tell)
    tell("computing the posterior")
    random = np.random.default_rng(seed)
    posterior = posterior_of(
        *(pool.logs, data.codes, random), **ties.evidence(data.codes), known=inputs.audited_known
    )
    posterior = with_verdicts(posterior, pool.logs, data.codes, verdicts_of(told, inputs))
    filled = fill_in(inputs, data, pool, posterior, pred_proba)
    tell("planting errors and looking for them" if self_check else "summing up")
    check = _self_check(data, models, posterior, ties, inputs.audited_known) if self_check else None
    if self_check and all(isinstance(model, GivenProbabilities) for model in models):
        inputs.notes.append(PROBABILITIES_ARE_OLDER)
    found = assemble(
        *(inputs, data, pool, posterior, check, filled), precision=precision, display=display
    )
    if course is None:
        show_rows(found, inputs, data, pool, posterior, display)
    else:
        show_stretches(found, course)
    found.keys = None if keys is None else row_names(keys, len(found))
    found.for_review = ForReview(
        *(_without_features(inputs), display, posterior, pool.logs, pool.models),
        seconds=time.perf_counter() - started,
        seed=seed,
        n_jobs=n_jobs,
        has_neighbors=course is None,
    )
    return found


def _without_features(inputs: Inputs) -> Inputs:
    """Inputs without what only models need, so that an audit does not hold the table twice."""
    return inputs._replace(features=None, model_table=None)


def _silent(stage: str) -> None:
    """Nobody wants to know."""


def _models(
    inputs: Inputs,
    estimator: Any,
    pred_proba: Any,
    estimators: Sequence[Any] | None,
    course: SequenceInputs | None,
) -> list[OutOfFoldModel]:
    if estimators is not None:
        models = named_models(estimators)
    elif course is not None:
        models = sequence_models(course.audited)
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
    ties: Ties,
    known: np.ndarray | None,
) -> SelfCheck | None:
    """Audit copies of the labels with injected errors; of a large table, some of its rows."""
    random = np.random.default_rng(data.random_state + 1)
    rows = ties.some_rows(len(data.codes), random)
    if rows is not None:
        data, ties = data.for_rows(rows), ties.for_rows(rows)
        models = [m.for_rows(rows) if hasattr(m, "for_rows") else m for m in models]
        first = first._replace(p_wrong=first.p_wrong[rows])
        known = None if known is None else known[rows]

    def audit_again(codes: np.ndarray, seed: int) -> Posterior:
        again = replace(data, codes=codes, random_state=seed)
        logs = pool_models(again, models).logs
        random = np.random.default_rng(seed)
        return posterior_of(logs, codes, random, **ties.evidence(codes), known=known)

    together = ties.changed_together(data.codes)
    return run_self_check(data.codes, first, audit_again, random, together, known)
