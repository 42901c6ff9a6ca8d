"""Frénay and Verleysen (2014): probability reinforcements on small samples with one bad row.

The four problems of section 4 (figures 6, 8, 9 and 10), the choice of alpha of section 5 (figures
11 and 12) and the curves of figures 1 to 5 and 7, which need no data. The paper prints four
numbers, all of one sample of the first problem: the alpha found and the iterations it took.
Everything else is in its figures, which are drawn again.

The samples are not given, nor are the places of the bad rows, the alphas under the figures, or the
rule by which iterations stop. Here weights must move by less than 1e-12: only so strict a rule
makes the second penalty need as many iterations as the published 18.
"""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import norm
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning

from ...exceptions import SuspicionWarning
from ...tolerant import (
    ReinforcedKernelRidge,
    ReinforcedLinearRegression,
    ReinforcedLogisticRegression,
    ReinforcedPCA,
)
from ...tolerant.reinforced._loop import compute_reinforcements, log_reinforced, weigh
from .. import figures
from .._experiment import Bench, Cell, Experiment, Published
from .._report import make_figure, save_figure

_TOL = 1e-12  # see above: the paper's 18 iterations take a rule this strict


class Reinforcement(BaseEstimator):
    """How probabilities are reinforced, whatever the model: a method of this experiment."""

    def __init__(
        self, reinforcement_penalty: str = "l1", reinforcement: float | str = "auto"
    ) -> None:
        self.reinforcement_penalty = reinforcement_penalty
        self.reinforcement = reinforcement


def measure(cell: Cell, method: BaseEstimator, _: None, bench: Bench) -> dict[str, float]:
    """Fit one sample; the bad row is the last."""
    seed = bench.seed_of(cell.dataset, cell.repetition)
    model, error = PROBLEMS[cell.dataset](
        seed, {**method.get_params(), "tol": _TOL, "max_iter": 500}
    )
    return {
        "log10_alpha": model.log_reinforcement_ / np.log(10),
        "iterations": model.n_iter_,
        "error": float(error),
        "weight_of_bad_row": float(model.weights_[-1]),
        "rank_of_bad_row": 1 + int((model.log_likelihood_ < model.log_likelihood_[-1]).sum()),
    }


def _measure_line(seed: int, how: dict[str, Any]) -> tuple[Any, float]:
    """Error: the worse of slope and intercept."""
    X, y, _ = figures.make_outlying_line(random_state=seed)
    model = ReinforcedLinearRegression(**how).fit(X, y)
    return model, max(abs(model.coef_[0] - 2), abs(model.intercept_ - 1))


def _measure_sine(seed: int, how: dict[str, Any]) -> tuple[Any, float]:
    """Error: root mean square distance to the sine."""
    X, y, _ = figures.make_outlying_sine(random_state=seed)
    model = ReinforcedKernelRidge(gamma=10, alpha=0.1, **how).fit(X, y)
    x = np.linspace(0, 1, 200)
    return model, np.sqrt(np.mean((model.predict(x[:, None]) - np.sin(2 * np.pi * x)) ** 2))


def _measure_labels(seed: int, how: dict[str, Any]) -> tuple[Any, float]:
    """Error: mean distance to the plain fit with all labels right."""
    X, y, flipped = figures.make_mislabelled_extreme(random_state=seed)
    model = ReinforcedLogisticRegression(**how).fit(X, y)
    clean = ReinforcedLogisticRegression(reinforcement=np.inf).fit(X, np.where(flipped, 1, y))
    # Both classes and their tails: the means are -2 and 2, the standard deviation is 1.7.
    x = np.linspace(-6, 6, 241)[:, None]
    return model, np.mean(np.abs(model.predict_proba(x) - clean.predict_proba(x)))


def _measure_cloud(seed: int, how: dict[str, Any]) -> tuple[Any, float]:
    """Error: of the standard deviation across the first axis, 0.2."""
    X, _ = figures.make_outlying_cloud(random_state=seed)
    model = ReinforcedPCA(**how).fit(X)
    return model, abs(model.scale_ - 0.2)


