"""Run an experiment: in parallel, resumable, with results and a manifest on disk."""

import csv
import io
import json
import os
import platform
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator

from .._engine import map_elsewhere
from .._files import atomic_path, explain_closed
from .._validation import check_count
from ..datasets._load import check_available, find_folder
from ._experiment import Bench, Cell, Experiment

# Those whose version may change a number.
_LIBRARIES = ("numpy", "scipy", "scikit-learn", "errata")


def run_experiment(
    experiment: Experiment,
    out: str | os.PathLike,
    *,
    folder: str | os.PathLike | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    engine: Any = None,
) -> list[dict[str, Any]]:
    """Measure every cell that ``out`` does not hold yet, and return all results.

    Results go to ``out/results.csv`` as they come, and are put in the order of the grid at the end.
    A run that was killed goes on where it stopped, and ends with the file that an uninterrupted run
    writes.

    Parameters
    ----------
    experiment : Experiment
        What to run.
    out : path
        Folder for ``results.csv`` and ``manifest.json``; made when it is not there.
    folder : path, optional
        Data folder, see :func:`errata.datasets.load_dataset`.
    seed : int, default=0
        Seed from which every draw follows.
    n_jobs : int, optional
        How many cells are measured at the same time; -1 for one per core.
    progress : callable, optional
        ``progress(done, total)`` is called at the start and after every cell.
    engine : distributed.Client or str, optional
        Measure the cells on this Dask cluster, or on that of the scheduler at this address, instead
        of in ``n_jobs`` processes here. Its workers must see ``out`` and the data folder.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.model_selection import StratifiedKFold
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from errata.bench import Experiment, NoisyTraining, run_experiment
    >>> experiment = Experiment(
    ...     name="tiny",
    ...     title="Naive Bayes on iris",
    ...     datasets={"Iris": "iris"},
    ...     methods={"Bayes": GaussianNB()},
    ...     noise_levels=(0.0, 0.2),
    ...     metrics=("accuracy_percent",),
    ...     measure=NoisyTraining(split=StratifiedKFold(5, shuffle=True)),
    ... )
    >>> with tempfile.TemporaryDirectory() as out:
    ...     results = run_experiment(experiment, out)
    >>> [(row["noise_level"], round(row["accuracy_percent"])) for row in results]
    [(0.0, 95), (0.2, 90)]
    """
    check_count("seed", seed, low=0)
    if n_jobs == 0:
        raise ValueError("n_jobs=0 would measure nothing; pass 1 or more, or -1 for all cores.")
    # Before anything is written, and for all sets at once rather than hours into the run.
    check_available([name for name in experiment.datasets.values() if name is not None], folder)
    out = Path(out)
    with make_result_folder(out):
        write_manifest(out / "manifest.json", describe(experiment, seed))
        file = ResultFile(out / "results.csv", experiment.metrics)
        cells = list(experiment.cells())
        held = file.start()
        missing = [cell for cell in cells if cell not in held]
        done = len(cells) - len(missing)
        report = progress or (lambda done, total: None)
        report(done, len(cells))
        if engine is None:
            here = (experiment, Bench(None if folder is None else Path(folder), seed))
            # Unordered: a slow cell must not keep those that finished after it from the disk.
            measured = Parallel(n_jobs=n_jobs, return_as="generator_unordered")(
                delayed(_measure)(cell, here) for cell in missing
            )
        else:
            # By a name that a worker knows, which has another ERRATA_DATA or none.
            data = find_folder(folder)
            there = (experiment, Bench(None if data is None else data.absolute(), seed))
            found = map_elsewhere(
                engine, _measure, missing, there, stage=experiment.name, folder=out
            )
            measured = (cell_and_values for _, cell_and_values in found)
        for cell, value in measured:
            file.append(cell, value)
            done += 1
            report(done, len(cells))
        # Cells come back in any order; sorted, the file does not depend on n_jobs nor on whether
        # the run was interrupted.
        file.sort(cells)
        return read_results(file.path)


