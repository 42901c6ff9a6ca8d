"""What an audit of sequences is given: numbers of a table, recording by recording."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone

from ..._format import listed
from ..._names import instead
from ..._validation import check_no_missing_labels
from ...tables import Features
from ...tables._columns import (
    Column,
    column_array,
    column_names,
    count_rows,
    without_columns,
)
from .._inputs import Inputs, check_trust
from .._known import known_column, known_mask
from .._labels import classes_of, label_column
from .._leaks import find_leak, leak_note
from .._per_row import check_one_per_row, one_per_row
from .._scaling import fit_scale
from ._recordings import Recordings, gather_recordings, order_note
from ._signals import Signals, as_numbers, is_date, read_signals
from ._stretches import Timeline

INSTEAD = {
    "groups": "recordings are left out together already.",
    "embeddings": "pass the embeddings as X.",
    "image_shape": "a recording is drawn over time.",
}


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
    table, known = known_column(table, known)
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
        known=known_mask(known, codes >= 0),
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


def _without_leak(
    signals: Signals, codes: np.ndarray, trust: Sequence[Any], seed: int
) -> tuple[Signals, list[Any], list[str]]:
    """Signals without those that look made from the label, which these are, and a note."""
    check_trust(trust, signals.columns)
    random = np.random.default_rng(seed)
    leak = find_leak(signals.columns, codes, trust=trust, random=random)
    if leak is None:
        return signals, [], []
    return signals.without(leak.keys), leak.keys, [leak_note(leak)]


def _features(signals: Signals, recordings: Recordings, wavelets: Any) -> Features:
    """The numbers themselves, or what wavelets see in the signals of each recording."""
    X, names = np.column_stack(signals.values), [column.name for column in signals.columns]
    keys = [column.key for column in signals.columns]
    if wavelets is None:
        return Features(X, names, [], keys)
    transformer, moments, lengths = clone(wavelets), X[recordings.order], recordings.lengths
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
    names = listed(classes[~known], most=5)
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
