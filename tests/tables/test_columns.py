import datetime

import numpy as np
import pyarrow as arrow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import errata
from errata._validation import is_missing
from errata.tables import features_of
from errata.tables._columns import (
    as_table,
    column_array,
    column_names,
    columns_of,
    count_rows,
    drop_columns,
    encode_words,
    is_missing_cell,
    numbers,
    pick_columns,
    quick_numbers,
    without_columns,
    words_of,
)
from errata.tables._pictures import get_picture_content
from tables.picture_cases import drawn, image


def test_arrays_have_positions_and_names():
    columns = columns_of([[1, 2], [3, 4]])
    assert [(c.key, c.name, c.values.tolist()) for c in columns] == [
        (0, "x0", [1, 3]),
        (1, "x1", [2, 4]),
    ]


def frame(library, columns):
    module = pytest.importorskip(library, reason=f"{library} is not installed")
    return module.table(columns) if library == "pyarrow" else module.DataFrame(columns)


LIBRARIES = pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])


@LIBRARIES
def test_dataframes(library):
    day = datetime.datetime(2020, 1, 2)
    table = frame(
        library,
        {"n": [1, None], "x": [1.5, None], "s": ["x", None], "d": [day, None], "l": [[1], None]},
    )
    columns = columns_of(table)
    assert [c.name for c in columns] == column_names(table) == ["n", "x", "s", "d", "l"]
    n, x, s, d, nested = (c.array() for c in columns)
    np.testing.assert_array_equal(n, [1, np.nan])
    np.testing.assert_array_equal(x, [1.5, np.nan])
    assert s.tolist() == ["x", None]
    np.testing.assert_array_equal(d, np.array([day, "NaT"], dtype="M8[us]"))
    assert list(nested[0]) == [1]


@LIBRARIES
def test_a_column_and_a_table_without_it(library):
    table = frame(library, {"a": [1, 2], "b": ["x", None], "c": [3, 4]})
    assert column_array(table, "b").tolist() == ["x", None]
    left = without_columns(table, ["b"])
    assert type(left) is type(table)
    assert column_names(left) == ["a", "c"]
    assert count_rows(left) == 2
    assert without_columns(table, []) is table


def test_the_same_of_mappings_and_arrays():
    table = {"a": [1, 2], "b": ["x", None]}
    assert column_array(table, "b").tolist() == ["x", None]
    assert without_columns(table, ["a"]) == {"b": ["x", None]}
    assert (column_names(table), count_rows(table)) == (["a", "b"], 2)
    array = np.arange(6).reshape(2, 3)
    assert without_columns(array, [1]).tolist() == [[0, 2], [3, 5]]
    assert (column_names(array), count_rows(array)) == ([], 2)


@pytest.mark.parametrize(
    "cells", [["a", 1], ["a", b"b", 1.5], ["a", [1]], ["a", "\ud800"], [("a",), ("b",)]]
)
def test_text_among_other_things_stays_objects(cells):
    values = columns_of({"c": cells})[0].values
    assert values.dtype == object
    assert values.tolist() == cells


def test_no_array_is_as_wide_as_its_longest_cell():
    cells = ["a"] * 1000 + ["x" * 5000]
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    for table in ({"c": cells}, [[cell] for cell in cells], np.array([cells], dtype=object).T):
        (column,) = columns_of(table)
        assert column.values.nbytes < 20_000
        assert column.array().dtype == object
        assert column.array(np.array([1, 1000])).tolist() == ["a", "x" * 5000]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_categories_of_text_are_text(library):
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    module = pytest.importorskip(library, reason="not installed")
    cells = ["b", None, "a", "b"]
    table = {
        "pandas": lambda: module.DataFrame({"c": module.Categorical(cells)}),
        "polars": lambda: module.DataFrame({"c": cells}, schema={"c": module.Categorical}),
        "pyarrow": lambda: module.table({"c": module.array(cells).dictionary_encode()}),
    }[library]()
    values = columns_of(table)[0].values
    assert values.type == arrow.large_string()
    assert values.to_pylist() == cells


def test_columns_called_by_name_are_read_one_at_a_time():
    columns = pick_columns({"a": [1], "b": [2.5], "c": object()}, ["b", "a", "z"])
    assert [next(columns).values.tolist() for _ in range(2)] == [[2.5], [1]]
    with pytest.raises(ValueError, match="no column 'z', which features were made of; "):
        next(columns)


def test_an_arrow_table_is_not_copied():
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    text = arrow.chunked_array([["a"], ["b"]])
    assert columns_of(arrow.table({"c": text}))[0].values.num_chunks == 2


