"""Features from any table: what a model can take in, and what a person should know about it."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from scipy import sparse

from .._format import listed
from .._random import draw_seeds
from ._columns import Column, columns_of, count_rows, without
from ._datasets import as_table
from ._encode_column import Encoded, encode
from ._encoders import spread_rows
from ._identifiers import are_identifying_numbers, may_be_consecutive
from ._plan import ColumnPlan, FeaturePlan, MatrixPlan, put_side_by_side

_NAMED = 8  # columns a note mentions by name


class Features(NamedTuple):
    """What :func:`features_of` makes of a table.

    Attributes
    ----------
    X : array or CSR matrix of shape (n_rows, n_features)
        Finite floats, not scaled.
    names : list of str
        One for each feature: ``weight``, ``pet=cat``, ``comment 3``, ``weight missing``, ...
    notes : list of str
        Sentences for the user: what was left out and why.
    columns : list
        The columns that were used, as the table calls them; their positions in an array.
    plan : FeaturePlan or None
        How these features were made, for other rows of the table; None where something else than
        :func:`features_of` has made them.
    """

    X: Any
    names: list[str]
    notes: list[str]
    columns: list[Any]
    plan: FeaturePlan | None = None


def features_of(
    table: Any,
    *,
    drop: Sequence[Any] = (),
    random_state: Any = None,
    n_jobs: int | None = None,
    n_rows: int | None = None,
) -> Features:
    """Turn a table of numbers, categories, texts and dates into finite floats.

    Numbers stay what they are; a missing one becomes the median of its column, and a feature of 0
    and 1 says so. Up to 30 distinct words give a feature each; more of them, and free text, come
    as 30 axes of their tf-idf, in which similar texts are near, and as 30 more of whole words where
    texts are sentences. A date gives seconds since 1970, and month, weekday and hour where they
    vary. Pictures, and names of picture files (from the current folder), give their edges and
    colours. Columns that say nothing about a row are left out and noted: constant or empty ones,
    identifiers, nested lists.

    Labels are never looked at, so nothing of them can leak into the features; leave their column
    out with ``drop``. An array of finite numbers is passed on as it is, in two passes over it.

    What was learnt of the columns is the ``plan`` of the result: ``plan.apply`` makes the same
    features of other rows.

    Parameters
    ----------
    table : array, sparse matrix, dataframe of any kind, or mapping of names to columns
        What :func:`read_table` gives, a pandas, polars or Arrow table, and whatever else narwhals
        knows; a ``Dataset`` of Hugging Face. Numbers and dates in text are recognised. Free text
        and dates written as text need the ``tables`` extra, pictures ``pictures``.
    drop : sequence, default=()
        Columns to leave out, the label to begin with; positions in an array.
    random_state : int, RandomState instance or None, default=None
        Seeds the axes of texts.
    n_jobs : int, default=None
        Columns that are encoded at a time.
    n_rows : int, default=None
        Rows of the whole table, when ``table`` holds rows drawn from it at random: identifiers are
        then told by what differs in all of them, and infinite numbers count as missing.

    Returns
    -------
    Features

    Examples
    --------
    >>> table = {
    ...     "id": ["1", "2", "3", "4"],
    ...     "weight": ["4.0", "31.5", "", "5.5"],
    ...     "fur": ["grey", "brown", "brown", "white"],
    ... }
    >>> features = features_of(table)
    >>> features.names
    ['weight', 'weight missing', 'fur=brown', 'fur=grey', 'fur=white']
    >>> features.X[2]
    array([5.5, 1. , 1. , 0. , 0. ])
    >>> features.notes
    ["Left out 'id': every value is different, as in an identifier."]
    """
    table = as_table(table)
    if sparse.issparse(table):
        return _sparse_features(table, drop)
    stands_for = max(1.0, (n_rows or 0) / max(1, count_rows(table)))
    if isinstance(table, np.ndarray) and not len(drop) and _is_ready(table, stands_for):
        return _ready_features(table)
    columns = without(columns_of(table), drop)
    # A seed for each column, drawn in advance: the features do not depend on n_jobs.
    seeds = draw_seeds(random_state, len(columns))
    encoded = Parallel(n_jobs=n_jobs)(
        delayed(encode)(column, seed, stands_for)
        for column, seed in zip(columns, seeds, strict=True)
    )
    return _gathered(columns, encoded)


def rows_without_values(features: Features) -> np.ndarray:
    """Rows that have no value in any column that features were made of.

    Examples
    --------
    >>> features = features_of({"weight": [4.0, None, None], "fur": ["grey", None, "red"]})
    >>> rows_without_values(features)
    array([False,  True, False])
    """
    encoders = getattr(features.plan, "encoders", ())
    gaps = [f"{encoder.name} missing" for encoder in encoders]
    places = {name: place for place, name in enumerate(features.names)}
    if not gaps or not all(name in places for name in gaps):
        return np.zeros(features.X.shape[0], dtype=bool)
    return features.X[:, [places[name] for name in gaps]].all(axis=1)


def _is_ready(array: np.ndarray, stands_for: float) -> bool:
    """Whether an array holds finite numbers that vary in every column, and no identifiers."""
    if array.ndim != 2 or array.dtype.kind not in "biuf" or not array.size:
        return False
    # NaN and infinity show up in the extremes; as floats, whole numbers do not overflow below.
    low, high = array.min(axis=0).astype(float), array.max(axis=0).astype(float)
    if not (np.isfinite(low).all() and np.isfinite(high).all() and (low < high).all()):
        return False
    candidates = np.flatnonzero(may_be_consecutive(high - low, len(array), stands_for))
    # "x" gives nothing away: columns of an array have no names that could say "id".
    return not any(
        are_identifying_numbers(array[:, place], "x", stands_for) for place in candidates
    )


def _ready_features(table: np.ndarray) -> Features:
    X, places = table.astype(float, copy=False), list(range(table.shape[1]))
    plan = MatrixPlan(places, np.median(spread_rows(X), axis=0))
    return Features(X, plan.names, [], places, plan)


def _sparse_features(table: Any, drop: Sequence[Any]) -> Features:
    """A sparse matrix as CSR, columns that are all zero included."""
    if not min(table.shape):
        raise ValueError("the table is empty; errata needs rows and columns.")
    places = [Column(place, f"x{place}", table) for place in range(table.shape[1])]
    kept = [column.key for column in without(places, drop)]
    X = table.tocsr().astype(float, copy=False)
    X = X[:, kept] if len(drop) else X
    _check_finite(X.tocoo(), kept)
    plan = MatrixPlan(kept, np.zeros(len(kept)))
    return Features(X, plan.names, [], kept, plan)


def _check_finite(cells: Any, places: list[int]) -> None:
    wrong = np.flatnonzero(~np.isfinite(cells.data))
    if len(wrong):
        first = wrong[0]
        raise ValueError(
            f"column {places[cells.col[first]]} holds {cells.data[first]} in row "
            f"{cells.row[first]} (both counted from 0); a sparse matrix must hold finite numbers."
        )


def _gathered(columns: list[Column], encoded: list[Encoded]) -> Features:
    notes = _notes(columns, encoded)
    used = [column.key for column, e in zip(columns, encoded, strict=True) if e.block is not None]
    if not used:
        raise ValueError(" ".join(["no column is left to learn from.", *notes]))
    plan = ColumnPlan(used, [e.encoder for e in encoded if e.encoder is not None])
    X = np.empty((len(columns[0].values), len(plan.names)))
    put_side_by_side((e.block for e in encoded if e.block is not None), X)
    return Features(X, plan.names, notes, used, plan)


def _notes(columns: list[Column], encoded: list[Encoded]) -> list[str]:
    """One sentence for each reason to leave columns out, then the remarks."""
    left_out: dict[str, list[str]] = {}
    for column, outcome in zip(columns, encoded, strict=True):
        if outcome.reason:
            left_out.setdefault(outcome.reason, []).append(column.name)
    notes = [
        f"Left out {listed(map(repr, names), _NAMED)}: {reason}."
        for reason, names in left_out.items()
    ]
    return notes + [outcome.remark for outcome in encoded if outcome.remark]
