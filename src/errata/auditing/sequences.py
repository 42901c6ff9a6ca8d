"""Rows that follow each other in time: recordings, models of them, and stretches of wrong labels.

Which rows make a recording, in which order, and what must be left out together; the numbers of a
table, gaps bridged, clocks set aside; hidden Markov models as models of an audit; neighbouring rows
that are wrong in the same way, and the signal around them.

All else is the ordinary audit: what a model says of a row without having seen its recording becomes
the probability that the label is wrong in the same way.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from scipy.sparse import issparse
from sklearn.base import clone

from .._canonical import mix_bits, sign_classes, sign_table
from .._crossfit import make_folds
from .._format import four_digits, instead, join_names, plural
from .._random import set_seed
from .._validation import check_no_missing_labels, is_missing
from ..sequence import SupervisedHMM, TolerantHMM
from ..tables import Features
from ..tables._columns import (
    Column,
    column_array,
    column_names,
    columns_of,
    count_rows,
    numbers,
    times,
    without_columns,
)
from ._settings import FOLDS, NAMED_COLUMNS
from .inputs._features import FeatureScaler, find_leak
from .inputs._inputs import Inputs, check_trust
from .inputs._labels import (
    check_one_per_row,
    classes_of,
    label_column,
    label_text,
    one_per_row,
    read_known,
    take_known_column,
)
from .models._base import OutOfFoldModel, TrainingData

# Sequences. `benchmarks/sequences.py audit` compared pools of models; sizes were set by hand.
COMPONENTS = 3  # densities of each class
SEQUENCE_STEPS = 50  # of the fit of a hidden Markov model, at most
SEQUENCE_TOL = 1e-4  # of its log-likelihood
SEQUENCE_ROWS = 50_000  # that one is fitted to at most
FEW_RECORDINGS = 5  # with fewer, each is cut into parts that are left out in turn
WINDOW = 500  # rows in a row, where some are drawn from a long recording

TRACES = 20  # stretches that are drawn
TRACED_COLUMNS = 3  # signals of each
TRACE_POINTS = 600  # of each signal
TRACE_CONTEXT = 2.0  # to either side of a stretch: times its length
TRACE_ROWS = 60  # and at least

CLOCK_STEPS = 20  # fewer may rise by chance

INSTEAD = {
    "groups": "recordings are left out together already.",
    "embeddings": "pass the embeddings as X.",
    "image_shape": "a recording is drawn over time.",
}


Signals = list[tuple[Column, np.ndarray]]  # columns, and their numbers, of which none is missing


class Recordings(NamedTuple):
    """Which rows make a recording, in which order."""

    order: np.ndarray  # (n,): the rows, recording after recording
    ends: np.ndarray  # (S,): where each recording stops in that order

    @property
    def lengths(self) -> np.ndarray:
        """Rows of each recording."""
        return np.diff(self.ends, prepend=0)

    def in_order(self, rows: np.ndarray) -> np.ndarray:
        """One value per row of the table as one value per moment."""
        return rows[self.order]

    def in_table(self, moments: np.ndarray) -> np.ndarray:
        """One value per moment as one value per row of the table."""
        rows = np.empty_like(moments)
        rows[self.order] = moments
        return rows

    @property
    def numbers(self) -> np.ndarray:
        """The number of each row's recording, shape (n,)."""
        return self.in_table(np.repeat(np.arange(len(self.ends)), self.lengths))

    @property
    def moments(self) -> np.ndarray:
        """The place of each row in its recording, counted from 0, shape (n,)."""
        starts = np.repeat(self.ends - self.lengths, self.lengths)
        return self.in_table(np.arange(len(self.order)) - starts)

    def sort(self, numbers: np.ndarray) -> "Recordings":
        """The same recordings in another order, by their numbers."""
        parts = np.split(self.order, self.ends[:-1])
        order = np.concatenate([parts[k] for k in numbers])
        return Recordings(order, np.cumsum(self.lengths[numbers]))

    def for_rows(self, rows: np.ndarray) -> "Recordings":
        """The same for some rows, now counted from 0; a recording with a gap becomes two."""
        place = np.full(len(self.order), -1)
        place[rows] = np.arange(len(rows))
        moments = np.flatnonzero(place[self.order] >= 0)
        number = np.searchsorted(self.ends, moments, side="right")
        follows = (np.diff(moments) == 1) & (np.diff(number) == 0)
        ends = np.flatnonzero(np.r_[~follows, True]) + 1
        return Recordings(place[self.order[moments]], ends)

    def runs(self, *values: np.ndarray) -> np.ndarray:
        """The number of each row's run: neighbours of one recording that agree in all values."""
        begins = np.zeros(len(self.order), dtype=bool)
        begins[np.r_[0, self.ends[:-1]]] = True
        for value in map(self.in_order, values):
            begins[1:] |= value[1:] != value[:-1]
        return self.in_table(np.cumsum(begins) - 1)

    def pieces(self, codes: np.ndarray, longest: int) -> np.ndarray:
        """The number of each row's piece: runs of one label, cut where they are too long."""
        runs = self.in_order(self.runs(codes))
        since = np.arange(len(runs)) - np.flatnonzero(np.diff(runs, prepend=-1))[runs]
        return self.in_table(np.cumsum(since % longest == 0) - 1)

    def windows(self, most: int, random: np.random.Generator) -> np.ndarray:
        """All rows, or of too many some stretches of time, drawn at random; rows in order."""
        n = len(self.order)
        if n <= most:
            return np.arange(n)
        window = np.arange(n) // WINDOW
        drawn = random.choice(window[-1] + 1, max(1, most // WINDOW), replace=False)
        return np.sort(self.order[np.isin(window, drawn)])

    def folds(self, codes: np.ndarray, seed: int) -> np.ndarray:
        """The fold that each row is tested in: whole recordings, or parts of them if they are few.

        Parts that follow each other are in different folds, so that what happens once in a long
        recording, and lasts, can be learnt from its other half.
        """
        if len(self.ends) >= FEW_RECORDINGS:
            fold = np.empty(len(codes), dtype=np.intp)
            for k, (_, test) in enumerate(
                make_folds(FOLDS, codes, groups=self.numbers, random_state=seed)
            ):
                fold[test] = k
            return fold
        parts = -(-2 * FOLDS // len(self.ends))
        since = [np.arange(length) * parts // length for length in self.lengths]
        place = np.concatenate([parts * k + part for k, part in enumerate(since)])
        return self.in_table(place % FOLDS)


def gather_recordings(names: np.ndarray) -> tuple[Recordings, list[str]]:
    """The recordings that a column names, the first first, and a note where rows were gathered.

    Rows of one name belong together in the order of the table, whether or not they stand together.
    """
    _check_names(names)
    _, first, number, sizes = np.unique(
        names.astype(str), return_index=True, return_inverse=True, return_counts=True
    )
    by_place = np.argsort(first)
    alone = by_place[sizes[by_place] < 2]
    if len(alone):
        raise ValueError(
            f"the recording {str(names[first[alone[0]]])!r} has one row; a sequence takes two at "
            "least. Drop such rows, or name the column that rows of one recording share."
        )
    rank = np.empty_like(by_place)
    rank[by_place] = np.arange(len(by_place))
    order = np.argsort(rank[number], kind="stable")
    apart = int(np.sum(np.diff(number) != 0)) + 1 - len(first)
    notes = []
    if apart:
        notes.append(
            f"Rows of the {plural(len(first), 'recording')} do not stand together; each recording "
            "was gathered in the order of the table, which should be that of time."
        )
    return Recordings(order, np.cumsum(sizes[by_place])), notes


def _check_names(names: np.ndarray) -> None:
    missing = np.flatnonzero([is_missing(name, text=True) for name in names.tolist()])
    if len(missing):
        raise ValueError(
            f"sequence is missing in {plural(len(missing), 'row')} (the first is row {missing[0]}, "
            "counted from 0); say of every row which recording it belongs to."
        )


def sequence_models(recordings: Recordings) -> list[OutOfFoldModel]:
    """The models that stand for errata's own where rows follow each other in time.

    They fail in different ways: tolerance may take a class for errors of another, and mixtures
    may learn single recordings by heart.
    """
    # One start and few steps: a fit that is a little better changes hardly any probability.
    how: dict[str, Any] = {"n_init": 1, "max_iter": SEQUENCE_STEPS, "tol": SEQUENCE_TOL}
    models = {
        "tolerant HMM": TolerantHMM(n_components=COMPONENTS, **how),
        "tolerant HMM, one density a class": TolerantHMM(n_components=1, **how),
        "supervised HMM": SupervisedHMM(n_components=COMPONENTS, **how),
    }
    return [HiddenMarkov(name, model, recordings) for name, model in models.items()]


@dataclass(frozen=True)
class HiddenMarkov:
    """A model of sequences, fitted to the recordings of other folds.

    It tells the probability of each class at each moment from the signal of the whole recording,
    and from no label of it: annotators who err do so for a while, and labels that vouch for their
    neighbours would hide just that.
    """

    name: str
    model: Any
    recordings: Recordings  # of the rows to be told of

    def out_of_fold_proba(self, data: TrainingData) -> np.ndarray:
        """Costs five fits to 50,000 rows each at most, some dozens of passes over them each."""
        folds = data.splits()
        with warnings.catch_warnings():
            # Fits that are not quite settled, labels worse than chance: the audit itself will tell.
            warnings.simplefilter("ignore", UserWarning)
            told = Parallel(n_jobs=data.n_jobs, prefer="threads")(
                delayed(self._predict_fold)(data, train, test) for train, test in folds
            )
        proba = np.empty((len(data.codes), data.n_classes), dtype=np.float32)
        for (_, test), found in zip(folds, told, strict=True):
            proba[test] = found
        return proba

    def for_rows(self, rows: np.ndarray) -> "HiddenMarkov":
        """The same model for some of the rows."""
        return replace(self, recordings=self.recordings.for_rows(rows))

    def _predict_fold(self, data: TrainingData, train: np.ndarray, test: np.ndarray) -> np.ndarray:
        random = np.random.default_rng(data.random_state)
        train = train[self.recordings.for_rows(train).windows(SEQUENCE_ROWS, random)]
        shares = np.bincount(data.codes[train], minlength=data.n_classes) / len(train)
        known = np.flatnonzero(shares)
        if len(known) < 2:
            return np.tile(shares.astype(np.float32), (len(test), 1))
        model = self._fitted(data, train)
        held_out = self.recordings.for_rows(test)
        found = model.predict_proba(data.X[test][held_out.order], held_out.lengths)
        # What the training rows lack is as probable as it is frequent: nothing tells.
        lacking = shares == 0
        overall = np.bincount(data.codes, minlength=data.n_classes) / len(data.codes)
        proba = np.where(lacking, overall, 0.0) * np.ones((len(test), 1))
        proba[:, known] = held_out.in_table(found) * (1 - overall[lacking].sum())
        return proba

    def _fitted(self, data: TrainingData, train: np.ndarray) -> Any:
        part = self.recordings.for_rows(train)
        rows = train[part.order]
        model = set_seed(clone(self.model), data.random_state)
        return model.fit(data.X[rows], data.codes[rows], part.lengths)


class Timeline:
    """Which recording each row belongs to, and when it was made, if a column says so."""

    def __init__(
        self,
        recording: np.ndarray,
        clock_name: str | None = None,
        clock: np.ndarray | None = None,
    ) -> None:
        self.recording = recording  # (n,), text
        self.clock_name = clock_name
        self.clock = clock  # (n,)

    @cached_property
    def recordings(self) -> Recordings:
        """The rows of each recording in order."""
        return gather_recordings(self.recording)[0]

    def find_stretches(
        self,
        *,
        flagged: np.ndarray,
        labels: np.ndarray,
        suggested: np.ndarray,
        p_wrong: np.ndarray,
    ) -> dict[str, np.ndarray]:
        """The stretches as columns of a table, those with most wrong rows to be expected first.

        A stretch is as many neighbouring rows of one recording as are flagged, carry one label, and
        look like one other class. Its ``p_wrong`` is the mean of that of its rows: the fraction of
        them that is expected to be wrong. That the whole stretch is wrong from its first row to its
        last is less probable; where it begins and ends is the least sure about it.

        Examples
        --------
        >>> wake = np.array(["wake"] * 8)
        >>> nights = Timeline(np.array(["a"] * 5 + ["b"] * 3, dtype=object))
        >>> sleeps = np.array([0, 1, 1, 0, 1, 1, 1, 1], dtype=bool)
        >>> found = nights.find_stretches(
        ...     flagged=sleeps, labels=wake, suggested=np.where(sleeps, "sleep", wake),
        ...     p_wrong=0.75 * sleeps,
        ... )
        >>> found["start"].tolist(), found["end"].tolist(), found["rows"].tolist()
        ([5, 1, 4], [7, 2, 4], [3, 2, 1])
        """
        recordings = self.recordings
        # Within a run all rows share the label, so that the first speaks for all of them.
        runs = recordings.in_order(recordings.runs(flagged, labels, suggested))
        begins = np.flatnonzero(np.diff(runs, prepend=-1))
        ends = np.r_[begins[1:], len(runs)]
        expected = np.add.reduceat(recordings.in_order(p_wrong), begins)
        wanted = np.flatnonzero(recordings.in_order(flagged)[begins])
        wanted = wanted[np.argsort(-expected[wanted], kind="stable")]
        first = recordings.order[begins[wanted]]
        last = recordings.order[ends[wanted] - 1]
        rows = (ends - begins)[wanted]
        times = {}
        if self.clock is not None:
            name = self.clock_name
            times = {f"start_{name}": self.clock[first], f"end_{name}": self.clock[last]}
        return {
            "recording": self.recording[first],
            "start": first,
            "end": last,
            **times,
            "rows": rows,
            "label": labels[first],
            "suggested": suggested[first],
            "p_wrong": expected[wanted] / rows,
        }

    def draw_traces(
        self,
        stretches: Mapping[str, np.ndarray],
        signals: Mapping[str, np.ndarray],
        codes: np.ndarray,
        *,
        labels: np.ndarray,
        suggested: np.ndarray,
    ) -> list[dict[str, Any]]:
        """Plain dicts, ready for JSON: the first stretches with the signals that tell most.

        Each is drawn with its surroundings, within its recording.
        """
        recordings = self.recordings
        chosen = telling(signals, codes)
        place = np.empty(len(codes), dtype=np.intp)
        place[recordings.order] = np.arange(len(codes))
        signals = {name: recordings.in_order(signals[name]) for name in chosen}
        labels = recordings.in_order(labels)
        suggested = recordings.in_order(suggested)
        clock = None if self.clock is None else recordings.in_order(self.clock)
        traces = []
        for i in range(min(TRACES, len(stretches["start"]))):
            begin = int(place[stretches["start"][i]])
            end = begin + int(stretches["rows"][i])
            number = int(np.searchsorted(recordings.ends, begin, side="right"))
            opens = int(recordings.ends[number - 1]) if number else 0
            around = int(max(TRACE_CONTEXT * (end - begin), TRACE_ROWS))
            low = max(opens, begin - around)
            high = min(int(recordings.ends[number]), end + around)
            within = slice(low, high)
            axis = np.arange(low, high) - opens if clock is None else clock[within]
            traces.append(
                {
                    "recording": str(stretches["recording"][i]),
                    "start": int(stretches["start"][i]),
                    "end": int(stretches["end"][i]),
                    "rows": int(stretches["rows"][i]),
                    "label": label_text(stretches["label"][i]),
                    "suggested": label_text(stretches["suggested"][i]),
                    "p_wrong": four_digits(stretches["p_wrong"][i]),
                    "axis": {
                        "name": self.clock_name,
                        "first": float(axis[0]),
                        "last": float(axis[-1]),
                    },
                    "from": (begin - low) / (high - low),
                    "to": (end - low) / (high - low),
                    "signals": [
                        {"name": name, **_line(values[within])} for name, values in signals.items()
                    ],
                    "labels": _bands(labels[within]),
                    "suggestions": _bands(suggested[within]),
                }
            )
        return traces


def telling(signals: Mapping[str, np.ndarray], codes: np.ndarray) -> list[str]:
    """The signals whose mean differs most between labels, in the order of the table."""
    sizes = np.bincount(codes)
    explained = {}
    for name, given in signals.items():
        values = given / max(np.abs(given).max(), np.finfo(float).tiny)  # squares could overflow
        means = np.bincount(codes, weights=values) / np.maximum(sizes, 1)
        spread = values.var() or 1.0
        explained[name] = float(means[codes].var() / spread)
    best = sorted(explained, key=lambda name: -explained[name])[:TRACED_COLUMNS]
    return [name for name in signals if name in best]


def _line(values: np.ndarray) -> dict[str, Any]:
    """The signal at its own scale; of many samples the lowest and the highest of each few."""
    low = float(values.min())
    high = float(values.max())
    scaled = (values - low) / ((high - low) or 1.0)
    places = (np.arange(len(values)) + 0.5) / len(values)
    if len(values) > TRACE_POINTS:
        kept = extremes(values, TRACE_POINTS // 2)
        scaled = scaled[kept]
        places = places[kept]
    return {"low": low, "high": high, "x": places.round(5).tolist(), "y": scaled.round(3).tolist()}


def extremes(values: np.ndarray, bins: int) -> np.ndarray:
    """Places of the lowest and highest value in each of so many bins: no peak is lost."""
    edges = np.linspace(0, len(values), bins + 1).astype(int)
    found = [
        begin + place
        for begin, end in pairwise(edges)
        for place in (values[begin:end].argmin(), values[begin:end].argmax())
    ]
    return np.unique(found)


def _bands(names: np.ndarray) -> list[dict[str, Any]]:
    """Runs of one name: where they begin, how wide they are, as fractions of the window."""
    begins = np.flatnonzero(np.r_[True, names[1:] != names[:-1]])
    widths = np.diff(np.r_[begins, len(names)])
    return [
        {"name": str(names[b]), "at": round(b / len(names), 5), "width": round(w / len(names), 5)}
        for b, w in zip(begins.tolist(), widths.tolist(), strict=True)
    ]


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
) -> Inputs:
    """Check labels and recordings, and turn the numbers of the table into features.

    Models see recordings, features and classes in an order that follows from what they hold.
    """
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
    signals, clock, notes = read_signals(table, recordings)
    known = read_known(known, codes >= 0)
    recordings, class_order = arrange_recordings(recordings, signals, codes, known)
    columns = [column for column, _ in signals]
    check_trust(trust, columns)
    random = np.random.default_rng(seed)
    order = random.permutation(recordings.order)
    leaks, leak_note = find_leak(columns, codes, trust=trust, order=order, random=random)
    seen = [(column, values) for column, values in signals if column.key not in leaks]
    features = _features(seen, recordings, wavelets)
    folds = recordings.folds(np.argsort(class_order)[codes], seed)
    learnable, rare = _learnable(codes, classes, folds)
    audited = recordings.order[learnable[codes[recordings.order]]]
    column_order = np.argsort(sign_table(features.X, recordings.moments)[1])
    return Inputs(
        table=table,
        model_table=without_columns(table, leaks),
        labels=labels,
        classes=classes,
        codes=codes,
        features=features,
        used=features.columns,
        X=FeatureScaler(seed, column_order).fit_transform(features.X, audited),
        audited=audited,
        groups=folds[audited],
        notes=[
            *([leak_note] if leaks else []),
            *order_note(recordings, codes),
            *gathered,
            *notes,
            *rare,
        ],
        known=known,
        class_order=class_order[learnable[class_order]],
        recordings=recordings.for_rows(audited),
        timeline=_timeline(names, clock),
    )


def _sequence_column(table: Any, sequence: Any, n: int) -> tuple[Any, np.ndarray]:
    """The table without the column that names recordings, if it is one of it, and the names."""
    if not isinstance(sequence, str):
        return table, one_per_row("sequence", sequence, n)
    known = column_names(table)
    if sequence not in known:
        hint = instead(sequence, known)
        raise ValueError(f"there is no column {sequence!r} to take recordings from; {hint}")
    return without_columns(table, [sequence]), column_array(table, sequence)


def arrange_recordings(
    recordings: Recordings, signals: Signals, codes: np.ndarray, known: np.ndarray | None
) -> tuple[Recordings, np.ndarray]:
    """Recordings, and the codes of classes, in an order that signals and labels give.

    So what models make of recordings depends neither on the order of these and of columns, nor on
    any name. Labels tell recordings apart only if their signals are equal: who corrects a label
    does not change the folds.
    """
    moments = recordings.moments
    rows, _ = sign_table(np.column_stack([values for _, values in signals]), moments)
    rows = mix_bits(moments, rows)
    sizes = np.bincount(codes)
    classes = sign_classes(rows, codes, len(sizes))
    labels = classes[codes] if known is None else classes[codes] + known
    starts = recordings.ends - recordings.lengths
    by_signal, by_label = (
        np.add.reduceat(recordings.in_order(values), starts)
        for values in (rows, mix_bits(moments, labels))
    )
    return recordings.sort(np.lexsort((by_label, by_signal))), np.lexsort((classes, sizes))


def _features(signals: Signals, recordings: Recordings, wavelets: Any) -> Features:
    """The numbers themselves, or what wavelets see in the signals of each recording."""
    X = np.column_stack([values for _, values in signals])
    names = [column.name for column, _ in signals]
    keys = [column.key for column, _ in signals]
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
    """Whether each class occurs in two folds at least, and a sentence about those that do not."""
    seen = np.zeros((len(classes), folds.max() + 1), dtype=bool)
    seen[codes, folds] = True
    known = seen.sum(axis=1) >= 2
    if known.sum() < 2:
        raise ValueError(
            "fewer than two classes occur in several recordings, or in several parts of one: a "
            "class cannot be learnt without the rows that are to be judged."
        )
    if known.all():
        return known, []
    names = join_names(classes[~known], most=5)
    are = "occurs" if np.sum(~known) == 1 else "occur"
    return known, [
        f"{names} {are} in one recording only, or in one part of a long one: such a label cannot "
        "be learnt without the rows to be judged, so it cannot be checked and is kept."
    ]


def _timeline(names: np.ndarray, clock: Column | None) -> Timeline:
    cells = np.array([str(name) for name in names.tolist()], dtype=object)
    if clock is None or is_date(clock):  # in seconds since 1970 it would tell nobody anything
        return Timeline(cells)
    return Timeline(cells, clock.name, as_numbers(clock))


def order_note(recordings: Recordings, codes: np.ndarray) -> list[str]:
    """A word where neighbours share their label no more often than rows drawn by lot."""
    ordered = recordings.in_order(codes)
    inside = np.ones(len(codes) - 1, dtype=bool)
    inside[recordings.ends[:-1] - 1] = False
    alike = float(np.mean((ordered[1:] == ordered[:-1])[inside]))
    by_lot = float(np.sum((np.bincount(codes) / len(codes)) ** 2))
    error = np.sqrt(by_lot * (1 - by_lot) / inside.sum())
    if alike > by_lot + 3 * error:
        return []
    return [
        "Neighbouring rows share their label no more often than rows drawn by lot: the table does "
        "not seem to be in the order of time. Sort it, or audit it without sequence."
    ]


def read_signals(table: Any, recordings: Recordings) -> tuple[Signals, Column | None, list[str]]:
    """The columns that are numbers over time, a clock among the others if there is one, and notes.

    Clocks, words, and what stands still are no signals.
    """
    columns = [(column, as_numbers(column)) for column in columns_of(table)]
    words = [column.name for column, values in columns if values is None]
    numeric = [(column, values) for column, values in columns if values is not None]
    for column, values in numeric:
        _check_finite(column.name, values)
    clocks = [column for column, values in numeric if _rises(values, recordings)]
    others = [(c, v) for c, v in numeric if c.name not in [clock.name for clock in clocks]]
    bridged = [(column, _bridge_gaps(values, recordings)) for column, values in others]
    still = [column.name for column, values in bridged if not _steps(values, recordings).any()]
    kept = [(column, values) for column, values in bridged if column.name not in still]
    missing = sum(int((~np.isfinite(v)).sum()) for c, v in others if c.name not in still)
    clock_notes = []
    if clocks:
        named = join_names([repr(clock.name) for clock in clocks], NAMED_COLUMNS)
        rise = "rises" if len(clocks) == 1 else "rise"
        clock_notes.append(
            f"{named} {rise} from row to row in every recording: taken for a clock, not for a "
            "signal."
        )
    notes = [
        *_note_left_out(words, "a model of sequences takes numbers only"),
        *_note_left_out(still, "nothing changes there within a recording"),
        *clock_notes,
        *([f"Gaps in the signals ({plural(missing, 'cell')}) are bridged."] if missing else []),
    ]
    if not kept:
        raise ValueError(" ".join(["no column of numbers over time is left.", *notes]))
    return kept, clocks[0] if clocks else None, notes


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
