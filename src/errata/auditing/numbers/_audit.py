"""The audit of numeric targets, one stage after the other, and its rows to look at."""

import os
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.stats import spearmanr

from ..._format import four_digits, join_names, plural
from ..._progress import Progress, open_progress
from ...audit_folder.decisions import Decisions, resolve
from ...tables import Features, features_of
from ...tables._columns import (
    Column,
    column_names,
    columns_of,
    count_rows,
    quick_numbers,
    without_columns,
)
from .._audit import Options, Problem, run_audit
from .._settings import LEAK_ROWS, NAMED_COLUMNS
from ..examples._views import RowsView, inputs_to_show
from ..inputs._features import FeatureScaler
from ..inputs._groups import group_numbers
from ..inputs._inputs import (
    check_trust,
    note_order,
    notes_on_decisions,
    row_names,
    table_in_memory,
)
from ..inputs._labels import check_one_per_row, missing_column, one_per_row
from ..results._cleaning import read_decided
from ._finding import TargetFindings, TargetSelfCheck, check_targets, find_wrong_targets
from ._inputs import FEWEST_TARGETS, LARGEST, Digits, give_numbers, read_targets
from ._result import SLIPS, WORDS, TargetAudit
from ._task import TargetRows

TARGET_NEIGHBORS = 3  # beside an example of it
LONG_LEAP = 5  # widths of the interval of right targets
GIVES_TARGET = 0.999  # rank correlation from which a column looks made from the target


def audit_targets(
    X: Any,
    y: Any,
    *,
    estimator: Any = None,
    predictions: Any = None,
    embeddings: Any = None,
    estimators: Sequence[Any] | None = None,
    groups: Any = None,
    decisions: Any = None,
    keys: Any = None,
    ids: Any = None,
    precision: float | None = None,
    self_check: bool = True,
    title: str | None = None,
    drop: Sequence[Any] = (),
    trust: Sequence[Any] = (),
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: Progress | bool | None = None,
) -> TargetAudit:
    """Find out which numbers of a regression table are wrong, how many, and what they should be.

    Several quick models of different kinds predict each row's target without having learnt from
    that row. How far right targets spread around the prediction is learnt for each row, and a
    mixture of right and wrong residuals gives the probability that a target is wrong. Where the
    columns do not predict the target, or more than a third of the targets look wrong, it says so
    and flags nothing. Then values of other rows are planted in a copy of the targets and looked for
    in the same way.

    Parameters
    ----------
    X : table of shape (n, d)
        A pandas or polars dataframe, a mapping of names to columns, an array, a sparse matrix, in
        memory. Numbers, categories, text, dates and missing cells are accepted. None when
        ``predictions`` is all there is.
    y : array-like of shape (n,) or str
        The targets, or the name of their column in ``X``. Text such as "1,250" or "12 kg" is read
        as numbers. Where one is missing, the row teaches nothing and gets what is predicted as
        ``suggested``.
    estimator : regressor, optional
        A model of yours, cross-fitted to ``X`` as you gave it, and pooled with the other models.
    predictions : array-like of shape (n,) or (n, m), optional
        Out-of-fold predictions by models of yours, pooled with the others.
    embeddings : array-like of shape (n, d), optional
        What models should look at instead of ``X``.
    estimators : sequence of regressors or of (name, regressor) pairs, optional
        Models to use in place of errata's own, cross-fitted to errata's features of ``X`` (numeric,
        scaled); empty for none but ``estimator`` and ``predictions``.
    groups : array-like of shape (n,), optional
        Rows of one group (a patient, a house that was sold twice) are never predicted from each
        other. Copies of a row are found and treated so without being named.
    decisions : Decisions or path, optional
        What people decided about the rows in a review. The numbers they gave replace the targets,
        teach, and are never flagged; rows they found unusable are audited as if they had no target.
    keys : array-like of str of shape (n,), optional
        What decisions know the rows by, see :func:`errata.tables.row_keys`; by default their
        places, as "row.12".
    ids : array-like of shape (n,), optional
        What to call the rows in reports; by default what the index of a pandas dataframe does.
    precision : float, optional
        Flag as many rows as keep this fraction of them expected to be wrong. By default as many as
        have the largest expected F1 score.
    self_check : bool, default=True
        Whether to plant errors and look for them. It about doubles the time; of a large table it is
        done on some rows.
    title : str, optional
        How reports call the data.
    drop : sequence, default=()
        Columns of ``X`` that are no features.
    trust : sequence of column names or positions, default=()
        Columns that are known not to be made from the target, though they put the rows in nearly
        the same order (a rank correlation of 0.999); without it such columns are left out, as what
        was made from the target repeats its errors.
    random_state : int, RandomState or None
        Fix it to get the same audit again.
    n_jobs : int, optional
        Threads for forests and neighbours, -1 for all.
    progress : bool or callable, optional
        True shows on a terminal or in a notebook what is being done; a function is called with a
        few words at every stage.

    Returns
    -------
    TargetAudit
        ``p_wrong``, ``suggested``, ``low``, ``high``, ``flagged``, ``hint``, ``noise_rate`` and
        more, with ``clean``, ``report`` and ``save``.

    Notes
    -----
    With the residual ``z = (y - predicted) / local_scale``, the fraction ``pi`` of wrong targets
    and the densities of right residuals, Student's t, and of wrong ones, a mixture of wide normal
    distributions and of the targets of other rows, ``p_wrong = pi wrong(z) / (pi wrong(z) +
    (1 - pi) right(z))``, averaged over ``pi``, the tail of t and two hypotheses of how the noise
    varies between rows, and times the probability that any target is wrong at all. Where right
    targets have long tails, some of them look wrong: the interval of the noise rate is the wider
    for it. Local scales are at least half the step to which targets are rounded, where most rows
    share their value: what rounding alone moves is no error. A value that a twentieth of the rows
    share, and twice as many as any other, is judged on its own: the odds that a target is wrong are
    multiplied by how frequent its kind (this value or another) is in all rows, over how probable
    trees find it in rows like it.

    Examples
    --------
    >>> import errata
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> y[[5, 50]] = y[[5, 50]] * 10            # two slips of the decimal point
    >>> result = errata.audit_targets(X, y, self_check=False, random_state=0)
    >>> sorted(int(row) for row in result.suspicion.argsort()[::-1][:2])
    [5, 50]
    >>> result.flagged[[5, 50]].tolist()
    [True, True]
    """
    options = Options.of(locals())
    X = table_in_memory(X, "audit_targets")
    with open_progress(progress) as tell:
        return run_audit(TargetProblem(X, y), options, tell)


