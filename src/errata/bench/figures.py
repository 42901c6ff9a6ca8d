"""Figures of the papers, and the small samples they are drawn from.

Where information fails, errors of a regression, rows that perceptrons let go; and small samples
with one bad row, with plain and reinforced fits to them. The paper of these shows its samples in
figures and states neither where rows lie nor where the bad one is. Here are its settings, with the
bad row where it does harm.
"""

from typing import Any

import numpy as np
from scipy.special import ndtri
from sklearn.base import clone
from sklearn.utils import check_random_state

from .._validation import check_count
from ..datasets import make_xor
from ..ensemble import ParallelPerceptronClassifier
from ..feature_selection.information import (
    failure_statistics,
    fano_lower,
    hellman_raviv_upper,
    regression_error,
    sample_discrete_features,
)
from ..tolerant import (
    ReinforcedKernelRidge,
    ReinforcedLinearRegression,
    ReinforcedLogisticRegression,
    ReinforcedPCA,
)
from ._report import make_figure

__all__ = [
    "make_outlying_line",
    "make_outlying_sine",
    "make_outlying_cloud",
    "make_mislabelled_extreme",
    "plot_outlying_line",
    "plot_outlying_sine",
    "plot_outlying_cloud",
    "plot_mislabelled_extreme",
    "plot_perceptron_categories",
    "plot_information_failures",
    "plot_regression_errors",
]

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

# Okabe and Ito's colours, told apart by colour-blind readers; the dashes by all others.
_TRUTH = {"color": "black", "linestyle": ":", "linewidth": 1.6, "zorder": 2.5}
_PLAIN = {"color": "#D55E00", "linestyle": "--", "linewidth": 1.8}
_REINFORCED = {"color": "#0072B2", "linestyle": "-", "linewidth": 2.2}
_BAND_95 = ndtri(0.975)  # two-sided quantile of a standard normal variable
# The squared distance of two such variables from 0 exceeds R² with probability exp(-R² / 2).
_RADIUS_95 = np.sqrt(-2 * np.log(0.05))


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
    centre = np.array([-0.5, 0.5])
    along = np.array([np.cos(np.pi / 6), np.sin(np.pi / 6)])
    # Standard deviation 1 along, 0.2 across: that of make_outlying_cloud.
    covariance = 0.2**2 * np.eye(2) + (1 - 0.2**2) * np.outer(along, along)
    ax.fill(*_make_ellipse(centre, covariance).T, color="0.88", zorder=0)
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
        from matplotlib import pyplot

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
    ax.plot(*_make_ellipse(mean, covariance).T, **{**style, "linewidth": 0.9})
    variances, axes = np.linalg.eigh(covariance)
    for variance, axis in zip(variances, axes.T, strict=True):
        half = axis * np.sqrt(variance) * _RADIUS_95
        ends = np.array([mean - half, mean + half])
        ax.plot(*ends.T, label=label, **style)
        label = "_nolegend_"  # one entry for both axes


def _make_ellipse(mean: Any, covariance: np.ndarray) -> np.ndarray:
    variances, axes = np.linalg.eigh(covariance)
    angle = np.linspace(0, 2 * np.pi, 200)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    return _RADIUS_95 * circle * np.sqrt(variances) @ axes.T + mean


