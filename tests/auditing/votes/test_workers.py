"""What is said of workers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from auditing.crowd_cases import by_matrices, make_crowd, workers_right
from errata.auditing.votes import JudgedVotes, read_votes


def accuracies_of(crowd):
    right = crowd.votes.label == crowd.classes[crowd.votes.item]
    return np.bincount(crowd.votes.worker, weights=right) / np.bincount(crowd.votes.worker)


def column(findings, name):
    return np.array([worker[name] for worker in findings.workers])


def test_bounds_hold_what_workers_are_and_matrices_are_near():
    crowd = make_crowd(0)
    findings = JudgedVotes(crowd.votes)
    truth = accuracies_of(crowd)
    assert np.abs(column(findings, "accuracy") - truth).mean() < 0.05
    held = (column(findings, "low") <= truth) & (truth <= column(findings, "high"))
    assert held.mean() >= 0.88
    confusion = column(findings, "confusion")
    assert_allclose(confusion.sum(axis=2), 1, rtol=1e-9, atol=0)
    assert np.abs(confusion - crowd.matrices).mean() < 0.06


def test_agreement_is_with_the_majority():
    votes = read_votes((["a", "a", "a", "b", "b", "b"], list("xyzxyz"), list("ppqqqp")))
    findings = JudgedVotes(votes)
    assert_allclose(column(findings, "agreement"), [1, 1, 0], rtol=0, atol=1e-12)
    assert column(findings, "n_votes").tolist() == [2, 2, 2]
    assert column(findings, "worker").tolist() == ["x", "y", "z"]


def test_the_worst_confusion_is_named_class_first():
    random = np.random.default_rng(0)
    classes = random.integers(3, size=200)
    item, worker = np.divmod(np.arange(1000), 5)
    label = classes[item]
    fooled = (worker == 4) & (label == 2) & (random.random(1000) < 0.6)
    votes = read_votes((item, worker, np.array(["ash", "elm", "oak"])[np.where(fooled, 0, label)]))
    workers = JudgedVotes(votes).workers
    assert workers[4]["worst"] == ("oak", "ash")
    assert workers[0]["worst"] is None


def test_those_who_toss_coins_are_marked_and_few_others():
    marked, others = [], []
    for seed in range(4):
        crowd = make_crowd(seed)
        random = np.random.default_rng(seed + 100)
        votes = crowd.votes
        item = np.repeat(np.arange(len(votes.items)), 2)
        tosser = 30 + random.random((len(votes.items), 10)).argsort(axis=1)[:, :2].ravel()
        label = random.integers(3, size=len(item))
        columns = [(votes.item, item), (votes.worker, tosser), (votes.label, label)]
        findings = JudgedVotes(read_votes(tuple(np.concatenate(pair) for pair in columns)))
        guessing = column(findings, "guessing")
        marked.append(guessing[30:].sum())
        others.append(guessing[:30].sum())
        right = (findings.proba.argmax(axis=1) == crowd.classes).mean()
        assert right >= np.mean(by_matrices(crowd) == crowd.classes) - 0.03
    assert min(marked) >= 8
    assert max(others) <= 6


def test_an_inverter_is_known_as_one():
    random = np.random.default_rng(0)
    classes = random.integers(2, size=300)
    matrices = workers_right([0.8] * 5 + [0.05], 2)
    item, worker = np.divmod(np.arange(1800), 6)
    label = (random.random(1800) < matrices[worker, classes[item], 1]).astype(int)
    with_it = JudgedVotes(read_votes((item, worker, label)))
    others = worker < 5
    without = JudgedVotes(read_votes((item[others], worker[others], label[others])))
    inverter = with_it.workers[5]
    assert inverter["reversed"]
    right = float((label[~others] == classes).mean())
    assert inverter["accuracy"] == pytest.approx(right, abs=0.02)
    assert inverter["low"] < right < inverter["high"] < 0.25
    right = [(found.proba.argmax(axis=1) == classes).mean() for found in (with_it, without)]
    assert right[0] >= right[1]


def test_matrices_of_too_many_workers_and_classes_are_not_told(monkeypatch):
    for module in ("_noise_model", "_finding"):
        monkeypatch.setattr(f"errata.auditing.votes.{module}.MATRIX_NUMBERS", 100)
    findings = JudgedVotes(make_crowd(0, n=60).votes)
    assert all(worker["confusion"] is None for worker in findings.workers)
    assert "too many to keep" in findings.notes[0]
