import dataclasses
from functools import partial

import numpy as np
import pytest

from errata.bench import (
    Bench,
    Cell,
    get_experiment,
    load_published,
    run_experiment,
    write_comparison,
)
from errata.bench.experiments import _ecg
from errata.bench.experiments._ecg import (
    EXPERT_METRICS,
    METRICS,
    _compare_doubts,
    _make_methods,
    get_recordings,
    make_artificial_recordings,
    measure_experts,
    measure_label_doubt,
    measure_segmentation,
    split_in_time,
    write_table_of_experts,
)
from errata.datasets import make_ecg
from errata.exceptions import DatasetNotFoundError
from errata.noise import shift_boundaries
from errata.sequence import SupervisedHMM, TolerantHMM

EXPERIMENT = get_experiment("ecg")
ARTIFICIAL = "ECG artificial (average)"


@pytest.fixture(scope="module")
def tiny():
    """Small recordings and hurried models: their numbers mean nothing."""
    return dataclasses.replace(
        EXPERIMENT.quickly(),
        methods=_make_methods(n_init=1, max_iter=5, n_components=2),
        noise_levels=(0.0, 0.5),
        repetitions=1,
        measure=partial(measure_segmentation, n_recordings=2, n_beats=60),
    )


@pytest.fixture(scope="module")
def results(tiny, tmp_path_factory):
    return run_experiment(tiny, tmp_path_factory.mktemp("ecg"))


def test_names_agree_with_the_published_averages():
    rows = [row for row in load_published("frenay_2013_tables") if row["paper"] == "frenay-2013-11"]
    averages = {row["dataset"] for row in rows if "(average)" in row["dataset"]}
    assert averages == set(EXPERIMENT.datasets)
    assert {row["method"] for row in rows} == set(EXPERIMENT.methods)
    assert {row["metric"] for row in rows} <= set(EXPERIMENT.metrics)


def test_without_noise_both_kinds_are_the_same_and_nothing_is_to_be_found(results):
    for row in results:
        if row["noise_level"] == 0:
            assert row["recall_percent"] == row["uniform_recall_percent"] > 80
            assert np.isnan(row["auc"])
        else:
            assert row["recall_percent"] != row["uniform_recall_percent"]
            assert row["auc"] > 0.5
            assert row["uniform_auc"] > 0.8


def test_moved_boundaries_cost_recall(results):
    supervised = {
        row["noise_level"]: row["recall_percent"]
        for row in results
        if row["method"] == "HMM supervised learning"
    }
    assert supervised[0.5] < supervised[0.0]


