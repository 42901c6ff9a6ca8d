"""Measure every competitor on every fold, keep what is measured, go on where it was stopped."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed

from .._engine import map_elsewhere
from ..bench._experiment import Cell
from ..bench._manifest import write_manifest
from ..bench._results import ResultFile, read_results
from ._competitors import Competitor
from ._folds import ComparedRows, Values, score_fold

Folds = Sequence[tuple[Any, Any]]
Found = dict[tuple[str, int], Values]  # by competitor and number of the fold
Tell = Callable[[int, int], None]


def run(
    rows: ComparedRows,
    folds: Folds,
    competitors: Mapping[str, Competitor],
    store: "Memory | Folder",
    *,
    seed: int,
    n_jobs: int | None,
    engine: Any,
    tell: Tell,
) -> Found:
    """Every value of every competitor on every fold."""
    found = store.start(rows.metrics)
    missing = [
        _Missing(number, train, test, lacking)
        for number, (train, test) in enumerate(folds)
        if (lacking := {name: c for name, c in competitors.items() if (name, number) not in found})
    ]
    tell(len(found), len(folds) * len(competitors))
    for fold, values in _measured(missing, (rows, seed), n_jobs, engine, store.path):
        for name, value in values.items():
            found[name, fold] = value
            store.keep(name, fold, value)
        tell(len(found), len(folds) * len(competitors))
    return found


class _Missing(NamedTuple):
    """A fold, and the competitors that were not measured on it yet."""

    number: int
    train: np.ndarray
    test: np.ndarray
    competitors: dict[str, Competitor]


def _measured(
    missing: list[_Missing], shared: Any, n_jobs: int | None, engine: Any, folder: Path | None
) -> Iterable[tuple[int, dict[str, Values]]]:
    """Values of each fold as they come, measured in processes of this machine or on a cluster."""
    if engine is None:
        parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
        return parallel(delayed(_score)(fold, shared) for fold in missing)
    found = map_elsewhere(engine, _score, missing, shared, stage="compare", folder=folder)
    return (scored for _, scored in found)


def _score(fold: _Missing, shared: tuple[ComparedRows, int]) -> tuple[int, dict[str, Values]]:
    rows, seed = shared
    number, train, test, competitors = fold
    return number, score_fold(rows, train, test, competitors, seed + number)


class Memory:
    """Nothing is kept beyond this call."""

    path = None

    def start(self, metrics: tuple[str, ...]) -> Found:
        """Nothing was measured before."""
        return {}

    def keep(self, name: str, fold: int, values: Values) -> None:
        """The caller has it."""


class Folder:
    """Results in a folder, one row for each competitor and fold, as they come."""

    def __init__(self, path: Path, title: str, noise: float | None, manifest: dict) -> None:
        self.path, self.title, self.noise, self.manifest = path, title, noise, manifest

    def start(self, metrics: tuple[str, ...]) -> Found:
        """Make the folder ready; what an earlier run with the same settings has measured."""
        self.path.mkdir(parents=True, exist_ok=True)
        write_manifest(self.path / "manifest.json", self.manifest)
        self.file = ResultFile(self.path / "results.csv", metrics)
        self.file.start()
        return {
            (row["method"], row["repetition"]): {name: row[name] for name in metrics}
            for row in read_results(self.file.path)
        }

    def keep(self, name: str, fold: int, values: Values) -> None:
        """Write a row, and wait until it is on the disk."""
        self.file.append(Cell(self.title, self.noise, name, fold), values)
