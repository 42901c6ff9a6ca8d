"""Frénay, Doquire and Verleysen (2013), section 6: where forward searches go wrong.

Ten columns are drawn, and a forward search adds the one with most information about the class.
A step fails when another column of that step leaves a lower risk. Information and risk follow from
the same class probabilities, so that the bounds of Fano and of Hellman and Raviv hold for them.

The paper draws 5000 times and prints failures in percent of all steps, and below what 95 % of the
losses remain. In section 5 it leaves out failures by less than 0.01 bits or 0.1 % of risk, which
estimates do not tell apart. It does not say so again in section 6. But all failures are two to
sixty times as many as printed, and with that rule the printed rates are nearly met:
``failures_percent`` follows it, ``any_failures_percent`` the text of section 6. It does not state
the number of neighbours either; eight are taken. The estimates of a set are made once for each
subset, however many searches come to it.
"""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table
from scipy.special import entr
from sklearn.base import BaseEstimator

from ...feature_selection._distances import ClassRows, SubsetDistances, prepare_columns
from ...feature_selection._estimates import count_soft_errors, log_posteriors_of
from ...feature_selection.information import FeatureInformation, fano_lower, hellman_raviv_upper
from .._experiment import Bench, Cell, Experiment, Published, load_largest
from .._report import group_by, make_figure, make_table, save_figure, to_markdown, write_page
from ._mi_failures import count_outside_bounds

N_NEIGHBORS = 8
JITTER = 1e-3
ROUNDING = 1e-9
LEAST_LOSS = 1e-12

BUNDLED = {"Wine": "wine", "Breast cancer": "wdbc"}  # not of the paper; they need no folder
N_CLASSES = {"wall_robot": 2}  # the largest ones; others have all
SIZES = 10  # columns drawn for a search
QUANTITIES = ("information", "risk_percent", "loss_percent", "gap")
BY_SIZE = tuple(f"{name}_of_{size}" for name in QUANTITIES for size in range(1, SIZES + 1))
LEAST_GAP = 0.01  # bits
LEAST_LOSS_PERCENT = 0.1
BELOW = {"Digits": "2", "Wallrobot": "1", "Wave": "0.4"}  # percent; published for 95 % of losses


class Step:
    """A step of a search: the worth of its candidates, and what it chose and lost.

    Parameters
    ----------
    information, risk : array of shape (candidates,)
        In bits, and as a fraction.

    Attributes
    ----------
    chosen : int
        The candidate with most information, the first of equals.
    loss : float
        How much more it risks than the best; 0 unless the step fails.
    gap : float
        How much more information it has than the one of least risk.
    fails : bool
        Whether the step fails by as much as counts.
    """

    def __init__(self, information: np.ndarray, risk: np.ndarray) -> None:
        self.information = information
        self.risk = risk
        self.chosen = int(information.argmax())
        loss = float(risk[self.chosen] - risk.min())
        self.loss = loss if loss > LEAST_LOSS else 0.0
        self.gap = float(information[self.chosen] - information[risk.argmin()])
        self.fails = bool(find_failing(100 * self.loss, self.gap))


