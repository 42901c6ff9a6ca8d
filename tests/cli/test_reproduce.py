import dataclasses
from contextlib import nullcontext

import pytest
from sklearn.linear_model import Perceptron
from sklearn.pipeline import make_pipeline

import errata
from cli.command_line import invoke


def run(*arguments):
    return invoke("reproduce", *arguments)


@pytest.fixture
def tiny(monkeypatch):
    """The walmsley experiment, cut down to a second."""
    experiment = dataclasses.replace(
        errata.bench.get_experiment("walmsley"),
        methods={"Perceptron": make_pipeline(Perceptron(max_iter=5, tol=None))},
        quick={"datasets": {"wdbc": "wdbc"}, "noise_levels": (0.0, 0.2), "repetitions": 2},
    )
    monkeypatch.setattr("errata.bench.get_experiment", lambda name: experiment)


def test_without_a_name_experiments_are_listed():
    result = run()
    assert result.exit_code == 0
    assert "walmsley" in result.output


def test_results_comparison_and_picture_are_written(tiny, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    result = run("walmsley", "--quick", "--jobs", 1, "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert "lie within two standard errors of the published ones" in result.output
    for name in ("results.csv", "manifest.json", "comparison.md", "accuracy_percent.png"):
        assert (tmp_path / name).exists()
        assert name in result.output
    assert (
        "| accuracy_percent | 0% | wdbc | Perceptron |" in (tmp_path / "comparison.md").read_text()
    )


def test_the_status_counts_what_was_measured(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    folder = tmp_path / "reproductions" / "survey"
    folder.mkdir(parents=True)
    header = "dataset,noise_level,method,repetition,er1\n"
    rows = "iris,0.1,bagging,0,0.02\niris,0.1,bagging,1,0.02\nunheard of,0.1,bagging,0,0.02\n"
    (folder / "results.csv").write_text(header + rows)
    for arguments in ([], ["survey"], ["survey", "--out", folder]):
        result = run("--status", *arguments)
        assert result.exit_code == 0, result.output
        (line,) = (line for line in result.output.splitlines() if "survey " in line[:20])
        assert [cell.strip() for cell in line.split("│")[3:6]] == ["2", "960", "0 to 2 of 8"]


def test_a_part_of_the_data_sets_and_of_the_repetitions(tiny, tmp_path):
    part = ["--dataset", "wdbc", "--repetitions", 1]
    result = run("walmsley", "--quick", *part, "--jobs", 1, "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert len((tmp_path / "results.csv").read_text().splitlines()) == 3  # a header, two levels


def test_the_cluster_that_was_named_is_asked(tiny, tmp_path, monkeypatch):
    asked = {}

    def seen(*_, **options):
        asked.update(options)
        raise ValueError("enough.")

    monkeypatch.setattr("errata.bench.run_experiment", seen)
    monkeypatch.setattr("errata._engine.connect", nullcontext)
    run("walmsley", "--engine", "dask", "--scheduler", "tcp://10.0.0.1:8786", "--out", tmp_path)
    assert asked["engine"] == "tcp://10.0.0.1:8786"


@pytest.mark.slow
def test_on_a_cluster_of_this_machine_the_same_is_measured(tiny, tmp_path):
    pytest.importorskip("distributed", reason="distributed is not installed")
    here = run("walmsley", "--quick", "--jobs", 1, "--out", tmp_path / "here")
    there = run("walmsley", "--quick", "--engine", "dask", "--out", tmp_path / "there")
    assert (here.exit_code, there.exit_code) == (0, 0), there.output
    one, other = ((tmp_path / name / "results.csv").read_bytes() for name in ("here", "there"))
    assert one == other


def test_a_stopped_run_says_how_to_go_on(tiny, tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("errata.bench.run_experiment", interrupted)
    result = run("walmsley", "--quick", "--out", tmp_path)
    assert result.exit_code == 130
    assert "The same command goes on from here" in result.output


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nonsense"], "there is no experiment 'nonsense'; choose from aqua, confident-learning, "),
        (["walmsley"], "13 data sets are missing (pima, ctg, "),
        (["walmsley", "--dataset", "iris"], "dataset='iris' is not known; choose from "),
        (["walmsley", "--repetitions", "0"], "repetitions=0 must be a whole number at least 1"),
        (["walmsley", "--data", "nowhere"], "'nowhere' is not a folder"),
    ],
)
def test_bad_requests_are_one_sentence(tmp_path, monkeypatch, arguments, sentence):
    monkeypatch.delenv("ERRATA_DATA", raising=False)
    monkeypatch.chdir(tmp_path)
    result = run(*arguments)
    assert result.exit_code == 2
    assert sentence in result.output
    assert not list(tmp_path.iterdir())


def fail_to_measure(*_):
    raise ValueError("the data set is odd")


@pytest.mark.parametrize("was_there", [False, True])
def test_a_run_that_fails_at_once_leaves_nothing(was_there, tmp_path, monkeypatch):
    experiment = errata.bench.get_experiment("walmsley")
    broken = dataclasses.replace(experiment, measure=fail_to_measure)
    monkeypatch.setattr("errata.bench.get_experiment", lambda name: broken)
    if was_there:
        (tmp_path / "new").mkdir()
        (tmp_path / "new" / "notes.txt").write_text("mine")
    result = run("walmsley", "--quick", "--jobs", 1, "--out", tmp_path / "new")
    assert result.exit_code == 2, result.output
    assert "the data set is odd" in result.stderr
    left = sorted(path.name for path in tmp_path.rglob("*"))
    assert left == (["new", "notes.txt"] if was_there else [])
