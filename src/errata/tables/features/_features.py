"""Features from any table, column by column, with a plan to make them of other rows."""

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from scipy import sparse

from ..._format import join_names
from ..._random import draw_seed
from .._columns import (
    Column,
    as_table,
    columns_of,
    count_rows,
    drop_columns,
    is_arrow,
    numbers,
    pick_columns,
    quick_numbers,
    spread,
    words_of,
)
from .._pictures import has_pictures
from . import _encoders
from ._pictures import Pictures, describe_cells

_NAMED = 8  # columns a note mentions by name

EMPTY = "no value in any row"
CONSTANT = "the same value in every row"
ALIKE = "the same value in every row, to 15 digits"  # more than these no float holds
IDENTIFIER = "every value is different, as in an identifier"
NO_PICTURE = "names of pictures that are not there, or cannot be read"
NESTED = "cells that hold lists, objects, bytes or complex numbers"

_FEW = 30  # distinct words that get a feature each

_ENOUGH = 20  # in fewer rows, values may all differ by chance
_NAME = re.compile(
    r"(unnamed: \d+|index|idx|row|row.?names?|row.?num(ber)?|uuid|guid|(.*[\W_])?id|)"
)
_CAMEL = re.compile(r".*[a-z]I[dD]")
_TOKEN = re.compile(r"[!-~]{1,64}")  # no space; no script that writes sentences without any


class Applied(NamedTuple):
    """The features of some rows, by :meth:`FeaturePlan.apply`.

    Attributes
    ----------
    X : array or CSR matrix of shape (n_rows, n_features)
        Finite floats, not scaled.
    unread : Counter
        For each column by name, how many cells did not fit it: words among numbers or dates,
        infinite numbers. They count as missing.
    """

    X: Any
    unread: Counter[str]


@dataclass(frozen=True)
class FeaturePlan(ABC):
    """How :func:`features_of` made features of a table: what each column is, medians, words, axes.

    Other rows of the table get the same features by :meth:`apply`, and so do the same rows. A plan
    holds no rows; it may be pickled and sent elsewhere.

    Attributes
    ----------
    columns : list
        The columns that are used, as the table calls them; their positions in an array.
    names : list of str
        One for each feature.

    Examples
    --------
    >>> from errata.tables import features_of
    >>> pets = {"weight": ["4.0", "31.5", "", "5.5"], "fur": ["grey", "brown", "brown", "white"]}
    >>> plan = features_of(pets).plan
    >>> plan.names
    ['weight', 'weight missing', 'fur=brown', 'fur=grey', 'fur=white']
    >>> X, unread = plan.apply({"fur": ["white", "red"], "weight": [6, "heavy"]})
    >>> X
    array([[6. , 0. , 0. , 0. , 1. ],
           [5.5, 1. , 0. , 0. , 0. ]])
    >>> unread
    Counter({'weight': 1})
    """

    columns: list[Any]

    @property
    @abstractmethod
    def names(self) -> list[str]:
        """One for each feature."""

    @abstractmethod
    def apply(self, table: Any) -> Applied:
        """The same features of other rows.

        A column is what it was when the plan was made, whatever type its cells have here. Missing
        numbers, and cells that are no numbers, become the median learnt; a word that was not there
        is none of those that were. Columns that the plan does not use are not looked at.

        Parameters
        ----------
        table : array, sparse matrix, dataframe of any kind, or mapping of names to columns
            With the columns of the plan, in any order; an array has them where they were.

        Returns
        -------
        Applied
        """


