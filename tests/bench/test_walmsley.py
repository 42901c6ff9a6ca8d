import numpy as np
import pytest

from errata.bench import get_experiment, list_experiments, load_published, run_experiment
from errata.bench._report import make_figure
from errata.bench.experiments import _walmsley
from errata.datasets import load_dataset

MEASURE = get_experiment("walmsley").measure


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
    _, flipped = MEASURE.inject(np.arange(20_000) % 2, 0.5, seed=0)
    assert flipped.mean() == pytest.approx(0.5, abs=0.02)
    assert flipped.sum() != 10_000


def test_generated_rows_are_the_same_in_every_repetition_and_run():
    expected, _ = load_dataset("make_moons", random_state=0, return_X_y=True)
    for seed in (1, 2):
        np.testing.assert_array_equal(MEASURE.load("make_moons", None, seed)[0], expected)


def test_rows_with_missing_cells_are_left_out(data_folder):
    X, _ = MEASURE.load("ilpd", data_folder, 0)
    assert X.shape == (579, 10)  # the size in table 4.1.1


def test_the_picture_of_hardness_shows_the_means_of_repetitions(tmp_path, monkeypatch):
    figures = []

    def keep(width, height):
        figures.append(make_figure(width, height))
        return figures[-1]

    monkeypatch.setattr(_walmsley, "make_figure", keep)
    quarters = np.linspace(0, 1, 5)
    results = [
        {
            "dataset": dataset,
            "noise_level": level,
            **_walmsley.summarise_hardness(
                np.r_[0.4 * quarters, high * quarters], np.arange(10) > 4
            ),
        }
        for dataset in ("vowel", "pima", "ecoli")  # the paper shows no picture of the second
        for level in (0.0, 0.1, 0.2)
        for high in (0.8, 1.0)
    ]
    for row in results[:2]:
        row.update(dict.fromkeys(_walmsley.METRICS, np.nan))  # no wrong label at this level
    [path] = _walmsley.plot_hardness(results, tmp_path / "hardness.png")
    assert path.stat().st_size > 10_000
    [figure] = figures
    curves, boxes = np.split(np.array(figure.axes), 2)
    assert [axes.get_title() for axes in curves] == ["ecoli", "vowel"]
    clean, noisy = (bars.lines[0] for bars in curves[1].containers)
    np.testing.assert_allclose(clean.get_xydata(), [[9, 0.2], [19, 0.2]], rtol=1e-12)
    np.testing.assert_allclose(noisy.get_xydata(), [[11, 0.45], [21, 0.45]], rtol=1e-12)
    heights = [line.get_ydata().tolist() for line in boxes[1].lines if len(line.get_ydata()) == 2]
    np.testing.assert_allclose(heights[:2], [[0.1, 0], [0.3, 0.4]], atol=1e-12)  # whiskers
    assert boxes[0].get_ylabel() == "kDN hardness at 10% noise"


def test_nothing_is_drawn_of_sets_that_the_paper_does_not_show(tmp_path):
    row = {"dataset": "pima", "noise_level": 0.1, **dict.fromkeys(_walmsley.METRICS, 0.5)}
    assert _walmsley.plot_hardness([row], tmp_path / "hardness.png") == []


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
