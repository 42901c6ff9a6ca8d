import numpy as np

from errata.auditing._settings import CHECK_SAMPLE, CHECKED_ROWS
from errata.auditing.inputs._duplicates import CHECK_MOMENTS, Ties
from errata.auditing.sequences._recordings import gather_recordings

RANDOM = np.random.default_rng(0)


def test_rows_without_ties_are_counted_and_changed_one_by_one():
    ties, codes = Ties(), np.arange(10) % 2
    assert ties.evidence(codes) == {"equal": None, "units": None}
    assert ties.changed_together(codes) is None
    assert ties.some_rows(CHECKED_ROWS, RANDOM) is None
    rows = ties.some_rows(CHECKED_ROWS + 1, RANDOM)
    assert len(rows) == CHECK_SAMPLE
    assert (np.diff(rows) > 0).all()


def test_neighbours_in_time_are_counted_by_runs_and_changed_by_pieces():
    ties = Ties(recordings=gather_recordings(np.repeat(["a", "b"], 8))[0])
    codes = np.repeat([0, 1, 0, 1], [4, 4, 6, 2])
    assert ties.evidence(codes)["units"].tolist() == np.repeat(range(4), [4, 4, 6, 2]).tolist()
    pieces = ties.changed_together(codes)  # runs are 4 rows long on the mean, so 2 go together
    assert np.bincount(pieces).tolist() == [2] * 8
    assert all(len(set(codes[pieces == piece])) == 1 for piece in range(8))


def test_of_long_recordings_stretches_of_time_are_checked():
    n = CHECK_MOMENTS + 1_000
    ties = Ties(recordings=gather_recordings(np.arange(n) // (n // 2))[0])
    assert ties.some_rows(CHECK_MOMENTS, RANDOM) is None
    rows = ties.some_rows(n, RANDOM)
    assert len(rows) <= CHECK_MOMENTS
    assert np.mean(np.diff(rows) == 1) > 0.99
    assert len(ties.for_rows(rows).recordings.order) == len(rows)


def test_some_rows_keep_their_ties():
    groups = np.array([0, 0, 1, 1, 2])
    ties = Ties(equal=groups, copies=groups).for_rows(np.array([2, 3, 4]))
    assert ties.equal.tolist() == [0, 0, 1]
    assert ties.copies.tolist() == [0, 0, 1]
    assert ties.recordings is None
