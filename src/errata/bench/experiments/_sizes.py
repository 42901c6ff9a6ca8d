"""Errors by the number of columns, as the papers judge them: tables, tests at each size, curves.

Ten folds of the training rows choose it by the balanced error. One search serves all folds and all
numbers, a second one the test rows.
"""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import KFold

from ..._files import atomic_path
from ..._neighbors import nearest, nearest_in
from ...stats import wilcoxon_holm
from ...stats._tests import correct_by_holm
from .._report import Table, make_figure, to_markdown

SIGNIFICANCE = 0.05
COLOURS = ("#000000", "#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#999999")

Curves = dict[tuple[str, float | None], dict[str, np.ndarray]]

NUMBERS = np.array([*range(1, 11), *range(12, 21, 2), *range(25, 51, 5)])
FOLDS = 10


def make_error_names(n_sizes: int) -> tuple[str, ...]:
    """Names of the metrics: the error with one column, with two, ..."""
    return tuple(f"error_of_{size}" for size in range(1, n_sizes + 1))


def measure_errors(path: dict[int, np.ndarray], error: Any, n_sizes: int) -> dict[str, float]:
    """What ``error(columns)`` says of the subset of each size; NaN for sizes there are none of."""
    return {
        name: error(tuple(map(int, path[size]))) if size in path else np.nan
        for size, name in enumerate(make_error_names(n_sizes), start=1)
    }


def collect_size_curves(results: list[dict[str, Any]], n_sizes: int) -> Curves:
    """Errors (repetitions, sizes) of each method, for each data set and noise level.

    Only of repetitions that all methods have: those of a run that goes on are compared alike.
    """
    found: dict[Any, dict] = defaultdict(lambda: defaultdict(dict))
    for row in results:
        errors = np.array([row[name] for name in make_error_names(n_sizes)])
        found[row["dataset"], row["noise_level"]][row["method"]][row["repetition"]] = errors
    return {key: _align(methods) for key, methods in found.items()}


def _align(methods: dict[str, dict[int, np.ndarray]]) -> dict[str, np.ndarray]:
    shared = sorted(set.intersection(*(set(of) for of in methods.values())))
    curves = {method: np.array([of[i] for i in shared]) for method, of in methods.items()}
    reached = ~np.isnan(next(iter(curves.values()))).any(axis=0)
    return {method: curve[:, reached] for method, curve in curves.items()}


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
    path = folder / "sizes.md"
    with atomic_path(path) as temporary:
        temporary.write_text(f"# {table.title}\n\n{to_markdown(table)}\n", encoding="utf-8")
    return [path, plot_sizes(curves, folder / "sizes.png")]


def make_table_of_means(curves: Curves, pairs: Sequence[tuple[str, str]]) -> Table:
    """Errors averaged over all sizes but the last, and the sizes at which methods differ."""
    methods = list(dict.fromkeys(method for of in curves.values() for method in of))
    names = ["data set", "noise"]
    header = [*names, "runs", *methods, *(f"{a} better / worse than {b}" for a, b in pairs)]
    rows = [
        [dataset, "-" if level is None else f"{level:.0%}", str(len(next(iter(of.values()))))]
        + [_format_mean(of[method]) for method in methods]
        + [" / ".join(map(format_ranges, compare_sizes(of[a], of[b]))) for a, b in pairs]
        for (dataset, level), of in curves.items()
    ]
    return Table("Balanced error in percent, mean over sizes 1 to p - 1", header, rows, len(names))


def _format_mean(errors: np.ndarray) -> str:
    return f"{errors[:, : max(1, errors.shape[1] - 1)].mean():.1f}"


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
    figure.savefig(path, dpi=120)
    return path


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
