"""Inputs: what the user passes and people decided, checked once; features and codes made of it."""

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse

from ..._blocks import blocks
from ..._canonical import order_rows, sign_classes, sign_table
from ..._compat import take_rows
from ..._format import count, instead, join_names, plural
from ..._validation import MANY_FRACTIONS, MANY_NUMBERS, parse_numbers
from ...audit_folder.decisions import Decisions, Resolved, as_text, from_text, resolve
from ...tables import Features, features_of
from ...tables._columns import (
    Column,
    as_table,
    column_names,
    columns_of,
    count_rows,
    numbers,
    take_table_rows,
    without_columns,
)
from ...tables._table import is_stored
from ...tables.features._pictures import Pictures
from .._settings import CACHED
from ._features import FeatureScaler, find_leak
from ._groups import group_folds, group_numbers
from ._labels import (
    check_one_per_row,
    classes_of,
    codes_among,
    has_label,
    label_column,
    one_per_row,
    read_known,
    take_known_column,
    yes_or_no,
)

if TYPE_CHECKING:
    from ..sequences import Recordings, Timeline

MOST_OFF = 0.02  # that sums of rounded probabilities may differ from one
ROUNDING = 1e-6  # up to which they are left as they are
_TOLD = ("decided", "ambiguous", "unusable", "disputed")  # what :func:`resolve` tells of


