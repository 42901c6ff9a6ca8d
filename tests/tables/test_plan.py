import datetime
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata.tables import features_of
from errata.tables._columns import take_table_rows

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


@settings(deadline=None, max_examples=40)
@given(mixed_tables(min_rows=2), mixed_tables(min_rows=2), st.data())
def test_a_row_has_its_features_in_whatever_piece_it_comes(table, other, data):
    """Also rows that the plan was not learnt from, of other kinds even."""
    features = learnt(table)
    if features is None:
        return
    n = len(next(iter(other.values())))
    rows = {name: other.get(name, [None] * n) for name in table}
    cut = data.draw(st.integers(0, n))
    whole = features.plan.apply(rows)
    pieces = [features.plan.apply(take_table_rows(rows, np.arange(n)[part]))
              for part in (slice(cut), slice(cut, None))]  # fmt: skip
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
