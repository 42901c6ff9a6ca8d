import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from joblib import parallel_config
from scipy import sparse

from errata.tables import features_of, read_table, write_table

random = np.random.RandomState(0)


def texts(n):
    animals = [f"the {size} cat sat on mat {i}" for i, size in enumerate(["small", "big"] * n)]
    return animals[:n]


def test_numbers_pass_through_untouched():
    X = random.normal(size=(50, 3))
    features = features_of(X)
    assert features.X is X
    assert features.names == ["x0", "x1", "x2"]
    assert (features.notes, features.columns) == ([], [0, 1, 2])


@pytest.mark.parametrize("kind", [bool, np.int8, np.uint8, np.float32])
def test_any_kind_of_number_becomes_float(kind):
    X = random.randint(0, 2, size=(50, 3)).astype(kind)
    features = features_of(X)
    assert features.X.dtype == np.float64
    np.testing.assert_array_equal(features.X, X)


@given(
    arrays(
        float,
        st.tuples(st.integers(1, 25), st.integers(1, 4)),
        elements=st.one_of(st.just(np.nan), st.floats(-1e6, 1e6), st.integers(-3, 3)),
    )
)
def test_features_are_finite_and_keep_what_was_there(X):
    try:
        features = features_of(X)
    except ValueError as error:
        assert "no column is left to learn from" in str(error)  # noqa: PT017
        return
    assert np.isfinite(features.X).all()
    assert features.X.shape == (len(X), len(features.names))
    for place in features.columns:
        known = ~np.isnan(X[:, place])
        if f"x{place}" in features.names:
            found = features.X[:, features.names.index(f"x{place}")]
            np.testing.assert_array_equal(found[known], X[known, place])
            assert (found[~known] == np.median(X[known, place])).all()
        if not known.all():
            indicator = features.X[:, features.names.index(f"x{place} missing")]
            np.testing.assert_array_equal(indicator, ~known)


def test_gaps_are_filled_with_the_median_of_all_rows():
    values = random.normal(size=5_000)
    values[7] = np.nan
    assert features_of({"x": values}).X[7, 0] == np.nanmedian(values)


def test_numbers_categories_and_texts_need_no_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "skrub", None)
    table = {"x": ["1.5", "NA", "2"], "pet": ["cat", "dog", "cat"]}
    assert features_of(table).names == ["x", "x missing", "pet=dog"]
    assert features_of({"comment": texts(40)}).names[:2] == ["comment 0", "comment 1"]


def test_texts_have_features_of_double_precision():
    # The order of rows is drawn from features at a millionth: single precision would decide it.
    features = features_of({"comment": texts(40)}).X
    assert (features != features.astype(np.float32)).mean() > 0.9


def test_sparse_matrices_pass_through():
    matrix = sparse.random_array((30, 6), density=0.3, rng=0, format="csr")
    features = features_of(matrix, drop=[2])
    assert features.names == ["x0", "x1", "x3", "x4", "x5"]
    np.testing.assert_array_equal(features.X.toarray(), np.delete(matrix.toarray(), 2, axis=1))
    matrix.data[4] = np.inf
    row, place = np.argwhere(np.isinf(matrix.toarray()))[0]
    with pytest.raises(ValueError, match=f"column {place} holds inf in row {row}"):
        features_of(matrix)


