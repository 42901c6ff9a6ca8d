"""Local sets: the rows around a row, up to its nearest enemy, the first with another label."""

from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed

from .._blocks import blocks
from .._neighbors import distances_between

CHUNK = 2**23  # distances held at once, by each thread: 64 MB


class LocalSets(NamedTuple):
    """What surrounds each row before its nearest enemy, the nearest row with another label.

    The local set of a row holds the other rows nearer to it than its nearest enemy; all carry its
    own label.
    """

    enemy: np.ndarray  # index of the nearest enemy; the smallest where several are equally near
    radius: np.ndarray  # distance to the nearest enemy
    extent: np.ndarray  # distance to the farthest row with the same label; 0 where there is none
    cardinality: np.ndarray  # how many rows the local set holds
    usefulness: np.ndarray  # how many local sets hold the row
    harmfulness: np.ndarray  # how many rows have it as their nearest enemy


def local_sets(
    X: Any, codes: np.ndarray, *, metric: Any = "euclidean", n_jobs: int | None = None
) -> LocalSets:
    """Everything the local-set measures are made of, in one pass over all distances.

    ``codes`` are those of two classes at least. Costs O(n² d) time; memory O(n) and a chunk of
    distances per thread.

    Examples
    --------
    On a line, the enemy of 0 and 1 is at 4, so that each is in the local set of the other:

    >>> import numpy as np
    >>> X, codes = np.array([[0.0], [1.0], [4.0], [6.0]]), np.array([0, 0, 1, 1])
    >>> sets = local_sets(X, codes)
    >>> sets.radius
    array([4., 3., 3., 5.])
    >>> sets.cardinality
    array([1, 1, 1, 1])
    >>> sets.harmfulness
    array([0, 2, 2, 0])
    """
    n = len(codes)
    parts = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")(
        delayed(_sets_of_rows)(X, codes, np.arange(n)[batch], metric)
        for batch in blocks(n, CHUNK, width=n)
    )
    usefulness, rows = np.zeros(n, dtype=np.intp), []
    for part, inside in parts:
        rows.append(part)
        usefulness += inside
    enemy, radius, extent, cardinality = map(np.concatenate, zip(*rows, strict=True))
    harmfulness = np.bincount(enemy, minlength=n)
    return LocalSets(enemy, radius, extent, cardinality, usefulness, harmfulness)


def _sets_of_rows(
    X: Any, codes: np.ndarray, rows: np.ndarray, metric: Any
) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
    """Enemy, radius, extent and cardinality of some rows; how many of their sets hold each row."""
    distances = distances_between(X[rows], X, metric)
    friends = codes[rows, None] == codes
    to_enemies = np.where(friends, np.inf, distances)
    enemy = to_enemies.argmin(axis=1)
    radius = to_enemies[np.arange(len(rows)), enemy]
    inside = distances < radius[:, None]
    inside[np.arange(len(rows)), rows] = False
    extent = np.where(friends, distances, 0).max(axis=1)
    return (enemy, radius, extent, inside.sum(axis=1)), inside.sum(axis=0)
