"""Results of a run beside published ones: for the terminal, in Markdown and in pictures."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table

from .._files import atomic_path
from .._format import plural
from ..stats import friedman_test, plot_critical_difference
from ..tables import write_table
from ._experiment import Cell, Experiment, Published

Key = tuple[str, float | None, str, str]
Comparison = dict[str, Any]  # what :func:`compare_with_published` gives of a number


class Report(NamedTuple):
    """A table for the terminal (None without published numbers), sentences, the files written."""

    summary: Any
    sentences: list[str]
    files: list[Path]


def write_comparison(experiment: Experiment, results: list[dict], out: str | Path) -> Report:
    """Compare results with the published numbers; write comparison.md and pictures.

    There is one picture per metric, and whatever the experiment illustrates itself. Pictures need
    the ``report`` extra; without it they are left out, and a sentence says so.
    """
    out = Path(out)
    files = [out / "results.csv", out / "manifest.json"]
    comparisons = (
        compare_with_published(results, experiment.published) if experiment.published else []
    )
    summary = None
    sentences = [f"{len(results)} measurements; none of them was published."]
    if comparisons:
        summary = make_summary_table(comparisons)
        sentences = [summarise(comparisons)]
        tables = [
            f"## {table.title}\n\n{to_markdown(table)}"
            for table in (summary, make_detail_table(comparisons))
        ]
        page = write_page(out / "comparison.md", experiment.title, *sentences, *tables)
        files.append(page)
    if experiment.tabulate:
        summary, sentences = experiment.tabulate(results)
        page = write_page(out / "comparison.md", experiment.title, *sentences, to_markdown(summary))
        files.append(page)
    files += _draw(experiment, results, comparisons, out)
    return Report(summary, sentences, files)


def _draw(
    experiment: Experiment, results: list[dict], comparisons: list[Comparison], out: Path
) -> list[Path]:
    files = []
    for metric, of_metric in group_by(comparisons, "metric").items():
        files.append(plot_comparison(of_metric, out / f"{metric}.png", title=experiment.title))
    return files + (experiment.illustrate(results, out) if experiment.illustrate else [])


def make_summary_table(comparisons: Sequence[Comparison]) -> Table:
    """Means over the data sets, one row per metric, noise level and method."""
    groups = group_by(comparisons, "metric", "noise_level", "method")
    rows = [
        [
            metric,
            _format_percent(level),
            method,
            str(len(group)),
            f"{fmean(c['ours'] for c in group):.2f}",
            f"{fmean(c['published'] for c in group):.2f}",
            f"{fmean(c['difference'] for c in group):+.2f}",
            _format_fraction_within(group),
        ]
        for (metric, level, method), group in groups.items()
    ]
    names = ["metric", "noise", "method"]
    header = [*names, "sets", "ours", "published", "difference", "within 2 se"]
    return make_table("Means over the data sets", header, rows, len(names))


def make_detail_table(comparisons: Sequence[Comparison]) -> Table:
    """Every published number beside ours."""
    rows = [
        [
            c["metric"],
            _format_percent(c["noise_level"]),
            c["dataset"],
            c["method"],
            _format_with_spread(c["ours"], c["ours_std"]),
            _format_with_spread(c["published"], c["published_std"]),
            f"{c['difference']:+.2f}",
            {True: "yes", False: "no", None: "?"}[c["within"]],
        ]
        for c in comparisons
    ]
    names = ["metric", "noise", "data set", "method"]
    header = [*names, "ours", "published", "difference", "within 2 se"]
    return make_table("Every number", header, rows, len(names))


def summarise(comparisons: Sequence[Comparison]) -> str:
    """How many numbers agree, and by how much each metric differs on the mean."""
    known = [c for c in comparisons if c["within"] is not None]
    close = sum(bool(c["within"]) for c in known)
    agree = (
        f"{close} of {len(known)} numbers lie within two standard errors of the published ones"
        if known
        else f"{plural(len(comparisons), 'number')} beside the published ones; one repetition has "
        "no spread, so it is not known which of them agree"
    )
    means = {
        metric: f"{fmean(c['difference'] for c in group):+.2f}"
        for metric, group in group_by(comparisons, "metric").items()
    }
    if len(means) == 1:
        return f"{agree}; the mean difference is {next(iter(means.values()))}."
    listed = ", ".join(f"{metric} {mean}" for metric, mean in means.items())
    return f"{agree}; the mean differences are: {listed}."


def make_table(
    title: str, header: Sequence[str], rows: Iterable[Sequence[str]], names: int = 1
) -> Table:
    """A table of text; the first ``names`` columns are names, the rest numbers, to the right."""
    table = Table(title=title, title_justify="left")
    for place, name in enumerate(header):
        table.add_column(name, justify="left" if place < names else "right")
    for row in rows:
        table.add_row(*row)
    return table


def to_markdown(table: Table) -> str:
    """A table in Markdown."""
    columns = [
        [str(column.header), "---" if column.justify == "left" else "---:", *column.cells]
        for column in table.columns
    ]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |"
        for row in zip(*columns, strict=True)
    )


def write_page(path: Path, title: str, *parts: str) -> Path:
    """Write a page of Markdown: a title, and texts and tables below it."""
    with atomic_path(path) as temporary:
        temporary.write_text("\n\n".join([f"# {title}", *parts]) + "\n", encoding="utf-8")
    return path


def plot_comparison(comparisons: Sequence[Comparison], path: Path, *, title: str = "") -> Path:
    """One metric, ours against published, a panel per method; on the diagonal both agree."""
    methods = group_by(comparisons, "method")
    columns = min(len(methods), 3)
    lines = -(-len(methods) // columns)
    figure = make_figure(3.4 * columns + 1, 3.4 * lines + 0.6)
    axes = figure.subplots(lines, columns, squeeze=False, sharex=True, sharey=True)
    low = min(min(c["ours"], c["published"]) for c in comparisons)
    high = max(max(c["ours"], c["published"]) for c in comparisons)
    for axis, (method, group) in zip(axes.flat, methods.items(), strict=False):
        axis.axline((low, low), slope=1, color="0.7", linewidth=1, zorder=0)
        points = _draw_points(axis, group)
        axis.set(title=method, xlim=_widen(low, high), ylim=_widen(low, high), aspect="equal")
    for axis in list(axes.flat)[len(methods) :]:
        axis.set_axis_off()
    metric = comparisons[0]["metric"].replace("_", " ")
    figure.supxlabel(f"published {metric}")
    figure.supylabel(f"our {metric} (bars: two standard errors)", fontsize="medium")
    if title:
        figure.suptitle(title)
    if len({c["noise_level"] for c in comparisons}) > 1:
        figure.colorbar(points, ax=axes, label="noise level")
    return save_figure(figure, path, dpi=150)


def _draw_points(axis: Any, group: Sequence[Comparison]) -> Any:
    published = [c["published"] for c in group]
    ours = [c["ours"] for c in group]
    errors = [2 * (c["standard_error"] or 0.0) for c in group]
    axis.errorbar(published, ours, yerr=errors, fmt="none", color="0.6", linewidth=0.8, zorder=1)
    levels = [c["noise_level"] or 0.0 for c in group]
    # The colour bar is that of the last panel: up to 0.5, the highest level published, all panels
    # have one scale, whichever levels each of them holds.
    colours = {"c": levels, "cmap": "viridis", "vmin": 0, "vmax": max(max(levels), 0.5)}
    return axis.scatter(published, ours, s=18, zorder=2, **colours)


def _widen(low: float, high: float) -> tuple[float, float]:
    margin = 0.05 * (high - low) or 1.0  # a single number has no range
    return low - margin, high + margin


def _format_percent(level: float | None) -> str:
    return "-" if level is None else f"{100 * level:g}%"


def _format_with_spread(mean: float, std: float | None) -> str:
    return f"{mean:.2f}" if std is None else f"{mean:.2f} ± {std:.2f}"


def _format_fraction_within(group: Sequence[Comparison]) -> str:
    known = [c for c in group if c["within"] is not None]
    return f"{sum(bool(c['within']) for c in known)}/{len(known)}" if known else "?"


def compare_with_published(
    results: Iterable[dict[str, Any]], published: Published
) -> list[Comparison]:
    """Put the mean of our repetitions beside the published number, wherever both exist.

    A row each, with None where a spread is unknown, or what follows from it. ``within`` tells
    whether the difference is at most two standard errors: the error of our mean and of theirs.
    Where no spread was published, ours stands in for it. Where the table says by how much a printed
    number may be rounded, that much is added.

    Examples
    --------
    >>> from errata.bench._report import compare_with_published
    >>> from errata.bench import Published
    >>> results = [
    ...     {"dataset": "pima", "noise_level": 0.0, "method": "Bagging", "repetition": i,
    ...      "accuracy_percent": accuracy}
    ...     for i, accuracy in enumerate([76.5, 77.1, 76.2])
    ... ]
    >>> published = Published("walmsley_2017_accuracy", repetitions=10)
    >>> row = compare_with_published(results, published)[0]
    >>> row["published"], round(row["ours"], 2), round(row["difference"], 2), row["within"]
    (76.93, 76.6, -0.33, True)
    """
    values = _group_by_cell(results)
    rows = []
    for row in published.rows():
        key = (row["dataset"], row.get("noise_level"), row["method"], row["metric"])
        if key in values:
            # What must have been meant, where the paper misprints a number.
            corrected = row.get("mean_corrected")
            theirs = row["mean"] if corrected is None else corrected
            spread = row.get("std")
            rounding = row.get("rounding") or 0.0
            rows.append(
                _compare_cell(key, values[key], theirs, spread, published.repetitions, rounding)
            )
    return rows


def _group_by_cell(results: Iterable[dict[str, Any]]) -> dict[Key, list[float]]:
    values = defaultdict(list)
    for row in results:
        # Results keep the order of the columns of their file: the cell, then the metrics.
        for metric in list(row)[len(Cell._fields) :]:
            key = (row["dataset"], row["noise_level"], row["method"], metric)
            values[key].append(row[metric])
    return values


def _compare_cell(
    key: Key,
    values: list[float],
    theirs: float,
    their_std: float | None,
    their_n: int,
    rounding: float,
) -> Comparison:
    ours = fmean(values)
    n = len(values)
    difference = ours - theirs
    our_std = stdev(values) if n > 1 else None
    # One repetition has no spread, and nothing is claimed.
    error = None
    within = None
    if our_std is not None:
        spread = our_std if their_std is None else their_std
        error = (our_std**2 / n + spread**2 / their_n) ** 0.5
        within = abs(difference) <= 2 * error + rounding
    return {
        **dict(zip(("dataset", "noise_level", "method", "metric"), key, strict=True)),
        "ours": ours,
        "ours_std": our_std,
        "published": theirs,
        "published_std": their_std,
        "difference": difference,
        "standard_error": error,
        "within": within,
    }


def illustrate_ranks(results: list[dict[str, Any]], folder: Path, *, metric: str) -> list[Path]:
    """Friedman's test and a critical-difference diagram for each noise level.

    Writes friedman.csv and one ranks-LEVEL.png each; the higher the metric, the better. Levels with
    fewer than three methods or two data sets are left out: there is nothing to rank.
    """
    tables = _make_tables(results, metric)
    if not tables:
        return []
    files = [folder / "friedman.csv"]
    rows = [_describe_friedman(level, *table) for level, table in tables.items()]
    write_table(files[0], {name: [row[name] for row in rows] for name in rows[0]})
    for level, (methods, scores) in tables.items():
        files.append(folder / f"ranks-{level}.png")
        _draw_ranks(scores, methods, files[-1])
    return files


def _describe_friedman(
    level: float | None, methods: list[str], scores: np.ndarray
) -> dict[str, Any]:
    test = friedman_test(scores)
    ranks = {f"rank of {m}": float(r) for m, r in zip(methods, test.average_ranks, strict=True)}
    return {"noise_level": level, "statistic": test.statistic, "p_value": test.p_value} | ranks


def _make_tables(
    results: list[dict[str, Any]], metric: str
) -> dict[Any, tuple[list[str], np.ndarray]]:
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


def _draw_ranks(scores: np.ndarray, methods: list[str], path: Path) -> None:
    import matplotlib.pyplot

    axis = plot_critical_difference(scores, names=methods)
    save_figure(axis.figure, path, dpi=150)
    # The diagram is made by pyplot, which keeps its figures until they are closed.
    matplotlib.pyplot.close(axis.figure)


def make_figure(width: float, height: float) -> Any:
    """A figure of this size in inches, whose parts make room for each other."""
    import matplotlib.figure

    figure = matplotlib.figure.Figure
    return figure((width, height), layout="constrained")


def save_figure(figure: Any, path: Path, *, dpi: int) -> Path:
    """Write a figure as PNG."""
    with atomic_path(path) as temporary:
        figure.savefig(temporary, dpi=dpi, format="png")
    return path


def group_by(results: Iterable[dict[str, Any]], *columns: str) -> dict[Any, list[dict[str, Any]]]:
    """Rows of the results with the same values in these columns; by the value itself if in one."""
    groups: dict[Any, list[dict[str, Any]]] = defaultdict(list)
    for row in results:
        key = tuple(row[name] for name in columns)
        groups[key if len(columns) > 1 else key[0]].append(row)
    return groups
