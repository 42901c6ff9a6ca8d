"""Errors of a regression against the entropy that its features leave: Frénay and others (2013)."""

from typing import Any

import numpy as np

from ...feature_selection.information import regression_error
from .._figure import new_figure

CURVES: dict[str, tuple[str, dict[str, float], str, str]] = {
    "uniform": ("uniform", {}, "#E69F00", ":"),
    "Laplace": ("laplace", {}, "#009E73", "--"),
    "Gauss": ("gaussian", {}, "#0072B2", "-"),
    "Student, 2.3 degrees": ("student", {"df": 2.3}, "#D55E00", ":"),
    "Student, 5 degrees": ("student", {"df": 5.0}, "#D55E00", "--"),
    "Student, 30 degrees": ("student", {"df": 30.0}, "#D55E00", "-"),
}
_LEAST = {"mse": "gaussian", "mae": "laplace"}  # of all distributions with the same entropy


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
        figure = new_figure(6.4, 4.2)
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
