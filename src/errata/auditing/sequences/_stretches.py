"""Stretches: neighbouring rows of a recording that are flagged, and for the same reason."""

from typing import NamedTuple

import numpy as np

from ._recordings import Recordings, gather_recordings


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
    first, last = recordings.order[begins[wanted]], recordings.order[ends[wanted] - 1]
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
