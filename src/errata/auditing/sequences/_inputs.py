"""What an audit of sequences is given: numbers of a table, recording by recording."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone

from ..._format import instead, join_names, plural
from ..._validation import check_no_missing_labels
from ...tables import Features
from ...tables._columns import (
    Column,
    column_array,
    column_names,
    columns_of,
    count_rows,
    numbers,
    times,
    without_columns,
)
from .._settings import NAMED_COLUMNS
from ..inputs._features import find_leak, fit_scale
from ..inputs._inputs import Inputs, arrange, check_trust
from ..inputs._labels import (
    check_one_per_row,
    classes_of,
    label_column,
    one_per_row,
    read_known,
    take_known_column,
)
from ._recordings import Recordings, Timeline, gather_recordings, order_note

INSTEAD = {
    "groups": "recordings are left out together already.",
    "embeddings": "pass the embeddings as X.",
    "image_shape": "a recording is drawn over time.",
}

CLOCK_STEPS = 20  # fewer may rise by chance


class SequenceInputs(NamedTuple):
    """A table of recordings ready for the audit."""

    inputs: Inputs  # groups are the folds
    recordings: Recordings  # of all rows
    timeline: Timeline
    signals: dict[str, np.ndarray]  # the columns that can be drawn, (n,) each

    @property
    def audited(self) -> Recordings:
        """The recordings of the audited rows."""
        return self.recordings.for_rows(self.inputs.audited)


def check_sequence(sequence: Any, wavelets: Any, **others: Any) -> None:
    """Raise when things were asked for that do not go together."""
    if sequence is None:
        if wavelets is not None:
            raise ValueError("wavelets are features of recordings; say with sequence which.")
        return
    for name, value in others.items():
        if value is not None:
            raise ValueError(f"sequence and {name} cannot both be given; {INSTEAD[name]}")
    if wavelets is not None and not hasattr(wavelets, "get_feature_names_out"):
        raise ValueError(f"wavelets={wavelets!r} must be an errata.sequence.WaveletFeatures.")


def read_recordings(
    table: Any,
    y: Any,
    sequence: Any,
    *,
    wavelets: Any = None,
    trust: Sequence[Any] = (),
    known: Any = None,
    seed: int = 0,
) -> SequenceInputs:
    """Check labels and recordings, and turn the numbers of the table into features."""
    if table is None:
        raise ValueError("sequence needs a table of signals, but X is None.")
    if issparse(table):
        raise ValueError("a sparse matrix is no table of signals; pass X.toarray().")
    table, labels = label_column(table, y)
    check_no_missing_labels(labels, name="the column of labels" if isinstance(y, str) else "y")
    table, known = take_known_column(table, known)
    table, names = _sequence_column(table, sequence, len(labels))
    classes, codes = classes_of(labels, y)
    check_one_per_row("the table", count_rows(table), len(codes))
    recordings, gathered = gather_recordings(names)
    signals = read_signals(table, recordings)
    seen, leaks, leak_notes = _without_leak(signals, codes, trust, seed)
    features = _features(seen, recordings, wavelets)
    folds = recordings.folds(codes, seed)
    audited, rare = _learnable(codes, classes, folds)
    inputs = Inputs(
        table=table,
        model_table=without_columns(table, leaks),
        labels=labels,
        classes=classes,
        codes=codes,
        features=features,
        used=features.columns,
        X=fit_scale(features.X[audited], seed)[0],
        audited=audited,
        groups=folds[audited],
        notes=[
            *leak_notes,
            *order_note(recordings, codes),
            *gathered,
            *signals.notes,
            *rare,
        ],
        known=read_known(known, codes >= 0),
        class_order=arrange(features.X, audited, codes)[1],  # of rows time is the order
    )
    return SequenceInputs(inputs, recordings, _timeline(names, signals.clock), signals.by_name)


def _sequence_column(table: Any, sequence: Any, n: int) -> tuple[Any, np.ndarray]:
    """The table without the column that names recordings, if it is one of it, and the names."""
    if not isinstance(sequence, str):
        return table, one_per_row("sequence", sequence, n)
    known = column_names(table)
    if sequence not in known:
        hint = instead(sequence, known)
        raise ValueError(f"there is no column {sequence!r} to take recordings from; {hint}")
    return without_columns(table, [sequence]), column_array(table, sequence)


class Signals(NamedTuple):
    """What is seen of a recording."""

    columns: list[Column]
    values: list[np.ndarray]  # of each column: finite numbers, one entry per row
    clock: Column | None
    notes: list[str]

    @property
    def by_name(self) -> dict[str, np.ndarray]:
        """The numbers of each column."""
        return {c.name: v for c, v in zip(self.columns, self.values, strict=True)}

    def without(self, keys: Sequence[Any]) -> "Signals":
        """The same without some columns."""
        pairs = zip(self.columns, self.values, strict=True)
        kept = [(column, values) for column, values in pairs if column.key not in keys]
        return self._replace(columns=[c for c, _ in kept], values=[v for _, v in kept])


def _without_leak(
    signals: Signals, codes: np.ndarray, trust: Sequence[Any], seed: int
) -> tuple[Signals, list[Any], list[str]]:
    """Signals without those that look made from the label, which these are, and a note."""
    check_trust(trust, signals.columns)
    random = np.random.default_rng(seed)
    leak = find_leak(signals.columns, codes, trust=trust, random=random)
    if leak is None:
        return signals, [], []
    return signals.without(leak.keys), leak.keys, [leak.describe()]


def _features(signals: Signals, recordings: Recordings, wavelets: Any) -> Features:
    """The numbers themselves, or what wavelets see in the signals of each recording."""
    X = np.column_stack(signals.values)
    names = [column.name for column in signals.columns]
    keys = [column.key for column in signals.columns]
    if wavelets is None:
        return Features(X, names, [], keys)
    transformer = clone(wavelets)
    moments = X[recordings.order]
    lengths = recordings.lengths
    moments = transformer.fit(moments, lengths=lengths).transform(moments, lengths=lengths)
    names = transformer.get_feature_names_out(names).tolist()
    return Features(recordings.in_table(moments), names, [], keys)


def _learnable(
    codes: np.ndarray, classes: np.ndarray, folds: np.ndarray
) -> tuple[np.ndarray, list[str]]:
    """The rows of classes that occur in two folds at least, and a sentence about the others."""
    seen = np.zeros((len(classes), folds.max() + 1), dtype=bool)
    seen[codes, folds] = True
    known = seen.sum(axis=1) >= 2
    if known.sum() < 2:
        raise ValueError(
            "fewer than two classes occur in several recordings, or in several parts of one: a "
            "class cannot be learnt without the rows that are to be judged."
        )
    audited = np.flatnonzero(known[codes])
    if known.all():
        return audited, []
    names = join_names(classes[~known], most=5)
    are = "occurs" if np.sum(~known) == 1 else "occur"
    return audited, [
        f"{names} {are} in one recording only, or in one part of a long one: such a label cannot "
        "be learnt without the rows to be judged, so it cannot be checked and is kept."
    ]


def _timeline(names: np.ndarray, clock: Column | None) -> Timeline:
    cells = np.array([str(name) for name in names.tolist()], dtype=object)
    if clock is None or is_date(clock):  # in seconds since 1970 it would tell nobody anything
        return Timeline(cells)
    return Timeline(cells, clock.name, as_numbers(clock))


def read_signals(table: Any, recordings: Recordings) -> Signals:
    """The columns that are numbers over time; clocks, words, and what stands still are none."""
    columns = [(column, as_numbers(column)) for column in columns_of(table)]
    words = [column.name for column, values in columns if values is None]
    numeric = [(column, values) for column, values in columns if values is not None]
    for column, values in numeric:
        _check_finite(column.name, values)
    clocks = [column for column, values in numeric if _rises(values, recordings)]
    others = [(c, v) for c, v in numeric if c.name not in [clock.name for clock in clocks]]
    bridged = [(column, _bridge_gaps(values, recordings)) for column, values in others]
    still = [column.name for column, values in bridged if _stands_still(values, recordings)]
    kept = [(column, values) for column, values in bridged if column.name not in still]
    missing = sum(int((~np.isfinite(v)).sum()) for c, v in others if c.name not in still)
    notes = [
        *_note_left_out(words, "a model of sequences takes numbers only"),
        *_note_left_out(still, "nothing changes there within a recording"),
        *_clock_note([clock.name for clock in clocks]),
        *([f"Gaps in the signals ({plural(missing, 'cell')}) are bridged."] if missing else []),
    ]
    if not kept:
        raise ValueError(" ".join(["no column of numbers over time is left.", *notes]))
    return Signals([c for c, _ in kept], [v for _, v in kept], clocks[0] if clocks else None, notes)


def _check_finite(name: str, values: np.ndarray) -> None:
    infinite = np.flatnonzero(np.isinf(values))
    if len(infinite):
        raise ValueError(
            f"column {name!r} holds {plural(len(infinite), 'infinite number')} (the first is in "
            f"row {infinite[0]}, counted from 0); correct such cells, or leave them empty."
        )


def as_numbers(column: Column) -> np.ndarray | None:
    """The numbers of a column, or of its dates, which may be a clock; None for words."""
    return times(column.values) if is_date(column) else numbers(column.values)


def is_date(column: Column) -> bool:
    """Whether cells are dates or durations."""
    return getattr(getattr(column.values, "dtype", None), "kind", "") in ("m", "M")


def _steps(values: np.ndarray, recordings: Recordings) -> np.ndarray:
    """Differences between neighbours of one recording."""
    steps = np.diff(recordings.in_order(values))
    return np.delete(steps, recordings.ends[:-1] - 1)


def _rises(values: np.ndarray, recordings: Recordings) -> bool:
    """Whether numbers grow from row to row in every recording, as no signal does for long."""
    if not np.isfinite(values).all():
        return False
    steps = _steps(values, recordings)
    return len(steps) >= CLOCK_STEPS and bool((steps > 0).all())


def _stands_still(values: np.ndarray, recordings: Recordings) -> bool:
    return not _steps(values, recordings).any()


def _bridge_gaps(values: np.ndarray, recordings: Recordings) -> np.ndarray:
    """Gaps bridged by straight lines; where a recording has nothing else, by the median."""
    missing = ~np.isfinite(values)
    if not missing.any():
        return values
    moments = recordings.in_order(values)
    gap = recordings.in_order(missing)
    median = 0.0 if missing.all() else float(np.median(values[~missing]))
    for begin, end in zip(np.r_[0, recordings.ends[:-1]], recordings.ends, strict=True):
        lacking = np.flatnonzero(gap[begin:end])
        known = np.flatnonzero(~gap[begin:end])
        line = np.interp(lacking, known, moments[begin + known]) if len(known) else median
        moments[begin + lacking] = line
    return recordings.in_table(moments)


def _note_left_out(names: list[str], why: str) -> list[str]:
    return [f"Left out {join_names(map(repr, names), NAMED_COLUMNS)}: {why}."] if names else []


def _clock_note(names: list[str]) -> list[str]:
    if not names:
        return []
    rise = "rises" if len(names) == 1 else "rise"
    return [
        f"{join_names(map(repr, names), NAMED_COLUMNS)} {rise} from row to row in every recording: "
        "taken for a clock, not for a signal."
    ]