def test_odd_names_become_distinct_text():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame([[1, 2, 3]], columns=[0, "0", "a"])
    columns = columns_of(frame)
    assert [c.name for c in columns] == ["0", "0 (2)", "a"]
    assert [c.values.tolist() for c in columns] == [[1], [2], [3]]
    twins = pandas.DataFrame([[1, "u"], [2, "v"]], columns=["a", "a"])
    assert [c.name for c in columns_of(twins)] == ["a", "a (2)"]
    assert columns_of(twins)[1].array().tolist() == ["u", "v"]


def test_columns_are_dropped_by_either_name():
    columns = columns_of(np.zeros((2, 3)))
    assert [c.key for c in drop_columns(columns, [0, "x2"])] == [1]
    assert [c.key for c in drop_columns(columns, "x1")] == [0, 2]
    with pytest.raises(ValueError, match="there is no column 'y' to drop; the columns are x0, x1"):
        drop_columns(columns, ["y"])


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ({"a": [1, 2], "b": [1]}, r"not of one length, but of \[1, 2\]"),
        ({}, "the table is empty"),
        ({"a": []}, "the table is empty"),
        (np.empty((0, 2)), "the table is empty"),
        ([1, 2], r"has rows and columns, but this one has the shape \(2,\)"),
    ],
)
def test_what_is_no_table_gets_a_sentence(table, sentence):
    with pytest.raises(ValueError, match=sentence):
        columns_of(table)


text = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
words = st.one_of(st.none(), text, st.sampled_from(["NA", " null ", "n/a", "none", "1", " 2.5"]))


def objects(values):
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def test_numbers_are_told_from_text():
    np.testing.assert_array_equal(numbers(np.array(["1", " ", "-2e3"])), [1, np.nan, -2000])
    assert numbers(np.array(["1", "one"])) is None
    np.testing.assert_array_equal(numbers(np.array([1, 2])), [1.0, 2.0])
    np.testing.assert_array_equal(numbers(np.array([1.5, None], dtype=object)), [1.5, np.nan])
    np.testing.assert_array_equal(numbers(np.array(["NA", "1", "null"])), [np.nan, 1, np.nan])
    assert numbers(np.array(["2020-01-01"], dtype="M8[D]")) is None


@pytest.mark.parametrize(
    "cells", [["1", " ", "-2e3"], ["NA", "+1", None], ["1_000", "٣"], ["1", "one"], ["", "null"]]
)
def test_arrow_and_python_read_the_same_numbers(cells):
    found, expected = numbers(arrow.chunked_array([cells])), numbers(objects(cells))
    assert (found is None) == (expected is None)
    if found is not None:
        np.testing.assert_array_equal(found, expected)


def test_ordinary_numbers_take_no_python_for_each_cell():
    column = arrow.chunked_array([["1", "-2.50"], ["NA", " 3e1", None]])
    np.testing.assert_array_equal(quick_numbers(column), [1, -2.5, np.nan, 30, np.nan])
    assert quick_numbers(arrow.chunked_array([["1_000"]])) is None


@given(st.lists(words, min_size=1, max_size=12), st.integers(0, 12))
def test_words_are_the_same_in_both_kinds_of_array(values, cut):
    chunks = [values[:cut], values[cut:]]
    codes, ours = words_of(arrow.chunked_array([c for c in chunks if c], arrow.string()))
    their_codes, theirs = words_of(objects(values))
    assert ours == theirs
    assert codes.tolist() == their_codes.tolist()
    cells = [None if code < 0 else ours[code] for code in codes]
    expected = [None if is_missing(v, text=True) else v.strip() for v in values]
    assert cells == expected
    codes, unsorted = encode_words(objects(values))
    assert [None if code < 0 else unsorted[code] for code in codes] == expected


@given(st.lists(st.one_of(words, st.floats()), min_size=1, max_size=12))
def test_a_column_is_missing_where_its_cells_are(values):
    missing = [is_missing(cell, text=True) for cell in values]
    assert is_missing_cell(objects(values)).tolist() == missing
    if all(cell is None or isinstance(cell, str) for cell in values):
        assert is_missing_cell(arrow.chunked_array([values], arrow.string())).tolist() == missing


def test_numbers_among_words_are_written_as_arrow_writes_them():
    values = np.array([2.0, np.nan, 0.5, 2.0, -1.0])
    codes, words = words_of(values)
    assert words == ["-1", "0.5", "2"]
    assert codes.tolist() == [2, -1, 1, 2, 0]
    assert words == sorted(arrow.array([-1.0, 0.5, 2.0]).cast("string").to_pylist())


def test_a_long_cell_costs_no_more_than_itself():
    column = arrow.chunked_array([["a"] * 20_000 + ["x" * 5_000]])
    codes, found = words_of(column)
    assert sum(map(len, found)) + codes.nbytes < 200_000


KINDS = ["disc", "stripes"]
CODES = [i % 2 for i in range(40)]


