"""Rows that must be left out together: how groups are joined, and trees that leave some out."""

from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import Parallel, delayed
from scipy.sparse import block_array, coo_array
from scipy.sparse.csgraph import connected_components
from sklearn.base import clone

from .._random import with_seed
from ._settings import GROUP_FOLDS

if TYPE_CHECKING:
    from ._models import TrainingData

Grown = tuple[Any, np.ndarray]  # scikit-learn's arrays of a tree, and the codes it knows


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


def bagged_by_group(
    tree: Any, n_trees: int, most_rows: int, data: "TrainingData"
) -> tuple[np.ndarray, list[Grown]]:
    """Trees grown on bootstrapped groups, and the sums of their votes about the other groups."""
    groups = np.asarray(data.groups)
    sizes = np.bincount(groups)
    n_groups = len(sizes)
    drawn = min(n_groups, max(1, int(most_rows / sizes.mean())))
    seeds = np.random.SeedSequence(data.random_state).generate_state(n_trees)
    grown = Parallel(n_jobs=data.n_jobs, prefer="threads", return_as="generator")(
        delayed(_votes_outside)(clone(tree), drawn, groups, data, int(seed)) for seed in seeds
    )
    votes, trees = np.zeros((len(data.codes), data.n_classes)), []
    for outside, (nodes, codes), proba in grown:
        votes[np.ix_(outside, codes)] += proba
        trees.append((nodes, codes))
    return votes, trees


def _votes_outside(
    tree: Any, drawn: int, groups: np.ndarray, data: "TrainingData", seed: int
) -> tuple[np.ndarray, Grown, np.ndarray]:
    """Rows whose group a tree was not grown on, the tree, and its votes on them."""
    random = np.random.default_rng(seed)
    n_groups = groups.max() + 1
    times = np.bincount(random.integers(n_groups, size=drawn), minlength=n_groups)[groups]
    grown = _grown(tree, times, data, seed)
    outside = np.flatnonzero(times == 0)
    if not len(outside):
        return outside, grown, np.empty((0, len(grown[1])))
    return outside, grown, tree.predict_proba(data.X[outside])


def _grown(tree: Any, times: np.ndarray, data: "TrainingData", seed: int) -> Grown:
    """A tree grown on each row as many times as given."""
    inside = np.flatnonzero(times)
    with_seed(tree, seed % 2**31)
    tree.fit(data.X[inside], data.codes[inside], sample_weight=times[inside])
    return tree.tree_, tree.classes_


def grown_on_folds(
    tree: Any, n_trees: int, most_rows: int, data: "TrainingData"
) -> tuple[list[Grown], np.ndarray]:
    """Trees each grown on half of the folds, and which folds each has seen, (trees, folds).

    Every second tree gets the half that the one before it did not, so that each fold is left out by
    every second tree.
    """
    present = np.unique(np.asarray(data.folds))
    seeds = np.random.SeedSequence(data.random_state).generate_state(n_trees)
    seen = np.zeros((n_trees, GROUP_FOLDS), dtype=bool)
    for pair in range(0, n_trees, 2):
        half = np.random.default_rng(seeds[pair]).permutation(present)[: len(present) // 2]
        seen[pair, half] = True
        seen[pair + 1 : pair + 2, np.setdiff1d(present, half)] = True
    trees = Parallel(n_jobs=data.n_jobs, prefer="threads")(
        delayed(_grown_inside)(clone(tree), folds, most_rows, data, int(seed))
        for folds, seed in zip(seen, seeds, strict=True)
    )
    return trees, seen


def _grown_inside(
    tree: Any, folds: np.ndarray, most_rows: int, data: "TrainingData", seed: int
) -> Grown:
    """A tree grown on a bootstrap of the rows of some folds."""
    inside = np.flatnonzero(folds[data.folds])
    random = np.random.default_rng(seed)
    drawn = random.choice(inside, min(most_rows, len(inside)))
    return _grown(tree, np.bincount(drawn, minlength=len(data.codes)), data, seed)