def test_what_says_nothing_is_left_out_and_named():
    n = 40
    table = {
        "id": np.arange(n),
        "code": [f"{i:x}-{i}" for i in range(n)],
        "unit": ["kg"] * n,
        "blank": ["", "NA"] * (n // 2),
        "tags": [["a"]] * n,
        "weight": random.normal(size=n),
    }
    table["tags"] = np.fromiter(([i] for i in range(n)), dtype=object, count=n)
    features = features_of(table)
    assert (features.names, features.columns) == (["weight"], ["weight"])
    assert features.notes == [
        "Left out 'id', 'code': every value is different, as in an identifier.",
        "Left out 'unit': the same value in every row.",
        "Left out 'blank': no value in any row.",
        "Left out 'tags': cells that hold lists, objects, bytes or complex numbers.",
    ]


def test_a_long_list_is_cut_short():
    features = features_of(np.hstack([np.ones((30, 10)), random.normal(size=(30, 1))]))
    assert features.notes[0].startswith("Left out 'x0', 'x1'")
    assert "'x7' and 2 more: the same value in every row." in features.notes[0]


def test_identifiers_in_arrays_are_found():
    features = features_of(np.column_stack([random.permutation(50), random.normal(size=50)]))
    assert features.columns == [1]


@pytest.mark.parametrize("ready", [True, False])
def test_identifiers_are_found_in_rows_drawn_at_random(ready):
    random = np.random.default_rng(0)
    rows = np.sort(random.choice(50_000, 5_000, replace=False))
    drawn = np.column_stack([rows + 7.0, random.normal(size=5_000)])
    drawn[0, 1] = drawn[0, 1] if ready else np.nan
    assert features_of(drawn).columns == [0, 1]
    features = features_of(drawn, n_rows=50_000)
    assert features.columns == [1]
    assert features.notes == ["Left out 'x0': every value is different, as in an identifier."]
    assert features_of(drawn, n_rows=5_000).columns == [0, 1]


def test_infinite_numbers_among_drawn_rows_are_missing():
    """Whether a table is refused must not depend on the rows that were drawn."""
    drawn = {"x": [1.0, np.inf, 3.0]}
    features = features_of(drawn, n_rows=100)
    assert features.names == ["x", "x missing"]
    assert features.X.tolist() == [[1, 0], [2, 1], [3, 0]]
    X, unread = features.plan.apply(drawn)
    np.testing.assert_array_equal(X, features.X)
    assert unread == {"x": 1}


def test_bad_numbers_get_a_sentence():
    X = random.normal(size=(10, 2))
    X[7, 1] = -np.inf
    with pytest.raises(ValueError, match=r"column 'x1' holds -inf in row 7 \(counted from 0\)"):
        features_of(X)
    with pytest.raises(ValueError, match=r"no column is left.*'a': the same value in every row"):
        features_of({"a": [1, 1, 1]})


def test_categories():
    features = features_of(
        {"pet": ["cat", "dog", "", "eel", "cat"], "ok": [True, None, False] + 2 * [True]}
    )
    assert features.names == ["pet=cat", "pet=dog", "pet=eel", "pet missing", "ok", "ok missing"]
    assert features.X[0].tolist() == [1, 0, 0, 0, 1, 0]
    assert features.X[2].tolist() == [0, 0, 0, 1, 0, 0]


@pytest.mark.parametrize("library", ["dict", "pandas", "polars", "pyarrow"])
def test_texts_and_dates_of_every_kind_of_table(library):
    pytest.importorskip("skrub", reason="skrub is not installed")
    n = 60
    days = (np.datetime64("2020-01-01") + np.arange(n)).astype(str).tolist()
    table = {"day": days, "comment": [*texts(n - 1), None], "x": random.normal(size=n).tolist()}
    if library != "dict":
        module = pytest.importorskip(library, reason="not installed")
        table = module.table(table) if library == "pyarrow" else module.DataFrame(table)
    features = features_of(table, random_state=0)
    assert features.names[:3] == ["day seconds", "day month", "day weekday"]
    assert 31 < sum(name.startswith("comment ") for name in features.names) <= 61
    assert features.names[-2:] == ["comment missing", "x"]
    assert np.isfinite(features.X).all()
    np.testing.assert_array_equal(features.X[1, 0] - features.X[0, 0], 86400)


def test_a_word_says_more_than_its_letters():
    pytest.importorskip("skrub", reason="skrub is not installed")
    draw = np.random.default_rng(0)
    # The letters of "now" and "won" are the same in any other order; whole words are not.
    cells = [[w if i == j else "own" for i in range(5)] for w in ("now", "won") for j in range(5)]
    fill = [f"{' '.join(row)} {draw.integers(99)} {draw.integers(99)}" for row in cells * 8]
    features = features_of({"text": fill}, random_state=0)
    is_now = np.array([" now" in f" {text}" for text in fill])
    words = features.X[:, 30:-1] if "text missing" in features.names else features.X[:, 30:]
    assert max(abs(np.corrcoef(axis, is_now)[0, 1]) for axis in words.T) > 0.9


def test_names_have_no_axes_of_words():
    pytest.importorskip("skrub", reason="skrub is not installed")
    features = features_of({"name": [f"town {i % 50}" for i in range(100)]}, random_state=0)
    assert len(features.names) <= 30


def test_similar_texts_are_near():
    pytest.importorskip("skrub", reason="skrub is not installed")
    cats = [f"a small grey cat called {name}" for name in map(str, range(40))]
    bills = [f"invoice overdue since week {week}" for week in map(str, range(40))]
    X = features_of({"text": cats + bills}, random_state=0).X
    distances = np.linalg.norm(X[:, None] - X[None], axis=2)
    assert distances[:40, :40].mean() < 0.7 * distances[:40, 40:].mean()


def test_seeds_repeat_and_jobs_change_nothing():
    pytest.importorskip("skrub", reason="skrub is not installed")
    table = {"a": texts(50), "b": [f"{text} or so" for text in texts(50)]}
    one = features_of(table, random_state=1).X
    with parallel_config(backend="threading"):  # processes would take seconds to start
        same = features_of(table, random_state=1, n_jobs=2).X
    np.testing.assert_allclose(one, same, rtol=0, atol=1e-6)


def test_rows_of_a_file_and_its_label(tmp_path):
    write_table(tmp_path / "t.csv", {"x": ["1", "2", "?"], "y": ["a", "b", "a"]})
    features = features_of(read_table(tmp_path / "t.csv"), drop=["y"])
    assert features.names == ["x", "x missing"]
    assert features.notes == ["In 'x', read '?' as missing."]
