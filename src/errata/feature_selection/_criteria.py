"""Criteria by their names, made from prepared rows."""

from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from ._class_criteria import CountedRisk, Information, SoftRisk
from ._preparation import sorted_by_class
from ._search import Criterion

CLASS_CRITERIA: dict[str, Any] = {
    "mi": Information,
    "risk_count": CountedRisk,
    "risk_soft": SoftRisk,
}
PAIRWISE_CRITERIA = {"mrmr": "MinimumRedundancy", "jmi": "JointInformation"}
CRITERIA = (*CLASS_CRITERIA, *PAIRWISE_CRITERIA)


class LabelNoise(NamedTuple):
    """How the classes behind noisy labels are found."""

    params: dict[str, Any]
    memberships: np.ndarray | None  # known: nothing is estimated
    refit: bool  # on each subset, or once on all columns


def make_criterion(
    name: str,
    X: np.ndarray,
    target: np.ndarray,
    n_neighbors: int,
    *,
    numeric: bool,
    label_noise: LabelNoise | None = None,
    seed: int = 0,
    n_jobs: int | None,
    chunk_bytes: int,
) -> Criterion:
    """The criterion of this name, for prepared rows and the codes of classes, or numbers."""
    if name in PAIRWISE_CRITERIA:
        pairwise = _part("_pairwise_criteria", PAIRWISE_CRITERIA[name])
        return pairwise(X, target, n_neighbors, numeric=numeric, n_jobs=n_jobs)
    if numeric:
        return _part("_numeric_criterion", "NumericInformation")(
            X, target, n_neighbors, n_jobs=n_jobs
        )
    if label_noise is not None:
        return _part("label_noise._tolerant_criterion", "TolerantInformation")(
            X, target, n_neighbors, label_noise.params, memberships=label_noise.memberships,
            refit=label_noise.refit, random_state=seed, n_jobs=n_jobs,
        )  # fmt: skip
    rows = sorted_by_class(X, target, n_neighbors)
    return CLASS_CRITERIA[name](rows, n_jobs=n_jobs, chunk_bytes=chunk_bytes)


def _part(module: str, name: str) -> Any:
    return getattr(import_module(f".{module}", __package__), name)
