import numpy as np
import pytest
from numpy.testing import assert_allclose

from errata.auditing.examples._cards import Cells, evidence

RNG = np.random.default_rng(0)
CODES = np.repeat([0, 1], [300, 100])
ALL = np.ones(400, dtype=bool)


def weights(values, row=0, other=1, counted=ALL):
    bins = Cells(values).bins
    return evidence(bins, CODES, np.array([row]), np.array([other]), counted)[0]


def test_it_is_the_log_ratio_of_smoothed_frequencies():
    values = np.zeros(400)
    values[[0, 1, 2]] = 1.0  # the row itself is not counted, two others of its label are
    values[300:350] = 1.0
    smoothing = 5 / (299 + 100)
    expected = np.log(50 / 100 + smoothing) - np.log(2 / 299 + smoothing)
    assert_allclose(weights(values), expected, rtol=1e-12)


@pytest.mark.parametrize("kind", ["numbers", "words", "dates"])
def test_a_value_that_is_usual_in_the_other_class_speaks_whatever_its_kind(kind):
    size = np.where(CODES == 0, 0.0, 4.0) + RNG.normal(size=400)
    size[0] = 4.0
    values = {
        "numbers": size,
        "words": np.where(size > 2, "large", "small").astype(object),
        "dates": np.datetime64("2020-01-01") + (100 * size).astype("m8[D]"),
    }[kind]
    assert weights(values) > np.log(2)
    assert weights(values, row=1) < 0


@pytest.mark.parametrize(
    "values",
    [
        RNG.normal(size=400),
        np.array([f"only {i}" for i in range(400)], dtype=object),
        np.ones(400),
        np.full(400, np.nan),
    ],
    ids=["noise", "identifier", "constant", "missing"],
)
def test_what_tells_nothing_says_nothing_though_one_class_is_larger(values):
    found = [weights(values, row=row) for row in range(20)]
    assert np.mean(np.abs(found)) < np.log(2) / 2


def test_a_missing_value_can_speak():
    values = RNG.normal(size=400)
    values[[0, *range(300, 380)]] = np.nan
    assert weights(values) > np.log(2)


def test_against_its_own_class_nothing_speaks():
    only_here = (np.arange(400) == 0).astype(float)
    assert weights(only_here, other=0) == 0


def test_rows_that_are_not_counted_do_not_count():
    values = np.zeros(400)
    values[0] = values[300:] = 1.0
    few = ALL.copy()
    few[310:] = few[0] = False
    smoothing = 5 / (299 + 10)
    expected = np.log(1 + smoothing) - np.log(smoothing)
    assert_allclose(weights(values, counted=few), expected, rtol=1e-12)


def test_numbers_differ_by_more_than_their_spread_and_words_if_unequal():
    numbers = Cells(np.r_[np.linspace(-1, 1, 101), np.nan, np.inf])
    rows = np.array([50, 50, 50, 101])
    others = np.array([79, 80, 101, 102])  # the standard deviation is 29.15 steps
    assert numbers.differ(rows, others).tolist() == [False, True, True, False]
    words = Cells(np.array(["a", "b", "a ", None], dtype=object))
    found = words.differ(np.array([0, 0, 0]), np.array([1, 2, 3]))
    assert found.tolist() == [True, False, True]


def test_neither_outliers_nor_two_heaps_of_values_widen_the_spread():
    outliers = Cells(np.r_[np.linspace(0, 1, 100), 50, -50])
    heaps = Cells(np.r_[np.linspace(0, 1, 50), np.linspace(5, 6, 50)])
    assert outliers.differ(np.array([0]), np.array([60]))
    assert heaps.differ(np.array([0]), np.array([50]))


def test_a_rare_number_differs_though_most_are_equal():
    gains = Cells(np.r_[np.zeros(99), 1e308])
    assert gains.differ(np.array([0, 0]), np.array([1, 99])).tolist() == [False, True]


def test_a_column_of_sentences_is_to_be_read():
    sentences = [f"this is the sentence number {i} of a text that goes on" for i in range(9)]
    assert Cells(np.array(sentences, dtype=object)).is_text
    assert not Cells(np.array(["red", "blue"], dtype=object)).is_text
    assert not Cells(np.array(["1.5", "2"], dtype=object)).is_text