class Features(NamedTuple):
    """The features of a table, by :func:`features_of`.

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

    def find_empty_rows(self) -> np.ndarray:
        """Rows that have no value in any column that features were made of.

        Examples
        --------
        >>> features = features_of({"weight": [4.0, None, None], "fur": ["grey", None, "red"]})
        >>> features.find_empty_rows()
        array([False,  True, False])
        """
        encoders = getattr(self.plan, "encoders", ())
        gaps = [f"{encoder.name} missing" for encoder in encoders]
        places = {name: place for place, name in enumerate(self.names)}
        if not gaps or not all(name in places for name in gaps):
            return np.zeros(self.X.shape[0], dtype=bool)
        return self.X[:, [places[name] for name in gaps]].all(axis=1)


def features_of(
    table: Any,
    *,
    drop: Sequence[Any] = (),
    random_state: Any = None,
    n_jobs: int | None = None,
    n_rows: int | None = None,
) -> Features:
    """Turn a table of numbers, categories, texts and dates into finite floats.

    Numbers stay what they are; a missing one, or a word among many numbers, becomes the median of
    its column, and a feature of 0 and 1 says so. Up to 30 distinct words give a feature each; more
    of them, and free text, come as 30 axes of their tf-idf, in which similar texts are near, and as
    30 more of whole words where texts are sentences. A date gives seconds since 1970, and month,
    weekday and hour where they vary. Pictures, and names of picture files (from the current
    folder), give their edges and colours. Columns that say nothing about a row are left out and
    noted: constant or empty ones, identifiers, nested lists.

    Labels are never looked at, so nothing of them can leak into the features; leave their column
    out with ``drop``. An array of finite numbers is passed on as it is, in two passes over it.

    What was learnt of the columns is the ``plan`` of the result: ``plan.apply`` makes the same
    features of other rows.

    Parameters
    ----------
    table : array, sparse matrix, dataframe of any kind, or mapping of names to columns
        What :func:`read_table` gives, a pandas, polars or Arrow table, and whatever else narwhals
        knows; a ``Dataset`` of Hugging Face. Numbers and dates in text are recognised.
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
        return _convert_sparse(table, drop)
    stands_for = max(1.0, (n_rows or 0) / max(1, count_rows(table)))
    if isinstance(table, np.ndarray) and not len(drop) and _is_ready(table, stands_for):
        X = table.astype(float, copy=False)
        places = list(range(table.shape[1]))
        plan = MatrixPlan(places, np.median(_encoders.sample_rows(X), axis=0))
        return Features(X, plan.names, [], places, plan)
    columns = drop_columns(columns_of(table), drop)
    # One seed for all columns: what is made of a column depends neither on its place nor on n_jobs.
    seed = draw_seed(random_state)
    encoded = Parallel(n_jobs=n_jobs)(
        delayed(encode)(column, seed, stands_for) for column in columns
    )
    return _gather(columns, encoded)


def _is_ready(array: np.ndarray, stands_for: float) -> bool:
    """Whether an array holds finite numbers that vary in every column, and no identifiers."""
    if array.ndim != 2 or array.dtype.kind not in "biuf" or not array.size:
        return False
    # NaN and infinity show up in the extremes; as floats, whole numbers do not overflow below.
    low = array.min(axis=0).astype(float)
    high = array.max(axis=0).astype(float)
    if not (np.isfinite(low).all() and np.isfinite(high).all() and (low < high).all()):
        return False
    candidates = np.flatnonzero(may_be_consecutive(high - low, len(array), stands_for))
    # "x" gives nothing away: columns of an array have no names that could say "id".
    return not any(
        are_identifying_numbers(array[:, place], "x", stands_for) for place in candidates
    )


def _convert_sparse(table: Any, drop: Sequence[Any]) -> Features:
    """A sparse matrix as CSR, columns that are all zero included."""
    if not min(table.shape):
        raise ValueError("the table is empty; errata needs rows and columns.")
    places = [Column(place, f"x{place}", table) for place in range(table.shape[1])]
    kept = [column.key for column in drop_columns(places, drop)]
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


class Encoded(NamedTuple):
    """The encoder of a column and its features, or why there are none.

    A remark when cells were read in a special way.
    """

    encoder: _encoders.Encoder | None = None
    block: _encoders.Block | None = None
    reason: str = ""
    remark: str = ""


