"""Classes: rows with one label each, read, judged and put together, in memory."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..._progress import Progress
from ...tables._columns import take_table_rows
from .._audit import Problem
from .._learning import (
    Judge,
    Learnt,
    TableRows,
    check_by_injecting,
    learn,
    notes_on_check,
    rows_to_learn_from,
)
from .._settings import EXACT_ROWS, LEARN_ROWS
from .._spellings import notes_on_spellings
from ..classes import Grouped, Posterior, grouped_hypotheses, with_verdicts
from ..examples._examples import show, shown_rows
from ..examples._explanations import Explainer
from ..examples._views import PER_ROW, Looked, View, Viewer
from ..inputs._decisions import DecidedLabels, lay_over, verdicts_of
from ..inputs._groups import row_index
from ..inputs._inputs import (
    Display,
    Inputs,
    Labelled,
    check_pred_proba,
    for_all_rows,
    inputs_of,
    read_labels,
)
from ..inputs._labels import one_per_row
from ..results._assembly import AllRows, class_result, judged_rows, rows_learnt_from
from ..results._audit import Audit
from ..results._flags import Flags, flags_by_line
from ..sequences import SequenceInputs, check_sequence, read_recordings


class ClassProblem(Problem):
    """Rows with one label each, those of recordings included."""

    course: SequenceInputs | None = None
    decided: DecidedLabels | None = None
    given: Labelled  # all rows
    rows: TableRows  # the same as they are to be judged
    inputs: Inputs  # of the rows to learn from
    learnt: Learnt
    found: AllRows
    look: Callable[[np.ndarray], View]  # at some rows
    grouped: Callable[[], Grouped]  # what hypotheses say of every row

    def __init__(self, X: Any, y: Any) -> None:
        self.X = X
        self.y = y

    def read(self) -> None:
        """Read labels and features, and what people decided."""
        options = self.options
        X = self.X
        y = self.y
        known = options.known
        check_sequence(
            options.sequence,
            options.wavelets,
            groups=options.groups,
            embeddings=options.embeddings,
            image_shape=options.image_shape,
        )
        if options.decisions is not None:
            # Time does not stand still where a row is unusable: a recording has no gaps.
            may_be_blank = options.sequence is None
            self.decided = lay_over(
                X, y, known, options.decisions, options.keys, may_be_blank=may_be_blank
            )
            X = self.decided.table
            y = self.decided.labels
            known = self.decided.known
        notes: list[str] = []
        if options.sequence is None:
            self.given = read_labels(X, y, known, options.drop)
            self.rows = self._table_rows(notes)
            self.inputs = self._inputs()
        else:
            self.course = read_recordings(
                X,
                y,
                options.sequence,
                wavelets=options.wavelets,
                trust=options.trust,
                known=known,
                seed=options.seed,
            )
            self.has_neighbors = False
            self.inputs = self.course.inputs
            self.given = Labelled.of(self.inputs)
            self.rows = self._table_rows(notes)
        given = self.given
        sizes = np.bincount(given.codes[given.codes >= 0], minlength=len(given.classes))
        sizes_by_class = dict(zip(given.classes.tolist(), sizes.tolist(), strict=True))
        self.inputs.notes.extend(notes)
        self.inputs.notes.extend([] if self.decided is None else self.decided.notes)
        self.inputs.notes.extend(notes_on_spellings(sizes_by_class))
        self.display = Display(
            options.ids,
            options.image_shape,
            options.title,
            self.y,
            options.random_state,
            row_index(given.table),
        )
        self.display.check(len(given.codes), given.table)

    def _table_rows(self, notes: list[str]) -> TableRows:
        given = self.given
        options = self.options
        n = len(given.codes)
        proba = options.pred_proba
        groups = options.groups
        return TableRows(
            places=np.arange(n),
            table=given.table,
            codes=given.codes,
            known=given.known,
            embeddings=options.embeddings,
            pred_proba=None if proba is None else check_pred_proba(proba, given.classes, n, notes),
            groups=None if groups is None else one_per_row("groups", groups, n),
        )

    def _inputs(self) -> Inputs:
        """The inputs of all rows, or of those that are drawn to learn from."""
        given = self.given
        rows = self.rows
        options = self.options
        n = len(given.codes)
        drawn = None
        proba = rows.pred_proba
        if n > LEARN_ROWS:
            drawn = rows_to_learn_from(n, options.seed)
            given = given.for_rows(drawn)
            proba = None if proba is None else proba[drawn]
            rows = rows._replace(table=None, pred_proba=None).for_rows(drawn)  # not copied twice
        inputs = inputs_of(
            given,
            embeddings=rows.embeddings,
            groups=rows.groups,
            trust=options.trust,
            seed=options.seed,
            n_jobs=options.n_jobs,
            drawn=drawn,
            n_rows=n,
            pred_proba=proba,
        )
        if drawn is None or options.estimator is not None:  # which alone looks at the table itself
            return inputs
        return inputs.without_features()._replace(table=None)

    def find(self, progress: Progress) -> None:
        """Learn from the rows, or from those that were drawn, and judge all of them."""
        proba = self.rows.pred_proba
        drawn = self.inputs.drawn
        if proba is not None and drawn is not None:
            proba = proba[drawn]
        learnt = self.learnt = learn(
            self.inputs,
            self.options,
            pred_proba=proba,
            course=self.course,
            fills=bool((self.given.codes < 0).any()),
            progress=progress,
        )
        if drawn is None:
            found = self._with_verdicts(rows_learnt_from(learnt, self.rows))
            view = View(
                inputs=found.inputs,
                posterior=found.posterior,
                logs=found.logs,
                models=learnt.pool.models,
            )
            self.take(found, lambda rows: view)
            if self.course is None:
                small = learnt._replace(inputs=learnt.inputs.without_features())
                self.explainer = Explainer(small)
            return
        progress("judging the other rows")
        judge = Judge.of(learnt)
        found = self._with_verdicts(judged_rows(learnt, judge, self.given, self.rows))
        small = learnt._replace(inputs=learnt.inputs.without_features())
        viewer = Viewer(small, judge, self._fetch, partial(_posterior_at, found))
        self.take(found, viewer.view)

    def take(self, found: AllRows, look: Callable[[np.ndarray], View]) -> None:
        """Take over what was found of all rows, and a way to look at some of them."""
        self.found = found
        self.look = look
        self.grouped = partial(_grouped, found)
        self.has_skill = found.posterior.skill.enough
        self.p_wrong = found.posterior.p_wrong
        self.suspicion = found.posterior.suspicion
        known = found.inputs.audited_known
        self.doubtful = np.ones(len(self.p_wrong), dtype=bool) if known is None else ~known
        if len(found.inputs.codes) > EXACT_ROWS:  # by the rule of tables that are not in memory
            self.draw = flags_by_line

    def _with_verdicts(self, found: AllRows) -> AllRows:
        if self.decided is None:
            return found
        verdicts = verdicts_of(self.decided, found.inputs)
        codes = found.inputs.audited_codes
        return found._replace(posterior=with_verdicts(found.posterior, found.logs, codes, verdicts))

    def _fetch(self, extra: np.ndarray) -> Looked:
        """Rows besides those that were drawn, to look at."""
        rows = self.rows.for_rows(extra)
        whole = self.given.table
        places = np.r_[np.asarray(self.inputs.drawn), extra]
        beside = None if whole is None else take_table_rows(whole, places)
        return Looked(rows, self.given.labels[extra], beside)

    @property
    def can_inject(self) -> bool:
        """Always: that nothing is found is an answer, too."""
        return True

    def inject(self) -> Any:
        """Inject wrong labels, by the noise model or at random."""
        check = check_by_injecting(self.learnt)
        self.found.inputs.notes.extend(notes_on_check(self.learnt))
        return check

    def result(self, flags: Flags, check: Any) -> Audit:
        """The audit, but for what is told of single rows."""
        return class_result(self.found, self.learnt.pool, check, flags, self.display)

    def show(self, result: Audit) -> Callable[[np.ndarray], View]:
        """Add the map of the data, and examples or, in recordings, stretches."""
        show(result, shown_rows(result), self.look, self.display, self.options, self.course)
        return self.look

    def view(self, result: Audit) -> View:
        """All rows that were learnt from."""
        return self.look(np.empty(0, dtype=np.intp))

    def group_hypotheses(self, result: Audit) -> Callable[[], Grouped]:
        """By kind and rate."""
        return self.grouped

    def reviewed(self, result: Audit) -> np.ndarray:
        """Whether each row has a label that may be wrong."""
        return self.found.inputs.doubtful


def _posterior_at(found: AllRows, places: np.ndarray) -> Posterior:
    """The posterior of some of the audited rows."""
    at = np.searchsorted(found.inputs.audited, places)
    columns = {name: getattr(found.posterior, name)[at] for name in PER_ROW}
    return found.posterior._replace(**columns)


def _grouped(found: AllRows) -> Grouped:
    """Hypotheses in groups, and what they say of every row."""
    inputs = found.inputs
    grouped = grouped_hypotheses(found.posterior, found.logs, inputs.audited_codes)
    return grouped._replace(p=for_all_rows(inputs, grouped.p, found.posterior.rate))
