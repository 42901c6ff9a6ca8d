"""Pairs of features where the one with more information is wrong more often, and the bounds."""

from typing import Any

import numpy as np

from ...feature_selection.information import (
    failure_statistics,
    fano_lower,
    hellman_raviv_upper,
    sample_discrete_features,
)
from .._figure import new_figure

# Okabe and Ito's colours, told apart by colour-blind readers.
_FANO = {"color": "#0072B2", "linewidth": 1.6, "label": "Fano, at least"}
_HELLMAN_RAVIV = {
    "color": "#009E73",
    "linewidth": 1.6,
    "linestyle": "--",
    "label": "Hellman and Raviv, at most",
}
_MOST_POINTS, _MOST_PAIRS = 6000, 40  # more of them hide each other


def plot_information_failures(
    features: Any = None,
    *,
    n_classes: int = 2,
    min_gap: float = 0.0,
    min_loss: float = 0.0,
    ax: Any = None,
) -> Any:
    """Mutual information against error, with bounds and failing pairs (Frénay and others, 2013).

    Every feature is a point between the two bounds. A failing pair is joined by a line, which rises
    to the right: the cross has more information, the circle fewer errors. 40 pairs are shown at
    most.

    Parameters
    ----------
    features : FeatureInformation, optional
        Pairs of features of equally frequent classes, such as
        :func:`errata.feature_selection.information.sample_discrete_features` draws; 400 pairs of
        features with eight values when not given.
    n_classes : int, default=2
        Number of classes.
    min_gap, min_loss : float, default=0.0
        Failures that are not shown, as for ``failure_statistics``.
    ax : matplotlib axes, optional
        Where to draw; a new figure when not given.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> from errata.bench.figures import plot_information_failures
    >>> ax = plot_information_failures()
    >>> ax.figure.savefig("failures.png")  # doctest: +SKIP
    """
    if features is None:
        features = sample_discrete_features(400, random_state=0)
    if ax is None:
        figure = new_figure(6.4, 4.4)
        ax = figure.subplots()
    information, error = features.mutual_information, features.error
    found = failure_statistics(information, error, min_gap, min_loss)
    most = _MOST_POINTS // 2
    ax.scatter(information[:most], error[:most], s=5, c="0.75", linewidths=0, label="a feature")
    _draw_bounds(ax, n_classes)
    shown = np.flatnonzero(found.failing)[:_MOST_PAIRS]
    _draw_pairs(ax, information[shown], error[shown], found.selected[shown])
    ax.set(xlabel="mutual information (bits)", ylabel="probability of error")
    ax.set(xlim=(0, np.log2(n_classes)), ylim=(0, 1 - 1 / n_classes))
    ax.legend(loc="upper right", fontsize="small")
    return ax


def _draw_bounds(ax: Any, n_classes: int) -> None:
    information = np.linspace(0, np.log2(n_classes), 301)
    entropy = np.log2(n_classes) - information
    ax.plot(information, hellman_raviv_upper(entropy, n_classes, cap=True), **_HELLMAN_RAVIV)
    ax.plot(information, fano_lower(entropy, n_classes), **_FANO)


def _draw_pairs(ax: Any, information: np.ndarray, error: np.ndarray, selected: np.ndarray) -> None:
    if not len(selected):
        return
    ax.plot(information.T, error.T, color="#D55E00", linewidth=0.8, zorder=3)
    for column, marker, label in ((selected, "x", "taken"), (1 - selected, "o", "better")):
        rows = np.arange(len(selected)), column
        ax.plot(
            information[rows],
            error[rows],
            marker,
            color="#D55E00",
            markersize=4,
            fillstyle="none",
            label=f"failing pair: {label}",
            zorder=3,
        )
