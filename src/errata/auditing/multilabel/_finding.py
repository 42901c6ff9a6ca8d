"""Which cells are wrong: two passes over all labels.

In the first pass models look at the columns alone. In the second they look at the other labels of
the row besides, as far as they are believed: at P(set | columns, label) of each, which knows
nothing of the label that is judged. A label that should go with others, and does not, shows then.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..._progress import Progress
from .._assembly import models_told
from .._models import OutOfFoldModel
from .._pooling import Pool, pool_models
from .._scaling import fit_scale
from ._findings import CellFindings
from ._heard import Heard, LabelledRows, heard_beside_labels, heard_from_columns
from ._judging import JudgedCells, judge_cells, told_of_labels


def find_wrong_cells(
    rows: LabelledRows,
    brought: Sequence[list[OutOfFoldModel]],
    *,
    equal: np.ndarray | None = None,
    progress: Progress,
) -> CellFindings:
    """Judge every cell.

    Parameters
    ----------
    rows : LabelledRows
        Features and labels; every label is set in two rows or more, and not set in two or more.
    brought : sequence of lists of models
        For each label, the models that the user brings.
    equal : array of int of shape (n,), optional
        For each row the number of its group of equal rows.
    progress : callable
        Called with a few words at every stage.
    """
    return judged_in_two_passes(
        rows, heard_from_columns(rows, brought, progress), equal=equal, progress=progress
    )


def judged_in_two_passes(
    rows: LabelledRows, heard: Heard, *, equal: np.ndarray | None = None, progress: Progress
) -> CellFindings:
    """Judge every cell by what models say that looked at the columns, then beside other labels."""
    pools = pooled_for_labels(rows, heard)
    cells = judge_cells(pools, rows.Y, rows.seed, equal)
    if rows.Y.shape[1] > 1:
        heard = _second_pass(rows, heard, cells, progress)
        pools = pooled_for_labels(rows, heard)
        cells = judge_cells(pools, rows.Y, rows.seed, equal)
    labels, rates = told_of_labels(cells, rows.Y, np.random.default_rng(rows.seed))
    return CellFindings(
        p_wrong=cells.p_wrong,
        suspicion=cells.suspicion(),
        labels=labels,
        rates=rates,
        models=_mean_models(pools),
        overlap=_overlap(cells),
    )


def pooled_for_labels(rows: LabelledRows, heard: Heard) -> list[Pool]:
    """What all models say together, of each label."""
    return [pool_models(rows.of_label(label), own) for label, own in enumerate(heard)]


def _second_pass(rows: LabelledRows, heard: Heard, cells: JudgedCells, progress: Progress) -> Heard:
    """What models say beside the other labels, and what they said before."""
    believed = np.where(rows.Y == 1, 1 - cells.p_wrong, cells.p_wrong)
    scaled = fit_scale(believed, rows.seed)[0]
    both = []
    for label, before in enumerate(heard):
        progress(f"looking at label {label + 1} of {len(heard)} beside the others")
        others = np.delete(scaled, label, axis=1)
        both.append([*before, *heard_beside_labels(rows, label, others)])
    return both


def _mean_models(pools: Sequence[Pool]) -> list[dict[str, Any]]:
    """What is told of each model: the mean over labels."""
    told = [models_told(pool) for pool in pools]
    return [
        {
            "name": same[0]["name"],
            "weight": round(float(np.mean([model["weight"] for model in same])), 4),
            "agreement": round(float(np.mean([model["agreement"] for model in same])), 4),
        }
        for same in zip(*told, strict=True)
    ]


def _overlap(cells: JudgedCells) -> float:
    found = [p.noise.ambiguity for p in cells.posteriors if p.skill.enough]
    return float(np.mean(found)) if found else 1.0
