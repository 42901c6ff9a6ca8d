"""Criteria by their names, made from prepared rows."""

from typing import Any, NamedTuple

import numpy as np

from ._class_criteria import CountedRisk, Information, SoftRisk
from ._numeric_criterion import NumericInformation
from ._pairwise_criteria import JointInformation, MinimumRedundancy
from ._preparation import sorted_by_class
from ._search import Criterion
from .label_noise._tolerant_criterion import TolerantInformation

CLASS_CRITERIA: dict[str, Any] = {
    "mi": Information,
    "risk_count": CountedRisk,
    "risk_soft": SoftRisk,
}
PAIRWISE_CRITERIA: dict[str, Any] = {"mrmr": MinimumRedundancy, "jmi": JointInformation}
CRITERIA = (*CLASS_CRITERIA, *PAIRWISE_CRITERIA)
NUMERIC_CRITERIA = ("mi", *PAIRWISE_CRITERIA)


class LabelNoise(NamedTuple):
    """How the classes behind noisy labels are found."""

    params: dict[str, Any]
    memberships: Any  # known: nothing is estimated; or None
    refit: bool  # on each subset, or once on all columns
    classes: np.ndarray  # their names


class PreparedRows(NamedTuple):
    """Prepared rows, and how much work at a time may be done with them."""

    X: np.ndarray
    target: np.ndarray  # codes of classes, or numbers
    n_neighbors: int
    n_jobs: int | None
    chunk_bytes: int


def make_criterion(
    name: str, rows: PreparedRows, *, numeric: bool, label_noise: LabelNoise | None, seed: int
) -> Criterion:
    """The criterion of this name, for classes, numbers, or classes behind noisy labels."""
    data = rows.X, rows.target, rows.n_neighbors
    if name in PAIRWISE_CRITERIA:
        return PAIRWISE_CRITERIA[name](*data, numeric=numeric, n_jobs=rows.n_jobs)
    if numeric:
        return NumericInformation(*data, n_jobs=rows.n_jobs)
    if label_noise is not None:
        return _tolerant(rows, label_noise, seed)
    class_rows = sorted_by_class(*data)
    return CLASS_CRITERIA[name](class_rows, n_jobs=rows.n_jobs, chunk_bytes=rows.chunk_bytes)


def _tolerant(rows: PreparedRows, label_noise: LabelNoise, seed: int) -> TolerantInformation:
    return TolerantInformation(
        rows.X, rows.target, rows.n_neighbors, label_noise.params,
        memberships=label_noise.memberships, refit=label_noise.refit,
        classes=label_noise.classes, random_state=seed, n_jobs=rows.n_jobs,
    )  # fmt: skip
