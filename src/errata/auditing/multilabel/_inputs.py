"""What the user passes: features, and labels of rows as zeros and ones, lists or text in cells."""

import ast
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import logit

from ..._canonical import mix_bits, order_rows, sign_table
from ..._compat import take_rows
from ..._format import instead, join_names, plural
from ..._validation import is_missing
from ...tables import Features, features_of
from ...tables._columns import column_array, column_names, columns_of, count_rows, without_columns
from .._learning import without_copies
from .._settings import FEWEST_ROWS, LEARN_ROWS, MOST_CLASSES, NAMED_COLUMNS, SMALLEST_PROBABILITY
from ..inputs._duplicates import copies_among, copy_groups
from ..inputs._features import find_leak, fit_scale
from ..inputs._groups import group_numbers
from ..inputs._inputs import check_trust
from ..inputs._labels import YES_OR_NO, notes_on_spellings, one_per_row, yes_or_no
from ..models._base import OutOfFoldModel
from ..models._default import CrossFitted, GivenProbabilities, check_classifier, estimator_table
from ._finding import LabelledRows

SALT = np.uint64(1)  # nothing, mixed with nothing, would stay nothing
ROUNDING = 1e-9  # by which sums of probabilities may exceed one

SEPARATORS = (";", "|", ",")
LISTS = (list, tuple, set, frozenset, np.ndarray)


class LabelSets(NamedTuple):
    """Which labels each row has."""

    names: list[Any]  # of the L labels, as the user calls them
    Y: np.ndarray  # (n, L), 1 where a row has the label and 0 where it does not
    table: Any  # without the columns of labels; None for none
    notes: list[str]
    column: str | None = None  # the single column that holds lists or text
    separator: str | None = None  # what stands between labels in it, of text


class CellInputs(NamedTuple):
    """A table with several labels per row, ready for the audit."""

    given: LabelSets
    checked: np.ndarray  # places of labels that can be checked: set, and not set, in two rows
    features: Features | None
    order: np.ndarray  # rows of the table as models see them
    rows: LabelledRows  # of these labels, in this order
    equal: np.ndarray | None  # the number of each row's group of equal rows
    brought: list[list[OutOfFoldModel]]  # models of the user, for each of these labels
    notes: list[str]

    def in_table_order(self, of_rows: np.ndarray) -> np.ndarray:
        """What is known of rows as models see them, in the order of the table."""
        back = np.empty_like(of_rows)
        back[self.order] = of_rows
        return back


def read_cell_inputs(
    table: Any,
    Y: Any,
    *,
    estimator: Any = None,
    pred_proba: Any = None,
    embeddings: Any = None,
    groups: Any = None,
    trust: Sequence[Any] = (),
    drop: Sequence[Any] = (),
    seed: int = 0,
    n_jobs: int | None = None,
) -> CellInputs:
    """Read and check all that the user passes.

    Models see rows, features and labels in an order that follows from what they hold.
    """
    given = read_label_sets(table, Y)
    if len(drop):
        given = given._replace(table=without_columns(given.table, drop))
    n = len(given.Y)
    if n > LEARN_ROWS:
        raise ValueError(
            f"there are {n:,} rows; with several labels per row, {LEARN_ROWS:,} are the most that "
            "are audited at once: pass some of them."
        )
    checked, notes = _labels_to_check(given)
    source = given.table if embeddings is None else embeddings
    features, leaks = _features(source, given, checked, trust, seed, n_jobs)
    proba = None if pred_proba is None else check_cell_proba(pred_proba, given.names, n)
    if features is None and proba is None:
        raise ValueError("no model is left to check the labels: pass a table, or pred_proba.")
    if groups is not None:
        groups = group_numbers(one_per_row("groups", groups, n), np.arange(n))
    if features is not None:
        features = features._replace(X=_in_column_order(features.X))
    seen = [each for each in (None if features is None else features.X, proba) if each is not None]
    order, checked = _arrange(seen, given.Y, checked, groups)
    X = np.empty((n, 0))
    if features is not None:
        X = fit_scale(take_rows(features.X, order), seed)[0]
    rows = LabelledRows(
        X,
        given.Y[np.ix_(order, checked)],
        None if groups is None else groups[order],
        seed,
        n_jobs,
    )
    rows, equal, about_copies = _without_copied_rows(rows)
    return CellInputs(
        given=given,
        checked=checked,
        features=features,
        order=order,
        rows=rows if proba is None else replace(rows, beside=_log_odds(proba[order], seed)),
        equal=equal,
        brought=_brought(given, features, leaks, order, checked, estimator, proba),
        notes=[*given.notes, *notes, *([] if features is None else features.notes), *about_copies],
    )


