import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from ensemble.limited_random import LimitedRandom
from errata.ensemble._bags import REDRAWS, draw_bags, draw_by_weight, draw_uniformly, is_one_class
from strategies import seeds


def drawn(p, codes, shape, random):
    return draw_bags(draw_by_weight(p, random), shape, p, codes, random)


@given(seeds, st.integers(2, 8), st.sampled_from([0.3, 1e-3, 1e-12, 1e-300, 5e-324]))
def test_two_classes_are_in_every_bag_however_rare_one_is(seed, size, rare):
    p = np.r_[np.full(9, (1 - rare) / 9), rare]
    codes = np.r_[np.zeros(9, int), 1]
    # Each time all bags at once; and two draws to mend each of five bags.
    random = LimitedRandom(seed, 1 + REDRAWS + 2 * 5)
    bags = drawn(p, codes, (5, size), random)
    assert bags.shape == (5, size)
    assert all(set(codes[bag]) == {0, 1} for bag in bags)


def test_a_mended_bag_gets_one_row_of_another_class_by_its_weight():
    p = np.r_[np.full(3, 1 / 3), np.array([3, 1, 0]) * 1e-15]
    codes = np.array([0, 0, 0, 1, 2, 1])
    bags = drawn(p, codes, (2000, 4), LimitedRandom(0, 1 + REDRAWS + 2 * 2000))
    assert ((codes[bags] > 0).sum(axis=1) == 1).all()
    # Three quarters of them are row 3, a quarter row 4; the row without weight never comes.
    counts = np.bincount(bags.ravel(), minlength=6)
    assert counts[5] == 0
    assert chisquare(counts[3:5], [1500, 500]).pvalue > 0.001
    places = np.nonzero(codes[bags] > 0)[1]
    assert chisquare(np.bincount(places, minlength=4)).pvalue > 0.001


def test_bags_are_distributed_as_if_drawn_until_two_classes_are_in():
    # Of three draws with probability 0.1, k hit with 3 over k times 0.1^k 0.9^(3 - k): 0.243 for
    # one and 0.027 for two, and bags with none or three are drawn again.
    p, codes = np.array([0.9, 0.1]), np.array([0, 1])
    bags = drawn(p, codes, (4000, 3), np.random.RandomState(0))
    counts = np.bincount(bags.sum(axis=1), minlength=4)
    assert counts[[0, 3]].tolist() == [0, 0]
    assert chisquare(counts[1:3], 4000 * np.array([0.9, 0.1])).pvalue > 0.001


@pytest.mark.parametrize(
    ("p", "size"), [(np.array([0.5, 0.5, 0.0]), 4), (np.array([0.4, 0.3, 0.3]), 1)]
)
def test_what_cannot_hold_two_classes_is_drawn_once(p, size):
    random = LimitedRandom(0, 1)
    bags = drawn(p, np.array([0, 0, 1]), (6, size), random)
    assert bags.shape == (6, size)


def test_weights_are_those_of_numpy():
    p = np.random.RandomState(1).dirichlet(np.ones(20))
    ours = draw_by_weight(p, np.random.RandomState(0))((3, 30))
    theirs = np.random.RandomState(0).choice(20, size=(3, 30), p=p)
    np.testing.assert_array_equal(ours, theirs)


def test_even_draws_take_all_rows_alike():
    rows = draw_uniformly(5, np.random.RandomState(0))((100, 50))
    assert chisquare(np.bincount(rows.ravel(), minlength=5)).pvalue > 0.001


def test_of_one_class_looks_along_the_last_axis():
    assert is_one_class(np.array([[0, 0], [0, 1]])).tolist() == [True, False]
    assert is_one_class(np.array([2, 2, 2]))
