"""Figures of Frénay and Verleysen: truth, plain and reinforced fit, rows shaded by their weight."""

from typing import Any

import numpy as np
from scipy.special import ndtri
from sklearn.base import clone

from ..._optional import require
from ...tolerant import (
    ReinforcedKernelRidge,
    ReinforcedLinearRegression,
    ReinforcedLogisticRegression,
    ReinforcedPCA,
)
from ._outliers import (
    make_mislabelled_extreme,
    make_outlying_cloud,
    make_outlying_line,
    make_outlying_sine,
)

# Okabe and Ito's colours, told apart by colour-blind readers; the dashes by all others.
_TRUTH = {"color": "black", "linestyle": ":", "linewidth": 1.6, "zorder": 2.5}
_PLAIN = {"color": "#D55E00", "linestyle": "--", "linewidth": 1.8}
_REINFORCED = {"color": "#0072B2", "linestyle": "-", "linewidth": 2.2}
_BAND_95 = ndtri(0.975)  # two-sided quantile of a standard normal variable
# The squared distance of two such variables from 0 exceeds R² with probability exp(-R² / 2).
_RADIUS_95 = np.sqrt(-2 * np.log(0.05))


def plot_outlying_line(estimator: Any = None, *, random_state: Any = 0, ax: Any = None) -> Any:
    """Linear regression with one outlier: figure 6 of Frénay and Verleysen, and 11b and 12b.

    Bands hold 95 % of the responses, by the truth (shaded) and by each fit (thin lines). Rows are
    the paler, the less weight they kept. Needs matplotlib (the ``report`` extra).

    Parameters
    ----------
    estimator : ReinforcedLinearRegression, optional
        The model to fit; one with its defaults when not given. Pass small and large numbers for its
        ``reinforcement`` to see the other panels of the figure.
    random_state : int, RandomState instance or None, default=0
        Seed of the sample.
    ax : matplotlib Axes, optional
        Where to draw; a new figure when not given.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from errata.bench.figures import plot_outlying_line
    >>> ax = plot_outlying_line()
    >>> print(ax.get_title())
    Linear regression with one outlier
    L1 penalty, reinforcement 15.03, mean weight 0.95
    >>> ax.figure.savefig("line.png")  # doctest: +SKIP
    """
    model = ReinforcedLinearRegression() if estimator is None else clone(estimator)
    X, y, _ = make_outlying_line(random_state=random_state)
    return _plot_regression(model, X, y, lambda x: 1 + 2 * x, 0.2, "Linear regression", ax)


def plot_outlying_sine(estimator: Any = None, *, random_state: Any = 0, ax: Any = None) -> Any:
    """Kernel ridge regression with one outlier: figure 8 of Frénay and Verleysen.

    The kernel is exp(-|x - z|² / 0.1) and alpha is 0.1, as in the paper (its gamma is 1 / alpha).
    Bands hold 95 % of the responses, by the truth (shaded) and by each fit (thin lines).

    Parameters
    ----------
    estimator : ReinforcedKernelRidge, optional
        The model to fit; one with the settings of the paper when not given.
    random_state, ax
        As for :func:`plot_outlying_line`, and so is what is returned.

    Examples
    --------
    >>> from errata.bench.figures import plot_outlying_sine
    >>> ax = plot_outlying_sine()
    >>> ax.figure.savefig("sine.png")  # doctest: +SKIP
    """
    model = ReinforcedKernelRidge(gamma=10, alpha=0.1) if estimator is None else clone(estimator)
    X, y, _ = make_outlying_sine(random_state=random_state)
    return _plot_regression(
        model, X, y, lambda x: np.sin(2 * np.pi * x), 0.1, "Kernel ridge regression", ax
    )


def plot_outlying_cloud(estimator: Any = None, *, random_state: Any = 0, ax: Any = None) -> Any:
    """Principal axes with one outlier: figure 10 of Frénay and Verleysen.

    Ellipses hold 95 % of the rows, by the truth (shaded) and by each fit; axes are drawn up to
    them.

    Parameters
    ----------
    estimator : ReinforcedPCA, optional
        The model to fit; one with its defaults when not given.
    random_state, ax
        As for :func:`plot_outlying_line`, and so is what is returned.

    Examples
    --------
    >>> from errata.bench.figures import plot_outlying_cloud
    >>> ax = plot_outlying_cloud()
    >>> ax.figure.savefig("cloud.png")  # doctest: +SKIP
    """
    X, _ = make_outlying_cloud(random_state=random_state)
    reinforced = (ReinforcedPCA() if estimator is None else clone(estimator)).fit(X)
    plain = clone(reinforced).set_params(reinforcement=np.inf).fit(X)
    ax = _prepare(ax, "Principal axes with one outlier", reinforced, "x₁", "x₂")
    centre, along = np.array([-0.5, 0.5]), np.array([np.cos(np.pi / 6), np.sin(np.pi / 6)])
    # Standard deviation 1 along, 0.2 across: that of make_outlying_cloud.
    covariance = 0.2**2 * np.eye(2) + (1 - 0.2**2) * np.outer(along, along)
    ax.fill(*_ellipse(centre, covariance).T, color="0.88", zorder=0)
    _draw_axes(ax, centre, covariance, "truth", _TRUTH)
    _draw_axes(ax, plain.mean_, plain.get_covariance(), "plain", _PLAIN)
    _draw_axes(ax, reinforced.mean_, reinforced.get_covariance(), "reinforced", _REINFORCED)
    ax.set_aspect("equal", adjustable="datalim")
    return _finish(ax, X[:, 0], X[:, 1], reinforced.weights_, "outlier")


