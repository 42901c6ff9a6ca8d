import numpy as np
import pytest

from errata.auditing.sequences._inputs import read_signals
from errata.auditing.sequences._recordings import gather_recordings

RECORDINGS = gather_recordings(np.repeat(["a", "b"], 15))[0]
WAVE = np.sin(np.arange(30.0))


def read(**columns):
    return read_signals({"wave": WAVE} | columns, RECORDINGS)


def test_numbers_over_time_are_signals():
    signals = read()
    assert list(signals.by_name) == ["wave"]
    np.testing.assert_array_equal(signals.by_name["wave"], WAVE)
    assert signals.clock is None
    assert signals.notes == []


def test_what_rises_in_every_recording_is_a_clock():
    signals = read(time=np.tile(np.arange(15) / 50, 2), sample=np.arange(30))
    assert signals.clock.name == "time"
    assert list(signals.by_name) == ["wave"]
    assert "'time', 'sample' rise from row to row" in signals.notes[0]


def test_what_stands_still_once_or_falls_is_none():
    stuck = np.tile(np.arange(15.0), 2)
    stuck[20] = stuck[19]
    assert read(stuck=stuck).clock is None
    assert read(down=-np.arange(30.0)).clock is None


def test_dates_may_be_a_clock_too():
    assert read(at=np.arange(30).astype("M8[s]")).clock.name == "at"


def test_words_and_what_never_changes_are_left_out():
    signals = read(age=np.repeat([31, 54], 15), mood=["calm", "wild"] * 15)
    assert list(signals.by_name) == ["wave"]
    assert signals.notes == [
        "Left out 'mood': a model of sequences takes numbers only.",
        "Left out 'age': nothing changes there within a recording.",
    ]


def test_gaps_are_bridged_within_a_recording():
    gappy = np.r_[np.arange(15.0), 100 - np.arange(15.0)]
    gappy[[3, 4, 14, 15]] = np.nan
    signals = read(gappy=gappy)
    found = signals.by_name["gappy"]
    np.testing.assert_allclose(found[[3, 4, 14, 15]], [3, 4, 13, 99], rtol=0, atol=1e-12)
    assert signals.notes == ["Gaps in the signals (4 cells) are bridged."]


def test_a_recording_without_a_number_gets_the_median():
    lacking = np.r_[WAVE[:15], np.full(15, np.nan)]
    found = read(lacking=lacking).by_name["lacking"]
    np.testing.assert_array_equal(found[15:], np.median(WAVE[:15]))


def test_a_table_without_signals_is_refused():
    with pytest.raises(ValueError, match=r"no column of numbers over time is left\. Left out 'w'"):
        read_signals({"w": ["calm", "wild"] * 15}, RECORDINGS)


def test_infinite_numbers_are_named_with_their_column_and_row():
    signal = WAVE.copy()
    signal[7] = np.inf
    with pytest.raises(ValueError, match=r"'flow' holds 1 infinite number \(the first is in row 7"):
        read(flow=signal)
