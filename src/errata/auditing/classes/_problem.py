"""Classes: rows with one label each, read, judged and put together, in memory."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..._blocks import blocks
from ..._compat import take_rows
from ..._engine import release_memory
from ..._format import join_names, percent
from ..._kernels._probabilities import Findings
from ..._progress import Progress
from ...tables._columns import take_table_rows
from .._audit import Problem
from .._learning import Judge, Judged, Learnt, rows_to_learn_from
from .._settings import EXACT_ROWS, JUDGED_ROWS, OVERLAP
from ..classes import (
    Groups,
    Posterior,
    group_hypotheses,
    weigh_groups,
    with_verdicts,
)
from ..examples._views import RowsView, View
from ..inputs._duplicates import conflicting_duplicates, duplicates_by_bits
from ..inputs._groups import places_among
from ..inputs._inputs import (
    Inputs,
    TableRows,
    check_pred_proba,
    for_all_rows,
    inputs_of,
    lay_over,
    note_order,
    read_labels,
)
from ..inputs._labels import are_among, notes_on_spellings, one_per_row
from ..results._audit import Audit
from ..results._flags import (
    Rows,
    flag_after_verdicts,
    flags_by_line,
    keep_better_than_rate,
    near_borders,
)
from ..results._rates_by import NoiseRate
from ..sequences import (
    read_recordings,
    read_signals,
)


class ClassProblem(Problem):
    """Rows with one label each: all are learnt from, by models that have not seen the row judged.

    Methods follow each other as they are called.
    """

    can_ask_again = True
    may_be_blank = True  # whether a row may have no label
    verdicts: tuple[np.ndarray, np.ndarray] | None = None  # rows decided, and what labels were
    given: TableRows  # all rows
    inputs: Inputs  # of the rows to learn from; when all are judged, of all, without features
    learnt: Learnt
    posterior: Posterior  # of the rows that could be audited, in their order in the inputs
    suspects: np.ndarray  # of these rows, what would be flagged if nobody had decided on any
    spread: np.ndarray  # of their ``p_wrong`` after verdicts, a standard deviation
    filled: tuple[np.ndarray, np.ndarray]  # codes of rows without a label, and probabilities
    duplicates: list[np.ndarray]  # rows with equal features whose labels differ

    def __init__(self, X: Any, y: Any) -> None:
        self.X = X
        self.y = y

    def read(self) -> None:
        """Read labels and features, and what people decided."""
        options = self.options
        X = self.X
        y = self.y
        known = options.known
        notes: list[str] = []
        if options.decisions is not None:
            X, y, known, self.verdicts, notes = lay_over(
                X, y, known, options.decisions, options.keys, may_be_blank=self.may_be_blank
            )
        given = self.read_rows(X, y, known)
        n = len(given.codes)
        proba = options.pred_proba
        proba_notes: list[str] = []
        if proba is not None:
            proba = check_pred_proba(proba, given.classes, n, proba_notes)
        groups = options.groups
        self.given = given._replace(
            places=np.arange(n),
            embeddings=options.embeddings,
            pred_proba=proba,
            groups=None if groups is None else one_per_row("groups", groups, n),
        )
        self.inputs = self.read_features()
        sizes = np.bincount(given.codes[given.codes >= 0], minlength=len(given.classes))
        sizes_by_class = dict(zip(given.classes.tolist(), sizes.tolist(), strict=True))
        said = [*note_order(self.X, self.y), *proba_notes, *notes]
        self.inputs.notes.extend([*said, *notes_on_spellings(sizes_by_class)])
        self.name_rows(given.table, n)

    def read_rows(self, X: Any, y: Any, known: Any) -> TableRows:
        """Read the labels, and which of them are certain."""
        return read_labels(X, y, known, self.options.drop)

    def read_features(self) -> Inputs:
        """The inputs of the rows to learn from."""
        options = self.options
        return inputs_of(self.given, trust=options.trust, seed=options.seed, n_jobs=options.n_jobs)

    def find(self, progress: Progress) -> None:
        """Learn from the rows, and take over what models say of each that have not seen it."""
        given = self.given
        self.learnt = Learnt(
            self.inputs,
            self.options,
            pred_proba=given.pred_proba,
            fills=bool((given.codes < 0).any()),
            progress=progress,
        )
        inputs = self.inputs
        blank = inputs.unlabelled
        self.filled = (blank, np.empty(0))  # no row, and no probability
        if self.learnt.filler is not None:
            X = None
            if inputs.features is not None and inputs.scale is not None:
                X = inputs.scale.transform(take_rows(inputs.features.X, blank))
            proba = given.pred_proba
            proba = None if proba is None else proba[np.ix_(blank, inputs.present)]
            codes, p = self.learnt.filler(X, proba)
            self.filled = (inputs.present[codes], p)
        self.duplicates = _find_duplicates(inputs)
        self.learnt.forget_features()
        self.inputs = self.learnt.inputs
        self.posterior = self.learnt.posterior
        self.conclude()

    def flag(self) -> None:
        """Draw flags; after verdicts, none where these say that the list is as good as the table.

        With a precision, the list is as long as was asked for.
        """
        super().flag()
        if self.verdicts is None or not self.has_skill or self.options.precision is not None:
            return
        doubtful = self.doubtful
        p_wrong = self.p_wrong[doubtful]
        drawn = flag_after_verdicts(
            p_wrong,
            self.spread[doubtful],
            self.suspicion[doubtful],
            self.suspects[doubtful],
            self.draw,
        )
        kept = keep_better_than_rate(drawn, p_wrong)
        self.flagged[doubtful] = kept
        found = float(p_wrong[kept].sum())
        self.expected_precision = found / kept.sum() if kept.any() else float("nan")
        self.expected_recall = found / float(p_wrong.sum())
        if kept.sum() == drawn.sum():
            return
        self.inputs.notes.append(
            f"By the verdicts about {p_wrong.mean():.0%} of the labels are wrong, and most of the "
            "list would be no more often wrong than any row: only rows that are more probably "
            "wrong than the others are flagged."
        )

    def conclude(self) -> None:
        """Take in verdicts of people, and keep what flags are drawn from."""
        inputs = self.inputs
        if len(inputs.codes) > EXACT_ROWS:  # by the rule of tables that are not in memory
            self.draw = flags_by_line
        if self.verdicts is not None:
            found = find_verdicts(inputs, *self.verdicts)
            before = self.posterior
            doubtful = before.p_wrong > 0  # others are known
            self.suspects = np.zeros(len(doubtful), dtype=bool)
            self.suspects[doubtful], _, _ = self.draw(
                before.p_wrong[doubtful], before.suspicion[doubtful]
            )
            self.posterior, self.spread = with_verdicts(
                before, self.pool_logs(), inputs.audited_codes, *found, self.suspects
            )
        posterior = self.posterior
        self.has_skill = posterior.skill.enough
        self.p_wrong = posterior.p_wrong
        self.suspicion = posterior.suspicion
        known = inputs.audited_known
        self.doubtful = np.ones(len(self.p_wrong), dtype=bool) if known is None else ~known
        self.has_map = self.learnt.inputs.X is not None

    def pool_logs(self) -> np.ndarray:
        """Pooled logarithms of probabilities of the audited rows."""
        return self.learnt.pool.logs

    @property
    def can_inject(self) -> bool:
        """Always: that nothing is found is an answer, too."""
        return True

    def inject(self, progress: Progress) -> Any:
        """Inject wrong labels, by the noise model or at random."""
        check = self.learnt.inject_errors(progress)
        self.inputs.notes.extend(self.learnt.note_check())
        return check

    def result(self, check: Any) -> Audit:
        """The audit, but for what is told of single rows."""
        inputs = self.inputs
        posterior = self.posterior
        rows = Rows.judged(inputs.codes, inputs.known, inputs.audited, posterior, inputs.present)
        rows.fill(*self.filled)
        rows = rows.flag(for_all_rows(inputs, self.flagged, False), posterior.rate)
        columns = {
            "labels": inputs.labels,
            "suspicion": rows.suspicion,
            "p_wrong": rows.p_wrong,
            "suggested": inputs.classes[rows.suggested],
            "p_suggested": rows.p_suggested,
            "flagged": rows.flagged,
            "_known": inputs.known,
        }
        near = near_borders(posterior.p_elsewhere[self.flagged])
        return self.assemble(columns, check, int(self.flagged.sum()), near)

    def assemble(
        self, columns: dict[str, Any], check: Any, n_flagged: int, near_borders: int
    ) -> Audit:
        """The audit of rows in memory or on disk; a class that was not audited keeps its label."""
        inputs = self.inputs
        posterior = self.posterior
        n_classes = len(inputs.classes)
        prior = np.zeros(n_classes)
        prior[inputs.present] = posterior.prior
        transition = np.eye(n_classes)
        transition[np.ix_(inputs.present, inputs.present)] = posterior.transition
        return Audit(
            **columns,
            noise_rate=NoiseRate(posterior.rate, posterior.low, posterior.high),
            hypotheses=posterior.noise.by_kind(posterior.rates),
            has_skill=posterior.skill.enough,
            transition=transition,
            prior=prior,
            classes=inputs.classes,
            models=self.learnt.pool.describe(),
            self_check=check,
            expected_precision=self.expected_precision,
            expected_recall=self.expected_recall,
            _rule=self.rule,
            notes=[*notes_about_noise(posterior, n_flagged, near_borders), *inputs.notes],
            duplicates=self.duplicates,
            _about=self.about(inputs.table, inputs.n_features, self.y),
            _index=self.index,
            _ids=self.ids,
            overlap=posterior.noise.ambiguity,
        )

    def keep_view(self, result: Audit) -> None:
        """Of all rows."""
        pool = self.learnt.pool
        self.shown = View(
            inputs=self.inputs,
            posterior=self.posterior,
            logs=pool.logs,
            models=pool.names,
            predicted=pool.predicted,
        )

    def show(self, result: Audit) -> None:
        """Add a map of the data, and examples."""
        super().show(result)
        result.notes += notes_about_duplicates(result.duplicates)

    def group_hypotheses(self, result: Audit) -> Groups:
        """By kind and rate."""
        posterior = self.posterior
        p = group_hypotheses(posterior, self.pool_logs(), self.inputs.audited_codes)
        return *weigh_groups(posterior.noise), for_all_rows(self.inputs, p, posterior.rate)

    @property
    def reviewed(self) -> np.ndarray:
        """Whether each row has a label that may be wrong."""
        return self.inputs.doubtful


class RecordingProblem(ClassProblem):
    """Rows with one label each that follow each other in time."""

    has_neighbors = False
    can_ask_again = False
    may_be_blank = False  # time does not stand still where a row is unusable

    def read_rows(self, X: Any, y: Any, known: Any) -> TableRows:
        """Read labels, recordings and signals."""
        options = self.options
        self.inputs = read_recordings(
            X,
            y,
            options.sequence,
            wavelets=options.wavelets,
            trust=options.trust,
            known=known,
            seed=options.seed,
        )
        inputs = self.inputs
        return TableRows(inputs.table, inputs.labels, inputs.classes, inputs.codes, inputs.known)

    def read_features(self) -> Inputs:
        """The signals, which were read with the labels."""
        return self.inputs

    def show(self, result: Audit) -> None:
        """Add a map of the data, from where to where labels are wrong, and the signal there.

        A row by itself says little in recordings, and that others look like it is nothing unusual.
        """
        Problem.show(self, result)
        inputs = self.inputs
        timeline = inputs.timeline
        assert timeline is not None
        signals, _, _ = read_signals(inputs.table, timeline.recordings)
        result.examples = []
        result._timeline = timeline
        result._traces = timeline.draw_traces(
            result._stretch_columns(),
            {column.name: values for column, values in signals},
            inputs.codes,
            labels=result.labels,
            suggested=result.suggested,
        )


class DrawnProblem(ClassProblem):
    """Rows of a large table: some are drawn to learn from, all are judged by what was learnt."""

    can_ask_again = False
    learnt_proba: np.ndarray | None  # the user's probabilities of the rows to learn from
    judge: Judge

    def read_features(self) -> Inputs:
        """The inputs of the rows that are drawn to learn from."""
        options = self.options
        n = len(self.given.codes)
        drawn = rows_to_learn_from(n, options.seed)
        rows = self.given.for_rows(drawn)
        self.learnt_proba = rows.pred_proba
        inputs = self.inputs_of_drawn(rows, drawn, n)
        _release_after(inputs)
        # An estimator alone looks at the table itself.
        return inputs if options.estimator is not None else inputs._replace(table=None)

    def inputs_of_drawn(self, rows: TableRows, drawn: np.ndarray, n_rows: int) -> Inputs:
        """Inputs of rows drawn from so many, without what only the user's estimator looks at."""
        options = self.options
        inputs = inputs_of(
            rows,
            trust=options.trust,
            seed=options.seed,
            n_jobs=options.n_jobs,
            drawn=drawn,
            n_rows=n_rows,
        )
        return inputs if options.estimator is not None else inputs.without_features()

    def find(self, progress: Progress) -> None:
        """Learn from the drawn rows, and judge all of them, a block at a time."""
        given = self.given
        self.learnt = Learnt(
            self.inputs,
            self.options,
            pred_proba=self.learnt_proba,
            fills=bool((given.codes < 0).any()),
            # What the user's probabilities alone say of a row does not depend on the draw.
            judged=self.inputs.X is not None,
            progress=progress,
        )
        progress("judging the other rows")
        _release_after(self.inputs)
        judge = Judge(self.learnt)
        self.judge = judge
        n_audited = int(are_among(given.codes, judge.present).sum())
        found = None
        done = 0
        filled = []
        bits = []
        self.kept_logs = []
        unread: Counter[str] = Counter()
        for block in blocks(len(given.codes), JUDGED_ROWS):
            judged = Judged(judge, given.for_rows(block))
            if found is None:
                found = judged.found.make_empty(n_audited)
            found.put(done, judged.found)
            done += len(judged.found.p_wrong)
            filled.append(judged.filled)
            bits.append(judged.bits)
            unread += judged.unread
            if judge.asks_models:
                self.kept_logs.append(judged.logs)
        self.learnt.forget_features()
        assert found is not None  # there is a block at least
        codes, p = zip(*filled, strict=True)
        self.filled = (np.concatenate(codes), np.concatenate(p))
        self.duplicates = find_duplicates_by_bits(bits, given.codes)
        self.take(found, given, unread)
        _release_after(self.learnt.inputs)

    def take(self, found: Findings, given: TableRows, unread: Counter[str]) -> None:
        """Take over all rows, which were judged by what was learnt from some of them."""
        drawn = self.learnt.inputs
        self.inputs = drawn.without_features()._replace(
            table=given.table,
            labels=given.labels,
            codes=given.codes,
            known=given.known,
            X=None,
            audited=np.flatnonzero(are_among(given.codes, drawn.present)),
            groups=None,
            folds=None,
            notes=[*drawn.notes, *unread_note(unread)],
            drawn=None,
        )
        self.posterior = self.learnt.gather(found)
        self.conclude()

    def pool_logs(self) -> np.ndarray:
        """Pooled logarithms of probabilities of the audited rows."""
        if self.kept_logs:
            return np.concatenate(self.kept_logs, axis=1)
        return self.judge.pool_all(self.given)  # seldom asked for, and quicker computed than kept

    def inject(self, progress: Progress) -> Any:
        """Inject wrong labels among the drawn rows."""
        learnt = self.learnt
        if not len(learnt.posterior.p_wrong):  # judged with all other rows
            places = np.asarray(learnt.inputs.drawn)[learnt.inputs.audited]
            of_drawn = np.searchsorted(self.inputs.audited, places)
            learnt.posterior = self.posterior.for_rows(of_drawn)
        return super().inject(progress)

    def keep_view(self, result: Audit) -> None:
        """Rows are looked at when they are asked for."""

    def look(self, rows: np.ndarray) -> RowsView:
        """Some rows, among those that were learnt from."""
        learnt = self.learnt
        drawn = learnt.inputs
        places = np.asarray(drawn.drawn)
        extra = np.sort(rows[~places_among(places, rows)[1]])
        places = np.r_[places, extra]
        given, table = self.fetch(extra)
        judged = Judged(self.judge, given)
        known = None
        if drawn.known is not None and given.known is not None:
            known = np.r_[drawn.known, given.known]
        X = None
        if drawn.X is not None:  # and not all rows in double precision
            X = np.concatenate([drawn.X, judged.X.astype(drawn.X.dtype)])
        inputs = drawn._replace(
            table=table,
            labels=np.concatenate([drawn.labels, given.labels]),
            codes=np.r_[drawn.codes, given.codes],
            X=X,
            audited=np.r_[drawn.audited, len(drawn.codes) + np.flatnonzero(judged.audited)],
            groups=None,
            folds=None,
            known=known,
        )
        return View(
            inputs=inputs,
            rows=places,
            posterior=self.posterior_at(places[inputs.audited], judged.found),
            logs=np.concatenate([learnt.pool.logs, judged.logs], axis=1),
            models=learnt.pool.names,
            predicted=np.concatenate([learnt.pool.predicted, judged.predicted], axis=1),
        )

    def fetch(self, extra: np.ndarray) -> tuple[TableRows, Any]:
        """Rows besides those that were drawn, and the table of all of these."""
        whole = self.given.table
        places = np.r_[np.asarray(self.learnt.inputs.drawn), extra]
        return self.given.for_rows(extra), None if whole is None else take_table_rows(whole, places)

    def posterior_at(self, places: np.ndarray, extra: Findings) -> Posterior:
        """The posterior of rows at these places: drawn ones, then those of ``extra``."""
        return self.posterior.for_rows(np.searchsorted(self.inputs.audited, places))


