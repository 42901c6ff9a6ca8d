"""The audit of several labels per row, one stage after the other, and its rows to look at."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import logit

from ..._canonical import mix_bits, order_rows, sign_table
from ..._compat import take_rows
from ..._format import four_digits, join_names, percent
from ..._progress import Progress, open_progress
from ...tables import Features, features_of
from ...tables._columns import columns_of, count_rows, without_columns
from .._audit import Options, Problem, run_audit
from .._learning import PROBABILITIES_ARE_OLDER, without_copies
from .._self_check import inject_errors, sum_up
from .._settings import (
    CHECK_SAMPLE,
    CHECKED_ROWS,
    FEWEST_INJECTED,
    LEARN_ROWS,
    NAMED_COLUMNS,
    OVERLAP,
    SMALLEST_PROBABILITY,
)
from ..examples._views import RowsView, inputs_to_show
from ..inputs._duplicates import copies_among, copy_groups
from ..inputs._features import FeatureScaler, find_leak
from ..inputs._groups import group_numbers
from ..inputs._inputs import check_trust, table_in_memory
from ..inputs._labels import one_per_row
from ..models._base import OutOfFoldModel, TrainingData
from ..models._default import CrossFitted, GivenProbabilities, check_classifier, estimator_table
from ..results._rates_by import NoiseRate
from ._finding import (
    CellCheck,
    JudgedCells,
    Rates,
    find_wrong_cells,
    take_label,
)
from ._inputs import LabelSets, label_name
from ._result import MultilabelAudit, kind_of_error, round_rate, set_in_words

# What is shown, which decides about no number.
CARD_CELLS = 30  # of several labels per row: the most doubted, besides those that are set

INJECTED_CELLS = 0.05  # flipped by the self-check, half of them each way

SALT = np.uint64(1)  # nothing, mixed with nothing, would stay nothing
ROUNDING = 1e-9  # by which sums of probabilities may exceed one

NOTHING = NoiseRate(0.0, 0.0, 0.0)


def audit_multilabel(
    X: Any,
    Y: Any,
    *,
    estimator: Any = None,
    pred_proba: Any = None,
    embeddings: Any = None,
    groups: Any = None,
    trust: Sequence[Any] = (),
    ids: Any = None,
    precision: float | None = None,
    self_check: bool = True,
    title: str | None = None,
    drop: Sequence[Any] = (),
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: Progress | bool | None = None,
) -> MultilabelAudit:
    """Find out which labels are missing or wrongly set where a row may have several.

    Every label is an audit of two classes: rows that have it, and rows that do not. Models look at
    the columns first, then at the other labels of the row besides, as far as these are believed.
    How often labels are missing or wrongly set is learnt from all labels together, so that small
    overestimates do not add up. Labels that the columns do not tell are named, and nothing is
    flagged in them. Then cells are flipped in a copy, both ways, and looked for.

    Parameters
    ----------
    X : table of shape (n, d)
        A pandas or polars dataframe, an Arrow table, a ``Dataset`` of Hugging Face, a mapping of
        names to columns, an array, a sparse matrix, in memory. None when ``pred_proba`` is all
        there is.
    Y : table of shape (n, L), list of lists, or names of columns
        An array, sparse matrix or dataframe of 0 and 1; a list (or set) of labels for each row;
        text with ``;``, ``|`` or ``,`` between labels for each row; or which columns of ``X`` to
        take: the name of one that holds lists or text, or names and patterns (``"is_*"``) of
        columns of 0 and 1.
    estimator : classifier with ``predict_proba``, optional
        A model of yours, cross-fitted to ``X`` as you gave it for one label at a time, and pooled
        with the other models.
    pred_proba : array-like or dataframe of shape (n, L), optional
        Out-of-fold probabilities that each label is set, by a model of yours. The columns of a
        dataframe are matched to the labels by name.
    embeddings : array-like of shape (n, d), optional
        What models should look at instead of ``X``.
    groups : array-like of shape (n,), optional
        Rows of one group (a patient, a document) are never predicted from each other. Copies of
        a row are found and treated so without being named.
    trust : sequence of column names or positions, optional
        Columns that were measured independently of the labels. A column that alone gives nearly
        every value of one label is left out unless it is named here.
    ids : array-like of shape (n,), optional
        What to call the rows in reports; by default what the index of a pandas dataframe does.
    precision : float, optional
        Flag as many cells as keep this fraction of them expected to be wrong. By default as many as
        have the largest expected F1 score.
    self_check : bool, default=True
        Whether to flip cells and look for them. It about doubles the time, and takes three times as
        long below 500 rows; above 5,000 rows it is done on so many of them.
    title : str, optional
        How reports call the data.
    drop : sequence, default=()
        Columns of ``X`` that are no features.
    random_state : int, RandomState or None
        Fix it to get the same audit again.
    n_jobs : int, optional
        Threads for forests and neighbours, -1 for all.
    progress : bool or callable, optional
        True shows on a terminal or in a notebook what is being done; a function is called with a
        few words at every stage.

    Returns
    -------
    MultilabelAudit
        ``p_wrong_cells``, ``flagged_cells``, ``suggested``, ``noise_rate``, ``missing_rate``,
        ``wrongly_set_rate``, ``per_label`` and more, with ``clean``, ``report`` and ``save``.

    Notes
    -----
    With a = P(set | should not be) and b = P(not set | should be) of each label drawn from Beta
    distributions that all labels share, hypotheses of a label weigh the more, the better they agree
    with those of the others; for a single label all is as in :func:`errata.audit`. Boundary noise
    widens the interval of the noise rate and is not in the probabilities. Forests are grown once
    for all labels; everything else costs L times what two classes do, in two passes.

    Examples
    --------
    >>> import errata
    >>> rows = [["cat"], ["dog"], ["cat", "dog"], []] * 25
    >>> proba = [["cat" in row, "dog" in row] for row in rows]  # of a model that is always sure
    >>> rows[3] = ["dog"]
    >>> result = errata.audit_multilabel(None, rows, pred_proba=proba, self_check=False)
    >>> int(result.suspicion.argmax()), result.names
    (3, ['cat', 'dog'])
    """
    options = Options.of(locals())
    X = table_in_memory(X, "audit_multilabel")
    with open_progress(progress) as tell:
        return run_audit(CellProblem(X, Y), options, tell)


class CellProblem(Problem):
    """Rows with any number of labels each: a cell for each row and label."""

    listed = "labels of rows that are wrong"
    sets: LabelSets
    table: Any  # without the columns of labels; None for none
    checked: np.ndarray  # columns of labels that can be checked: set, and not set, in two rows
    features: Features | None
    order: np.ndarray  # rows of the table as models see them
    rows: TrainingData  # of these labels, in this order
    beside: np.ndarray | None = None  # what the user's model says, on the scale of features
    equal: np.ndarray | None  # the number of each row's group of equal rows
    user_models: list[list[OutOfFoldModel]]  # for each of these labels
    cells: JudgedCells  # as models see them

    def __init__(self, X: Any, Y: Any) -> None:
        self.X = X
        self.Y = Y

    def read(self) -> None:
        """Read label sets and features.

        Models see rows, features and labels in an order that follows from what they hold.
        """
        options = self.options
        sets = LabelSets(self.X, self.Y)
        self.sets = sets
        self.table = without_columns(sets.table, options.drop)
        n = len(sets.Y)
        if n > LEARN_ROWS:
            raise ValueError(
                f"there are {n:,} rows; with several labels per row, {LEARN_ROWS:,} are the most "
                "that are audited at once: pass some of them."
            )
        checked, notes = sets.find_checkable()
        source = self.table if options.embeddings is None else options.embeddings
        features, leaks = read_features(source, sets, checked, options)
        proba = None
        if options.pred_proba is not None:
            proba = check_cell_proba(options.pred_proba, sets.names, n)
        if features is None and proba is None:
            raise ValueError("no model is left to check the labels: pass a table, or pred_proba.")
        groups = options.groups
        if groups is not None:
            groups = group_numbers(one_per_row("groups", groups, n), np.arange(n))
        self.notes = [*sets.notes, *notes]
        seen = []
        if features is not None:
            features = features._replace(X=_order_columns(features.X))
            seen.append(features.X)
            self.notes += features.notes
        if proba is not None:
            seen.append(proba)
        self.features = features
        self.order, self.checked = arrange_cells(seen, sets.Y, checked, groups)
        X = np.empty((n, 0))
        if features is not None:
            X = FeatureScaler(options.seed).fit_transform(features.X, self.order)
        rows = TrainingData(
            X,
            sets.Y[np.ix_(self.order, self.checked)],
            n_classes=2,
            groups=None if groups is None else groups[self.order],
            random_state=options.seed,
            n_jobs=options.n_jobs,
        )
        self.rows, self.equal, notes = keep_copies_together(rows)
        self.notes += notes
        if proba is not None:
            p = _order_columns(proba[self.order])
            odds = logit(p.clip(SMALLEST_PROBABILITY, 1 - SMALLEST_PROBABILITY))
            self.beside = FeatureScaler(options.seed).fit_transform(odds)
        self.user_models = self._choose_user_models(leaks, proba)
        self.name_rows(self.table, n)

    def _choose_user_models(
        self, leaks: Sequence[Any], proba: np.ndarray | None
    ) -> list[list[OutOfFoldModel]]:
        """The user's classifier and probabilities, as models of each label."""
        estimator = self.options.estimator
        models: list[list[OutOfFoldModel]] = [[] for _ in self.checked]
        if estimator is not None:
            check_classifier("estimator", estimator)
            if self.table is None:
                raise ValueError("an estimator needs a table to learn from, but X is None.")
            kept = without_columns(self.table, list(set(leaks)))
            X = None if self.features is None else self.features.X
            table = take_rows(estimator_table(kept, X), self.order)
            for own in models:
                own.append(CrossFitted("your model", estimator, table))
        if proba is not None:
            for own, label in zip(models, self.checked, strict=True):
                p = proba[self.order, label]
                own.append(GivenProbabilities(np.column_stack([1 - p, p])))
        return models

    def _in_table_order(self, of_rows: np.ndarray) -> np.ndarray:
        """Values of rows as models see them, in the order of the table."""
        back = np.empty_like(of_rows)
        back[self.order] = of_rows
        return back

    def find(self, progress: Progress) -> None:
        """Judge every cell of labels that can be checked."""
        self.cells = find_wrong_cells(
            self.rows,
            self.user_models,
            beside=self.beside,
            equal=self.equal,
            progress=progress,
        )
        self.has_skill = bool(self.cells.judged.any())
        self.p_wrong = self._in_table_order(self.cells.p_wrong)
        self.suspicion = self._in_table_order(self.cells.suspicion)
        self.doubtful = np.tile(self.cells.judged, (len(self.p_wrong), 1))

    def inject(self, progress: Progress) -> CellCheck | None:
        """Flip cells in a copy of the labels and look for them; None where there are too few.

        A twentieth of the cells of labels that can be judged are flipped, as many from set to not
        set as the other way; no label loses more than half of the rows that have it, or that have
        it not.
        """
        rows = self.rows
        models = self.user_models
        beside = self.beside
        equal = self.equal
        random = np.random.default_rng(rows.random_state + 1)
        judged = np.flatnonzero(self.cells.judged)
        before = self.cells.p_wrong[:, judged]
        if len(before) > CHECKED_ROWS:
            some = np.sort(random.choice(len(before), CHECK_SAMPLE, replace=False))
            rows = rows.for_rows(some)
            models = [
                [m.for_rows(some) if hasattr(m, "for_rows") else m for m in o] for o in models
            ]
            equal = None if equal is None else np.unique(equal[some], return_inverse=True)[1]
            beside = None if beside is None else beside[some]
            before = before[some]

        def run_once() -> tuple[np.ndarray, ...] | None:
            injected = cells_to_flip(rows.codes, judged, random)
            if injected.sum() < 2:
                return None
            Y = np.where(injected, 1 - rows.codes, rows.codes)
            flipped = replace(rows, codes=Y, random_state=int(random.integers(2**31 - 1)))
            again = find_wrong_cells(flipped, models, beside=beside, equal=equal, progress=progress)
            return (
                injected[:, judged].ravel(),
                (2 * np.arange(len(judged)) + Y[:, judged]).ravel(),  # which label, set or not
                again.suspicion[:, judged].ravel(),
                again.p_wrong[:, judged].ravel() > 0.5,
            )

        runs = inject_errors(run_once, len(before))
        if runs is None:
            return None
        injected, labels, suspicion, suggested = runs
        right = np.mean([np.mean(new[own]) for new, own in zip(suggested, injected, strict=True)])
        counts = sum_up(injected, labels, suspicion, before.ravel(), np.arange(before.size))
        return CellCheck(**counts, suggested_right=float(right))

    def result(self, check: CellCheck | None) -> MultilabelAudit:
        """The audit, but for what is told of single rows."""
        sets = self.sets
        cells = self.cells
        judged = self.checked[cells.judged]
        p_wrong = np.zeros(sets.Y.shape, dtype=self.p_wrong.dtype)
        p_wrong[:, self.checked] = self.p_wrong
        flagged = np.zeros(sets.Y.shape, dtype=bool)
        flagged[:, self.checked] = self.flagged
        rows = np.any(flagged, axis=1)
        worst = p_wrong[:, judged].max(axis=1, initial=0.0)
        transition = np.tile(np.eye(2), (len(sets.names), 1, 1))
        transition[self.checked] = cells.transition
        rates, label_rates = cells.estimate_rates(self.rows.codes, self.options.seed)
        features = 0 if self.features is None else len(self.features.columns)
        given = [isinstance(m, GivenProbabilities) for own in self.user_models for m in own]
        are_older = check is not None and self.features is None and bool(given) and all(given)
        older = [PROBABILITIES_ARE_OLDER] if are_older else []
        return MultilabelAudit(
            labels=sets.Y,
            names=[label_name(name) for name in sets.names],
            p_wrong_cells=p_wrong,
            flagged_cells=flagged,
            p_wrong=worst,
            suspicion=self.suspicion.max(axis=1),
            flagged=rows,
            noise_rate=rates["wrong"],
            missing_rate=rates["missing"],
            wrongly_set_rate=rates["wrongly_set"],
            per_label=self._describe_labels(label_rates, flagged),
            transition=transition,
            has_skill=bool(len(judged)),
            models=cells.models,
            self_check=check,
            expected_precision=float(worst[rows].mean()) if rows.any() else float("nan"),
            expected_recall=float(worst[rows].sum() / worst.sum()) if worst.sum() else float("nan"),
            _rule=self.rule,
            notes=[*self._notes_on_skill(rates), *self.notes, *older],
            _about=self.about(self.table, features, sets.column) | {"separator": sets.separator},
            _index=self.index,
            _ids=self.ids,
        )

    def _describe_labels(
        self, label_rates: list[Rates], flagged: np.ndarray
    ) -> list[dict[str, Any]]:
        """Describe each label; one that could not be checked has no rates."""
        rates_of = dict(zip(self.checked.tolist(), label_rates, strict=True))
        judged = self.checked[self.cells.judged]
        labels = []
        for label, name in enumerate(self.sets.names):
            rates = rates_of.get(label, {})
            labels.append(
                {
                    "label": str(name),
                    "rows": int(self.sets.Y[:, label].sum()),
                    "has_skill": label in judged,
                    "rate": round_rate(rates.get("wrong", NOTHING)),
                    "missing": round_rate(rates.get("missing", NOTHING)),
                    "wrongly_set": round_rate(rates.get("wrongly_set", NOTHING)),
                    "flagged": int(flagged[:, label].sum()),
                }
            )
        return labels

    def _notes_on_skill(self, rates: Rates) -> list[str]:
        judged = self.cells.judged
        if not judged.any():
            most = rates["wrong"].high
            return [
                "These columns tell none of the labels (no better than knowing how frequent each "
                "is). Whether labels are missing or wrongly set cannot be told from them: anything "
                f"from none to {percent(most)} is possible. Nothing is flagged."
            ]
        notes = []
        blind = [self.sets.names[label] for label in self.checked[~judged]]
        if blind:
            which = "label" if len(blind) == 1 else "labels"
            notes.append(
                f"The columns do not tell the {which} {join_names(blind, NAMED_COLUMNS)}: nothing "
                "is flagged there, and the rates are those of the other labels."
            )
        if self.flagged.any() and self.cells.overlap >= OVERLAP:
            notes.append(
                "Rows with a label and rows without it overlap in these columns. Part or all of "
                f"the {int(self.flagged.sum()):,} labels that look wrong may be right and merely "
                "unusual."
            )
        return notes

    def keep_view(self, result: MultilabelAudit) -> None:
        """Of all rows."""
        features = self.features
        X = self._in_table_order(self.rows.X)
        are_embedded = self.options.embeddings is not None
        shown = inputs_to_show(
            self.table,
            sets_of(result.names, result.labels),
            X if X.shape[1] else None,
            np.arange(len(result)),
            used=None if features is None or are_embedded else features.columns,
        )
        self.shown = CellView(inputs=shown, audit=result)

    @property
    def reviewed(self) -> np.ndarray:
        """All rows: one without labels has none of them."""
        return np.ones(len(self.sets.Y), dtype=bool)


