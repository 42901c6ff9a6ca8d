import numpy as np
import pytest

from errata.tables._columns import columns_of
from errata.tables.features._encoders import choose_axes
from errata.tables.features._features import CONSTANT, EMPTY, NESTED, encode


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
