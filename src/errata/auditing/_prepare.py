"""From what the user has to what witnesses are asked about."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.decomposition import TruncatedSVD
from sklearn.preprocessing import StandardScaler

from .._compat import take_rows
from .._validation import as_column, check_labels
from ..tables import Features, features_of, is_missing
from ..tables._columns import Column, columns_of
from ._leaks import find_leak, leak_note

FEWEST_ROWS = 6
MOST_CLASSES = 1_000
SPARSE_AXES = 100
SINGLE_FROM = 100_000  # rows from which single precision is enough, and faster


class Prepared(NamedTuple):
    """A table ready for the audit."""

    table: Any  # as the user gave it, without the label; None for none
    learnt: Any  # the same without columns that look made from the label
    labels: np.ndarray  # as the user gave them
    classes: np.ndarray
    codes: np.ndarray
    features: Features | None
    X: np.ndarray | None  # scaled features of the rows that can be judged
    judged: np.ndarray  # rows that can be judged: those of classes with two or more rows
    notes: list[str]

    @property
    def present(self) -> np.ndarray:
        """Codes of the classes that can be judged, in order."""
        return np.flatnonzero(np.bincount(self.codes) >= 2)


def prepare(
    table: Any, y: Any, embeddings: Any, *, trust: Sequence[Any], seed: int, n_jobs: int | None
) -> Prepared:
    """Check labels, turn the table into features, set leaking columns and rare classes aside."""
    table, labels = label_column(table, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # many classes: check_enough says it better
        classes, codes = check_labels(labels, min_classes=2)
    check_enough(codes, classes)
    if table is not None:
        check_one_per_row("the table", count_rows(table), len(codes))
    source = table if embeddings is None else embeddings
    features: Features | None = None
    leaks: list[Any] = []
    if source is not None:
        features, leaks = _features(source, codes, trust, seed, n_jobs)
    notes = [] if features is None else list(features.notes)
    judged, note = without_rare(codes, classes)
    X = None if features is None else scaled(take_rows(features.X, judged), seed)
    learnt = without_columns(table, leaks) if embeddings is None else table
    return Prepared(table, learnt, labels, classes, codes, features, X, judged, notes + note)


def label_column(table: Any, y: Any) -> tuple[Any, np.ndarray]:
    """Table and labels; ``y`` may be the name of a column of the table."""
    if not isinstance(y, str):
        return table, as_column(y)
    names = list(table) if isinstance(table, Mapping) else list(getattr(table, "columns", ()))
    if y not in names:
        known = ", ".join(map(str, names[:20])) or "none, as it is no table with names"
        raise ValueError(f"there is no column {y!r} to take labels from; the columns are: {known}.")
    return without_columns(table, [y]), as_column(table[y])


def without_columns(table: Any, keys: Sequence[Any]) -> Any:
    """A table of any kind without some of its columns."""
    if not len(keys):
        return table
    if isinstance(table, Mapping):
        return {name: column for name, column in table.items() if name not in keys}
    if hasattr(table, "iloc"):
        return table.drop(columns=list(keys))
    if hasattr(table, "get_columns"):
        return table.drop(list(keys))
    return np.delete(np.asarray(table), list(keys), axis=1)


def check_enough(codes: np.ndarray, classes: np.ndarray) -> None:
    """Raise when there is nothing to learn from."""
    n, k = len(codes), len(classes)
    if n < FEWEST_ROWS:
        raise ValueError(f"{n} rows are too few for an audit; {FEWEST_ROWS} are the least.")
    if k > MOST_CLASSES or k > n / 2:
        raise ValueError(
            f"there are {k} different labels in {n} rows; that looks like an identifier or a "
            f"measurement, not like labels (at most {MOST_CLASSES}, with two rows each on average)."
        )
    if np.sum(np.bincount(codes) >= 2) < 2:
        raise ValueError("only one class has two rows or more; there is nothing to compare.")


def without_rare(codes: np.ndarray, classes: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """The rows of classes with two or more of them, and a sentence about the others."""
    sizes = np.bincount(codes)
    judged = np.flatnonzero(sizes[codes] >= 2)
    rare = classes[sizes == 1]
    if not len(rare):
        return judged, []
    names = ", ".join(map(str, rare[:5])) + (", ..." if len(rare) > 5 else "")
    said = "1 class has" if len(rare) == 1 else f"{len(rare)} classes have"
    return judged, [f"{said} one row only ({names}): such a label cannot be judged, it is kept."]


def scaled(X: Any, seed: int) -> np.ndarray:
    """Dense features, each with mean 0 and spread 1; many sparse ones by their main axes."""
    if sparse.issparse(X):
        axes = min(SPARSE_AXES, X.shape[1] - 1, X.shape[0] - 1)
        X = X.toarray() if axes < 2 else TruncatedSVD(axes, random_state=seed).fit_transform(X)
    X = X / np.maximum(np.abs(X).max(axis=0), np.finfo(float).tiny)  # squares could overflow
    dtype = np.float32 if len(X) >= SINGLE_FROM else np.float64
    return StandardScaler().fit_transform(X).astype(dtype, copy=False)


def _features(
    source: Any, codes: np.ndarray, trust: Sequence[Any], seed: int, n_jobs: int | None
) -> tuple[Features, list[Any]]:
    """Features of a table, and the columns that were left out as they look made from the label."""
    features = features_of(source, random_state=seed, n_jobs=n_jobs)
    check_one_per_row("the table", features.X.shape[0], len(codes))
    if sparse.issparse(source):  # its columns are words or pixels, and there are too many to try
        return features, []
    columns = columns_of(source)
    check_trust(trust, columns)
    used = set(features.columns)
    seen = [column for column in columns if column.key in used]
    leak = find_leak(seen, codes, trust=trust, random=np.random.default_rng(seed))
    if leak is None:
        return features, []
    features = features_of(source, drop=leak.keys, random_state=seed, n_jobs=n_jobs)
    return features._replace(notes=[leak_note(leak), *features.notes]), leak.keys


def check_trust(trust: Sequence[Any], columns: Sequence[Column]) -> None:
    """Raise when a column that is to be trusted is not there."""
    if isinstance(trust, str) or not isinstance(trust, Iterable):
        raise ValueError(f"trust={trust!r} must be a list of columns; pass [{trust!r}].")
    known = {key for column in columns for key in (column.key, column.name)}
    for key in trust:
        if key not in known:
            names = ", ".join(column.name for column in columns[:20])
            raise ValueError(f"there is no column {key!r} to trust; the columns are: {names}.")


def count_rows(table: Any) -> int:
    """Rows of a table of any kind."""
    if isinstance(table, Mapping):
        return len(next(iter(table.values()), ()))
    return table.shape[0] if hasattr(table, "shape") else len(table)


def check_one_per_row(what: str, found: int, n: int) -> None:
    """Raise when there are more or fewer rows than labels."""
    if found != n:
        raise ValueError(f"{what} has {found} rows, but there are {n} labels; give one for each.")


def row_names(name: str, values: Any, n: int) -> np.ndarray:
    """One value per row, for ``groups`` and ``ids``."""
    values = as_column(values)
    if values.ndim != 1:
        raise ValueError(
            f"{name} must hold one value per row, but its shape is {values.shape}; pass a column "
            "and not its name."
        )
    check_one_per_row(name, len(values), n)
    return values


def group_numbers(groups: Any, n: int, judged: np.ndarray) -> np.ndarray:
    """For each row that can be judged the number of its group."""
    groups = row_names("groups", groups, n)
    missing = np.flatnonzero([is_missing(group) for group in groups])
    if len(missing):
        raise ValueError(
            f"groups is missing in {len(missing)} of the rows (the first is row {missing[0]}); a "
            "row without a group needs one of its own."
        )
    names, numbers = np.unique(groups[judged].astype(str), return_inverse=True)
    if len(names) < 2:
        raise ValueError(
            "groups holds one group only; rows of other groups are needed to judge it."
        )
    return numbers
