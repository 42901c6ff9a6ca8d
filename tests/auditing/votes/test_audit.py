from types import SimpleNamespace

import numpy as np
import pytest

from auditing.vote_cases import crowd, measured
from errata.auditing._audit import Options
from errata.auditing.votes import _audit, read_votes
from errata.auditing.votes._audit import ItemView, VoteProblem, noise_of_majority

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


VOTES, TRUTH = crowd(20)
TABLE = measured(TRUTH)
PHOTOS = VOTES | {"item": [f"photo {i}" for i in VOTES["item"]]}


def read(votes=VOTES, table=None, **options):
    problem = VoteProblem(votes, "item", "worker", "label", table, None)
    problem.options = Options(**options, random_state=0)
    problem.read()
    return problem


def test_without_a_table_there_are_the_items_alone():
    problem = read()
    assert problem.votes.items.tolist() == list(range(20))
    assert problem.X is None
    assert problem.used is None


def test_rows_of_an_array_are_the_items_by_place():
    problem = read(table=TABLE)
    assert problem.votes.items.tolist() == list(range(20))
    assert problem.X.shape == (20, 2)
    assert len(problem.used) == 2


def test_rows_are_matched_by_the_column_named_as_the_item():
    order = np.random.default_rng(1).permutation(20)
    problem = read(table={"item": order, "a": TABLE[order, 0], "b": TABLE[order, 1]})
    assert problem.votes.items.tolist() == order.tolist()
    assert problem.used == ["a", "b"]
    np.testing.assert_array_equal(problem.votes.counts, read().votes.counts[order])


def test_rows_of_a_dataframe_are_matched_by_its_index():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame(TABLE, columns=["a", "b"], index=[f"photo {i}" for i in range(20)])
    problem = read(PHOTOS, frame)
    assert problem.votes.items.tolist() == frame.index.tolist()
    assert problem.index.equals(frame.index)


def test_items_without_votes_are_kept_and_told():
    problem = read(table=np.vstack([TABLE, TABLE[:3]]))
    assert problem.votes.n_votes[20:].tolist() == [0, 0, 0]
    begin = "3 items have no vote: they get a label from the table alone"
    assert problem.notes[-1].startswith(begin)
    one = read(table=np.vstack([TABLE, TABLE[:1]]))
    assert one.notes[-1].startswith("1 item has no vote: it gets")


def test_a_column_made_from_the_label_is_not_for_models():
    votes, _ = crowd()
    majority = read(votes).votes
    noise = np.random.default_rng(2).normal(size=(2, 120))
    columns = {"a": noise[0], "b": noise[1], "copy": majority.classes[majority.majority]}
    problem = read(votes, columns | {"item": np.arange(120)})
    assert list(problem.model_table) == ["a", "b"]
    assert "copy" in problem.notes[0]


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"groups": [1] * 20}, "groups is for a table of the items, but no X was passed"),
        ({"drop": ["a"]}, "drop is for a table of the items, but no X was passed"),
    ],
)
def test_what_is_for_a_table_needs_one(how, sentence):
    with pytest.raises(ValueError, match=sentence):
        read(**how)


def test_groups_are_one_for_each_row_of_the_table():
    problem = read(table=TABLE, groups=np.arange(20) // 4)
    assert problem.groups.tolist() == (np.arange(20) // 4).tolist()
    with pytest.raises(ValueError, match="groups has 3 rows, but there are 20 labels"):
        read(table=TABLE, groups=[1, 2, 3])


def test_items_that_are_not_in_the_table_are_named():
    with pytest.raises(ValueError, match="2 items with votes are not in the table: 18, 19"):
        read(table=TABLE[:18])


def test_an_item_must_not_be_twice_in_the_table():
    with pytest.raises(ValueError, match="the table has several rows of one item: 0"):
        read(table={"item": [0, *range(19)], "a": TABLE[:, 0]})


def test_names_of_another_type_are_an_error_that_shows_both():
    with pytest.raises(ValueError, match=r"are text in the votes .* and numbers in the table"):
        read(PHOTOS, TABLE)
