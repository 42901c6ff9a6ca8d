import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata._neighbors import find_commonest, vote_margins
from filters.neighbor_cases import naive_margin
from strategies import seeds


@pytest.mark.parametrize(
    ("votes", "expected"),
    [
        ([2, 1, 1], 1),  # the majority
        ([2, 1, 1, 2], 2),  # as many each: the nearest decides
        ([0, 1, 1, 0], 0),
        ([3, 2, 1], 3),
        ([1, 2, 2, 3, 3, 1, 0], 1),
    ],
)
def test_the_commonest_label_wins_and_the_nearest_decides_between_equals(votes, expected):
    assert find_commonest(np.array([votes])).tolist() == [expected]


@pytest.mark.parametrize(
    ("votes", "label", "expected"),
    [([0, 1, 2], 0, 1 / 2), ([1, 1, 2], 2, 2 / 3), ([0, 1, 1], 0, 2 / 3), ([1, 2, 2], 2, 1 / 3)],
)
def test_margins_by_hand(votes, label, expected):
    found = vote_margins(np.array([votes]), np.array([label]))[0, -1]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-15)


@given(seeds, st.integers(1, 9), st.integers(2, 5))
def test_every_number_of_neighbours_has_the_margin_that_counting_gives(seed, k, n_classes):
    rng = np.random.RandomState(seed)
    votes, codes = rng.randint(n_classes, size=(20, k)), rng.randint(n_classes, size=20)
    expected = [
        [naive_margin(row[: j + 1], label) for j in range(k)]
        for row, label in zip(votes, codes, strict=True)
    ]
    np.testing.assert_allclose(vote_margins(votes, codes), expected, rtol=0, atol=1e-15)


def test_a_tie_is_exactly_one_half():
    for k in range(2, 40, 2):
        votes = np.arange(k)[None] % 2
        assert vote_margins(votes, np.array([0]))[0, -1] == 0.5
