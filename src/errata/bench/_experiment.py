"""Experiments: a grid, how to measure one cell of it, and the published numbers.

The data sets of the papers: rows that miss nothing, without small classes.
"""

import copy
import csv
import itertools
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from .._random import clone_with_seed
from .._validation import check_choice, check_count
from ..datasets import load_dataset
from ..noise import flip_labels

Split = Iterable[tuple[np.ndarray, np.ndarray]]


class Cell(NamedTuple):
    """One measurement of the grid; ``noise_level`` is None where an experiment has no noise.

    Examples
    --------
    >>> from errata.bench import Cell
    >>> Cell("Iris", 0.1, "bagging", repetition=0).method
    'bagging'
    """

    dataset: str
    noise_level: float | None
    method: str
    repetition: int


class Bench(NamedTuple):
    """Means of a measurement besides its cell: the data folder and the seed of the run.

    Examples
    --------
    >>> from errata.bench import Bench
    >>> bench = Bench(None, seed=0)
    >>> bench.seed_of("Iris", 3) == bench.seed_of("Iris", 3) != bench.seed_of("Iris", 4)
    True
    """

    folder: Path | None
    seed: int

    def seed_of(self, *parts: Any) -> int:
        """A seed of its own for whatever ``parts`` name, the same in every run and grid."""
        # Not hash(), which Python salts anew in each process. From names rather than positions, so
        # that a cell draws the same when data sets or methods are left out of the grid.
        names = [zlib.crc32(str(part).encode()) for part in parts]
        return int(np.random.SeedSequence([self.seed, *names]).generate_state(1)[0])


Measure = Callable[[Cell, BaseEstimator, Any, Bench], Mapping[str, float]]

"""(cell, method, name of the data set in errata.datasets, bench) -> value of every metric."""


@dataclass(frozen=True)
class Published:
    """Which published table an experiment is compared with, and how often its authors repeated it.

    ``file`` is a name of :func:`list_published`; ``tables`` restricts it to some tables of the
    paper.

    Examples
    --------
    >>> from errata.bench import Published
    >>> Published("walmsley_2017_accuracy", repetitions=10).rows()[0]["dataset"]
    'pima'
    """

    file: str
    repetitions: int
    tables: tuple[str, ...] = ()

    def rows(self) -> list[dict[str, Any]]:
        """The published numbers as records, those without a number left out."""
        rows = [row for row in load_published(self.file) if row.get("mean") is not None]
        return [row for row in rows if not self.tables or row["table"] in self.tables]


