import datetime
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from errata.tables import features_of

pytest.importorskip("skrub", reason="skrub is not installed")
arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pandas = pytest.importorskip("pandas", reason="pandas is not installed")
polars = pytest.importorskip("polars", reason="polars is not installed")

WORDS = ["cat", "dog", "eel", " fox", "Gnu"]
moments = st.datetimes(datetime.datetime(1950, 1, 1), datetime.datetime(2050, 1, 1))
sentences = st.lists(st.sampled_from(["the", "old", "grey", "cat", "sat", "7"]), min_size=4).map(
    " ".join
)
KINDS = {
    "floats": st.floats(-1e6, 1e6),
    "whole": st.integers(-5, 5),
    "truths": st.booleans(),
    "decimals": st.integers(0, 10**6).map(lambda i: f"{i / 1000}"),
    "commas": st.integers(0, 10**6).map(lambda i: f"{i / 1000}".replace(".", ",")),
    "thousands": st.integers(0, 10**8).map(lambda i: f"{i:,}"),
    "marks": st.one_of(st.integers(0, 99).map(str), st.sampled_from(["?", "none", "-"])),
    "words": st.sampled_from(WORDS),
    "any text": st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    "sentences": sentences,
    "moments": moments,
    "days in text": moments.map(lambda moment: f"{moment:%d.%m.%Y}"),
    "moments in text": moments.map(lambda moment: moment.isoformat(timespec="seconds")),
}


@st.composite
def mixed_tables(draw, min_rows=1):
    """Columns of several kinds, with gaps."""
    n = draw(st.integers(min_rows, 30))
    table = {}
    for name in draw(st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=4, unique=True)):
        cell = KINDS[name]
        cells = st.one_of(cell, st.none()) if draw(st.booleans()) else cell
        table[name] = draw(st.lists(cells, min_size=n, max_size=n))
    return table


def learnt(table):
    """Features, or None when no column is left."""
    try:
        return features_of(table, random_state=0)
    except ValueError as error:
        assert "no column is left" in str(error)  # noqa: PT017
        return None


def as_kinds(table):
    return {
        "arrow": arrow.table(table),
        "pandas": pandas.DataFrame(table),
        "polars": polars.DataFrame(table, strict=False),
        "mapping": table,
    }


@settings(deadline=None, max_examples=40)
@given(mixed_tables())
def test_a_plan_gives_the_same_rows_the_same_features(table):
    for kind in as_kinds(table).values():
        features = learnt(kind)
        if features is None:
            continue
        plan = pickle.loads(pickle.dumps(features.plan))
        assert (plan.names, plan.columns) == (features.names, features.columns)
        X, unread = plan.apply(kind)
        np.testing.assert_allclose(X, features.X, rtol=0, atol=1e-6)
        assert not unread


@st.composite
def other_rows(draw, table):
    """Columns of the same names, each of any kind."""
    n = draw(st.integers(1, 12))
    cells = [KINDS[draw(st.sampled_from([name, *sorted(KINDS)]))] for name in table]
    return {
        name: draw(st.lists(st.one_of(cell, st.none()), min_size=n, max_size=n))
        for name, cell in zip(table, cells, strict=True)
    }


@settings(deadline=None, max_examples=40)
@given(mixed_tables(), st.data())
def test_a_row_has_its_features_in_whatever_piece_it_comes(table, data):
    """Also rows that the plan was not learnt from, and cells of other kinds."""
    features = learnt(table)
    if features is None:
        return
    rows = data.draw(other_rows(table))
    n = len(next(iter(rows.values())))
    cut = data.draw(st.integers(0, n))
    whole = features.plan.apply(rows)
    pieces = [
        features.plan.apply({name: cells[part] for name, cells in rows.items()})
        for part in (slice(cut), slice(cut, None))
    ]
    assert np.isfinite(whole.X).all()
    np.testing.assert_array_equal(np.vstack([piece.X for piece in pieces]), whole.X)
    assert pieces[0].unread + pieces[1].unread == whole.unread


@settings(deadline=None, max_examples=40)
@given(mixed_tables(), mixed_tables(), st.sampled_from(["arrow", "pandas", "polars", "mapping"]))
def test_the_kind_of_table_makes_no_difference(table, other, kind):
    features = learnt(as_kinds(table)[kind])
    if features is None:
        return
    n = len(next(iter(other.values())))
    rows = {name: other.get(name, [None] * n) for name in table}
    found = {name: features.plan.apply(given) for name, given in as_kinds(rows).items()}
    for X, unread in found.values():
        np.testing.assert_array_equal(X, found["arrow"].X)
        assert unread == found["arrow"].unread


