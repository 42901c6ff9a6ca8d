"""Recordings: rows in the order of time, models of them, and stretches that are flagged."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone

from ..._crossfit import make_folds
from ..._format import four_digits, plural
from ..._random import set_seed
from ..._validation import is_missing
from ...sequence import SupervisedHMM, TolerantHMM
from .._settings import FOLDS
from ..models._base import OutOfFoldModel, TrainingData

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
    note = [] if not apart else [_note_gathered(len(first))]
    return Recordings(order, np.cumsum(sizes[by_place])), note


def _check_names(names: np.ndarray) -> None:
    missing = np.flatnonzero([is_missing(name, text=True) for name in names.tolist()])
    if len(missing):
        raise ValueError(
            f"sequence is missing in {plural(len(missing), 'row')} (the first is row {missing[0]}, "
            "counted from 0); say of every row which recording it belongs to."
        )


def _note_gathered(recordings: int) -> str:
    return (
        f"Rows of the {plural(recordings, 'recording')} do not stand together; each recording was "
        "gathered in the order of the table, which should be that of time."
    )


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
                delayed(self._told)(data, train, test) for train, test in folds
            )
        proba = np.empty((len(data.codes), data.n_classes), dtype=np.float32)
        for (_, test), found in zip(folds, told, strict=True):
            proba[test] = found
        return proba

    def for_rows(self, rows: np.ndarray) -> "HiddenMarkov":
        """The same model for some of the rows."""
        return replace(self, recordings=self.recordings.for_rows(rows))

    def _told(self, data: TrainingData, train: np.ndarray, test: np.ndarray) -> np.ndarray:
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


class Timeline(NamedTuple):
    """Which recording each row belongs to, and when it was made, if a column says so."""

    recording: np.ndarray  # (n,), text
    clock_name: str | None = None
    clock: np.ndarray | None = None  # (n,)

    @property
    def recordings(self) -> Recordings:
        """The rows of each recording in order."""
        return gather_recordings(self.recording)[0]


def find_stretches(
    timeline: Timeline,
    *,
    flagged: np.ndarray,
    labels: np.ndarray,
    suggested: np.ndarray,
    p_wrong: np.ndarray,
) -> dict[str, np.ndarray]:
    """The stretches as columns of a table, those with most wrong rows to be expected first.

    A stretch is as many neighbouring rows of one recording as are flagged, carry one label, and
    look like one other class. Its ``p_wrong`` is the mean of that of its rows: the fraction of them
    that is expected to be wrong. That the whole stretch is wrong from its first row to its last is
    less probable; where it begins and ends is the least sure about it.

    Examples
    --------
    >>> wake = np.array(["wake"] * 8)
    >>> nights = Timeline(np.array(["a"] * 5 + ["b"] * 3, dtype=object))
    >>> sleeps = np.array([0, 1, 1, 0, 1, 1, 1, 1], dtype=bool)
    >>> found = find_stretches(
    ...     nights, flagged=sleeps, labels=wake, suggested=np.where(sleeps, "sleep", wake),
    ...     p_wrong=0.75 * sleeps,
    ... )
    >>> found["start"].tolist(), found["end"].tolist(), found["rows"].tolist()
    ([5, 1, 4], [7, 2, 4], [3, 2, 1])
    """
    recordings = timeline.recordings
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
    return {
        "recording": timeline.recording[first],
        "start": first,
        "end": last,
        **_times(timeline, first, last),
        "rows": rows,
        "label": labels[first],
        "suggested": suggested[first],
        "p_wrong": expected[wanted] / rows,
    }


def _times(timeline: Timeline, first: np.ndarray, last: np.ndarray) -> dict[str, np.ndarray]:
    if timeline.clock is None:
        return {}
    name = timeline.clock_name
    return {f"start_{name}": timeline.clock[first], f"end_{name}": timeline.clock[last]}


def draw_traces(
    stretches: Mapping[str, np.ndarray],
    signals: Mapping[str, np.ndarray],
    codes: np.ndarray,
    timeline: Timeline,
    *,
    labels: np.ndarray,
    suggested: np.ndarray,
) -> list[dict[str, Any]]:
    """Plain dicts, ready for JSON: the first stretches with the signals that tell most.

    Each is drawn with its surroundings, within its recording.
    """
    recordings = timeline.recordings
    chosen = telling(signals, codes)
    place = np.empty(len(codes), dtype=np.intp)
    place[recordings.order] = np.arange(len(codes))
    signals = {name: recordings.in_order(signals[name]) for name in chosen}
    labels = recordings.in_order(labels)
    suggested = recordings.in_order(suggested)
    clock = None if timeline.clock is None else recordings.in_order(timeline.clock)
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
                "label": str(stretches["label"][i]),
                "suggested": str(stretches["suggested"][i]),
                "p_wrong": four_digits(stretches["p_wrong"][i]),
                "axis": {
                    "name": timeline.clock_name,
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
