"""The audit of numeric targets, one stage after the other."""

import time
from collections.abc import Sequence
from typing import Any

from ..._progress import Progress, hearing_stages
from ..._random import draw_seed
from ..._validation import check_fraction
from .._decided_labels import row_names
from .._for_review import ForReview
from .._inputs import Display
from .._opening import table_in_memory
from .._row_index import row_index
from ._brought import BroughtPredictions
from ._finding import find_wrong_targets
from ._result import TargetAudit
from ._self_check import check_targets
from ._target_assembly import assemble_targets
from ._target_examples import describe_targets
from ._target_inputs import checked_predictions, read_target_inputs
from ._target_view import TargetView, targets_to_show


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
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: Progress | bool | None = None,
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
    for it. A value that a twentieth of the rows share, and twice as many as any other, is judged on
    its own: the odds that a target is wrong are multiplied by how frequent its kind (this value or
    another) is in all rows, over how probable trees find it in rows like it.

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
    with hearing_stages(progress) as tell:
        tell("reading the table")
        inputs = read_target_inputs(
            *(X, y),
            embeddings=embeddings,
            groups=groups,
            drop=drop,
            seed=seed,
            n_jobs=n_jobs,
            decisions=decisions,
            keys=keys,
        )
        given = inputs.given
        display = Display(ids, None, title, y, random_state, row_index(given.table))
        display.check(len(given.targets), given.table)
        predictions = checked_predictions(predictions, len(given.targets))
        how: dict[str, Any] = {
            "table": None if estimator is None else given.table,
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
