"""The critical-difference diagram: average ranks on a line, bars over those that do not differ."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._validation import check_score_table, check_significance
from ._cliques import cliques
from ._drawing import draw
from ._nemenyi import critical_difference
from ._ranks import average_ranks
from ._scores import method_names


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
    the p-values of another test. Needs matplotlib (the ``report`` extra).

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
        method_names(scores, names, k),
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
    alike = _indistinguishable(
        ranks, cd, p_values, check_significance("significance", significance)
    )
    order = np.argsort(ranks, kind="stable")
    groups = cliques(alike[np.ix_(order, order)])
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
    return ranks, method_names(None, names, k)


def _indistinguishable(
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
