import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.auditing.sequences._recordings import (
    Recordings,
    gather_recordings,
    order_note,
)

NAMES = st.lists(st.sampled_from("abcd"), min_size=2, max_size=40).map(lambda names: names * 2)


@given(NAMES)
def test_each_recording_is_gathered_in_the_order_of_the_table(names):
    names = np.array(names)
    recordings, _ = gather_recordings(names)
    assert sorted(recordings.order) == list(range(len(names)))
    for part in np.split(recordings.order, recordings.ends[:-1]):
        assert len(set(names[part])) == 1
        assert (np.diff(part) > 0).all()
    firsts = [part[0] for part in np.split(recordings.order, recordings.ends[:-1])]
    assert firsts == sorted(firsts)
    np.testing.assert_array_equal(
        recordings.in_table(recordings.in_order(names)), names, strict=True
    )


def test_rows_that_do_not_stand_together_are_gathered_with_a_note():
    recordings, notes = gather_recordings(np.array(list("abab")))
    assert recordings.order.tolist() == [0, 2, 1, 3]
    assert recordings.lengths.tolist() == [2, 2]
    assert "gathered in the order of the table" in notes[0]
    assert gather_recordings(np.array(list("bbaa")))[1] == []


def test_a_recording_of_one_row_is_refused():
    with pytest.raises(ValueError, match="the recording 'b' has one row; a sequence takes two"):
        gather_recordings(np.array(list("aabcc")))


def test_a_row_without_recording_is_refused():
    with pytest.raises(ValueError, match=r"missing in 1 row .the first is row 2"):
        gather_recordings(np.array(["a", "a", None, "a"], dtype=object))


def test_some_rows_are_recordings_that_end_at_gaps():
    recordings = Recordings(np.array([0, 2, 4, 1, 3, 5]), np.array([3, 6]))
    some = recordings.for_rows(np.array([0, 1, 3, 4]))  # the second moment of the first is lacking
    assert some.order.tolist() == [0, 3, 1, 2]
    assert some.ends.tolist() == [1, 2, 4]


def test_runs_end_where_a_value_or_the_recording_does():
    recordings = Recordings(np.arange(7), np.array([4, 7]))
    runs = recordings.runs(np.array([0, 0, 1, 1, 1, 1, 0]), np.array([5, 6, 6, 6, 6, 6, 6]))
    assert runs.tolist() == [0, 1, 2, 2, 3, 3, 4]


def test_pieces_are_runs_cut_where_they_are_too_long():
    recordings = Recordings(np.arange(7), np.array([5, 7]))
    pieces = recordings.pieces(np.array([1, 1, 1, 0, 0, 0, 0]), 2)
    assert pieces.tolist() == [0, 0, 1, 2, 2, 3, 3]


def test_windows_are_stretches_of_time_and_no_more_than_asked_for():
    recordings = gather_recordings(np.arange(6_000) // 3_000)[0]
    random = np.random.default_rng(0)
    rows = recordings.windows(1_000, random)
    assert len(rows) == 1_000
    assert np.sum(np.diff(rows) > 1) <= 1  # two windows, perhaps neighbours
    np.testing.assert_array_equal(recordings.windows(6_000, random), np.arange(6_000))


def test_folds_keep_recordings_whole():
    numbers = np.repeat(np.arange(12), 10)
    folds = gather_recordings(numbers)[0].folds(numbers % 2, seed=0)
    assert set(folds) == set(range(5))
    assert all(len(set(folds[numbers == k])) == 1 for k in range(12))


@pytest.mark.parametrize("n_recordings", [1, 2, 4])
def test_few_recordings_are_cut_into_parts_that_are_left_out_in_turn(n_recordings):
    numbers = np.repeat(np.arange(n_recordings), 100)
    folds = gather_recordings(numbers)[0].folds(numbers * 0, seed=0)
    assert set(folds) == set(range(5))
    for k in range(n_recordings):
        part = folds[numbers == k]
        assert len(set(part)) >= 3  # the recording can be learnt from itself
        assert np.sum(np.diff(part) != 0) == -(-10 // n_recordings) - 1


def test_labels_in_no_order_are_remarked():
    random = np.random.default_rng(0)
    recordings = gather_recordings(np.repeat([0, 1], 300))[0]
    codes = np.repeat(np.arange(60) % 3, 10)
    assert order_note(recordings, codes) == []
    assert "order of time" in order_note(recordings, random.permutation(codes))[0]
