"""The filters of the survey of Frénay and Verleysen (2014) on four sets, in one table.

The survey tells filters apart by what they do wrong, and prints no numbers of its own: right labels
removed (er1), wrong ones kept (er2), and the precision of what is removed (nep). Here every filter
runs with its defaults on standardised features, once with labels wrong completely at random and
once near the border between classes, for a class that is probable there.
"""

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.preprocessing import StandardScaler

from ... import filters
from ..._random import clone_with_seed
from ...hardness import NeighborDisagreement
from ...metrics import filter_report
from ...noise import boundary_flip_proba, flip_labels, reference_proba
from .._experiment import Bench, Cell, Experiment
from .._report import group_by, make_table, to_markdown, write_page

LOADERS = {
    "iris": load_iris,
    "wine": load_wine,
    "breast cancer": load_breast_cancer,
    "digits": load_digits,
}
ROWS = 500  # of each set at most, the first ones
RATES = ("er1", "er2", "nep", "ap")
METRICS = (*RATES, *(f"border_{name}" for name in RATES))


def measure_filter(cell: Cell, method: BaseEstimator, _: None, bench: Bench) -> dict[str, float]:
    """Errors of a filter for both kinds of noise; NaN near borders where too few rows are near."""
    seed = bench.seed_of(cell.dataset, cell.repetition)
    X, y = LOADERS[cell.dataset](return_X_y=True)
    X = StandardScaler().fit_transform(X[:ROWS])
    y = y[:ROWS]
    level = cell.noise_level or 0.0
    filter_ = clone_with_seed(method, bench.seed_of(*cell))
    at_random = flip_labels(y, level, exact=False, random_state=seed)
    found = _compute_rates(filter_, X, *at_random)
    try:
        proba = reference_proba(X, y, random_state=seed)
        flip_proba = boundary_flip_proba(proba, level)
        near = flip_labels(y, flip_proba=flip_proba, target=proba, random_state=seed)
    except ValueError:  # no rate so large is to be had there
        return found | {f"border_{name}": float("nan") for name in RATES}
    return found | {f"border_{name}": v for name, v in _compute_rates(filter_, X, *near).items()}


def _compute_rates(
    filter_: Any, X: np.ndarray, labels: np.ndarray, flipped: np.ndarray
) -> dict[str, float]:
    fitted = filter_.fit(X, labels)
    report = filter_report(flipped, fitted.flagged_)
    precision = average_precision_score(flipped, fitted.suspicion_) if flipped.any() else np.nan
    return {name: report[name] for name in RATES[:-1]} | {"ap": float(precision)}


def write_table_of_filters(results: list[dict[str, Any]], folder: Path) -> list[Path]:
    """Means over sets and repetitions, a row for each filter: survey.md."""
    groups = group_by(results, "method", "noise_level")
    levels = sorted({row["noise_level"] for row in results})
    header = ["filter", *(f"random {x:.0%}" for x in levels), *(f"border {x:.0%}" for x in levels)]
    rows = [
        [
            name,
            *(_compute_means(groups[name, x]) for x in levels),
            *(_compute_means(groups[name, x], "border_") for x in levels),
        ]
        for name in group_by(results, "method")
    ]
    text = "er1 / er2 / nep / average precision, means over the sets"
    table = to_markdown(make_table("", header, rows))
    return [write_page(folder / "survey.md", "Filters of the survey", text, table)]


def _compute_means(rows: list[dict[str, Any]], prefix: str = "") -> str:
    values = np.array([[row[prefix + name] for name in RATES] for row in rows])
    if np.isnan(values).all(axis=0).any():
        return "-"
    return " / ".join(f"{mean:.2f}" for mean in np.nanmean(values, axis=0))


survey = Experiment(
    name="survey",
    title="Frénay and Verleysen 2014: the filters of the label-noise survey",
    datasets=dict.fromkeys(LOADERS),
    methods={
        "cross-validation, forest": filters.CrossValFilter(),
        "cross-validation, logistic": filters.CrossValFilter(LogisticRegression(max_iter=1_000)),
        "voting, majority": filters.VotingFilter(),
        "voting, consensus": filters.VotingFilter(vote="consensus"),
        "bagging": filters.BaggingFilter(),
        "partition": filters.PartitionFilter(),
        "edited neighbours": filters.EditedNeighborsFilter(),
        "repeated edited": filters.RepeatedEditedFilter(),
        "all k neighbours": filters.AllNeighborsFilter(),
        "disagreeing neighbours": NeighborDisagreement(n_neighbors=10),
        "generalised edition": filters.GeneralizedEditionFilter(),
        "cut edges": filters.CutEdgeFilter(),
        "boosting edge": filters.BoostEdgeFilter(),
        "boosting weight": filters.BoostWeightFilter(),
        "margin peeler": filters.MarginPeeler(),
    },
    noise_levels=(0.1, 0.3),
    repetitions=8,
    metrics=METRICS,
    measure=measure_filter,
    illustrate=write_table_of_filters,
    quick={"datasets": dict.fromkeys(("iris", "wine")), "repetitions": 1},
)
