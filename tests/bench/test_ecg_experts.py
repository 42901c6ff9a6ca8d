import numpy as np
import pytest

from errata.bench import Bench, Cell, get_experiment, run_experiment
from errata.bench.experiments import _ecg
from errata.bench.experiments._ecg import (
    EXPERT_METRICS,
    _compare_doubts,
    measure_experts,
    write_table_of_experts,
)
from errata.datasets import make_ecg
from errata.exceptions import DatasetNotFoundError
from errata.noise import shift_boundaries
from errata.sequence import TolerantHMM

EXPERIMENT = get_experiment("ecg-experts")


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
        run_experiment(EXPERIMENT, tmp_path / "out")
    assert not (tmp_path / "out").exists()
