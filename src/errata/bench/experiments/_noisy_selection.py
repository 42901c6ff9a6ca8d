"""Frénay, Doquire and Verleysen (2014): columns selected from noisy labels.

Figures 1 and 4 to 6: columns are selected from clean labels (BW-C), from noisy ones (BW-N), and
from noisy ones by the tolerant estimate (LNT-BW), on the eleven sets of table 1. The paper prints
no error rates; its claims are about the order of the three, and :func:`illustrate_lnt` tests it.
"LNT-BW, as printed" counts a row as its own neighbour, as the paper's algorithm does; "LNT-BW,
once" keeps the memberships of all columns along the path.

Beside the paper, the rows that a filter or an audit flags are removed before a plain search
(:data:`lnt_cleaning`), on the same splits and the same wrong labels.

All rows are standardised and shuffled, 70 % train, a fraction of their labels is flipped. Columns
are selected; a classifier of neighbours (:mod:`._chosen_neighbors`) is then trained and tested on
clean labels with the subset of each size, so that nothing but the selection is measured.

The paper prints the numbers of one draw of two Gaussian classes; here are the means of many. How
much of the noise is found in real sets, with more and more labels wrong, stands beside it.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from ..._files import atomic_path
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
from .._experiment import Bench, Cell, Experiment
from .._report import Table, to_markdown
from ._datasets import load_largest
from ._sizes import make_error_names, measure_chosen_neighbors_error, measure_errors, write_sizes

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
METRICS = ("information", "error_rate_percent", "rows", "imbalance", *make_error_names(LARGEST))

DRAWS = 200
PUBLISHED_EXAMPLE = ("0.63", "0.58", "0.61", "0.02", "0.00")
LEVELS = (0.1, 0.2, 0.3)


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


@dataclass(frozen=True)
class NoisySelection:
    """Flip labels, select, and judge the subset of each size."""

    n_classes: Mapping[str, int] = field(default_factory=dict)  # the largest ones; others have all

    def __call__(
        self, cell: Cell, method: BaseEstimator, dataset: str, bench: Bench
    ) -> dict[str, float]:
        """Errors by size; the information of all columns, and the error rate found, if any."""
        # Of neither method nor noise level: all get the same rows, flips and jitter.
        seed = bench.seed_of(cell.dataset, cell.repetition)
        source = DrawnSplit(dataset, bench.folder, self.n_classes.get(dataset), seed)
        X, codes, _, _ = source.split()
        labels, _ = flip_labels(codes, cell.noise_level or 0.0, random_state=seed)
        selector = clone_with_one_seed(method, seed).fit(X, labels, codes).selector_
        rates = getattr(selector, "error_rates_", [np.nan])
        y = load_largest(*source[:3])[1]
        found = {
            "information": selector.scores_[max(selector.scores_)],
            "error_rate_percent": 100 * float(np.mean(rates)),
            "rows": len(y),
            "imbalance": imbalance(y),
        }
        # A column may be constant in the training rows, and is then in no subset but the last.
        path = selector.path_ | {X.shape[1]: np.arange(X.shape[1])}
        return found | measure_errors(path, lambda of: compute_error(source, of), LARGEST)


MEASURE = NoisySelection({"ecoli": 5, "glass": 3, "yeast": 4})


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
    measure=MEASURE,
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
    measure=MEASURE,
    illustrate=illustrate_cleaning,
    quick={"datasets": {"Iris": "iris"}, "repetitions": 2},
)


class DrawnSplit(NamedTuple):
    """Which rows of which set are split, and how."""

    dataset: str
    folder: Any
    n_classes: int | None
    seed: int

    def split(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Standardised rows and codes of their classes, to learn from and to test on."""
        X, y = load_largest(*self[:3])
        X = StandardScaler().fit_transform(X)
        codes = np.unique(y, return_inverse=True)[1]
        rows = np.random.RandomState(self.seed).permutation(len(X))
        train, test = np.split(rows, [round(TRAINING * len(X))])
        return X[train], codes[train], X[test], codes[test]


# Methods often agree on a subset, and at the end on all columns: each is judged once.
@lru_cache(maxsize=200_000)
def compute_error(source: DrawnSplit, columns: tuple[int, ...]) -> float:
    """Balanced error with these columns, in percent."""
    X, codes, X_test, codes_test = source.split()
    wanted = list(columns)
    return measure_chosen_neighbors_error(
        X[:, wanted], codes, X_test[:, wanted], codes_test, seed=source.seed
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
        text = "\n\n".join(
            f"## {table.title}\n\n{to_markdown(table)}"
            for table in (_make_example_table(n_draws), _make_rates_table(max(2, n_draws // 10)))
        )
    path = folder / "example.md"
    with atomic_path(path) as temporary:
        temporary.write_text(f"# One wrong label, and many\n\n{text}\n", encoding="utf-8")
    return [path]


def _make_example_table(n_draws: int) -> Table:
    draws = [measure_example(seed) for seed in range(n_draws)]
    columns = list(zip(*draws, strict=True))
    rows = [
        ["published, one draw", *PUBLISHED_EXAMPLE],
        ["mean", *(f"{fmean(column):.3f}" for column in columns)],
        ["standard deviation", *(f"{stdev(column):.3f}" for column in columns)],
    ]
    header = ["", "clean", "one label wrong", "tolerant", "p_e(0)", "p_e(1)"]
    return Table(f"Forty rows of two Gaussians, {n_draws} draws (nats)", header, rows, names=1)


def _make_rates_table(n_draws: int) -> Table:
    def rates(name: str, level: float) -> list[float]:
        return [estimate_error_rate(name, level, seed) for seed in range(n_draws)]

    rows = [
        [name, *(f"{fmean(rates(name, level)):.1%}" for level in LEVELS)]
        for name in ("iris", "wine")
    ]
    header = ["set", *(f"{level:.0%} wrong" for level in LEVELS)]
    return Table(f"Mean error rate that is found, {n_draws} draws", header, rows, names=1)
