"""The stages of an audit of numeric targets, on one page."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ._findings import TargetFindings, TargetSelfCheck


class BroughtPredictions(NamedTuple):
    """Models of numeric targets that the user brings."""

    estimator: Any = None  # a regressor that learns from the table
    predictions: np.ndarray | None = None  # out of sample, (n,) or (n, m)
    estimators: Sequence[Any] | None = None  # instead of the default models: (name, regressor)


NOTHING_BROUGHT = BroughtPredictions()


def find_wrong_targets(
    X: np.ndarray | None,
    targets: np.ndarray,
    *,
    table: Any = None,
    groups: np.ndarray | None = None,
    brought: BroughtPredictions = NOTHING_BROUGHT,
    known: np.ndarray | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Callable[[str], None] | None = None,
) -> TargetFindings:
    """Find wrong targets.

    Parameters
    ----------
    X : array of float of shape (n, d) or None
        Numeric features, each with mean 0 and standard deviation 1; None with predictions alone.
    targets : array of float of shape (n,)
        The targets; NaN where a row has none.
    table : table, optional
        What an ``estimator`` of the user learns from; ``X`` when not given.
    groups : array of int of shape (n,), optional
        The number of each row's group where rows must be left out together.
    brought : BroughtPredictions
        The models that the user brings.
    known : array of bool of shape (n,), optional
        Targets that are certain.
    seed : int, default=0
    n_jobs : int, optional
    progress : callable, optional
        It is told each stage in a few words.
    """
    raise NotImplementedError


def check_targets(
    X: np.ndarray | None,
    targets: np.ndarray,
    found: TargetFindings,
    *,
    table: Any = None,
    groups: np.ndarray | None = None,
    brought: BroughtPredictions = NOTHING_BROUGHT,
    known: np.ndarray | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Callable[[str], None] | None = None,
) -> TargetSelfCheck | None:
    """Plant errors in a copy of the targets and look for them; None where rows are too few."""
    raise NotImplementedError
