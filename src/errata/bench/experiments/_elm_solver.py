"""Frénay (2013), table 4.2: how to solve a support vector machine on 300 random units fastest.

LIBSVM on the features themselves, LIBSVM on their Gram matrix, LIBLINEAR on the features: three
ways to the same classifier. Ten outer folds test, inner folds choose ``C``; only the calls to the
solvers are timed, the search included. A repetition is an outer fold. The thesis says neither the
activation nor the grid of ``C`` nor the settings of the solvers: here erf units, powers of ten, and
what the authors of either library set themselves.

Times are given as ratios to the fastest of the three, since seconds say more about a computer than
about a solver, and so are the published ones beside them. They are not compared number by number:
another computer, another compiler, other versions. Run it with one job at a time.

Three more methods ask whether ``ELMSVC(solver="auto")`` takes the faster of its two ways. Here the
whole fit is timed, hidden layer and Gram matrix included, as this is what a user waits for.

Processor time in one thread, as a ratio to the fastest solver of the same fold: a number of seconds
would say more about the machine than about the solver.
"""

import time
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from rich.table import Table
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from ...elm import ELMSVC, ELMFeatures
from .._experiment import Bench, Cell, Experiment, Published, load_complete, load_published
from .._report import group_by, make_figure, make_table, save_figure, to_markdown, write_page
from ._elm_kernels import LIBSVM_LIMIT, make_powers_of_ten

N_HIDDEN = 300
EXPLICIT, GRAM, LIBLINEAR = THREE = (
    "LIBSVM explicit ELM features",
    "LIBSVM precomputed Gram",
    "LIBLINEAR explicit ELM features",
)
BY_GRAM, BY_FEATURES, AUTO = (f'ELMSVC solver="{s}"' for s in ("gram", "linear", "auto"))


class Contestant(BaseEstimator):
    """A solver, and what it is given: ``rows``, their ``features``, or the ``gram`` of these.

    Its ``fit`` is on the clock; features and Gram matrices are made before. A solver that is given
    rows makes them itself, on the clock.

    Parameters
    ----------
    estimator : SVC, LinearSVC or ELMSVC
        With a parameter ``C``.
    given : {"rows", "features", "gram"}
        What it is fitted to.
    unit : float, default=1
        The ``C`` of the search is multiplied by it.
    """

    def __init__(self, estimator: Any, given: str, unit: float = 1.0) -> None:
        self.estimator = estimator
        self.given = given
        self.unit = unit

    def run(self, split: "Split", C: float) -> tuple[float, float]:
        """Processor time of the fit in seconds, and the fraction of test rows that are wrong."""
        train, test = getattr(split, self.given)
        model = clone(self.estimator).set_params(C=self.unit * C, random_state=split.seed)
        start = time.process_time()
        model.fit(train, split.y)
        seconds = time.process_time() - start
        return seconds, float(np.mean(model.predict(test) != split.y_test))


PUBLISHED = {
    EXPLICIT: Contestant(SVC(kernel="linear", max_iter=LIBSVM_LIMIT), "features"),
    GRAM: Contestant(SVC(kernel="precomputed", max_iter=LIBSVM_LIMIT), "gram"),
    # LIBLINEAR itself stops at a tolerance of 0.1 or after 1000 passes; scikit-learn does not.
    LIBLINEAR: Contestant(LinearSVC(loss="hinge", tol=0.1, max_iter=1000), "features"),
}
# ELMSVC divides its features by the root of their number, so its C is larger by that number.
OURS = {
    f'ELMSVC solver="{solver}"': Contestant(
        ELMSVC(kernel="finite", n_hidden=N_HIDDEN, solver=solver, max_gram_bytes=2**28),
        "rows",
        unit=N_HIDDEN,
    )
    for solver in ("gram", "linear", "auto")
}


def read_published_ratios() -> dict[tuple[str, str], float]:
    """Published time of a solver on a data set, over that of the fastest."""
    rows = [r for r in load_published("frenay_2013_tables") if r["metric"] == "solver_time_seconds"]
    seconds = {(r["dataset"], r["method"]): r["mean"] for r in rows if r["table"] == "4.2"}
    return {
        (dataset, method): value / min(seconds[dataset, other] for other in THREE)
        for (dataset, method), value in seconds.items()
    }


