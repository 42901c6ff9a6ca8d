import numpy as np
import pytest

from errata.bench import get_experiment, load_published, run_experiment, write_comparison
from errata.bench._report import compare_with_published
from errata.bench.experiments._ppr import _draw_panels
from errata.bench.figures import plot_outlying_line
from errata.tolerant import ReinforcedLinearRegression

EXPERIMENT = get_experiment("ppr")


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return run_experiment(EXPERIMENT.quickly(), tmp_path_factory.mktemp("ppr"))


def column(results, metric, dataset, method):
    return np.array(
        [row[metric] for row in results if (row["dataset"], row["method"]) == (dataset, method)]
    )


def test_names_agree_with_the_published_numbers():
    rows = load_published("frenay_2013_13_reinforcements")
    assert {row["dataset"] for row in rows} <= set(EXPERIMENT.datasets)
    assert {row["method"] for row in rows} <= set(EXPERIMENT.methods)
    assert {row["metric"] for row in rows} <= set(EXPERIMENT.metrics)


def test_published_logarithms_are_those_of_the_printed_alphas():
    printed = {
        row["setting"][-10:-8]: row["value"]
        for row in load_published("frenay_2013_intext_numbers")
        if row["quantity"] == "alpha giving mean weight 0.95"
    }
    assert printed == {"L1": 10.19, "L2": 323.08}
    for row in load_published("frenay_2013_13_reinforcements"):
        if row["metric"] == "log10_alpha":
            assert row["mean"] == pytest.approx(np.log10(printed[row["method"]]), abs=1e-5)


@pytest.mark.parametrize("dataset", EXPERIMENT.datasets)
@pytest.mark.parametrize("method", ["L1", "L2"])
def test_reinforced_fits_find_the_bad_row_and_come_nearer_to_the_truth(results, dataset, method):
    assert np.all(column(results, "rank_of_bad_row", dataset, method) == 1)
    assert np.all(column(results, "weight_of_bad_row", dataset, method) < 0.5)
    ours = column(results, "error", dataset, method).mean()
    assert ours < 0.5 * column(results, "error", dataset, "plain").mean()


def test_the_published_numbers_are_those_of_an_ordinary_sample(results):
    comparisons = compare_with_published(results, EXPERIMENT.published)
    assert len(comparisons) == 4
    assert all(c["within"] for c in comparisons)


def test_a_figure_has_a_row_per_penalty_and_alpha_too_small_chosen_and_too_large():
    pytest.importorskip("matplotlib", reason="matplotlib is not installed").use("Agg")
    from matplotlib.figure import Figure

    panels = Figure().subplots(2, 3)
    _draw_panels(plot_outlying_line, ReinforcedLinearRegression(), panels)
    weights = np.array([[ax.collections[-1].get_array().mean() for ax in row] for row in panels])
    np.testing.assert_allclose(weights[:, 1:], [[0.95, 1], [0.95, 1]], rtol=0, atol=1e-6)
    assert np.all(weights[:, 0] < 0.7)


@pytest.mark.slow
def test_its_figures_are_drawn(results, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    report = write_comparison(EXPERIMENT, results, tmp_path)
    drawn = {path.name for path in report.files if path.suffix == ".png"}
    assert drawn == {
        *(f"figure-{number}.png" for number in (1, 2, 3, 4, 5, 7)),
        *("figure-6.png", "figure-8.png", "figure-9.png", "figure-10.png", "figure-11-12.png"),
        *("log10_alpha.png", "iterations.png"),
    }
    assert all((tmp_path / name).stat().st_size > 10_000 for name in drawn)
