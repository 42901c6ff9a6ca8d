"""How much the scores of a path vary: the search repeated on random halves of the rows.

Not the bootstrap. Rows drawn with replacement come with copies, which are each other's nearest
neighbours in every subset, and of one class: the neighbour counted as the k-th is not, and scores
rise. Noise does not help, as a copy stays the nearest.

The scores of halves drawn without replacement spread just as much as those of new samples of all
rows would: a mean over m of n rows has variance (1 - m/n) / m, one over n new rows 1 / n, and for
m = n/2 the two are equal (the jackknife that leaves out half of the rows).
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.utils import check_random_state

from .._compat import take_rows
from .._validation import as_column

FEWEST = 2  # rows of a class that are always drawn: one alone has no neighbour of its class


def scores_of_halves(
    selector: Any,
    X: Any,
    y: Any,
    sizes: Sequence[int],
    n_draws: int,
    *,
    random_state: Any,
    n_jobs: int | None,
) -> np.ndarray:
    """Scores by size (draw, size) of clones fitted to halves; NaN where a search found no such."""
    fresh = clone(selector).set_params(progress=None)
    halves = draw_halves(_strata(selector, y), n_draws, random_state)
    scores = Parallel(n_jobs=n_jobs)(delayed(_scores)(fresh, X, y, rows) for rows in halves)
    return np.array([[found.get(size, np.nan) for size in sizes] for found in scores])


def draw_halves(strata: np.ndarray, n_draws: int, random_state: Any) -> Iterator[np.ndarray]:
    """Row indices of random halves, of each stratum by itself; ascending, none twice.

    >>> next(draw_halves(np.array([0, 0, 0, 0, 1]), 1, random_state=0))
    array([2, 3, 4])
    """
    random = check_random_state(random_state)
    members = [np.flatnonzero(strata == stratum) for stratum in np.unique(strata)]
    for _ in range(n_draws):
        parts = [random.permutation(rows)[: max(FEWEST, len(rows) // 2)] for rows in members]
        yield np.sort(np.concatenate(parts))


def _strata(selector: Any, y: Any) -> np.ndarray:
    """Classes keep their shares, so that a rare one is in every half; numbers are one stratum."""
    y = np.asarray(as_column(y))
    return y if hasattr(selector, "classes_") else np.zeros(len(y), dtype=int)


def _scores(fresh: Any, X: Any, y: Any, rows: np.ndarray) -> dict[int, float]:
    return clone(fresh).fit(take_rows(X, rows), take_rows(y, rows)).scores_
