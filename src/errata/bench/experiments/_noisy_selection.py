"""Select columns from noisy labels, judge them by clean ones: the protocol of Frénay and others.

All rows are standardised and shuffled, 70 % train, a fraction of their labels is flipped. Columns
are selected; a classifier of neighbours (:mod:`._chosen_neighbors`) is then trained and tested on
clean labels with the subset of each size, so that nothing but the selection is measured.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.preprocessing import StandardScaler

from ..._random import draw_seed
from ...auditing import audit
from ...auditing._class_posterior import class_posterior
from ...feature_selection.information import imbalance
from ...noise import flip_labels
from .._experiment import Bench, Cell
from ._chosen_neighbors import chosen_neighbors_error
from ._largest_classes import load_largest
from ._sizes import error_names, errors_on

TRAINING = 0.7
LARGEST = 40  # columns, of Waveform
METRICS = ("information", "error_rate_percent", "rows", "imbalance", *error_names(LARGEST))


class FromLabels(BaseEstimator):
    """Select from the noisy labels, or, for comparison, from the clean ones."""

    def __init__(self, selector: Any, clean: bool = False) -> None:
        self.selector = selector
        self.clean = clean

    def fit(self, X: np.ndarray, labels: np.ndarray, classes: np.ndarray) -> Self:
        """Search; ``classes`` are the clean labels."""
        self.selector_ = clone(self.selector).fit(X, classes if self.clean else labels)
        return self


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


class SplitRows(NamedTuple):
    """Standardised rows; classes as codes."""

    X: np.ndarray
    codes: np.ndarray
    X_test: np.ndarray
    codes_test: np.ndarray


class DrawnSplit(NamedTuple):
    """Which rows of which set are split, and how."""

    dataset: str
    folder: Any
    n_classes: int | None
    seed: int

    def split(self) -> SplitRows:
        """Shuffle, and cut in two."""
        X, y = load_largest(*self[:3])
        X, codes = StandardScaler().fit_transform(X), np.unique(y, return_inverse=True)[1]
        rows = np.random.RandomState(self.seed).permutation(len(X))
        train, test = np.split(rows, [round(TRAINING * len(X))])
        return SplitRows(X[train], codes[train], X[test], codes[test])


# Methods often agree on a subset, and at the end on all columns: each is judged once.
@lru_cache(maxsize=200_000)
def error_of(source: DrawnSplit, columns: tuple[int, ...]) -> float:
    """Balanced error with these columns, in percent."""
    X, codes, X_test, codes_test = source.split()
    wanted = list(columns)
    return chosen_neighbors_error(
        X[:, wanted], codes, X_test[:, wanted], codes_test, seed=source.seed
    )


def with_one_seed(method: BaseEstimator, seed: int) -> Any:
    """A clone all of whose parts have one seed: the jitter is the same with or without a filter."""
    copied = clone(method)
    states = [name for name in copied.get_params() if name.endswith("random_state")]
    return copied.set_params(**dict.fromkeys(states, draw_seed(seed)))


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
        split = source.split()
        labels, _ = flip_labels(split.codes, cell.noise_level or 0.0, random_state=seed)
        selector = with_one_seed(method, seed).fit(split.X, labels, split.codes).selector_
        rates = getattr(selector, "error_rates_", [np.nan])
        y = load_largest(*source[:3])[1]
        found = {
            "information": selector.scores_[max(selector.scores_)],
            "error_rate_percent": 100 * float(np.mean(rates)),
            "rows": len(y),
            "imbalance": imbalance(y),
        }
        # A column may be constant in the training rows, and is then in no subset but the last.
        path = selector.path_ | {split.X.shape[1]: np.arange(split.X.shape[1])}
        return found | errors_on(path, lambda of: error_of(source, of), LARGEST)
