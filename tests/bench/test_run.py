import json
import os
import signal
import subprocess
import sys
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import VotingClassifier
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

from engine_cases import two_workers
from errata.bench import Bench, Cell, Experiment, NoisyTraining, read_results, run_experiment
from errata.datasets import load_dataset
from errata.exceptions import DatasetNotFoundError
from waiting import wait_until


def hashed(cell, method, dataset, bench):
    """A measurement that costs nothing and depends on everything it may depend on."""
    return {
        "first": bench.seed_of(*cell) / 7,
        "second": bench.seed_of(dataset, repr(method)) / 3,
    }


def experiment(**changes):
    parts = {
        "name": "tiny",
        "title": "Tiny",
        "datasets": {"Iris": "iris", "Two, norm": "twonorm"},
        "methods": {"a": DummyClassifier(), "b": DummyClassifier(strategy="uniform")},
        "noise_levels": (0.0, 0.1),
        "repetitions": 2,
        "metrics": ("first", "second"),
        "measure": hashed,
    }
    return Experiment(**(parts | changes))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    out = tmp_path_factory.mktemp("whole")
    run_experiment(experiment(), out)
    return (out / "results.csv").read_bytes()


def test_results_stand_in_the_order_of_the_grid(tmp_path):
    results = run_experiment(experiment(), tmp_path)
    found = [tuple(row.values())[:4] for row in results]
    assert found == [tuple(cell) for cell in experiment().cells()]
    assert read_results(tmp_path / "results.csv") == results


def test_an_experiment_without_noise_has_no_level(tmp_path):
    results = run_experiment(experiment(noise_levels=(None,)), tmp_path)
    assert {row["noise_level"] for row in results} == {None}


def test_seeds_depend_on_the_run_and_on_nothing_else(tmp_path):
    one = run_experiment(experiment(), tmp_path / "one", seed=1)
    again = run_experiment(experiment(), tmp_path / "again", seed=1, n_jobs=2)
    other = run_experiment(experiment(), tmp_path / "other", seed=2)
    alone = run_experiment(
        experiment(datasets={"Two, norm": "twonorm"}), tmp_path / "alone", seed=1
    )
    assert again == one
    assert [row["first"] for row in other] != [row["first"] for row in one]
    assert alone == [row for row in one if row["dataset"] == "Two, norm"]


@given(st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=80)
def test_a_file_cut_off_anywhere_is_completed_to_the_same_bytes(tmp_path_factory, whole, data):
    out = tmp_path_factory.mktemp("cut")
    (out / "results.csv").write_bytes(whole[: data.draw(st.integers(0, len(whole)))])
    run_experiment(experiment(), out)
    assert (out / "results.csv").read_bytes() == whole


def test_finished_cells_are_not_measured_again(tmp_path, monkeypatch):
    run_experiment(experiment(), tmp_path)
    monkeypatch.setattr("errata.bench._run._measure", None)  # would fail if called
    seen = []
    run_experiment(experiment(), tmp_path, progress=lambda *p: seen.append(p))
    assert seen == [(16, 16)]


def test_progress_counts_from_what_is_there_to_the_end(tmp_path, whole):
    lines = whole.splitlines(keepends=True)
    (tmp_path / "results.csv").write_bytes(b"".join(lines[:14]))
    seen = []
    run_experiment(experiment(), tmp_path, progress=lambda *p: seen.append(p))
    assert seen == [(13, 16), (14, 16), (15, 16), (16, 16)]