def cells_to_flip(Y: np.ndarray, judged: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Which cells to flip, a mask of the shape of ``Y``."""
    chosen = np.zeros(Y.shape, dtype=bool)
    wanted = max(FEWEST_INJECTED, round(INJECTED_CELLS * len(Y) * len(judged))) // 2
    for value in (0, 1):
        left = wanted
        order = random.permutation(len(Y) * len(judged))
        spare = np.sum(value == Y, axis=0) // 2
        for row, label in zip(order // len(judged), judged[order % len(judged)], strict=True):
            if not left:
                break
            if Y[row, label] == value and spare[label]:
                chosen[row, label] = True
                spare[label] -= 1
                left -= 1
    return chosen


def arrange_cells(
    seen: Sequence[Any], Y: np.ndarray, checked: np.ndarray, groups: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Rows, and columns of labels, in an order that follows from cells and labels.

    So what is found of a cell does not depend on the order of rows, columns and labels.
    """
    rows: np.ndarray = np.add.reduce([sign_table(table)[0] for table in seen])
    Y = Y[:, checked]
    alike = mix_bits(rows + sign_table(Y)[0], SALT)
    labels = np.array([alike[column == 1].sum() for column in Y.T], dtype=np.uint64)
    of_labels = Y.astype(np.uint64) @ mix_bits(labels, SALT)
    ties = [of_labels] if groups is None else [of_labels, groups]
    return order_rows(seen[0], rows, *ties), checked[np.argsort(labels, kind="stable")]


def _order_columns(X: Any) -> Any:
    """The same columns in an order that follows from what they hold."""
    return X[:, np.argsort(sign_table(X)[1], kind="stable")]


def read_features(
    source: Any, sets: LabelSets, checked: np.ndarray, options: Options
) -> tuple[Features | None, list[Any]]:
    """Features of a table, without columns that look made from one of the labels."""
    if source is None:
        return None, []
    n = count_rows(source)
    if n != len(sets.Y):
        raise ValueError(f"the table has {n} rows, but Y has {len(sets.Y)}; give one for each.")
    how: dict[str, Any] = {"random_state": options.seed, "n_jobs": options.n_jobs}
    features = features_of(source, **how)
    if sparse.issparse(source):  # its columns are words or pixels, and there are too many to try
        return features, []
    columns = columns_of(source)
    check_trust(options.trust, columns)
    seen = [column for column in columns if column.key in set(features.columns)]
    order = order_rows(features.X, sign_table(features.X)[0])
    leaks = []
    notes = []
    for label in checked:
        codes = sets.Y[:, label].astype(np.intp)
        random = np.random.default_rng(options.seed)
        found, note = find_leak(seen, codes, trust=options.trust, order=order, random=random)
        if found:
            leaks += found
            notes.append(f"Label {str(sets.names[label])!r}: {note}")
    if not leaks or len(set(leaks)) == len(seen):
        return features, []
    features = features_of(source, drop=list(set(leaks)), **how)
    return features._replace(notes=[*notes, *features.notes]), leaks


def keep_copies_together(
    rows: TrainingData,
) -> tuple[TrainingData, np.ndarray | None, list[str]]:
    """Rows whose groups keep copies together, and which rows are equal.

    Equal rows are copies if all labels say so.
    """
    if not rows.X.shape[1]:
        return rows, None, []
    equal = copy_groups(rows.X)
    if equal.max() + 1 == len(equal):
        return rows, None, []
    each = (take_label(rows, label) for label in range(rows.codes.shape[1]))
    if any(copies_among(data, equal) is None for data in each):
        return rows, equal, []
    notes: list[str] = []
    groups = without_copies(rows, equal, notes).groups
    return replace(rows, groups=groups), equal, notes


def check_cell_proba(pred_proba: Any, names: Sequence[Any], n: int) -> np.ndarray:
    """Probabilities that each label is set, with columns in the order of the labels."""
    called = {str(name): column for column, name in enumerate(getattr(pred_proba, "columns", ()))}
    wanted = [str(name) for name in names]
    if called and set(called) != set(wanted):
        raise ValueError(
            f"the columns of pred_proba ({join_names(called, most=10)}) must be named as the "
            f"labels are ({join_names(wanted, most=10)}); rename them, or pass an array in their "
            "order."
        )
    proba = np.asarray(pred_proba, dtype=float)
    proba = proba[:, [called[name] for name in wanted]] if called else proba
    if proba.shape != (n, len(names)):
        raise ValueError(
            f"pred_proba must have the shape ({n}, {len(names)}), a row for each row and a column "
            f"for each label, but its shape is {proba.shape}."
        )
    if not (proba.min() >= -ROUNDING and proba.max() <= 1 + ROUNDING):  # not a number fails, too
        raise ValueError("pred_proba holds numbers that are not probabilities.")
    return proba.clip(0, 1)


def doubted_cells(audit: "MultilabelAudit", row: int) -> np.ndarray:
    """The cells of a row that are flagged; the worst one of a row that is not."""
    flagged = audit.flagged_cells[row]
    if flagged.any():
        return flagged
    return np.arange(len(flagged)) == audit.p_wrong_cells[row].argmax()


def reasons_for_cells(audit: "MultilabelAudit", row: int, near: list[int]) -> list[str]:
    """Why labels of a row are suspicious, in sentences, the worst first."""
    places = np.flatnonzero(doubted_cells(audit, row))
    reasons = []
    for place in places[np.argsort(-audit.p_wrong_cells[row, places], kind="stable")]:
        error = kind_of_error(bool(audit.labels[row, place]))
        text = f"{str(audit.names[place])!r} looks {error}"
        chance = percent(four_digits(audit.p_wrong_cells[row, place]))
        have = int(audit.labels[near, place].sum())
        nearest = f"; {have} of the {len(near)} nearest rows have it" if near else ""
        reasons.append(f"{text}, with a probability of {chance}{nearest}.")
    return reasons


class CellView(RowsView):
    """All rows."""

    audit: MultilabelAudit

    def label(self, row: int) -> dict[str, Any]:
        """A row, and the labels that it has."""
        return {"row": row, "label": set_in_words(self.audit.names, self.audit.labels[row])}

    def judged(self, row: int) -> dict[str, Any]:
        """The same, and what to change; of a row that is not flagged, its worst cell."""
        audit = self.audit
        doubted = doubted_cells(audit, row)
        return self.label(row) | {
            "suggested": changes_in_words(audit.names, audit.labels[row], doubted),
            "p_wrong": four_digits(audit.p_wrong[row]),
        }

    @property
    def others(self) -> np.ndarray:
        """The labels of each row without its doubted cells."""
        audit = self.audit
        places = np.arange(len(audit.names))
        worst = audit.p_wrong_cells.argmax(axis=1)
        doubted = np.where(audit.flagged[:, None], audit.flagged_cells, places == worst[:, None])
        return sets_of(audit.names, np.where(doubted, 1 - audit.labels, audit.labels))

    def reasons(self, rows: np.ndarray, near: Sequence[np.ndarray]) -> list[list[str]]:
        """Which labels look missing or wrongly set."""
        return [
            reasons_for_cells(self.audit, row, around.tolist())
            for row, around in zip(rows.tolist(), near, strict=True)
        ]

    def more(self, rows: np.ndarray) -> list[dict[str, Any]]:
        """Labels that are set or doubted most, the most doubted first."""
        return [{"cells": self._cells(row)} for row in rows.tolist()]

    def _cells(self, row: int) -> list[list[Any]]:
        audit = self.audit
        p = audit.p_wrong_cells[row]
        is_set = audit.labels[row]
        doubted = doubted_cells(audit, row)
        order = np.lexsort((-p, ~doubted))
        shown = (np.arange(len(order)) < CARD_CELLS) | (is_set[order] == 1)
        return [
            [audit.names[place], bool(is_set[place]), four_digits(p[place]), bool(doubted[place])]
            for place in order[shown].tolist()
        ]


def changes_in_words(names: Sequence[Any], row: np.ndarray, changed: np.ndarray) -> str:
    """The labels that would be added, and those that would be taken away.

    >>> changes_in_words(["cat", "dog"], np.array([1, 0]), np.array([True, True]))
    '+ dog, - cat'
    """
    signs = (("+", changed & (row == 0)), ("-", changed & (row == 1)))
    return ", ".join(
        f"{sign} {names[place]}"
        for sign, cells in signs
        for place in np.flatnonzero(cells).tolist()
    )


def sets_of(names: Sequence[Any], labels: np.ndarray) -> np.ndarray:
    """The names of the labels that each row has.

    >>> sets_of(["cat", "dog"], np.array([[1, 1], [0, 0]])).tolist()
    [['cat', 'dog'], []]
    """
    sets = np.empty(len(labels), dtype=object)
    sets[:] = [[names[place] for place in np.flatnonzero(row).tolist()] for row in labels]
    return sets
