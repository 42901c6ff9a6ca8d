"""Examples: the most suspicious rows as a person wants to see them, with values and reasons."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._format import four_digits
from ._comparison import compare_rows
from ._inputs import Inputs
from ._nearby import Near
from ._nearest_labelled import nearest_of_each
from ._row_values import RowValues
from ._settings import (
    COMPARED_PICTURES,
    FEWEST_EXAMPLES,
    MANY_ROWS,
    MOST_EXAMPLES,
    MOST_EXAMPLES_OF_MANY,
    SIMILAR_ROWS,
)


def example_rows(
    suspicion: np.ndarray, flagged: np.ndarray, doubtful: np.ndarray | None = None
) -> np.ndarray:
    """The flagged rows and at least a hundred, the most suspicious first, but not too many.

    Only of rows whose label may be wrong, where some are not ``doubtful``.
    """
    if doubtful is not None and not doubtful.all():
        rows = np.flatnonzero(doubtful)
        return rows[example_rows(suspicion[rows], flagged[rows])]
    count = n_examples(int(flagged.sum()), len(suspicion))
    least = -np.partition(-suspicion, count - 1)[count - 1]
    rows = np.flatnonzero(suspicion >= least)
    return rows[np.argsort(-suspicion[rows], kind="stable")][:count]


def n_examples(n_flagged: int, n_rows: int) -> int:
    """How many rows are shown."""
    most = MOST_EXAMPLES if n_rows <= MANY_ROWS else MOST_EXAMPLES_OF_MANY
    return min(max(n_flagged, FEWEST_EXAMPLES), most, n_rows)


def describe_examples(
    rows: np.ndarray,
    reasons: Sequence[list[str]],
    around: Sequence[Near],
    columns: Mapping[str, np.ndarray],
    inputs: Inputs,
    image_shape: tuple[int, ...] | None,
    *,
    ids: np.ndarray | None,
    seed: int,
    n_jobs: int | None = None,
) -> list[dict[str, Any]]:
    """Plain dicts, ready for JSON.

    ``columns`` are those of the audit, but ``suggested`` holds the class that speaks most against
    the label of rows that are not flagged, too.
    """
    values = RowValues(inputs.table, image_shape)
    codes = inputs.codes
    other = np.searchsorted(inputs.classes, columns["suggested"][rows])
    nearest = nearest_of_each(inputs, rows, other, n_jobs=n_jobs)
    is_used = [inputs.used is None or column.key in inputs.used for column in values.columns]
    random = np.random.default_rng(seed)
    told = compare_rows(values.columns, is_used, codes, rows, other, nearest, random=random)
    return [
        {
            **_judged(int(row), columns, ids),
            "reasons": sentences,
            "similar": similar_rows(near, columns),
            "values": values.of(int(row), tell.places),
            "speaking": tell.speaking,
            "image": values.picture(int(row)),
            "compared": [
                _labelled(row, columns) | _beside(row, tell.places, differing, values, place)
                for row, differing in zip(beside, tell.differing, strict=True)
            ],
        }
        for place, (row, sentences, near, beside, tell) in enumerate(
            zip(rows, reasons, around, nearest, told, strict=True)
        )
    ]


def _judged(row: int, columns: Mapping[str, np.ndarray], ids: np.ndarray | None) -> dict[str, Any]:
    """What the audit says about a row."""
    return {
        "row": row,
        "id": None if ids is None else str(ids[row]),
        "label": str(columns["label"][row]),
        "suggested": str(columns["suggested"][row]),
        "p_wrong": four_digits(columns["p_wrong"][row]),
        "flagged": bool(columns["flagged"][row]),
    }


def similar_rows(near: Near, columns: Mapping[str, np.ndarray]) -> list[dict[str, Any]]:
    """The nearest rows whatever their label, so that they are evidence and not advocacy."""
    found = zip(near.rows[:SIMILAR_ROWS].tolist(), near.distances.tolist(), strict=False)
    return [_labelled(row, columns) | {"distance": round(away, 4)} for row, away in found]


def _labelled(row: int, columns: Mapping[str, np.ndarray]) -> dict[str, Any]:
    return {"row": row, "label": str(columns["label"][row])}


def _beside(
    row: int, places: list[int], differing: set[int], values: RowValues, example: int
) -> dict[str, Any]:
    """What a near row holds, shown beside an example: cells of the same columns, or a picture."""
    cells = values.of(row, places)
    names = zip(places, cells, strict=True)
    # Pictures in files take time to read; beyond the first examples few will be looked at.
    is_pictured = values.pixels is not None or example < COMPARED_PICTURES
    return {
        "values": cells,
        "differs": [name for place, name in names if place in differing],
        "image": values.picture(row) if is_pictured else None,
    }