PROBLEMS: dict[str, Callable[[int, dict[str, Any]], tuple[Any, float]]] = {
    "line": _measure_line,
    "sine": _measure_sine,
    "labels": _measure_labels,
    "cloud": _measure_cloud,
}


def illustrate_ppr(_: list[dict], folder: Path) -> list[Path]:
    """Figures 6 and 8 to 10, with alpha too small, chosen and too large; 11a, 12a and curves."""
    files = []
    for number, penalty, alphas in [
        (1, "l1", (1e2, 1e3, 1e4)),
        (2, "l2", (1e4, 1e6, 1e8)),
        (3, "l1/2", (4, 12, 40)),
    ]:
        figure = make_figure(10, 3.8)
        _draw_reinforcements(penalty, alphas, figure.subplots(1, 2))
        files.append(save_figure(figure, folder / f"figure-{number}.png", dpi=100))
    for number, draw in [(4, _draw_bounds), (5, _draw_weights), (7, _draw_tails)]:
        figure = make_figure(10, 3.8)
        for penalty, panel in zip(("l1", "l2"), figure.subplots(1, 2), strict=True):
            draw(penalty, panel)
        files.append(save_figure(figure, folder / f"figure-{number}.png", dpi=100))
    for number, plot, model in [
        (6, figures.plot_outlying_line, ReinforcedLinearRegression()),
        (8, figures.plot_outlying_sine, ReinforcedKernelRidge(gamma=10, alpha=0.1)),
        (9, figures.plot_mislabelled_extreme, ReinforcedLogisticRegression()),
        (10, figures.plot_outlying_cloud, ReinforcedPCA()),
    ]:
        figure = make_figure(17, 8.5)
        _draw_panels(plot, model, figure.subplots(2, 3))
        files.append(save_figure(figure, folder / f"figure-{number}.png", dpi=100))
    figure = make_figure(10, 3.8)
    for penalty, panel in zip(("l1", "l2"), figure.subplots(1, 2, sharey=True), strict=True):
        _draw_mean_weight(penalty, panel)
    files.append(save_figure(figure, folder / "figure-11-12.png", dpi=100))
    return files


def _draw_reinforcements(penalty: str, alphas: Any, panels: Any) -> None:
    """Draw the addition to a probability, and the sum of both: figures 1 to 3."""
    p = np.geomspace(1e-6, 1, 2001)
    for alpha, style in zip(alphas, ("-", "--", ":"), strict=True):
        added = compute_reinforcements(np.log(p), np.log(alpha), penalty)
        for panel, values in zip(panels, (added, p + added), strict=True):
            # A gap where values jump: L1/2 has no reinforcement from there on.
            panel.loglog(p, np.where(values > 0, values, np.nan), style, label=f"alpha = {alpha:g}")
    panels[0].set(xlabel="p", ylabel="r", title=f"{penalty.upper()} penalty")
    panels[1].set(xlabel="p", ylabel="p + r")
    panels[1].legend()


def _draw_bounds(penalty: str, ax: Any) -> None:
    """The reinforced log-likelihood by the mean, and its bound that touches it: figure 4."""
    x = np.random.default_rng(0).normal(size=50)
    old = norm.logpdf(x, 0.2, 1.3)
    log_alpha = np.log(10.0 if penalty == "l1" else 100.0)
    added = compute_reinforcements(old, log_alpha, penalty)
    weights = weigh(old, log_alpha, penalty)
    means = np.linspace(-2, 2, 401)[:, None]
    log_p = norm.logpdf(x, means, 1.3)
    ax.plot(means, np.log(np.exp(log_p) + added).sum(axis=1), label="reinforced")
    bound = (weights * (log_p - old) + np.log(np.exp(old) + added)).sum(axis=1)  # theorem 3
    ax.plot(means, bound, "--", label="bound")
    ax.plot(0.2, np.log(np.exp(old) + added).sum(), "o", color="black", label="they touch")
    ax.set(xlabel="mean", ylabel="log-likelihood", title=f"{penalty.upper()} penalty")
    ax.legend()


