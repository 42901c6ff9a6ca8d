"""The audit of classes, in memory or in parts."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..._files import fits_into_memory, is_pattern, readable
from ..._progress import Progress, open_progress
from ...tables import read_table
from ...tables._columns import as_table, count_rows
from ...tables._table import is_stored
from .._audit import Options, run_audit
from .._settings import LEARN_ROWS
from ..results._audit import Audit
from ..sequences import check_sequence
from ..stored._audit import audit_stored
from ._problem import ClassProblem, DrawnProblem, RecordingProblem


def audit(
    X: Any,
    y: Any,
    *,
    estimator: Any = None,
    pred_proba: Any = None,
    embeddings: Any = None,
    estimators: Sequence[Any] | None = None,
    groups: Any = None,
    sequence: Any = None,
    wavelets: Any = None,
    trust: Sequence[Any] = (),
    known: Any = None,
    decisions: Any = None,
    keys: Any = None,
    ids: Any = None,
    precision: float | None = None,
    self_check: bool = True,
    image_shape: tuple[int, ...] | None = None,
    title: str | None = None,
    drop: Sequence[Any] = (),
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: Progress | bool | None = None,
    out: str | os.PathLike | None = None,
    memory: int | str | None = None,
    engine: Any = None,
    resume: bool = True,
) -> Audit:
    """Find out which labels are wrong, how many, which way, and how sure that is.

    Several quick models of different kinds give each row's label a probability without having
    learnt from that row. A posterior over noise hypotheses turns these into the probability that
    the label is wrong. Where the columns do not tell the labels apart, it says so and flags
    nothing. Then errors are injected into a copy of the labels and looked for in the same way,
    which shows how far the answer can be trusted on this very table.

    Parameters
    ----------
    X : table of shape (n, d)
        A pandas or polars dataframe, an Arrow table, a ``Dataset`` of Hugging Face, a mapping of
        names to columns, an array, a sparse matrix. Numbers, categories, text, dates, pictures (or
        names of their files) and missing cells are accepted. None when ``pred_proba`` is
        all there is. A table that is larger than memory is given as a path (a file, a folder of
        Parquet files, a pattern such as ``"visits-*.csv.gz"``), a list of paths, a
        ``pyarrow.dataset``, a dask dataframe or a polars ``LazyFrame``, and is read in parts; then
        ``y``, ``groups``, ``known``, ``ids`` and each of ``pred_proba`` are names of its columns,
        and ``out`` must be given. A path to one file that fits into memory is read at once.
    y : array-like of shape (n,) or str
        The labels, or the name of their column in ``X``. Where one is missing (None, NaN), the row
        teaches nothing and gets the most probable class as ``suggested``.
    estimator : classifier with ``predict_proba``, optional
        A model of yours, cross-fitted to ``X`` as you gave it, with your labels, and pooled with
        the other models.
    pred_proba : array-like or dataframe of shape (n, K), optional
        Out-of-fold probabilities of the labels by a model of yours, pooled with the others. The
        columns of an array are in the order of the sorted labels, those of a dataframe are matched
        to the labels by name. Rows whose sum is off by at most 2 % are divided by it.
    embeddings : array-like of shape (n, d), optional
        What models should look at instead of ``X``.
    estimators : sequence of classifiers or of (name, classifier) pairs, optional
        Models to use in place of errata's own, cross-fitted to errata's features of ``X`` (numeric,
        scaled); empty for none but ``estimator`` and ``pred_proba``. An
        :class:`errata.auditing.OutOfFoldModel` may stand for a classifier.
    groups : array-like of shape (n,), optional
        Rows of one group (a patient, a document) are never predicted from each other. Copies of
        a row are found and treated so without being named.
    sequence : array-like of shape (n,) or str, optional
        For rows that follow each other in time: the recording that each row belongs to, or the
        name of that column in ``X``. Rows of one recording are taken in the order of the table.
        Hidden Markov models then stand for errata's own models, a recording is read by models that
        were fitted to others (or to other parts, where there are fewer than five), and
        :meth:`Audit.stretches` tells from where to where labels are wrong. Only columns of numbers
        are looked at.
    wavelets : errata.sequence.WaveletFeatures, optional
        With ``sequence``: models look at these features of the signals instead of the signals.
    trust : sequence of column names or positions, optional
        Columns that were measured independently of the label. A column that alone gives nearly
        every label, when the others cannot, looks made from the label and is left out unless it is
        named here.
    known : array-like of bool of shape (n,) or str, optional
        Rows whose label is certain, or the name of a column of ``X`` that says so (1 or 0, true or
        false, yes or no). They teach like any others but are never flagged, and nothing is learnt
        about the noise from them.
    decisions : Decisions or path, optional
        What people decided about the rows in a review. The classes they gave replace the labels and
        are known; rows they found unusable are left out as if they had no label; which labels were
        wrong also tells what the noise is like.
    keys : array-like of str of shape (n,), optional
        What decisions know the rows by, see :func:`errata.tables.row_keys`; by default their
        places, as "row.12".
    ids : array-like of shape (n,), optional
        What to call the rows in reports; by default what the index of a pandas dataframe does.
    precision : float, optional
        Flag as many rows as keep this fraction of them expected to be wrong. By default as many as
        have the largest expected F1 score.
    self_check : bool, default=True
        Whether to inject errors and look for them. It about doubles the time; above 5,000 rows it
        is done on 5,000 of them.
    image_shape : tuple of int, optional
        For rows that are pixels: height and width, to show them.
    title : str, optional
        How reports call the data.
    drop : sequence, default=()
        Columns of ``X`` that are no features.
    random_state : int, RandomState or None
        Fix it to get the same audit again.
    n_jobs : int, optional
        Threads for forests and neighbours, -1 for all; BLAS computes in one.
    progress : bool or callable, optional
        True shows on a terminal or in a notebook what is being done. A function is called with a
        few words at every stage; of a table that is read in parts, with an object whose text they
        are after every part.
    out : path, optional
        For a table that is read in parts: the folder that the audit is saved to when it is whole.
        What is finished before is kept beside it, in a folder that ends in ``.unfinished``.
    memory : int or str, optional
        For a table that is read in parts: how much memory may be used, in bytes or as in "2GB". It
        decides how many rows are read at a time, and about no result.
    engine : distributed.Client or str, optional
        For a table that is read in parts: the Dask cluster whose workers read them, or the address
        of its scheduler; this process by default.
    resume : bool, default=True
        For a table that is read in parts: whether to go on with an unfinished audit of it.

    Returns
    -------
    Audit
        ``p_wrong``, ``suggested``, ``flagged``, ``noise_rate`` and more, with ``clean``, ``report``
        and ``save``.

    Notes
    -----
    Models learn from 200,000 rows, which are drawn if there are more; all others are judged by what
    was learnt. Time grows linearly with the rows, memory stays within a few times the table plus
    O(n K) for K classes, and for a table that is read in parts within what one part takes. Wrong
    labels near the border between classes look like classes that overlap: no method can tell them
    apart from labels alone, and the interval of the noise rate is the wider for it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import errata
    >>> X, y = load_iris(return_X_y=True)
    >>> y[[3, 100]] = 2, 0                      # a setosa and a virginica change places
    >>> result = errata.audit(X, y, self_check=False, random_state=0)
    >>> sorted(int(row) for row in result.suspicion.argsort()[::-1][:2])
    [3, 100]
    >>> result.suggested[[3, 100]].tolist()
    [0, 2]
    """
    options = Options.of(locals())
    X = as_table(X)
    if is_stored(X) and out is None and memory is None and engine is None:
        X = _read_at_once(X)
    with open_progress(progress) as tell:
        if not is_stored(X):
            _check_not_stored(out, memory, engine)
            return run_audit(_choose_problem(X, y, options), options, tell)
        return audit_stored(
            X, y, options, tell, out=out, memory=memory, engine=engine, resume=resume
        )


def _choose_problem(X: Any, y: Any, options: Options) -> ClassProblem:
    """Rows in memory: all of them are learnt from, or some that are drawn, or recordings."""
    if options.sequence is not None or options.wavelets is not None:
        check_sequence(
            options.sequence,
            options.wavelets,
            groups=options.groups,
            embeddings=options.embeddings,
            image_shape=options.image_shape,
        )
        return RecordingProblem(X, y)
    try:
        n = count_rows(X if isinstance(y, str) else y)
    except (TypeError, IndexError):  # these are no labels, which is said when they are read
        n = 0
    return DrawnProblem(X, y) if n > LEARN_ROWS else ClassProblem(X, y)


def _read_at_once(X: Any) -> Any:
    """The table that a path names, where it is one file that fits into memory."""
    if not isinstance(X, str | os.PathLike) or is_pattern(X) or Path(X).is_dir():
        return X
    with readable(X) as path:  # when it is missing, that is the first thing to say
        return read_table(path) if fits_into_memory(path) else X


def _check_not_stored(out: Any, memory: Any, engine: Any) -> None:
    for name, value in (("out", out), ("memory", memory), ("engine", engine)):
        if value is not None:
            raise ValueError(
                f"{name}={value!r} is for tables that are read in parts, but X is in memory; pass "
                "the path of a file or folder instead, or a dask dataframe."
            )
