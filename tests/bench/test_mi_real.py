import numpy as np
import pytest

from errata.bench import get_experiment, run_experiment, write_comparison
from errata.bench.experiments._mi_real import (
    Estimates,
    Step,
    arrange_by_size,
    count_impossible_candidates,
    is_above_bound,
    search_forward,
)
from errata.datasets import load_dataset
from errata.feature_selection import bayes_risk, posterior_information
from errata.feature_selection._distances import prepare_columns


@pytest.fixture(scope="module")
def wine():
    return load_dataset("wine", return_X_y=True)


@pytest.fixture
def estimates(wine):
    return Estimates(*wine, seed=0)


def test_estimates_are_those_of_the_public_functions(wine, estimates):
    X, y = wine
    ready = prepare_columns(X, standardize=True, jitter=1e-3, random_state=0)
    step = estimates.step([0, 6], [9, 12])
    for place, columns in enumerate(([0, 6, 9], [0, 6, 12])):
        information = posterior_information(ready[:, columns], y, base=2)
        assert step.information[place] == pytest.approx(information, rel=1e-9)
        risk = bayes_risk(ready[:, columns], y, method="soft")
        assert step.risk[place] == pytest.approx(risk, rel=1e-9)


def test_a_subset_is_estimated_once_in_whatever_order_it_is_met(estimates):
    first = estimates.step([0, 6], [9])
    estimates._estimate = None  # not to be called again
    again = estimates.step([9, 0], [6])
    np.testing.assert_array_equal(first.information, again.information)
    np.testing.assert_array_equal(first.risk, again.risk)


def test_a_step_fails_when_another_candidate_risks_less():
    step = Step(np.array([1.0, 1.2, 0.9]), np.array([0.10, 0.12, 0.2]))
    assert step.chosen == 1
    assert step.loss == pytest.approx(0.02, rel=1e-9)
    assert step.gap == pytest.approx(0.2, rel=1e-9)
    right = Step(np.array([1.3, 1.2]), np.array([0.10, 0.12]))
    assert right.loss == right.gap == 0


def test_failures_that_estimates_cannot_tell_do_not_count():
    risk = np.array([0.100, 0.102])
    assert Step(np.array([1.0, 1.02]), risk).fails
    assert not Step(np.array([1.0, 1.005]), risk).fails  # too little more information
    assert not Step(np.array([1.0, 1.02]), np.array([0.1, 0.1005])).fails  # too little lost
    assert not Step(np.array([1.02, 1.0]), risk).fails


def test_searches_add_the_column_with_most_information(estimates):
    steps = search_forward(estimates, [3, 6, 12])
    assert [len(step.risk) for step in steps] == [3, 2, 1]
    best = int(np.argmax([estimates.step([], [j]).information[0] for j in (3, 6, 12)]))
    assert steps[0].chosen == best
    assert steps[2].loss == 0  # there is nothing to choose any more
    found = arrange_by_size(steps)
    assert found["risk_percent_of_3"] == pytest.approx(100 * steps[2].risk[0], rel=1e-12)
    assert np.isnan(found["risk_percent_of_4"])


def test_bounds_hold_for_estimates_and_not_for_what_cannot_be(estimates):
    steps = search_forward(estimates, range(13))
    assert sum(count_impossible_candidates(step, estimates) for step in steps) == 0
    assert not any(is_above_bound(step, estimates) for step in steps)
    sure = estimates.class_entropy
    impossible = Step(np.array([sure, sure]), np.array([0.3, 0.0]))
    assert count_impossible_candidates(impossible, estimates) == 1
    assert is_above_bound(impossible, estimates)


def test_failures_by_size_are_written(tmp_path):
    experiment = get_experiment("mi-real").quickly().part(datasets=["Wine"], repetitions=3)
    results = run_experiment(experiment, tmp_path)
    assert all(row["outside_bounds"] == row["losses_above_bound"] == 0 for row in results)
    report = write_comparison(experiment, results, tmp_path)
    assert {"steps.md", "steps.png"} <= {path.name for path in report.files}
    losses = np.array([[row[f"loss_percent_of_{s}"] for s in range(1, 11)] for row in results])
    count = np.mean([row["failures_percent"] for row in results]) / 100
    text = (tmp_path / "steps.md").read_text(encoding="utf-8")
    assert f"| Wine | 3 | {(losses > 0).mean():.2%} | {count:.2%} |" in text


def test_the_published_rates_stand_beside_ours(tmp_path):
    experiment = get_experiment("mi-real")
    assert {row["dataset"]: row["mean"] for row in experiment.published.rows()} == {
        "Digits": 7.8,
        "Wallrobot": 2.4,
        "Wave": 0.2,
    }
    assert {"Digits", "Wallrobot", "Wave"} < set(experiment.datasets)
    assert list(experiment.methods) == [row["method"] for row in experiment.published.rows()][:1]
