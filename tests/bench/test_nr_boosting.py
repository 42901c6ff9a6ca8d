import numpy as np
import pytest

from errata.bench import Bench, Cell, get_experiment


def test_names_agree_with_the_published_table():
    experiment = get_experiment("nr-boosting")
    rows = experiment.published.rows()
    assert {row["dataset"] for row in rows} == set(experiment.datasets)
    assert {row["method"] for row in rows} == set(experiment.methods)
    assert {row["noise_level"] for row in rows} == set(experiment.noise_levels)


def test_one_repetition_is_the_mean_of_ten_folds_near_the_published():
    experiment = get_experiment("nr-boosting")
    method = "PP NR boosting"
    found = experiment.measure(
        Cell("twonorm", 0.0, method, 0), experiment.methods[method], "twonorm", Bench(None, 0)
    )
    assert found["accuracy_percent"] > 94  # published 96.8, Bayes 97.7
    assert found["accuracy_percent"] * 3 == pytest.approx(round(found["accuracy_percent"] * 3))


def test_networks_of_few_steps_warn_of_nothing(recwarn):
    X = np.random.RandomState(0).normal(size=(60, 4))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    for method in ("MLP bagging", "MLP boosting"):
        get_experiment("nr-boosting").methods[method].fit(X, y)
    assert not recwarn.list


def test_the_figure_is_drawn(tmp_path):
    pytest.importorskip("matplotlib", reason="the report extra is not installed")
    experiment = get_experiment("nr-boosting")
    random = np.random.RandomState(0)
    results = [
        {"dataset": dataset, "noise_level": level, "method": method, "repetition": 0,
         "accuracy_percent": random.uniform(50, 100)}
        for dataset in ("twonorm", "ringnorm")
        for level in (0.0, 0.3)
        for method in experiment.methods
    ]  # fmt: skip
    (path,) = experiment.illustrate(results, tmp_path)
    assert path.stat().st_size > 10_000
