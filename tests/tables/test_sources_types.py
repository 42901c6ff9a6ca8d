import pytest

from errata.tables.stored._parquet import stack_tables

arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")


def joined(*tables):
    return stack_tables(tables)["x"]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ([1], [2.5], [1.0, 2.5]),
        ([1], [None], [1, None]),
        ([1], ["a"], ["1", "a"]),
        ([True], [2], ["true", "2"]),
        ([2.0], ["a"], ["2", "a"]),
        ([[1, 2]], ["a"], ["[1, 2]", "a"]),
        ([{"a": 1}], [{"b": "c"}], [{"a": 1, "b": None}, {"a": None, "b": "c"}]),
        ([{}], [{}], ["{}", "{}"]),
    ],
)
def test_one_type_for_all(one, other, expected):
    found = joined(arrow.table({"x": one}), arrow.table({"x": other}))
    assert found.to_pylist() == expected
    assert list(map(type, found.to_pylist())) == list(map(type, expected))


def test_text_and_categories_are_text():
    words = arrow.table({"x": arrow.array(["a", "b"]).dictionary_encode()})
    assert joined(words, arrow.table({"x": ["c"]})).to_pylist() == ["a", "b", "c"]


def test_a_column_that_is_not_there_is_missing():
    found = joined(arrow.table({"x": [1]}), arrow.table({"y": [2]}))
    assert found.to_pylist() == [1, None]