@dataclass(frozen=True)
class Experiment:
    """A grid of data sets, noise levels, methods and repetitions, and the way to measure a cell.

    Parameters
    ----------
    name, title : str
        What the command line calls it, and one line about it.
    datasets : mapping of str to str or None
        The paper's name of each data set, and its name in :mod:`errata.datasets`; None where
        ``measure`` makes it.
    methods : mapping of str to estimator
        The paper's name of each method, and the unfitted estimator.
    metrics : tuple of str
        What is measured, in the paper's words; one column of the results each.
    measure : callable
        ``measure(cell, estimator, dataset, bench)`` gives the value of every metric. See
        :class:`NoisyTraining` for the usual one.
    noise_levels : tuple, default=(None,)
        Fractions of wrong labels.
    repetitions : int, default=1
        How often each cell is measured, with another seed.
    published : Published, optional
        The numbers to compare with.
    quick : mapping, optional
        Fields to change for a run of about a minute.
    illustrate : callable, optional
        ``illustrate(results, folder)`` draws whatever else there is to see and returns the paths.
    tabulate : callable, optional
        ``tabulate(results)`` gives a table and sentences, where methods are compared that were not
        all published.
    list_missing : callable, optional
        ``list_missing(folder)`` names the data sets whose file is not in the data folder, each with
        the file.

    Examples
    --------
    >>> from sklearn.linear_model import Perceptron
    >>> from sklearn.model_selection import StratifiedKFold
    >>> from errata.bench import Experiment, NoisyTraining
    >>> experiment = Experiment(
    ...     name="tiny",
    ...     title="A perceptron on two sets",
    ...     datasets={"Iris": "iris", "Wine": "wine"},
    ...     methods={"Perceptron": Perceptron()},
    ...     noise_levels=(0.0, 0.2),
    ...     repetitions=3,
    ...     metrics=("accuracy_percent",),
    ...     measure=NoisyTraining(split=StratifiedKFold(5, shuffle=True)),
    ... )
    >>> len(list(experiment.cells()))
    12
    """

    name: str
    title: str
    datasets: Mapping[str, str | None]
    methods: Mapping[str, BaseEstimator]
    metrics: tuple[str, ...]
    measure: Measure
    noise_levels: tuple[float | None, ...] = (None,)
    repetitions: int = 1
    published: Published | None = None
    quick: Mapping[str, Any] = field(default_factory=dict)
    illustrate: Callable[[list[dict], Path], list[Path]] | None = None
    tabulate: Callable[[list[dict]], tuple[Any, list[str]]] | None = None
    list_missing: Callable[[Path | None], dict[str, str]] | None = None

    def cells(self) -> Iterator[Cell]:
        """Every cell, in the order in which results are written."""
        grid = itertools.product(
            self.datasets, self.noise_levels, self.methods, range(self.repetitions)
        )
        return (Cell(*values) for values in grid)

    def part(
        self, *, datasets: Iterable[str] | None = None, repetitions: int | None = None
    ) -> "Experiment":
        """The same experiment on some of its data sets, or measured another number of times."""
        some = self.datasets
        if datasets is not None:
            some = {check_choice("dataset", name, tuple(some)): some[name] for name in datasets}
        repetitions = self.repetitions if repetitions is None else repetitions
        return replace(self, datasets=some, repetitions=check_count("repetitions", repetitions))

    def part_in(self, folder: Path | None) -> tuple["Experiment", list[str]]:
        """The same experiment on the data sets that a folder holds, and the files it lacks.

        Where it holds none of them, all are left in: measuring the first says what is missing.
        """
        missing = self.list_missing(folder) if self.list_missing else {}
        there = [name for name in self.datasets if name not in missing]
        if not there or len(there) == len(self.datasets):
            return self, []
        files = [missing[name] for name in self.datasets if name in missing]
        return self.part(datasets=there), list(dict.fromkeys(files))

    def quickly(self) -> "Experiment":
        """The same experiment, cut down to about a minute."""
        # Under another name, the manifest keeps quick results apart from those of a full run.
        return replace(self, name=f"{self.name}-quick", **self.quick)


@dataclass(frozen=True)
class NoisyTraining:
    """Put noise into the training labels, fit, and score on clean labels.

    All methods see the same splits and the same wrong labels, and so do all noise levels as far as
    they can: what a lower level flips, a higher one flips too. The numbers of one repetition are
    means over its splits.

    Parameters
    ----------
    split : splitter of scikit-learn with ``random_state``
        For instance ``StratifiedKFold(5, shuffle=True)`` or ``ShuffleSplit(1, train_size=0.6)``.
    inject : callable, optional
        ``inject(y, level, seed)`` gives the noisy labels and the mask of what changed; an exact
        fraction, completely at random, when not given.
    score : callable, optional
        ``score(model, X_test, y_test, flipped)`` gives the value of every metric, ``flipped``
        telling which training labels were wrong; the accuracy in percent when not given.
    load : callable, optional
        ``load(dataset, folder, seed)`` gives X and y; ``load_dataset`` when not given.

    Examples
    --------
    >>> from sklearn.model_selection import ShuffleSplit
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from errata.bench import Bench, Cell, NoisyTraining
    >>> measure = NoisyTraining(split=ShuffleSplit(2, train_size=0.6))
    >>> measure(Cell("Iris", 0.1, "bayes", 0), GaussianNB(), "iris", Bench(None, seed=0))
    {'accuracy_percent': 93.33333333333333}
    """

    split: Any
    inject: Callable[[np.ndarray, float, int], tuple[np.ndarray, np.ndarray]] | None = None
    score: Callable[[Any, np.ndarray, np.ndarray, np.ndarray], Mapping[str, float]] | None = None
    load: Callable[[str, Any, int], tuple[np.ndarray, np.ndarray]] | None = None

    def __call__(
        self, cell: Cell, estimator: BaseEstimator, dataset: str, bench: Bench
    ) -> dict[str, float]:
        """Mean over the splits of one repetition."""
        # Neither method nor noise level: all of them get the same rows, splits and flips.
        shared_seed = bench.seed_of(cell.dataset, cell.repetition)
        X, y = (self.load or _load)(dataset, bench.folder, shared_seed)
        scores = []
        for fold, (train, test) in enumerate(_split_rows(self.split, X, y, shared_seed)):
            noise_seed = bench.seed_of(cell.dataset, cell.repetition, fold)
            inject = self.inject or _flip_exact_fraction
            noisy, flipped = inject(y[train], cell.noise_level or 0.0, noise_seed)
            # The whole cell: a method draws anew at each level, as in independent runs.
            model = clone_with_seed(estimator, bench.seed_of(*cell, fold)).fit(X[train], noisy)
            scores.append((self.score or _score_accuracy)(model, X[test], y[test], flipped))
        return {name: float(np.mean([s[name] for s in scores])) for name in scores[0]}


