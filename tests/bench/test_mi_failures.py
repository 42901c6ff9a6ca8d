import dataclasses
from functools import partial

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from errata.bench import (
    Bench,
    Cell,
    get_experiment,
    load_published,
    run_experiment,
    write_comparison,
)
from errata.bench.experiments._mi_failures import (
    BINS,
    CONTINUOUS,
    DISCRETE,
    RANDOM,
    SETTINGS,
    compute_statistics,
    count_outside_bounds,
    measure_failures,
    sum_histograms,
    write_failures,
)
from errata.bench.experiments._mi_risk import measure_fold
from errata.datasets import load_dataset
from errata.feature_selection import MutualInformationSelector
from errata.feature_selection.information import FeatureInformation, sample_discrete_features

EXPERIMENT = get_experiment("mi-failures")


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    tiny = dataclasses.replace(
        EXPERIMENT.quickly(), measure=partial(measure_failures, n_pairs=2000)
    )
    return run_experiment(tiny, tmp_path_factory.mktemp("mi-failures"))


def rows_of(results, dataset):
    return [row for row in results if row["dataset"] == dataset]


def test_names_and_numbers_agree_with_what_the_text_of_the_paper_says():
    rows = load_published("frenay_2013_07_failures")
    assert {row["dataset"] for row in rows} == set(DISCRETE | CONTINUOUS)
    assert {row["method"] for row in rows} == set(EXPERIMENT.methods)
    assert {row["metric"] for row in rows} <= set(EXPERIMENT.metrics)
    words = {"MI": "published_convention", "95th": "loss_95_percent"}
    printed = {
        (row["setting"], words[row["quantity"].split()[0]]): row["value"]
        for row in load_published("frenay_2013_intext_numbers")
        if row["setting"] in SETTINGS
    }
    assert {(row["dataset"], row["metric"]): row["mean"] for row in rows} == printed


def test_a_cell_is_the_statistics_of_its_setting():
    cell, bench = Cell("discrete m=8 alpha=1", None, "mutual information", 3), Bench(None, seed=1)
    found = measure_failures(cell, None, None, bench, n_pairs=500)
    assert set(found) == set(EXPERIMENT.metrics)
    seed = bench.seed_of(cell.dataset, cell.repetition)
    expected = compute_statistics(
        sample_discrete_features(500, random_state=seed), SETTINGS[cell.dataset]
    )
    assert found["failures_percent"] == 100 * expected.failure_rate
    assert found["published_convention"] == found["failures_percent"] / 2
    assert sum(found[f"features_by_error_{i}"] for i in range(BINS)) == 1000


def test_small_failures_count_for_discrete_features_only():
    pair = np.array([[0.5, 0.495]]), np.array([[0.3, 0.2995]])
    loss_too_small = np.array([[0.5, 0.4]]), np.array([[0.3, 0.2995]])
    gap_too_small = np.array([[0.5, 0.495]]), np.array([[0.3, 0.2]])
    for information, error in (pair, loss_too_small, gap_too_small):
        features = FeatureInformation(information, 1 - information, error)
        assert all(compute_statistics(features, s).failing.all() for s in DISCRETE.values())
        assert not any(compute_statistics(features, s).failing.any() for s in CONTINUOUS.values())


def test_nothing_lies_outside_of_its_bounds(results):
    assert all(row["outside_bounds"] == 0 for row in results)
    assert all(row["losses_above_bound"] == 0 for row in results if row["dataset"] not in RANDOM)


def test_what_cannot_be_is_counted():
    # Fano allows 1 bit only at an error of one half; Hellman and Raviv half of 0.2 bits.
    wrong = FeatureInformation(np.zeros(3), np.array([1.0, 0.2, 0.2]), np.array([0.3, 0.11, 0.05]))
    assert count_outside_bounds(wrong, 2) == 2


def test_bins_of_all_repetitions_are_added(results):
    rows = rows_of(results, "discrete m=8 alpha=1")
    histogram = sum_histograms(rows, "information", np.linspace(0, 0.8, BINS + 1))
    assert histogram.features.sum() == pytest.approx(2 * 2 * 2000, abs=10)  # some beyond 0.8 bits
    rate = histogram.failures.sum() / histogram.pairs.sum()
    assert 100 * rate == pytest.approx(np.mean([row["failures_percent"] for row in rows]), abs=0.1)


def test_the_table_has_our_numbers_beside_the_published_ones(results, tmp_path):
    path = write_failures(results, tmp_path / "failures.md")
    lines = path.read_text(encoding="utf-8").splitlines()
    cells = [cell.strip() for cell in lines[7].split("|")[1:-1]]
    mean = np.mean([r["published_convention"] for r in rows_of(results, "discrete m=8 alpha=1")])
    assert cells[0] == "discrete m=8 alpha=1"
    assert cells[2:4] == [f"{mean:.2f}", "4.6"]
    assert lines[-1].startswith("| random, own priors |")
    assert lines[-1].split("|")[4].strip() == "20"


def test_pictures_are_drawn_of_what_was_run(results, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    monkeypatch.setattr("errata.bench.experiments._mi_failures._PAIRS_DRAWN", 500)
    some = [r for r in results if r["dataset"] in ("discrete m=2 alpha=4", "random, 2 values")]
    report = write_comparison(EXPERIMENT, some, tmp_path)
    assert tmp_path / "failures.md" in report.files
    drawn = {path.name for path in report.files if path.suffix == ".png"}
    assert drawn == {"published_convention.png", "loss_95_percent.png", "discrete.png"}


@pytest.mark.slow
@pytest.mark.parametrize("dataset", DISCRETE | CONTINUOUS)
def test_published_rates_and_losses_come_out_to_a_tenth_of_a_point(dataset, tmp_path):
    results = run_experiment(EXPERIMENT.part(datasets=[dataset]), tmp_path)
    for row in load_published("frenay_2013_07_failures"):
        if row["dataset"] == dataset:
            ours = np.mean([r[row["metric"]] for r in results])
            assert ours == pytest.approx(row["mean"], abs=0.1)


BENCH = Bench(None, seed=0)


def test_a_repetition_is_a_fold_and_the_nearest_row_decides():
    found = measure_fold(
        Cell("Iris", None, "information", 13), MutualInformationSelector(), "iris", BENCH
    )
    X, y = load_dataset("iris", return_X_y=True)
    folds = StratifiedKFold(10, shuffle=True, random_state=BENCH.seed_of("Iris", 1))
    train, test = list(folds.split(X, y))[3]
    scaler = StandardScaler().fit(X[train])
    model = KNeighborsClassifier(1).fit(scaler.transform(X[train]), y[train])
    rate = balanced_accuracy_score(y[test], model.predict(scaler.transform(X[test])))
    assert found["error_of_4"] == pytest.approx(100 * (1 - rate), abs=1e-9)
    assert np.isnan(found["error_of_5"])


def test_three_criteria_are_compared_by_size(tmp_path):
    experiment = get_experiment("mi-risk").quickly().part(datasets=["Iris"], repetitions=2)
    results = run_experiment(experiment, tmp_path)
    report = write_comparison(experiment, results, tmp_path)
    text = next(p for p in report.files if p.name == "sizes.md").read_text(encoding="utf-8")
    assert "| Iris | - | 2 |" in text
    assert "information better / worse than soft risk" in text
