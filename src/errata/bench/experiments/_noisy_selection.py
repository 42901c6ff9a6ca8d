"""Frénay, Doquire and Verleysen (2014): columns selected from noisy labels.

Figures 1 and 4 to 6: columns are selected from clean labels (BW-C), from noisy ones (BW-N), and
from noisy ones by the tolerant estimate (LNT-BW), on the eleven sets of table 1. The paper prints
no error rates; its claims are about the order of the three, and :func:`illustrate_lnt` tests it.
"LNT-BW, as printed" counts a row as its own neighbour, as the paper's algorithm does; "LNT-BW,
once" keeps the memberships of all columns along the path.

Beside the paper, the rows that a filter or an audit flags are removed before a plain search
(:data:`lnt_cleaning`), on the same splits and the same wrong labels.

All rows are standardised and shuffled, 70 % train, a fraction of their labels is flipped. Columns
are selected; a classifier of neighbours is then trained and tested on clean labels with the subset
of each size, so that nothing but the selection is measured. Ten folds of the training rows choose
the number of neighbours by the balanced error; one search serves all folds and all numbers, a
second one the test rows.

The paper prints the numbers of one draw of two Gaussian classes; here are the means of many. How
much of the noise is found in real sets, with more and more labels wrong, stands beside it.
"""

import warnings
from collections.abc import Sequence
from functools import lru_cache, partial
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, Self

import numpy as np
from rich.table import Table
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold
from sklearn.preprocessing import StandardScaler

from ..._neighbors import nearest, nearest_in
from ..._random import draw_seed
from ...auditing import audit
from ...auditing._audited_classifier import class_posterior
from ...datasets import load_dataset
from ...feature_selection import (
    LabelNoiseMemberships,
    MutualInformationSelector,
    mutual_information,
)
from ...feature_selection.information import imbalance
from ...feature_selection.label_noise import tolerant_mutual_information
from ...filters import Cleaner, CutEdgeFilter
from ...noise import flip_labels
from ...stats import wilcoxon_holm
from ...stats._tests import correct_by_holm
from .._experiment import Bench, Cell, Experiment, load_largest
from .._report import group_by, make_figure, make_table, save_figure, to_markdown, write_page

SIGNIFICANCE = 0.05
COLOURS = ("#000000", "#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#999999")

Curves = dict[tuple[str, float | None], dict[str, np.ndarray]]

NUMBERS = np.array([*range(1, 11), *range(12, 21, 2), *range(25, 51, 5)])
FOLDS = 10

PLAIN = MutualInformationSelector()
TOLERANT = MutualInformationSelector(label_noise="tolerant")
AS_PRINTED = MutualInformationSelector(
    label_noise="tolerant", noise_params={"self_count": True, "slack": 0.0}
)
ONCE = MutualInformationSelector(label_noise="tolerant", noise_refit=False)
DATASETS = {
    "Iris": "iris",
    "Wine": "wine",
    "Ecoli": "ecoli",
    "Glass": "glass",
    "Vertebral": "vertebral3",
    "Yeast": "yeast",
    "Vehicle": "vehicle",
    "Segment": "segment",
    "Page": "page_blocks",
    "Wall robot": "wall_robot",
    "Waveform": "waveform40",
}

TRAINING = 0.7
LARGEST = 40  # columns, of Waveform
N_CLASSES = {"ecoli": 5, "glass": 3, "yeast": 4}  # the largest ones; others have all

DRAWS = 200
PUBLISHED_EXAMPLE = ("0.63", "0.58", "0.61", "0.02", "0.00")
LEVELS = (0.1, 0.2, 0.3)


def make_error_names(n_sizes: int) -> tuple[str, ...]:
    """Names of the metrics: the error with one column, with two, ..."""
    return tuple(f"error_of_{size}" for size in range(1, n_sizes + 1))


METRICS = ("information", "error_rate_percent", "rows", "imbalance", *make_error_names(LARGEST))


def measure_errors(path: dict[int, np.ndarray], error: Any, n_sizes: int) -> dict[str, float]:
    """The value of ``error(columns)`` for the subset of each size; NaN for sizes without any."""
    return {
        name: error(tuple(map(int, path[size]))) if size in path else np.nan
        for size, name in enumerate(make_error_names(n_sizes), start=1)
    }


