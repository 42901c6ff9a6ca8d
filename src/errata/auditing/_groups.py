"""Rows that must be left out together: how groups are joined, and bootstraps of groups."""

from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import Parallel, delayed
from scipy.sparse import block_array, coo_array
from scipy.sparse.csgraph import connected_components
from sklearn.base import clone

from .._random import with_seed

if TYPE_CHECKING:
    from ._models import TrainingData


def joined(groups: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Groups of rows that share a group in either, directly or through other rows."""
    sides = coo_array((np.ones(len(groups)), (groups, others)))
    graph = block_array([[None, sides], [sides.T, None]])
    return connected_components(graph, directed=False)[1][groups]


def renumbered(groups: np.ndarray | None, rows: np.ndarray) -> np.ndarray | None:
    """Groups of some of the rows, counted anew from 0; None where a single one is left."""
    if groups is None:
        return None
    numbers = np.unique(groups[rows], return_inverse=True)[1]
    return numbers if numbers.max() > 0 else None


def bagged_by_group(tree: Any, n_trees: int, most_rows: int, data: "TrainingData") -> np.ndarray:
    """Mean votes of trees grown on bootstrapped groups about the groups they were not grown on."""
    groups = np.asarray(data.groups)
    sizes = np.bincount(groups)
    n_groups = len(sizes)
    drawn = min(n_groups, max(1, int(most_rows / sizes.mean())))
    seeds = np.random.SeedSequence(data.random_state).generate_state(n_trees)
    grown = Parallel(n_jobs=data.n_jobs, prefer="threads", return_as="generator")(
        delayed(_votes_outside)(clone(tree), drawn, groups, data, int(seed)) for seed in seeds
    )
    votes = np.zeros((len(data.codes), data.n_classes))
    for outside, columns, proba in grown:
        votes[np.ix_(outside, columns)] += proba
    return votes


def _votes_outside(
    tree: Any, drawn: int, groups: np.ndarray, data: "TrainingData", seed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows whose group a tree was not grown on, the classes it knows, and its votes on them."""
    random = np.random.default_rng(seed)
    n_groups = groups.max() + 1
    times = np.bincount(random.integers(n_groups, size=drawn), minlength=n_groups)[groups]
    inside, outside = np.flatnonzero(times), np.flatnonzero(times == 0)
    with_seed(tree, seed % 2**31)
    tree.fit(data.X[inside], data.codes[inside], sample_weight=times[inside])
    if not len(outside):
        return outside, tree.classes_, np.empty((0, len(tree.classes_)))
    return outside, tree.classes_, tree.predict_proba(data.X[outside])
