"""The self-check: flip cells of a copy of the labels, in both directions, and look for them."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from .._models import OutOfFoldModel
from .._self_check import Run, SelfCheck, summed_up
from .._settings import (
    CHECK_SAMPLE,
    CHECKED_ROWS,
    CHECKED_TWICE,
    FEWEST_INJECTED,
    INJECTED_CELLS,
)
from ._finding import find_wrong_cells
from ._findings import CellFindings
from ._heard import LabelledRows


class CellCheck(SelfCheck):
    """As :class:`SelfCheck`, of cells: ``top``, ``rank`` and the rest count labels of rows.

    ``suggested_right`` is the fraction of the injected errors that are more likely wrong than not.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        told = super().__repr__().replace("SelfCheck", "CellCheck")
        return told.replace("most suspicious rows", "most suspicious cells")


def check_cells(
    rows: LabelledRows,
    brought: Sequence[list[OutOfFoldModel]],
    first: CellFindings,
    *,
    equal: np.ndarray | None = None,
    progress: Callable[[str], None],
) -> CellCheck | None:
    """Inject errors and look for them; None where there are too few cells to inject any.

    A twentieth of the cells of labels that can be judged are flipped, as many from set to not set
    as the other way; no label loses more than half of the rows that have it, or that have it not.
    """
    random = np.random.default_rng(rows.seed + 1)
    judged = np.flatnonzero(first.judged)
    if len(rows.Y) > CHECKED_ROWS:
        some = np.sort(random.choice(len(rows.Y), CHECK_SAMPLE, replace=False))
        rows, brought, equal, first = _some_rows(rows, brought, equal, first, some)
    runs = []
    for _ in range(2 if len(rows.Y) < CHECKED_TWICE else 1):
        injected = cells_to_flip(rows.Y, judged, random)
        if injected.sum() < 2:
            return None
        flipped = replace(
            rows, Y=np.where(injected, 1 - rows.Y, rows.Y), seed=int(random.integers(2**31 - 1))
        )
        again = find_wrong_cells(flipped, brought, equal=equal, progress=progress)
        runs.append(_run(injected[:, judged], flipped.Y[:, judged], again, judged))
    before = first.p_wrong[:, judged].ravel()
    return CellCheck(*summed_up(runs, before, np.arange(len(before))))


def cells_to_flip(Y: np.ndarray, judged: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Which cells to flip, a mask of the shape of ``Y``."""
    chosen = np.zeros(Y.shape, dtype=bool)
    wanted = max(FEWEST_INJECTED, round(INJECTED_CELLS * len(Y) * len(judged))) // 2
    for value in (0, 1):
        left, order = wanted, random.permutation(len(Y) * len(judged))
        room = np.sum(value == Y, axis=0) // 2
        for row, label in zip(order // len(judged), judged[order % len(judged)], strict=True):
            if not left:
                break
            if Y[row, label] == value and room[label]:
                chosen[row, label] = True
                room[label] -= 1
                left -= 1
    return chosen


def _run(injected: np.ndarray, Y: np.ndarray, again: CellFindings, judged: np.ndarray) -> Run:
    """One copy of the labels; a list that knows the labels only knows which is set where."""
    known = 2 * np.arange(len(judged)) + Y
    right = float(np.mean(again.p_wrong[:, judged][injected] > 0.5))
    suspicion = again.suspicion[:, judged]
    return Run(injected.ravel(), known.ravel(), suspicion.ravel(), right)


def _some_rows(
    rows: LabelledRows,
    brought: Sequence[list[OutOfFoldModel]],
    equal: np.ndarray | None,
    first: CellFindings,
    some: np.ndarray,
) -> tuple[LabelledRows, list[list[OutOfFoldModel]], np.ndarray | None, CellFindings]:
    fewer = [[m.for_rows(some) if hasattr(m, "for_rows") else m for m in own] for own in brought]
    equal = None if equal is None else np.unique(equal[some], return_inverse=True)[1]
    return rows.for_rows(some), fewer, equal, first._replace(p_wrong=first.p_wrong[some])