def pictures():
    random = np.random.default_rng(0)
    return [get_picture_content(image.fromarray(drawn(KINDS[code], random))) for code in CODES]


class ClassLabel:
    """As that of Hugging Face."""

    names = KINDS

    def int2str(self, code):
        return self.names[code]


class Dataset:
    """What errata uses of a dataset of Hugging Face."""

    def __init__(self, table, features, arrow_format=False):
        self.table, self.features, self.arrow_format = table, features, arrow_format

    @property
    def column_names(self):
        return self.table.column_names

    def __len__(self):
        return self.table.num_rows

    def with_format(self, name):
        assert name == "arrow"
        return Dataset(self.table, self.features, True)

    def __getitem__(self, rows):
        assert self.arrow_format
        return self.table[rows]


class Streamed:
    features, column_names, with_format = {}, [], None


def stand_in():
    cells = [{"bytes": raw, "path": None} for raw in pictures()]
    table = arrow.table({"image": cells, "label": CODES})
    return Dataset(table, {"image": object(), "label": ClassLabel()})


def real():
    # Not "datasets" itself, which the folder of tests of that name would stand for.
    pytest.importorskip("datasets.arrow_dataset", reason="datasets is not installed")
    import datasets

    features = datasets.Features(
        {"image": datasets.Image(), "label": datasets.ClassLabel(names=KINDS)}
    )
    cells = [{"bytes": raw, "path": None} for raw in pictures()]
    return datasets.Dataset.from_dict({"image": cells, "label": CODES}, features=features)


@pytest.mark.parametrize("made", [stand_in, real])
def test_classes_have_names_and_pictures_are_learnt_from(made):
    dataset = made()
    table = as_table(dataset)
    assert table["label"].to_pylist()[:3] == ["disc", "stripes", "disc"]
    features = features_of(dataset, drop=["label"])
    assert features.columns == ["image"]
    assert_allclose(features.plan.apply(dataset).X, features.X, rtol=0, atol=0)


@pytest.mark.parametrize("made", [stand_in, real])
def test_a_dataset_is_audited(made, few_trees):
    audit = errata.audit(made(), "label", self_check=False, random_state=0)
    assert audit.classes.tolist() == KINDS
    assert audit.examples[0]["image"].startswith("data:image/png")


def test_a_dataset_with_several_labels_a_row_is_audited(few_trees):
    X = np.random.default_rng(0).normal(size=(60, 2))
    tags = [[name for name, one in zip("ab", row > 0, strict=True) if one] for row in X]
    table = arrow.table({"x": X.sum(axis=1), "z": X[:, 0] - X[:, 1], "tags": tags})
    dataset = Dataset(table, dict.fromkeys(table.column_names))
    audit = errata.audit_multilabel(dataset, "tags", self_check=False, random_state=0)
    assert audit.names == ["a", "b"]


def test_rows_without_a_class_have_no_label():
    table = arrow.table({"label": [0, -1, None, 1]})
    found = as_table(Dataset(table, {"label": ClassLabel()}))
    assert found["label"].to_pylist() == ["disc", None, None, "stripes"]


def test_several_datasets_get_a_sentence():
    splits = {"train": stand_in(), "test": stand_in()}
    with pytest.raises(ValueError, match=r"several datasets \(train, test\).* X\['train'\]"):
        errata.audit(splits, "label")


def test_a_streamed_dataset_gets_a_sentence():
    with pytest.raises(ValueError, match="this dataset is streamed; collect it first"):
        as_table(Streamed())


class Stream:
    """The result of a query, as DuckDB gives it: columns by name, and a stream of Arrow."""

    def __init__(self, columns):
        self.table = arrow.table(columns)
        self.columns = self.table.column_names

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize(
    "audit",
    [
        lambda table: errata.audit(table, "pet", self_check=False, random_state=0),
        lambda table: errata.audit_targets(table, "x", self_check=False, random_state=0),
        lambda table: errata.audit_multilabel(table, ["a", "b"], self_check=False, random_state=0),
        lambda table: errata.audit_votes(
            table, item="item", worker="worker", label="pet", random_state=0
        ),
    ],
    ids=["classes", "numbers", "several labels", "votes"],
)
def test_every_audit_takes_a_stream_of_arrow(audit):
    random = np.random.default_rng(0)
    pet = np.repeat(["cat", "dog"], 30)
    columns = {
        "x": (pet == "dog") + random.normal(0, 0.1, 60),
        "pet": pet,
        "a": 1 * (pet == "dog"),
        "b": 1 * (random.random(60) < 0.5),
        "item": np.repeat(np.arange(20), 3),
        "worker": np.tile(np.arange(3), 20),
    }
    assert audit(Stream(columns)).noise_rate.estimate == audit(columns).noise_rate.estimate
