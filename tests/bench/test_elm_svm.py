from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from errata.bench import get_experiment, load_published, run_experiment
from errata.bench.experiments._elm_kernels import (
    LARGE,
    RBF,
    TUNED,
    collect_curves,
    compute_drawn_units,
    make_powers_of_ten,
    make_svm_methods,
    plot_svm_kernels,
    search,
)


def published_intervals():
    """The published interval of the accuracy with 1000 units, for each data set."""
    return {
        row["dataset"]: (row["ci_low"], row["ci_high"])
        for row in load_published("frenay_2013_tables")
        if row["method"] == LARGE and row["metric"] == "test_accuracy_percent"
    }


def test_names_agree_with_the_published_table():
    experiment = get_experiment("elm-svm")
    rows = [row for row in experiment.published.rows() if row["metric"] in experiment.metrics]
    ours = {(d, m) for d in experiment.datasets for m in (RBF, TUNED, LARGE)}
    assert ours <= {(row["dataset"], row["method"]) for row in rows}
    assert set(experiment.datasets) == set(published_intervals())


def test_grids_are_the_published_ones():
    methods = get_experiment("elm-svm").methods
    assert (len(methods[RBF].kernels), len(methods[RBF].grid["C"])) == (36, 21)
    assert len(methods[LARGE].grid["C"]) == 26
    assert [k.keywords["n_hidden"] for k in methods[TUNED].kernels][-1] == 10_000


def fake_results():
    rows = []
    for dataset in ("Bupa", "Ion"):
        for method in make_svm_methods(1, (0.1, 1.0), (10, 100)):
            rows += [
                {"dataset": dataset, "noise_level": None, "method": method, "repetition": fold,
                 "test_accuracy_percent": 80.0 + fold}
                for fold in range(3)
            ]  # fmt: skip
    return rows


def test_curves_are_means_over_folds_against_the_kernel_parameter():
    found = collect_curves(fake_results(), "ELM p=", "test_accuracy_percent")
    assert found == {"Bupa": {10.0: 81.0, 100.0: 81.0}, "Ion": {10.0: 81.0, 100.0: 81.0}}


def test_the_figure_is_drawn(tmp_path):
    pytest.importorskip("matplotlib", reason="the report extra is not installed")
    (path,) = plot_svm_kernels(fake_results(), tmp_path)
    assert path.stat().st_size > 10_000


def accuracies(tmp_path, data_folder, datasets, methods):
    """Mean accuracy over the ten outer folds of each data set with each method."""
    whole = get_experiment("elm-svm")
    some = {name: whole.datasets[name] for name in datasets}
    experiment = replace(whole, datasets=some, methods=methods)
    results = run_experiment(experiment, tmp_path, folder=data_folder, n_jobs=-1)
    return {
        (dataset, method): np.mean(
            [
                row["test_accuracy_percent"]
                for row in results
                if (row["dataset"], row["method"]) == (dataset, method)
            ]
        )
        for dataset in datasets
        for method in methods
    }


@pytest.mark.slow
def test_a_thousand_units_reach_the_published_accuracies(tmp_path, data_folder):  # U2
    method = {
        LARGE: search(
            [partial(compute_drawn_units, n_hidden=1000)], make_powers_of_ten(-1, 4, 1), cv=5
        )
    }
    intervals = published_intervals()
    found = accuracies(tmp_path, data_folder, intervals, method)
    for dataset, (low, high) in intervals.items():
        assert low - 3 <= found[dataset, LARGE] <= high + 3, dataset


@pytest.mark.slow
def test_accuracy_is_flat_in_the_number_of_units(tmp_path, data_folder):  # U4
    C = make_powers_of_ten(-1, 4, 1)
    methods = {
        f"ELM p={p}": search([partial(compute_drawn_units, n_hidden=p)], C, cv=5)
        for p in (30, 300, 1000, 3000)
    }
    found = accuracies(tmp_path, data_folder, ["Ion"], methods)
    many = [found["Ion", f"ELM p={p}"] for p in (300, 1000, 3000)]
    assert max(many) - min(many) <= 3
    assert found["Ion", "ELM p=30"] < min(many)