def _arrange(
    seen: Sequence[Any], Y: np.ndarray, checked: np.ndarray, groups: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Rows, and places of labels, in an order that follows from cells and labels.

    So what is found of a cell does not depend on the order of rows, columns and labels.
    """
    rows: np.ndarray = np.add.reduce([sign_table(table)[0] for table in seen])
    Y = Y[:, checked]
    alike = mix_bits(rows + sign_table(Y)[0], SALT)
    labels = np.array([alike[column == 1].sum() for column in Y.T], dtype=np.uint64)
    of_labels = Y.astype(np.uint64) @ mix_bits(labels, SALT)
    ties = [of_labels] if groups is None else [of_labels, groups]
    return order_rows(seen[0], rows, *ties), checked[np.argsort(labels, kind="stable")]


def _in_column_order(X: Any) -> Any:
    """The same columns in an order that follows from what they hold."""
    return X[:, np.argsort(sign_table(X)[1], kind="stable")]


def _labels_to_check(given: LabelSets) -> tuple[np.ndarray, list[str]]:
    """Places of the labels that two rows have and two have not, and a sentence about others."""
    ones = given.Y.sum(axis=0, dtype=int)
    enough = (ones >= 2) & (len(given.Y) - ones >= 2)
    if not enough.any():
        raise ValueError(
            "no label is set in two rows or more and not set in two or more; there is nothing to "
            "compare."
        )
    notes = []
    if not enough.all():
        names = join_names([given.names[place] for place in np.flatnonzero(~enough)], NAMED_COLUMNS)
        few = int(np.sum(~enough))
        notes.append(
            f"{plural(few, 'label')} ({names}) {'is' if few == 1 else 'are'} set, or not set, in "
            "fewer than two rows: it cannot be checked and is kept."
        )
    if np.all(given.Y.sum(axis=1) == 1):
        notes.append(
            "Every row has one label: errata.audit judges such labels as classes, and knows that "
            "they exclude each other."
        )
    row = ("row has the label", "rows have the label")
    counts = dict(zip(given.names, ones.tolist(), strict=True))
    notes.extend(notes_on_spellings(counts, row=row, classes="labels"))
    return np.flatnonzero(enough), notes


def _features(
    source: Any,
    given: LabelSets,
    checked: np.ndarray,
    trust: Sequence[Any],
    seed: int,
    n_jobs: int | None,
) -> tuple[Features | None, list[Any]]:
    """Features of a table, without columns that look made from one of the labels."""
    if source is None:
        return None, []
    if (found := count_rows(source)) != len(given.Y):
        raise ValueError(
            f"the table has {found} rows, but Y has {len(given.Y)}; give one for each."
        )
    features = features_of(source, random_state=seed, n_jobs=n_jobs)
    if sparse.issparse(source):  # its columns are words or pixels, and there are too many to try
        return features, []
    columns = columns_of(source)
    check_trust(trust, columns)
    seen = [column for column in columns if column.key in set(features.columns)]
    order = order_rows(features.X, sign_table(features.X)[0])
    leaks = []
    notes = []
    for place in checked:
        codes = given.Y[:, place].astype(np.intp)
        random = np.random.default_rng(seed)
        leak = find_leak(seen, codes, trust=trust, order=order, random=random)
        if leak is not None:
            leaks += leak.keys
            notes.append(f"Label {str(given.names[place])!r}: {leak.describe()}")
    if not leaks or len(set(leaks)) == len(seen):
        return features, []
    features = features_of(source, drop=list(set(leaks)), random_state=seed, n_jobs=n_jobs)
    return features._replace(notes=[*notes, *features.notes]), leaks


def _without_copied_rows(
    rows: LabelledRows,
) -> tuple[LabelledRows, np.ndarray | None, list[str]]:
    """Rows whose groups keep copies together; equal rows are copies if all labels say so."""
    if not rows.X.shape[1]:
        return rows, None, []
    equal = copy_groups(rows.X)
    if equal.max() + 1 == len(equal):
        return rows, None, []
    each = (rows.of_label(label) for label in range(rows.Y.shape[1]))
    if any(copies_among(data, equal) is None for data in each):
        return rows, equal, []
    notes: list[str] = []
    groups = without_copies(rows.of_label(0), equal, notes).groups
    return replace(rows, groups=groups), equal, notes


def check_cell_proba(pred_proba: Any, names: Sequence[Any], n: int) -> np.ndarray:
    """Probabilities that each label is set, with columns in the order of the labels."""
    called = {str(name): place for place, name in enumerate(getattr(pred_proba, "columns", ()))}
    wanted = [str(name) for name in names]
    if called and set(called) != set(wanted):
        raise ValueError(
            f"the columns of pred_proba ({join_names(called, most=10)}) must be named as the "
            f"labels are ({join_names(wanted, most=10)}); rename them, or pass an array in their "
            "order."
        )
    proba = np.asarray(pred_proba, dtype=float)
    proba = proba[:, [called[name] for name in wanted]] if called else proba
    if proba.shape != (n, len(names)):
        raise ValueError(
            f"pred_proba must have the shape ({n}, {len(names)}), a row for each row and a column "
            f"for each label, but its shape is {proba.shape}."
        )
    if not (proba.min() >= -ROUNDING and proba.max() <= 1 + ROUNDING):  # not a number fails, too
        raise ValueError("pred_proba holds numbers that are not probabilities.")
    return proba.clip(0, 1)


def _log_odds(proba: np.ndarray, seed: int) -> np.ndarray:
    proba = _in_column_order(proba)
    odds = logit(proba.clip(SMALLEST_PROBABILITY, 1 - SMALLEST_PROBABILITY))
    return fit_scale(odds, seed)[0]


def _brought(
    given: LabelSets,
    features: Features | None,
    leaks: Sequence[Any],
    order: np.ndarray,
    checked: np.ndarray,
    estimator: Any,
    proba: np.ndarray | None,
) -> list[list[OutOfFoldModel]]:
    """The user's classifier and probabilities, as models of each label."""
    brought: list[list[OutOfFoldModel]] = [[] for _ in checked]
    if estimator is not None:
        check_classifier("estimator", estimator)
        if given.table is None:
            raise ValueError("an estimator needs a table to learn from, but X is None.")
        kept = without_columns(given.table, list(set(leaks)))
        table = take_rows(estimator_table(kept, None if features is None else features.X), order)
        for own in brought:
            own.append(CrossFitted("your model", estimator, table))
    for own, place in zip(brought, checked, strict=True):
        if proba is not None:
            p = proba[order, place]
            own.append(GivenProbabilities(np.column_stack([1 - p, p])))
    return brought


def read_label_sets(table: Any, Y: Any) -> LabelSets:
    """Read the labels: a table of 0 and 1, lists, text, or names of columns of ``table``."""
    named = _columns_named(table, Y)
    if named:
        found = _of_columns(table, named)
    elif sparse.issparse(Y):
        found = _of_indicators(Y.toarray(), None, table)
    elif hasattr(Y, "columns") or (hasattr(Y, "ndim") and Y.ndim == 2):
        found = _of_indicators(Y, column_names(Y) or None, table)
    else:
        found = _of_lists(Y, table)
    _check_size(found)
    return found


def _columns_named(table: Any, Y: Any) -> list[str]:
    """The columns of the table that ``Y`` names, patterns such as ``is_*`` included; or none."""
    wanted = [Y] if isinstance(Y, str) else Y
    names = [name for name in column_names(table) if isinstance(name, str)]
    if not isinstance(wanted, list | tuple) or not all(isinstance(name, str) for name in wanted):
        return []
    found = [[c for c in names if c == name or fnmatchcase(c, name)] for name in wanted]
    lacking = next((name for name, hits in zip(wanted, found, strict=True) if not hits), None)
    if lacking is None:
        return list(dict.fromkeys(column for hits in found for column in hits))
    if isinstance(Y, str) or any(found) or (names and len(wanted) != count_rows(table)):
        raise ValueError(
            f"there is no column {lacking!r} to take labels from; {instead(lacking, names)}"
        )
    return []  # text, one for each row


def _of_columns(table: Any, named: list[str]) -> LabelSets:
    rest = without_columns(table, named)
    cells = {name: column_array(table, name) for name in named}
    if len(named) > 1 or _are_yes_or_no(cells[named[0]]):
        return LabelSets(list(named), _zeros_and_ones(cells), rest, [])
    (name,) = named
    found = labels_in_cells(cells[name].tolist(), f"column {name!r}")
    return _of_sets(found, rest, f"column {name!r}")._replace(column=name)


def _are_yes_or_no(cells: np.ndarray) -> bool:
    return cells.dtype == bool or {str(cell).lower() for cell in cells.tolist()} <= {*YES_OR_NO}


def _of_indicators(Y: Any, names: Sequence[Any] | None, table: Any) -> LabelSets:
    columns = columns_of(Y)
    called = [f"label {place}" for place in range(len(columns))] if names is None else list(names)
    cells = {name: column.array() for name, column in zip(called, columns, strict=True)}
    if len(cells) < len(columns):
        raise ValueError("two columns of Y have the same name; give each label one of its own.")
    return LabelSets(called, _zeros_and_ones(cells), table, [])


def _zeros_and_ones(cells: dict[Any, np.ndarray]) -> np.ndarray:
    return np.column_stack(
        [yes_or_no(column, f"label {name!r}") for name, column in cells.items()]
    ).astype(np.int8)


def _of_lists(Y: Any, table: Any) -> LabelSets:
    if not hasattr(Y, "__len__") or isinstance(Y, dict):
        raise ValueError(
            f"Y={Y!r} names no labels; give a table of 0 and 1, a list of labels for every row, or "
            "the names of columns."
        )
    return _of_sets(labels_in_cells(list(Y), "Y"), table, "Y")


class CellLabels(NamedTuple):
    """The labels of each row."""

    sets: list[list[Any]]
    separator: str | None = None  # what stood between labels; None for lists
    blank: int = 0  # cells with nothing in them


def _of_sets(found: CellLabels, table: Any, where: str) -> LabelSets:
    names = sorted({label for labels in found.sets for label in labels}, key=str)
    place = {name: number for number, name in enumerate(names)}
    Y = np.zeros((len(found.sets), len(names)), dtype=np.int8)
    for row, labels in enumerate(found.sets):
        Y[row, [place[label] for label in labels]] = 1
    return LabelSets(names, Y, table, _notes(found, Y, where), separator=found.separator)


def _notes(found: CellLabels, Y: np.ndarray, where: str) -> list[str]:
    notes = []
    if found.separator is not None and Y.sum(axis=1).max(initial=0) > 1:
        marks = " ".join(mark for mark in SEPARATORS if mark != found.separator)
        notes.append(
            f"Labels in {where} are taken to be separated by {found.separator} and not by {marks}."
        )
    if found.blank:
        has = "1 cell is empty: its row is" if found.blank == 1 else (
            f"{plural(found.blank, 'cell')} are empty: their rows are"
        )  # fmt: skip
        notes.append(f"In {where}, {has} taken to have none of the labels.")
    return notes


def _check_size(found: LabelSets) -> None:
    n, n_labels = found.Y.shape
    if n < FEWEST_ROWS:
        raise ValueError(f"{n} rows are too few for an audit; {FEWEST_ROWS} are the least.")
    if n_labels == 0:
        raise ValueError("no row has a label; there is nothing to audit.")
    if n_labels > MOST_CLASSES or n_labels > n / 2:
        raise ValueError(
            f"there are {n_labels} different labels in {n} rows; that looks like free text or an "
            f"identifier, not like labels (at most {MOST_CLASSES}, with two rows each on average)."
        )


def labels_in_cells(cells: Sequence[Any], name: str) -> CellLabels:
    """The labels of each cell; an empty one has none.

    Text may also be a list as Python or JSON write it.

    Examples
    --------
    >>> labels_in_cells(["cat; dog", "dog", ""], "y").sets
    [['cat', 'dog'], ['dog'], []]
    >>> labels_in_cells(["['cat', 'dog']", "[]"], "y").sets
    [['cat', 'dog'], []]
    """
    blank = [is_missing(cell, text=True) for cell in cells]
    given = [cell for cell, empty in zip(cells, blank, strict=True) if not empty]
    _check_cells(cells, blank, name)
    separator = None
    if given and isinstance(given[0], str):
        separator = None if _are_written_lists(given) else separator_of(given)
        given = _written_lists(given, name) if separator is None else _split(given, separator)
    filled = iter(given)
    sets = [[] if empty else _distinct(next(filled)) for empty in blank]
    return CellLabels(sets, separator, sum(blank))


def _check_cells(cells: Sequence[Any], blank: Sequence[bool], name: str) -> None:
    """Raise unless all cells are lists, or all are text."""
    kind = None
    for row, (cell, empty) in enumerate(zip(cells, blank, strict=True)):
        this = None if empty else str if isinstance(cell, str) else LISTS
        if this is None:
            continue
        if not isinstance(cell, this) or kind not in (None, this):
            raise ValueError(
                f"{name} holds {cell!r} in row {row}; give a list of labels for every row, text "
                f"with one of {' '.join(SEPARATORS)} between labels, or columns of 0 and 1."
            )
        kind = this


def separator_of(texts: Iterable[str]) -> str:
    """What stands between labels: of ``;``, ``|`` and ``,`` the one that most cells hold.

    >>> separator_of(["red, dark; blue", "red, dark;green", "blue"])
    ';'
    """
    texts = list(texts)
    return max(SEPARATORS, key=lambda mark: sum(mark in text for text in texts))


def _split(texts: Sequence[str], separator: str) -> list[list[str]]:
    return [[part.strip() for part in text.split(separator) if part.strip()] for text in texts]


def _are_written_lists(texts: Sequence[str]) -> bool:
    return all(text.strip().startswith("[") and text.strip().endswith("]") for text in texts)


def _written_lists(texts: Sequence[str], name: str) -> list[Any]:
    try:
        return [ast.literal_eval(text.strip()) for text in texts]
    except (ValueError, SyntaxError) as error:
        raise ValueError(
            f"{name} looks like lists, but not all of them can be read ({error}); write them as in "
            '["cat", "dog"], or as cat; dog.'
        ) from error


def _distinct(labels: Iterable[Any]) -> list[Any]:
    """Labels without repetition, none of them missing."""
    return [label for label in dict.fromkeys(labels) if not is_missing(label, text=True)]


def label_name(label: Any) -> Any:
    """What an audit calls a label."""
    return label if isinstance(label, str | int) else str(label)


def written_indicators(cells: np.ndarray, new: np.ndarray) -> list[Any]:
    """A column of yes and no with some cells changed, in the words that it has; NaN empties a cell.

    Examples
    --------
    >>> written_indicators(np.array(["No", "yes", "No"]), np.array([1.0, 1.0, np.nan]))
    ['yes', 'yes', None]
    """
    given = cells.tolist()
    old = yes_or_no(cells).tolist()
    words: dict[Any, Any] = {}
    for is_set, cell in zip(old, given, strict=True):
        words.setdefault(is_set, cell)
    return [
        cell if value == is_set else None if value != value else words[bool(value)]
        for cell, is_set, value in zip(given, old, new.tolist(), strict=True)
    ]


def written_sets(cells: Sequence[Any], names: Sequence[Any], new: np.ndarray) -> list[Any]:
    """A column of lists, or of text, with some labels taken away and others added at the end.

    ``new`` of shape (n, L) says which labels each row has. Cells whose labels stay keep their text.

    Examples
    --------
    >>> written_sets(["dog | cat", "cat", "dog | cat"], ["cat", "dog"],
    ...              np.array([[1, 1], [1, 1], [0, 1]]))
    ['dog | cat', 'cat | dog', 'dog']
    """
    found = labels_in_cells(cells, "the column of labels")
    labels = {label_name(label): label for own in found.sets for label in own}
    write = _writer(cells, found.separator)
    written = list(cells)
    for row, own in enumerate(found.sets):
        wanted = [name for name, is_set in zip(names, new[row], strict=True) if is_set]
        kept = [label for label in own if label_name(label) in set(wanted)]
        added = [labels[name] for name in wanted if labels[name] not in own]
        if added or len(kept) < len(own):
            written[row] = write([*kept, *added])
    return written


def _writer(cells: Sequence[Any], separator: str | None) -> Callable[[list[Any]], Any]:
    """How a list of labels is written in such a column."""
    texts = [cell for cell in cells if isinstance(cell, str)]
    if separator is not None:
        marks = Counter(mark for text in texts for mark in _marks(text, separator))
        between = marks.most_common(1)[0][0] if marks else separator
        return lambda labels: between.join(labels)
    return _list_writer(texts) if texts else list


def _marks(text: str, separator: str) -> list[str]:
    """What stands between labels, with the spaces around it."""
    return re.findall(rf"(?<=\S)\s*{re.escape(separator)}\s*(?=\S)", text)


def _list_writer(texts: Sequence[str]) -> Callable[[list[Any]], str]:
    """Lists in text, as JSON or Python write them: JSON knows double quotes only."""
    quotes = {found[0] for text in texts if (found := re.search("[\"']", text))}
    one = repr if "'" in quotes else lambda label: json.dumps(label, ensure_ascii=False)
    between = ", " if any(", " in text for text in texts) else ","
    return lambda labels: f"[{between.join(map(one, labels))}]"