def test_the_manifest_tells_how_to_get_the_numbers_again_and_nothing_of_the_host(tmp_path):
    run_experiment(experiment(), tmp_path, seed=5)
    text = (tmp_path / "manifest.json").read_text()
    manifest = json.loads(text)
    assert manifest["seed"] == 5
    assert manifest["datasets"] == {"Iris": "iris", "Two, norm": "twonorm"}
    method = "DummyClassifier(constant=None, random_state=None, strategy='uniform')"
    assert manifest["methods"]["b"] == method
    assert manifest["measure"].endswith("test_run.hashed")
    assert set(manifest["versions"]) == {"python", "numpy", "scipy", "scikit-learn", "errata"}
    for secret in (os.uname().nodename, os.path.expanduser("~"), str(tmp_path)):
        assert secret not in text


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"repetitions": 3}, "repetitions"),
        ({"methods": {"a": DummyClassifier()}}, "methods"),
        ({"measure": len}, "measure"),
    ],
)
def test_results_of_two_settings_do_not_mix(tmp_path, changes, named):
    run_experiment(experiment(), tmp_path)
    before = (tmp_path / "results.csv").read_bytes()
    with pytest.raises(ValueError, match=f"holds a run with another {named}"):
        run_experiment(experiment(**changes), tmp_path)
    with pytest.raises(ValueError, match="another seed"):
        run_experiment(experiment(), tmp_path, seed=1)
    assert (tmp_path / "results.csv").read_bytes() == before


class SlowFirst:
    """The first cell is not done before all others are on the disk."""

    def __init__(self, results):
        self.results = results

    def __call__(self, cell, method, dataset, bench):
        if cell == next(experiment().cells()):
            wait_until(lambda: self.results.read_bytes().count(b"\n") == 16, "15 cells are written")
        return hashed(cell, method, dataset, bench)


def test_a_slow_cell_does_not_keep_others_from_the_disk(tmp_path, whole):
    slow = experiment(measure=SlowFirst(tmp_path / "results.csv"))
    lines_at_progress = []

    def look(done, total):
        lines_at_progress.append((tmp_path / "results.csv").read_bytes().count(b"\n"))

    run_experiment(slow, tmp_path, n_jobs=2, progress=look)
    assert lines_at_progress == list(range(1, 18))
    assert (tmp_path / "results.csv").read_bytes() == whole  # in the order of the grid at the end


def test_a_bad_seed_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(ValueError, match="seed=-1 must be a whole number at least 0"):
        run_experiment(experiment(), tmp_path / "out", seed=-1)
    assert not (tmp_path / "out").exists()


def test_missing_data_are_named_before_anything_is_run(tmp_path, monkeypatch):
    monkeypatch.delenv("ERRATA_DATA", raising=False)
    two = experiment(datasets={"Pima": "pima", "Iris": "iris", "CTG": "ctg"})
    with pytest.raises(DatasetNotFoundError, match=r"2 data sets are missing \(pima, ctg\)"):
        run_experiment(two, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.fixture(scope="module")
def client():
    with two_workers() as client:
        yield client


def learnt(**changes):
    """An experiment that workers can import, with methods that draw."""
    return experiment(
        methods={"tree": DecisionTreeClassifier(max_features=1), "bayes": GaussianNB()},
        metrics=("accuracy_percent",),
        measure=NoisyTraining(split=StratifiedKFold(3, shuffle=True)),
        **changes,
    )


def test_a_cluster_writes_the_same_file_and_goes_on_with_a_part_of_it(client, tmp_path):
    run_experiment(learnt(), tmp_path / "here")
    expected = (tmp_path / "here" / "results.csv").read_bytes()
    seen = []
    run_experiment(learnt(), tmp_path / "there", engine=client, progress=lambda *p: seen.append(p))
    assert seen == [(done, 16) for done in range(17)]
    file = tmp_path / "there" / "results.csv"
    assert file.read_bytes() == expected
    file.write_bytes(b"".join(expected.splitlines(keepends=True)[:14]))
    seen.clear()
    run_experiment(learnt(), tmp_path / "there", engine=client, progress=lambda *p: seen.append(p))
    assert seen == [(done, 16) for done in range(13, 17)]
    assert file.read_bytes() == expected
    names = sorted(path.name for path in (tmp_path / "there").iterdir())
    assert names == ["manifest.json", "results.csv"]


def test_workers_find_data_by_a_name_that_holds_anywhere(client, tmp_path, monkeypatch):
    X, y = load_iris(return_X_y=True)
    rows = [",".join(map(str, [*values, label])) for values, label in zip(X, y, strict=True)]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "meadow.csv").write_text("a,b,c,d,label\n" + "\n".join(rows) + "\n")
    one = learnt(datasets={"Meadow": "meadow"}, noise_levels=(0.0,), repetitions=1)
    monkeypatch.chdir(tmp_path)  # where no worker is
    monkeypatch.delenv("ERRATA_DATA", raising=False)
    given = run_experiment(one, "given", folder="mine", engine=client)
    monkeypatch.setenv("ERRATA_DATA", "mine")  # which workers were started without
    assert run_experiment(one, "known", engine=client) == given == run_experiment(one, "here")


