"""What the study of regression errors found: a table, and the figures of the paper."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from ..._files import atomic_path
from ...feature_selection.information import (
    information_gap_needed,
    make_noisy_sine,
    regression_error,
    regression_scale,
)
from .._figure import new_figure
from .._present import Table, to_markdown
from ..figures import plot_regression_errors
from ..figures._regression_errors import CURVES

_ONE_PARAMETER = ["uniform", "Laplace", "Gauss"]
_STUDENTS = [name for name in CURVES if name.startswith("Student")]
# Entropy and degrees of freedom of the subsets of figures 6 and 8. The paper gives no entropies,
# and has the degrees the other way round: at equal entropy 2.3 degrees have the larger error.
_SUBSETS = {
    "mse": {"$X_1$": (0.6, 5.0), "$X_2$": (0.4, 2.3), "$X_3$": (-0.2, 2.3)},
    "mae": {"$X_1$": (0.6, 5.0), "$X_2$": (0.585, 2.3), "$X_3$": (0.5, 2.3)},
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
        figure = new_figure(*size)
        draw(figure)
        files.append(folder / f"{name}.png")
        with atomic_path(files[-1]) as temporary:
            figure.savefig(temporary, dpi=110)
    return files


def write_regression(results: list[dict[str, Any]], path: Path) -> Path:
    """Closed form beside sample, and failures among pairs; means over the repetitions."""
    groups = defaultdict(list)
    for row in results:
        groups[row["dataset"], row["method"]].append(row)
    header = ["errors", "criterion", "closed form", "sampled", "entropy sampled"]
    header += ["failing pairs (%)", "95% loss (%)", "largest gap (nats)"]
    rows = [[*names, *_means(group)] for names, group in groups.items()]
    table = to_markdown(Table("", header, rows, names=2))
    with atomic_path(path) as temporary:
        temporary.write_text(f"# Errors at an entropy of 0.1\n\n{table}\n", encoding="utf-8")
    return path


def _means(group: list[dict[str, Any]]) -> list[str]:
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
