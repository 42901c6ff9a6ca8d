"""From rows and a target to the path of subsets: prepare, make the criterion, search.

A pure function of its arguments, which joblib can keep on disk.
"""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from .._random import draw_seed
from ._criteria import LabelNoise, PreparedRows, make_criterion
from ._preparation import prepared, varying_columns
from ._search import Path, Progress, search_backward, search_forward

SEARCHES = ("forward", "backward", "floating")


class Settings(NamedTuple):
    """All that decides on the path."""

    criterion: str
    search: str
    start_size: int
    size: int | None  # where a search may stop; None for the whole path
    numeric: bool
    n_neighbors: int
    label_noise: LabelNoise | None
    standardize: bool
    jitter: float
    random_state: Any


class SearchedPath(NamedTuple):
    """What a search found; columns are those of ``X``."""

    subsets: dict[int, np.ndarray]
    scores: dict[int, float]
    columns: np.ndarray  # that were searched
    memberships: np.ndarray | None
    error_rates: np.ndarray | None


def find_path(
    X: np.ndarray,
    target: np.ndarray,
    settings: Settings,
    n_jobs: int | None,
    chunk_bytes: int,
    progress: Progress | None,
) -> SearchedPath:
    """The best subset that the search met of each size."""
    columns, random = varying_columns(X), check_random_state(draw_seed(settings.random_state))
    ready = {"standardize": settings.standardize, "jitter": settings.jitter, "random_state": random}
    X = prepared(X, **ready)[:, columns]
    if settings.numeric:  # neighbours look at the target as at a column
        target = prepared(target[:, None], **ready)[:, 0]
    criterion = make_criterion(
        settings.criterion, PreparedRows(X, target, settings.n_neighbors, n_jobs, chunk_bytes),
        numeric=settings.numeric, label_noise=settings.label_noise, seed=draw_seed(random),
    )  # fmt: skip
    path = _search(criterion, len(columns), settings, progress or _silent)
    return SearchedPath(
        {size: columns[list(subset)] for size, subset in sorted(path.subsets.items())},
        dict(sorted(path.scores.items())),
        columns,
        getattr(criterion, "memberships", None),
        getattr(criterion, "error_rates", None),
    )


def _search(criterion: Any, n_columns: int, settings: Settings, progress: Progress) -> Path:
    """Search all columns, to the size asked for or as far as there is anything."""
    columns = range(n_columns)
    if settings.search == "backward":
        size = min(settings.size or 1, n_columns)
        return search_backward(criterion, columns, size, progress=progress)
    return search_forward(
        criterion, columns, min(settings.size or n_columns, n_columns),
        start_size=min(settings.start_size, n_columns), floating=settings.search == "floating",
        progress=progress,
    )  # fmt: skip


def _silent(done: int, total: int) -> None:
    """Tell nobody."""