class Inputs(NamedTuple):
    """A table ready for the audit."""

    table: Any  # as the user gave it, without the label; None for none
    model_table: Any  # the same without columns that look made from the label
    labels: np.ndarray  # as the user gave them
    classes: np.ndarray
    codes: np.ndarray  # of the labels; -1 where a row has none
    features: Features | None
    used: list[Any] | None  # columns of the table that features come from; None beside embeddings
    X: np.ndarray | None  # scaled features of the audited rows
    audited: np.ndarray  # rows that can be audited, in the order in which models see them
    groups: np.ndarray | None  # of the audited rows
    notes: list[str]
    known: np.ndarray | None = None  # whether each label is certain; None for none
    scale: FeatureScaler | None = None  # of X
    leaks: Sequence[Any] = ()  # columns that look made from the label
    drawn: np.ndarray | None = None  # places of these rows in a larger table they were drawn from
    folds: np.ndarray | None = None  # of the audited rows by their groups, where rows were drawn
    class_order: np.ndarray | None = None  # codes of classes, as models see them
    recordings: "Recordings | None" = None  # of the audited rows, where rows follow each other
    timeline: "Timeline | None" = None  # of all rows, in that case

    @property
    def n_features(self) -> int:
        """How many columns features come from."""
        return 0 if self.features is None else len(self.features.columns)

    @property
    def present(self) -> np.ndarray:
        """Codes of the classes that can be audited, in the order in which models see them."""
        if self.class_order is not None:
            return self.class_order
        return np.flatnonzero(np.bincount(self.codes[self.audited]))

    @property
    def audited_known(self) -> np.ndarray | None:
        """Which of the audited rows have a label that is certain."""
        return None if self.known is None else self.known[self.audited]

    @property
    def unlabelled(self) -> np.ndarray:
        """Rows without a label."""
        return np.flatnonzero(self.codes < 0)

    @property
    def doubtful(self) -> np.ndarray:
        """Whether a row has a label that may be wrong."""
        labelled = self.codes >= 0
        return labelled if self.known is None else labelled & ~self.known

    @property
    def audited_codes(self) -> np.ndarray:
        """Labels of the audited rows, counted from 0 among ``present``."""
        return codes_among(self.codes[self.audited], self.present)

    def places_of(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The places of rows among the audited ones, and whether they are there at all."""
        place = np.full(len(self.codes), -1)
        place[self.audited] = np.arange(len(self.audited))
        return place[rows], place[rows] >= 0

    def without_features(self) -> "Inputs":
        """The same without what only models look at, so that the table is not held twice."""
        features = self.features
        if features is not None:
            features = features._replace(X=features.X[:0].copy())
        return self._replace(features=features, model_table=None)


def for_all_rows(inputs: Inputs, values: np.ndarray, otherwise: Any) -> np.ndarray:
    """Spread values of the audited rows over all rows of the table."""
    audited = inputs.audited
    if len(values) == len(inputs.codes) and (audited[1:] > audited[:-1]).all():
        return values
    spread = np.full((len(inputs.codes), *values.shape[1:]), otherwise, dtype=values.dtype)
    spread[audited] = values
    return spread


def row_index(table: Any) -> Any:
    """The index of a pandas dataframe; None where it merely counts the rows from 0."""
    if not (hasattr(table, "iloc") and hasattr(table, "index")):
        return None
    index = table.index
    counts = index.nlevels == 1 and index.name is None and index.dtype.kind in "iu"
    return None if counts and np.array_equal(index, np.arange(len(index))) else index


def note_order(table: Any, y: Any) -> list[str]:
    """A sentence about labels whose index is that of the table in another order, if it is."""
    if not (hasattr(table, "iloc") and hasattr(y, "iloc")) or y.index.equals(table.index):
        return []
    if not (y.index.is_unique and len(y) == len(table) and table.index.isin(y.index).all()):
        return []
    return [
        "The index of y is that of the table in another order. Rows were matched by their place; "
        "if the index says which belong together, pass y.loc[X.index]."
    ]


def names_by(index: Any) -> np.ndarray:
    """The name of each row, as text."""
    if index.nlevels == 1:
        return np.array([str(name) for name in index], dtype=object)
    return np.array([", ".join(map(str, levels)) for levels in index], dtype=object)


class TableRows(NamedTuple):
    """Rows of a table as the user gave them, with labels as codes."""

    table: Any  # without the columns of labels and of what is known; None for none
    labels: np.ndarray
    classes: np.ndarray  # of the whole table
    codes: np.ndarray  # -1 where a row has no label
    known: np.ndarray | None
    places: np.ndarray | None = None  # in the whole table
    embeddings: Any = None  # what features come from instead of the table
    pred_proba: np.ndarray | None = None
    groups: np.ndarray | None = None

    def for_rows(self, rows: np.ndarray | slice) -> "TableRows":
        """The same for some of these rows; a slice of arrays is no copy."""
        return TableRows(
            table=None if self.table is None else _take(self.table, rows),
            labels=self.labels[rows],
            classes=self.classes,
            codes=self.codes[rows],
            known=None if self.known is None else self.known[rows],
            places=None if self.places is None else self.places[rows],
            embeddings=None if self.embeddings is None else _take(self.embeddings, rows),
            pred_proba=None if self.pred_proba is None else _take(self.pred_proba, rows),
            groups=None if self.groups is None else self.groups[rows],
        )


def _take(table: Any, rows: np.ndarray | slice) -> Any:
    if isinstance(rows, slice):
        if isinstance(table, np.ndarray):
            return table[rows]
        rows = np.arange(rows.start, rows.stop)
    if isinstance(table, np.ndarray):
        return table.take(rows, axis=0)  # quicker than by brackets
    return take_table_rows(table, rows)


def read_labels(table: Any, y: Any, known: Any = None, drop: Sequence[Any] = ()) -> TableRows:
    """Check the labels, and take what is no feature out of the table."""
    table, labels = label_column(table, y)
    table, known = take_known_column(table, known)
    table = without_columns(table, drop) if len(drop) else table
    classes, codes = classes_of(labels, y)
    if table is not None:
        check_one_per_row("the table", count_rows(table), len(codes))
    return TableRows(table, labels, classes, codes, read_known(known, codes >= 0))


def inputs_of(
    given: TableRows,
    *,
    trust: Sequence[Any] = (),
    seed: int = 0,
    n_jobs: int | None = None,
    drawn: np.ndarray | None = None,
    n_rows: int | None = None,
) -> Inputs:
    """Turn the table into features, set leaking columns and rare classes aside.

    ``drawn`` are the places of its rows in a larger table of ``n_rows``, if it is drawn from one.
    Models see rows, features and classes in an order that follows from the features, or from the
    user's probabilities where there are none.
    """
    codes = given.codes
    table = given.table
    embeddings = given.embeddings
    source = table if embeddings is None else embeddings
    features, leaks = features_without_leaks(
        source, codes, trust=trust, seed=seed, n_jobs=n_jobs, n_rows=n_rows
    )
    audited, note = without_rare(codes, given.classes, are_drawn=drawn is not None)
    groups = None if given.groups is None else one_per_row("groups", given.groups, len(codes))
    seen = given.pred_proba if features is None else features.X
    audited, class_order, column_order = arrange(seen, audited, codes, given.known)
    X = None
    scale = None
    if features is not None:
        scale = FeatureScaler(seed, column_order)
        X = scale.fit_transform(features.X, audited)
    return Inputs(
        table=table,
        model_table=without_columns(table, leaks) if embeddings is None else table,
        labels=given.labels,
        classes=given.classes,
        codes=codes,
        features=features,
        used=None if features is None or embeddings is not None else features.columns,
        X=X,
        audited=audited,
        groups=None if groups is None else group_numbers(groups, audited),
        notes=[
            *note_measurement(given.classes),
            *([] if features is None else features.notes),
            *note,
            *note_unlabelled(codes),
        ],
        known=given.known,
        scale=scale,
        leaks=leaks,
        drawn=drawn,
        folds=None if groups is None or drawn is None else group_folds(groups[audited], seed),
        class_order=class_order,
    )


def without_rare(
    codes: np.ndarray, classes: np.ndarray, *, are_drawn: bool = False
) -> tuple[np.ndarray, list[str]]:
    """The rows of classes with two or more of them, and a sentence about the others.

    Of a class that is rare in a large table, fewer than two rows may have been drawn.
    """
    sizes = np.bincount(codes[codes >= 0], minlength=len(classes))
    audited = np.flatnonzero((codes >= 0) & (sizes[codes] >= 2))
    rare = classes[sizes < 2]
    if not len(rare):
        return audited, []
    names = join_names(rare, most=5)
    said = f"{plural(len(rare), 'class', 'classes')} {'has' if len(rare) == 1 else 'have'}"
    rows = "fewer than two of the rows that were learnt from" if are_drawn else "one row only"
    return audited, [f"{said} {rows} ({names}): such a label cannot be checked, it is kept."]


def note_measurement(classes: np.ndarray) -> list[str]:
    """A sentence about labels that are many numbers, which may be classes all the same."""
    numbers = parse_numbers(classes)
    if numbers is None:
        return []
    if len(numbers) <= (MANY_FRACTIONS if np.any(numbers % 1) else MANY_NUMBERS):
        return []
    return [
        f"The labels are {count(len(numbers))} different numbers and were taken for classes. If "
        "they measure something, near numbers are no errors of labelling: name another column, or "
        "sort the numbers into classes such as low and high."
    ]


def note_unlabelled(codes: np.ndarray) -> list[str]:
    """A sentence about rows without a label, if there are any."""
    blank = int(np.sum(codes < 0))
    if not blank:
        return []
    rows = (
        "1 row has no label: it teaches nothing and gets"
        if blank == 1
        else (f"{plural(blank, 'row')} have no label: they teach nothing and get")
    )
    return [f"{rows} the most probable class as a suggestion, with its probability."]


def arrange(
    X: Any, audited: np.ndarray, codes: np.ndarray, beside: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Audited rows, the codes of their classes, and columns, in an order that their cells give.

    So what models make of a table does not depend on the order of its rows and columns, nor on the
    names of its classes. ``beside`` tells equal rows of a class apart.
    """
    own = codes[audited]
    sizes = np.bincount(own)
    present = np.flatnonzero(sizes)
    if X is None:
        return audited, present, None
    X = X if len(audited) == len(codes) else take_rows(X, audited)
    rows, columns = sign_table(X, sizes[own])
    classes = sign_classes(rows, own, int(present[-1]) + 1)
    ties = [classes[own]] if beside is None else [classes[own], beside[audited]]
    by_signature = np.lexsort((classes[present], sizes[present]))
    return audited[order_rows(X, rows, *ties)], present[by_signature], np.argsort(columns)


def features_without_leaks(
    source: Any,
    codes: np.ndarray,
    *,
    trust: Sequence[Any] = (),
    seed: int = 0,
    n_jobs: int | None = None,
    n_rows: int | None = None,
) -> tuple[Features | None, list[Any]]:
    """Features of a table, and the columns that were left out as they look made from the label."""
    if source is None:
        return None, []
    features = features_of(source, random_state=seed, n_jobs=n_jobs, n_rows=n_rows)
    check_one_per_row("the table", features.X.shape[0], len(codes))
    if sparse.issparse(source):  # its columns are words or pixels, and there are too many to try
        return features, []
    columns = columns_of(source)
    check_trust(trust, columns)
    used = set(features.columns)
    # Of pictures the names of their files are in the table, which no model sees.
    encoders = getattr(features.plan, "encoders", ())
    pictures = {encoder.name: encoder.kept for encoder in encoders if isinstance(encoder, Pictures)}
    seen = [column for column in columns if column.key in used and column.name not in pictures]
    of_pictures = [name for kept in pictures.values() for name in kept]
    beside = features.X[:, np.isin(features.names, of_pictures)] if pictures else None
    leaks, note = find_leak(
        seen,
        codes,
        trust=trust,
        beside=beside,
        order=order_rows(features.X, sign_table(features.X)[0]),
        random=np.random.default_rng(seed),
    )
    if not leaks:
        return features, []
    features = features_of(source, drop=leaks, random_state=seed, n_jobs=n_jobs, n_rows=n_rows)
    return features._replace(notes=[note, *features.notes]), leaks


def check_trust(trust: Sequence[Any], columns: Sequence[Column]) -> None:
    """Raise when a column that is to be trusted is not there."""
    if isinstance(trust, str) or not isinstance(trust, Iterable):
        raise ValueError(f"trust={trust!r} must be a list of columns; pass [{trust!r}].")
    known = {key for column in columns for key in (column.key, column.name)}
    for key in trust:
        if key not in known:
            hint = instead(key, [column.name for column in columns])
            raise ValueError(f"there is no column {key!r} to trust; {hint}")


def check_pred_proba(
    pred_proba: Any, classes: np.ndarray, n: int, notes: list[str] | None = None
) -> np.ndarray:
    """The probabilities that the user passes, with columns in the order of the sorted labels.

    Rows that nearly sum to one, as those of half precision do, are divided by their sums; a
    sentence is added to ``notes``.
    """
    proba = np.asarray(_in_order(pred_proba, classes), dtype=float)
    k = len(classes)
    if proba.shape != (n, k):
        raise ValueError(
            f"pred_proba must have the shape ({n}, {k}), a row for each row and a column for each "
            f"of the sorted labels, but its shape is {proba.shape}."
        )
    ones = np.ones(k)
    low = high = 1.0
    for rows in blocks(n, CACHED, width=k):
        part = proba[rows]
        if not (part.min() >= 0 and part.max() < np.inf):  # not a number fails, too
            raise ValueError("pred_proba holds numbers that are not probabilities.")
        sums = part @ ones
        low = min(low, sums.min())
        high = max(high, sums.max())
    if low < 1 - MOST_OFF or high > 1 + MOST_OFF:
        raise ValueError(
            f"the rows of pred_proba do not sum to one, but to between {low:.4g} and {high:.4g}."
        )
    if low < 1 - ROUNDING or high > 1 + ROUNDING:
        if notes is not None:
            notes.append(
                f"The rows of pred_proba sum to between {low:.4g} and {high:.5g}; they were made "
                "to sum to one."
            )
        return divide_by_sums(proba)
    return proba


def divide_by_sums(proba: np.ndarray) -> np.ndarray:
    """Rows that sum to one, those that do so already as they are."""
    sums = proba.sum(axis=1, keepdims=True)
    return np.where(np.abs(sums - 1) > ROUNDING, proba / sums, proba)


def _in_order(pred_proba: Any, classes: np.ndarray) -> Any:
    """Probabilities with columns in the order of the labels; named columns are matched by name."""
    names = column_names(pred_proba)
    if not names:
        return pred_proba
    found = {str(column.key): numbers(column.values) for column in columns_of(pred_proba)}
    wanted = [str(label) for label in classes]
    if set(found) != set(wanted) or len(found) != len(names):
        raise ValueError(
            f"the columns of pred_proba ({join_names(found, most=10)}) must be named as the labels "
            f"are ({join_names(wanted, most=10)}); rename them, or pass an array with columns in "
            "their order."
        )
    columns = []
    for label in wanted:
        values = found[label]
        if values is None:
            raise ValueError(f"column {label!r} of pred_proba holds something that is no number.")
        columns.append(values)
    return np.column_stack(columns)


def table_in_memory(X: Any, auditing: str) -> Any:
    """The table, for a kind of audit that cannot read it in parts; ``auditing`` is the function."""
    X = as_table(X)
    if is_stored(X):
        raise ValueError(
            f"{auditing} needs its table in memory; read it first, for instance with "
            "pandas.read_parquet, and pass the dataframe."
        )
    return X


def check_kind(rows: np.ndarray, given: list[object], classes: np.ndarray) -> None:
    """Raise when a class is not even of the type that labels have; 1 is not "1"."""
    like = from_text(as_text(classes[0]))
    for row, value in zip(rows.tolist(), given, strict=True):
        if type(value) is not type(like):
            raise ValueError(
                f"row {row} was decided to be {value!r}, but labels of this audit are like "
                f"{like!r}; these are decisions about another table."
            )


def lay_over(
    table: Any,
    y: Any,
    known: Any,
    decisions: Decisions | str | os.PathLike,
    keys: Any,
    *,
    may_be_blank: bool = True,
) -> tuple[Any, np.ndarray, np.ndarray, tuple[np.ndarray, np.ndarray], list[str]]:
    """Replace labels by the classes that people gave; rows are found by their keys.

    Ambiguous, disputed and skipped rows are audited like any others; so are unusable ones where
    no label may be missing, as in recordings. Returns the table without its columns of labels and
    of what is known, the new labels, which are known now, the rows that were decided with the
    labels they had then, and notes.
    """
    if not isinstance(decisions, Decisions):
        with Decisions(decisions, read_only=True) as opened:
            return lay_over(table, y, known, opened, keys, may_be_blank=may_be_blank)
    table, labels = label_column(table, y)
    table, known = take_known_column(table, known)
    found = resolve(decisions, row_names(keys, len(labels)))
    decided, unusable = (found.rows[found.kinds == kind] for kind in ("decided", "unusable"))
    is_decided = found.kinds == "decided"
    given = [from_text(text) for text in found.classes[is_decided]]
    check_kind(decided, given, labels[has_label(labels)][:1])
    mask = np.zeros(len(labels), dtype=bool)
    if known is not None:
        mask = yes_or_no(one_per_row("known", known, len(labels))).copy()
    mask[decided] = True
    mask[unusable] = False
    were = np.array([from_text(text) for text in found.labels[is_decided]], dtype=object)
    notes = notes_on_decisions(found, decisions, may_be_blank=may_be_blank)
    new = _replace_labels(labels, decided, given, unusable if may_be_blank else unusable[:0])
    return table, new, mask, (decided, were), notes


def row_names(keys: Any, n: int) -> np.ndarray:
    """The keys of rows; by default their places."""
    if keys is None:
        return np.array([f"row.{row}" for row in range(n)], dtype=object)
    return one_per_row("keys", keys, n)


def _replace_labels(
    labels: np.ndarray, rows: np.ndarray, given: list[Any], unusable: np.ndarray
) -> np.ndarray:
    new = labels.astype(object)
    for row, value in zip(rows.tolist(), given, strict=True):
        new[row] = value
    new[unusable] = None
    # Not to the type that the labels had: a longer text would be cut.
    return new if labels.dtype == object or len(unusable) else np.array(new.tolist())


def notes_on_decisions(
    found: Resolved, decisions: Decisions, *, may_be_blank: bool = True, what: str = "label"
) -> list[str]:
    """Notes on decisions; raise when none of them is about this table."""
    told = {kind: int(np.sum(found.kinds == kind)) for kind in ("decided", "unusable")}
    said = []
    if told["decided"]:
        said.append(f"{plural(told['decided'], what)} decided by people: taken as known.")
    if told["unusable"]:
        unusable = f"{plural(told['unusable'], 'row')} found unusable by people"
        as_what = f"as if there were no {what}" if may_be_blank else "like any other"
        said.append(f"{unusable}: audited {as_what}.")
    stated = [verdict.state for verdict in decisions.verdicts().values()]
    elsewhere = sum(state in _TOLD for state in stated) - len(found.rows)
    if elsewhere > 0 and not len(found.rows):
        raise ValueError(
            f"no decision in {decisions.path} is about a row of this table, going by their keys; "
            "give the decisions that were made about this table."
        )
    if elsewhere > 0:
        said.append(f"{plural(elsewhere, 'decision')} about rows that are not in this table.")
    return said
