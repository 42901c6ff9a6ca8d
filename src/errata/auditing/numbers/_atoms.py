"""Atoms: single values that many rows share, such as none sold, or the end of a meter.

A smooth density of residuals knows nothing of them: rows that hold the value and rows that do not
would look like errors of each other. Whether a row holds an atom is one question, asked of trees;
what it holds if it does not is another, and the audit of the other rows.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ._models import TreesRegression
from ._settings import (
    ATOM_LEAF,
    FEWEST_BESIDE,
    LEAST_ATOM,
    LEAST_EXCESS,
    SCALE_TREES,
    TRUST_IN_TREES,
)
from ._task import GivenTargets, TargetTask, target_task


def atoms_of(targets: np.ndarray) -> np.ndarray:
    """Values that stand out: of a twentieth of the rows, and twice as frequent as any other left.

    Ratings and counts, whose frequencies fall off slowly, hold none.
    """
    left = targets[np.isfinite(targets)]
    least, atoms = LEAST_ATOM * len(left), []
    while len(left):
        values, times = np.unique(left, return_counts=True)
        most, next_most = np.sort(np.r_[0, times])[:-3:-1]
        left = left[left != values[times.argmax()]]
        if most < max(least, LEAST_EXCESS * next_most) or len(left) < FEWEST_BESIDE:
            break
        if left.min() == left.max():
            break
        atoms.append(values[times.argmax()])
    return np.array(atoms)


class Membership(NamedTuple):
    """Which atom each row holds, the last kind being none of them, and how probable each is."""

    atoms: np.ndarray
    kinds: np.ndarray  # of the rows; those without a target hold none
    p: np.ndarray  # (n, atoms + 1), by trees that were grown without the row
    share: np.ndarray  # of the rows, (atoms + 1,)

    @property
    def log_ratio(self) -> np.ndarray:
        """How much likelier a row's kind is in any other row, as logarithm."""
        return np.log(self.share[self.kinds] / self.p[np.arange(len(self.kinds)), self.kinds])


def membership_of(given: GivenTargets, atoms: np.ndarray) -> Membership:
    """Ask trees, and believe them as far as that makes the rows' kinds likely."""
    kinds = np.full(len(given.targets), len(atoms))
    for place, atom in enumerate(atoms):
        kinds[given.targets == atom] = place
    task = target_task(_with_features(given))
    held = kinds[task.order[: len(task.data)]]
    share = np.bincount(held, minlength=len(atoms) + 1) / len(held)
    p = np.empty((len(kinds), len(share)))
    p[task.order] = _believed(_asked_of_trees(task, held, len(atoms)), held, share)
    return Membership(atoms, kinds, p, share)


def _with_features(given: GivenTargets) -> GivenTargets:
    """Where predictions are all there is, these are what trees look at; or nothing."""
    if given.X is not None and given.X.shape[1]:
        return given
    told = given.brought.predictions
    told = np.zeros(len(given.targets)) if told is None else np.asarray(told, dtype=float)
    return replace(given, X=told.reshape(len(told), -1))


def _asked_of_trees(task: TargetTask, held: np.ndarray, n_atoms: int) -> np.ndarray:
    """Probability of each atom and of none, as trees see it, (n + m, atoms + 1)."""
    leaf = int(np.clip(len(held) // 100, *ATOM_LEAF))
    trees = TreesRegression("atoms", True, SCALE_TREES, leaf)
    told = [
        trees.predict_unseen(replace(task.data, targets=(held == kind).astype(float)))
        for kind in range(n_atoms)
    ]
    p = np.column_stack([*told, np.maximum(1 - np.sum(told, axis=0), 0)])
    return p / p.sum(axis=1, keepdims=True)


def _believed(p: np.ndarray, held: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Probabilities and shares, mixed as makes likeliest what the rows hold."""
    n, mixed = len(held), [(k * p + share) / (k + 1) for k in TRUST_IN_TREES]
    return max(mixed, key=lambda told: np.log(told[np.arange(n), held]).sum())
