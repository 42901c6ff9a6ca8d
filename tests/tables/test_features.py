import sys
import uuid

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from joblib import parallel_config
from scipy import sparse

from errata.tables import features_of, read_table, write_table
from errata.tables._columns import columns_of
from errata.tables.features._encoders import choose_axes
from errata.tables.features._features import (
    CONSTANT,
    EMPTY,
    NESTED,
    are_identifying_numbers,
    are_identifying_words,
    encode,
    is_identifier_name,
)

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


def test_whole_numbers_that_are_one_float_are_not_called_equal():
    table = {"key": 2**60 + np.arange(40) % 7, "weight": random.normal(size=40)}
    assert features_of(table).notes == [
        "Left out 'key': the same value in every row, to 15 digits."
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


def encoded(values, name="c"):
    return encode(columns_of({name: values})[0], 0)


def side_by_side(block):
    return np.column_stack(list(block.values()))


def test_time_spans_are_seconds():
    block = encoded(np.array([60, "NaT", 120], dtype="m8[s]")).block
    assert list(block) == ["c", "c missing"]
    assert side_by_side(block).tolist() == [[60, 0], [90, 1], [120, 0]]


def test_one_value_and_gaps_leave_only_the_gaps():
    block = encoded(["5", "", "5"]).block
    assert list(block) == ["c missing"]
    assert block["c missing"].tolist() == [0, 1, 0]


@pytest.mark.parametrize("values", [[3, 3], ["a", " a"], np.array(["2020-01-01"] * 2, "M8[D]")])
def test_constant_columns_of_every_kind(values):
    assert encoded(values).reason == CONSTANT


@pytest.mark.parametrize(
    "values", [["", "NA"], [None, None], [np.nan, np.nan], np.array(["NaT"] * 2, "M8[D]")]
)
def test_empty_columns_of_every_kind(values):
    assert encoded(values).reason == EMPTY


@pytest.mark.parametrize("values", [[b"a", b"b"], [1 + 2j, 3j]])
def test_cells_that_are_no_single_value(values):
    assert encoded(values).reason == NESTED


def test_thirty_words_have_a_feature_each_and_more_become_axes():
    words = [f"w{i}" for i in range(31)] * 3
    few = encoded([word for word in words if word != "w30"]).block
    assert list(few)[:2] == ["c=w0", "c=w1"]
    pytest.importorskip("skrub", reason="skrub is not installed")
    block = encoded(words).block
    assert len(block) == 30
    values = side_by_side(block)
    np.testing.assert_array_equal(values[:31], values[31:62])


def test_few_sentences_are_texts_when_they_hardly_repeat():
    pytest.importorskip("skrub", reason="skrub is not installed")
    sentences = [f"number {i} of the long list" for i in range(8)]
    assert next(iter(encoded(sentences).block)) == "c 0"
    assert list(encoded(sentences[:2] * 4).block) == ["c=number 1 of the long list"]


def test_a_single_sentence_among_gaps_is_a_word():
    block = encoded([None, "the only one of its kind", None]).block
    assert list(block) == ["c=the only one of its kind", "c missing"]


def test_texts_that_differ_in_capitals_only_do_no_harm():
    pytest.importorskip("skrub", reason="skrub is not installed")
    letters = [
        [a.upper() if bit == "1" else a for a, bit in zip("abcdef", f"{i:06b}", strict=True)]
        for i in range(40)
    ]
    values = ["".join(word) for word in letters] * 2
    assert np.isfinite(side_by_side(encoded(values).block)).all()


def test_texts_that_differ_by_rounding_alone_give_no_feature_of_it():
    axes = np.random.default_rng(0).normal(size=(20, 4))
    axes[:, 1] = 1 + 1e-7 * axes[:, 1]
    features = axes @ choose_axes(axes)
    np.testing.assert_array_equal(np.abs(features), np.abs(axes[:, [0, 2, 3]]))
    alike = axes[:, [1]]
    assert (alike @ choose_axes(alike) == 0).all()


def test_which_way_round_an_axis_points_is_told_by_the_texts_and_not_by_rounding():
    axes = np.array([[0.5, -1], [2, 1], [-2, 0.1], [1, 0.2]])
    moved = -axes * (1 + 1e-7 * np.random.default_rng(0).normal(size=axes.shape))
    features = axes @ choose_axes(axes)
    np.testing.assert_allclose(moved @ choose_axes(moved), features, rtol=1e-5)
    assert (features[[1, 0], [0, 1]] > 0).all()


@pytest.mark.parametrize("name", ["id", "ID", "Unnamed: 0", "index", "", "customer id", "userID"])
def test_names_of_identifiers(name):
    assert is_identifier_name(name)


@pytest.mark.parametrize("name", ["humid", "body mass index", "acid", "PAID", "weight", "idle"])
def test_names_of_other_things(name):
    assert not is_identifier_name(name)


@given(st.integers(20, 200), st.integers(-(10**6), 10**6), st.randoms())
def test_a_count_in_any_order_is_an_identifier(n, start, random):
    values = list(range(start, start + n))
    random.shuffle(values)
    assert are_identifying_numbers(np.array(values, dtype=float), "number")


def test_a_count_may_lack_nearly_half_of_its_numbers():
    values = 2.0 * np.arange(20)
    assert are_identifying_numbers(values, "number")
    values[-1] += 2
    assert not are_identifying_numbers(values, "number")


def test_measurements_that_all_differ_are_none():
    random = np.random.RandomState(0)
    assert not are_identifying_numbers(random.normal(size=500), "id")
    assert not are_identifying_numbers(np.arange(500) + 0.5, "x")
    assert not are_identifying_numbers(np.array([20.0, 21.0, 23.0]), "age")  # too few to tell
    assert not are_identifying_numbers(random.permutation(10**5)[:300].astype(float), "income")
    assert are_identifying_numbers(random.permutation(10**5)[:300].astype(float), "person_id")


@pytest.mark.parametrize("whole", [10**6, 10**9])
def test_a_count_shows_in_rows_drawn_from_it(whole):
    """200,000 rows of a million or of a thousand million, with gaps in the count or none."""
    drawn, random = 200_000, np.random.default_rng(0)
    stands_for = whole / drawn
    for step in (1.0, 1.9):
        values = np.floor(step * _different(drawn, whole, random))
        assert are_identifying_numbers(values, "number", stands_for)
    assert not are_identifying_numbers(values, "number")  # as a whole, it would be full of gaps


@pytest.mark.parametrize("whole", [10**6, 10**9])
@pytest.mark.parametrize("width", [0.6, 1.0, 1.9])
def test_random_numbers_repeat_in_rows_drawn_from_them(whole, width):
    """Even where there are about as many numbers as rows."""
    random = np.random.default_rng(0)
    values = random.integers(0, int(width * whole), 200_000).astype(float)
    assert not are_identifying_numbers(values, "income", whole / 200_000)


def test_of_too_many_rows_it_cannot_be_told():
    values = _different(2_000, 10**6, np.random.default_rng(0))
    assert not are_identifying_numbers(values, "number", 500.0)
    assert are_identifying_numbers(values, "person_id", 500.0)
    assert not are_identifying_numbers(3 * values, "number", 100.0)  # a range too wide for a count
    words = [f"w{value:.0f}" for value in values]
    assert not are_identifying_words(words, 2_000, "word", 500.0)
    assert are_identifying_words(words, 2_000, "person_id", 500.0)
    assert are_identifying_words(words, 2_000, "word", 100.0)


def _different(n, whole, random):
    """n different whole numbers below a limit, as floats."""
    values = np.unique(random.integers(0, whole, 2 * n))
    return random.permutation(values)[:n].astype(float)


def test_repeated_numbers_are_none():
    assert not are_identifying_numbers(np.append(np.arange(50.0), 3), "id")


def test_words():
    ids = [str(uuid.UUID(int=i)) for i in range(30)]
    assert are_identifying_words(ids, 30, "key")
    assert not are_identifying_words(ids, 31, "key")
    assert not are_identifying_words([f"text number {i}" for i in range(30)], 30, "comment")
    assert not are_identifying_words(["我喜欢" + chr(20000 + i) for i in range(30)], 30, "comment")
    assert not are_identifying_words(ids[:5], 5, "breed")
    assert are_identifying_words(ids[:5], 5, "row_id")


def test_a_few_words_among_numbers_are_missing_ones():
    cells = random.normal(size=100).round(3).astype(str).astype(object)
    number = cells.astype(float)
    cells[[3, 7, 50, 51, 52]] = "1O.5", "about 2", "n/k", "n/k", "?"
    features = features_of({"x": cells})
    assert features.names == ["x", "x missing"]
    assert np.flatnonzero(features.X[:, 1]).tolist() == [3, 7, 50, 51, 52]
    np.testing.assert_array_equal(features.X[:3, 0], number[:3])
    odd = "4 cells that are no numbers ('1O.5', 'about 2', 'n/k')"
    assert features.notes == [f"In 'x', read '?' as missing. In 'x', read {odd} as missing."]
    cells[20:22] = "n/k"
    assert features_of({"x": cells}).names[0] == "x 0"  # they are too many


def test_numbers_that_may_be_codes_keep_the_words_among_them():
    cells = np.array([str(code % 29) for code in range(100)], dtype=object)
    cells[3] = "A7"
    assert "x=a7" in [name.lower() for name in features_of({"x": cells}).names]
