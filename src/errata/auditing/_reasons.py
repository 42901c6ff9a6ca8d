"""Why a row is suspicious, in sentences, and the rows to compare it with."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .._neighbors import nearest_in
from ._inputs import Inputs
from ._pooling import PooledModel
from ._settings import NEIGHBORS, SIMILAR_ROWS

ALONE = "It is the only row of its class."


class Reason(NamedTuple):
    """What speaks against one label."""

    sentences: list[str]
    similar: list[int]  # rows: the nearest of the suggested class, then the nearest of its own


def reasons_for(
    rows: np.ndarray,
    inputs: Inputs,
    other: np.ndarray,
    models: Sequence[PooledModel],
    *,
    n_jobs: int | None = None,
) -> list[Reason]:
    """Reasons for rows of the table, which may hold more than were audited.

    ``other`` and what is kept of ``models`` have an entry for each audited row.
    """
    place = np.full(len(inputs.codes), -1)
    place[inputs.audited] = np.arange(len(inputs.audited))
    audited = place[rows[place[rows] >= 0]]
    found = give_reasons(
        audited,
        other[audited],
        X=inputs.X,
        codes=inputs.audited_codes,
        classes=inputs.classes[inputs.present],
        models=models,
        n_jobs=n_jobs,
    )
    by_row = {
        int(inputs.audited[row]): reason._replace(similar=inputs.audited[reason.similar].tolist())
        for row, reason in zip(audited, found, strict=True)
    }
    return [by_row.get(int(row), Reason([ALONE], [])) for row in rows]


def give_reasons(
    rows: np.ndarray,
    suggested: np.ndarray,
    *,
    X: np.ndarray | None,
    codes: np.ndarray,
    classes: Sequence[Any],
    models: Sequence[PooledModel],
    n_jobs: int | None = None,
) -> list[Reason]:
    """Reasons for ``rows``, whose suggested codes are ``suggested``; costs O(len(rows) n d)."""
    said = [
        _predictions(row, new, codes, classes, models)
        for row, new in zip(rows, suggested, strict=True)
    ]
    if X is None or len(X) < 3 or not len(rows):
        return [Reason([sentence], []) for sentence in said]
    reasons = []
    found = _nearest_others(X, rows, n_jobs)
    for row, new, sentence, near in zip(rows, suggested, said, found, strict=True):
        around = _neighborhood(near, codes[row], new, codes, classes)
        agree = near[codes[near] == new][:SIMILAR_ROWS]
        own = near[codes[near] == codes[row]][:SIMILAR_ROWS]
        reasons.append(Reason([sentence, around], [*agree.tolist(), *own.tolist()]))
    return reasons


def _nearest_others(X: np.ndarray, rows: np.ndarray, n_jobs: int | None) -> list[np.ndarray]:
    """The nearest other rows of each of ``rows``, the nearest first."""
    k = min(NEIGHBORS, len(X) - 1)
    found = nearest_in(X, X[rows], k + 1, n_jobs=n_jobs)[1]
    return [near[near != row][:k] for row, near in zip(rows, found, strict=True)]


def _predictions(
    row: int, new: int, codes: np.ndarray, classes: Sequence[Any], models: Sequence[PooledModel]
) -> str:
    """What every model predicts: the other class, the label, or neither."""
    against = [model.name for model in models if model.predicted[row] == new]
    own = sum(model.predicted[row] == codes[row] for model in models)
    total, rest = len(models), len(models) - len(against) - own
    if total == 1:
        predicted = "the label" if own else classes[models[0].predicted[row]]
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


def _neighborhood(
    near: np.ndarray, own: int, new: int, codes: np.ndarray, classes: Sequence[Any]
) -> str:
    """How many rows around it carry the other label, and how many its own."""
    for_new, for_own = int(np.sum(codes[near] == new)), int(np.sum(codes[near] == own))
    are = "is" if for_new < 2 else "are"
    # Its own label is not repeated: among labels that are numbers, "0 0" says nothing.
    return (
        f"Of its {len(near)} nearest rows {for_new or 'none'} {are} labelled {classes[new]}, "
        f"{for_own or 'none'} like this one."
    )