def _release_after(inputs: Inputs) -> None:
    """Give back what was freed; where there are no features, that costs more than it gives."""
    if inputs.X is not None:
        release_memory()


def find_verdicts(
    inputs: Inputs, rows: np.ndarray, were: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The audited among rows that were decided, and as codes what labels were and classes are."""
    place = {name: code for code, name in enumerate(inputs.classes[inputs.present].tolist())}
    codes = np.array([place.get(label, -1) for label in were])
    at, are_audited = inputs.places_of(rows)
    meant = are_audited & (codes >= 0)
    return at[meant], codes[meant].astype(np.intp), inputs.audited_codes[at[meant]]


def unread_note(unread: Counter[str]) -> list[str]:
    """A sentence about cells of another kind than those that were learnt from, if there are any."""
    if not unread:
        return []
    told = (f"{n:,} of {name!r}" for name, n in sorted(unread.items()))
    return [
        "Cells of another kind than those learnt from count as missing: "
        f"{join_names(told, most=8)}."
    ]


def _find_duplicates(inputs: Inputs) -> list[np.ndarray]:
    if inputs.features is None:
        return []
    # Rows of which nothing is known, such as pictures that cannot be read, are not the same thing.
    compared = np.flatnonzero((inputs.codes >= 0) & ~inputs.features.find_empty_rows())
    if len(compared) == len(inputs.codes):
        return conflicting_duplicates(inputs.features.X, inputs.codes)
    X = take_rows(inputs.features.X, compared)
    return [compared[rows] for rows in conflicting_duplicates(X, inputs.codes[compared])]


def find_duplicates_by_bits(
    parts: Iterable[np.ndarray | None], codes: np.ndarray
) -> list[np.ndarray]:
    """Rows with equal features whose labels differ, by the bits of all parts of the table."""
    bits = [part for part in parts if part is not None]
    if not bits:
        return []
    labelled = np.flatnonzero(codes >= 0)
    return duplicates_by_bits(np.concatenate(bits)[labelled], codes[labelled], labelled)


def notes_about_noise(posterior: Posterior, flagged: int, near_borders: int) -> list[str]:
    """Notes on what these columns cannot tell: everything, overlap, noise at borders.

    Of the flagged rows, so many may be wrong only if errors gather near the borders of classes.
    """
    if not posterior.skill.enough:
        return [
            "These columns do not tell the labels apart (no better than knowing how frequent each "
            "label is). Whether labels are wrong cannot be told from them: anything from none to "
            f"{percent(posterior.high)} is possible. Nothing is flagged."
        ]
    notes = []
    if flagged and posterior.noise.ambiguity >= OVERLAP:
        look = f"Part or all of the {flagged:,} labels that look wrong"
        notes.append(
            "The classes overlap in these columns. "
            f"{look if flagged > 1 else 'The label that looks wrong'} may be right and merely "
            "unusual."
        )
    if near_borders:
        one = near_borders == 1
        rows = "1 flagged row lies" if one else f"{near_borders:,} flagged rows lie"
        notes.append(
            f"{rows} where classes meet: wrong if errors gather there, right if the classes merely "
            "overlap."
        )
    return notes


def notes_about_duplicates(duplicates: list[np.ndarray]) -> list[str]:
    """How many rows are equal but labelled differently."""
    if not duplicates:
        return []
    rows = sum(map(len, duplicates))
    groups = "group" if len(duplicates) == 1 else "groups"
    return [
        f"{rows:,} rows in {len(duplicates):,} {groups} are equal to each other but labelled "
        "differently: in each group at least one label is wrong, or the columns do not tell enough."
    ]
