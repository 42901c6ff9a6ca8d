"""Figures: where information fails, errors of a regression, rows that perceptrons let go."""

from typing import Any

import numpy as np

from ...datasets import make_xor
from ...ensemble import ParallelPerceptronClassifier
from ...feature_selection.information import (
    failure_statistics,
    fano_lower,
    hellman_raviv_upper,
    regression_error,
    sample_discrete_features,
)
from .._report import make_figure

# Okabe and Ito's colours, told apart by colour-blind readers.
_FANO = {"color": "#0072B2", "linewidth": 1.6, "label": "Fano, at least"}
_HELLMAN_RAVIV = {
    "color": "#009E73",
    "linewidth": 1.6,
    "linestyle": "--",
    "label": "Hellman and Raviv, at most",
}
# More of them would hide each other.
_MOST_POINTS = 6000
_MOST_PAIRS = 40

CURVES: dict[str, tuple[str, dict[str, float], str, str]] = {
    "uniform": ("uniform", {}, "#E69F00", ":"),
    "Laplace": ("laplace", {}, "#009E73", "--"),
    "Gauss": ("gaussian", {}, "#0072B2", "-"),
    "Student, 2.3 degrees": ("student", {"df": 2.3}, "#D55E00", ":"),
    "Student, 5 degrees": ("student", {"df": 5.0}, "#D55E00", "--"),
    "Student, 30 degrees": ("student", {"df": 30.0}, "#D55E00", "-"),
}
_LEAST = {"mse": "gaussian", "mae": "laplace"}  # of all distributions with the same entropy

CLASS_COLOURS = ("#0072B2", "#E69F00")  # Okabe and Ito's


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
        figure = make_figure(6.4, 4.4)
        ax = figure.subplots()
    information = features.mutual_information
    error = features.error
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


def plot_regression_errors(criterion: str = "mse", *, curves: Any = None, ax: Any = None) -> Any:
    """Mean squared or absolute error against conditional entropy, for several distributions.

    Within a curve the features with more information have the smaller error. From one curve to
    another they may not. Nothing lies in the grey region (figures 2, 3, 5 and 7 of Frénay and
    others, "Is mutual information adequate for feature selection in regression?", 2013).

    Parameters
    ----------
    criterion : {"mse", "mae"}, default="mse"
        The error.
    curves : list of str, optional
        Which of "uniform", "Laplace", "Gauss", "Student, 2.3 degrees", "Student, 5 degrees" and
        "Student, 30 degrees" to draw; all when not given.
    ax : matplotlib axes, optional
        Where to draw; a new figure when not given.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> from errata.bench.figures import plot_regression_errors
    >>> ax = plot_regression_errors("mae", curves=["Laplace", "Gauss"])
    >>> ax.figure.savefig("errors.png")  # doctest: +SKIP
    """
    if ax is None:
        figure = make_figure(6.4, 4.2)
        ax = figure.subplots()
    entropy = np.linspace(-1, 1, 201)
    least = regression_error(entropy, _LEAST[criterion], criterion)
    ax.fill_between(entropy, 0, least, color="0.9", linewidth=0)
    for name in CURVES if curves is None else curves:
        family, shape, colour, style = CURVES[name]
        errors = regression_error(entropy, family, criterion, **shape)
        ax.plot(entropy, errors, style, color=colour, label=name)
    words = {"mse": "mean squared error", "mae": "mean absolute error"}
    ax.set(xlabel="H(Y|X) in nats: less information to the right", ylabel=words[criterion])
    ax.set(xlim=(-1, 1), ylim=(0, None))
    ax.legend(loc="upper left", fontsize="small")
    return ax


def plot_perceptron_categories(
    *,
    n_samples: int = 300,
    noise: float = 0.1,
    n_perceptrons: int = 3,
    random_state: Any = 0,
    ax: Any = None,
) -> Any:
    """Xor with wrong labels: rows that are safe (squares), noisy (crosses) and neither (dots).

    Colours are the labels, lines the borders of the perceptrons, with rings around the labels that
    are wrong. Needs matplotlib (the ``report`` extra).

    Parameters
    ----------
    n_samples : int, default=300
        Number of rows.
    noise : float, default=0.1
        Fraction of wrong labels.
    n_perceptrons : int, default=3
        Number of perceptrons.
    random_state : int, RandomState or None, default=0
        Seed of the sample and of the perceptrons.
    ax : matplotlib axes, optional
        Where to draw; a new figure when not given.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> from errata.bench.figures import plot_perceptron_categories
    >>> ax = plot_perceptron_categories()
    >>> ax.figure.savefig("categories.png")  # doctest: +SKIP
    """
    X, y = make_xor(n_samples, noise=noise, random_state=random_state)
    # The rule of make_xor: it returns the labels only after flipping some.
    wrong = y != (X[:, 0] * X[:, 1] < 0)
    model = ParallelPerceptronClassifier(n_perceptrons, random_state=random_state).fit(X, y)
    if ax is None:
        figure = make_figure(6, 5.2)
        ax = figure.subplots()
    ax.scatter(*X[wrong].T, s=110, facecolors="none", edgecolors="#888888", label="wrong label")
    for category, marker in (("safe", "s"), ("borderline", "."), ("noisy", "x")):
        rows = model.category_ == category
        colours = np.array(CLASS_COLOURS)[y[rows]]
        ax.scatter(*X[rows].T, c=colours, marker=marker, s=28, linewidths=1.4, label=category)
    for (a, b), c in zip(model.coef_, model.intercept_, strict=True):
        # Through the point of the line that is nearest to the origin.
        ax.axline((-a * c, -b * c) / (a * a + b * b), slope=-a / b, color="black", linewidth=0.8)
    ax.set(xlim=(-1.05, 1.05), ylim=(-1.05, 1.05), xlabel="$x_1$", ylabel="$x_2$")
    legend = ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
    for handle in legend.legend_handles[1:]:  # the colour is the class, not the category
        handle.set_color("black")
    return ax
