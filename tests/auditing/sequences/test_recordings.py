import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from auditing.recordings_cases import steady
from errata.auditing.sequences import (
    Recordings,
    Timeline,
    check_sequence,
    extremes,
    gather_recordings,
    order_note,
    read_recordings,
    read_signals,
    telling,
)
from errata.sequence import WaveletFeatures

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


RECORDINGS = gather_recordings(np.repeat(["a", "b"], 15))[0]
WAVE = np.sin(np.arange(30.0))


def read(**columns):
    signals, clock, notes = read_signals({"wave": WAVE} | columns, RECORDINGS)
    return {column.name: values for column, values in signals}, clock, notes


def test_numbers_over_time_are_signals():
    signals, clock, notes = read()
    assert list(signals) == ["wave"]
    np.testing.assert_array_equal(signals["wave"], WAVE)
    assert clock is None
    assert notes == []


def test_what_rises_in_every_recording_is_a_clock():
    signals, clock, notes = read(time=np.tile(np.arange(15) / 50, 2), sample=np.arange(30))
    assert clock.name == "time"
    assert list(signals) == ["wave"]
    assert "'time', 'sample' rise from row to row" in notes[0]


def test_what_stands_still_once_or_falls_is_none():
    stuck = np.tile(np.arange(15.0), 2)
    stuck[20] = stuck[19]
    assert read(stuck=stuck)[1] is None
    assert read(down=-np.arange(30.0))[1] is None


def test_dates_may_be_a_clock_too():
    assert read(at=np.arange(30).astype("M8[s]"))[1].name == "at"


def test_words_and_what_never_changes_are_left_out():
    signals, _, notes = read(age=np.repeat([31, 54], 15), mood=["calm", "wild"] * 15)
    assert list(signals) == ["wave"]
    assert notes == [
        "Left out 'mood': a model of sequences takes numbers only.",
        "Left out 'age': nothing changes there within a recording.",
    ]


def test_gaps_are_bridged_within_a_recording():
    gappy = np.r_[np.arange(15.0), 100 - np.arange(15.0)]
    gappy[[3, 4, 14, 15]] = np.nan
    signals, _, notes = read(gappy=gappy)
    found = signals["gappy"]
    np.testing.assert_allclose(found[[3, 4, 14, 15]], [3, 4, 13, 99], rtol=0, atol=1e-12)
    assert notes == ["Gaps in the signals (4 cells) are bridged."]


def test_a_recording_without_a_number_gets_the_median():
    lacking = np.r_[WAVE[:15], np.full(15, np.nan)]
    found = read(lacking=lacking)[0]["lacking"]
    np.testing.assert_array_equal(found[15:], np.median(WAVE[:15]))


def test_a_table_without_signals_is_refused():
    with pytest.raises(ValueError, match=r"no column of numbers over time is left\. Left out 'w'"):
        read_signals({"w": ["calm", "wild"] * 15}, RECORDINGS)


def test_infinite_numbers_are_named_with_their_column_and_row():
    signal = WAVE.copy()
    signal[7] = np.inf
    with pytest.raises(ValueError, match=r"'flow' holds 1 infinite number \(the first is in row 7"):
        read(flow=signal)


def stretches(names, flagged, labels, suggested, p_wrong=None, clock=None):
    timeline = Timeline(np.array(list(names), dtype=object), "t" if clock else None, clock)
    flagged = np.array(flagged, dtype=bool)
    timed = Timeline(timeline.recording, timeline.clock_name, clock and np.array(clock))
    return timed.find_stretches(
        flagged=flagged,
        labels=np.array(list(labels)),
        suggested=np.array(list(suggested)),
        p_wrong=np.where(flagged, 0.8, 0.1) if p_wrong is None else np.array(p_wrong),
    )


def test_a_stretch_ends_with_flag_label_suggestion_and_recording():
    found = stretches("aaaaaabb", [0, 1, 1, 1, 1, 1, 1, 0], "xxxxyyyy", "xzzwwwwy")
    assert sorted(zip(found["start"], found["end"], found["rows"], strict=True)) == [
        (1, 2, 2),
        (3, 3, 1),
        (4, 5, 2),
        (6, 6, 1),
    ]


def test_the_worst_has_most_rows_expected_wrong_and_its_mean_is_told():
    found = stretches("aaaaaa", [1, 0, 1, 1, 1, 0], "xxxxxx", "yxyyyx", [0.9, 0, 0.3, 0.6, 0.3, 0])
    assert found["start"].tolist() == [2, 0]
    np.testing.assert_allclose(found["p_wrong"], [0.4, 0.9], rtol=1e-12)
    assert found["label"].tolist() == ["x", "x"]
    assert found["suggested"].tolist() == ["y", "y"]