def compute_mean_ratios(results: list[dict[str, Any]]) -> dict[tuple[str, str], float]:
    """Our ratios, mean over the outer folds."""
    return {
        key: fmean(row["time_over_fastest"] for row in rows)
        for key, rows in group_by(results, "dataset", "method").items()
    }


def make_ratio_table(results: list[dict[str, Any]]) -> Table:
    """Ratios to the fastest, ours and published, one row per data set."""
    ours = compute_mean_ratios(results)
    theirs = read_published_ratios()
    columns = [(ours, m) for m in THREE] + [(theirs, m) for m in THREE]
    columns += [(ours, m) for m in (BY_GRAM, BY_FEATURES, AUTO)]
    names = [*THREE, *(f"{m}, published" for m in THREE), BY_GRAM, BY_FEATURES, AUTO]
    rows = [
        [dataset, *(f"{ratios[dataset, method]:.1f}" for ratios, method in columns)]
        for dataset in group_by(results, "dataset")
    ]
    return make_table("Time over that of the fastest", ["data set", *names], rows)


def illustrate_times(results: list[dict[str, Any]], folder: Path) -> list[Path]:
    """Write the table of ratios, and draw it."""
    table = make_ratio_table(results)
    page = write_page(folder / "times.md", str(table.title), to_markdown(table))
    figure = make_figure(10, 5)
    axes = figure.subplots(1, 3, sharex=True, sharey=True)
    panels = {
        "ours": (compute_mean_ratios(results), THREE),
        "published": (read_published_ratios(), THREE),
        "ELMSVC": (compute_mean_ratios(results), (BY_GRAM, BY_FEATURES, AUTO)),
    }
    for axis, (title, (ratios, methods)) in zip(axes, panels.items(), strict=True):
        _draw_ratios(axis, list(group_by(results, "dataset")), ratios, methods)
        axis.set(title=title, xlabel="time over that of the fastest")
    # Below the panels, where no point is hidden; the first two have the same methods.
    for axis, side in ((axes[0], "left"), (axes[2], "right")):
        figure.legend(*axis.get_legend_handles_labels(), loc=f"outside lower {side}")
    return [page, save_figure(figure, folder / "times.png", dpi=150)]


def _draw_ratios(
    axis: Any, datasets: list[str], ratios: dict[tuple[str, str], float], methods: tuple[str, ...]
) -> None:
    places = np.arange(len(datasets))
    for method, marker in zip(methods, "o^s", strict=True):
        values = [ratios[dataset, method] for dataset in datasets]
        axis.plot(values, places, marker, markersize=5, alpha=0.8, label=method)
    # In the order of the table, from the top; inverting would flip shared axes once per panel.
    axis.set(xscale="log", yticks=places, yticklabels=datasets, ylim=(len(datasets) - 0.5, -0.5))
    axis.xaxis.set_major_formatter("{x:g}")
    axis.xaxis.set_minor_formatter("")


@dataclass(frozen=True)
class Split:
    """Training and test rows of a fold, standardised by the first, and what becomes of them."""

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    n_hidden: int
    seed: int

    @cached_property
    def rows(self) -> tuple[np.ndarray, np.ndarray]:
        """The rows themselves."""
        scaler = StandardScaler().fit(self.X)
        return scaler.transform(self.X), scaler.transform(self.X_test)

    @cached_property
    def features(self) -> tuple[np.ndarray, np.ndarray]:
        """Hidden activations H of erf units with standard normal weights."""
        train, test = self.rows
        layer = ELMFeatures(n_hidden=self.n_hidden, random_state=self.seed).fit(train)
        root = np.sqrt(self.n_hidden)  # which ELMFeatures divides by, and the thesis does not
        return root * layer.transform(train), root * layer.transform(test)

    @cached_property
    def gram(self) -> tuple[np.ndarray, np.ndarray]:
        """HH', and the same between test and training rows."""
        train, test = self.features
        return train @ train.T, test @ train.T