def collect_size_curves(results: list[dict[str, Any]], n_sizes: int) -> Curves:
    """Errors (repetitions, sizes) of each method, for each data set and noise level.

    Only of repetitions that all methods have: those of a run that goes on are compared alike.
    """
    found = {}
    for key, rows in group_by(results, "dataset", "noise_level").items():
        methods = {
            method: {row["repetition"]: [row[e] for e in make_error_names(n_sizes)] for row in of}
            for method, of in group_by(rows, "method").items()
        }
        shared = sorted(set.intersection(*(set(of) for of in methods.values())))
        curves = {method: np.array([of[i] for i in shared]) for method, of in methods.items()}
        reached = ~np.isnan(next(iter(curves.values()))).any(axis=0)
        found[key] = {method: curve[:, reached] for method, curve in curves.items()}
    return found


def compare_sizes(errors: np.ndarray, rival: np.ndarray) -> tuple[list[int], list[int]]:
    """Sizes at which a method errs significantly less, and more, than another.

    By Wilcoxon's test over the repetitions at each size but the last, corrected by Holm.
    With all columns there is nothing to choose, and all methods are the same.
    """
    if len(errors) < 2 or errors.shape[1] < 2:
        return [], []
    pairs = [np.column_stack(pair) for pair in zip(errors.T[:-1], rival.T[:-1], strict=True)]
    p = correct_by_holm(np.array([wilcoxon_holm(pair).p_raw[0, 1] for pair in pairs]))
    gain = (rival - errors).mean(axis=0)[:-1]
    found = p <= SIGNIFICANCE
    better = np.flatnonzero(found & (gain > 0)) + 1
    worse = np.flatnonzero(found & (gain < 0)) + 1
    return better.tolist(), worse.tolist()


def write_sizes(
    results: list[dict[str, Any]], folder: Path, n_sizes: int, pairs: Sequence[tuple[str, str]]
) -> list[Path]:
    """Means, and where the methods of each pair differ: sizes.md; the curves: sizes.png."""
    curves = collect_size_curves(results, n_sizes)
    table = make_table_of_means(curves, pairs)
    page = write_page(folder / "sizes.md", str(table.title), to_markdown(table))
    return [page, plot_sizes(curves, folder / "sizes.png")]


def make_table_of_means(curves: Curves, pairs: Sequence[tuple[str, str]]) -> Table:
    """Errors averaged over all sizes but the last, and the sizes at which methods differ."""
    methods = list(dict.fromkeys(method for of in curves.values() for method in of))
    names = ["data set", "noise"]
    header = [*names, "runs", *methods, *(f"{a} better / worse than {b}" for a, b in pairs)]
    rows = [
        [dataset, "-" if level is None else f"{level:.0%}", str(len(next(iter(of.values()))))]
        + [f"{of[m][:, : max(1, of[m].shape[1] - 1)].mean():.1f}" for m in methods]
        + [" / ".join(map(format_ranges, compare_sizes(of[a], of[b]))) for a, b in pairs]
        for (dataset, level), of in curves.items()
    ]
    title = "Balanced error in percent, mean over sizes 1 to p - 1"
    return make_table(title, header, rows, len(names))


def format_ranges(sizes: Sequence[int]) -> str:
    """Sizes in a few characters.

    >>> format_ranges([1, 2, 3, 5, 8, 9]), format_ranges([])
    ('1-3, 5, 8-9', 'none')
    """
    runs: list[list[int]] = []
    for size in sizes:
        if runs and runs[-1][-1] == size - 1:
            runs[-1].append(size)
        else:
            runs.append([size])
    return ", ".join(f"{r[0]}-{r[-1]}" if len(r) > 1 else str(r[0]) for r in runs) or "none"


