import uuid

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.tables._identifiers import (
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
