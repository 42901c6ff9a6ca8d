from dataclasses import replace

import numpy as np
import pytest

from errata.bench import get_experiment, run_experiment
from errata.bench._experiment import load_complete
from errata.bench.experiments._elm_kernels import (
    GAUSSIAN,
    SIGMAS,
    VARIANCES,
    compute_relative_error,
    elm,
    make_powers_of_ten,
    make_svr_methods,
    plot_svr_kernels,
)


def published():
    """Published errors in the units of the target."""
    rows = get_experiment("elm-svr").published.rows()
    return {(r["dataset"], r["method"]): r["mean"] * VARIANCES[r["dataset"]] / 100 for r in rows}


# Table 2 of the paper, the cells of Stock and CPU put where recomputing them says they belong.
@pytest.mark.parametrize(
    ("dataset", "method", "expected"),
    [
        ("Stock", GAUSSIAN, 4.2e-1),
        ("Stock", elm(0.1), 6.8e-1),
        ("Stock", elm(1), 4.3e-1),
        ("Stock", elm(10), 3.5e-1),
        ("Stock", elm(100), 3.6e-1),
        ("Stock", elm(1000), 3.8e-1),
        ("CPU", elm(0.1), 3.0e3),
        ("CPU", elm(1), 3.9e3),
        ("Cancer", elm(0.01), 1.0e3),
        ("Abalone", elm(0.1), 4.5),
    ],
)
def test_damaged_rows_of_the_tables_are_aligned(dataset, method, expected):
    assert published()[dataset, method] == pytest.approx(expected, rel=1e-12)


def test_cells_that_could_be_in_two_places_are_not_compared():
    cells = set(published())
    assert ("Abalone", elm(1)) not in cells
    assert ("CPU", elm(0.001)) not in cells
    assert ("CPU", elm(100)) not in cells
    assert ("Stock", elm(0.01)) not in cells


def test_names_agree_with_the_published_table():
    experiment = get_experiment("elm-svr")
    assert {d for d, _ in published()} == set(experiment.datasets) == set(VARIANCES)
    assert {m for _, m in published()} <= set(experiment.methods)
    assert {elm(s) for s in SIGMAS} <= set(experiment.methods)


def test_grids_lie_within_the_published_ones():
    gaussian = get_experiment("elm-svr").methods[GAUSSIAN]
    assert {kernel.keywords["gamma"] for kernel in gaussian.kernels} <= set(
        make_powers_of_ten(-3, 0, 0.5)
    )
    assert set(gaussian.grid["C"]) <= set(make_powers_of_ten(-2, 6, 0.5))
    assert 1e-5 < min(gaussian.grid["epsilon"]) < max(gaussian.grid["epsilon"]) < 10


def test_errors_are_in_percent_of_the_variance():
    y = np.array([0.0, 2.0, 4.0])
    assert compute_relative_error(y[:1], np.array([1.0]), y) == {
        "test_mse_percent": pytest.approx(100 / np.var(y))
    }


@pytest.mark.parametrize("name", VARIANCES)
def test_variances_are_those_of_the_data(data_folder, name):
    _, y = load_complete(get_experiment("elm-svr").datasets[name], data_folder)
    assert np.var(y) == pytest.approx(VARIANCES[name], rel=1e-3)


def test_the_figure_is_drawn(tmp_path):
    pytest.importorskip("matplotlib", reason="the report extra is not installed")
    methods = make_svr_methods((1,), (0.1,), (0.1,), SIGMAS)
    results = [
        {"dataset": "CPU", "noise_level": None, "method": method, "repetition": 0,
         "test_mse_percent": 10.0 + i}
        for i, method in enumerate(methods)
    ]  # fmt: skip
    (path,) = plot_svr_kernels(results, tmp_path)
    assert path.stat().st_size > 10_000


@pytest.mark.slow
def test_stock_does_not_mind_the_spread_once_large_enough(tmp_path, data_folder):  # U3
    sigmas = (0.01, 1, 10, 100)
    methods = make_svr_methods((1, 10, 100, 1000), (0.03, 0.1), (0.1,), sigmas)
    whole = get_experiment("elm-svr")
    experiment = replace(
        whole,
        datasets={"Stock": "reg_stock"},
        methods={elm(s): methods[elm(s)] for s in sigmas},
    )
    results = run_experiment(experiment, tmp_path, folder=data_folder, n_jobs=-1)

    def error(sigma_w):
        found = [r["test_mse_percent"] for r in results if r["method"] == elm(sigma_w)]
        return np.mean(found) * VARIANCES["Stock"] / 100

    for sigma_w in (1, 10, 100):
        assert 0.3 <= error(sigma_w) <= 0.5
    assert error(0.01) > 3
