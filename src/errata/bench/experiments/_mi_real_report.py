"""Failures of forward searches by size: a table, and a picture of rates, risks and losses."""

from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..._files import atomic_path
from .._figure import new_figure
from .._present import Table, to_markdown

SIZES = 10  # columns drawn for a search
QUANTITIES = ("information", "risk_percent", "loss_percent", "gap")
BY_SIZE = tuple(f"{name}_of_{size}" for name in QUANTITIES for size in range(1, SIZES + 1))
LEAST_GAP = 0.01  # bits
LEAST_LOSS_PERCENT = 0.1
BELOW = {"Digits": "2", "Wallrobot": "1", "Wave": "0.4"}  # percent; published for 95 % of losses


def failing(loss_percent: Any, gap: Any) -> Any:
    """Which losses are failures that count: none is by as little as estimates do not tell apart."""
    return (loss_percent >= LEAST_LOSS_PERCENT) & (gap >= LEAST_GAP)


class Searches(NamedTuple):
    """What the searches in one set chose and lost, (searches, sizes) each."""

    information: np.ndarray
    risk: np.ndarray
    loss: np.ndarray
    gap: np.ndarray

    @property
    def failed(self) -> np.ndarray:
        """Which steps failed by as much as counts."""
        return failing(self.loss, self.gap)

    def loss_95(self) -> float:
        """Below which 95 % of the losses lie, in percent; NaN without any."""
        return float(np.quantile(self.loss[self.failed], 0.95)) if self.failed.any() else np.nan


def searches_of(results: list[dict[str, Any]]) -> dict[str, Searches]:
    """Those of each data set, up to the sizes they reached."""
    found: dict[str, list] = defaultdict(list)
    for row in results:
        found[row["dataset"]].append(np.reshape([row[name] for name in BY_SIZE], (-1, SIZES)))
    tables = {dataset: np.stack(rows, axis=1) for dataset, rows in found.items()}
    return {
        dataset: Searches(*table[:, :, ~np.isnan(table).any(axis=(0, 1))])
        for dataset, table in tables.items()
    }


def illustrate_forward(results: list[dict[str, Any]], folder: Path) -> list[Path]:
    """Failures by size: steps.md and steps.png."""
    searches = searches_of(results)
    path = folder / "steps.md"
    with atomic_path(path) as temporary:
        tables = (to_markdown(table(searches)) for table in (_losses, _rates))
        temporary.write_text("\n\n".join(["# Failing steps", *tables]) + "\n", encoding="utf-8")
    return [path, _plot(searches, folder / "steps.png")]


def _losses(searches: dict[str, Searches]) -> Table:
    header = ["set", "searches", "any failures", "failures", "95 % of losses below", "published"]
    header += ["largest loss"]
    rows = [
        [
            dataset,
            str(len(of.loss)),
            f"{(of.loss > 0).mean():.2%}",
            f"{of.failed.mean():.2%}",
            f"{of.loss_95():.2f} %",
            f"{BELOW[dataset]} %" if dataset in BELOW else "-",
            f"{of.loss.max():.2f} %",
        ]
        for dataset, of in searches.items()
    ]
    return Table("Losses", header, rows, names=1)


def _rates(searches: dict[str, Searches]) -> Table:
    rows = []
    for dataset, of in searches.items():
        any_failures, failures = 100 * (of.loss > 0), 100 * of.failed
        named = {"any failures (%)": any_failures, "failures (%)": failures, "risk (%)": of.risk}
        for name, values in named.items():
            means = [f"{mean:.1f}" for mean in values.mean(axis=0)]
            rows.append([dataset, name, *means, *[""] * (SIZES - len(means))])
    header = ["set", "by size", *map(str, range(1, SIZES + 1))]
    return Table("By size", header, rows, names=2)


def _plot(searches: dict[str, Searches], path: Path) -> Path:
    figure = new_figure(11, 2.9 * len(searches))
    panels = figure.subplots(len(searches), 3, squeeze=False)
    for row, (dataset, of) in zip(panels, searches.items(), strict=True):
        _draw(row, dataset, of)
    figure.savefig(path, dpi=120)
    return path


def _draw(panels: np.ndarray, dataset: str, of: Searches) -> None:
    sizes = np.arange(1, of.loss.shape[1] + 1)
    panels[0].bar(sizes, 100 * (of.loss > 0).mean(axis=0), color="#cccccc", label="by any amount")
    panels[0].bar(sizes, 100 * of.failed.mean(axis=0), color="#0072b2", label="that count")
    panels[0].legend()
    panels[0].set(title=dataset, xlabel="number of columns", ylabel="failures (%)")
    panels[1].errorbar(sizes, of.risk.mean(axis=0), of.risk.std(axis=0), color="#000000", capsize=2)
    panels[1].set(xlabel="number of columns", ylabel="risk (%)", ylim=(0, None))
    for which, colour in ((of.loss > 0, "#bbbbbb"), (of.failed, "#0072b2")):
        panels[2].scatter(of.information[which], of.loss[which], s=8, color=colour)
    panels[2].set(xlabel="information of the chosen (bits)", ylabel="loss (%)", ylim=(0, None))
