"""The audit of numeric targets, one stage after the other, and its rows to look at."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..._format import four_digits
from ..._neighbors import NeighborIndex
from ..._progress import Progress, open_progress
from ..._random import draw_seed
from ..._validation import check_fraction
from ...tables._columns import without_columns
from .._settings import EXAMPLE_COLUMNS, TARGET_NEIGHBORS
from ..examples._examples import example_rows
from ..examples._review import ForReview
from ..examples._views import Near, RowsView, RowValues, inputs_to_show
from ..inputs._decisions import row_names
from ..inputs._groups import row_index
from ..inputs._inputs import Display, Inputs, table_in_memory
from ..results._flags import Flags, best_f1_rule, draw_flags, no_flags
from ._cleaning import Digits, digits_of
from ._finding import TargetFindings, TargetSelfCheck, find_wrong_targets
from ._inputs import TargetInputs, checked_predictions, read_target_inputs
from ._models import BroughtPredictions
from ._result import SLIPS, WORDS, TargetAudit, hints_for, without_slips
from ._self_check import check_targets


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
        promise the largest F1 score.
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
    started = time.perf_counter()
    X = table_in_memory(X, "audit_targets")
    if precision is not None:
        check_fraction("precision", precision)
    seed = draw_seed(random_state)
    with open_progress(progress) as tell:
        tell("reading the table")
        inputs = read_target_inputs(
            *(X, y),
            embeddings=embeddings,
            groups=groups,
            drop=drop,
            trust=trust,
            seed=seed,
            n_jobs=n_jobs,
            decisions=decisions,
            keys=keys,
        )
        given = inputs.given
        display = Display(ids, None, title, y, random_state, row_index(given.table))
        display.check(len(given.targets), given.table)
        predictions = checked_predictions(predictions, len(given.targets))
        leaks = inputs.leaks if embeddings is None else ()
        model_table = without_columns(given.table, leaks)
        how: dict[str, Any] = {
            "table": None if estimator is None else model_table,
            "groups": inputs.groups,
            "known": inputs.known,
            "brought": BroughtPredictions(estimator, predictions, estimators),
            "seed": seed,
            "n_jobs": n_jobs,
            "progress": tell,
        }
        found = find_wrong_targets(inputs.X, given.targets, **how)
        check = None
        if self_check and found.has_skill:
            tell("planting errors and looking for them")
            check = check_targets(inputs.X, given.targets, found, **how)
        result = assemble_targets(inputs, found, check, precision, display)
        names = display.row_names(len(given.targets))
        result.examples = describe_targets(result, given.table, inputs.X, names, n_jobs=n_jobs)
        shown = targets_to_show(inputs, are_embedded=embeddings is not None)
        result.for_review = ForReview.of_rows(
            *(TargetView(inputs=shown, audit=result), result, inputs.doubtful, display),
            seconds=time.perf_counter() - started,
            seed=seed,
            n_jobs=n_jobs,
        )
        result.keys = None if keys is None else row_names(keys, len(result))
        return result


def assemble_targets(
    inputs: TargetInputs,
    found: TargetFindings,
    check: TargetSelfCheck | None,
    precision: float | None,
    display: Display,
) -> TargetAudit:
    """The audit as the user gets it, but for what is told of single rows."""
    given = inputs.given
    flags = _flags(found, inputs.doubtful, precision)
    digits = digits_of(given.targets[given.has_target & ~flags.flagged])
    hint = np.where(flags.flagged, hints_for(given.targets, found.low, found.high), "")
    expected = np.where(hint == "", found.predicted, without_slips(given.targets, hint))
    new = flags.flagged | ~given.has_target
    per_row = ("p_wrong", "suspicion", "predicted", "low", "high", "score", "local_scale")
    features = 0 if inputs.features is None else len(inputs.features.columns)
    return TargetAudit(
        targets=given.targets,
        flagged=flags.flagged,
        suggested=np.where(new, digits.write(expected), given.targets),
        error_kind=found.error_kind.astype(object),
        hint=hint,
        **{name: getattr(found, name) for name in per_row},
        noise_rate=found.noise_rate,
        has_skill=found.has_skill,
        models=models_as_dicts(found),
        tail=float(found.tail),
        scale=float(found.scale),
        on_log_scale=bool(found.on_log_scale),
        self_check=check,
        expected_precision=flags.expected_precision,
        expected_recall=flags.expected_recall,
        rule=flags.rule,
        notes=[*found.notes, *inputs.notes],
        about=display.about(given.table, features) | {"target": given.name},
        index=display.index,
        known=inputs.known,
        ids=display.given_ids(len(given.targets)),
    )


def models_as_dicts(found: TargetFindings) -> list[dict[str, Any]]:
    """What is told of each model; weights as fractions of their sum, which the pool leaves free."""
    total = sum(model.weight for model in found.models) or 1.0
    return [
        {"name": m.name, "weight": round(float(m.weight) / total, 4), "r2": round(float(m.r2), 4)}
        for m in found.models
    ]


def _flags(found: TargetFindings, doubtful: np.ndarray, precision: float | None) -> Flags:
    """Of rows whose target may be wrong."""
    n = len(doubtful)
    if not found.has_skill:
        return no_flags(n, "do not predict the target")
    flags = draw_flags(found.p_wrong[doubtful], found.suspicion[doubtful], precision)
    flagged = np.zeros(n, dtype=bool)
    flagged[doubtful] = flags.flagged
    rule = flags.rule if precision is not None else best_f1_rule("target")
    return flags._replace(flagged=flagged, rule=rule)


def describe_targets(
    audit: "TargetAudit",
    table: Any,
    X: np.ndarray | None,
    ids: np.ndarray | None,
    *,
    n_jobs: int | None = None,
) -> list[dict[str, Any]]:
    """Plain dicts, ready for JSON."""
    rows = example_rows(audit.suspicion, audit.flagged, audit.has_target)
    near = _nearest(X, audit.has_target, rows, n_jobs)
    values, digits = RowValues(table, None), audit.digits
    places = list(range(len(values.columns)))[:EXAMPLE_COLUMNS]
    return [
        {
            **_judged(audit, row, digits),
            "id": None if ids is None else str(ids[row]),
            "reasons": reasons_for_target(audit, row, digits),
            "similar": [
                _recorded(audit, other, digits) | {"distance": round(away, 4)}
                for other, away in others
            ],
            "values": values.of(row, places),
            "speaking": 0,
            "image": None,
            "compared": [
                _recorded(audit, other, digits)
                | {"values": values.of(other, places), "differs": [], "image": None}
                for other, _ in others
            ],
        }
        for row, others in zip(rows.tolist(), near, strict=True)
    ]


def _recorded(audit: "TargetAudit", row: int, digits: Digits) -> dict[str, Any]:
    return {"row": row, "label": digits.text(audit.targets[row])}


def _judged(audit: "TargetAudit", row: int, digits: Digits) -> dict[str, Any]:
    """What the audit says about a row."""
    is_flagged = audit.flagged[row]
    expected = audit.suggested[row] if is_flagged else digits.write(audit.predicted[row])
    return _recorded(audit, row, digits) | {
        "suggested": digits.text(float(expected)),
        "low": digits.text(audit.low[row]),
        "high": digits.text(audit.high[row]),
        "p_wrong": four_digits(audit.p_wrong[row]),
        "flagged": bool(is_flagged),
        "hint": audit.hint[row],
        "error_kind": audit.error_kind[row],
    }


def reasons_for_target(audit: "TargetAudit", row: int, digits: Digits) -> list[str]:
    """Why a target is suspicious, in sentences."""
    low, high = digits.text(audit.low[row]), digits.text(audit.high[row])
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


def _nearest(
    X: np.ndarray | None, has_target: np.ndarray, rows: np.ndarray, n_jobs: int | None
) -> list[list[tuple[int, float]]]:
    """The nearest other rows that have a target, of each of some rows, and how far they are."""
    if X is None:
        return [[] for _ in rows]
    there = np.flatnonzero(has_target)
    away, places = NeighborIndex(X[there], n_jobs=n_jobs).find(X[rows], TARGET_NEIGHBORS + 1)
    found = zip(rows.tolist(), there[places].tolist(), away.tolist(), strict=True)
    return [
        [pair for pair in zip(near, far, strict=True) if pair[0] != row][:TARGET_NEIGHBORS]
        for row, near, far in found
    ]


@dataclass(frozen=True, kw_only=True)
class TargetView(RowsView):
    """All rows."""

    audit: "TargetAudit"

    @property
    def others(self) -> np.ndarray:
        """What would stand in place of each target."""
        return self.audit.expected

    @cached_property
    def _digits(self) -> Digits:
        return self.audit.digits

    def reasons(self, rows: np.ndarray, near: Sequence[Near]) -> list[list[str]]:
        """What is expected of such rows, and which slip explains the target."""
        return [reasons_for_target(self.audit, row, self._digits) for row in rows.tolist()]

    def more(self, rows: np.ndarray) -> list[dict[str, Any]]:
        """The interval of right targets, and the slip."""
        audit, text = self.audit, self._digits.text
        return [
            {"low": text(audit.low[row]), "high": text(audit.high[row]), "hint": audit.hint[row]}
            for row in rows.tolist()
        ]


def targets_to_show(inputs: TargetInputs, *, are_embedded: bool) -> Inputs:
    """What is needed to show rows: neighbours are looked for among those with a target."""
    given, features = inputs.given, inputs.features
    there = np.flatnonzero(given.has_target)
    labels = given.targets.astype(object)
    labels[~given.has_target] = None
    used = None if features is None or are_embedded else features.columns
    X = None if inputs.X is None else inputs.X[there]
    return inputs_to_show(given.table, labels, X, there, used=used)
