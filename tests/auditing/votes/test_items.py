import numpy as np
import pytest

from auditing.vote_cases import crowd, measured
from errata.auditing._audit import Options
from errata.auditing.votes._audit import VoteProblem

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
