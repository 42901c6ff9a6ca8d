"""The critical-difference diagram: average ranks on a line, bars over those that do not differ."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .._validation import check_score_table, check_significance
from ._tests import average_ranks, critical_difference, get_method_names

INK = "black"
STEM = "0.45"
BAR = "#0072B2"  # Okabe and Ito's blue: told from black by every kind of eye, dark grey in print

ARM = 12.0  # points between the end of the line of ranks and the names
GAP = 5.0  # points between a line and the text beside it
PADDING = 6.0  # points that constrained layout keeps free, both sides together
OVERHANG = 3.0  # points by which a bar sticks out, so that tied methods have a visible one too


def plot_critical_difference(
    scores: Any,
    *,
    names: Sequence[str] | None = None,
    p_values: Any = None,
    significance: float = 0.05,
    higher_is_better: bool = True,
    ax: Any = None,
) -> Any:
    """Draw the critical-difference diagram of a table of scores.

    The methods stand on a line at their average ranks, the best on the left. A bar joins methods
    that do not differ significantly: by Nemenyi's critical difference, drawn at the top, or by
    the p-values of another test.

    Parameters
    ----------
    scores : array-like or dataframe of shape (n_datasets, n_methods)
        One row per data set, one column per method.
    names : sequence of str, optional
        Names of the methods; the columns of a dataframe when left out.
    p_values : array-like of shape (n_methods, n_methods), optional
        Corrected p-values that take the place of Nemenyi's test, for instance
        ``wilcoxon_holm(scores).p_values``.
    significance : float, default=0.05
        Significance level.
    higher_is_better : bool, default=True
        False for errors and losses.
    ax : matplotlib Axes, optional
        Where to draw; a new figure of fitting size when left out. See :func:`plot_average_ranks`.

    Returns
    -------
    matplotlib Axes
        Its horizontal coordinate is the average rank.

    References
    ----------
    .. [1] Demšar. Statistical comparisons of classifiers over multiple data sets. Journal of
       Machine Learning Research 7, 2006.

    Examples
    --------
    >>> from errata.stats import plot_critical_difference
    >>> accuracy = [[70 + i, 71 + 2 * i, 60 + i % 3] for i in range(8)]
    >>> ax = plot_critical_difference(accuracy, names=["bagging", "peeling", "tree"])
    >>> ax.texts[-1].get_text()
    'CD = 1.17'
    >>> ax.figure.savefig("ranks.pdf")  # doctest: +SKIP
    """
    table = check_score_table(scores, min_datasets=2)
    n, k = table.shape
    return plot_average_ranks(
        average_ranks(table, higher_is_better=higher_is_better),
        get_method_names(scores, names, k),
        cd=critical_difference(k, n, significance=significance) if p_values is None else None,
        p_values=p_values,
        significance=significance,
        ax=ax,
    )


def plot_average_ranks(
    ranks: Any,
    names: Sequence[str],
    *,
    cd: float | None = None,
    p_values: Any = None,
    significance: float = 0.05,
    ax: Any = None,
) -> Any:
    """Draw a critical-difference diagram from average ranks, say those printed in a paper.

    Parameters
    ----------
    ranks : array-like of shape (n_methods,)
        Average rank of each method; 1 is best and stands on the left.
    names : sequence of str
        Names of the methods.
    cd : float, optional
        Methods whose ranks lie less than this apart are joined by a bar.
    p_values : array-like of shape (n_methods, n_methods), optional
        Methods with a p-value above ``significance`` are joined by a bar. Give this or ``cd``.
    significance : float, default=0.05
        Significance level for ``p_values``.
    ax : matplotlib Axes, optional
        Where to draw. It should be as wide as the two longest names and some 3 inches, and as high
        as n_methods / 2 + 6 lines of text. When left out, a new figure has that size.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    With ``p_values`` a group of methods that do not differ may skip one that lies between them;
    the bar is then dotted where it passes over the method that does not belong.

    Examples
    --------
    Figure 1a of Demšar (2006), who takes 0.10 for it:

    >>> from errata.stats import critical_difference, plot_average_ranks
    >>> names = ["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"]
    >>> cd = critical_difference(n_methods=4, n_datasets=14, significance=0.10)
    >>> ax = plot_average_ranks([3.143, 2.000, 2.893, 1.964], names, cd=cd)
    >>> ax.texts[-1].get_text()
    'CD = 1.12'
    """
    ranks, names = _check_ranks(ranks, names)
    alike = _find_indistinguishable(
        ranks, cd, p_values, check_significance("significance", significance)
    )
    order = np.argsort(ranks, kind="stable")
    groups = find_cliques(alike[np.ix_(order, order)])
    return draw(ax, ranks[order], [names[i] for i in order], groups, cd)


def _check_ranks(ranks: Any, names: Sequence[str]) -> tuple[np.ndarray, list[str]]:
    ranks = np.asarray(ranks, dtype=float)
    k = ranks.size
    if ranks.ndim != 1 or k < 2 or not ((ranks >= 1) & (ranks <= k)).all():
        raise ValueError(
            "ranks must be a list of average ranks between 1 and the number of methods (2 or "
            f"more), but it is {ranks.tolist()}; for a table of scores use "
            "plot_critical_difference."
        )
    return ranks, get_method_names(None, names, k)


def _find_indistinguishable(
    ranks: np.ndarray, cd: float | None, p_values: Any, significance: float
) -> np.ndarray:
    """Table of the pairs of methods that do not differ significantly."""
    if (cd is None) == (p_values is None):
        raise ValueError("say when two methods differ: give either cd or p_values.")
    if cd is not None:
        if not cd > 0:
            raise ValueError(f"cd={cd!r} must be positive; critical_difference computes it.")
        return np.abs(ranks[:, None] - ranks) < cd
    p = np.asarray(p_values, dtype=float)
    k = len(ranks)
    if p.shape != (k, k):
        raise ValueError(f"p_values must have shape {(k, k)}, but its shape is {p.shape}.")
    if np.isnan(p).any():
        raise ValueError(
            "p_values lacks some pairs (NaN), and a diagram needs all of them; "
            "compute it without control."
        )
    return p > significance


def find_cliques(indistinguishable: Any) -> list[tuple[int, ...]]:
    """List the largest groups of methods in which no two differ significantly.

    These are the bars of a critical-difference diagram. A group is listed when no further method
    can join it, so none lies inside another; a method that differs from all others is in none.

    Parameters
    ----------
    indistinguishable : array-like of bool of shape (n_methods, n_methods)
        Symmetric; True where two methods do not differ significantly.

    Returns
    -------
    list of tuple of int
        Each group as increasing method numbers; the groups in increasing order too.

    Notes
    -----
    When methods are told apart by the distance of their average ranks (Nemenyi), each group is
    a run of neighbours in the order of ranks. With a test on pairs it need not be: the first
    and third may be alike while the second, in between, differs from the first. The search is
    that of Bron and Kerbosch with a pivot [1]_.

    References
    ----------
    .. [1] Bron and Kerbosch. Algorithm 457: finding all cliques of an undirected graph.
       Communications of the ACM 16, 1973.

    Examples
    --------
    >>> import numpy as np
    >>> from errata.stats._diagram import find_cliques
    >>> ranks = np.array([1.0, 1.5, 2.2, 4.0])
    >>> find_cliques(np.abs(ranks[:, None] - ranks) < 1)
    [(0, 1), (1, 2)]
    """
    alike = np.asarray(indistinguishable, dtype=bool)
    if alike.ndim != 2 or alike.shape[0] != alike.shape[1]:
        raise ValueError(
            "indistinguishable must have one row and one column per method, "
            f"but its shape is {alike.shape}."
        )
    if (alike != alike.T).any():
        raise ValueError("indistinguishable must be symmetric: if a is like b, then b is like a.")
    friends = [set(np.flatnonzero(row).tolist()) - {i} for i, row in enumerate(alike)]
    groups = _grow(set(), set(range(len(alike))), set(), friends)
    return sorted(tuple(sorted(group)) for group in groups if len(group) > 1)


def _grow(
    group: set[int], candidates: set[int], done: set[int], friends: list[set[int]]
) -> Iterator[set[int]]:
    """Yield each maximal group that holds ``group`` and some candidates but none already done."""
    if not candidates and not done:
        yield group
        return
    # A maximal group holds the pivot or someone the pivot does not know: only those need a branch.
    pivot = max(candidates | done, key=lambda i: len(friends[i] & candidates))
    for i in sorted(candidates - friends[pivot]):
        yield from _grow(group | {i}, candidates & friends[i], done & friends[i], friends)
        candidates = candidates - {i}
        done = done | {i}


def draw(
    ax: Any, ranks: np.ndarray, names: list[str], groups: list[tuple[int, ...]], cd: float | None
) -> Any:
    """Draw methods in the order of their ranks and bars over their groups; return the Axes."""
    new = ax is None
    ax = _make_axes() if new else ax
    layout = Layout(ax, ranks, names, groups, cd, is_new=new)
    ax.set_axis_off()
    _draw_axis(ax, layout)
    _draw_methods(ax, layout)
    _draw_groups(ax, layout)
    _draw_critical_difference(ax, layout)
    return ax


def _make_axes() -> Any:
    from matplotlib import pyplot as plt

    # Constrained layout makes room for a title, should the user add one.
    return plt.subplots(layout="constrained")[1]


class Layout:
    """Where everything goes: average ranks across, points (1/72 inch) downwards.

    The names are measured, and the limits of ``ax``, or its size if it is new, fitted to them.
    """

    def __init__(
        self,
        ax: Any,
        ranks: np.ndarray,
        names: list[str],
        groups: list[tuple[int, ...]],
        cd: float | None,
        *,
        is_new: bool,
    ) -> None:
        import matplotlib

        font = matplotlib.rcParams["font.size"]
        k = len(ranks)
        self.ranks = ranks  # in increasing order, as are the labels and groups that go with them
        self.groups = groups
        self.cd = cd
        self.line = 1.5 * font  # points from one line of text to the next
        self.n_left = (k + 1) // 2  # of the methods, the better half has its names on the left
        self.labels = _format_labels(ranks, names, self.n_left)
        sides = (self.labels[: self.n_left], self.labels[self.n_left :])
        left, right = (ARM + GAP + _measure_widest(ax, side) for side in sides)
        width = left + max(26, 2.2 * k) * font + right if is_new else _measure_axes(ax)[0]
        # The width of a point, in ranks. However long the names, the line of ranks keeps a third of
        # Axes that are given.
        self.point = (k - 1) / max(width - left - right, width / 3)
        spans = [(ranks[group[0]], ranks[group[-1]]) for group in groups]
        self.levels = stack(spans, gap=self.line * self.point)  # on which each group has its bar
        # Where the line of ranks lies, below its title and perhaps the critical difference.
        self.axis = (2.2 if cd is None else 3.9) * self.line
        height = self.row(self.n_left - 1) + 0.7 * self.line
        if is_new:
            ax.figure.set_size_inches((width + PADDING) / 72, (height + PADDING) / 72)
        ax.set_xlim(1 - left * self.point, k + right * self.point)
        ax.set_ylim(height if is_new else max(height, _measure_axes(ax)[1]), 0)

    def bar(self, level: int) -> float:
        """Where the bars of a level lie."""
        return self.axis + (0.7 + 0.5 * level) * self.line

    def row(self, i: int) -> float:
        """Where the i-th row of names lies, below all bars."""
        return self.bar(max(self.levels, default=-1)) + (1.1 + i) * self.line


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


def _format_labels(ranks: np.ndarray, names: list[str], n_left: int) -> list[str]:
    """Join name and rank; the rank stands next to the diagram, on either side."""
    digits = len(f"{ranks[-1]:.2f}")
    labels = []
    for i, (name, rank) in enumerate(zip(names, ranks, strict=True)):
        # Figure spaces are as wide as a digit, so that 9.50 and 10.25 stand in one column.
        number = f"{rank:.2f}".rjust(digits, "\N{FIGURE SPACE}")
        labels.append(f"{name}  {number}" if i < n_left else f"{number}  {name}")
    return labels


def _measure_axes(ax: Any) -> tuple[float, float]:
    """Width and height of the Axes in points."""
    box = ax.get_window_extent()
    scale = 72 / ax.figure.dpi
    return box.width * scale, box.height * scale


def _measure_widest(ax: Any, labels: list[str]) -> float:
    """Width of the widest label in points."""
    texts = [ax.text(0, 0, label) for label in labels]
    widest = max(text.get_window_extent().width for text in texts) * 72 / ax.figure.dpi
    for text in texts:
        text.remove()
    return widest


def _draw_axis(ax: Any, layout: Layout) -> None:
    k = len(layout.ranks)
    y = layout.axis
    line = layout.line
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
        y = layout.row(row)
        end = edge + side * ARM * layout.point
        ax.plot([rank, rank, end], [layout.axis, y, y], color=STEM, linewidth=0.9, zorder=1)
        align = "right" if side < 0 else "left"
        ax.text(end + side * GAP * layout.point, y, label, ha=align, va="center_baseline")


def _draw_groups(ax: Any, layout: Layout) -> None:
    # How far a bar may reach into each gap between neighbours, from before the first method on.
    # Not more than halfway, lest it seem to hold the neighbour; not less than can be seen.
    gaps = np.diff(layout.ranks, prepend=-np.inf, append=np.inf)
    overhang = np.clip(gaps / 2, layout.point, OVERHANG * layout.point)
    for i, (group, level) in enumerate(zip(layout.groups, layout.levels, strict=True)):
        runs = np.split(group, np.flatnonzero(np.diff(group) > 1) + 1)
        starts = [layout.ranks[run[0]] - overhang[run[0]] for run in runs]
        ends = [layout.ranks[run[-1]] + overhang[run[-1] + 1] for run in runs]
        y = layout.bar(level)
        ax.hlines([y] * len(runs), starts, ends, color=BAR, linewidth=4, zorder=2, gid=f"group-{i}")
        if len(runs) > 1:  # somebody in between does not belong: pass over them lightly
            ax.hlines(y, starts[0], ends[-1], color=BAR, linewidth=1.5, linestyle=":", zorder=2)


def _draw_critical_difference(ax: Any, layout: Layout) -> None:
    if layout.cd is None:
        return
    text = f"CD = {layout.cd:.2f}"
    y = 1.5 * layout.line
    if layout.cd <= len(layout.ranks) - 1:
        ends = [1, 1 + layout.cd]
        ax.plot(ends, [y, y], color=INK, linewidth=1.5, marker="|", markersize=7, gid="cd")
    else:
        text += " (longer than the axis: no two methods can differ)"
    ax.text(1, y - 0.4 * layout.line, text, ha="left", va="bottom", fontsize="small")