def _gather(columns: list[Column], encoded: list[Encoded]) -> Features:
    notes = _write_notes(columns, encoded)
    used = [column.key for column, e in zip(columns, encoded, strict=True) if e.block is not None]
    if not used:
        raise ValueError(" ".join(["no column is left to learn from.", *notes]))
    plan = ColumnPlan(used, [e.encoder for e in encoded if e.encoder is not None])
    X = np.empty((len(columns[0].values), len(plan.names)))
    put_side_by_side((e.block for e in encoded if e.block is not None), X)
    return Features(X, plan.names, notes, used, plan)


def _write_notes(columns: list[Column], encoded: list[Encoded]) -> list[str]:
    """One sentence for each reason to leave columns out, then the remarks."""
    left_out: dict[str, list[str]] = {}
    for column, outcome in zip(columns, encoded, strict=True):
        if outcome.reason:
            left_out.setdefault(outcome.reason, []).append(column.name)
    notes = [
        f"Left out {join_names(map(repr, names), _NAMED)}: {reason}."
        for reason, names in left_out.items()
    ]
    return notes + [outcome.remark for outcome in encoded if outcome.remark]


@dataclass(frozen=True)
class ColumnPlan(FeaturePlan):
    """An encoder for each column."""

    encoders: Sequence[_encoders.Encoder]

    @property
    def names(self) -> list[str]:
        return [name for encoder in self.encoders for name in encoder.kept]

    def apply(self, table: Any) -> Applied:
        table = as_table(table)
        X = np.empty((count_rows(table), len(self.names)))
        unread: Counter[str] = Counter()
        if len(X):
            columns = pick_columns(table, [encoder.name for encoder in self.encoders])
            put_side_by_side(self._blocks(columns, len(X), unread), X)
        return Applied(X, unread)

    def _blocks(
        self, columns: Iterable[Column], n: int, unread: Counter[str]
    ) -> Iterable[_encoders.Block]:
        """Features of one column after the other, counting what is not read."""
        for encoder, column in zip(self.encoders, columns, strict=True):
            if len(column.values) != n:
                raise ValueError(
                    f"column {column.name!r} has {len(column.values)} rows, and the table {n}; "
                    "columns must be of one length."
                )
            block, missed = encoder.encode(column.values)
            if missed:
                unread[encoder.name] = missed
            yield block


@dataclass(frozen=True)
class MatrixPlan(FeaturePlan):
    """Columns of an array or of a sparse matrix that are features as they are."""

    medians: np.ndarray

    @property
    def names(self) -> list[str]:
        return [f"x{place}" for place in self.columns]

    def apply(self, table: Any) -> Applied:
        if sparse.issparse(table):
            return self._of_sparse(table)
        if self._fits(table):
            return self._of_array(_pick_columns(table, self.columns).astype(float, copy=False))
        encoders = [
            _encoders.Numbers(name, kept=(name,), median=median)
            for name, median in zip(self.names, self.medians.tolist(), strict=True)
        ]
        return ColumnPlan(self.columns, encoders).apply(table)

    def _fits(self, table: Any) -> bool:
        if not isinstance(table, np.ndarray) or table.ndim != 2 or table.dtype.kind not in "biuf":
            return False
        return table.shape[1] > max(self.columns)

    def _of_array(self, X: np.ndarray) -> Applied:
        if np.isfinite(X).all():
            return Applied(X, Counter())
        infinite = np.isinf(X)
        unread = self._counted(infinite.sum(axis=0))
        return Applied(np.where(infinite | np.isnan(X), self.medians, X), unread)

    def _of_sparse(self, table: Any) -> Applied:
        """A cell that is no finite number counts as one that is not stored."""
        if table.shape[1] <= max(self.columns):
            raise ValueError(
                f"the sparse matrix has {table.shape[1]} columns, but features were made of column "
                f"{max(self.columns)} (counted from 0), too; pass all columns."
            )
        X = _pick_columns(table.tocsr(), self.columns).astype(float)
        wrong = ~np.isfinite(X.data)
        unread = self._counted(np.bincount(X.indices[wrong], minlength=X.shape[1]))
        X.data[wrong] = 0
        return Applied(X, unread)

    def _counted(self, unread: np.ndarray) -> Counter[str]:
        return Counter({self.names[place]: int(unread[place]) for place in np.flatnonzero(unread)})


