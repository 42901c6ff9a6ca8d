from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from errata import audit
from errata.auditing.examples import _examples as examples_module
from errata.auditing.examples._examples import (
    COMPARED_PICTURES,
    _beside,
    describe_examples,
    example_rows,
)

pytestmark = pytest.mark.usefixtures("few_trees")


def test_all_flagged_rows_and_some_more_come_worst_first():
    suspicion = np.random.default_rng(0).random(500)
    flagged = suspicion > 0.5
    rows = example_rows(suspicion, flagged)
    assert (np.diff(suspicion[rows]) <= 0).all()
    assert set(np.flatnonzero(flagged)) <= set(rows)
    assert len(example_rows(suspicion, suspicion > 2)) == 100
    assert len(example_rows(suspicion[:7], flagged[:7])) == 7


def told(n=240):
    """An audit of two classes that one column tells apart, and the rows labelled wrong."""
    rng = np.random.default_rng(0)
    truth = np.repeat(["ant", "bee"], n // 2)
    wrong = np.array([3, n - 5])
    labels = truth.copy()
    labels[wrong] = truth[[-1, 0]]
    size = np.where(truth == "ant", 0.0, 8.0) + rng.normal(size=n)
    table = {
        "noise": rng.normal(size=n),
        "copy": labels,
        "key": [f"k{i:05d}" for i in range(n)],
        "size": size,
    }
    found = audit(table, labels, estimator=GaussianNB(), self_check=False, random_state=0)
    return found, wrong


def test_examples_are_made_once_and_not_before_they_are_asked_for(monkeypatch):
    made = []

    def count(*args, **kwargs):
        made.append(args)
        return describe_examples(*args, **kwargs)

    monkeypatch.setattr(examples_module, "describe_examples", count)
    found, _ = told()
    assert not made
    assert found.examples is found.examples
    assert len(made) == 1


def test_an_example_has_its_values_and_those_of_the_nearest_rows():
    found, wrong = told()
    examples = {example["row"]: example for example in found.examples}
    for row in wrong.tolist():
        example = examples[row]
        assert list(example["values"]) == ["size", "noise", "copy", "key"]
        assert example["speaking"] == 1
        other, own = example["compared"]
        assert {other["label"], own["label"]} == {"ant", "bee"}
        assert own["label"] == example["label"]
        assert own["row"] != row
        assert list(other["values"]) == list(example["values"])
        assert "size" in own["differs"]
        assert "size" not in other["differs"]
        assert "copy" in other["differs"]


def test_examples_are_the_same_for_the_same_seed():
    assert told()[0].examples == told()[0].examples


def test_files_of_pictures_are_read_for_the_first_examples_only():
    values = SimpleNamespace(of=lambda row, places: {}, pixels=None, picture=lambda row: "read")
    shown = [_beside(0, [], set(), values, place)["image"] for place in (0, COMPARED_PICTURES)]
    assert shown == ["read", None]
    values.pixels = np.zeros((1, 4))  # which are in memory anyway
    assert _beside(0, [], set(), values, COMPARED_PICTURES)["image"] == "read"
