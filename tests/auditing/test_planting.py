"""Errors planted in a file; what the command line says of it is tested there."""

import numpy as np
import pytest

import errata
from cli.command_line import invoke
from errata.tables import read_table, write_table

pytest.importorskip("pyarrow", reason="pyarrow is not installed")


@pytest.fixture
def pets(tmp_path):
    path = tmp_path / "pets.csv"
    weights = np.random.default_rng(0).normal(size=40).round(3)
    write_table(path, {"weight": weights, "pet": ["cat", "dog"] * 20})
    return path


def columns(path):
    return read_table(path).to_pydict()


def test_errors_in_python_are_those_of_the_command_line(pets, tmp_path):
    changed = errata.plant_errors(pets, tmp_path / "a.csv", "pet", rate=0.1, random_state=3)
    how = ("--label", "pet", "--rate", 0.1, "--seed", 3)
    assert invoke("noise", pets, *how, "-o", tmp_path / "b.csv").exit_code == 0
    for ending in (".csv", ".truth.csv"):
        assert columns(tmp_path / f"a{ending}") == columns(tmp_path / f"b{ending}")
    assert changed.sum() == 4
    noisy = columns(tmp_path / "a.csv")["pet"]
    assert [a != b for a, b in zip(noisy, columns(pets)["pet"], strict=True)] == changed.tolist()


def test_numbers_are_planted_and_told(pets, tmp_path):
    truth = tmp_path / "truth.csv"
    changed = errata.plant_errors(
        pets, tmp_path / "a.csv", target="weight", rate=0.1, truth=truth, random_state=0
    )
    assert np.flatnonzero(np.array(columns(truth)["changed"]) == "1").tolist() == (
        np.flatnonzero(changed).tolist()
    )
    assert columns(tmp_path / "a.csv")["pet"] == columns(pets)["pet"]


def test_sentences_name_arguments(pets, tmp_path):
    out = tmp_path / "a.csv"
    with pytest.raises(ValueError, match="`pairs` belongs to `kind` pairwise, not to uniform"):
        errata.plant_errors(pets, out, "pet", rate=0.1, pairs=[("cat", "dog")])
    with pytest.raises(ValueError, match="say how much noise: `rate`"):
        errata.plant_errors(pets, out, "pet")
    with pytest.raises(ValueError, match="kind='odd'"):
        errata.plant_errors(pets, out, "pet", rate=0.1, kind="odd")
    out.write_text("mine")
    with pytest.raises(FileExistsError, match="force=True"):
        errata.plant_errors(pets, out, "pet", rate=0.1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "pets.csv"]
