import dataclasses
from functools import partial

import numpy as np
import pytest

from errata.bench import get_experiment, run_experiment, write_comparison
from errata.bench.experiments._mi_regression import (
    _SUBSETS,
    ONE_CURVE,
    SEVERAL_CURVES,
    measure_subsets,
    write_regression,
)
from errata.feature_selection.information import information_gap_needed, regression_error

EXPERIMENT = get_experiment("mi-regression")


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    tiny = dataclasses.replace(EXPERIMENT.quickly(), measure=partial(measure_subsets, n_pairs=5000))
    return run_experiment(tiny, tmp_path_factory.mktemp("mi-regression"))


def column(results, metric, dataset, method):
    return np.array(
        [r[metric] for r in results if (r["dataset"], r["method"]) == (dataset, method)]
    )


@pytest.mark.parametrize("method", ["MSE", "MAE"])
@pytest.mark.parametrize("dataset", list(ONE_CURVE))
def test_on_one_curve_nothing_fails_and_samples_have_its_error(results, dataset, method):
    assert np.all(column(results, "failures_percent", dataset, method) == 0)
    np.testing.assert_allclose(
        column(results, "sampled_entropy", dataset, method), 0.1, rtol=0, atol=0.12
    )
    # The squares of errors with 2.3 degrees of freedom have no variance: no sample is large enough.
    if (dataset, method) != ("Student, 2.3 degrees", "MSE"):
        ratio = column(results, "sampled_error", dataset, method).mean() / column(
            results, "error", dataset, method
        )
        np.testing.assert_allclose(ratio, 1, rtol=0, atol=0.15)


@pytest.mark.parametrize("method", ["MSE", "MAE"])
@pytest.mark.parametrize("dataset", list(SEVERAL_CURVES))
def test_across_curves_some_pairs_fail_and_have_no_single_error(results, dataset, method):
    assert np.all(column(results, "failures_percent", dataset, method) > 0)
    assert np.isnan(column(results, "error", dataset, method)).all()


def test_no_failure_has_a_gap_above_the_threshold(results):
    for method, criterion in (("MSE", "mse"), ("MAE", "mae")):
        constants = [regression_error(0, f, criterion) for f in ("uniform", "laplace", "gaussian")]
        most = information_gap_needed(max(constants), min(constants), criterion=criterion)
        gaps = column(results, "largest_gap", "uniform, Laplace or Gauss", method)
        assert 0.8 * most < gaps.max() <= most


def test_heavy_tails_cost_much_in_squares_and_little_in_absolute_values(results):
    of = "Student, 2.3 to 30 degrees"
    square, absolute = (column(results, "loss_95_percent", of, m).mean() for m in ("MSE", "MAE"))
    assert square > 50
    assert absolute < 5


def test_the_subsets_of_the_figures_fail_and_do_not_fail_as_in_the_paper():
    for criterion, subsets in _SUBSETS.items():
        errors = {
            name: regression_error(entropy, "student", criterion, df=df)
            for name, (entropy, df) in subsets.items()
        }
        assert subsets["$X_3$"][0] < subsets["$X_2$"][0] < subsets["$X_1$"][0]
        assert errors["$X_3$"] < errors["$X_1$"] < errors["$X_2$"]


def test_the_table_has_a_row_for_each_kind_and_criterion(results, tmp_path):
    lines = write_regression(results, tmp_path / "regression.md").read_text().splitlines()
    assert len(lines) == 4 + 2 * len(ONE_CURVE | SEVERAL_CURVES)
    assert lines[4].startswith("| uniform | MSE | 0.10178 | ")
    assert lines[-1].startswith("| two Gaussians, ratio 1 to 10 | MAE | - | - | - | ")


def test_its_figures_are_drawn(results, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    report = write_comparison(EXPERIMENT, results, tmp_path)
    drawn = {path.name for path in report.files if path.suffix == ".png"}
    assert drawn == {"samples.png", "curves.png", "failures.png", "thresholds.png"}
    assert all((tmp_path / name).stat().st_size > 10_000 for name in drawn)
