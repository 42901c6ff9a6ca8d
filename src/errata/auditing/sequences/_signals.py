"""Signals: the columns of a table that are numbers over time, gaps bridged, clocks set aside."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..._format import listed, plural
from ...tables._cells import numbers, times
from ...tables._columns import Column, columns_of
from .._settings import NAMED_COLUMNS
from ._recordings import Recordings

CLOCK_STEPS = 20  # fewer may rise by chance


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


def read_signals(table: Any, recordings: Recordings) -> Signals:
    """The columns that are numbers over time; clocks, words, and what stands still are none."""
    columns = [(column, as_numbers(column)) for column in columns_of(table)]
    words = [column.name for column, values in columns if values is None]
    numeric = [(column, values) for column, values in columns if values is not None]
    clocks = [column for column, values in numeric if _rises(values, recordings)]
    others = [(c, v) for c, v in numeric if c.name not in [clock.name for clock in clocks]]
    bridged = [(column, _bridged(values, recordings)) for column, values in others]
    still = [column.name for column, values in bridged if _stands_still(values, recordings)]
    kept = [(column, values) for column, values in bridged if column.name not in still]
    missing = sum(int((~np.isfinite(v)).sum()) for c, v in others if c.name not in still)
    notes = [
        *_left_out(words, "a model of sequences takes numbers only"),
        *_left_out(still, "nothing changes there within a recording"),
        *_clock_note([clock.name for clock in clocks]),
        *([f"Gaps in the signals ({plural(missing, 'cell')}) are bridged."] if missing else []),
    ]
    if not kept:
        raise ValueError(" ".join(["no column of numbers over time is left.", *notes]))
    return Signals([c for c, _ in kept], [v for _, v in kept], clocks[0] if clocks else None, notes)


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


def _bridged(values: np.ndarray, recordings: Recordings) -> np.ndarray:
    """Gaps bridged by straight lines; where a recording has nothing else, by the median."""
    missing = ~np.isfinite(values)
    if not missing.any():
        return values
    moments, gap = recordings.in_order(values), recordings.in_order(missing)
    median = 0.0 if missing.all() else float(np.median(values[~missing]))
    for begin, end in zip(np.r_[0, recordings.ends[:-1]], recordings.ends, strict=True):
        lacking, known = np.flatnonzero(gap[begin:end]), np.flatnonzero(~gap[begin:end])
        line = np.interp(lacking, known, moments[begin + known]) if len(known) else median
        moments[begin + lacking] = line
    return recordings.in_table(moments)


def _left_out(names: list[str], why: str) -> list[str]:
    return [f"Left out {listed(map(repr, names), NAMED_COLUMNS)}: {why}."] if names else []


def _clock_note(names: list[str]) -> list[str]:
    if not names:
        return []
    rise = "rises" if len(names) == 1 else "rise"
    return [
        f"{listed(map(repr, names), NAMED_COLUMNS)} {rise} from row to row in every recording: "
        "taken for a clock, not for a signal."
    ]