@given(
    arrays(
        float,
        st.tuples(st.integers(2, 25), st.integers(1, 3)),
        elements=st.one_of(st.just(np.nan), st.floats(-1e6, 1e6), st.integers(-3, 3)),
    )
)
def test_arrays_have_plans_like_tables(array):
    features = learnt(array)
    if features is None:
        return
    np.testing.assert_array_equal(features.plan.apply(array).X, features.X)
    np.testing.assert_array_equal(features.plan.apply(array.astype(object)).X, features.X)
    named = arrow.table({f"x{place}": column for place, column in enumerate(array.T)})
    np.testing.assert_array_equal(features.plan.apply(named).X, features.X)


def test_what_does_not_fit_a_column_counts_as_missing():
    plan = features_of(
        {"size": [1.0, 2.0, 7.0, None], "day": ["2020-01-31", "2021-03-01", "", "2020-05-05"]}
    ).plan
    X, unread = plan.apply(
        {
            "size": ["3", "red", "inf", "?", ""],
            "day": ["2020-01-31", "soon", "01.02.2020", None, "2020-13-01"],
        }
    )
    assert plan.names[:3] == ["size", "size missing", "day seconds"]
    assert X[:, 0].tolist() == [3, 2, 2, 2, 2]
    assert X[:, 1].tolist() == [0, 1, 1, 1, 1]
    middle = np.datetime64("2020-05-05", "s").astype(float)
    assert X[1:, 2].tolist() == [middle] * 4
    assert unread == {"size": 2, "day": 3}


@pytest.mark.parametrize(
    "cells",
    [
        arrow.array([4, None, 6]),
        arrow.array([4.0, None, 6.0]),
        arrow.array(["4", "NA", "6"]),
        arrow.array(["4", None, "6"], arrow.large_string()),
        arrow.array(["4", "", "6"]).dictionary_encode(),
        arrow.array([4, None, 6], arrow.decimal128(5, 2)),
        arrow.array([4, None, 6], arrow.uint8()),
        arrow.array([datetime.timedelta(seconds=4), None, datetime.timedelta(seconds=6)]),
    ],
    ids=lambda cells: str(cells.type),
)
def test_a_column_of_numbers_may_have_another_type_elsewhere(cells):
    plan = features_of({"x": [1, 2, 5, None], "y": [1, 2, 3, 9]}).plan
    X, unread = plan.apply(arrow.table({"y": cells, "x": cells}))
    assert X.tolist() == [[4, 0, 4], [2, 1, 2.5], [6, 0, 6]]
    assert not unread


@pytest.mark.parametrize(
    "learnt_from", [[1.5, None, 3], ["a", "b", "a"], ["2020-01", "", "2021-01"]]
)
@pytest.mark.parametrize("nothing", [arrow.nulls(2), arrow.array([None] * 2, arrow.string())])
def test_a_part_may_hold_nothing_of_a_column(learnt_from, nothing):
    plan = features_of({"c": learnt_from}).plan
    X, unread = plan.apply(arrow.table({"c": nothing}))
    assert X.shape == (2, len(plan.names))
    assert np.isfinite(X).all()
    assert not unread


def test_texts_may_be_missing_altogether_or_unheard_of():
    plan = features_of({"t": [f"the old grey cat sat on mat {i}" for i in range(40)]}).plan
    X, unread = plan.apply({"t": ["", None, "the old grey cat sat on mat 3"]})
    assert (X[:2] == 0).all()
    assert np.abs(X[2]).max() > 0.1
    assert not unread
    assert (plan.apply({"t": [None, None]}).X == 0).all()


def test_words_are_those_that_were_there():
    plan = features_of({"pet": ["cat", "dog", "", "eel"], "n": ["1", "two", "1", "1"]}).plan
    X, unread = plan.apply({"pet": ["eel", "gnu", None], "n": np.array([1.0, 2.0, np.nan])})
    assert plan.names == ["pet=cat", "pet=dog", "pet=eel", "pet missing", "n=two"]
    assert X.tolist() == [[0, 0, 1, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 1, 0]]
    assert not unread
    assert plan.apply({"pet": ["cat"], "n": ["two"]}).X.tolist() == [[1, 0, 0, 0, 1]]


