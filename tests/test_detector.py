import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from errata._detector import (
    compute_margin,
    drop_own_class,
    find_favourite_other,
    flag,
    measure_doubt,
    spare_classes,
    split_own_and_best_other,
)

suspicions = hnp.arrays(float, st.integers(1, 30), elements=st.floats(0, 1, width=16))


def test_the_native_rule_keeps_a_tie():
    assert flag(np.array([0.5, 0.51])).tolist() == [False, True]


def test_a_native_rule_may_be_a_mask_and_gives_way_to_the_user_s():
    suspicion, native = np.array([0.2, 0.9]), np.array([True, False])
    assert flag(suspicion, native=native).tolist() == [True, False]
    assert flag(suspicion, native=native, threshold=0.5).tolist() == [False, True]
    assert flag(suspicion, native=native, contamination=0.5).tolist() == [False, True]


@given(suspicions, st.floats(0, 1), st.floats(0, 1))
def test_raising_the_threshold_never_adds_a_flag(suspicion, one, other):
    low, high = sorted([one, other])
    assert np.all(flag(suspicion, threshold=low)[flag(suspicion, threshold=high)])


@given(suspicions, st.floats(0, 1))
def test_a_contamination_flags_exactly_the_nearest_number_of_the_most_suspicious(
    suspicion, fraction
):
    flagged = flag(suspicion, contamination=fraction)
    assert flagged.sum() == int(np.floor(fraction * len(suspicion) + 0.5))
    if flagged.any() and not flagged.all():
        assert suspicion[flagged].min() >= suspicion[~flagged].max()


def test_ties_go_to_the_smaller_index():
    assert flag(np.array([0.1, 0.7, 0.7, 0.7]), contamination=0.5).tolist() == [
        False,
        True,
        True,
        False,
    ]


@given(suspicions)
def test_an_estimated_contamination_flags_the_expected_number(suspicion):
    flagged = flag(suspicion, contamination="estimate", probability=True)
    assert flagged.sum() == int(np.floor(suspicion.sum() + 0.5))


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ({"threshold": 0.5, "contamination": 0.5}, "two rules; pass at most one"),
        ({"contamination": "estimate"}, "needs suspicions that are probabilities"),
        ({"threshold": "0.5"}, "threshold='0.5' must be a number"),
        ({"threshold": float("nan")}, "threshold=nan must be a number"),
        ({"contamination": -0.1}, r"contamination=-0.1 must be a number between 0 and 1"),
    ],
)
def test_bad_rules_get_a_sentence(rule, sentence):
    with pytest.raises(ValueError, match=sentence):
        flag(np.array([0.1, 0.9]), **rule)


def test_the_most_suspicious_rows_of_a_class_go_and_the_last_two_stay():
    flagged, codes = np.array([True] * 4 + [False]), np.array([0, 0, 0, 0, 1])
    suspicion = np.array([0.9, 0.6, 0.8, 0.7, 0.0])
    removed = spare_classes(flagged, suspicion, codes, min_per_class=2)
    assert np.flatnonzero(removed).tolist() == [0, 2]


def test_a_fraction_of_each_class_stays_and_of_equals_the_first():
    flagged, codes = np.ones(10, dtype=bool), np.array([0] * 7 + [1] * 3)
    removed = spare_classes(flagged, np.ones(10), codes, min_per_class=1, min_fraction=0.5)
    assert np.flatnonzero(removed).tolist() == [4, 5, 6, 9]


def test_a_fraction_of_a_class_is_not_one_row_more_for_rounding():
    everything = np.ones(100, dtype=bool)  # 0.07 * 100 is a digit above 7
    removed = spare_classes(everything, np.ones(100), np.zeros(100, int), min_fraction=0.07)
    assert removed.sum() == 93


def test_no_more_than_so_many_go_in_all():
    suspicion = np.array([0.2, 0.9, 0.8, 0.7])
    removed = spare_classes(suspicion > 0.5, suspicion, np.zeros(4, int), max_removed=2)
    assert np.flatnonzero(removed).tolist() == [1, 2]


def test_a_class_that_is_too_small_already_is_not_touched():
    removed = spare_classes(np.ones(3, bool), np.ones(3), np.array([0, 1, 1]), min_per_class=2)
    assert not removed.any()


def test_a_detector_may_flag_by_a_rule_of_its_own():
    suspicion, own = np.array([0.1, 0.9, 0.4]), np.array([True, False, False])
    np.testing.assert_array_equal(flag(suspicion, native=own), own)
    np.testing.assert_array_equal(flag(suspicion, native=own, threshold=0.3), [False, True, True])
    chosen = flag(suspicion, native=own, contamination=0.3)
    np.testing.assert_array_equal(chosen, [False, True, False])


def test_margins_by_hand():
    proba = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.4, 0.35, 0.25], [1 / 3, 1 / 3, 1 / 3]])
    margins = compute_margin(proba, np.array([0, 0, 1, 2]))
    np.testing.assert_allclose(margins, [0.25, 0.85, 0.525, 0.5], rtol=1e-12)


def test_own_and_the_best_other():
    own, other = split_own_and_best_other(
        np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]]), np.array([0, 1])
    )
    assert own.tolist() == [0.5, 0.2]
    assert other.tolist() == [0.3, 0.7]


def test_others_keep_digits_that_one_minus_a_probability_would_lose():
    sure = np.array([[1.0, 1e-30]])
    np.testing.assert_array_equal(drop_own_class(sure, np.array([0])), [[0, 1e-30]])
    np.testing.assert_array_equal(measure_doubt(sure, np.array([0])), [1e-30])
    assert sure[0, 0] == 1  # as it was


def test_doubt_is_a_probability_whatever_the_rounding():
    np.testing.assert_array_equal(measure_doubt(np.array([[0.0, 1 + 1e-15]]), np.array([0])), [1])


def test_the_label_itself_where_nobody_votes_otherwise():
    votes = np.array([[5.0, 1.0, 2.0], [0.0, 4.0, 0.0]])
    assert find_favourite_other(votes, np.array([0, 1])).tolist() == [2, 1]
