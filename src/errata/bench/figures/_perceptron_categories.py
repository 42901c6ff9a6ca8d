"""Figure 1 of Cantador and Dorronsoro: which rows parallel perceptrons take for safe or noisy."""

from typing import Any

import numpy as np

from ...datasets import make_xor
from ...ensemble import ParallelPerceptronClassifier
from .._figure import new_figure

CLASS_COLOURS = ("#0072B2", "#E69F00")  # Okabe and Ito's


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
        figure = new_figure(6, 5.2)
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
