import uuid

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.tables.features._features import (
    are_identifying_numbers,
    are_identifying_words,
    is_identifier_name,
)


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