def put_side_by_side(blocks: Iterable[_encoders.Block], X: np.ndarray) -> None:
    """All features into one array."""
    place = 0
    for block in blocks:
        for values in block.values():
            X[:, place] = values
            place += 1


def _pick_columns(table: Any, places: list[int]) -> Any:
    return table if places == list(range(table.shape[1])) else table[:, places]


def encode(column: Column, seed: int, stands_for: float = 1.0) -> Encoded:
    """Look at a column alone, never at labels, and turn it into numbers.

    ``stands_for`` is how many rows of the whole table each row was drawn from.
    """
    values = column.values
    if is_arrow(values):
        found = quick_numbers(values)
        if found is not None:
            return _encode_numbers(column.name, found, stands_for)
        if has_pictures(column):
            return _encode_pictures(column)
        return _encode_words(column, seed, stands_for)
    if values.dtype.kind == "m":
        values = values / np.timedelta64(1, "s")  # NaT becomes NaN
    if values.dtype.kind == "M":
        return _encode_dates(column.name, values.astype("M8[us]"))
    if values.dtype.kind in "biuf":
        return _encode_numbers(column.name, values.astype(float, copy=False), stands_for)
    return _encode_objects(column, seed, stands_for)


def _encode_objects(column: Column, seed: int, stands_for: float) -> Encoded:
    values = column.values.astype(object, copy=False)
    if has_pictures(column):
        return _encode_pictures(column)
    if any(isinstance(cell, _encoders.NESTED_CELLS) for cell in values):
        return Encoded(reason=NESTED)
    found = numbers(values)
    if found is not None:
        return _encode_numbers(column.name, found, stands_for)
    dates = _encoders.convert_dates(values)
    if dates is not None:
        return _encode_dates(column.name, dates)
    return _encode_words(column, seed, stands_for)


def _encode_numbers(
    name: str, values: np.ndarray, stands_for: float, comma: str = ",", remark: str = ""
) -> Encoded:
    # Infinite numbers are an error, and among drawn rows missing: whether an error comes up must
    # not depend on which rows were drawn.
    infinite = np.flatnonzero(np.isinf(values))
    if len(infinite) and stands_for == 1:
        raise ValueError(
            f"column {name!r} holds {values[infinite[0]]} in row {infinite[0]} (counted from 0); "
            "replace infinite numbers by finite ones or leave them empty."
        )
    values = np.where(np.isinf(values), np.nan, values) if len(infinite) else values
    present = values[~np.isnan(values)]
    if not len(present):
        return Encoded(reason=EMPTY, remark=remark)
    if len(present) == len(values) and present.min() == present.max():
        is_exact = abs(present[0]) < 2**53
        return Encoded(reason=CONSTANT if is_exact else ALIKE, remark=remark)
    if are_identifying_numbers(present, name, stands_for):
        return Encoded(reason=IDENTIFIER, remark=remark)
    return Encoded(*_encoders.Numbers.learn(name, values, comma), remark=remark)


def _encode_dates(name: str, dates: np.ndarray, how: str | None = None) -> Encoded:
    if np.isnat(dates).all():
        return Encoded(reason=EMPTY)
    if (dates == dates[0]).all():
        return Encoded(reason=CONSTANT)
    return Encoded(*_encoders.Dates.learn(name, dates, how))


def _encode_pictures(column: Column) -> Encoded:
    described = describe_cells(column.values)
    if np.isnan(described[:, 0]).all():
        return Encoded(reason=NO_PICTURE)
    encoder, block = Pictures.learn(column.name, described)
    return Encoded(encoder, block, remark=encoder.describe_unread(column.values, described))


