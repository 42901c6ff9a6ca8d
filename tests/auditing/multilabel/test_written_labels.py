import numpy as np
import pytest

from errata.auditing.multilabel import write_indicators, write_sets

NEW = np.array([[1, 0], [1, 1], [0, 0]])


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["a;b", "a", "b"], ["a", "a;b", ""]),
        (["a;a;b", "a", "b"], ["a", "a;b", ""]),  # named twice, it counts once
        (["b , a", "b", "a,b"], ["a", "b , a", ""]),
        (["a", "a", "b"], ["a", "a;b", ""]),  # nothing says what stands between labels
        (["a|b|", "a", " b"], ["a", "a|b", ""]),
        (["['b', 'a']", "['b']", "['a']"], ["['a']", "['b', 'a']", "[]"]),
        (['["b","a"]', '["b"]', "[]"], ['["a"]', '["b","a"]', "[]"]),
        (["a;b", None, "b"], ["a", "a;b", ""]),
        ([["b", "a"], ["b"], []], [["a"], ["b", "a"], []]),
    ],
)
def test_labels_are_written_as_the_column_writes_them(cells, expected):
    assert write_sets(cells, ["a", "b"], NEW) == expected


def test_labels_that_are_no_text_keep_their_type():
    cells = [[1.5, 2.0], [2.0], [2.0]]
    assert write_sets(cells, ["1.5", "2.0"], NEW) == [[1.5], [2.0, 1.5], []]
    assert write_sets([[1, 2], [2], [2]], [1, 2], NEW) == [[1], [2, 1], []]


def test_cells_that_say_the_same_stay():
    assert write_sets(["b ;a ", "a;b", "NA"], ["a", "b"], [[1, 1], [1, 1], [0, 0]]) == [
        *("b ;a ", "a;b", "NA")
    ]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (np.array([True, False, True]), [False, None, True]),
        (np.array([1, 0, 1]), [0, None, 1]),
        (np.array(["Yes", "no", "TRUE"], dtype=object), ["no", None, "TRUE"]),
    ],
)
def test_indicators_are_written_in_the_words_of_the_column(cells, expected):
    assert write_indicators(cells, np.array([0, np.nan, 1])) == expected
