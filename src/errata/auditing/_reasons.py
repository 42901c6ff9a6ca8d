"""Why a row is suspicious, in sentences: what models predict, and labels of rows around it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._inputs import Inputs
from ._nearby import Near
from ._pooling import PooledModel

ALONE = "It is the only row of its class."


def reasons_for(
    rows: np.ndarray,
    near: Sequence[Near],
    inputs: Inputs,
    other: np.ndarray,
    models: Sequence[PooledModel],
) -> list[list[str]]:
    """Sentences about rows of the table, which may hold more than were audited.

    ``near`` are the rows around each of them; ``other`` and what is kept of ``models`` have an
    entry for each audited row.
    """
    place = np.full(len(inputs.codes), -1)
    place[inputs.audited] = np.arange(len(inputs.audited))
    codes, names = _codes_among_present(inputs), inputs.classes[inputs.present]
    among = "" if inputs.drawn is None else f" among {len(inputs.drawn):,} drawn ones"
    return [
        [ALONE]
        if at < 0
        else [
            _predictions(at, other[at], codes[row], names, models),
            *labels_nearby(around.rows, codes[row], other[at], codes, names, among),
        ]
        for row, at, around in zip(rows, place[rows], near, strict=True)
    ]


def most_probable_others(inputs: Inputs, other: np.ndarray) -> np.ndarray:
    """The class that speaks most against each label, which is what reasons are about.

    A row that is not flagged has no suggestion; its own label in that place would contradict the
    reasons beside it.
    """
    found = inputs.labels.copy()
    found[inputs.audited] = inputs.classes[inputs.present][other]
    return found


def _codes_among_present(inputs: Inputs) -> np.ndarray:
    """Labels of all rows, counted from 0 among those that can be audited; others mean nothing."""
    return np.searchsorted(inputs.present, inputs.codes)


def _predictions(
    at: int, new: int, label: int, classes: Sequence[Any], models: Sequence[PooledModel]
) -> str:
    """What every model predicts: the other class, the label, or neither."""
    against = [model.name for model in models if model.predicted[at] == new]
    own = sum(model.predicted[at] == label for model in models)
    total, rest = len(models), len(models) - len(against) - own
    if total == 1:
        predicted = "the label" if own else classes[models[0].predicted[at]]
        return f"The only model, {models[0].name}, predicts {predicted}."
    if len(against) == total:
        return f"{'Both' if total == 2 else f'All {total}'} models predict {classes[new]}."
    first = f"No model predicts {classes[new]}"
    if against:
        names = ", ".join(against)
        first = (
            f"{len(against)} of {total} models {_predict(len(against))} {classes[new]} ({names})"
        )
    others = ((own, "the label"), (rest, "another class"))
    said = [f"{number} {_predict(number)} {what}" for number, what in others if number]
    return f"{first}; {' and '.join(said)}."


def _predict(models: int) -> str:
    return "predicts" if models == 1 else "predict"


def labels_nearby(
    near: np.ndarray,
    own: int,
    new: int,
    codes: np.ndarray,
    classes: Sequence[Any] | np.ndarray,
    among: str = "",
    rows: str = "rows",
) -> list[str]:
    """How many rows around it carry the other label, and how many its own."""
    if not len(near):
        return []
    for_new, for_own = int(np.sum(codes[near] == new)), int(np.sum(codes[near] == own))
    are = "is" if for_new < 2 else "are"
    # Its own label is not repeated: among labels that are numbers, "0 0" says nothing.
    return [
        f"Of its {len(near)} nearest {rows}{among} {for_new or 'none'} {are} labelled "
        f"{classes[new]}, {for_own or 'none'} like this one."
    ]
