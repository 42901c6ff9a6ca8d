import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from errata.auditing.sequences import Timeline, find_stretches


def stretches(names, flagged, labels, suggested, p_wrong=None, clock=None):
    timeline = Timeline(np.array(list(names), dtype=object), "t" if clock else None, clock)
    flagged = np.array(flagged, dtype=bool)
    return find_stretches(
        Timeline(timeline.recording, timeline.clock_name, clock and np.array(clock)),
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
