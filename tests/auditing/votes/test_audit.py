from types import SimpleNamespace

import numpy as np

from errata.auditing.votes import _audit, read_votes
from errata.auditing.votes._audit import ItemView, noise_of_majority

ITEMS = [7, 7, 7, 7, 8]


WORKERS = ["ann", "ben", "cleo", "dan", "ben"]


LABELS = ["cat", "dog", "cat", "cat", "dog"]


def view_of(votes, accuracy):
    workers = [{"accuracy": right} for right in accuracy]
    return ItemView(inputs=None, audit=SimpleNamespace(votes=votes, workers=workers))


def ballots(accuracy=(0.5, 0.95, 0.6, 0.7)):
    return view_of(read_votes((ITEMS, WORKERS, LABELS)), accuracy)


def test_votes_are_shown_by_class_and_the_best_annotators_first():
    cat, dog = ballots().list_votes(0)
    assert cat == {"label": "cat", "count": 3, "by": [["dan", 0.7], ["cleo", 0.6], ["ann", 0.5]]}
    assert dog == {"label": "dog", "count": 1, "by": [["ben", 0.95]]}


def test_no_more_votes_are_shown_than_fit_but_all_are_counted(monkeypatch):
    monkeypatch.setattr(_audit, "SHOWN_BALLOTS", 2)
    cat, dog = ballots().list_votes(0)
    assert (cat["count"], [name for name, _ in cat["by"]]) == (3, ["dan", "cleo"])
    assert (dog["count"], dog["by"]) == (1, [])


def test_a_sentence_tells_how_good_those_are_who_voted():
    said = "3 votes for cat, by annotators right 60% of the time on average; 1 for dog, right 95%."
    assert ballots().describe_votes(0) == said
    assert ballots().describe_votes(1) == "1 vote for dog, by an annotator right 95% of the time."


def test_a_sentence_names_a_few_classes_only(monkeypatch):
    monkeypatch.setattr(_audit, "TOLD_CLASSES", 1)
    votes = read_votes(([1] * 8, list("abcdefgh"), list("xxxxyyzw")))
    told = view_of(votes, [0.5] * 8).describe_votes(0)
    assert told.endswith("; 2 for y, right 50%; 2 for others.")


def test_a_class_that_nothing_speaks_for_keeps_its_label():
    prior, transition = noise_of_majority(np.array([[1.0, 0, 0], [0.2, 0.8, 0]]), np.array([0, 1]))
    np.testing.assert_allclose(prior, [0.6, 0.4, 0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(transition[2], [0, 0, 1], rtol=0, atol=1e-12)
    np.testing.assert_allclose(transition.sum(axis=1), 1, rtol=0, atol=1e-12)


def test_items_without_votes_do_not_count():
    prior, _ = noise_of_majority(np.array([[1.0, 0], [0, 1.0]]), np.array([0, -1]))
    np.testing.assert_allclose(prior, [1, 0], rtol=0, atol=1e-12)
