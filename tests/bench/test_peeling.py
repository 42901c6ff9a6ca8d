import numpy as np
import pytest

from errata.bench import Bench, Cell, get_experiment
from errata.bench.experiments._peeling import (
    FIGURES,
    ROUNDS,
    SixtyForty,
    boost_after,
    compute_mean_curves,
    flip_fraction,
    load_relabelled,
    plot_rounds,
    score,
)
from errata.datasets import make_twonorm
from errata.ensemble import DiscreteAdaBoostClassifier
from errata.filters import MarginPeeler


def test_names_agree_with_the_published_table():
    experiment = get_experiment("peeling")
    rows = experiment.published.rows()
    assert {row["dataset"] for row in rows} == set(experiment.datasets)
    assert {row["method"] for row in rows} == set(experiment.methods)
    assert {row["metric"] for row in rows} <= set(experiment.metrics)
    assert {row["noise_level"] for row in rows} == set(experiment.noise_levels)


def test_figures_name_what_is_run():
    experiment = get_experiment("peeling")
    for dataset, level, added in FIGURES:
        assert dataset in experiment.datasets
        assert level in experiment.noise_levels
        assert set(added) <= set(experiment.methods)


def test_sixty_percent_train():
    ((train, test),) = SixtyForty(random_state=0).split(np.zeros((351, 1)), np.zeros(351))
    assert (len(train), len(test)) == (211, 140)
    assert set(train) | set(test) == set(range(351))


def test_flips_are_rounded_up():
    y = np.tile([0, 1], 205)
    noisy, flipped = flip_fraction(y, 0.01, 0)
    assert flipped.sum() == 5
    np.testing.assert_array_equal(noisy != y, flipped)
    assert not flip_fraction(y, 0.0, 0)[1].any()


def test_synthetic_sets_are_drawn_anew_in_each_repetition():
    first, second = (load_relabelled("twonorm", None, seed)[0] for seed in (0, 1))
    assert first.shape == second.shape == (300, 20)
    assert not np.allclose(first, second)


def test_labels_of_a_real_set_are_those_of_a_tree(data_folder):
    X, y = load_relabelled("breast_w", data_folder, 0)
    assert X.shape == (699, 9)  # rows that miss a cell included
    assert np.isfinite(X).all()
    assert len(np.unique(y)) == 2


def test_false_positives_are_counted_per_training_row():
    X, y = make_twonorm(200, random_state=0)
    labels, flipped = flip_fraction(y[:100], 0.1, 0)
    model = boost_after(MarginPeeler()).fit(X[:100], labels)
    found = score(model, X[100:], y[100:], flipped)
    assert found["noise_detected_percent"] == 100 * model.flagged_[flipped].mean()
    assert found["false_positive_rate_percent"] == (model.flagged_ & ~flipped).sum()
    assert found["test_error_percent"] == pytest.approx(100 * (1 - model.score(X[100:], y[100:])))
    assert found["error_after_300"] == found["test_error_percent"]
    plain = score(DiscreteAdaBoostClassifier(n_estimators=5).fit(X, y), X, y, flipped)
    assert np.isnan(plain["noise_detected_percent"])


@pytest.mark.parametrize(("level", "flips"), [(0.05, 9), (0.0128, 3)])
def test_linear_programs_are_told_the_level(level, flips):
    experiment = get_experiment("peeling")
    method = "AdaBoost after LPP"
    cell = Cell("twonorm", level, method, 0)
    found = experiment.measure(cell, experiment.methods[method], "twonorm", Bench(None, 0))
    # As many of the 180 rows are peeled as were flipped, rounded up.
    detected, false = found["noise_detected_percent"], found["false_positive_rate_percent"]
    assert detected * flips + false * 180 == pytest.approx(100 * flips)


def test_curves_are_means_and_drawn_where_all_methods_ran(tmp_path):
    pytest.importorskip("matplotlib", reason="the report extra is not installed")
    results = [
        {"dataset": "twonorm", "noise_level": 0.1, "method": method, "repetition": r}
        | {f"error_after_{t}": 10.0 + r for t in ROUNDS}
        for method in get_experiment("peeling").methods
        for r in range(2)
    ]
    curves = compute_mean_curves(results)
    np.testing.assert_allclose(curves["twonorm", 0.1, "AdaBoost"], 10.5)
    (path,) = plot_rounds(results, tmp_path)
    assert path.stat().st_size > 10_000
    assert plot_rounds(results[:2], tmp_path) == []
