"""Lay out a critical-difference diagram and draw it: geometry and ink, no statistics."""

from typing import Any, NamedTuple

import numpy as np

from .._optional import require

INK = "black"
STEM = "0.45"
BAR = "#0072B2"  # Okabe and Ito's blue: told from black by every kind of eye, dark grey in print

ARM = 12.0  # points between the end of the line of ranks and the names
GAP = 5.0  # points between a line and the text beside it
PADDING = 6.0  # points that constrained layout keeps free, both sides together
OVERHANG = 3.0  # points by which a bar sticks out, so that tied methods have a visible one too


class Layout(NamedTuple):
    """Where everything goes: average ranks across, points (1/72 inch) downwards."""

    ranks: np.ndarray  # in increasing order, as are the labels and groups that go with them
    labels: list[str]
    groups: list[tuple[int, ...]]
    levels: list[int]  # at which level each group has its bar
    n_left: int  # how many methods have their names on the left: the better half
    cd: float | None
    line: float  # points from one line of text to the next
    point: float  # width of a point, in ranks

    @property
    def axis(self) -> float:
        """Where the line of ranks lies, below its title and perhaps the critical difference."""
        return (2.2 if self.cd is None else 3.9) * self.line

    def bar(self, level: int) -> float:
        """Where the bars of a level lie."""
        return self.axis + (0.7 + 0.5 * level) * self.line

    def row(self, i: int) -> float:
        """Where the i-th row of names lies, below all bars."""
        return self.bar(max(self.levels, default=-1)) + (1.1 + i) * self.line

    @property
    def height(self) -> float:
        """Points from top to bottom."""
        return self.row(self.n_left - 1) + 0.7 * self.line


def draw(
    ax: Any, ranks: np.ndarray, names: list[str], groups: list[tuple[int, ...]], cd: float | None
) -> Any:
    """Draw methods in the order of their ranks and bars over their groups; return the Axes."""
    new = ax is None
    ax = _new_axes() if new else ax
    layout = _lay_out(ax, ranks, names, groups, cd, new)
    ax.set_axis_off()
    _draw_axis(ax, layout)
    _draw_methods(ax, layout)
    _draw_groups(ax, layout)
    _draw_critical_difference(ax, layout)
    return ax


def _new_axes() -> Any:
    plt = require("matplotlib.pyplot", extra="report")
    # Constrained layout makes room for a title, should the user add one.
    return plt.subplots(layout="constrained")[1]


def _lay_out(
    ax: Any,
    ranks: np.ndarray,
    names: list[str],
    groups: list[tuple[int, ...]],
    cd: float | None,
    new: bool,
) -> Layout:
    """Measure the names, place everything, and fit the limits of ``ax`` (or its size) to it."""
    font = require("matplotlib", extra="report").rcParams["font.size"]
    k, line = len(ranks), 1.5 * font
    n_left = (k + 1) // 2
    labels = _labels(ranks, names, n_left)
    left, right = (ARM + GAP + _widest(ax, side) for side in (labels[:n_left], labels[n_left:]))
    width = left + max(26, 2.2 * k) * font + right if new else _size(ax)[0]
    # However long the names, the line of ranks keeps a third of Axes that are given.
    point = (k - 1) / max(width - left - right, width / 3)
    levels = stack([(ranks[group[0]], ranks[group[-1]]) for group in groups], gap=line * point)
    layout = Layout(ranks, labels, groups, levels, n_left, cd, line, point)
    if new:
        ax.figure.set_size_inches((width + PADDING) / 72, (layout.height + PADDING) / 72)
    ax.set_xlim(1 - left * point, k + right * point)
    ax.set_ylim(layout.height if new else max(layout.height, _size(ax)[1]), 0)
    return layout


def stack(spans: list[tuple[float, float]], gap: float) -> list[int]:
    """Choose a level for each bar, lowest first, so that bars on a level keep ``gap`` apart.

    Expects the spans in increasing order of their left end.
    """
    ends: list[float] = []
    levels = []
    for left, right in spans:
        free = [level for level, end in enumerate(ends) if end + gap < left]
        level = free[0] if free else len(ends)
        ends[level : level + 1] = [right]
        levels.append(level)
    return levels