def test_rows_of_a_recording_that_stand_apart_are_one_stretch():
    found = stretches("abab", [1, 0, 1, 0], "xxxx", "yxyx", clock=[0.5, 0.5, 1.5, 1.5])
    assert (found["start"].tolist(), found["end"].tolist()) == ([0], [2])
    assert (found["start_t"].tolist(), found["end_t"].tolist()) == ([0.5], [1.5])
    assert found["recording"].tolist() == ["a"]


def test_no_flag_no_stretch():
    found = stretches("aaaa", [0] * 4, "xxxx", "xxxx")
    assert all(len(column) == 0 for column in found.values())


@given(st.lists(st.booleans(), min_size=4, max_size=30))
def test_stretches_hold_each_flagged_row_once(flagged):
    found = stretches("a" * len(flagged), flagged, "x" * len(flagged), "y" * len(flagged))
    rows = [
        row for a, b in zip(found["start"], found["end"], strict=True) for row in range(a, b + 1)
    ]
    assert sorted(rows) == np.flatnonzero(flagged).tolist()
    assert found["rows"].sum() == sum(flagged)


@pytest.fixture
def drawn():
    """A stretch of 30 rows in the second of two recordings of 1,000 rows, with a clock."""
    n = 2_000
    names = np.repeat(["a", "b"], 1_000).astype(object)
    flagged = (np.arange(n) >= 1_020) & (np.arange(n) < 1_050)
    labels = np.full(n, "x")
    suggested = np.where(flagged, "y", labels)
    timeline = Timeline(names, "t", np.tile(np.arange(1_000) / 10, 2))
    kinds = {"labels": labels, "suggested": suggested}
    found = timeline.find_stretches(flagged=flagged, p_wrong=0.9 * flagged, **kinds)
    signals = {"s": np.sin(np.arange(n)), "flat": np.zeros(n)}
    return timeline.draw_traces(found, signals, np.zeros(n, dtype=int), **kinds)


def test_the_window_holds_the_stretch_and_ends_with_the_recording(drawn):
    (trace,) = drawn
    assert trace["axis"] == {"name": "t", "first": 0.0, "last": 10.9}  # 20 before, 60 after
    width = 20 + 30 + 60
    assert trace["from"] == 20 / width
    assert trace["to"] == 50 / width
    assert [band["name"] for band in trace["suggestions"]] == ["x", "y", "x"]
    assert [band["name"] for band in trace["labels"]] == ["x"]
    assert sum(band["width"] for band in trace["suggestions"]) == pytest.approx(1, abs=1e-4)
    assert trace["p_wrong"] == 0.9
    json.dumps(drawn, allow_nan=False)


def test_a_signal_is_drawn_at_its_own_scale(drawn):
    sine, flat = drawn[0]["signals"]
    assert (min(sine["y"]), max(sine["y"])) == (0, 1)
    assert sine["low"] == pytest.approx(-1, abs=1e-2)
    assert set(flat["y"]) == {0}
    # Each sample stands in the middle of its 110th part of the window, as bands and borders do.
    np.testing.assert_allclose(sine["x"], (np.arange(110) + 0.5) / 110, rtol=0, atol=1e-5)


def test_of_many_samples_no_peak_is_lost():
    values = np.zeros(10_000)
    values[[777, 5_000]] = 3, -2
    kept = extremes(values, 50)
    assert {777, 5_000} <= set(kept.tolist())
    assert len(kept) <= 100


def test_the_signals_that_tell_labels_apart_are_drawn_in_the_order_of_the_table():
    random = np.random.default_rng(0)
    codes = np.arange(300) % 3
    signals = {name: random.normal(size=300) for name in "abcde"}
    for name in "edb":
        signals[name] += codes
    assert telling(signals, codes) == ["b", "d", "e"]


def test_units_of_a_signal_do_not_matter():
    signals = {"a": np.arange(6.0), "b": np.array([3.0, 1, 2, 0, 2, 1])}
    codes = np.repeat([0, 1], 3)
    huge = {name: 1e200 * values for name, values in signals.items()}
    assert telling(huge, codes) == telling(signals, codes)


X, LABELS, DOGS = steady()
TABLE = {"a": X[:, 0], "b": X[:, 1], "record": DOGS, "what": LABELS}


