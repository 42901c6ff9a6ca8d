import numpy as np

from errata.auditing.examples._cards import standing_out, texts_of
from errata.tables._columns import columns_of

N = 60
RANDOM = np.random.default_rng(0)
TABLE = {
    "number": [f"id {i}" for i in range(N)],
    "noise": RANDOM.normal(size=N),
    "fever": np.r_[41.0, 36 + RANDOM.random(N - 1)],
    "ward": ["north", *["south"] * (N - 1)],
    "note": ["a sentence of some length that is to be read, number " + str(i) for i in range(N)],
}
COLUMNS = columns_of(TABLE)
NEAR = np.array([[5, 8, 13, 21, 34]])


def places(is_used=(True,) * 5, near=NEAR, rows=(0,)):
    random = np.random.default_rng(0)
    found = standing_out(COLUMNS, list(is_used), np.array(rows), near, random)
    return [[COLUMNS[j].name for j in row] for row in found]


def test_what_differs_from_neighbours_comes_first_then_texts():
    assert set(places()[0][:2]) == {"ward", "fever"}
    assert places()[0][2] == "note"


def test_a_row_like_its_neighbours_is_shown_as_the_table_is_after_its_texts():
    alike = {"number": TABLE["number"], "kind": ["x"] * N, "note": TABLE["note"]}
    random = np.random.default_rng(0)
    found = standing_out(columns_of(alike), [True] * 3, np.array([0]), NEAR, random)
    assert found == [[2, 0, 1]]


def test_columns_that_models_did_not_see_never_stand_out():
    assert places(is_used=[True, True, True, False, True])[0][0] == "fever"


def test_without_neighbours_nothing_stands_out():
    assert places(near=np.empty((1, 0), dtype=int))[0] == [
        *("note", "number", "noise", "fever", "ward")
    ]


def test_a_missing_number_differs_from_the_ones_that_are_there():
    columns = columns_of({"a": np.zeros(N), "b": np.r_[np.nan, np.ones(N - 1)]})
    found = standing_out(columns, [True] * 2, np.array([0]), NEAR, np.random.default_rng(0))
    assert found == [[1, 0]]


def test_texts_are_whole_and_nothing_where_a_cell_is_missing():
    columns = columns_of({"a": [0.1, float("nan")], "b": ["x" * 3_000, None], "c": [1, 2]})
    texts = [texts_of(column, np.array([0, 1])) for column in columns]
    assert texts == [["0.1", ""], ["x" * 3_000, ""], ["1", "2"]]


def test_a_text_beyond_a_million_characters_is_cut():
    (text,) = texts_of(columns_of({"a": ["x" * 2_000_000, "y"]})[0], np.array([0]))
    assert len(text) == 2**20
