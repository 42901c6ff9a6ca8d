"""Measure every competitor on every fold, keep what is measured, go on where it was stopped."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed

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
    tell: Tell,
) -> Found:
    """Every value of every competitor on every fold."""
    found = store.start(rows.metrics)
    missing = [
        (fold, {name: c for name, c in competitors.items() if (name, fold) not in found})
        for fold in range(len(folds))
    ]
    tell(len(found), len(folds) * len(competitors))
    measured = Parallel(n_jobs=n_jobs, return_as="generator_unordered")(
        delayed(_numbered)(fold, rows, *folds[fold], lacking, seed + fold)
        for fold, lacking in missing
        if lacking
    )
    for fold, values in measured:
        for name, value in values.items():
            found[name, fold] = value
            store.keep(name, fold, value)
        tell(len(found), len(folds) * len(competitors))
    return found


def _numbered(fold: int, *work: Any) -> tuple[int, dict[str, Values]]:
    return fold, score_fold(*work)


class Memory:
    """Nothing is kept beyond this call."""

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
