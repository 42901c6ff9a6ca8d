"""Ranks of the methods over the data sets, and whether their differences are real."""

from collections import defaultdict
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from .._files import atomic_path
from .._optional import require
from ..stats import friedman_test, plot_critical_difference
from ..tables import write_table


def illustrate_ranks(results: list[dict[str, Any]], folder: Path, *, metric: str) -> list[Path]:
    """Friedman's test and a critical-difference diagram for each noise level.

    Writes friedman.csv and one ranks-LEVEL.png each; the higher the metric, the better. Levels with
    fewer than three methods or two data sets are left out: there is nothing to rank.
    """
    tables = _tables(results, metric)
    if not tables:
        return []
    files = [folder / "friedman.csv"]
    rows = [_friedman(level, *table) for level, table in tables.items()]
    write_table(files[0], {name: [row[name] for row in rows] for name in rows[0]})
    for level, (methods, scores) in tables.items():
        files.append(folder / f"ranks-{level}.png")
        _draw(scores, methods, files[-1])
    return files


def _friedman(level: float | None, methods: list[str], scores: np.ndarray) -> dict[str, Any]:
    test = friedman_test(scores)
    ranks = {f"rank of {m}": float(r) for m, r in zip(methods, test.average_ranks, strict=True)}
    return {"noise_level": level, "statistic": test.statistic, "p_value": test.p_value} | ranks


def _tables(results: list[dict[str, Any]], metric: str) -> dict[Any, tuple[list[str], np.ndarray]]:
    """For each noise level the methods, and their mean scores with one row per data set."""
    values: dict[Any, dict] = defaultdict(lambda: defaultdict(list))
    for row in results:
        values[row["noise_level"]][row["dataset"], row["method"]].append(row[metric])
    tables = {}
    for level, cells in values.items():
        datasets = list(dict.fromkeys(dataset for dataset, _ in cells))
        methods = list(dict.fromkeys(method for _, method in cells))
        # What friedman_test asks for: fewer have nothing to rank.
        if len(methods) > 2 and len(datasets) > 1:
            scores = [[fmean(cells[d, m]) for m in methods] for d in datasets]
            tables[level] = methods, np.array(scores)
    return tables


def _draw(scores: np.ndarray, methods: list[str], path: Path) -> None:
    axis = plot_critical_difference(scores, names=methods)
    with atomic_path(path) as temporary:
        axis.figure.savefig(temporary, dpi=150)
    # The diagram is made by pyplot, which keeps its figures until they are closed.
    require("matplotlib.pyplot", extra="report").close(axis.figure)
