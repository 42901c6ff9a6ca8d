"""Frénay (2013), table 4.2: how to solve a support vector machine on 300 random units fastest.

LIBSVM on the features themselves, LIBSVM on their Gram matrix, LIBLINEAR on the features: three
ways to the same classifier. Ten outer folds test, inner folds choose ``C``; only the calls to the
solvers are timed, the search included. A repetition is an outer fold. The thesis says neither the
activation nor the grid of ``C`` nor the settings of the solvers: here erf units, powers of ten, and
what the authors of either library set themselves.

Times are given as ratios to the fastest of the three, since seconds say more about a computer than
about a solver, and so are the published ones beside them. They are not compared number by number:
another computer, another compiler, other versions. Run it with one job at a time.

Three more methods ask whether ``ELMSVC(solver="auto")`` takes the faster of its two ways. Here the
whole fit is timed, hidden layer and Gram matrix included, as this is what a user waits for.
"""

from collections import defaultdict
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from sklearn.svm import SVC, LinearSVC

from ..._files import atomic_path
from ...elm import ELMSVC
from .._experiment import Experiment
from .._figure import new_figure
from .._present import Table, to_markdown
from .._published import Published, load_published
from ._gram_search import LIBSVM_LIMIT, powers_of_ten
from ._solver_times import Contestant, Race

N_HIDDEN = 300
EXPLICIT, GRAM, LIBLINEAR = THREE = (
    "LIBSVM explicit ELM features",
    "LIBSVM precomputed Gram",
    "LIBLINEAR explicit ELM features",
)
BY_GRAM, BY_FEATURES, AUTO = (f'ELMSVC solver="{s}"' for s in ("gram", "linear", "auto"))

PUBLISHED = {
    EXPLICIT: Contestant(SVC(kernel="linear", max_iter=LIBSVM_LIMIT), "features"),
    GRAM: Contestant(SVC(kernel="precomputed", max_iter=LIBSVM_LIMIT), "gram"),
    # LIBLINEAR itself stops at a tolerance of 0.1 or after 1000 passes; scikit-learn does not.
    LIBLINEAR: Contestant(LinearSVC(loss="hinge", tol=0.1, max_iter=1000), "features"),
}
# ELMSVC divides its features by the root of their number, so its C is larger by that number.
OURS = {
    f'ELMSVC solver="{solver}"': Contestant(
        ELMSVC(kernel="finite", n_hidden=N_HIDDEN, solver=solver, max_gram_bytes=2**28),
        "rows",
        unit=N_HIDDEN,
    )
    for solver in ("gram", "linear", "auto")
}


def published_ratios() -> dict[tuple[str, str], float]:
    """Published time of a solver on a data set, over that of the fastest."""
    rows = [r for r in load_published("frenay_2013_tables") if r["metric"] == "solver_time_seconds"]
    seconds = {(r["dataset"], r["method"]): r["mean"] for r in rows if r["table"] == "4.2"}
    return {
        (dataset, method): value / min(seconds[dataset, other] for other in THREE)
        for (dataset, method), value in seconds.items()
    }


def mean_ratios(results: list[dict[str, Any]]) -> dict[tuple[str, str], float]:
    """Our ratios, mean over the outer folds."""
    values = defaultdict(list)
    for row in results:
        values[row["dataset"], row["method"]].append(row["time_over_fastest"])
    return {key: fmean(ratios) for key, ratios in values.items()}


def ratio_table(results: list[dict[str, Any]]) -> Table:
    """Ratios to the fastest, ours and published, one row per data set."""
    ours, theirs = mean_ratios(results), published_ratios()
    columns = [(ours, m) for m in THREE] + [(theirs, m) for m in THREE]
    columns += [(ours, m) for m in (BY_GRAM, BY_FEATURES, AUTO)]
    names = [*THREE, *(f"{m}, published" for m in THREE), BY_GRAM, BY_FEATURES, AUTO]
    rows = [
        [dataset, *(f"{ratios[dataset, method]:.1f}" for ratios, method in columns)]
        for dataset in dict.fromkeys(row["dataset"] for row in results)
    ]
    return Table("Time over that of the fastest", ["data set", *names], rows, names=1)


def illustrate_times(results: list[dict[str, Any]], folder: Path) -> list[Path]:
    """Write the table of ratios, and draw it."""
    table = ratio_table(results)
    path, picture = folder / "times.md", folder / "times.png"
    with atomic_path(path) as temporary:
        temporary.write_text(f"# {table.title}\n\n{to_markdown(table)}\n", encoding="utf-8")
    figure = new_figure(10, 5)
    axes = figure.subplots(1, 3, sharex=True, sharey=True)
    panels = {
        "ours": (mean_ratios(results), THREE),
        "published": (published_ratios(), THREE),
        "ELMSVC": (mean_ratios(results), (BY_GRAM, BY_FEATURES, AUTO)),
    }
    for axis, (title, (ratios, methods)) in zip(axes, panels.items(), strict=True):
        _draw_ratios(axis, [row[0] for row in table.rows], ratios, methods)
        axis.set(title=title, xlabel="time over that of the fastest")
    # Below the panels, where no point is hidden; the first two have the same methods.
    for axis, side in ((axes[0], "left"), (axes[2], "right")):
        figure.legend(*axis.get_legend_handles_labels(), loc=f"outside lower {side}")
    with atomic_path(picture) as temporary:
        figure.savefig(temporary, dpi=150)
    return [path, picture]


def _draw_ratios(
    axis: Any, datasets: list[str], ratios: dict[tuple[str, str], float], methods: tuple[str, ...]
) -> None:
    places = np.arange(len(datasets))
    for method, marker in zip(methods, "o^s", strict=True):
        values = [ratios[dataset, method] for dataset in datasets]
        axis.plot(values, places, marker, markersize=5, alpha=0.8, label=method)
    # In the order of the table, from the top; inverting would flip shared axes once per panel.
    axis.set(xscale="log", yticks=places, yticklabels=datasets, ylim=(len(datasets) - 0.5, -0.5))
    axis.xaxis.set_major_formatter("{x:g}")
    axis.xaxis.set_minor_formatter("")


elm_solver = Experiment(
    name="elm-solver",
    title="Frénay 2013: solvers of a support vector machine on random units",
    datasets={
        "Parkinsons": "parkinsons",
        "Bupa": "liver_bupa",
        "Ionosphere": "ionosphere",
        "Vehicle": "vehicle",
        "Wdbc": "wdbc",
        "Segment": "segment",
        "Pima": "pima",
        "Masses": "mammographic",
        "Yeast": "yeast",
        "Optdigits": "optdigits",
        "Waveform": "waveform40",
        "Robot": "wall_robot",
        "Page": "page_blocks",
    },
    methods=PUBLISHED | OURS,
    repetitions=10,
    metrics=("test_accuracy_percent", "time_over_fastest"),
    measure=Race((PUBLISHED, OURS), C=powers_of_ten(-3, 0, 1), n_hidden=N_HIDDEN),
    published=Published("frenay_2013_tables", repetitions=10, tables=("4.2",)),
    illustrate=illustrate_times,
    quick={"datasets": {"Wdbc": "wdbc"}},
)
