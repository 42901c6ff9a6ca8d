"""The audit of a table in memory, one stage after the other."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .._progress import Progress
from .._random import draw_seed
from .._validation import check_fraction
from ..tables._columns import take_table_rows
from ._learning import Brought, Judge, Learnt, TableRows, check_by_injecting, learn, notes_on_check
from ._settings import LEARN_ROWS
from ._spellings import notes_on_spellings
from .classes import Grouped, Posterior, grouped_hypotheses, with_verdicts
from .examples._examples import Showing
from .examples._explanations import Explainer
from .examples._views import PER_ROW, Looked, View, Viewer
from .inputs._decisions import DecidedLabels, lay_over, row_names, verdicts_of
from .inputs._groups import row_index
from .inputs._inputs import (
    Display,
    Inputs,
    Labelled,
    check_pred_proba,
    for_all_rows,
    inputs_of,
    read_labels,
)
from .inputs._labels import one_per_row
from .results._assembly import AllRows, assemble, judged_rows, rows_learnt_from
from .results._audit import Audit
from .sequences import SequenceInputs, check_sequence, read_recordings


class Asked(NamedTuple):
    """What the user asks for; see :func:`errata.audit`."""

    estimator: Any
    pred_proba: Any
    embeddings: Any
    estimators: Sequence[Any] | None
    groups: Any
    sequence: Any
    wavelets: Any
    trust: Sequence[Any]
    known: Any
    decisions: Any
    keys: Any
    ids: Any
    precision: float | None
    self_check: bool
    image_shape: tuple[int, ...] | None
    title: str | None
    drop: Sequence[Any]
    random_state: Any
    n_jobs: int | None


def audit_in_memory(X: Any, y: Any, asked: Asked, progress: Progress) -> Audit:
    """See :func:`errata.audit`."""
    started = time.perf_counter()
    progress("reading the table")
    table = read_table_to_audit(X, y, asked)
    learnt = learn(
        *(table.inputs, table.brought(asked)),
        course=table.course,
        fills=bool((table.given.codes < 0).any()),
        seed=table.seed,
        n_jobs=asked.n_jobs,
        progress=progress,
    )
    found, look = _all_rows(table, learnt, progress)
    progress("planting errors and looking for them" if asked.self_check else "summing up")
    check = check_by_injecting(learnt) if asked.self_check else None
    found.inputs.notes.extend(notes_on_check(learnt) if asked.self_check else [])
    result = assemble(
        *(found, learnt.pool, check),
        precision=asked.precision,
        showing=Showing(look, table.display, table.seed, asked.n_jobs),
        grouped=partial(_grouped, found),
        started=started,
        course=table.course,
        explainer=_explainer(table, learnt),
    )
    result.keys = None if asked.keys is None else row_names(asked.keys, len(result))
    return result


def _explainer(table: "TableToAudit", learnt: Learnt) -> Explainer | None:
    """Of rows that stand by themselves, and that models have learnt from, all of them."""
    if table.course is not None or table.inputs.drawn is not None:
        return None
    return Explainer(learnt._replace(inputs=learnt.inputs.without_features()))


class TableToAudit(NamedTuple):
    """A table in memory, read and checked."""

    given: Labelled  # all rows
    rows: TableRows  # the same as they are to be judged
    inputs: Inputs  # of the rows to learn from
    course: SequenceInputs | None
    decided: DecidedLabels | None
    display: Display
    seed: int

    def of_drawn(self, values: np.ndarray | None) -> np.ndarray | None:
        """What the user says of rows, of those to learn from."""
        drawn = self.inputs.drawn
        return values if values is None or drawn is None else values[drawn]

    def brought(self, asked: Asked) -> Brought:
        """The user's models, for the rows to learn from."""
        return Brought(asked.estimator, self.of_drawn(self.rows.pred_proba), asked.estimators)


def read_table_to_audit(X: Any, y: Any, asked: Asked) -> TableToAudit:
    """Read and check all that the user passes."""
    if asked.precision is not None:
        check_fraction("precision", asked.precision)
    seed, label, known, decided = draw_seed(asked.random_state), y, asked.known, None
    check_sequence(
        *(asked.sequence, asked.wavelets),
        groups=asked.groups,
        embeddings=asked.embeddings,
        image_shape=asked.image_shape,
    )
    if asked.decisions is not None:
        # Time does not stand still where a row is unusable: a recording has no gaps.
        decided = lay_over(
            *(X, y, known, asked.decisions, asked.keys), may_be_blank=asked.sequence is None
        )
        X, y, known = decided.table, decided.labels, decided.known
    course = None
    notes: list[str] = []
    if asked.sequence is None:
        given = read_labels(X, y, known, asked.drop)
        rows = _table_rows(given, asked, notes)
        inputs = _inputs(given, rows, asked, seed)
    else:
        course = read_recordings(
            *(X, y, asked.sequence),
            wavelets=asked.wavelets,
            trust=asked.trust,
            known=known,
            seed=seed,
        )
        inputs = course.inputs
        given = Labelled.of(inputs)
        rows = _table_rows(given, asked, notes)
    inputs.notes.extend(notes)
    inputs.notes.extend([] if decided is None else decided.notes)
    inputs.notes.extend(notes_on_spellings(_class_sizes(given)))
    display = Display(
        *(asked.ids, asked.image_shape, asked.title, label, asked.random_state),
        row_index(given.table),
    )
    display.check(len(given.codes), given.table)
    return TableToAudit(given, rows, inputs, course, decided, display, seed)