def test_a_run_ends_with_tables_and_pictures(tiny, results, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    report = write_comparison(tiny, results, tmp_path)
    for name in ("comparison.md", "suspicion.md", "horizontal.png", "uniform.png"):
        assert tmp_path / name in report.files
        assert (tmp_path / name).exists()
    lines = (tmp_path / "suspicion.md").read_text().splitlines()
    assert "horizontal 50 % | uniform 20 %" in lines[4]
    assert len(lines) == 6 + 3


def test_all_methods_and_levels_get_the_same_recordings():
    bench = Bench(None, seed=3)
    one, other = (
        get_recordings(Cell(ARTIFICIAL, level, method, 4), bench, n_recordings=2, n_beats=20)
        for level, method in ((0.0, "a"), (0.5, "b"))
    )
    np.testing.assert_array_equal(one[1][0].X, other[1][0].X)
    assert not np.array_equal(one[0][0].X[:500], one[1][0].X[:500])


def test_the_test_part_begins_after_a_gap():
    ecg = make_ecg(40, random_state=0)
    train, test = split_in_time(ecg, 0.25)
    cut = len(ecg.signal) // 4
    assert len(train.y) == cut
    np.testing.assert_array_equal(train.y, ecg.labels[:cut])
    np.testing.assert_array_equal(test.y, ecg.labels[cut + 250 :])
    np.testing.assert_allclose(train.X.std(axis=0)[3:6], 1, rtol=0.05, atol=0)


def test_a_sequence_that_is_cut_belongs_to_both_parts():
    ecg = make_ecg(40, heart_rate_std=0)
    ecg.lengths = [3000, 5000, 2000]
    train, test = split_in_time(ecg, 0.5)
    assert train.lengths.tolist() == [3000, 2000]
    assert test.lengths.tolist() == [3000 - 250, 2000]


def test_doubt_is_suspicion_or_the_probability_of_other_classes():
    ((train, _),) = make_artificial_recordings(1, 40, 0)
    tolerant = TolerantHMM(n_components=1, n_init=1, max_iter=50).fit(train.X, train.y)
    assert measure_label_doubt(tolerant, train, train.y) is tolerant.suspicion_
    supervised = SupervisedHMM(n_components=1, n_init=1, max_iter=50).fit(train.X, train.y)
    proba = supervised.predict_proba(train.X)
    expected = 1 - proba[7, list(supervised.classes_).index(train.y[7])]
    np.testing.assert_allclose(
        measure_label_doubt(supervised, train, train.y)[7], expected, rtol=1e-12, atol=0
    )


def test_metrics_are_those_of_the_table():
    assert EXPERIMENT.metrics == METRICS
    cells = list(EXPERIMENT.quickly().cells())
    assert {cell.dataset for cell in cells} == {ARTIFICIAL}  # no data folder is needed


EXPERTS = get_experiment("ecg-experts")


@pytest.fixture
def two_experts(monkeypatch):
    """One who marks what is there, and one who is careless and skips the first beats."""
    ecg = make_ecg(30, noise=0.03, random_state=0)
    ecg.samples = np.arange(1000, 1000 + len(ecg.signal))

    def load(record, annotator, folder):
        if annotator == "q1c":
            return ecg
        careless, _ = shift_boundaries(ecg.labels, 0.3, states=["T"], random_state=0)
        later = slice(2000, None)
        return type(ecg)(
            signal=ecg.signal[later],
            labels=np.where(careless == "P", "B3", careless)[later],
            samples=ecg.samples[later],
            lengths=[len(ecg.signal) - 2000],
            fs=ecg.fs,
        )

    monkeypatch.setattr(_ecg, "load_qtdb", load)
    return ecg


def test_experts_are_compared_where_both_looked(two_experts):
    model = TolerantHMM(transitions=["B3", "QRS", "T"], n_components=2, n_init=1, max_iter=40)
    cell = Cell("sel100", None, "tolerant", 0)
    found = measure_experts(cell, model, "ecg_qtdb", Bench(None, 0))
    assert set(found) == set(EXPERT_METRICS)
    assert 0.02 < found["differing"] < 0.15  # not the P waves, which one never marks
    assert found["held_by_second"] > found["held_by_first"]  # whose labels are the wrong ones
    assert found["auc"] > 0.7
    assert found["held"] > found["flagged"]
    assert found["precision"] > found["differing"]


def test_worked_example():
    differ = np.array([True, True, False, False, False])
    quiet = np.zeros(5)
    first, second = np.array([0.9, 0.2, 0.6, 0.1, 0.0]), np.array([0.1, 0.7, 0.2, 0.0, 0.0])
    found = _compare_doubts(differ, first, second)
    assert (found["differing"], found["flagged"]) == (0.4, 0.6)
    assert (found["held"], found["held_by_first"], found["held_by_second"]) == (1, 0.5, 0.5)
    assert found["precision"] == pytest.approx(2 / 3)
    assert found["auc"] == 1
    assert _compare_doubts(differ, first, quiet)["auc"] == pytest.approx(5 / 6)
    assert np.isnan(_compare_doubts(differ, quiet, quiet)["precision"])


def test_the_table_has_a_row_for_each_model(tmp_path):
    results = [
        {"dataset": record, "noise_level": None, "method": "tolerant", "repetition": 0}
        | dict.fromkeys(EXPERT_METRICS, value)
        for record, value in (("a", 0.25), ("b", 0.75))
    ]
    (path,) = write_table_of_experts(results, tmp_path)
    assert path.read_text().splitlines()[-1].startswith("| tolerant | 0.500 |")


def test_without_the_database_a_sentence_says_where_to_put_it(tmp_path, monkeypatch):
    monkeypatch.delenv("ERRATA_DATA", raising=False)
    with pytest.raises(DatasetNotFoundError, match=r"a data set is missing \(ecg_qtdb\)"):
        run_experiment(EXPERTS, tmp_path / "out")
    assert not (tmp_path / "out").exists()