def broken(cell, method, dataset, bench):
    raise ValueError("the measure is odd.")


def test_an_error_on_a_worker_is_told_and_leaves_no_folder_behind(client, tmp_path):
    with pytest.raises(ValueError, match=r"tiny, item \d: the measure is odd\."):
        run_experiment(experiment(measure=broken), tmp_path, engine=client)
    assert not list(tmp_path.iterdir())


SLOW_RUN = """
import sys, time
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier
from errata.bench import Experiment, NoisyTraining, run_experiment

class Slowly(NoisyTraining):
    def __call__(self, *cell):
        time.sleep(float(sys.argv[2]))
        return super().__call__(*cell)

run_experiment(
    Experiment(
        name="killed", title="Killed", datasets={"Iris": "iris", "Wine": "wine"},
        methods={"tree": DecisionTreeClassifier(), "stump": DecisionTreeClassifier(max_depth=1)},
        noise_levels=(0.0, 0.2), repetitions=3, metrics=("accuracy_percent",),
        measure=Slowly(split=StratifiedKFold(5, shuffle=True)),
    ),
    sys.argv[1],
)
"""


def test_a_run_killed_without_warning_goes_on_and_ends_the_same(tmp_path, monkeypatch):
    def run(out):
        monkeypatch.setattr(sys, "argv", ["-c", str(tmp_path / out), "0"])
        exec(SLOW_RUN, {"__name__": "run"})

    killed = subprocess.Popen([sys.executable, "-c", SLOW_RUN, str(tmp_path / "killed"), "0.2"])
    results = tmp_path / "killed" / "results.csv"
    wait_until(
        lambda: results.exists() and results.read_bytes().count(b"\n") > 3,
        "the first results are written",
        alive=killed,
    )
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    assert 3 < results.read_bytes().count(b"\n") < 25, "killed in the middle"
    run("killed")
    run("whole")
    assert results.read_bytes() == (tmp_path / "whole" / "results.csv").read_bytes()
    assert results.read_bytes().count(b"\n") == 25


def described(folder, method, **changes):
    """The manifest of a run with this method alone."""
    run_experiment(experiment(datasets={"Iris": "iris"}, methods={"a": method}, **changes), folder)
    return json.loads((folder / "manifest.json").read_text())


def test_functions_are_described_by_name_not_by_address(tmp_path):
    line = described(tmp_path, FunctionTransformer(hashed))["methods"]["a"]
    assert ".hashed" in line
    assert " at 0x" not in line


def test_nothing_is_left_out_of_a_long_description(tmp_path):
    def committee(depth):
        members = [(f"t{i}", DecisionTreeClassifier(max_depth=3)) for i in range(14)]
        return VotingClassifier([*members, ("last", DecisionTreeClassifier(max_depth=depth))])

    first = described(tmp_path / "first", committee(3))["methods"]
    assert first != described(tmp_path / "deeper", committee(4))["methods"]
    assert first == described(tmp_path / "again", committee(3))["methods"]


