"""The self-check: plant swaps in a copy of the targets, audit that copy, and look for them.

Nothing is left out of the count, and nothing is corrected by it: planted errors are not the errors
that people make.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..._format import number
from ..._progress import Progress
from .._self_check import count_found, count_hits, count_to_inject, inject_errors, measure_lift
from .._settings import CHECK_SAMPLE, CHECKED_ROWS, CLEAN_THRESHOLD
from ._finding import TargetFindings, find_wrong_among, run_next_round
from ._task import TargetRows, TargetTask, arrange, find_atoms

MOVED = 0.1  # robust scales of the targets: a smaller change is no error
PLANTING_TRIES = 10


class TargetSelfCheck(NamedTuple):
    """What became of errors that were planted in a copy of the targets.

    Planted are swaps: targets of other rows that are probably right.
    """

    injected: int
    top: int  # so many of the most suspicious rows...
    found: int  # ... hold so many of the planted errors
    by_value: int  # and so many would be in a list of targets furthest from the median
    lift: bool  # whether planted errors are the more suspicious, beyond chance
    average_precision: float | None  # of finding the planted errors and those expected besides
    median_error: float  # of what is predicted for planted rows, in units of the target
    planted_error: float  # median distance of planted from true targets, to compare
    repeats: int

    def __repr__(self) -> str:
        return (
            f"<TargetSelfCheck: {self.found:,} of {self.injected:,} planted errors are among the "
            f"{self.top:,} most suspicious rows; {self.by_value:,} by values alone>"
        )

    def _sentence(self) -> str:
        """What the report says."""
        sentence = (
            f"Of {self.injected:,} values we exchanged for those of other rows, {self.found:,} are "
            f"among the {self.top:,} most suspicious rows; {self.by_value:,} would be by how "
            "unusual the value is alone."
        )
        if not self.lift:
            return f"{sentence} Planted errors do not stand out."
        off = number(self.median_error)
        planted = number(self.planted_error)
        return (
            f"{sentence} What is predicted for them is off by {off}, the planted values by "
            f"{planted}."
        )


def check_targets(
    rows: TargetRows, found: TargetFindings, progress: Progress | None = None
) -> TargetSelfCheck | None:
    """Plant errors in a copy of the targets and look for them; None where rows are too few.

    ``found`` is what :func:`find_wrong_targets` found. Of a large table some rows are drawn.
    """
    random = np.random.default_rng(rows.seed + 1)
    rows, order = arrange(rows)
    drawn = np.flatnonzero(np.isfinite(rows.targets))
    if len(drawn) > CHECKED_ROWS:
        drawn = np.sort(random.choice(drawn, CHECK_SAMPLE, replace=False))
    rows = rows.for_rows(drawn)
    found = found.for_rows(order[drawn])
    has_atoms = len(find_atoms(rows.targets)) > 0
    task = TargetTask(rows, logs=found.on_log_scale and not has_atoms)
    scale = task.scale
    truth = task.data.targets

    def run_once() -> tuple[np.ndarray, ...] | None:
        count = count_to_inject(int(np.sum(~task.known)))
        swapped, planted = plant_swaps(truth, found.p_wrong, task.known, count, random)
        if planted.sum() < 2:
            return None
        new_seed = int(random.integers(2**31 - 1))
        if has_atoms:  # all anew, as rows hold an atom now that held none, and the reverse
            values, places = np.unique(truth, return_index=True)
            # Exactly what was recorded: atoms are known by being equal.
            recorded = rows.targets[places[np.searchsorted(values, swapped)]]
            again = find_wrong_among(replace(rows, targets=recorded, seed=new_seed), progress)
            return planted, swapped, again.suspicion, scale.apply(again.predicted)
        spread = (scale.apply(found.high) - scale.apply(found.low)) / 4
        start = (found.p_wrong, scale.apply(found.predicted), spread)
        data = replace(task.data, targets=swapped, random_state=new_seed)
        last = run_next_round(task.models, data, task.known, *start, progress=progress)
        return planted, swapped, last.posterior.suspicion, last.predicted

    runs = inject_errors(run_once, len(truth))
    if runs is None:
        return None
    injected, planted, suspicion, predicted = runs
    alike = np.zeros(injected.shape, dtype=np.intp)  # compared with all other rows
    counts = count_found(
        injected, suspicion, found.p_wrong, measure_lift(injected, alike, suspicion)
    )
    by_value = count_hits(injected, np.abs(planted))[counts["top"] - 1]

    def measure_distance(values: np.ndarray) -> float:
        away = np.abs(scale.undo(values) - scale.undo(truth))
        return float(np.median(away[injected]))

    return TargetSelfCheck(
        **counts,
        by_value=round(float(by_value)),
        median_error=measure_distance(predicted),
        planted_error=measure_distance(planted),
    )


def plant_swaps(
    targets: np.ndarray,
    p_wrong: np.ndarray,
    known: np.ndarray,
    count: int,
    random: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Targets, ``count`` of them another row's, and which; a change too small is no error."""
    rows = random.choice(np.flatnonzero(~known), count, replace=False)
    donors = targets[p_wrong < CLEAN_THRESHOLD]
    changed = targets.copy()
    for _ in range(PLANTING_TRIES):
        near = rows[np.abs(changed[rows] - targets[rows]) <= MOVED]
        changed[near] = random.choice(donors, len(near))
    planted = np.abs(changed - targets) > MOVED
    return np.where(planted, changed, targets), planted