@dataclass(frozen=True, eq=False)  # a race is equal to itself alone, which makes it a quick key
class Race:
    """Measure one outer fold: every solver of a group tunes ``C`` by inner folds.

    The repetitions of a cell are the outer folds. A cell runs all solvers of its group, as their
    ratios mean something only if they were timed in one go; the next cells of the same process
    take their numbers from there. Times differ from run to run.

    Parameters
    ----------
    groups : tuple of mappings of str to Contestant
        Solvers that are compared with each other.
    C : tuple of float
        The grid, in ascending order; of equally good values the smallest is taken.
    n_hidden : int, default=300
        Number of hidden units.
    cv, n_splits : int, default=5 and 10
        Number of inner and of outer folds.
    """

    groups: tuple[Mapping[str, Contestant], ...]
    C: tuple[float, ...]
    n_hidden: int = 300
    cv: int = 5
    n_splits: int = 10

    def __call__(
        self, cell: Cell, estimator: BaseEstimator, dataset: str, bench: Bench
    ) -> dict[str, float]:
        """Accuracy on the outer fold, and the time of the search over that of the fastest."""
        group = next(i for i, group in enumerate(self.groups) if cell.method in group)
        # Not the method's own seed: a race is over one set of folds and hidden units. 31 bits fit a
        # signed integer, whatever solver reads it.
        seed = bench.seed_of(cell.dataset) % 2**31
        outcomes = _run_race(self, group, dataset, bench.folder, cell.repetition, seed)
        fastest = min(seconds for seconds, _ in outcomes.values())
        seconds, error = outcomes[cell.method]
        return {
            "test_accuracy_percent": 100 * (1 - error),
            "time_over_fastest": seconds / fastest,
        }

    def run(
        self, group: int, X: np.ndarray, y: np.ndarray, fold: int, seed: int
    ) -> dict[str, tuple[float, float]]:
        """Seconds of the search, and error of its choice on one outer fold, of each solver."""
        outer = list(self._splits(self.n_splits, X, y, seed))[fold]
        solvers = self.groups[group]
        # process_time adds up all threads: with several, BLAS would look slower than it is.
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            # Solvers take turns, so that whatever else the machine does slows all of them down.
            found = np.array(
                [
                    [[solver.run(inner, C) for solver in solvers.values()] for C in self.C]
                    for inner in self._splits(self.cv, outer.X, outer.y, seed)
                ]
            )
            seconds = found[..., 0].sum(axis=(0, 1))
            errors = found[..., 1].mean(axis=0)
            outcomes = {}
            for i, (name, solver) in enumerate(solvers.items()):
                last, error = solver.run(outer, self.C[errors[:, i].argmin()])
                outcomes[name] = (float(seconds[i]) + last, error)
        return outcomes

    def _splits(self, n: int, X: np.ndarray, y: np.ndarray, seed: int) -> Iterator[Split]:
        """One after the other, so that one Gram matrix is held at a time."""
        folds = StratifiedKFold(n, shuffle=True, random_state=seed).split(X, y)
        return (Split(X[a], y[a], X[b], y[b], self.n_hidden, seed) for a, b in folds)


elm_solver = Experiment(
    name="elm-solver",
    title="Frénay 2013: solvers of a support vector machine on random units",
    datasets={
        "Parkinsons": "parkinsons",
        "Bupa": "liver_bupa",
        "Ionosphere": "ionosphere",
        "Vehicle": "vehicle",
        "Wdbc": "wdbc",
        "Segment": "segment",
        "Pima": "pima",
        "Masses": "mammographic",
        "Yeast": "yeast",
        "Optdigits": "optdigits",
        "Waveform": "waveform40",
        "Robot": "wall_robot",
        "Page": "page_blocks",
    },
    methods=PUBLISHED | OURS,
    repetitions=10,
    metrics=("test_accuracy_percent", "time_over_fastest"),
    measure=Race((PUBLISHED, OURS), C=make_powers_of_ten(-3, 0, 1), n_hidden=N_HIDDEN),
    published=Published("frenay_2013_tables", repetitions=10, tables=("4.2",)),
    illustrate=illustrate_times,
    quick={"datasets": {"Wdbc": "wdbc"}},
)


@lru_cache(maxsize=64)
def _run_race(
    race: Race, group: int, dataset: str, folder: Path | None, fold: int, seed: int
) -> dict[str, tuple[float, float]]:
    return race.run(group, *load_two_largest(dataset, folder), fold, seed)


def load_two_largest(dataset: str, folder: Path | None) -> tuple[np.ndarray, np.ndarray]:
    """The complete rows of the two largest classes of a data set; of equals, the first by name."""
    X, y = load_complete(dataset, folder)
    classes, sizes = np.unique(y, return_counts=True)
    largest = classes[np.argsort(-sizes, kind="stable")[:2]]
    chosen = np.isin(y, largest)
    return X[chosen], y[chosen]