def _encode_words(column: Column, seed: int, stands_for: float) -> Encoded:
    """Text: numbers in some way of writing them, dates, categories or free text."""
    name = column.name
    codes, words = words_of(column.values)
    if not words:
        return Encoded(reason=EMPTY)
    found, comma, remark = _encoders.parse_numbers(name, words)
    if found is not None:
        return _encode_numbers(name, spread(found, codes), stands_for, comma, remark)
    dates, how = _encoders.parse_dates(words)
    if dates is not None:
        return _encode_dates(name, spread(dates, codes), how)
    found, comma, remark = _encoders.parse_most_numbers(name, codes, words)
    if found is not None:
        return _encode_numbers(name, spread(found, codes), stands_for, comma, remark)
    present = int(np.sum(codes >= 0))
    if len(words) == 1 and present == len(codes):
        return Encoded(reason=CONSTANT)
    if are_identifying_words(words, present, name, stands_for):
        return Encoded(reason=IDENTIFIER)
    if _are_texts(words, present):
        return Encoded(*_encoders.Texts.learn(name, codes, words, seed=seed))
    return Encoded(*_encoders.Categories.learn(name, codes, words))


def _are_texts(words: list[str], n: int) -> bool:
    """Many words, or sentences that hardly ever repeat; a single one has nothing to be near to."""
    return len(words) > _FEW or (
        _encoders.are_sentences(words) and 2 * len(words) > n and len(words) > 1
    )


def is_identifier_name(name: str) -> bool:
    """Whether a column is called as identifiers are.

    Examples
    --------
    >>> [is_identifier_name(name) for name in ("patient_id", "rowId", "Unnamed: 0", "humid")]
    [True, True, True, False]
    """
    return bool(_NAME.fullmatch(name.strip().lower()) or _CAMEL.fullmatch(name.strip()))


def may_be_consecutive(spread: Any, n: int, stands_for: float = 1.0) -> Any:
    """Whether n whole numbers over such a range (or ranges) may be a count with few gaps.

    ``stands_for`` is the number of cells that each of them was drawn from.
    """
    cells = n * stands_for
    return (n >= _ENOUGH * stands_for) & (cells <= 2 * spread) & (spread < 2 * cells)


def are_identifying_numbers(values: np.ndarray, name: str, stands_for: float = 1.0) -> bool:
    """Whether numbers (none missing) are distinct and whole, and run on or are named so.

    Measurements that happen to differ in every row are not: whole numbers that leave out fewer
    values than they take, without repeating one, are not a coincidence.

    Notes
    -----
    Where n numbers were drawn from N = n * ``stands_for``, a count shows by its range, which holds
    N different numbers but not twice as many, and by not repeating. Numbers that take the values of
    a range of R < 2 N at random would repeat in about n^2 / 2 R pairs of those drawn, and in none
    with a chance of exp(-n^2 / 2 R) < exp(-n / 4 ``stands_for``); with less, if some values are
    more frequent than others. So n >= 20 ``stands_for`` is asked for: n = 200,000 tell up to N =
    2e9, with a chance of at most 0.7 % to be wrong there and of 5e-5 at N = 1e9. In larger
    tables it cannot be told, and a column is an identifier by its name only.
    """
    spread = float(values.max()) - float(values.min())
    if not (is_identifier_name(name) or may_be_consecutive(spread, len(values), stands_for)):
        return False
    whole = bool((values == np.floor(values)).all())
    return whole and len(values) > 1 and len(np.unique(values)) == len(values)


def are_identifying_words(words: Sequence[str], n: int, name: str, stands_for: float = 1.0) -> bool:
    """Whether the distinct words of n cells are as many, and without spaces, as in a uuid.

    Where they were drawn from N = n * ``stands_for`` cells, n^2 / 2 N of them would repeat if every
    word stood there twice. So n >= 20 ``stands_for`` is asked for here, too: at least 10 would.
    Words of which only a few repeat name rows nearly as well, and are left out like identifiers.
    """
    if len(words) < n or n < 2:
        return False
    if n < _ENOUGH * stands_for and not is_identifier_name(name):
        return False
    return all(map(_TOKEN.fullmatch, words))
