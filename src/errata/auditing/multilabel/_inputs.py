"""What the user passes, checked once: features, zeros and ones, groups, and models of their own."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import logit

from ..._format import listed, plural
from ...tables import Features, features_of
from ...tables._columns import columns_of, count_rows, without_columns
from .._copies import copy_groups
from .._group_names import group_numbers
from .._inputs import check_trust
from .._leaks import find_leak, leak_note
from .._learning import without_copies
from .._models import OutOfFoldModel
from .._per_row import one_per_row
from .._scaling import fit_scale
from .._settings import LEARN_ROWS, NAMED_COLUMNS, SMALLEST_PROBABILITY
from .._ties import copies_among
from .._user_models import CrossFitted, GivenProbabilities, check_classifier, estimator_table
from ._heard import LabelledRows
from ._label_sets import LabelSets, read_label_sets

ROUNDING = 1e-9  # by which sums of probabilities may exceed one


class CellInputs(NamedTuple):
    """A table with several labels a row, ready for the audit."""

    given: LabelSets
    checked: np.ndarray  # places of labels that can be checked: set, and not set, in two rows
    features: Features | None
    rows: LabelledRows  # of these labels
    equal: np.ndarray | None  # the number of each row's group of equal rows
    brought: list[list[OutOfFoldModel]]  # models of the user, for each of these labels
    notes: list[str]


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
    """Read and check all that the user passes."""
    given = read_label_sets(table, Y)
    if len(drop):
        given = given._replace(table=without_columns(given.table, drop))
    n = len(given.Y)
    if n > LEARN_ROWS:
        raise ValueError(
            f"there are {n:,} rows; with several labels a row, {LEARN_ROWS:,} are the most that "
            "are audited at once: pass some of them."
        )
    checked, notes = _labels_to_check(given)
    source = given.table if embeddings is None else embeddings
    features, leaks = _features(source, given, checked, trust, seed, n_jobs)
    proba = None if pred_proba is None else check_cell_proba(pred_proba, given.names, n)
    if features is None and proba is None:
        raise ValueError("no model is left to check the labels: pass a table, or pred_proba.")
    X = np.empty((n, 0)) if features is None else fit_scale(features.X, seed)[0]
    if groups is not None:
        groups = group_numbers(one_per_row("groups", groups, n), np.arange(n))
    rows = LabelledRows(X, given.Y[:, checked], groups, seed, n_jobs)
    rows, equal, about_copies = _without_copied_rows(rows)
    return CellInputs(
        given=given,
        checked=checked,
        features=features,
        rows=rows if proba is None else replace(rows, beside=_log_odds(proba, seed)),
        equal=equal,
        brought=_brought(given, features, leaks, checked, estimator, proba),
        notes=[*given.notes, *notes, *([] if features is None else features.notes), *about_copies],
    )


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
        names = listed([given.names[place] for place in np.flatnonzero(~enough)], NAMED_COLUMNS)
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
    leaks, notes = [], []
    for place in checked:
        codes = given.Y[:, place].astype(np.intp)
        leak = find_leak(seen, codes, trust=trust, random=np.random.default_rng(seed))
        if leak is not None:
            leaks += leak.keys
            notes.append(f"Label {str(given.names[place])!r}: {leak_note(leak)}")
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
            f"the columns of pred_proba ({listed(called, most=10)}) must be named as the labels "
            f"are ({listed(wanted, most=10)}); rename them, or pass an array in their order."
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
    odds = logit(proba.clip(SMALLEST_PROBABILITY, 1 - SMALLEST_PROBABILITY))
    return fit_scale(odds, seed)[0]


def _brought(
    given: LabelSets,
    features: Features | None,
    leaks: Sequence[Any],
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
        table = estimator_table(kept, None if features is None else features.X)
        for own in brought:
            own.append(CrossFitted("your model", estimator, table))
    for own, place in zip(brought, checked, strict=True):
        if proba is not None:
            own.append(GivenProbabilities(np.column_stack([1 - proba[:, place], proba[:, place]])))
    return brought
