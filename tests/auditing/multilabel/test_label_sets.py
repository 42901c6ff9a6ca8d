"""Tables of 0 and 1, lists, text and names of columns, made into zeros and ones."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from errata.auditing.multilabel import LabelSets

pd = pytest.importorskip("pandas")

SETS = [["a", "b"], ["b"], [], ["c", "a"], ["a"], ["b", "c"]]
TABLE = np.array([[1, 1, 0], [0, 1, 0], [0, 0, 0], [1, 0, 1], [1, 0, 0], [0, 1, 1]])


@pytest.mark.parametrize(
    "Y",
    [
        SETS,
        [set(labels) for labels in SETS],
        pd.Series(SETS),
        [";".join(labels) for labels in SETS],
        ["|".join(labels) for labels in SETS],
        [" , ".join(labels) for labels in SETS],
        [str(labels) for labels in SETS],
        pd.DataFrame(TABLE, columns=list("abc")),
        pd.DataFrame(TABLE.astype(bool), columns=list("abc")),
        pd.DataFrame(TABLE, columns=list("abc")).astype(str),
    ],
    ids=lambda Y: type(Y).__name__,
)
def test_all_ways_to_give_labels_mean_the_same(Y):
    found = LabelSets(None, Y)
    assert found.names == ["a", "b", "c"]
    assert_array_equal(found.Y, TABLE)


@pytest.mark.parametrize("Y", [TABLE, sparse.csr_array(TABLE)])
def test_columns_of_an_array_are_called_by_their_place(Y):
    found = LabelSets(None, Y)
    assert found.names == ["label 0", "label 1", "label 2"]
    assert_array_equal(found.Y, TABLE)


def frame():
    ones = {f"is_{name}": TABLE[:, place] for place, name in enumerate("abc")}
    return pd.DataFrame({"weight": np.arange(6.0), **ones, "tags": SETS})


@pytest.mark.parametrize("Y", [["is_a", "is_b", "is_c"], "is_*", ["is_[ab]", "is_c"]])
def test_columns_of_the_table_may_be_named(Y):
    found = LabelSets(frame(), Y)
    assert found.names == ["is_a", "is_b", "is_c"]
    assert list(found.table.columns) == ["weight", "tags"]
    assert_array_equal(found.Y, TABLE)


def test_a_single_column_of_zeros_and_ones_is_one_label():
    found = LabelSets(frame(), "is_a")
    assert found.names == ["is_a"]
    assert_array_equal(found.Y, TABLE[:, :1])


def test_a_column_of_lists_may_be_named():
    found = LabelSets(frame(), "tags")
    assert found.column == "tags"
    assert "tags" not in found.table
    assert_array_equal(found.Y, TABLE)


def test_a_note_says_what_separates_labels_and_that_cells_are_empty():
    cells = ["red, dark; blue", "blue", "", "blue;green", "green", "green; red, dark"]
    found = LabelSets({"tags": cells}, "tags")
    assert found.names == ["blue", "green", "red, dark"]
    assert found.separator == ";"
    assert "are separated by ';', so '|' and ',' may be part of a label" in found.notes[0]
    assert "1 cell is empty: its row is taken to have none of the labels" in found.notes[1]


def test_labels_keep_what_they_are():
    assert LabelSets(None, [[1, 2], [2], [1], [1], [2], [1, 2]]).names == [1, 2]


def test_a_label_that_a_row_names_twice_counts_once():
    found = LabelSets(None, ["a;a; b", "a", "b", "a", "b", "a;b"])
    assert found.names == ["a", "b"]
    assert found.Y.tolist() == [[1, 1], [1, 0], [0, 1], [1, 0], [0, 1], [1, 1]]


def test_the_mark_that_most_cells_hold_separates():
    found = LabelSets(None, ["a,b", "b,c", "a;b", "a,b"] * 2)
    assert found.separator == ","
    assert found.names == ["a", "a;b", "b", "c"]


@pytest.mark.parametrize(
    ("table", "Y", "says"),
    [
        (frame(), "tgas", r"no column 'tgas' to take labels from; did you mean 'tags'\?"),
        (frame(), ["is_x"], "no column 'is_x' to take labels from"),
        (frame(), ["is_a", "is_x"], "no column 'is_x' to take labels from"),
        (frame(), ["weight", "is_a"], r"label 'weight' holds 2.0 in row 2; say 1 or 0"),
        (frame(), "weight", r"column 'weight' holds 0.0 in row 0; give a list of labels"),
        (None, [["a"], "b", ["a"], ["a"], ["b"], []], "Y holds 'b' in row 1; give a list"),
        (None, [[]] * 6, "no row has a label"),
        (None, [["a"]] * 3, "3 rows are too few"),
        (None, [[str(row)] for row in range(6)], "6 different labels in 6 rows"),
        (None, 3, "Y=3 names no labels"),
        (None, ["[a]", "[b]", "[c]"] * 2, "looks like lists, but not all of them can be read"),
        (None, TABLE + 1, "label 'label 0' holds 2 in row 0"),
    ],
)
def test_bad_labels_get_a_sentence(table, Y, says):
    with pytest.raises(ValueError, match=says):
        LabelSets(table, Y)
