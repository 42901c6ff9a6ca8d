"""Frénay and Verleysen (2010): support vector machines on the kernel of random units, table 1.

Ten outer folds for testing; within each training part ten inner folds choose ``C`` and, for two of
the three methods, the kernel's parameter. A repetition is an outer fold, so that the spread of our
numbers is over test folds, as the published intervals are. The table is also table 4.1 of the 2013
thesis.

The grids are printed with a step of 2, which would leave four values of gamma and make the stated
times impossible; 0.2 explains them (21 · 36 against 26 trainings is 29 to 1, and 140 s to 5 s was
measured). Folds are stratified here; the paper does not say. Its times are not compared.

Methods with a fixed kernel parameter are added to draw figure 1.
"""

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from .._experiment import Experiment
from .._figure import new_figure
from .._published import Published
from ._gram_search import DrawnUnits, Gaussian, GramSearch, OuterFold, powers_of_ten

GAMMAS = powers_of_ten(-5, 2, 1)
SIZES = (1, 3, 10, 30, 100, 300, 1000, 3000, 10_000)
RBF, TUNED, LARGE = (
    "SVM RBF kernel",
    "SVM ELM kernel p* (cross-validated)",
    "SVM ELM kernel p_s=1000",
)


def accuracy(y_test: np.ndarray, predicted: np.ndarray, y: np.ndarray) -> dict[str, float]:
    """Accuracy on the outer fold, in percent."""
    return {"test_accuracy_percent": 100 * float(np.mean(y_test == predicted))}


def search(kernels: list, C: tuple[float, ...], cv: int = 10) -> GramSearch:
    """A classifier on inputs scaled to [-1, 1]."""
    return GramSearch(
        SVC(kernel="precomputed"), kernels, {"C": C}, scaler=MinMaxScaler((-1, 1)), cv=cv
    )


def svm_methods(step: float, gammas: tuple, sizes: tuple, cv: int = 10) -> dict[str, GramSearch]:
    """The published methods, and one for each fixed kernel parameter; ``step`` is that of C."""
    # LIBSVM's C, with half the squared norm, although (1) prints the whole: it was LIBSVM that read
    # the grids. The ELM kernel has one decade more.
    C_rbf, C_elm = powers_of_ten(-1, 3, step), powers_of_ten(-1, 4, step)
    units = sorted({round(p) for p in powers_of_ten(0, 4, step)})
    return (
        {
            RBF: search([Gaussian(g) for g in powers_of_ten(-5, 2, step)], C_rbf, cv),
            TUNED: search([DrawnUnits(p) for p in units], C_elm, cv),
            LARGE: search([DrawnUnits(1000)], C_elm, cv),
        }
        | {f"RBF gamma={g:g}": search([Gaussian(g)], C_rbf, cv) for g in gammas}
        | {f"ELM p={p}": search([DrawnUnits(p)], C_elm, cv) for p in sizes}
    )


def plot_svm_kernels(results: list[dict[str, Any]], folder: Path) -> list[Path]:
    """Figure 1: accuracy against gamma for the RBF kernel, and against p for the ELM kernel."""
    figure = new_figure(9, 4)
    axes = figure.subplots(1, 2, sharey=True)
    panels = {"RBF gamma=": "RBF kernel: gamma", "ELM p=": "ELM kernel: number of units p"}
    for axis, (prefix, label) in zip(axes, panels.items(), strict=True):
        for dataset, curve in curves(results, prefix, "test_accuracy_percent").items():
            axis.semilogx(*zip(*sorted(curve.items()), strict=True), marker=".", label=dataset)
        axis.set(xlabel=label)
    axes[0].set(ylabel="test accuracy in percent")
    figure.legend(*axes[1].get_legend_handles_labels(), loc="outside right upper")
    path = folder / "kernel-parameters.png"
    figure.savefig(path, dpi=150)
    return [path]


def curves(
    results: list[dict[str, Any]], prefix: str, metric: str
) -> dict[str, dict[float, float]]:
    """For each data set, the mean of a metric against the number that ends a method's name."""
    values: dict[str, dict[float, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in results:
        if row["method"].startswith(prefix):
            place = float(row["method"].removeprefix(prefix))
            values[row["dataset"]][place].append(row[metric])
    return {
        dataset: {x: float(np.mean(v)) for x, v in curve.items()}
        for dataset, curve in values.items()
    }


elm_svm = Experiment(
    name="elm-svm",
    title="Frénay and Verleysen 2010: SVM on the kernel of random units",
    datasets={
        "Bupa": "liver_bupa",
        "Cancer": "wdbc",
        "Diabetes": "pima",
        "Heart": "spectf",
        "Ion": "ionosphere",
        "Parkinsons": "parkinsons",
        "Sonar": "sonar",
    },
    methods=svm_methods(0.2, GAMMAS, SIZES),
    repetitions=10,
    metrics=("test_accuracy_percent",),
    measure=OuterFold(accuracy),
    published=Published("frenay_2013_tables", repetitions=10, tables=("1",)),
    illustrate=plot_svm_kernels,
    quick={
        "datasets": {"Cancer": "wdbc"},
        "methods": svm_methods(1, GAMMAS[::2], (3, 30, 300, 3000), cv=5),
    },
)