def plot_sizes(curves: Curves, path: Path) -> Path:
    """A panel for each data set and noise level: mean errors, with intervals of 95 %."""
    levels = list(dict.fromkeys(level for _, level in curves))
    n_columns = len(levels) if len(levels) > 1 else min(3, len(curves))
    n_rows = -(-len(curves) // n_columns)
    figure = make_figure(4.4 * n_columns, 2.9 * n_rows + 0.7)
    panels = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
    for panel, ((dataset, level), methods) in zip(panels, curves.items(), strict=False):
        _draw(panel, methods)
        panel.set(title=dataset if level is None else f"{dataset}, {level:.0%} wrong labels")
    for panel in panels[len(curves) :]:
        panel.remove()
    figure.supxlabel("number of columns")
    figure.supylabel("balanced error (%)")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
    return save_figure(figure, path, dpi=120)


def _draw(panel: Any, methods: dict[str, np.ndarray]) -> None:
    for (method, errors), colour in zip(methods.items(), COLOURS, strict=False):
        sizes = np.arange(1, errors.shape[1] + 1)
        half = 1.96 * errors.std(axis=0, ddof=1) / np.sqrt(len(errors)) if len(errors) > 1 else 0
        panel.errorbar(
            sizes, errors.mean(axis=0), yerr=half, label=method, color=colour, linewidth=1.3,
            elinewidth=0.7, capsize=2,
        )  # fmt: skip
    panel.xaxis.get_major_locator().set_params(integer=True)


def measure_chosen_neighbors_error(
    X: np.ndarray, codes: np.ndarray, X_test: np.ndarray, codes_test: np.ndarray, *, seed: int
) -> float:
    """Balanced error on the test rows, in percent, with the number that errs least in the folds.

    The smallest of equals is chosen, and of classes with equal votes the first.
    """
    folds = np.empty(len(X), dtype=np.intp)
    splitter = KFold(min(FOLDS, len(X)), shuffle=True, random_state=seed)
    for fold, (_, rows) in enumerate(splitter.split(X)):
        folds[rows] = fold
    largest = np.bincount(folds).max()
    numbers = NUMBERS[len(X) - largest >= NUMBERS]  # no fold has more rows to ask
    votes = codes[find_nearest_elsewhere(X, folds, int(numbers.max()), largest)]
    best = numbers[[compute_balanced_errors(codes, find_majorities(votes, numbers)).argmin()]]
    votes = codes[nearest_in(X, X_test, int(best[0]))[1]]
    return 100 * float(compute_balanced_errors(codes_test, find_majorities(votes, best))[0])


def find_nearest_elsewhere(X: np.ndarray, folds: np.ndarray, k: int, largest: int) -> np.ndarray:
    """The ``k`` nearest rows that are in another fold; the largest fold has ``largest`` rows."""
    # Of so many others, k are left when those of the row's own fold are taken away.
    found = nearest(X, k + largest - 1)
    elsewhere = folds[found] != folds[:, None]
    first = np.argsort(~elsewhere, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(found, first, axis=1)


def find_majorities(votes: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """The commonest class among the first votes of each row, (rows, numbers of votes)."""
    tally = np.cumsum(votes[..., None] == np.arange(votes.max() + 1), axis=1)
    return tally[:, numbers - 1].argmax(axis=2)


def compute_balanced_errors(codes: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """The mean over classes of the fraction of their rows that is wrong, for each column."""
    wrong = predicted != codes[:, None]
    return np.mean([wrong[codes == c].mean(axis=0) for c in np.unique(codes)], axis=0)


class FromLabels(BaseEstimator):
    """Select from the noisy labels, or, for comparison, from the clean ones."""

    def __init__(self, selector: Any, clean: bool = False) -> None:
        self.selector = selector
        self.clean = clean

    def fit(self, X: np.ndarray, labels: np.ndarray, classes: np.ndarray) -> Self:
        """Search; ``classes`` are the clean labels."""
        self.selector_ = clone(self.selector).fit(X, classes if self.clean else labels)
        return self


PUBLISHED = {
    "BW-C": FromLabels(PLAIN, clean=True),
    "BW-N": FromLabels(PLAIN),
    "LNT-BW": FromLabels(TOLERANT),
}


def measure_selection(
    cell: Cell, method: BaseEstimator, dataset: str, bench: Bench
) -> dict[str, float]:
    """Flip labels, select, and judge the subset of each size.

    Errors by size; the information of all columns, and the error rate found, if any.
    """
    # Of neither method nor noise level: all get the same rows, flips and jitter.
    seed = bench.seed_of(cell.dataset, cell.repetition)
    X, codes, _, _ = split_rows(dataset, bench.folder, seed)
    labels, _ = flip_labels(codes, cell.noise_level or 0.0, random_state=seed)
    selector = clone_with_one_seed(method, seed).fit(X, labels, codes).selector_
    rates = getattr(selector, "error_rates_", [np.nan])
    y = load_largest(dataset, bench.folder, N_CLASSES.get(dataset))[1]
    found = {
        "information": selector.scores_[max(selector.scores_)],
        "error_rate_percent": 100 * float(np.mean(rates)),
        "rows": len(y),
        "imbalance": imbalance(y),
    }
    # A column may be constant in the training rows, and is then in no subset but the last.
    path = selector.path_ | {X.shape[1]: np.arange(X.shape[1])}
    error = partial(compute_error, dataset, bench.folder, seed)
    return found | measure_errors(path, error, LARGEST)


def illustrate_lnt(results: list[dict[str, Any]], folder: Path) -> list[Path]:
    """Errors by size, and the example of sections 3.2 and 4.5."""
    every = (("LNT-BW", "BW-N"), ("LNT-BW", "BW-C"), ("LNT-BW, once", "LNT-BW"))
    measured = {result["method"] for result in results}
    pairs = [pair for pair in every if measured.issuperset(pair)]
    return [*write_sizes(results, folder, LARGEST, pairs), *write_example(folder)]


lnt_bw = Experiment(
    name="lnt-bw",
    title="Frénay and others 2014: feature selection that tolerates label noise",
    datasets=DATASETS,
    methods=PUBLISHED
    | {"LNT-BW, as printed": FromLabels(AS_PRINTED), "LNT-BW, once": FromLabels(ONCE)},
    noise_levels=(0.1, 0.2),
    repetitions=100,
    metrics=METRICS,
    measure=measure_selection,
    illustrate=illustrate_lnt,
    quick={"datasets": {"Iris": "iris", "Wine": "wine"}, "repetitions": 5},
)


class AfterCleaning(BaseEstimator):
    """Select from what a cleaner leaves of the rows."""

    def __init__(self, selector: Any, cleaner: Any) -> None:
        self.selector = selector
        self.cleaner = cleaner

    def fit(self, X: np.ndarray, labels: np.ndarray, classes: np.ndarray) -> Self:
        """Clean, then search."""
        X, labels = clone(self.cleaner).fit_resample(X, labels)
        self.selector_ = clone(self.selector).fit(X, labels)
        return self


class ByMemberships(BaseEstimator):
    """Select by memberships that are estimated once, with all columns."""

    def __init__(self, selector: Any, detector: Any) -> None:
        self.selector = selector
        self.detector = detector

    def fit(self, X: np.ndarray, labels: np.ndarray, classes: np.ndarray) -> Self:
        """Estimate memberships, then search."""
        memberships = clone(self.detector).fit(X, labels).memberships_
        self.selector_ = clone(self.selector).fit(X, labels, memberships=memberships)
        return self


class AfterAudit(BaseEstimator):
    """Select from the rows that an audit does not flag, or by its posterior of the classes."""

    def __init__(self, selector: Any, posterior: bool = False, random_state: Any = None) -> None:
        self.selector = selector
        self.posterior = posterior
        self.random_state = random_state

    def fit(self, X: np.ndarray, labels: np.ndarray, classes: np.ndarray) -> Self:
        """Audit, then search."""
        found = audit(X, labels, self_check=False, random_state=self.random_state)
        selector = clone(self.selector)
        if self.posterior:
            self.selector_ = selector.fit(X, labels, memberships=class_posterior(found))
        else:
            self.selector_ = selector.fit(X[~found.flagged], labels[~found.flagged])
        return self


CLEANED = {
    "cut edges, BW": AfterCleaning(PLAIN, Cleaner(CutEdgeFilter())),
    "memberships, BW": AfterCleaning(PLAIN, Cleaner(LabelNoiseMemberships())),
    "memberships once": ByMemberships(TOLERANT, LabelNoiseMemberships()),
    "audit, BW": AfterAudit(PLAIN),
    "audit's posterior": AfterAudit(TOLERANT, posterior=True),
}


def illustrate_cleaning(results: list[dict[str, Any]], folder: Path) -> list[Path]:
    """Errors by size, and where cleaning first is better or worse than tolerance."""
    return write_sizes(results, folder, LARGEST, [(name, "LNT-BW") for name in CLEANED])


lnt_cleaning = Experiment(
    name="lnt-cleaning",
    title="Feature selection that tolerates label noise, or that comes after cleaning",
    datasets={name: DATASETS[name] for name in ("Iris", "Wine", "Glass", "Vertebral")},
    methods=PUBLISHED | CLEANED,
    noise_levels=(0.2,),
    repetitions=20,
    metrics=METRICS,
    measure=measure_selection,
    illustrate=illustrate_cleaning,
    quick={"datasets": {"Iris": "iris"}, "repetitions": 2},
)


def split_rows(
    dataset: str, folder: Any, seed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Standardised rows and codes of their classes, to learn from and to test on."""
    X, y = load_largest(dataset, folder, N_CLASSES.get(dataset))
    X = StandardScaler().fit_transform(X)
    codes = np.unique(y, return_inverse=True)[1]
    rows = np.random.RandomState(seed).permutation(len(X))
    train, test = np.split(rows, [round(TRAINING * len(X))])
    return X[train], codes[train], X[test], codes[test]


# Methods often agree on a subset, and at the end on all columns: each is judged once.
@lru_cache(maxsize=200_000)
def compute_error(dataset: str, folder: Any, seed: int, columns: tuple[int, ...]) -> float:
    """Balanced error with these columns, in percent."""
    X, codes, X_test, codes_test = split_rows(dataset, folder, seed)
    wanted = list(columns)
    return measure_chosen_neighbors_error(
        X[:, wanted], codes, X_test[:, wanted], codes_test, seed=seed
    )


def clone_with_one_seed(method: BaseEstimator, seed: int) -> Any:
    """A clone all of whose parts have one seed: the jitter is the same with or without a filter."""
    copied = clone(method)
    states = [name for name in copied.get_params() if name.endswith("random_state")]
    return copied.set_params(**dict.fromkeys(states, draw_seed(seed)))


def measure_example(seed: int) -> tuple[float, float, float, float, float]:
    """Twenty rows of N(-1.5, 1) and of N(1.5, 1), one of the first labelled as the second.

    Information in nats from clean labels, with one wrong, and tolerant; both error rates.
    """
    y = np.repeat([0, 1], 20)
    x = np.random.RandomState(seed).normal(size=(40, 1)) + 3 * y[:, None] - 1.5
    labels = y.copy()
    labels[0] = 1  # rows are exchangeable
    noise = LabelNoiseMemberships(random_state=seed).fit(x, labels)
    clean = mutual_information(x, y)
    noisy = mutual_information(x, labels)
    tolerant = tolerant_mutual_information(x, noise.memberships_)
    first, second = map(float, noise.error_rates_)
    return clean, noisy, tolerant, first, second


def estimate_error_rate(dataset: str, level: float, seed: int) -> float:
    """The mean error rate of the classes that is found when this fraction of labels is wrong."""
    X, y = load_dataset(dataset, return_X_y=True)
    labels, _ = flip_labels(y, level, random_state=seed)
    return float(LabelNoiseMemberships(random_state=seed).fit(X, labels).error_rates_.mean())


def write_example(folder: Path, n_draws: int = DRAWS) -> list[Path]:
    """Both tables: example.md."""
    with warnings.catch_warnings():
        # Some draws overlap so much that a search ends early; they count like the others.
        warnings.simplefilter("ignore", ConvergenceWarning)
        tables = [_make_example_table(n_draws), _make_rates_table(max(2, n_draws // 10))]
    parts = [f"## {table.title}\n\n{to_markdown(table)}" for table in tables]
    return [write_page(folder / "example.md", "One wrong label, and many", *parts)]


def _make_example_table(n_draws: int) -> Table:
    draws = [measure_example(seed) for seed in range(n_draws)]
    columns = list(zip(*draws, strict=True))
    rows = [
        ["published, one draw", *PUBLISHED_EXAMPLE],
        ["mean", *(f"{fmean(column):.3f}" for column in columns)],
        ["standard deviation", *(f"{stdev(column):.3f}" for column in columns)],
    ]
    header = ["", "clean", "one label wrong", "tolerant", "p_e(0)", "p_e(1)"]
    return make_table(f"Forty rows of two Gaussians, {n_draws} draws (nats)", header, rows)


def _make_rates_table(n_draws: int) -> Table:
    def rates(name: str, level: float) -> list[float]:
        return [estimate_error_rate(name, level, seed) for seed in range(n_draws)]

    rows = [
        [name, *(f"{fmean(rates(name, level)):.1%}" for level in LEVELS)]
        for name in ("iris", "wine")
    ]
    header = ["set", *(f"{level:.0%} wrong" for level in LEVELS)]
    return make_table(f"Mean error rate that is found, {n_draws} draws", header, rows)
