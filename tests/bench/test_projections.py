import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from errata.bench import get_experiment
from errata.bench.experiments._projections import (
    N_ESTIMATORS,
    collect_accuracies,
    load_some,
    move_apart,
    plot_robustness,
    write_claims,
)
from errata.ensemble._projection_ensemble import PROJECTIONS
from errata.tables import read_table


def results(n_sets=8, levels=(0.0, 0.2)):
    """A sturdy projection, 2 points better than AdaBoost, 6 under noise."""
    scores = {
        "AdaBoost": {0.0: 80, 0.2: 70},
        "Bagging": {0.0: 80, 0.2: 78},
        "sturdy": {0.0: 82, 0.2: 76},
        "frail": {0.0: 81, 0.2: 60},
    }
    return [
        {
            "dataset": f"set {i}", "noise_level": level, "method": method, "repetition": 0,
            "accuracy_percent": score[level] + i * (1 + 0.1 * len(method)),
        }
        for i in range(n_sets)
        for method, score in scores.items()
        for level in levels
    ]  # fmt: skip


def test_every_projection_takes_part_with_the_trees_of_its_rivals():
    experiment = get_experiment("projections")
    assert set(PROJECTIONS) < set(experiment.methods)
    assert len(experiment.datasets) >= 20
    for name in ("AdaBoost", "Bagging", *PROJECTIONS):
        method = experiment.methods[name]
        assert method.n_estimators == N_ESTIMATORS == 100
        assert isinstance(method.estimator, DecisionTreeClassifier)
        assert method.estimator.ccp_alpha > 0  # a perfect tree would leave nothing to learn from


def test_rows_are_complete_few_and_of_classes_that_a_fold_can_hold(data_folder):
    for name in get_experiment("projections").datasets:
        X, y = load_some(name, data_folder, 1)
        assert len(X) <= 500
        assert np.all(np.isfinite(X))
        assert np.unique(y, return_counts=True)[1].min() >= 10


def test_generated_rows_are_new_in_each_repetition_and_others_are_not():
    assert not np.array_equal(load_some("twonorm", None, 1)[0], load_some("twonorm", None, 2)[0])
    np.testing.assert_array_equal(load_some("iris", None, 1)[0], load_some("iris", None, 2)[0])
    assert len(load_some("wdbc", None, 1)[0]) == 500


def test_accuracies_are_means_over_repetitions():
    table = collect_accuracies(
        [*results(3), {**results(3)[0], "repetition": 1, "accuracy_percent": 90}]
    )
    assert table[0.0]["AdaBoost"][0] == 85
    assert table[0.2]["AdaBoost"][0] == 70


def test_claims_name_gains_wins_and_whether_they_are_real(tmp_path):
    write_claims(results(), tmp_path / "claims.csv")
    rows = read_table(tmp_path / "claims.csv").to_pylist()

    def row(**wanted):
        return next(r for r in rows if all(r[key] == value for key, value in wanted.items()))

    won = row(noise_level="0.2", claim="accuracy", method="sturdy", rival="AdaBoost")
    # 6 points, less 0.2 for each place among the eight sets
    assert float(won["gain"]) == pytest.approx(6 - 0.2 * 3.5)
    assert (won["wins"], won["losses"]) == ("8", "0")
    assert float(won["p_value"]) == pytest.approx(2 * 2 / 2**8)  # exact, two projections
    kept = row(noise_level="0.2", claim="robustness", method="sturdy", rival="AdaBoost")
    assert float(kept["mean"]) == pytest.approx(-6)
    assert float(kept["gain"]) == pytest.approx(4)
    lost = row(noise_level="0.2", claim="robustness", method="frail", rival="Bagging")
    assert float(lost["gain"]) == pytest.approx(-19)
    assert not [r for r in rows if r["claim"] == "robustness" and r["noise_level"] == "0.0"]


def test_one_data_set_proves_nothing_and_one_level_draws_nothing(tmp_path):
    assert write_claims(results(1), tmp_path / "claims.csv") == []
    assert plot_robustness(results(3, levels=(0.0,)), tmp_path / "x.png") == []
    assert not list(tmp_path.iterdir())


def test_names_at_the_end_of_curves_keep_apart():
    placed = move_apart([1.0, 5.0, 5.1, 5.0], gap=1)
    assert np.diff(np.sort(placed)).min() >= 1 - 1e-12
    assert placed.argmax() == 2
    assert placed.argmin() == 0


def test_accuracy_against_noise_is_drawn(tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    (path,) = plot_robustness(results(), tmp_path / "robustness.png")
    assert path.read_bytes().startswith(b"\x89PNG")