def test_a_word_may_come_as_a_number():
    plan = features_of({"code": ["1", "2", "x", "1"]}).plan
    assert plan.names == ["code=1", "code=2", "code=x"]
    for cells in (np.array([2, 1]), np.array([2.0, 1.0]), ["2", " 1"]):
        assert plan.apply({"code": cells}).X.tolist() == [[0, 1, 0], [1, 0, 0]]


def test_days_come_in_the_order_that_was_learnt():
    """Of 03/02/2020 alone nobody could tell whether it is in February."""
    plan = features_of({"day": ["13/02/2020", "14/03/2020", "15/04/2020"]}).plan
    month = plan.names.index("day month")
    assert plan.apply({"day": ["03/02/2020"]}).X[0, month] == 2


def test_columns_are_found_by_name_and_others_are_not_read():
    table = arrow.table(
        [[1.0, 5.0, 2.0], ["a", "b", "a"], [7.0, 8.0, 5.0]], names=["x", "word", "x"]
    )
    plan = features_of(table).plan
    assert plan.names == ["x", "word=b", "x (2)"]
    unreadable = arrow.array([[1], [2], [3]])
    more = table.add_column(0, "lists", unreadable).select([0, 2, 1, 3])
    np.testing.assert_array_equal(plan.apply(more).X, features_of(table).X)
    with pytest.raises(ValueError, match=r"no column 'x \(2\)', which features were made of; "):
        plan.apply(table.select([0, 1]))


def test_columns_of_other_lengths_get_a_sentence():
    plan = features_of({"a": [1, 2, 4], "b": [1, 5, 4]}).plan
    with pytest.raises(ValueError, match="column 'b' has 3 rows, and the table 2"):
        plan.apply({"a": [1, 2], "b": [1, 2, 3]})


def test_no_rows_have_no_features():
    plan = features_of({"a": [1, 2, 4], "b": ["x", "y", "z"]}).plan
    assert plan.apply({"a": [], "b": []}).X.shape == (0, 4)


def test_a_plan_for_an_array_picks_columns():
    random = np.random.default_rng(0)
    array = random.normal(size=(51, 3))
    plan = features_of(array).plan
    other = random.normal(size=(4, 5))
    np.testing.assert_array_equal(plan.apply(other).X, other[:, :3])
    assert plan.apply(array).X is array
    other[0, 1], other[1, 2], other[2, 2] = np.inf, np.nan, -np.inf
    X, unread = plan.apply(other.astype(np.float32))
    middle = np.median(array, axis=0)
    assert (X[0, 1], X[1, 2], X[2, 2]) == (middle[1], middle[2], middle[2])
    assert unread == {"x1": 1, "x2": 1}
    with pytest.raises(ValueError, match="no column 'x2'"):
        plan.apply(other[:, :2])


def test_a_plan_for_a_sparse_matrix_picks_columns():
    matrix = sparse.random_array((30, 6), density=0.3, rng=0, format="csr")
    features = features_of(matrix, drop=[2])
    X, unread = features.plan.apply(matrix.tocoo())
    np.testing.assert_array_equal(X.toarray(), features.X.toarray())
    assert not unread
    wrong = matrix.copy()
    wrong.data[:] = np.inf
    X, unread = features.plan.apply(wrong)
    assert not X.toarray().any()
    assert unread.total() == features.X.nnz
    assert np.isinf(wrong.data).all()
    with pytest.raises(ValueError, match="has 4 columns, but features were made of column 5"):
        features.plan.apply(matrix[:, :4])


def test_plans_are_small_and_hold_no_rows():
    random = np.random.default_rng(0)
    columns = {f"x{place}": random.normal(size=20_000) for place in range(5)}
    table = {**columns, "word": random.choice(list("abc"), 20_000)}
    assert len(pickle.dumps(features_of(table).plan)) < 2000
    assert len(pickle.dumps(features_of(np.column_stack(list(columns.values()))).plan)) < 2000


def test_a_gap_that_the_rows_learnt_from_lack_gets_their_median():
    """Of a thousand of them when there are more."""
    values = np.random.default_rng(0).normal(size=50_000)
    for table in ({"x": values}, values[:, None]):
        plan = features_of(table).plan
        filled = plan.apply({"x": [None]} if isinstance(table, dict) else np.array([[np.nan]])).X
        np.testing.assert_allclose(filled, np.median(values), rtol=0, atol=0.15)
    few = features_of({"x": values[:501]}).plan.apply({"x": [np.nan]}).X
    assert few == np.median(values[:501])
