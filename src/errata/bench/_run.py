"""Run an experiment: in parallel, resumable, the same numbers however often it is stopped."""

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed

from .._engine import map_elsewhere
from .._validation import check_count
from ..datasets._load import check_available
from ..datasets._sources import folder_of
from ._experiment import Bench, Cell, Experiment
from ._manifest import describe, write_manifest
from ._results import ResultFile, read_results


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
    out.mkdir(parents=True, exist_ok=True)
    write_manifest(out / "manifest.json", describe(experiment, seed))
    file = ResultFile(out / "results.csv", experiment.metrics)
    cells, held = list(experiment.cells()), file.start()
    missing = [cell for cell in cells if cell not in held]
    done = len(cells) - len(missing)
    report = progress or (lambda done, total: None)
    report(done, len(cells))
    if engine is None:
        bench = Bench(None if folder is None else Path(folder), seed)
        measured = _measured_here(experiment, missing, bench, n_jobs)
    else:
        measured = _measured_on(engine, experiment, missing, Bench(_anywhere(folder), seed), out)
    for cell, value in measured:
        file.append(cell, value)
        done += 1
        report(done, len(cells))
    # Cells come back in any order; sorted, the file does not depend on n_jobs nor on interruptions.
    file.sort(cells)
    return read_results(file.path)


def _measured_here(
    experiment: Experiment, cells: list[Cell], bench: Bench, n_jobs: int | None
) -> Iterator[tuple[Cell, Mapping[str, float]]]:
    # Unordered: a slow cell must not keep those that finished after it from the disk.
    return Parallel(n_jobs=n_jobs, return_as="generator_unordered")(
        delayed(_measure)(cell, (experiment, bench)) for cell in cells
    )


def _measured_on(
    engine: Any, experiment: Experiment, cells: list[Cell], bench: Bench, out: Path
) -> Iterator[tuple[Cell, Mapping[str, float]]]:
    shared = (experiment, bench)
    found = map_elsewhere(engine, _measure, cells, shared, stage=experiment.name, folder=out)
    return (measured for _, measured in found)


def _anywhere(folder: str | os.PathLike | None) -> Path | None:
    """The data folder by a name that a worker knows, which has another ERRATA_DATA or none."""
    here = folder_of(folder)
    return None if here is None else here.absolute()


def _measure(cell: Cell, shared: tuple[Experiment, Bench]) -> tuple[Cell, Mapping[str, float]]:
    experiment, bench = shared
    method = experiment.methods[cell.method]
    return cell, experiment.measure(cell, method, experiment.datasets[cell.dataset], bench)