def _class_sizes(given: Labelled) -> dict[Any, int]:
    """How many rows have each label, those that models do not learn from included."""
    sizes = np.bincount(given.codes[given.codes >= 0], minlength=len(given.classes))
    return dict(zip(given.classes.tolist(), sizes.tolist(), strict=True))


def _table_rows(given: Labelled, asked: Asked, notes: list[str]) -> TableRows:
    n, groups, proba = len(given.codes), asked.groups, asked.pred_proba
    return TableRows(
        places=np.arange(n),
        table=given.table,
        codes=given.codes,
        known=given.known,
        embeddings=asked.embeddings,
        pred_proba=None if proba is None else check_pred_proba(proba, given.classes, n, notes),
        groups=None if groups is None else one_per_row("groups", groups, n),
    )


def _inputs(given: Labelled, rows: TableRows, asked: Asked, seed: int) -> Inputs:
    """The inputs of all rows, or of those that are drawn to learn from."""
    n, drawn, proba = len(given.codes), None, rows.pred_proba
    if n > LEARN_ROWS:
        drawn = rows_to_learn_from(n, seed)
        given = given.for_rows(drawn)
        proba = None if proba is None else proba[drawn]
        rows = rows._replace(table=None, pred_proba=None).for_rows(drawn)  # not copied twice
    inputs = inputs_of(
        given,
        embeddings=rows.embeddings,
        groups=rows.groups,
        trust=asked.trust,
        seed=seed,
        n_jobs=asked.n_jobs,
        drawn=drawn,
        n_rows=n,
        pred_proba=proba,
    )
    if drawn is None or asked.estimator is not None:  # which alone looks at the table itself
        return inputs
    return inputs.without_features()._replace(table=None)


def _all_rows(
    table: TableToAudit, learnt: Learnt, progress: Progress
) -> tuple[AllRows, Callable[[np.ndarray], View]]:
    """What is known of all rows, and a way to look at some of them."""
    if table.inputs.drawn is None:
        found = _with_verdicts(rows_learnt_from(learnt, table.rows), table.decided)
        view = View(
            inputs=found.inputs,
            posterior=found.posterior,
            logs=found.logs,
            models=learnt.pool.models,
        )
        return found, lambda rows: view
    progress("judging the other rows")
    judge = Judge.of(learnt)
    found = _with_verdicts(judged_rows(learnt, judge, table.given, table.rows), table.decided)
    learnt = learnt._replace(inputs=learnt.inputs.without_features())
    posterior_at = partial(_posterior_at, found)
    return found, Viewer(learnt, judge, partial(_fetch, table), posterior_at).view


def _with_verdicts(found: AllRows, decided: DecidedLabels | None) -> AllRows:
    if decided is None:
        return found
    verdicts = verdicts_of(decided, found.inputs)
    codes = found.inputs.audited_codes
    return found._replace(posterior=with_verdicts(found.posterior, found.logs, codes, verdicts))


def _posterior_at(found: AllRows, places: np.ndarray) -> Posterior:
    """The posterior of some of the audited rows."""
    at = np.searchsorted(found.inputs.audited, places)
    columns = {name: getattr(found.posterior, name)[at] for name in PER_ROW}
    return found.posterior._replace(**columns)


def _fetch(table: TableToAudit, extra: np.ndarray) -> Looked:
    rows, whole = table.rows.for_rows(extra), table.given.table
    places = np.r_[np.asarray(table.inputs.drawn), extra]
    beside = None if whole is None else take_table_rows(whole, places)
    return Looked(rows, table.given.labels[extra], beside)


def _grouped(found: AllRows) -> Grouped:
    """Hypotheses in groups, and what they say of every row."""
    inputs = found.inputs
    grouped = grouped_hypotheses(found.posterior, found.logs, inputs.audited_codes)
    return grouped._replace(p=for_all_rows(inputs, grouped.p, found.posterior.rate))


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