def test_columns_may_be_named_or_given():
    named = read_recordings(TABLE, "what", "record")
    given = read_recordings(X, LABELS, DOGS)
    np.testing.assert_array_equal(named.X, given.X)
    np.testing.assert_array_equal(named.groups, given.groups)
    assert named.timeline.recording.tolist() == DOGS.tolist()
    assert named.used == ["a", "b"]
    np.testing.assert_allclose(named.X.std(axis=0), 1, rtol=1e-12)


def test_an_unknown_column_is_named_with_those_there_are():
    with pytest.raises(ValueError, match=r"no column .recod. to take recordings from; .*record"):
        read_recordings(TABLE, "what", "recod")


def test_a_table_is_needed():
    with pytest.raises(ValueError, match="X is None"):
        read_recordings(None, LABELS, DOGS)


def test_a_sparse_matrix_is_no_signal():
    with pytest.raises(ValueError, match=r"pass X\.toarray"):
        read_recordings(csr_array(X), LABELS, DOGS)


def test_one_name_for_each_row_is_needed():
    with pytest.raises(ValueError, match="sequence has 3 rows, but there are 720 labels"):
        read_recordings(X, LABELS, ["a", "a", "b"])


def test_a_label_in_one_recording_only_is_kept_as_it_is():
    labels = np.where(DOGS == "r2", "sleep", LABELS)
    found = read_recordings(X, labels, DOGS)
    assert "sleep occurs in one recording only" in found.notes[-1]
    assert not np.isin(found.audited, np.flatnonzero(labels == "sleep")).any()
    assert sorted(found.classes[found.present]) == ["rest", "trot", "walk"]


def test_labels_that_none_can_learn_are_refused():
    labels = np.where(DOGS == "r2", "sleep", "wake")
    with pytest.raises(ValueError, match="fewer than two classes occur in several recordings"):
        read_recordings(X, labels, DOGS)


def test_a_column_made_from_the_label_is_left_out():
    noisy = X + np.random.default_rng(0).normal(scale=2, size=X.shape)
    code = np.searchsorted(np.unique(LABELS), LABELS)
    table = {"a": noisy[:, 0], "b": noisy[:, 1], "code": code}
    found = read_recordings(table, LABELS, DOGS)
    assert found.used == ["a", "b"]
    assert "'code' alone gives the label" in found.notes[0]
    trusted = read_recordings(table, LABELS, DOGS, trust=["code"])
    assert trusted.used == ["a", "b", "code"]


def test_wavelets_see_each_recording_by_itself():
    wavelets = WaveletFeatures(band=None, scales=(2, 4))
    found = read_recordings(X[:, :1], LABELS, DOGS, wavelets=wavelets)
    assert found.features.names == ["x0_scale2", "x0_scale4"]
    assert not hasattr(wavelets, "mean_")  # the user's own stays as it was
    alone = DOGS == "r3"
    other = read_recordings(
        np.where(alone, X[:, 0], 7 * X[:, 0])[:, None], LABELS, DOGS, wavelets=wavelets
    )
    both = (each.features.X[alone] for each in (found, other))
    correlations = [np.corrcoef(a, b)[0, 1] for a, b in zip(*(f.T for f in both), strict=True)]
    np.testing.assert_allclose(correlations, 1, rtol=1e-9)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"groups": [1]}, "sequence and groups cannot both be given; recordings are left out"),
        ({"embeddings": [[1]]}, "sequence and embeddings cannot both be given; pass"),
        ({"image_shape": (2, 2)}, "sequence and image_shape cannot both be given"),
    ],
)
def test_what_does_not_go_together_is_refused(given, said):
    with pytest.raises(ValueError, match=said):
        check_sequence("record", None, **given)
    check_sequence(None, None, **given)


def test_wavelets_are_features_of_recordings():
    with pytest.raises(ValueError, match="say with sequence which"):
        check_sequence(None, WaveletFeatures())
    with pytest.raises(ValueError, match=r"wavelets=250 must be an errata\.sequence"):
        check_sequence("record", 250)


def test_a_clock_tells_the_time_unless_it_is_a_date():
    seconds = np.tile(np.arange(120) / 10, 6)
    assert read_recordings(TABLE | {"t": seconds}, "what", "record").timeline.clock_name == "t"
    dates = (1e9 * np.tile(np.arange(120), 6)).astype("M8[ns]")
    dated = read_recordings(TABLE | {"t": dates}, "what", "record")
    assert dated.timeline.clock is None
    assert dated.used == ["a", "b"]