def _labels(ranks: np.ndarray, names: list[str], n_left: int) -> list[str]:
    """Join name and rank; the rank stands next to the diagram, on either side."""
    digits = len(f"{ranks[-1]:.2f}")
    labels = []
    for i, (name, rank) in enumerate(zip(names, ranks, strict=True)):
        # Figure spaces are as wide as a digit, so that 9.50 and 10.25 stand in one column.
        number = f"{rank:.2f}".rjust(digits, "\N{FIGURE SPACE}")
        labels.append(f"{name}  {number}" if i < n_left else f"{number}  {name}")
    return labels


def _size(ax: Any) -> tuple[float, float]:
    """Width and height of the Axes in points."""
    box, scale = ax.get_window_extent(), 72 / ax.figure.dpi
    return box.width * scale, box.height * scale


def _widest(ax: Any, labels: list[str]) -> float:
    """Width of the widest label in points."""
    texts = [ax.text(0, 0, label) for label in labels]
    widest = max(text.get_window_extent().width for text in texts) * 72 / ax.figure.dpi
    for text in texts:
        text.remove()
    return widest


def _draw_axis(ax: Any, layout: Layout) -> None:
    k, y, line = len(layout.ranks), layout.axis, layout.line
    ticks = np.arange(1, k + 1)
    ax.hlines(y, 1, k, color=INK, linewidth=1.0, capstyle="projecting", zorder=3)
    ax.vlines(ticks, y - 0.3 * line, y, color=INK, linewidth=1.0, zorder=3)
    above = {"ha": "center", "va": "bottom", "fontsize": "small"}
    for tick in ticks:
        ax.text(tick, y - 0.4 * line, str(tick), **above)
    ax.text((1 + k) / 2, y - 1.2 * line, "average rank (1 is best)", **above)


def _draw_methods(ax: Any, layout: Layout) -> None:
    k = len(layout.ranks)
    ax.plot(layout.ranks, np.full(k, layout.axis), "o", color=INK, markersize=4, zorder=4)
    for i, (rank, label) in enumerate(zip(layout.ranks, layout.labels, strict=True)):
        # The outermost method gets the highest row: no stem then crosses another's arm.
        edge, side, row = (1, -1, i) if i < layout.n_left else (k, 1, k - 1 - i)
        y, end = layout.row(row), edge + side * ARM * layout.point
        ax.plot([rank, rank, end], [layout.axis, y, y], color=STEM, linewidth=0.9, zorder=1)
        align = "right" if side < 0 else "left"
        ax.text(end + side * GAP * layout.point, y, label, ha=align, va="center_baseline")


def _draw_groups(ax: Any, layout: Layout) -> None:
    overhang = _overhang(layout)
    for i, (group, level) in enumerate(zip(layout.groups, layout.levels, strict=True)):
        runs = np.split(group, np.flatnonzero(np.diff(group) > 1) + 1)
        starts = [layout.ranks[run[0]] - overhang[run[0]] for run in runs]
        ends = [layout.ranks[run[-1]] + overhang[run[-1] + 1] for run in runs]
        y = layout.bar(level)
        ax.hlines([y] * len(runs), starts, ends, color=BAR, linewidth=4, zorder=2, gid=f"group-{i}")
        if len(runs) > 1:  # somebody in between does not belong: pass over them lightly
            ax.hlines(y, starts[0], ends[-1], color=BAR, linewidth=1.5, linestyle=":", zorder=2)


def _overhang(layout: Layout) -> np.ndarray:
    """How far a bar may reach into each gap between neighbours, from before the first method on."""
    # Not more than halfway, lest it seem to hold the neighbour; not less than can be seen.
    gaps = np.diff(layout.ranks, prepend=-np.inf, append=np.inf)
    return np.clip(gaps / 2, layout.point, OVERHANG * layout.point)


def _draw_critical_difference(ax: Any, layout: Layout) -> None:
    if layout.cd is None:
        return
    text, y = f"CD = {layout.cd:.2f}", 1.5 * layout.line
    if layout.cd <= len(layout.ranks) - 1:
        ends = [1, 1 + layout.cd]
        ax.plot(ends, [y, y], color=INK, linewidth=1.5, marker="|", markersize=7, gid="cd")
    else:
        text += " (longer than the axis: no two methods can differ)"
    ax.text(1, y - 0.4 * layout.line, text, ha="left", va="bottom", fontsize="small")
