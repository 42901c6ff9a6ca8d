"""The audit of several labels a row, one stage after the other."""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..._progress import Progress, hearing_stages, silent
from ..._random import draw_seed
from ..._validation import check_fraction
from .._for_review import ForReview
from .._inputs import Display
from .._opening import table_in_memory
from .._row_index import row_index
from ._cell_assembly import assemble_cells
from ._cell_check import check_cells
from ._cell_examples import describe_cells
from ._cell_view import CellView, cells_to_show
from ._finding import find_wrong_cells
from ._inputs import read_cell_inputs
from ._result import MultilabelAudit


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
        promise the largest F1 score.
    self_check : bool, default=True
        Whether to flip cells and look for them. It about doubles the time, and takes three times as
        long below 500 rows; above 10,000 rows it is done on 5,000 of them.
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
    started = time.perf_counter()
    X = table_in_memory(X, "audit_multilabel")
    if precision is not None:
        check_fraction("precision", precision)
    seed = draw_seed(random_state)
    with hearing_stages(progress) as tell:
        tell("reading the table")
        inputs = read_cell_inputs(
            *(X, Y),
            estimator=estimator,
            pred_proba=pred_proba,
            embeddings=embeddings,
            groups=groups,
            trust=trust,
            drop=drop,
            seed=seed,
            n_jobs=n_jobs,
        )
        given = inputs.given
        display = Display(ids, None, title, given.column, random_state, row_index(given.table))
        display.check(len(given.Y), given.table)
        found = find_wrong_cells(inputs.rows, inputs.brought, equal=inputs.equal, progress=tell)
        check = None
        if self_check and found.judged.any():
            tell("planting errors and looking for them")
            check = check_cells(
                *(inputs.rows, inputs.brought, found), equal=inputs.equal, progress=silent
            )
        result = assemble_cells(inputs, found, check, precision=precision, display=display)
        names = display.row_names(len(given.Y))
        result.examples = describe_cells(result, given.table, inputs.rows.X, names, n_jobs=n_jobs)
        shown = cells_to_show(result, inputs, are_embedded=embeddings is not None)
        result.for_review = ForReview.of_rows(
            *(CellView(inputs=shown, audit=result), result),
            *(np.ones(len(result), dtype=bool), display),
            seconds=time.perf_counter() - started,
            seed=seed,
            n_jobs=n_jobs,
        )
        return result