class TargetProblem(Problem):
    """Rows with a number each."""

    listed = "rows whose target is wrong"
    no_flags = "the columns do not predict the target"
    rows: TargetRows  # what models look at
    findings: TargetFindings
    features: Features | None = None

    def __init__(self, X: Any, y: Any) -> None:
        self.X = X
        self.y = y

    def read(self) -> None:
        """Read targets and features, and what people decided."""
        options = self.options
        self.table, targets, self.notes = read_targets(self.X, self.y)
        self.notes += note_order(self.X, self.y)
        known = None
        if options.decisions is not None:
            targets, known, notes = apply_decisions(targets, options.decisions, options.keys)
            self.notes += notes
        n = len(targets)
        if len(options.drop):
            names = column_names(self.table)
            for key in options.drop:
                if names and key not in names:
                    raise ValueError(missing_column(key, "to drop", names))
            self.table = without_columns(self.table, options.drop)
        if self.table is not None:
            check_one_per_row("the table", count_rows(self.table), n, what="targets")
        X, leaks = self._read_features(targets)
        groups = options.groups
        if groups is not None:
            groups = group_numbers(one_per_row("groups", groups, n), np.arange(n))
        self.name_rows(self.table, n)
        table = self.table if options.embeddings is not None else without_columns(self.table, leaks)
        self.rows = TargetRows(
            X,
            targets,
            table=None if options.estimator is None else table,
            groups=groups,
            estimator=options.estimator,
            predictions=check_predictions(options.predictions, n),
            estimators=options.estimators,
            known=known,
            seed=options.seed,
            n_jobs=options.n_jobs,
        )

    def _read_features(self, targets: np.ndarray) -> tuple[np.ndarray | None, list[Any]]:
        """Features on one scale, and the columns that are left out as they hold the target."""
        options = self.options
        source = self.table if options.embeddings is None else options.embeddings
        if source is None:
            return None, []
        how: dict[str, Any] = {"random_state": options.seed, "n_jobs": options.n_jobs}
        features = features_of(source, **how)
        check_one_per_row("the table", features.X.shape[0], len(targets), what="targets")
        leaks, notes = find_target_leaks(source, targets, features.columns, options.trust)
        if leaks:
            features = features_of(source, drop=leaks, **how)
        self.features = features
        self.notes += [*notes, *features.notes]
        return FeatureScaler(options.seed).fit_transform(features.X), leaks

    def find(self, progress: Progress) -> None:
        """Predict every target, and judge how far it is away."""
        findings = find_wrong_targets(self.rows, progress)
        self.findings = findings
        self.has_skill = findings.has_skill
        self.p_wrong = findings.p_wrong
        self.suspicion = findings.suspicion
        self.doubtful = self.rows.has_target
        if self.rows.known is not None:
            self.doubtful = self.doubtful & ~self.rows.known

    def inject(self, progress: Progress) -> TargetSelfCheck | None:
        """Give rows the targets of others."""
        return check_targets(self.rows, self.findings, progress)

    def result(self, check: TargetSelfCheck | None) -> TargetAudit:
        """The audit, but for what is told of single rows."""
        findings = self.findings
        targets = self.rows.targets
        has_target = self.rows.has_target
        digits = Digits(targets[has_target & ~self.flagged])
        hint = np.where(self.flagged, find_hints(targets, findings.low, findings.high), "")
        expected = np.where(hint == "", findings.predicted, undo_slips(targets, hint))
        new = self.flagged | ~has_target
        per_row = ("p_wrong", "suspicion", "predicted", "low", "high", "score", "local_scale")
        features = 0 if self.features is None else len(self.features.columns)
        name = self.y if isinstance(self.y, str) else None
        return TargetAudit(
            targets=targets,
            flagged=self.flagged,
            suggested=np.where(new, digits.write(expected), targets),
            error_kind=findings.error_kind.astype(object),
            hint=hint,
            **{name: getattr(findings, name) for name in per_row},
            noise_rate=findings.noise_rate,
            has_skill=findings.has_skill,
            models=[
                {
                    "name": model["name"],
                    "weight": round(model["weight"], 4),
                    "r2": round(model["r2"], 4),
                }
                for model in findings.models
            ],
            tail=float(findings.tail),
            scale=float(findings.scale),
            on_log_scale=bool(findings.on_log_scale),
            self_check=check,
            expected_precision=self.expected_precision,
            expected_recall=self.expected_recall,
            _rule=self.rule,
            notes=[*findings.notes, *self.notes],
            _about=self.about(self.table, features, self.y) | {"target": name},
            _index=self.index,
            _known=self.rows.known,
            _ids=self.ids,
        )

    def keep_view(self, result: TargetAudit) -> None:
        """Of all rows; neighbours are looked for among those with a target."""
        rows = self.rows
        features = self.features
        there = np.flatnonzero(rows.has_target)
        labels = rows.targets.astype(object)
        labels[~rows.has_target] = None
        are_embedded = self.options.embeddings is not None
        used = None if features is None or are_embedded else features.columns
        X = None if rows.X is None else rows.X[there]
        shown = inputs_to_show(self.table, labels, X, there, used=used)
        self.shown = TargetView(inputs=shown, audit=result)


