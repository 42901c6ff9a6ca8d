from itertools import groupby

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.noise import disturb_targets, shift_boundaries
from strategies import SEEDS, seeds

Y = np.random.default_rng(3).normal(50, 10, 300)

KINDS = ("swap", "gross", "shift", "unit")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_fraction_asked_for_is_changed_and_told(kind, seed):
    noisy, changed = disturb_targets(Y, 0.1, kind=kind, random_state=seed)
    np.testing.assert_array_equal(changed, noisy != Y)
    assert changed.sum() == 30
    again, _ = disturb_targets(Y, 0.1, kind=kind, random_state=seed)
    np.testing.assert_array_equal(noisy, again)


def test_swaps_are_values_of_other_rows():
    noisy, changed = disturb_targets(Y, 0.2, random_state=0)
    assert np.isin(noisy[changed], Y).all()


def test_a_value_swapped_for_an_equal_one_is_no_error():
    y = np.repeat([1.0, 2.0], 100)
    noisy, changed = disturb_targets(y, 0.5, random_state=0)
    np.testing.assert_array_equal(changed, noisy != y)
    assert 20 < changed.sum() < 80


def test_shifts_and_gross_errors_are_as_large_as_told():
    noisy, changed = disturb_targets(Y, 0.2, kind="shift", random_state=0)
    np.testing.assert_allclose(np.abs(noisy - Y)[changed], 1.5 * Y.std(), rtol=1e-9)
    noisy, changed = disturb_targets(Y, 0.5, kind="gross", random_state=0)
    ratio, off = noisy[changed] / Y[changed], np.abs(noisy - Y)[changed] / Y.std()
    slip = np.isclose(ratio[:, None], [10, 0.1, -1]).any(axis=1)
    assert 0.55 < slip.mean() < 0.95
    assert (off[~slip] >= 3).all()
    assert (off[~slip] <= 10).all()


def test_units_are_confused_in_one_part_of_the_table():
    by = np.arange(300)
    noisy, changed = disturb_targets(Y, 0.1, kind="unit", by=by, random_state=0)
    assert by[changed].min() >= 200
    np.testing.assert_allclose(noisy[changed], 2.54 * Y[changed], rtol=1e-12)


def test_missing_targets_stay_missing_and_zero_noise_changes_nothing():
    y = Y.copy()
    y[:100] = np.nan
    noisy, changed = disturb_targets(y, 0.1, kind="gross", random_state=0)
    assert np.isnan(noisy[:100]).all()
    assert changed.sum() == 20
    same, none = disturb_targets(Y, 0.0, random_state=0)
    np.testing.assert_array_equal(same, Y)
    assert not none.any()


def test_what_cannot_be_is_told():
    with pytest.raises(ValueError, match="kind"):
        disturb_targets(Y, 0.1, kind="flip")
    with pytest.raises(ValueError, match="rate"):
        disturb_targets(Y, 1.5)


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
