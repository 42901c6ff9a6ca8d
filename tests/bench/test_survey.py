import dataclasses

import numpy as np
import pytest

from errata.bench import Bench, Cell, get_experiment, run_experiment, write_comparison
from errata.filters import EditedNeighborsFilter

SURVEY = get_experiment("survey")
KNOWN = Bench(None, seed=0)


def test_a_filter_finds_more_at_random_than_near_borders():
    cell = Cell("wine", 0.1, "edited", 0)
    found = SURVEY.measure(cell, EditedNeighborsFilter(n_neighbors=10), None, KNOWN)
    assert set(found) == set(SURVEY.metrics)
    assert found["er2"] < 0.2
    assert found["ap"] > found["border_ap"]


def test_where_too_few_rows_are_near_a_border_there_is_no_number(monkeypatch):
    def impossible(*args):
        raise ValueError("no such rate")

    monkeypatch.setattr("errata.bench.experiments._survey.boundary_flip_proba", impossible)
    found = SURVEY.measure(Cell("iris", 0.3, "edited", 0), EditedNeighborsFilter(), None, KNOWN)
    assert np.isnan([found[f"border_{name}"] for name in ("er1", "er2", "nep", "ap")]).all()
    assert np.isfinite([found[name] for name in ("er1", "er2", "nep", "ap")]).all()


@pytest.fixture
def tiny():
    return dataclasses.replace(
        SURVEY,
        datasets={"iris": None},
        methods={"edited neighbours": EditedNeighborsFilter()},
        noise_levels=(0.1,),
        repetitions=2,
    )


def test_means_over_sets_and_repetitions_are_one_table(tiny, tmp_path):
    results = run_experiment(tiny, tmp_path)
    report = write_comparison(tiny, results, tmp_path)
    assert tmp_path / "survey.md" in report.files
    line = (tmp_path / "survey.md").read_text().splitlines()[-1]
    er1 = np.mean([row["er1"] for row in results])
    assert line.startswith(f"| edited neighbours | {er1:.2f} / ")
    assert line.count("|") == 4