def find_target_leaks(
    table: Any, targets: np.ndarray, used: Sequence[Any], trust: Sequence[Any] = ()
) -> tuple[list[Any], list[str]]:
    """The columns to leave out, as they put the rows in nearly the order of the target, and why.

    Where no other column would be left, they are kept, and the note says so. ``used`` are the
    columns that models look at, ``trust`` those that are known not to be made from the target.
    """
    if sparse.issparse(table):  # its columns are words or pixels, and there are too many to try
        return [], []
    columns = columns_of(table)
    check_trust(trust, columns)
    rows = np.flatnonzero(~np.isnan(targets))[:LEAK_ROWS]
    tried = [c for c in columns if c.key in used and c.key not in trust and c.name not in trust]
    leaks = [c for c in tried if _gives(c, targets[rows], rows)]
    if not leaks:
        return [], []
    names = join_names([repr(column.name) for column in leaks], most=NAMED_COLUMNS)
    note = f"By {names} the rows are in nearly the same order as by the target."
    if len(leaks) == len(used):
        return [], [
            f"{note} What was made from the target repeats its errors and hides them, and no other "
            "column is there to find them by."
        ]
    it, was = ("it", "was") if len(leaks) == 1 else ("they", "were")
    keys = ", ".join(repr(column.key) for column in leaks[:NAMED_COLUMNS])
    more = ", ..." if len(leaks) > NAMED_COLUMNS else ""
    return [column.key for column in leaks], [
        f"{note} What was made from the target repeats its errors and hides them, so {it} {was} "
        f"left out. If {it} {was} measured independently, pass trust=[{keys}{more}] (on the "
        "command line --trust)."
    ]


