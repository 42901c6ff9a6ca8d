import numpy as np
import pytest

from errata.auditing.votes import read_votes
from errata.auditing.votes._inputs import read_items
from vote_cases import crowd, measured


@pytest.fixture(scope="module")
def votes():
    return read_votes(crowd(20)[0])


@pytest.fixture(scope="module")
def table():
    return measured(crowd(20)[1])


def test_without_a_table_there_are_the_items_alone(votes):
    items = read_items(votes, None, "item")
    assert items.votes is votes
    assert items.X is None
    assert items.n_features == 0


def test_rows_of_an_array_are_the_items_by_place(votes, table):
    items = read_items(votes, table, "item")
    assert items.votes.items.tolist() == list(range(20))
    assert items.X.shape == (20, 2)
    assert items.n_features == 2


def test_rows_are_matched_by_the_column_named_as_the_item(votes, table):
    order = np.random.default_rng(1).permutation(20)
    given = {"item": order, "a": table[order, 0], "b": table[order, 1]}
    items = read_items(votes, given, "item")
    assert items.votes.items.tolist() == order.tolist()
    assert items.used == ["a", "b"]
    np.testing.assert_array_equal(items.votes.counts, votes.counts[order])


def test_rows_of_a_dataframe_are_matched_by_its_index(table):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    columns, _ = crowd(20)
    named = read_votes(columns | {"item": [f"photo {i}" for i in columns["item"]]})
    frame = pandas.DataFrame(table, columns=["a", "b"], index=[f"photo {i}" for i in range(20)])
    items = read_items(named, frame, "item")
    assert items.votes.items.tolist() == frame.index.tolist()
    assert items.index.equals(frame.index)


def test_items_without_votes_are_kept_and_told(votes, table):
    items = read_items(votes, np.vstack([table, table[:3]]), "item")
    assert items.votes.n_votes[20:].tolist() == [0, 0, 0]
    assert items.notes[-1].startswith("3 items have no vote: they get a label from the table alone")
    one = read_items(votes, np.vstack([table, table[:1]]), "item")
    assert one.notes[-1].startswith("1 item has no vote: it gets")


def test_a_column_made_from_the_label_is_not_for_models():
    votes, noise = read_votes(crowd()[0]), np.random.default_rng(2).normal(size=(2, 120))
    given = {"a": noise[0], "b": noise[1], "copy": votes.classes[votes.majority]}
    items = read_items(votes, given | {"item": np.arange(120)}, "item")
    assert list(items.model_table) == ["a", "b"]
    assert "copy" in items.notes[0]


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"groups": [1] * 20}, "groups is for a table of the items, but no X was passed"),
        ({"drop": ["a"]}, "drop is for a table of the items, but no X was passed"),
    ],
)
def test_what_is_for_a_table_needs_one(votes, how, sentence):
    with pytest.raises(ValueError, match=sentence):
        read_items(votes, None, "item", **how)


def test_groups_are_one_for_each_row_of_the_table(votes, table):
    items = read_items(votes, table, "item", groups=np.arange(20) // 4)
    assert items.groups.tolist() == (np.arange(20) // 4).tolist()
    with pytest.raises(ValueError, match="groups has 3 rows, but there are 20 labels"):
        read_items(votes, table, "item", groups=[1, 2, 3])


def test_items_that_are_not_in_the_table_are_named(votes, table):
    with pytest.raises(ValueError, match="2 items with votes are not in the table: 18, 19"):
        read_items(votes, table[:18], "item")


def test_an_item_must_not_be_twice_in_the_table(votes, table):
    given = {"item": [0, *range(19)], "a": table[:, 0]}
    with pytest.raises(ValueError, match="the table has several rows of one item: 0"):
        read_items(votes, given, "item")


def test_names_of_another_type_are_an_error_that_shows_both(table):
    columns, _ = crowd(20)
    named = read_votes(columns | {"item": [f"photo {i}" for i in columns["item"]]})
    with pytest.raises(ValueError, match=r"are text in the votes .* and numbers in the table"):
        read_items(named, table, "item")
