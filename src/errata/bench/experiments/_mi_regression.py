"""Frénay, Doquire and Verleysen (2013): mutual information against errors of a regression.

The paper has figures and no table: curves of mean squared and absolute error against entropy, for
five families of errors. Here they are drawn again, the closed forms are held against samples of
y = sin(x) + error, and pairs of feature subsets are compared: each subset has an entropy between
-1 and 1 nat and an error distribution of its own, and a pair fails when the subset with more
information has the larger error. The distributions of these pairs are ours: the paper gives none.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import differential_entropy
from sklearn.base import BaseEstimator

from ...feature_selection.information import (
    failure_statistics,
    information_gap_needed,
    make_noisy_sine,
    regression_error,
    regression_scale,
)
from .._experiment import Bench, Cell, Experiment
from .._report import group_by, make_figure, make_table, save_figure, to_markdown, write_page
from ..figures import CURVES, plot_regression_errors

ENTROPY = 0.1  # of the samples, as in figures 1 and 4
_ENTROPIES = (-1.0, 1.0)
_DEGREES = (2.3, 30.0)  # of Student's distributions in the figures
_RATIOS = (1.0, 10.0)

_ONE_PARAMETER = ["uniform", "Laplace", "Gauss"]
_STUDENTS = [name for name in CURVES if name.startswith("Student")]
# Entropy and degrees of freedom of the subsets of figures 6 and 8. The paper gives no entropies,
# and has the degrees the other way round: at equal entropy 2.3 degrees have the larger error.
_SUBSETS = {
    "mse": {"$X_1$": (0.6, 5.0), "$X_2$": (0.4, 2.3), "$X_3$": (-0.2, 2.3)},
    "mae": {"$X_1$": (0.6, 5.0), "$X_2$": (0.585, 2.3), "$X_3$": (0.5, 2.3)},
}


class ErrorCriterion(BaseEstimator):
    """An error to judge a regression by: a method of this experiment."""

    def __init__(self, criterion: str = "mse") -> None:
        self.criterion = criterion


def _log_uniform(random: np.random.Generator, ends: tuple[float, float], size: Any) -> np.ndarray:
    low, high = np.log(ends)
    return np.exp(random.uniform(low, high, size))


def _draw_shapes(
    criterion: str,
    size: tuple[int, int],
    random: np.random.Generator,
    *,
    family: str,
    parameter: str,
    ends: tuple[float, float],
) -> np.ndarray:
    shapes = {parameter: _log_uniform(random, ends, size)}
    return regression_error(0, family, criterion, **shapes)


def _draw_any_of_three(
    criterion: str, size: tuple[int, int], random: np.random.Generator
) -> np.ndarray:
    three = [regression_error(0, f, criterion) for f in ("uniform", "laplace", "gaussian")]
    return random.choice(three, size)


# Subsets whose errors have one distribution but for their scale: its family and shape.
ONE_CURVE: dict[str, tuple[str, dict[str, float]]] = {
    **{name: (family, shape) for name, (family, shape, _, _) in CURVES.items()},
    "two Gaussians, ratio 3": ("two_gaussians", {"ratio": 3.0}),
}
# Those that draw the distribution, too: the error of each subset at entropy zero.
_draw_student = partial(_draw_shapes, family="student", parameter="df")
SEVERAL_CURVES: dict[str, Callable[..., np.ndarray]] = {
    "uniform, Laplace or Gauss": _draw_any_of_three,
    "Student, 5 to 30 degrees": partial(_draw_student, ends=(5.0, 30.0)),
    "Student, 2.3 to 30 degrees": partial(_draw_student, ends=_DEGREES),
    "two Gaussians, ratio 1 to 10": partial(
        _draw_shapes, family="two_gaussians", parameter="ratio", ends=_RATIOS
    ),
}


def measure_subsets(
    cell: Cell, method: Any, _: None, bench: Bench, *, n_pairs: int = 100_000
) -> dict[str, float]:
    """Draw a sample where there is one curve, and pairs of feature subsets; count the failures."""
    seed = bench.seed_of(cell.dataset, cell.repetition)
    return _measure_sample(cell.dataset, method.criterion, seed, n_pairs) | _measure_pairs(
        cell.dataset, method.criterion, np.random.default_rng(seed), n_pairs
    )


def _measure_sample(dataset: str, criterion: str, seed: int, n: int) -> dict[str, float]:
    """Closed form beside a sample."""
    if dataset not in ONE_CURVE:
        return dict.fromkeys(("error", "sampled_error", "sampled_entropy"), np.nan)
    family, shape = ONE_CURVE[dataset]
    X, y = make_noisy_sine(n, family=family, entropy=ENTROPY, **shape, random_state=seed)
    errors = y - np.sin(X[:, 0])
    # Given x, errors have one distribution on each side of 0.
    halves = (errors[X[:, 0] < 0], errors[X[:, 0] >= 0])
    return {
        "error": float(regression_error(ENTROPY, family, criterion, **shape)),
        "sampled_error": float(np.mean(np.abs(errors) ** (2 if criterion == "mse" else 1))),
        "sampled_entropy": float(np.mean([differential_entropy(half) for half in halves])),
    }


def _measure_pairs(
    dataset: str, criterion: str, random: np.random.Generator, n_pairs: int
) -> dict[str, float]:
    size = (n_pairs, 2)
    entropies = random.uniform(*_ENTROPIES, size)
    power = 2 if criterion == "mse" else 1
    if dataset in ONE_CURVE:
        family, shape = ONE_CURVE[dataset]
        at_zero = regression_error(0, family, criterion, **shape)
    else:
        at_zero = SEVERAL_CURVES[dataset](criterion, size, random)
    # Logarithms fail where errors fail, and their differences are those in percent.
    logs = np.log(at_zero) + power * entropies
    found = failure_statistics(-entropies, logs)
    return {
        "failures_percent": 100 * found.failure_rate,
        "loss_95_percent": 100 * float(np.expm1(found.loss_95)),
        "largest_gap": float(found.gaps.max()) if found.failing.any() else np.nan,
    }


def illustrate_regression(results: list[dict[str, Any]], folder: Path) -> list[Path]:
    """The table, samples (figures 1 and 4), curves (2, 3, 5, 7), failures (6, 8), thresholds."""
    files = [write_regression(results, folder / "regression.md")]
    for name, draw, size in (
        ("samples", _draw_samples, (12, 6.4)),
        ("curves", _draw_curves, (11, 7.6)),
        ("failures", _draw_failures, (11, 4)),
        ("thresholds", _draw_thresholds, (6.4, 4.2)),
    ):
        figure = make_figure(*size)
        draw(figure)
        files.append(save_figure(figure, folder / f"{name}.png", dpi=110))
    return files


mi_regression = Experiment(
    name="mi-regression",
    title="Frénay and others 2013: mutual information and errors of a regression",
    datasets=dict.fromkeys([*ONE_CURVE, *SEVERAL_CURVES]),
    methods={"MSE": ErrorCriterion("mse"), "MAE": ErrorCriterion("mae")},
    metrics=(
        *("error", "sampled_error", "sampled_entropy"),
        *("failures_percent", "loss_95_percent", "largest_gap"),
    ),
    measure=measure_subsets,
    repetitions=10,
    illustrate=illustrate_regression,
    quick={"repetitions": 2, "measure": partial(measure_subsets, n_pairs=20_000)},
)


def write_regression(results: list[dict[str, Any]], path: Path) -> Path:
    """Closed form beside sample, and failures among pairs; means over the repetitions."""
    groups = group_by(results, "dataset", "method")
    header = ["errors", "criterion", "closed form", "sampled", "entropy sampled"]
    header += ["failing pairs (%)", "95% loss (%)", "largest gap (nats)"]
    rows = [[*names, *_compute_means(group)] for names, group in groups.items()]
    table = to_markdown(make_table("", header, rows, names=2))
    return write_page(path, "Errors at an entropy of 0.1", table)


def _compute_means(group: list[dict[str, Any]]) -> list[str]:
    digits = {"error": 5, "sampled_error": 5, "sampled_entropy": 4}
    digits |= {"failures_percent": 2, "loss_95_percent": 1, "largest_gap": 4}
    means = {name: np.mean([row[name] for row in group]) for name in digits}
    # The largest of all, not the mean of the largest.
    means["largest_gap"] = max(row["largest_gap"] for row in group)
    return ["-" if np.isnan(means[n]) else f"{means[n]:.{digits[n]}f}" for n in digits]


def _draw_samples(figure: Any) -> None:
    x = np.linspace(-np.pi, np.pi, 200)
    panels = figure.subplots(2, 3, sharex=True, sharey=True).flat
    for panel, (name, (family, shape, colour, _)) in zip(panels, CURVES.items(), strict=True):
        X, y = make_noisy_sine(300, family=family, **shape, random_state=0)
        panel.plot(X[:, 0], y, ".", ms=4, color=colour)
        panel.plot(x, np.sin(x), color="black", linewidth=1)
        scale = regression_scale(0.1, family, **shape)
        panel.set(title=f"{name}, scale {scale:.3f}", ylim=(-3, 3))
    figure.supxlabel("x")
    figure.supylabel("sin(x) + error, H(Y|X) = 0.1 nats")


def _draw_curves(figure: Any) -> None:
    for row, criterion in zip(figure.subplots(2, 2), ("mse", "mae"), strict=True):
        for panel, curves in zip(row, (_ONE_PARAMETER, _STUDENTS), strict=True):
            plot_regression_errors(criterion, curves=curves, ax=panel)


def _draw_failures(figure: Any) -> None:
    for panel, criterion in zip(figure.subplots(1, 2), _SUBSETS, strict=True):
        plot_regression_errors(criterion, curves=_STUDENTS[:2], ax=panel)
        points = {
            name: (entropy, regression_error(entropy, "student", criterion, df=df))
            for name, (entropy, df) in _SUBSETS[criterion].items()
        }
        for name, point in points.items():
            panel.plot(*point, "o", color="black", ms=4)
            place, side = ((7, -9), "left") if name == "$X_1$" else ((-4, 6), "right")
            panel.annotate(name, point, place, textcoords="offset points", ha=side)
        entropies, errors = zip(*points.values(), strict=True)
        margin = 0.15
        panel.set(xlim=(min(entropies) - margin, max(entropies) + margin))
        panel.set(ylim=(0.8 * min(errors), 1.2 * max(errors)))
        panel.legend(loc="lower right", fontsize="small")


def _draw_thresholds(figure: Any) -> None:
    panel = figure.subplots()
    degrees = np.geomspace(2.02, 30, 400)
    for criterion, colour in (("mse", "#D55E00"), ("mae", "#0072B2")):
        for rival, style in ((5.0, "--"), (30.0, "-")):
            errors = regression_error(0, "student", criterion, df=degrees)
            gap = information_gap_needed(
                errors, regression_error(0, "student", criterion, df=rival), criterion=criterion
            )
            label = f"{criterion.upper()}, rival {rival:g} degrees"
            panel.plot(degrees, gap, style, color=colour, label=label)
    panel.set(xscale="log", xlabel="degrees of freedom of the subset taken")
    panel.set(ylabel="information gap needed (nats)", ylim=(0, 0.6))
    panel.set_xticks([2, 3, 5, 10, 30], ["2", "3", "5", "10", "30"])
    panel.minorticks_off()
    panel.legend()
