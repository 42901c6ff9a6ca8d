"""How far a stage of the work has come."""

import time
from collections.abc import Callable
from typing import NamedTuple

from .._format import count


class Stage(NamedTuple):
    """How far a stage has come, as a callable that shows progress is told it.

    Examples
    --------
    >>> stage = Stage("judge", done=400_000, total=1_000_000, seconds=8.0)
    >>> stage.rows_per_second, stage.seconds_left
    (50000.0, 12.0)
    >>> print(stage)
    judge: 400,000 of 1,000,000 rows, 50,000 a second, 12 s left
    """

    name: str
    done: int
    total: int
    seconds: float  # since the stage began
    kept: int = 0  # of what is done, what an earlier call had finished
    unit: str = "rows"

    @property
    def rows_per_second(self) -> float | None:
        """How many rows were finished in a second of this call; None before the first."""
        new = self.done - self.kept
        return new / self.seconds if new and self.seconds > 0 else None

    @property
    def seconds_left(self) -> float | None:
        """How long the rest takes if it goes on like this; None before that can be told."""
        left = self.total - self.done
        if not left:
            return 0.0
        return left / self.rows_per_second if self.rows_per_second else None

    def __str__(self) -> str:
        text = f"{self.name}: {count(self.done)} of {count(self.total)} {self.unit}"
        if self.rows_per_second:
            text += f", {count(self.rows_per_second)} a second"
        if self.seconds_left:
            text += f", {_duration(self.seconds_left)} left"
        return text


Progress = Callable[[Stage], None]


class Clock:
    """Counts what is finished, and tells it."""

    def __init__(self, stage: str, total: int, unit: str, progress: Progress | None) -> None:
        self.stage = Stage(stage, 0, total, 0.0, 0, unit)
        self._begin, self._progress = time.monotonic(), progress
        self.tell(0)

    def tell(self, rows: int, *, kept: bool = False) -> None:
        """So many rows more are finished; ``kept`` ones had been before."""
        was = self.stage
        self.stage = was._replace(
            done=was.done + rows,
            seconds=time.monotonic() - self._begin,
            kept=was.kept + (rows if kept else 0),
        )
        if self._progress is not None:
            self._progress(self.stage)


def _duration(seconds: float) -> str:
    """Seconds as people say them.

    >>> _duration(12.4), _duration(300), _duration(8_000)
    ('12 s', '5 min', '2.2 h')
    """
    if seconds < 100:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 6_000 else f"{seconds / 3600:.1f} h"
