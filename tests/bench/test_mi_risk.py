import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from errata.bench import get_experiment, run_experiment, write_comparison
from errata.bench._experiment import Bench, Cell
from errata.bench.experiments._mi_risk import measure_fold
from errata.datasets import load_dataset
from errata.feature_selection import MutualInformationSelector

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