class Estimates:
    """Information and risk of the subsets of one set, each estimated once."""

    def __init__(self, X: np.ndarray, y: np.ndarray, seed: int) -> None:
        X = prepare_columns(X, standardize=True, jitter=JITTER, random_state=seed)
        codes = np.unique(y, return_inverse=True)[1]
        self.rows = ClassRows(X, codes, N_NEIGHBORS)
        self.distances = SubsetDistances(self.rows.columns, self.rows.split_by_class())
        self.class_entropy = float(entr(self.rows.sizes / self.rows.n).sum() / np.log(2))
        self.n_classes = len(self.rows.sizes)
        self.known: dict[frozenset[int], tuple[float, float]] = {}

    def step(self, subset: Sequence[int], candidates: Sequence[int]) -> Step:
        """The subset with each of the candidates."""
        keys = [frozenset([*subset, j]) for j in candidates]
        new = [j for j, key in zip(candidates, keys, strict=True) if key not in self.known]
        if new:
            for j, entropy, risk in zip(new, *self._estimate(subset, new), strict=True):
                self.known[frozenset([*subset, j])] = (self.class_entropy - entropy, risk)
        return Step(*np.transpose([self.known[key] for key in keys]))

    def _estimate(self, subset: Sequence[int], candidates: Sequence[int]) -> np.ndarray:
        """Entropies of the class in bits, and risks."""
        d = len(subset) + 1

        def sums(squares: np.ndarray, block: slice) -> np.ndarray:
            found = log_posteriors_of(squares, self.rows, self.rows.codes[block], d)
            entropies = entr(np.exp(found)).sum(axis=(1, 2)) / np.log(2)
            return np.column_stack([entropies, count_soft_errors(found)])

        return self.distances.with_each(subset, candidates, sums).T / self.rows.n


@lru_cache(maxsize=1)
def get_estimates(dataset: str, folder: Any, n_classes: int | None, seed: int) -> Estimates:
    """The estimates of a set, shared by all searches of a process."""
    return Estimates(*load_largest(dataset, folder, n_classes), seed)


def search_forward(estimates: Estimates, columns: Sequence[int]) -> list[Step]:
    """Add the column with most information until there are none left."""
    subset: list[int] = []
    left = list(columns)
    steps = []
    while left:
        steps.append(estimates.step(subset, left))
        subset.append(left.pop(steps[-1].chosen))
    return steps


class ForwardSearch(BaseEstimator):
    """By information: the one method of this experiment."""


def measure_search(cell: Cell, _: Any, dataset: str, bench: Bench) -> dict[str, float]:
    """Draw columns and search forward: failures of all steps, and what happened at each size."""
    estimates = get_estimates(
        dataset, bench.folder, N_CLASSES.get(dataset), bench.seed_of(cell.dataset)
    )
    random = np.random.RandomState(bench.seed_of(cell.dataset, cell.repetition))
    n_columns = len(estimates.rows.columns)
    columns = random.choice(n_columns, min(SIZES, n_columns), replace=False)
    steps = search_forward(estimates, [int(j) for j in columns])
    return {
        "failures_percent": 100 * float(np.mean([step.fails for step in steps])),
        "any_failures_percent": 100 * float(np.mean([step.loss > 0 for step in steps])),
        "outside_bounds": sum(count_impossible_candidates(step, estimates) for step in steps),
        "losses_above_bound": sum(is_above_bound(step, estimates) for step in steps),
    } | arrange_by_size(steps)


def arrange_by_size(steps: list[Step]) -> dict[str, float]:
    """Choice, loss and gain of the step to each size; NaN beyond the last."""
    found = dict.fromkeys(BY_SIZE, np.nan)
    for size, step in enumerate(steps, start=1):
        found[f"information_of_{size}"] = float(step.information[step.chosen])
        found[f"risk_percent_of_{size}"] = 100 * float(step.risk[step.chosen])
        found[f"loss_percent_of_{size}"] = 100 * step.loss
        found[f"gap_of_{size}"] = step.gap
    return found


def count_impossible_candidates(step: Step, estimates: Estimates) -> int:
    """How many candidates Fano or Hellman and Raviv say cannot be: none, if all is right."""
    entropy = estimates.class_entropy - step.information
    found = FeatureInformation(step.information, entropy, step.risk)
    return count_outside_bounds(found, estimates.n_classes)


def is_above_bound(step: Step, estimates: Estimates) -> bool:
    """Whether a step loses more than its information allows: never, if all is right."""
    # Rounding may take the entropy of even probabilities a little above what there can be.
    entropy = min(
        estimates.class_entropy - step.information[step.chosen], np.log2(estimates.n_classes)
    )
    least = fano_lower(entropy, estimates.n_classes)
    most = hellman_raviv_upper(entropy)
    return bool(step.loss > most - least + ROUNDING)


