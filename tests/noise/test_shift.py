from itertools import groupby

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.noise import shift_boundaries
from strategies import seeds


def runs(codes):
    """The states of a sequence, one per segment."""
    return [state for state, _ in groupby(codes)]


sequences = st.lists(st.tuples(st.integers(0, 3), st.integers(1, 12)), min_size=1, max_size=10).map(
    lambda parts: np.repeat([s for s, _ in parts], [d for _, d in parts])
)


@given(sequences, st.floats(0, 1), seeds)
def test_segments_keep_their_order_and_none_is_lost(y, width, seed):
    noisy, moved = shift_boundaries(y, width, random_state=seed)
    assert runs(noisy.tolist()) == runs(y.tolist())
    np.testing.assert_array_equal(moved, noisy != y)
    assert len(noisy) == len(y)


@given(sequences, seeds)
def test_no_width_moves_nothing(y, seed):
    noisy, moved = shift_boundaries(y, 0, random_state=seed)
    np.testing.assert_array_equal(noisy, y)
    assert not moved.any()


@given(sequences, sequences, st.floats(0, 1), seeds)
def test_sequences_do_not_flow_into_each_other(one, other, width, seed):
    y = np.concatenate([one, other])
    noisy, _ = shift_boundaries(y, width, lengths=[len(one), len(other)], random_state=seed)
    assert runs(noisy[: len(one)].tolist()) == runs(one.tolist())
    assert runs(noisy[len(one) :].tolist()) == runs(other.tolist())


def test_boundaries_move_by_at_most_width_times_duration():
    y = np.repeat(["B", "P", "B"], [50, 20, 50])
    onsets, ends = [], []
    for seed in range(300):
        noisy, _ = shift_boundaries(y, 0.25, states=["P"], random_state=seed)
        inside = np.flatnonzero(noisy == "P")
        onsets.append(inside[0] - 50)
        ends.append(inside[-1] - 69)
    for moves in (onsets, ends):
        assert min(moves) == -5
        assert max(moves) == 5
        assert abs(np.mean(moves)) < 4 * 2.9 / np.sqrt(300)
    assert abs(np.corrcoef(onsets, ends)[0, 1]) < 0.2  # the two ends move independently


def test_only_the_named_states_have_uncertain_boundaries():
    y = np.repeat(["B", "P", "Q", "B"], [10, 10, 10, 10])
    for seed in range(30):
        noisy, _ = shift_boundaries(y, 0.5, states=["P"], random_state=seed)
        assert noisy[30:].tolist() == ["B"] * 10  # the end of Q stays


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"width": -1}, "width=-1 must be a number between 0 and 1"),
        ({"width": 0.1, "states": ["Z"]}, r"none of the states \['Z'\] occurs"),
        ({"width": 0.1, "lengths": [1, 1]}, "lengths sum to 2, but there are 4 samples"),
    ],
)
def test_bad_requests_get_a_sentence(how, sentence):
    with pytest.raises(ValueError, match=sentence):
        shift_boundaries(list("aabb"), **how)
