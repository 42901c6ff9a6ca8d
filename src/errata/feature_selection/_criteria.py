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
CRITERIA = (*CLASS_CRITERIA, "mrmr", "jmi")
INFORMATION = ("mi", "mrmr", "jmi")  # for numbers, and for classes behind noisy labels, too


class LabelNoise(NamedTuple):
    """How the classes behind noisy labels are found."""

    params: dict[str, Any]
    memberships: Any  # known: nothing is estimated; or None
    refit: bool  # on each subset, or once on all columns
    classes: np.ndarray  # their names


class Rows(NamedTuple):
    """Prepared rows, and how much work at a time may be done with them."""

    X: np.ndarray
    target: np.ndarray  # codes of classes, or numbers
    n_neighbors: int
    n_jobs: int | None
    chunk_bytes: int


def make_criterion(
    name: str, rows: Rows, *, numeric: bool, label_noise: LabelNoise | None, seed: int
) -> Criterion:
    """The criterion of this name, for classes, numbers, or classes behind noisy labels."""
    if name in ("mrmr", "jmi"):
        about = make_criterion("mi", rows, numeric=numeric, label_noise=label_noise, seed=seed)
        return _pairwise(name, about, rows)
    if numeric:
        numbers = _part("_numeric_criterion", "NumericInformation")
        return numbers(rows.X, rows.target, rows.n_neighbors, n_jobs=rows.n_jobs)
    if label_noise is not None:
        return _tolerant(rows, label_noise, seed)
    sorted_rows = sorted_by_class(rows.X, rows.target, rows.n_neighbors)
    return CLASS_CRITERIA[name](sorted_rows, n_jobs=rows.n_jobs, chunk_bytes=rows.chunk_bytes)


def _pairwise(name: str, about: Criterion, rows: Rows) -> Any:
    if name == "jmi":
        return _part("_pairwise_criteria", "JointInformation")(about, rows.X.shape[1])
    redundancy = _part("_pairwise_criteria", "MinimumRedundancy")
    return redundancy(about, rows.X, rows.n_neighbors, n_jobs=rows.n_jobs)


def _tolerant(rows: Rows, label_noise: LabelNoise, seed: int) -> Any:
    return _part("label_noise._tolerant_criterion", "TolerantInformation")(
        rows.X, rows.target, rows.n_neighbors, label_noise.params,
        memberships=label_noise.memberships, refit=label_noise.refit,
        classes=label_noise.classes, random_state=seed, n_jobs=rows.n_jobs,
    )  # fmt: skip


def _part(module: str, name: str) -> Any:
    return getattr(import_module(f".{module}", __package__), name)