def test_the_way_of_measuring_is_described(tmp_path):
    five = NoisyTraining(split=StratifiedKFold(5, shuffle=True))
    told = described(tmp_path, DummyClassifier(), measure=five, metrics=("accuracy_percent",))
    assert "split=StratifiedKFold(n_splits=5" in told["measure"]


def test_plain_values_are_described_plainly(tmp_path):
    values = [np.float32(0.5), np.int64(3), True, None, "text"]
    line = described(tmp_path, FunctionTransformer(kw_args={"values": values}))["methods"]["a"]
    assert "values: [0.5, 3, True, None, 'text']" in line


BENCH = Bench(None, seed=0)


class Spy(ClassifierMixin, BaseEstimator):
    """Remembers what it was fitted on and asked about."""

    seen: ClassVar[list] = []  # shared on purpose: the bench fits clones

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        Spy.seen.append({"X": X, "y": y})
        return self

    def predict(self, X):
        Spy.seen[-1]["X_test"] = X
        return np.resize(self.classes_, len(X))


@pytest.fixture(autouse=True)
def forget():
    Spy.seen.clear()


def truth():
    """Iris rows are told apart by their features, so that labels can be looked up."""
    X, y = load_dataset("iris", return_X_y=True)
    return {row.tobytes(): label for row, label in zip(X, y, strict=True)}


def test_noise_goes_into_training_labels_only_and_test_rows_are_never_fitted():
    scores = []

    def score(model, X, y, flipped):
        scores.append((X, y, flipped))
        return {"n": 1.0}

    measure = NoisyTraining(split=KFold(5, shuffle=True), score=score)
    measure(Cell("Iris", 0.2, "spy", 0), Spy(), "iris", BENCH)
    classes = truth()
    duplicates = 1  # two rows of iris are equal
    for fit, (X_test, y_test, flipped) in zip(Spy.seen, scores, strict=True):
        clean = np.array([classes[row.tobytes()] for row in fit["X"]])
        np.testing.assert_array_equal(flipped, fit["y"] != clean)
        assert flipped.sum() == 24
        assert [classes[row.tobytes()] for row in X_test] == y_test.tolist()
        trained = {row.tobytes() for row in fit["X"]}
        assert sum(row.tobytes() in trained for row in X_test) <= duplicates
    assert sum(len(X) for X, _, _ in scores) == 150


def test_methods_and_noise_levels_share_splits_and_wrong_labels():
    measure = NoisyTraining(split=ShuffleSplit(1, train_size=0.6))
    for method, level in [("one", 0.1), ("other", 0.1), ("one", 0.3)]:
        measure(Cell("Iris", level, method, 0), Spy(), "iris", BENCH)
    one, other, more = Spy.seen
    np.testing.assert_array_equal(one["y"], other["y"])
    np.testing.assert_array_equal(one["X"], more["X"])
    classes = truth()
    clean = np.array([classes[row.tobytes()] for row in one["X"]])
    assert np.all((more["y"] != clean)[one["y"] != clean])
    assert (more["y"] != clean).sum() > (one["y"] != clean).sum()


def test_repetitions_differ():
    measure = NoisyTraining(split=ShuffleSplit(1, train_size=0.6))
    for repetition in (0, 1):
        measure(Cell("Iris", 0.1, "spy", repetition), Spy(), "iris", BENCH)
    assert not np.array_equal(Spy.seen[0]["X"], Spy.seen[1]["X"])


def test_the_splitter_given_is_left_alone():
    splitter = KFold(3, shuffle=True)
    NoisyTraining(split=splitter)(Cell("Iris", 0.0, "spy", 0), Spy(), "iris", BENCH)
    assert splitter.random_state is None


def test_accuracy_is_the_mean_over_folds_in_percent():
    measure = NoisyTraining(split=KFold(5, shuffle=True))
    value = measure(Cell("Iris", 0.0, "bayes", 0), GaussianNB(), "iris", BENCH)
    assert value["accuracy_percent"] == pytest.approx(95, abs=3)
