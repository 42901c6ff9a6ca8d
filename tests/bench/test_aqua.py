import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.datasets import make_blobs

from errata.bench import get_experiment, load_published, run_experiment, write_comparison
from errata.bench.experiments import _aqua
from errata.cli.__main__ import main


@pytest.fixture
def folder(tmp_path):
    """Two of the five tables, made: words and numbers that tell the classes apart."""
    for name, n_classes in (("mushroom", 2), ("car", 3)):
        X, y = make_blobs(240, 4, centers=n_classes, cluster_std=2.0, random_state=0)
        table = pd.DataFrame(X, columns=list("abcd"))
        table["word"] = np.where(y == 0, "red", "blue")
        table["label"] = np.array(["x", "y", "z"])[y]
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    return tmp_path


def test_tables_that_are_there_are_run_and_the_others_named(folder):
    arguments = ["reproduce", "aqua", "--data", str(folder), "--jobs", "1"]
    result = CliRunner().invoke(main, [*arguments, "--out", str(folder / "out")])
    assert result.exit_code == 0, result.output
    said = " ".join(result.output.split())
    assert "left out: adult.csv, compas.csv, dry_bean.csv." in said
    page = (folder / "out" / "comparison.md").read_text()
    assert "| Mushrooms, uniform |" in page
    assert "| Car Evaluation, asymmetric |" in page
    assert "Adult" not in page
    assert "learning rate of 64" in page


def test_every_number_is_measured_and_told_beside_the_published(folder):
    experiment = get_experiment("aqua").part(datasets=["Mushrooms, asymmetric"])
    results = run_experiment(experiment, folder / "out", folder=folder)
    nothing = [row for row in results if row["method"] == "nothing flagged"]
    for row in nothing:  # of both answers: 0 for the wrong ones, 2 (1 - p) / (2 - p) for the others
        p = row["rate"]
        assert row["noise_level"] == pytest.approx(p, abs=1 / 240)
        assert row["weighted_f1_percent"] == pytest.approx(100 * (1 - p) ** 2 * 2 / (2 - p))
        assert row["f1_percent"] == 0
        assert row["average_precision"] == pytest.approx(p)
    ours = [row for row in results if row["method"] == "errata" and row["noise_level"] == 0.1]
    assert ours[0]["f1_percent"] > 70
    report = write_comparison(experiment, results, folder)
    page = report.files[2].read_text()
    mean = np.mean([row["weighted_f1_percent"] for row in nothing])
    assert f"| 65.3 | 73.7 | 57.0 | 75.3 | {mean:.1f} |" in page


def test_what_is_behind_is_said():
    cells = [("Adult, uniform", "errata"), ("Adult, uniform", "nothing flagged")]
    measured = {"average_precision": 0.5, "f1_percent": 0.0, "rate": 0.1}
    results = [
        {"dataset": dataset, "method": method, "weighted_f1_percent": value, **measured}
        for (dataset, method), value in zip(cells, (66.0, 60.0), strict=True)
    ]
    assert "flagging nothing: Adult, uniform." in _aqua.tabulate(results)[1][1]
    results[0]["weighted_f1_percent"] = 66.6  # the best published is 66.5
    assert "Nowhere" in _aqua.tabulate(results)[1][1]
    results[1]["weighted_f1_percent"] = 70.0
    assert "flagging nothing: Adult, uniform." in _aqua.tabulate(results)[1][1]


def test_noise_is_as_published():
    X, y = make_blobs(6000, 3, centers=3, cluster_std=4.0, random_state=1)
    labels = _aqua.flip_to_next_class(X, y, 0.4, seed=0)
    assert (labels != y).sum() == 2400
    np.testing.assert_array_equal((labels - y)[labels != y] % 3, 1)
    assert np.mean(_aqua.flip_uniformly(X, y, 0.1, seed=0) != y) == pytest.approx(0.1, abs=0.015)
    wrong = _aqua.flip_by_row(X, y, 0.4, seed=0) != y
    # A normal variable of deviation 0.1, cut to 0 to 0.1, is 0.046 on the mean.
    assert wrong.mean() == pytest.approx(0.446, abs=0.02)


def test_class_noise_follows_the_columns_of_the_confusion(monkeypatch):
    class Confused:
        """Takes a fifth of the first class for the second, and nothing else for another."""

        def fit(self, X, y):
            self.y = y
            return self

        def predict(self, X):
            return np.where((self.y == 0) & (np.arange(len(self.y)) % 5 == 0), 1, self.y)

    monkeypatch.setattr(_aqua, "_make_network", lambda seed: Confused())
    y = np.repeat([0, 1, 2], 3000)
    labels = _aqua.flip_by_confusion(y[:, None], y, 0.1, seed=0)
    assert np.all(labels[y != 1] == y[y != 1])
    assert np.mean(labels[y == 1] == 0) == pytest.approx(0.2 / 1.2, abs=0.02)


def test_published_numbers_are_whole():
    rows = load_published("goswami_2023_weighted_f1")
    assert {row["dataset"] for row in rows} == set(get_experiment("aqua").datasets)
    assert len(rows) == 80


def test_without_a_folder_the_tables_are_asked_for(tmp_path, monkeypatch):
    monkeypatch.delenv("ERRATA_DATA", raising=False)
    arguments = ["reproduce", "aqua", "--jobs", "1", "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert "adult" in result.output
    assert not (tmp_path / "out").exists()