def _split_rows(splitter: Any, X: np.ndarray, y: np.ndarray, seed: int) -> Split:
    splitter = copy.copy(splitter)  # the experiment's own is described in the manifest
    splitter.random_state = seed
    return splitter.split(X, y)


def _load(dataset: str, folder: Any, seed: int) -> tuple[np.ndarray, np.ndarray]:
    return load_dataset(dataset, folder=folder, random_state=seed, return_X_y=True)


def _flip_exact_fraction(y: np.ndarray, level: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    return flip_labels(y, level, random_state=seed)


def _score_accuracy(model: Any, X: np.ndarray, y: np.ndarray, _: np.ndarray) -> dict[str, float]:
    return {"accuracy_percent": 100 * float(np.mean(model.predict(X) == y))}


def list_published() -> list[str]:
    """Names of the tables of published numbers.

    Examples
    --------
    >>> "walmsley_2017_accuracy" in list_published()
    True
    """
    entries = (files("errata.bench") / "published").iterdir()
    return sorted(e.name.removesuffix(".csv") for e in entries if e.name.endswith(".csv"))


def load_published(name: str) -> list[dict[str, Any]]:
    """Read one table of published numbers: a list of records, None where nothing was printed.

    Noise levels are fractions; metrics say whether they are percentages.

    Examples
    --------
    >>> first = load_published("walmsley_2017_accuracy")[0]
    >>> first["dataset"], first["method"], first["noise_level"], first["mean"], first["std"]
    ('pima', 'Perceptron', 0.0, 68.6, 2.49)
    """
    if name not in list_published():
        raise ValueError(
            f"no published table is called {name!r}; there are {', '.join(list_published())}."
        )
    with (files("errata.bench") / "published" / f"{name}.csv").open(encoding="utf-8") as stream:
        return [{k: _parse_value(k, v) for k, v in row.items()} for row in csv.DictReader(stream)]


def _parse_value(column: str, text: str) -> Any:
    """Numbers as floats; names stay text even where they look like numbers (table 4.10)."""
    if text == "":
        return None
    if column in ("paper", "table", "section", "location", "dataset", "method"):
        return text
    try:
        return float(text)
    except ValueError:
        return text


# Cells come data set by data set, so that few are in use at a time. What is returned is shared:
# callers take rows of it and never write into it.
@lru_cache(maxsize=2)
def load_complete(dataset: str, folder: Any, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows without missing cells, read once; ``seed`` draws those of a synthetic set."""
    X, y = load_dataset(dataset, folder=folder, random_state=seed, return_X_y=True)
    complete = ~np.isnan(X).any(axis=1)
    return X[complete], y[complete]


# Shared by all who ask, as what load_complete returns: nobody writes into it.
@lru_cache(maxsize=2)
def load_largest(
    dataset: str, folder: Any, n_classes: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Rows of the largest classes (all when not told), and the columns that vary there.

    This is what the papers do with Ecoli (five classes, without its fourth column), Glass and Yeast
    (classes too small for eight neighbours), Segment (without its third column) and the wall robot
    (two classes of four).
    """
    X, y = load_complete(dataset, folder)
    classes, sizes = np.unique(y, return_counts=True)
    kept = np.isin(y, classes[np.argsort(-sizes, kind="stable")[:n_classes]])
    X = X[kept]
    y = y[kept]
    return X[:, np.ptp(X, axis=0) > 0], y