def _measure(cell: Cell, shared: tuple[Experiment, Bench]) -> tuple[Cell, Mapping[str, float]]:
    experiment, bench = shared
    method = experiment.methods[cell.method]
    return cell, experiment.measure(cell, method, experiment.datasets[cell.dataset], bench)


def read_results(path: str | os.PathLike) -> list[dict[str, Any]]:
    r"""Read the results of a run: a list of rows with the cell and the value of every metric.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "results.csv")
    ...     text = "dataset,noise_level,method,repetition,error\niris,0.1,tree,0,6.5\n"
    ...     _ = path.write_text(text)
    ...     read_results(path)
    [{'dataset': 'iris', 'noise_level': 0.1, 'method': 'tree', 'repetition': 0, 'error': 6.5}]
    """
    with open(path, encoding="utf-8", newline="") as stream:
        return [_parse(row) for row in csv.DictReader(stream)]


def read_status(experiment: Experiment, out: str | os.PathLike) -> dict[str, int]:
    r"""How much of an experiment a folder holds, whose run may have been stopped or be under way.

    Parameters
    ----------
    experiment : Experiment
        Whose grid is counted.
    out : path
        The folder that was given to :func:`run_experiment`.

    Returns
    -------
    dict
        ``cells`` of the grid, how many of them were ``measured``, and the ``fewest`` and ``most``
        repetitions of one data set, noise level and method.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from errata.bench import get_experiment, read_status
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     text = "dataset,noise_level,method,repetition,er1\niris,0.1,bagging,0,0.02\n"
    ...     _ = Path(folder, "results.csv").write_text(text)
    ...     read_status(get_experiment("survey"), folder)
    {'cells': 960, 'measured': 1, 'fewest': 0, 'most': 1}
    """
    grid = set(experiment.cells())
    runs = {cell[:-1]: 0 for cell in grid}
    path = Path(out, "results.csv")
    for row in read_results(path) if path.exists() else []:
        cell = Cell(*(row[name] for name in Cell._fields))
        if cell in grid:
            runs[cell[:-1]] += 1
    return {
        "cells": len(grid),
        "measured": sum(runs.values()),
        "fewest": min(runs.values()),
        "most": max(runs.values()),
    }


@contextmanager
def make_result_folder(path: Path) -> Iterator[None]:
    """Make a folder for a run; where the run fails before anything is measured, nothing stays."""
    new = [folder for folder in (path, *path.parents) if not folder.exists()]
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise FileExistsError(f"{path} is a file; give a folder for the results.") from error
    except OSError as error:
        explain_closed(path, error)
        raise
    results = path / "results.csv"
    made = [file for file in (results, path / "manifest.json") if not file.exists()]
    try:
        yield
    except BaseException:
        if results in made and not (results.exists() and read_results(results)):
            for file in made:
                file.unlink(missing_ok=True)
            for folder in new:
                with suppress(OSError):
                    folder.rmdir()
        raise


class ResultFile:
    """A CSV file that grows by one row per cell and survives being killed at any moment."""

    def __init__(self, path: Path, metrics: tuple[str, ...]) -> None:
        self.path = path
        self.columns = [*Cell._fields, *metrics]

    def start(self) -> set[Cell]:
        """Make the file ready and return the cells that it holds already.

        A last line without a line end is what a killed run was writing: it is removed.
        """
        # Without any line end not even the header was written in full.
        if not self.path.exists() or b"\n" not in (content := self.path.read_bytes()):
            self.path.write_text(self._line(self.columns), encoding="utf-8", newline="")
            return set()
        if not content.endswith(b"\n"):
            os.truncate(self.path, content.rindex(b"\n") + 1)
        rows = read_results(self.path)
        return {Cell(*(row[name] for name in Cell._fields)) for row in rows}

    def append(self, cell: Cell, values: Mapping[str, float]) -> None:
        """Add one row and wait until it is on the disk."""
        numbers = [values[name] for name in self.columns[len(Cell._fields) :]]
        with open(self.path, "a", encoding="utf-8", newline="") as stream:
            stream.write(self._line([*cell, *numbers]))
            stream.flush()
            # flush() hands the line to the system only, which may hold it when the machine stops.
            os.fsync(stream.fileno())

    def sort(self, cells: list[Cell]) -> None:
        """Put the rows in the order of ``cells``, whichever was measured first."""
        place = {cell: i for i, cell in enumerate(cells)}
        # Lines are moved as they are: numbers keep the digits they were written with.
        header, *lines = self.path.read_text(encoding="utf-8").splitlines(keepends=True)
        found = [Cell(*(row[name] for name in Cell._fields)) for row in read_results(self.path)]
        order = sorted(range(len(lines)), key=lambda i: place[found[i]])
        with atomic_path(self.path) as temporary:
            temporary.write_text(header + "".join(lines[i] for i in order), encoding="utf-8")

    @staticmethod
    def _line(cells: list[Any]) -> str:
        stream = io.StringIO()
        csv.writer(stream, lineterminator="\n").writerow(cells)
        return stream.getvalue()