def _draw_weights(penalty: str, ax: Any) -> None:
    """The weight of a row by its probability: figure 5."""
    p = np.geomspace(1e-6, 1, 2001)
    alphas = (1e2, 1e3, 1e4) if penalty == "l1" else (1e4, 1e6, 1e8)
    for alpha, style in zip(alphas, ("-", "--", ":"), strict=True):
        ax.semilogx(p, weigh(np.log(p), np.log(alpha), penalty), style, label=f"alpha = {alpha:g}")
    ax.set(xlabel="p", ylabel="weight", title=f"{penalty.upper()} penalty")
    ax.legend()


def _draw_tails(penalty: str, ax: Any) -> None:
    """A Gaussian of width 0.2 and what it is reinforced to: figure 7."""
    residuals = np.linspace(-1, 1, 2001)
    log_p = norm.logpdf(residuals, 0, 0.2)
    alpha = 25.0 if penalty == "l1" else 625.0
    ax.plot(residuals, np.exp(log_p), label="p")
    ax.plot(residuals, np.exp(log_reinforced(log_p, np.log(alpha), penalty)), "--", label="p + r")
    ax.set(xlabel="residual", ylabel="density", title=f"{penalty.upper()}, alpha = {alpha:g}")
    ax.legend()


def _draw_panels(plot: Callable[..., Any], model: BaseEstimator, panels: np.ndarray) -> None:
    """One row per penalty. A small alpha takes the weight of most rows, and the fits say so."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SuspicionWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        # The thresholds are 1/alpha for L1 and 1/sqrt(alpha) for L2: hence 1e15 beside 1e30.
        for row, penalty, alphas in [(0, "l1", (0.3, "auto", 1e15)), (1, "l2", (1, "auto", 1e30))]:
            for column, alpha in enumerate(alphas):
                model.set_params(reinforcement=alpha, reinforcement_penalty=penalty)
                plot(model, ax=panels[row, column])


def _draw_mean_weight(penalty: str, ax: Any) -> None:
    """Mean weight of the fits with fixed alpha, and the alpha that was chosen."""
    X, y, _ = figures.make_outlying_line(random_state=0)
    chosen = ReinforcedLinearRegression(reinforcement_penalty=penalty).fit(X, y)
    alphas = chosen.reinforcement_ * np.geomspace(0.3, 1e3 if penalty == "l1" else 1e6, 80)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        means = [
            clone(chosen).set_params(reinforcement=alpha).fit(X, y).mean_weight_ for alpha in alphas
        ]
    ax.semilogx(alphas, means, color="#0072B2")
    ax.axhline(0.95, color="0.6", linestyle=":", label="asked for")
    ax.plot(chosen.reinforcement_, chosen.mean_weight_, "o", color="#D55E00", label="chosen alpha")
    ax.set(xlabel="alpha", ylabel="mean weight", title=f"{penalty.upper()} penalty")
    ax.legend()


ppr = Experiment(
    name="ppr",
    title="Frénay and Verleysen 2014: reinforcements on samples with one bad row",
    datasets=dict.fromkeys(PROBLEMS),  # without a name in errata.datasets: measure makes them
    methods={
        # An infinite alpha makes r zero in (12) and (17): ordinary maximum likelihood.
        "plain": Reinforcement(reinforcement=np.inf),
        "L1": Reinforcement("l1"),
        "L2": Reinforcement("l2"),
        "L1/2": Reinforcement("l1/2"),
    },
    metrics=("log10_alpha", "iterations", "error", "weight_of_bad_row", "rank_of_bad_row"),
    measure=measure,
    repetitions=100,
    published=Published("frenay_2013_13_reinforcements", repetitions=1),
    illustrate=illustrate_ppr,
    quick={"repetitions": 20},
)
