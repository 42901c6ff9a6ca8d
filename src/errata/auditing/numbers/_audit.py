"""The audit of numeric targets, one stage after the other, and its rows to look at."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..._format import four_digits
from ..._progress import Progress, open_progress
from ...tables._columns import without_columns
from .._audit import Options, Problem, run_audit
from ..examples._views import Near, RowsView, inputs_to_show
from ..inputs._inputs import Display, row_index, table_in_memory
from ..results._flags import Flags
from ._finding import TargetFindings, find_wrong_targets
from ._inputs import (
    Digits,
    TargetInputs,
    check_predictions,
    find_digits,
    read_target_inputs,
)
from ._models import BroughtPredictions
from ._result import SLIPS, WORDS, TargetAudit, find_hints, undo_slips
from ._self_check import TargetSelfCheck, check_targets

TARGET_NEIGHBORS = 3  # beside an example of it


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
    options = Options.of(locals())
    X = table_in_memory(X, "audit_targets")
    with open_progress(progress) as tell:
        return run_audit(TargetProblem(X, y), options, tell)


class TargetProblem(Problem):
    """Rows with a number each."""

    listed = "rows whose target is wrong"
    no_flags = "the columns do not predict the target"
    inputs: TargetInputs
    found: TargetFindings
    models: dict[str, Any]  # what models look at, and how

    def __init__(self, X: Any, y: Any) -> None:
        self.X = X
        self.y = y

    def read(self) -> None:
        """Read targets and features, and what people decided."""
        options = self.options
        self.inputs = read_target_inputs(
            self.X,
            self.y,
            embeddings=options.embeddings,
            groups=options.groups,
            drop=options.drop,
            trust=options.trust,
            seed=options.seed,
            n_jobs=options.n_jobs,
            decisions=options.decisions,
            keys=options.keys,
        )
        given = self.inputs.given
        self.display = Display(
            options.ids, None, options.title, self.y, options.random_state, row_index(given.table)
        )
        self.display.check(len(given.targets), given.table)
        predictions = check_predictions(options.predictions, len(given.targets))
        leaks = self.inputs.leaks if options.embeddings is None else ()
        table = without_columns(given.table, leaks)
        self.models = {
            "table": None if options.estimator is None else table,
            "groups": self.inputs.groups,
            "known": self.inputs.known,
            "brought": BroughtPredictions(options.estimator, predictions, options.estimators),
            "seed": options.seed,
            "n_jobs": options.n_jobs,
        }

    def find(self, progress: Progress) -> None:
        """Predict every target, and judge how far it is away."""
        self.models["progress"] = progress
        found = find_wrong_targets(self.inputs.X, self.inputs.given.targets, **self.models)
        self.found = found
        self.has_skill = found.has_skill
        self.p_wrong = found.p_wrong
        self.suspicion = found.suspicion
        self.doubtful = self.inputs.doubtful

    def inject(self) -> TargetSelfCheck | None:
        """Give rows the targets of others."""
        return check_targets(self.inputs.X, self.inputs.given.targets, self.found, **self.models)

    def result(self, flags: Flags, check: TargetSelfCheck | None) -> TargetAudit:
        """The audit, but for what is told of single rows."""
        inputs = self.inputs
        found = self.found
        display = self.display
        given = inputs.given
        digits = find_digits(given.targets[given.has_target & ~flags.flagged])
        hint = np.where(flags.flagged, find_hints(given.targets, found.low, found.high), "")
        expected = np.where(hint == "", found.predicted, undo_slips(given.targets, hint))
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
            models=[
                {
                    "name": model["name"],
                    "weight": round(model["weight"], 4),
                    "r2": round(model["r2"], 4),
                }
                for model in found.models
            ],
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

    def view(self, result: TargetAudit) -> "TargetView":
        """All rows; neighbours are looked for among those with a target."""
        given = self.inputs.given
        features = self.inputs.features
        there = np.flatnonzero(given.has_target)
        labels = given.targets.astype(object)
        labels[~given.has_target] = None
        are_embedded = self.options.embeddings is not None
        used = None if features is None or are_embedded else features.columns
        X = None if self.inputs.X is None else self.inputs.X[there]
        shown = inputs_to_show(given.table, labels, X, there, used=used)
        return TargetView(inputs=shown, audit=result)


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


@dataclass(frozen=True, kw_only=True)
class TargetView(RowsView):
    """All rows."""

    audit: "TargetAudit"

    n_similar = TARGET_NEIGHBORS
    has_pictures = False

    @property
    def doubtful(self) -> np.ndarray:
        """Rows with a target."""
        return self.audit.has_target

    def label(self, row: int) -> dict[str, Any]:
        """A row, and its target as it is written."""
        return {"row": row, "label": self._digits.text(self.audit.targets[row])}

    def judged(self, row: int) -> dict[str, Any]:
        """The same, what is expected, and the slip that explains it."""
        audit = self.audit
        digits = self._digits
        is_flagged = audit.flagged[row]
        expected = audit.suggested[row] if is_flagged else digits.write(audit.predicted[row])
        return self.label(row) | {
            "suggested": digits.text(float(expected)),
            "low": digits.text(audit.low[row]),
            "high": digits.text(audit.high[row]),
            "p_wrong": four_digits(audit.p_wrong[row]),
            "flagged": bool(is_flagged),
            "hint": audit.hint[row],
            "error_kind": audit.error_kind[row],
        }

    @property
    def others(self) -> np.ndarray:
        """What would stand in place of each target."""
        return self.audit.expected

    @cached_property
    def _digits(self) -> Digits:
        return self.audit.digits

    def reasons(self, rows: np.ndarray, near: Sequence[Near]) -> list[list[str]]:
        """What is expected of such rows, and which slip explains the target."""
        return [explain_target(self.audit, row, self._digits) for row in rows.tolist()]

    def more(self, rows: np.ndarray) -> list[dict[str, Any]]:
        """The interval of right targets, and the slip."""
        audit = self.audit
        text = self._digits.text
        return [
            {"low": text(audit.low[row]), "high": text(audit.high[row]), "hint": audit.hint[row]}
            for row in rows.tolist()
        ]
