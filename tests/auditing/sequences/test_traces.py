import json

import numpy as np
import pytest

from errata.auditing.sequences import Timeline, draw_traces, find_stretches
from errata.auditing.sequences._recordings import extremes, telling


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
    found = find_stretches(timeline, flagged=flagged, p_wrong=0.9 * flagged, **kinds)
    signals = {"s": np.sin(np.arange(n)), "flat": np.zeros(n)}
    return draw_traces(found, signals, np.zeros(n, dtype=int), timeline, **kinds)


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
