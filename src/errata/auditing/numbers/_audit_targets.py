"""The audit of numeric targets, one stage after the other."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..._random import draw_seed
from ..._validation import check_fraction
from ...tables import Features, features_of
from ...tables._columns import column_names, count_rows, without_columns
from ...tables._datasets import as_table
from ...tables._sources import is_stored
from .._flags import Flags, best_f1_rule, draw_flags, no_flags
from .._group_names import group_numbers
from .._inputs import Display
from .._per_row import check_one_per_row, missing_column, one_per_row
from .._row_index import row_index
from .._scaling import fit_scale
from ._brought import BroughtPredictions
from ._digits import digits_of
from ._finding import find_wrong_targets
from ._findings import TargetFindings, TargetSelfCheck
from ._hints import hints_for, without_slips
from ._result import TargetAudit
from ._self_check import check_targets
from ._target_column import TargetColumn, read_targets
from ._target_examples import describe_targets
from ._target_leaks import notes_on_leaks

Progress = Callable[[Any], None]


class TargetInputs(NamedTuple):
    """A table ready for the audit of its targets."""

    given: TargetColumn
    features: Features | None
    X: np.ndarray | None  # features on one scale
    groups: np.ndarray | None  # rows that are left out together
    notes: list[str]


def audit_targets(
    X: Any,
    y: Any,
    *,
    estimator: Any = None,
    predictions: Any = None,
    embeddings: Any = None,
    estimators: Sequence[Any] | None = None,
    groups: Any = None,
    ids: Any = None,
    precision: float | None = None,
    self_check: bool = True,
    title: str | None = None,
    drop: Sequence[Any] = (),
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> TargetAudit:
    """Find out which numbers of a regression table are wrong, how many, and what they should be.

    Several quick models of different kinds predict each row's target without having learnt from
    that row. How far right targets spread around the prediction is learnt for each row, and a
    mixture of right and wrong residuals gives the probability that a target is wrong. Where the
    columns do not predict the target, it says so and flags nothing. Then values of other rows are
    planted in a copy of the targets and looked for in the same way.

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
    random_state : int, RandomState or None
        Fix it to get the same audit again.
    n_jobs : int, optional
        Threads for forests and neighbours, -1 for all.
    progress : callable, optional
        Called with a few words at every stage.

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
    varies between rows. Where right targets have long or skewed tails, some of them look wrong: the
    interval of the noise rate is the wider for it.

    Examples
    --------
    >>> import errata
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> y[[5, 50]] = y[[5, 50]] * 10            # two slips of the decimal point
    >>> result = errata.audit_targets(X, y, self_check=False, random_state=0)
    >>> result.flagged[[5, 50]].tolist(), result.hint[[5, 50]].tolist()
    ([True, True], ['x10', 'x10'])
    """
    X = as_table(X)
    if is_stored(X):
        raise ValueError(
            "audit_targets needs its table in memory; read it first, for instance with "
            "pandas.read_parquet, and pass the dataframe."
        )
    if precision is not None:
        check_fraction("precision", precision)
    tell, seed = progress or _silent, draw_seed(random_state)
    tell("reading the table")
    inputs = read_target_inputs(
        *(X, y), embeddings=embeddings, groups=groups, drop=drop, seed=seed, n_jobs=n_jobs
    )
    given = inputs.given
    display = Display(ids, None, title, y, random_state, row_index(given.table))
    display.check(len(given.targets), given.table)
    predictions = _check_predictions(predictions, len(given.targets))
    how: dict[str, Any] = {
        "table": None if estimator is None else given.table,
        "groups": inputs.groups,
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
    result = _assemble(inputs, found, check, precision, display)
    names = display.row_names(len(given.targets))
    result.examples = describe_targets(result, given.table, inputs.X, names, n_jobs=n_jobs)
    return result


def read_target_inputs(
    table: Any,
    y: Any,
    *,
    embeddings: Any,
    groups: Any,
    drop: Sequence[Any],
    seed: int,
    n_jobs: int | None,
) -> TargetInputs:
    """Read and check targets, features and groups."""
    given = read_targets(table, y)
    if len(drop):
        given = given._replace(table=_without(given.table, drop))
    n = len(given.targets)
    if given.table is not None:
        check_one_per_row("the table", count_rows(given.table), n, what="targets")
    source = given.table if embeddings is None else embeddings
    notes, features, X = [*given.notes], None, None
    if source is not None:
        features = features_of(source, random_state=seed, n_jobs=n_jobs)
        check_one_per_row("the table", features.X.shape[0], n, what="targets")
        X, _ = fit_scale(features.X, seed)
        notes += [*features.notes, *notes_on_leaks(source, given)]
    if groups is not None:
        groups = group_numbers(one_per_row("groups", groups, n), np.arange(n))
    return TargetInputs(given, features, X, groups, notes)


def _without(table: Any, drop: Sequence[Any]) -> Any:
    names = column_names(table)
    for key in drop:
        if names and key not in names:
            raise ValueError(missing_column(key, "to drop", names))
    return without_columns(table, drop)


def _check_predictions(predictions: Any, n: int) -> np.ndarray | None:
    if predictions is None:
        return None
    told = np.asarray(predictions, dtype=float)
    if told.ndim not in (1, 2) or len(told) != n:
        raise ValueError(
            f"predictions must have the shape ({n},) or ({n}, m), a number of each model for each "
            f"row, but their shape is {told.shape}."
        )
    if not np.isfinite(told).all():
        raise ValueError("predictions hold numbers that are missing or infinite; predict all rows.")
    return told


def _assemble(
    inputs: TargetInputs,
    found: TargetFindings,
    check: TargetSelfCheck | None,
    precision: float | None,
    display: Display,
) -> TargetAudit:
    """The audit as the user gets it, but for what is told of single rows."""
    given = inputs.given
    flags = _flags(found, given.has_target, precision)
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
        notes=[*([] if found.has_skill else [NO_SKILL]), *found.notes, *inputs.notes],
        about=display.about(given.table, features) | {"target": given.name},
        index=display.index,
    )


NO_SKILL = "Nothing here predicts the target, so nobody can say which numbers are wrong."


def models_as_dicts(found: TargetFindings) -> list[dict[str, Any]]:
    """What is told of each model; weights as fractions of their sum, which the pool leaves free."""
    total = sum(model.weight for model in found.models) or 1.0
    return [
        {"name": m.name, "weight": round(float(m.weight) / total, 4), "r2": round(float(m.r2), 4)}
        for m in found.models
    ]


def _flags(found: TargetFindings, has_target: np.ndarray, precision: float | None) -> Flags:
    """Of rows that have a target."""
    n = len(has_target)
    if not found.has_skill:
        return no_flags(n, "do not predict the target")
    flags = draw_flags(found.p_wrong[has_target], found.suspicion[has_target], precision)
    flagged = np.zeros(n, dtype=bool)
    flagged[has_target] = flags.flagged
    rule = flags.rule if precision is not None else best_f1_rule("target")
    return flags._replace(flagged=flagged, rule=rule)


def _silent(stage: Any) -> None:
    """Nobody wants to know."""