def make_outlying_line(
    n_samples: int = 30, *, random_state: Any = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points around a line, and one far below it (figures 6, 11 and 12).

    The line is y = 1 + 2x on [0, 1], with Gaussian noise of standard deviation 0.2. The last point
    is (0.9, -0.5), 16 standard deviations from it.

    Parameters
    ----------
    n_samples : int, default=30
        Number of rows, the bad one included.
    random_state : int, RandomState instance or None
        Seed.

    Returns
    -------
    X : array of shape (n_samples, 1)
    y : array of shape (n_samples,)
    outlying : array of bool of shape (n_samples,)
        Where the bad row is: at the end.

    Examples
    --------
    >>> X, y, outlying = make_outlying_line(random_state=0)
    >>> X[outlying], y[outlying]
    (array([[0.9]]), array([-0.5]))
    """
    # Near one end, where a point turns the line most.
    return _draw_around(lambda x: 1 + 2 * x, 0.2, (0.9, -0.5), n_samples, random_state)


def make_outlying_sine(
    n_samples: int = 30, *, random_state: Any = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points around one period of a sine, and one far above its trough (figure 8).

    The curve is y = sin(2 pi x) on [0, 1], with Gaussian noise of standard deviation 0.1. The last
    point is (0.75, 1.5), 25 standard deviations from it.

    Parameters
    ----------
    n_samples, random_state
        As for :func:`make_outlying_line`, and so is what is returned.

    Examples
    --------
    >>> X, y, outlying = make_outlying_sine(random_state=0)
    >>> X[outlying], y[outlying]
    (array([[0.75]]), array([1.5]))
    """
    return _draw_around(lambda x: np.sin(2 * np.pi * x), 0.1, (0.75, 1.5), n_samples, random_state)


def make_outlying_cloud(
    n_samples: int = 50, *, random_state: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """A long thin Gaussian cloud, and one point far from it (figure 10).

    The cloud lies around (-0.5, 0.5), with standard deviations 1 and 0.2 along axes turned by 30
    degrees. The last point is (-1.5, 2.5).

    Parameters
    ----------
    n_samples : int, default=50
        Number of rows, the bad one included.
    random_state : int, RandomState instance or None
        Seed.

    Returns
    -------
    X : array of shape (n_samples, 2)
    outlying : array of bool of shape (n_samples,)
        Where the bad row is: at the end.

    Examples
    --------
    >>> X, outlying = make_outlying_cloud(random_state=0)
    >>> X[outlying]
    array([[-1.5,  2.5]])
    """
    n_samples = check_count("n_samples", n_samples, low=2)
    random = check_random_state(random_state)
    cos = np.cos(np.pi / 6)
    sin = np.sin(np.pi / 6)
    # Equation 70, which prints 0.87 for the last entry; it is 0.2 cos(pi/6) = 0.17.
    mixing = np.array([[cos, -sin], [sin, cos]]) @ np.diag([1.0, 0.2])
    cloud = random.standard_normal((n_samples - 1, 2)) @ mixing.T + [-0.5, 0.5]
    return np.vstack([cloud, [-1.5, 2.5]]), _mark_last(n_samples)


def make_mislabelled_extreme(
    n_samples: int = 30, *, random_state: Any = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two overlapping classes on a line, and the farthest row of class 1 labelled 0 (figure 9).

    Class 0 is normal around -2, class 1 around 2, both with standard deviation 1.7.

    Parameters
    ----------
    n_samples : int, default=30
        Number of rows, half of each class.
    random_state : int, RandomState instance or None
        Seed.

    Returns
    -------
    X : array of shape (n_samples, 1)
    y : array of shape (n_samples,)
        The labels.
    flipped : array of bool of shape (n_samples,)
        Where the label is wrong: at the end.

    Examples
    --------
    >>> X, y, flipped = make_mislabelled_extreme(random_state=0)
    >>> y[flipped], bool(X[flipped][0, 0] == X.max())
    (array([0]), True)
    """
    n_samples = check_count("n_samples", n_samples, low=2)
    random = check_random_state(random_state)
    y = (np.arange(n_samples) >= n_samples // 2).astype(int)
    x = np.where(y == 1, 2.0, -2.0) + 1.7 * random.standard_normal(n_samples)
    # The rows of class 1 come last, sorted: the farthest of them is the last row of all.
    x[y == 1] = np.sort(x[y == 1])
    return x[:, None], np.where(_mark_last(n_samples), 0, y), _mark_last(n_samples)


def _draw_around(
    curve: Any, noise: float, outlier: tuple[float, float], n_samples: int, random_state: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Noisy points of a curve at even distances on [0, 1], and the outlier."""
    n_samples = check_count("n_samples", n_samples, low=2)
    random = check_random_state(random_state)
    x = np.linspace(0, 1, n_samples - 1)
    y = curve(x) + noise * random.standard_normal(n_samples - 1)
    return np.append(x, outlier[0])[:, None], np.append(y, outlier[1]), _mark_last(n_samples)


def _mark_last(n: int) -> np.ndarray:
    return np.arange(n) == n - 1
