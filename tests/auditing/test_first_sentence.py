"""The first sentence has three shapes, each on tables of its kind, and is the same everywhere."""

import json
import re
from html import escape

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine

import errata
from cli.command_line import invoke
from errata.noise import flip_labels
from errata.tables import write_table


def clean_table():
    return load_wine(return_X_y=True)


def noisy_table():
    X, y = load_wine(return_X_y=True)
    return X, flip_labels(y, 0.1, random_state=0)[0]


def overlapping_table():
    random = np.random.default_rng(0)
    y = np.arange(400) % 2
    return random.normal(size=(400, 3)) + 0.8 * y[:, None], y


def survival_table():
    """Who survives hangs on sex and class, and on chance: no label is wrong."""
    random = np.random.default_rng(1)
    is_woman = random.random(600) < 0.35
    travels = random.choice([1, 2, 3], 600, p=[0.25, 0.2, 0.55])
    chance = np.where(is_woman, [[0.75], [0.7], [0.5]], [[0.35], [0.2], [0.15]])
    survives = random.random(600) < chance[travels - 1, np.arange(600)]
    age = random.normal(30, 13, 600).clip(1, 75).round()
    return np.column_stack([is_woman, travels, age]), 1 * survives


def table_without_signal():
    random = np.random.default_rng(0)
    return random.normal(size=(300, 6)), np.arange(300) % 2


@pytest.mark.parametrize(
    ("table", "begins", "ends"),
    [
        (noisy_table, "About ", "Review them, or clean the table without a review."),
        (overlapping_table, "Perhaps ", "most suspicious rows: they tell which it is."),
        (survival_table, "Perhaps ", "most suspicious rows: they tell which it is."),
        (clean_table, "Hardly any label looks wrong", "There is nothing to do."),
        (table_without_signal, "These columns do not tell the labels apart", "of the label."),
    ],
)  # fmt: skip
def test_a_table_of_each_kind_gets_its_sentence(table, begins, ends):
    X, y = table()
    found = errata.audit(X, y, self_check=False, random_state=0)
    said, *_ = re.findall(r"^\*\*(.*)\*\*$", found.to_markdown(), re.MULTILINE)
    assert said.startswith(begins)
    assert said.endswith(ends)


def test_the_same_words_stand_wherever_an_audit_is_shown(tmp_path):
    iris = load_iris(as_frame=True)
    labels, _ = flip_labels(iris.target, n_flips=8, random_state=0)
    write_table(tmp_path / "iris.csv", iris.data.assign(species=labels))
    asked = ["audit", str(tmp_path / "iris.csv"), "--label", "species", "--no-self-check"]
    printed = invoke(*asked)
    folder = tmp_path / "iris.audit"
    said = json.loads((folder / "audit.json").read_text("utf-8"))["answer"]
    assert said.startswith("About ")
    assert said in " ".join(printed.stdout.split())
    assert said in (folder / "summary.md").read_text("utf-8")
    assert escape(said) in (folder / "report.html").read_text("utf-8")
    assert escape(said) in errata.Audit.load(folder)._repr_html_()