def _gives(column: Column, targets: np.ndarray, rows: np.ndarray) -> bool:
    values = quick_numbers(column.values)
    if values is None:
        return False
    values = values[rows]
    there = np.isfinite(values)
    if there.mean() < 0.5 or len(np.unique(values[there])) < 3:
        return False
    return bool(abs(spearmanr(values[there], targets[there]).statistic) >= GIVES_TARGET)


def apply_decisions(
    targets: np.ndarray, decisions: Decisions | str | os.PathLike, keys: Any
) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Targets with the numbers that people gave, which these are, and notes.

    Rows are known by their keys. Unusable rows have no target then; ambiguous, disputed and skipped
    ones are audited like any others.
    """
    if not isinstance(decisions, Decisions):
        with Decisions(decisions, read_only=True) as opened:
            return apply_decisions(targets, opened, keys)
    names = row_names(keys, len(targets))
    rows, texts, _, gone = read_decided(decisions, names)
    targets, _ = give_numbers(targets, rows, texts)
    targets[gone] = np.nan
    known = np.zeros(len(targets), dtype=bool)
    known[rows] = True
    left = int(np.sum(~np.isnan(targets) & ~known))
    if left < FEWEST_TARGETS:
        raise ValueError(
            f"people have decided all but {plural(left, 'target')}; {FEWEST_TARGETS} that nobody "
            "has decided are the least to audit."
        )
    notes = notes_on_decisions(resolve(decisions, names), decisions, what="target")
    return targets, known, notes


def check_predictions(predictions: Any, n: int) -> np.ndarray | None:
    """Predictions of the user as numbers; raise where they do not fit the rows."""
    if predictions is None:
        return None
    values = np.asarray(predictions, dtype=float)
    if values.ndim not in (1, 2) or len(values) != n:
        raise ValueError(
            f"predictions must have the shape ({n},) or ({n}, m), a number of each model for each "
            f"row, but their shape is {values.shape}."
        )
    if not np.isfinite(values).all():
        raise ValueError("predictions hold numbers that are missing or infinite; predict all rows.")
    if (np.abs(values) > LARGEST).any():
        raise ValueError(f"predictions hold numbers too large to compute with, beyond {LARGEST:g}.")
    return values


def find_hints(targets: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The slip that explains each wrong number; empty where none does.

    A slip explains a number when undoing it leads into the interval of right ones. It must lead
    twice as far as the interval is wide, a change of units three times: in a wide one, any slip
    would end by chance.

    Examples
    --------
    >>> find_hints(np.array([213.0, -20.5, 35.0]), low=np.full(3, 18.0), high=np.full(3, 24.0))
    array(['x10', 'sign', ''], dtype=object)
    """
    hints = np.full(len(targets), "", dtype=object)
    width = high - low
    for name, undo in reversed(SLIPS.items()):
        undone = undo(targets)
        leap = _leap(targets, undone, low, high)
        # One right number in ten is outside of the interval: after a long leap, it may be near.
        slack = np.where(leap > LONG_LEAP, width / 4, 0.0)
        explains = (low - slack <= undone) & (undone <= high + slack)
        hints[explains & (leap > (3 if name.endswith("2.54") else 2))] = name
    return hints


