"""``errata audit --embeddings`` and ``--pred-proba``."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import errata
from errata.cli.__main__ import main
from errata.tables import write_table

pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pytest.importorskip("jinja2", reason="jinja2 is not installed")

N, WRONG = 60, [4, 31]
SIDE = np.arange(N) % 2
LABELS = np.array(["cat", "dog"])[SIDE ^ np.isin(np.arange(N), WRONG)]
PLACES = 6.0 * SIDE[:, None] + np.random.default_rng(0).normal(size=(N, 3))
PROBA = np.column_stack([1 - SIDE, SIDE]) * 0.98 + 0.01


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    noise = np.random.default_rng(1).normal(size=N)
    write_table("pets.csv", {"id": range(N), "noise": noise, "pet": LABELS})
    return tmp_path


def audited(*options):
    result = CliRunner().invoke(
        main, ["audit", "pets.csv", "-l", "pet", "--no-self-check", "--id", "id", *options]
    )
    assert result.exit_code == 0, result.output
    return errata.Audit.load("pets.audit")


def are_found(audit):
    return set(np.argsort(-audit.suspicion)[:2]) == set(WRONG)


def test_models_look_at_embeddings(folder):
    np.save("e.npy", PLACES)
    assert are_found(audited("--embeddings", "e.npy"))
    options = json.loads((folder / "pets.audit" / "audit.json").read_text())["about"]["options"]
    assert f"--embeddings={folder / 'e.npy'}" in options  # for a second audit, from anywhere


def test_embeddings_in_another_order_are_found_by_id(folder):
    order = np.random.default_rng(2).permutation(N)
    write_table("e.parquet", {"id": order, **{f"e{j}": PLACES[order, j] for j in range(3)}})
    assert are_found(audited("--embeddings", "e.parquet"))


def test_probabilities_are_pooled_and_their_columns_found_by_name(folder):
    write_table("p.csv", {"dog": PROBA[:, 1], "cat": PROBA[:, 0]})
    audit = audited("--pred-proba", "p.csv")
    assert are_found(audit)
    assert "your probabilities" in [model["name"] for model in audit.models]


def test_a_table_of_labels_alone_will_do_beside_embeddings(folder):
    np.save("e.npy", PLACES)
    assert are_found(audited("--embeddings", "e.npy", "--drop", "noise"))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--embeddings", "none.npy"], "none.npy does not exist"),
        (["--embeddings", "short.npy"], "short.npy has 3 rows, but the table has 60"),
        (["--pred-proba", "names.csv"], "must be named as the labels are (cat, dog)"),
        (["--embeddings", "short.npy", "--memory", "1GB"], "--embeddings needs the table in mem"),
    ],
)
def test_what_does_not_fit_is_refused(folder, options, sentence):
    np.save("short.npy", PLACES[:3])
    write_table("names.csv", {"dog": PROBA[:, 1], "wolf": PROBA[:, 0]})
    result = CliRunner().invoke(main, ["audit", "pets.csv", "-l", "pet", *options])
    assert result.exit_code == 2
    assert sentence in " ".join(result.stderr.split())
    assert not (folder / "pets.audit").exists()
