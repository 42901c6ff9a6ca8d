import dataclasses

import numpy as np
import pytest

from errata.bench import get_experiment, load_published, run_experiment, write_comparison
from errata.bench.experiments import _noisy_selection
from errata.bench.experiments._noisy_selection import DATASETS, MEASURE
from errata.bench.experiments._sizes import collect_size_curves


@pytest.fixture
def few_draws(monkeypatch):
    monkeypatch.setattr(_noisy_selection, "write_example", lambda folder: [])


def test_the_sets_are_those_of_table_1():
    rows = [row for row in load_published("frenay_2013_datasets") if row["paper"].endswith("-12")]
    assert {row["dataset"].split()[0] for row in rows} == {name.split()[0] for name in DATASETS}
    classes = {row["dataset"].split()[0]: row["n_classes"] for row in rows}
    for name, n_classes in MEASURE.n_classes.items():
        assert classes[name.capitalize()] == n_classes


def test_tolerance_brings_back_most_of_what_noise_takes(tmp_path, few_draws):
    # Of the three, on five splits of Wine, in the order that the paper claims.
    experiment = dataclasses.replace(
        get_experiment("lnt-bw"),
        datasets={"Wine": "wine"},
        noise_levels=(0.2,),
        methods=_noisy_selection.PUBLISHED,
        repetitions=5,
    )
    results = run_experiment(experiment, tmp_path)
    curves = collect_size_curves(results, 13)["Wine", 0.2]
    clean, noisy, tolerant = (curves[m][:, :-1].mean() for m in ("BW-C", "BW-N", "LNT-BW"))
    assert clean < tolerant < noisy - 2
    report = write_comparison(experiment, results, tmp_path)
    assert {path.name for path in report.files} > {"sizes.md", "sizes.png"}


def test_the_quick_run_needs_no_data_folder():
    for name in ("lnt-bw", "lnt-cleaning"):
        assert set(get_experiment(name).quickly().datasets.values()) <= {"iris", "wine"}


def test_cleaning_stands_beside_the_same_three_on_the_same_draws():
    experiment = get_experiment("lnt-cleaning")
    assert list(experiment.methods)[:3] == ["BW-C", "BW-N", "LNT-BW"]
    assert experiment.measure is get_experiment("lnt-bw").measure


def test_cleaned_and_tolerant_searches_are_compared(tmp_path):
    results = [
        {"dataset": "Iris", "noise_level": 0.2, "method": method, "repetition": i}
        | {f"error_of_{size}": np.nan for size in range(1, 41)}
        | {f"error_of_{size}": 10.0 + i + size for size in range(1, 5)}
        for i in range(3)
        for method in get_experiment("lnt-cleaning").methods
    ]
    table, _ = _noisy_selection.illustrate_cleaning(results, tmp_path)
    assert "cut edges, BW better / worse than LNT-BW" in table.read_text(encoding="utf-8")