def _leap(targets: np.ndarray, undone: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """How far undoing a slip leads, in widths of the interval.

    Of positive numbers both are ratios: a factor of a hundred is a long way down, too.
    """
    ratios = (low > 0) & (targets > 0) & (undone > 0)

    def apart(one: np.ndarray, other: np.ndarray) -> np.ndarray:
        logs = np.log(np.where(ratios, one, 1.0)) - np.log(np.where(ratios, other, 1.0))
        return np.abs(np.where(ratios, logs, one - other))

    with np.errstate(over="ignore"):  # a single value is expected: any way there is long
        return apart(undone, targets) / np.maximum(apart(high, low), np.finfo(float).tiny)


def undo_slips(targets: np.ndarray, hints: np.ndarray) -> np.ndarray:
    """Numbers with the slips that :func:`find_hints` has named undone, others as they are.

    Examples
    --------
    >>> undo_slips(np.array([213.0, 20.0]), np.array(["x10", ""], dtype=object))
    array([21.3, 20. ])
    """
    undone = np.array(targets, dtype=float)
    for name, undo in SLIPS.items():
        here = hints == name
        undone[here] = undo(undone[here])
    return undone


def explain_target(audit: "TargetAudit", row: int, digits: Digits) -> list[str]:
    """Why a target is suspicious, in sentences."""
    low = digits.text(audit.low[row])
    high = digits.text(audit.high[row])
    reasons = []
    hint = audit.hint[row]
    if hint:
        undone = float(SLIPS[hint](audit.targets[row]))
        reasons.append(f"It looks like {WORDS[hint]}: {digits.text(undone)} would be as expected.")
    above = audit.targets[row] > audit.predicted[row]
    if audit.low[row] <= audit.targets[row] <= audit.high[row]:
        reasons.append(f"Nine in ten such rows have {low} to {high}.")
    else:
        side = "more" if above else "less"
        reasons.append(f"It is {side} than expected: nine in ten such rows have {low} to {high}.")
    if not hint and audit.error_kind[row] == "swap":
        reasons.append("It may be the value of another row.")
    return reasons


class TargetView(RowsView):
    """All rows."""

    audit: TargetAudit

    n_similar = TARGET_NEIGHBORS
    has_pictures = False

    def label(self, row: int) -> dict[str, Any]:
        """A row, and its target as it is written."""
        return {"row": row, "label": self._digits.text(self.audit.targets[row])}

    def judged(self, row: int) -> dict[str, Any]:
        """The same, what is expected, and the slip that explains it."""
        audit = self.audit
        digits = self._digits
        expected = audit.suggested[row]
        if not audit.flagged[row]:
            expected = digits.write(audit.predicted[row])
        return self.label(row) | {
            "suggested": digits.text(float(expected)),
            "low": digits.text(audit.low[row]),
            "high": digits.text(audit.high[row]),
            "p_wrong": four_digits(audit.p_wrong[row]),
            "hint": audit.hint[row],
            "error_kind": audit.error_kind[row],
        }

    @property
    def others(self) -> np.ndarray:
        """The number that would stand in place of each target."""
        return self.audit.expected

    @cached_property
    def _digits(self) -> Digits:
        return self.audit.digits

    def reasons(self, rows: np.ndarray, near: Sequence[np.ndarray]) -> list[list[str]]:
        """The number expected of such rows, and the slip that explains the target."""
        return [explain_target(self.audit, row, self._digits) for row in rows.tolist()]

    def more(self, rows: np.ndarray) -> list[dict[str, Any]]:
        """The interval of right targets, and the slip."""
        audit = self.audit
        text = self._digits.text
        return [
            {"low": text(audit.low[row]), "high": text(audit.high[row]), "hint": audit.hint[row]}
            for row in rows.tolist()
        ]
