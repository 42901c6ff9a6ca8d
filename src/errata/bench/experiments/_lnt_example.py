"""Frénay and others (2014), sections 3.2 and 4.5: one wrong label among forty, and many more.

The paper prints the numbers of one draw of two Gaussian classes; here are the means of many. How
much of the noise is found in real sets, with more and more labels wrong, stands beside it.
"""

import warnings
from pathlib import Path
from statistics import fmean, stdev
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..._files import atomic_path
from ...datasets import load_dataset
from ...feature_selection import LabelNoiseMemberships, mutual_information
from ...feature_selection.label_noise import tolerant_mutual_information
from ...noise import flip_labels
from .._present import Table, to_markdown

DRAWS = 200
PUBLISHED = ("0.63", "0.58", "0.61", "0.02", "0.00")
LEVELS = (0.1, 0.2, 0.3)


class Example(NamedTuple):
    """Information in nats from clean labels, with one wrong, and tolerant; both error rates."""

    clean: float
    noisy: float
    tolerant: float
    error_rate_0: float
    error_rate_1: float


def measure_example(seed: int) -> Example:
    """Twenty rows of N(-1.5, 1) and of N(1.5, 1), one of the first labelled as the second."""
    y = np.repeat([0, 1], 20)
    x = np.random.RandomState(seed).normal(size=(40, 1)) + 3 * y[:, None] - 1.5
    labels = y.copy()
    labels[0] = 1  # rows are exchangeable
    noise = LabelNoiseMemberships(random_state=seed).fit(x, labels)
    return Example(
        mutual_information(x, y),
        mutual_information(x, labels),
        tolerant_mutual_information(x, noise.memberships_),
        *map(float, noise.error_rates_),
    )


def found_error_rate(dataset: str, level: float, seed: int) -> float:
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
            for table in (_example_table(n_draws), _rates_table(max(2, n_draws // 10)))
        )
    path = folder / "example.md"
    with atomic_path(path) as temporary:
        temporary.write_text(f"# One wrong label, and many\n\n{text}\n", encoding="utf-8")
    return [path]


def _example_table(n_draws: int) -> Table:
    draws = [measure_example(seed) for seed in range(n_draws)]
    columns = list(zip(*draws, strict=True))
    rows = [
        ["published, one draw", *PUBLISHED],
        ["mean", *(f"{fmean(column):.3f}" for column in columns)],
        ["standard deviation", *(f"{stdev(column):.3f}" for column in columns)],
    ]
    header = ["", "clean", "one label wrong", "tolerant", "p_e(0)", "p_e(1)"]
    return Table(f"Forty rows of two Gaussians, {n_draws} draws (nats)", header, rows, names=1)


def _rates_table(n_draws: int) -> Table:
    rows = [
        [name, *(_mean_rate(name, level, n_draws) for level in LEVELS)] for name in ("iris", "wine")
    ]
    header = ["set", *(f"{level:.0%} wrong" for level in LEVELS)]
    return Table(f"Mean error rate that is found, {n_draws} draws", header, rows, names=1)


def _mean_rate(dataset: str, level: float, n_draws: int) -> str:
    return f"{fmean(found_error_rate(dataset, level, seed) for seed in range(n_draws)):.1%}"