def illustrate_forward(results: list[dict[str, Any]], folder: Path) -> list[Path]:
    """Failures by size: steps.md and steps.png."""
    searches = {name: Searches(rows) for name, rows in group_by(results, "dataset").items()}
    tables = (to_markdown(make(searches)) for make in (_make_loss_table, _make_rate_table))
    page = write_page(folder / "steps.md", "Failing steps", *tables)
    return [page, _plot(searches, folder / "steps.png")]


mi_real = Experiment(
    name="mi-real",
    title="Frénay and others 2013: failures of forward searches by mutual information",
    datasets={"Digits": "pendigits", "Wallrobot": "wall_robot", "Wave": "waveform21", **BUNDLED},
    methods={"forward search": ForwardSearch()},
    metrics=(
        "failures_percent",
        "any_failures_percent",
        "outside_bounds",
        "losses_above_bound",
        *BY_SIZE,
    ),
    measure=measure_search,
    repetitions=5000,
    published=Published("frenay_2013_07_forward", repetitions=5000),
    illustrate=illustrate_forward,
    quick={"datasets": BUNDLED, "repetitions": 20},
)


def find_failing(loss_percent: Any, gap: Any) -> Any:
    """Which losses are failures that count: none is by as little as estimates do not tell apart."""
    return (loss_percent >= LEAST_LOSS_PERCENT) & (gap >= LEAST_GAP)


class Searches:
    """Choices and losses of searches in one set, (searches, sizes) each, up to the sizes reached.

    ``failed`` are the steps that failed by as much as counts; 95 % of their losses lie below
    ``loss_95``, in percent, which is NaN without any.
    """

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        tables = [np.reshape([row[name] for name in BY_SIZE], (-1, SIZES)) for row in rows]
        table = np.stack(tables, axis=1)
        reached = ~np.isnan(table).any(axis=(0, 1))
        self.information, self.risk, self.loss, self.gap = table[:, :, reached]
        self.failed = find_failing(self.loss, self.gap)
        losses = self.loss[self.failed]
        self.loss_95 = float(np.quantile(losses, 0.95)) if len(losses) else np.nan


def _make_loss_table(searches: dict[str, Searches]) -> Table:
    header = ["set", "searches", "any failures", "failures", "95 % of losses below", "published"]
    header += ["largest loss"]
    rows = [
        [
            dataset,
            str(len(of.loss)),
            f"{(of.loss > 0).mean():.2%}",
            f"{of.failed.mean():.2%}",
            f"{of.loss_95:.2f} %",
            f"{BELOW[dataset]} %" if dataset in BELOW else "-",
            f"{of.loss.max():.2f} %",
        ]
        for dataset, of in searches.items()
    ]
    return make_table("Losses", header, rows)


def _make_rate_table(searches: dict[str, Searches]) -> Table:
    rows = []
    for dataset, of in searches.items():
        any_failures = 100 * (of.loss > 0)
        failures = 100 * of.failed
        named = {"any failures (%)": any_failures, "failures (%)": failures, "risk (%)": of.risk}
        for name, values in named.items():
            means = [f"{mean:.1f}" for mean in values.mean(axis=0)]
            rows.append([dataset, name, *means, *[""] * (SIZES - len(means))])
    header = ["set", "by size", *map(str, range(1, SIZES + 1))]
    return make_table("By size", header, rows, names=2)


def _plot(searches: dict[str, Searches], path: Path) -> Path:
    figure = make_figure(11, 2.9 * len(searches))
    panels = figure.subplots(len(searches), 3, squeeze=False)
    for row, (dataset, of) in zip(panels, searches.items(), strict=True):
        _draw(row, dataset, of)
    return save_figure(figure, path, dpi=120)


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
