import numpy as np
import pytest

from errata.bench import get_experiment, list_experiments, load_published, run_experiment
from errata.bench.experiments._datasets import load_complete
from errata.bench.experiments._walmsley import flip_each, load_same


def test_names_agree_with_the_published_tables():
    experiment = get_experiment("walmsley")
    rows = load_published("walmsley_2017_accuracy")
    assert set(experiment.datasets) == {row["dataset"] for row in rows}
    assert set(experiment.noise_levels) == {row["noise_level"] for row in rows}
    assert set(experiment.methods) <= {row["method"] for row in rows}


@pytest.mark.parametrize("experiment", list_experiments(), ids=lambda e: e.name)
def test_the_quick_version_is_a_part_of_the_whole(experiment):
    quick = experiment.quickly()
    assert set(quick.cells()) < set(experiment.cells())
    assert quick.name == f"{experiment.name}-quick"


def test_each_label_is_changed_by_itself_with_no_warning_at_one_half():
    _, flipped = flip_each(np.arange(20_000) % 2, 0.5, seed=0)
    assert flipped.mean() == pytest.approx(0.5, abs=0.02)
    assert flipped.sum() != 10_000


def test_generated_rows_are_the_same_in_every_repetition_and_run():
    first, _ = load_same("make_moons", None, 1)
    load_complete.cache_clear()  # as in another process
    np.testing.assert_array_equal(load_same("make_moons", None, 2)[0], first)


def test_rows_with_missing_cells_are_left_out(data_folder):
    X, _ = load_same("ilpd", data_folder, 0)
    assert X.shape == (579, 10)  # the size in table 4.1.1


@pytest.mark.slow
def test_bagging_beats_a_single_perceptron_under_noise(tmp_path):
    results = run_experiment(get_experiment("walmsley").quickly(), tmp_path, n_jobs=-1)

    def mean(method, level):
        return np.mean(
            [
                row["accuracy_percent"]
                for row in results
                if (row["method"], row["noise_level"]) == (method, level)
            ]
        )

    for level in (0.2, 0.4):
        assert mean("Bagging", level) > mean("Perceptron", level) + 5
