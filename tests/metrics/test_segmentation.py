import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import precision_score, recall_score

from errata.metrics import segmentation_report
from errata.noise import shift_boundaries
from strategies import seeds

TRUE = np.repeat(list("BPBTB"), [20, 10, 20, 15, 20])


def edges(y_true, y_pred, wave="P", edge="onset", **how):
    report = segmentation_report(y_true, y_pred, fs=1000, background="B", **how)
    return report["boundaries"][wave][edge]


def moved(by):
    return np.repeat(list("BPBTB"), [20 + by, 10, 20 - by, 15, 20])


def test_a_perfect_segmentation():
    report = segmentation_report(TRUE, TRUE, fs=250, background="B")
    assert (report["recall"], report["precision"]) == (1, 1)
    for wave in ("P", "T"):
        for found in report["boundaries"][wave].values():
            assert (found["sensitivity"], found["predictivity"], found["mean"]) == (1, 1, 0)
            assert (found["n_true"], found["n_found"], found["n_matched"]) == (1, 1, 1)
    assert set(report["boundaries"]) == {"P", "T"}
    assert set(report["per_label"]) == {"B", "P", "T"}
    assert report["per_label"]["B"]["samples"] == 60


def test_deviations_are_in_milliseconds_and_positive_when_late():
    assert edges(TRUE, moved(4))["mean"] == 4.0
    assert edges(TRUE, moved(-3), edge="end")["mean"] == -3.0
    report = segmentation_report(TRUE, moved(4), fs=250, background="B")
    assert report["boundaries"]["P"]["onset"]["mean"] == 16.0


def test_the_spread_of_deviations_is_that_of_a_sample():
    y_true, y_pred = np.r_[TRUE, TRUE, TRUE], np.r_[moved(1), moved(4), moved(1)]
    found = edges(y_true, y_pred)
    assert found["mean"] == 2.0
    np.testing.assert_allclose(found["sd"], np.std([1, 4, 1], ddof=1), rtol=1e-12, atol=0)


def test_beyond_the_tolerance_a_wave_is_missed_and_a_false_one_found():
    found = edges(TRUE, moved(6), tolerance=5)
    assert (found["sensitivity"], found["predictivity"], found["n_matched"]) == (0, 0, 0)
    assert np.isnan(found["mean"])
    assert edges(TRUE, moved(5), tolerance=5)["sensitivity"] == 1
    by_wave = {"P": 3, "T": 10}
    report = segmentation_report(TRUE, moved(5), fs=1000, background="B", tolerance=by_wave)
    assert report["boundaries"]["P"]["onset"]["n_matched"] == 0
    assert report["boundaries"]["T"]["onset"]["n_matched"] == 1


def test_nothing_is_matched_twice():
    y_true = np.repeat(list("BPBPB"), [10, 5, 10, 5, 10])
    one = np.repeat(list("BPB"), [18, 5, 17])  # between both, nearer to the second
    found = edges(y_true, one)
    assert (found["sensitivity"], found["predictivity"], found["mean"]) == (0.5, 1, -7)
    found = edges(one, y_true)
    assert (found["sensitivity"], found["predictivity"], found["mean"]) == (1, 0.5, 7)


def test_a_wave_cut_by_the_end_of_a_sequence_has_no_edge_there():
    y = np.array(list("PPBBPPPPBBTT"))
    onset, end = edges(y, y, lengths=[6, 6]), edges(y, y, edge="end", lengths=[6, 6])
    assert (onset["n_true"], end["n_true"]) == (1, 2)
    assert edges(y, y)["n_true"] == 1
    assert edges(y, y, edge="end")["n_true"] == 2
    assert np.isnan(edges(np.array(list("PPBB")), np.array(list("PPBB")))["sensitivity"])


def test_from_one_sequence_to_the_next_nothing_begins_or_ends():
    y = np.array(list("BPPBPPBBPPBB"))
    assert edges(y, y, lengths=[4, 8])["n_true"] == 2  # not the one with which the second begins
    assert edges(y, y, edge="end", lengths=[3, 9])["n_true"] == 2


def test_edges_match_within_their_sequence_only():
    y_true, y_pred = np.array(list("BBBPPBBBBB")), np.array(list("BBBBBBPPBB"))
    assert edges(y_true, y_pred)["n_matched"] == 1
    assert edges(y_true, y_pred, lengths=[5, 5])["n_matched"] == 0


def test_a_label_that_is_never_found_has_precision_zero_and_a_foreign_one_costs_recall():
    y_pred = np.where(TRUE == "P", "X", TRUE)
    report = segmentation_report(TRUE, y_pred, fs=1000)
    assert report["per_label"]["P"] == {"recall": 0.0, "precision": 0.0, "samples": 10}
    assert report["recall"] == pytest.approx(2 / 3)
    assert set(report["per_label"]) == {"B", "P", "T"}


@given(st.floats(0, 0.5), seeds)
def test_by_sample_it_is_scikit_learns_macro_average(width, seed):
    y_pred, _ = shift_boundaries(TRUE, width, random_state=seed)
    report = segmentation_report(TRUE, y_pred, fs=250)
    assert report["recall"] == pytest.approx(recall_score(TRUE, y_pred, average="macro"))
    assert report["precision"] == pytest.approx(precision_score(TRUE, y_pred, average="macro"))
    found = report["boundaries"]["P"]["onset"]
    assert found["n_matched"] == found["n_true"] == 1


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"fs": 0}, "fs=0 must be a finite number above 0"),
        ({"tolerance": -1}, "tolerance=-1 must be a finite number above 0"),
        ({"tolerance": {"P": 10}}, "tolerance says nothing of 'B'; name every label"),
        ({"tolerance": {"Z": 10}}, "tolerance names 'Z', which is not among the labels"),
        ({"background": "Z"}, "background names 'Z', which is not among the labels 'B', 'P', 'T'"),
        ({"lengths": [3]}, "lengths sum to 3, but there are 85 samples"),
    ],
)
def test_bad_requests_get_a_sentence(how, sentence):
    with pytest.raises(ValueError, match=sentence):
        segmentation_report(TRUE, TRUE, **({"fs": 250} | how))
    with pytest.raises(ValueError, match="y_true has 85 samples, y_pred 84"):
        segmentation_report(TRUE, TRUE[1:], fs=250)
