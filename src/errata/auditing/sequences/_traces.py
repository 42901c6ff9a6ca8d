"""Traces: the signal around the worst stretches, how it is labelled and what it looks like."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ..._format import four_digits
from .._settings import TRACE_CONTEXT, TRACE_POINTS, TRACE_ROWS, TRACED_COLUMNS, TRACES
from ._recordings import Recordings
from ._stretches import Timeline


class _Moments(NamedTuple):
    """What is drawn, in the order of time."""

    signals: dict[str, np.ndarray]
    labels: np.ndarray
    suggested: np.ndarray
    clock: np.ndarray | None
    place: np.ndarray  # of each row of the table among the moments


def draw_traces(
    stretches: Mapping[str, np.ndarray],
    signals: Mapping[str, np.ndarray],
    codes: np.ndarray,
    timeline: Timeline,
    *,
    labels: np.ndarray,
    suggested: np.ndarray,
) -> list[dict[str, Any]]:
    """Plain dicts, ready for JSON: the first stretches with the signals that tell most."""
    recordings = timeline.recordings
    chosen = telling(signals, codes)
    place = np.empty(len(codes), dtype=np.intp)
    place[recordings.order] = np.arange(len(codes))
    moments = _Moments(
        {name: recordings.in_order(signals[name]) for name in chosen},
        recordings.in_order(labels),
        recordings.in_order(suggested),
        None if timeline.clock is None else recordings.in_order(timeline.clock),
        place,
    )
    count = min(TRACES, len(stretches["start"]))
    return [_trace(i, stretches, moments, recordings, timeline.clock_name) for i in range(count)]


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


def _trace(
    i: int,
    stretches: Mapping[str, np.ndarray],
    moments: _Moments,
    recordings: Recordings,
    clock_name: str | None,
) -> dict[str, Any]:
    """One stretch and its surroundings, within its recording."""
    begin = int(moments.place[stretches["start"][i]])
    end = begin + int(stretches["rows"][i])
    number = int(np.searchsorted(recordings.ends, begin, side="right"))
    opens = int(recordings.ends[number - 1]) if number else 0
    around = int(max(TRACE_CONTEXT * (end - begin), TRACE_ROWS))
    low, high = max(opens, begin - around), min(int(recordings.ends[number]), end + around)
    within = slice(low, high)
    axis = np.arange(low, high) - opens if moments.clock is None else moments.clock[within]
    return {
        "recording": str(stretches["recording"][i]),
        "start": int(stretches["start"][i]),
        "end": int(stretches["end"][i]),
        "rows": int(stretches["rows"][i]),
        "label": str(stretches["label"][i]),
        "suggested": str(stretches["suggested"][i]),
        "p_wrong": four_digits(stretches["p_wrong"][i]),
        "axis": {"name": clock_name, "first": float(axis[0]), "last": float(axis[-1])},
        "from": (begin - low) / (high - low),
        "to": (end - low) / (high - low),
        "signals": [
            {"name": name, **_line(values[within])} for name, values in moments.signals.items()
        ],
        "labels": _bands(moments.labels[within]),
        "suggestions": _bands(moments.suggested[within]),
    }


def _line(values: np.ndarray) -> dict[str, Any]:
    """The signal at its own scale; of many samples the lowest and the highest of each few."""
    low, high = float(values.min()), float(values.max())
    scaled = (values - low) / ((high - low) or 1.0)
    places = (np.arange(len(values)) + 0.5) / len(values)
    if len(values) > TRACE_POINTS:
        kept = extremes(values, TRACE_POINTS // 2)
        scaled, places = scaled[kept], places[kept]
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
