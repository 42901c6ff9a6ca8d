"""Why a row is suspected, in sentences, and the rows to compare it with."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.neighbors import NearestNeighbors

from ._evidence import Testimony

SHOWN = 3  # similar rows of each kind


class Reason(NamedTuple):
    """What speaks against one label."""

    sentences: list[str]
    similar: list[int]  # rows: the nearest of the suggested class, then the nearest of its own


def give_reasons(
    rows: np.ndarray,
    suggested: np.ndarray,
    *,
    X: np.ndarray | None,
    codes: np.ndarray,
    classes: Sequence[Any],
    testimonies: Sequence[Testimony],
    n_neighbors: int = 20,
    n_jobs: int | None = None,
) -> list[Reason]:
    """Reasons for ``rows``, whose suggested codes are ``suggested``; costs O(len(rows) n d)."""
    said = [
        _votes(row, new, codes, classes, testimonies)
        for row, new in zip(rows, suggested, strict=True)
    ]
    if X is None or len(X) < 3 or not len(rows):
        return [Reason([sentence], []) for sentence in said]
    k = min(n_neighbors, len(X) - 1)
    search = NearestNeighbors(n_neighbors=k + 1, n_jobs=n_jobs).fit(X)
    found = search.kneighbors(X[rows], return_distance=False)
    reasons = []
    for row, new, sentence, near in zip(rows, suggested, said, found, strict=True):
        near = near[near != row][:k]
        around = _neighborhood(near, codes[row], new, codes, classes)
        agree = near[codes[near] == new][:SHOWN]
        own = near[codes[near] == codes[row]][:SHOWN]
        reasons.append(Reason([sentence, around], [*agree.tolist(), *own.tolist()]))
    return reasons


def _votes(
    row: int, new: int, codes: np.ndarray, classes: Sequence[Any], testimonies: Sequence[Testimony]
) -> str:
    against = [t.name for t in testimonies if t.prefers[row] == new]
    heard = len(testimonies)
    if not against:
        own = sum(t.prefers[row] == codes[row] for t in testimonies)
        return f"No witness prefers {classes[new]}; {own} of {heard} prefer the label."
    if heard == 1:
        return f"The only witness, {against[0]}, prefers {classes[new]}."
    names = "" if len(against) == heard else f" ({', '.join(against)})"
    return f"{len(against)} of {heard} witnesses prefer {classes[new]}{names}."


def _neighborhood(
    near: np.ndarray, own: int, new: int, codes: np.ndarray, classes: Sequence[Any]
) -> str:
    for_new, for_own = int(np.sum(codes[near] == new)), int(np.sum(codes[near] == own))
    return (
        f"Of its {len(near)} nearest rows {for_new} are labelled {classes[new]} "
        f"and {for_own} {classes[own]}."
    )