def _parse(row: dict[str, str]) -> dict[str, Any]:
    dataset, level, method, repetition, *values = row.values()
    cell = Cell(dataset, float(level) if level else None, method, int(repetition))
    metrics = list(row)[len(Cell._fields) :]
    return cell._asdict() | dict(zip(metrics, map(float, values), strict=True))


def describe(experiment: Experiment, seed: int) -> dict[str, Any]:
    """Parameters, seed and versions of a run."""
    return {
        "experiment": experiment.name,
        "title": experiment.title,
        "seed": seed,
        "repetitions": experiment.repetitions,
        "noise_levels": [None if x is None else float(x) for x in experiment.noise_levels],
        "datasets": dict(experiment.datasets),
        "methods": {name: format_object(method) for name, method in experiment.methods.items()},
        "metrics": list(experiment.metrics),
        "measure": format_object(experiment.measure),
        "versions": {"python": platform.python_version()} | {n: version(n) for n in _LIBRARIES},
    }


def write_manifest(path: Path, manifest: dict[str, Any]) -> None:
    """Write the manifest of a new run, or check that it is the one this run goes on with."""
    if not path.exists():
        with atomic_path(path) as temporary:
            temporary.write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
        return
    earlier = json.loads(path.read_text(encoding="utf-8"))
    differing = [key for key in manifest if earlier.get(key) != manifest[key]]
    if differing:
        raise ValueError(
            f"{path.parent} holds a run with another {' and '.join(differing)}; "
            "results of two settings do not mix: choose another folder, or remove this one."
        )


def format_object(thing: Any) -> str:
    """An object in a line that is the same in every run: no addresses, nothing left out."""
    # First, as functions and classes have a __dict__ too, and their repr has an address.
    if isinstance(thing, type) or (callable(thing) and hasattr(thing, "__qualname__")):
        return f"{thing.__module__}.{thing.__qualname__}"
    if isinstance(thing, list | tuple):
        return f"[{', '.join(map(format_object, thing))}]"
    if isinstance(thing, dict):
        items = (f"{name}: {format_object(value)}" for name, value in thing.items())
        return f"{{{', '.join(items)}}}"
    # Not repr(), which leaves out the defaults, and these may change between versions.
    if isinstance(thing, BaseEstimator):
        return _call(type(thing).__name__, thing.get_params(deep=False))
    if isinstance(thing, partial):
        positional = {str(place): value for place, value in enumerate(thing.args)}
        return _call(format_object(thing.func), positional | thing.keywords)
    if hasattr(thing, "__dict__"):  # splitters and measures
        return _call(type(thing).__name__, vars(thing))
    # NumPy 2 writes np.float64(0.1) where NumPy 1 wrote 0.1.
    return repr(thing.item() if isinstance(thing, np.generic) else thing)


def _call(name: str, parameters: dict[str, Any]) -> str:
    arguments = (f"{name}={format_object(parameters[name])}" for name in sorted(parameters))
    return f"{name}({', '.join(arguments)})"
