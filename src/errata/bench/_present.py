"""The comparison for people: in the terminal, in Markdown, in a picture."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from rich.table import Table as RichTable

from ._beside_published import BesidePublished
from ._figure import new_figure


class Table(NamedTuple):
    """Text cells under a header; the first ``names`` columns are names, the rest numbers."""

    title: str
    header: list[str]
    rows: list[list[str]]
    names: int


def summary_table(comparisons: Sequence[BesidePublished]) -> Table:
    """Means over the data sets, one row per metric, noise level and method."""
    groups = defaultdict(list)
    for row in comparisons:
        groups[row.metric, row.noise_level, row.method].append(row)
    rows = [
        [
            metric,
            _percent(level),
            method,
            str(len(group)),
            f"{fmean(c.ours for c in group):.2f}",
            f"{fmean(c.published for c in group):.2f}",
            f"{fmean(c.difference for c in group):+.2f}",
            _fraction_within(group),
        ]
        for (metric, level, method), group in groups.items()
    ]
    names = ["metric", "noise", "method"]
    header = [*names, "sets", "ours", "published", "difference", "within 2 se"]
    return Table("Means over the data sets", header, rows, len(names))


def detail_table(comparisons: Sequence[BesidePublished]) -> Table:
    """Every published number beside ours."""
    rows = [
        [
            c.metric,
            _percent(c.noise_level),
            c.dataset,
            c.method,
            _with_spread(c.ours, c.ours_std),
            _with_spread(c.published, c.published_std),
            f"{c.difference:+.2f}",
            {True: "yes", False: "no", None: "?"}[c.within],
        ]
        for c in comparisons
    ]
    header = [
        "metric",
        "noise",
        "data set",
        "method",
        "ours",
        "published",
        "difference",
        "within 2 se",
    ]
    return Table("Every number", header, rows, names=4)


def sentence(comparisons: Sequence[BesidePublished]) -> str:
    """One sentence about all of them."""
    known = [c for c in comparisons if c.within is not None]
    close = sum(bool(c.within) for c in known)
    mean = fmean(c.difference for c in comparisons)
    return (
        f"{close} of {len(known)} numbers lie within two standard errors of the published ones; "
        f"the mean difference is {mean:+.2f}."
    )


def to_markdown(table: Table) -> str:
    """A table in Markdown, numbers to the right."""
    line = ["---"] * table.names + ["---:"] * (len(table.header) - table.names)
    return "\n".join(
        "| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |"
        for row in [table.header, line, *table.rows]
    )


def to_rich(table: Table) -> Any:
    """A table for the terminal."""
    rich_table = RichTable(title=table.title, title_justify="left")
    for place, name in enumerate(table.header):
        rich_table.add_column(name, justify="left" if place < table.names else "right")
    for row in table.rows:
        rich_table.add_row(*row)
    return rich_table


def plot_comparison(comparisons: Sequence[BesidePublished], path: Path, *, title: str = "") -> None:
    """One metric, ours against published, a panel per method; on the diagonal both agree."""
    methods = list(dict.fromkeys(c.method for c in comparisons))
    columns = min(len(methods), 3)
    lines = -(-len(methods) // columns)
    figure = new_figure(3.4 * columns + 1, 3.4 * lines + 0.6)
    axes = figure.subplots(lines, columns, squeeze=False, sharex=True, sharey=True)
    low = min(min(c.ours, c.published) for c in comparisons)
    high = max(max(c.ours, c.published) for c in comparisons)
    for axis, method in zip(axes.flat, methods, strict=False):
        axis.axline((low, low), slope=1, color="0.7", linewidth=1, zorder=0)
        points = _draw_points(axis, [c for c in comparisons if c.method == method])
        axis.set(title=method, xlim=_wider(low, high), ylim=_wider(low, high), aspect="equal")
    for axis in list(axes.flat)[len(methods) :]:
        axis.set_axis_off()
    metric = comparisons[0].metric.replace("_", " ")
    figure.supxlabel(f"published {metric}")
    figure.supylabel(f"our {metric} (bars: two standard errors)", fontsize="medium")
    if title:
        figure.suptitle(title)
    if len({c.noise_level for c in comparisons}) > 1:
        figure.colorbar(points, ax=axes, label="noise level")
    figure.savefig(path, dpi=150)


def _draw_points(axis: Any, group: Sequence[BesidePublished]) -> Any:
    published, ours = [c.published for c in group], [c.ours for c in group]
    errors = [2 * (c.standard_error or 0.0) for c in group]
    axis.errorbar(published, ours, yerr=errors, fmt="none", color="0.6", linewidth=0.8, zorder=1)
    levels = [c.noise_level or 0.0 for c in group]
    # The colour bar is that of the last panel: up to 0.5, the highest level published, all panels
    # have one scale, whichever levels each of them holds.
    return axis.scatter(
        published,
        ours,
        c=levels,
        cmap="viridis",
        vmin=0,
        vmax=max(max(levels), 0.5),
        s=18,
        zorder=2,
    )


def _wider(low: float, high: float) -> tuple[float, float]:
    margin = 0.05 * (high - low) or 1.0  # a single number has no range
    return low - margin, high + margin


def _percent(level: float | None) -> str:
    return "-" if level is None else f"{100 * level:g}%"


def _with_spread(mean: float, std: float | None) -> str:
    return f"{mean:.2f}" if std is None else f"{mean:.2f} ± {std:.2f}"


def _fraction_within(group: Sequence[BesidePublished]) -> str:
    known = [c for c in group if c.within is not None]
    return f"{sum(bool(c.within) for c in known)}/{len(known)}" if known else "?"