def plot_mislabelled_extreme(
    estimator: Any = None, *, random_state: Any = 0, ax: Any = None
) -> Any:
    """Logistic regression with one wrong label: figure 9 of Frénay and Verleysen.

    The height of a row is its label, 0 or 1. What a plain fit would be with all labels right stands
    for the truth, as in the paper.

    Parameters
    ----------
    estimator : ReinforcedLogisticRegression, optional
        The model to fit; one with its defaults when not given.
    random_state, ax
        As for :func:`plot_outlying_line`, and so is what is returned.

    Examples
    --------
    >>> from errata.bench.figures import plot_mislabelled_extreme
    >>> ax = plot_mislabelled_extreme()
    >>> ax.figure.savefig("labels.png")  # doctest: +SKIP
    """
    X, y, flipped = make_mislabelled_extreme(random_state=random_state)
    reinforced = ReinforcedLogisticRegression() if estimator is None else clone(estimator)
    reinforced.fit(X, y)
    plain = clone(reinforced).set_params(reinforcement=np.inf)
    ax = _prepare(ax, "Logistic regression with one wrong label", reinforced, "x", "P(class 1 | x)")
    x = np.linspace(X.min() - 0.5, X.max() + 0.5, 400)
    for name, model, style in [
        ("plain, right labels", clone(plain).fit(X, np.where(flipped, 1 - y, y)), _TRUTH),
        ("plain", plain.fit(X, y), _PLAIN),
        ("reinforced", reinforced, _REINFORCED),
    ]:
        ax.plot(x, model.predict_proba(x[:, None])[:, 1], label=name, **style)
    return _finish(ax, X[:, 0], y, reinforced.weights_, "wrong label", legend=(0.02, 0.62))


def _plot_regression(
    model: Any, X: np.ndarray, y: np.ndarray, curve: Any, noise: float, name: str, ax: Any
) -> Any:
    reinforced = model.fit(X, y)
    # The same model with an infinite alpha, which reinforces nothing.
    plain = clone(model).set_params(reinforcement=np.inf).fit(X, y)
    ax = _prepare(ax, f"{name} with one outlier", reinforced, "x", "y")
    x = np.linspace(X.min(), X.max(), 400)
    margin = _BAND_95 * noise
    ax.fill_between(x, curve(x) - margin, curve(x) + margin, color="0.88", zorder=0)
    ax.plot(x, curve(x), label="truth", **_TRUTH)
    for label, fitted, style in [("plain", plain, _PLAIN), ("reinforced", reinforced, _REINFORCED)]:
        middle = fitted.predict(x[:, None])
        ax.plot(x, middle, label=label, **style)
        for side in (-_BAND_95, _BAND_95):
            ax.plot(x, middle + side * fitted.scale_, **{**style, "linewidth": 0.7})
    return _finish(ax, X[:, 0], y, reinforced.weights_, "outlier")


def _prepare(ax: Any, name: str, model: Any, xlabel: str, ylabel: str) -> Any:
    if ax is None:
        pyplot = require("matplotlib.pyplot", extra="report")
        _, ax = pyplot.subplots(figsize=(6.4, 4.2), layout="constrained")
    ax.set_title(
        f"{name}\n{model.reinforcement_penalty.upper()} penalty, "
        f"reinforcement {model.reinforcement_:.4g}, "
        f"mean weight {model.mean_weight_:.2f}",
        fontsize="medium",
    )
    ax.set(xlabel=xlabel, ylabel=ylabel)
    return ax


def _finish(
    ax: Any, x: np.ndarray, y: np.ndarray, weights: np.ndarray, last: str, *, legend: Any = "best"
) -> Any:
    """Add the rows, dark where they kept their weight, the name of the last, and the legend."""
    rows = ax.scatter(
        x, y, c=weights, cmap="Greys", vmin=0, vmax=1, s=36, edgecolor="black", zorder=3
    )
    ax.figure.colorbar(rows, ax=ax, label="weight of a row")
    ax.annotate(last, (x[-1], y[-1]), (-9, 0), textcoords="offset points", ha="right", va="center")
    ax.legend(loc=legend, framealpha=0.9)
    return ax


def _draw_axes(ax: Any, mean: Any, covariance: np.ndarray, label: str, style: dict) -> None:
    """The ellipse that holds 95 % of a Gaussian, and its two axes."""
    ax.plot(*_ellipse(mean, covariance).T, **{**style, "linewidth": 0.9})
    variances, axes = np.linalg.eigh(covariance)
    for variance, axis in zip(variances, axes.T, strict=True):
        half = axis * np.sqrt(variance) * _RADIUS_95
        ends = np.array([mean - half, mean + half])
        ax.plot(*ends.T, label=label, **style)
        label = "_nolegend_"  # one entry for both axes


def _ellipse(mean: Any, covariance: np.ndarray) -> np.ndarray:
    variances, axes = np.linalg.eigh(covariance)
    angle = np.linspace(0, 2 * np.pi, 200)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    return _RADIUS_95 * circle * np.sqrt(variances) @ axes.T + mean
